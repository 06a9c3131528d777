//! Our facts against ExifTool's, over a folder: a table by field and maker, and every difference by name.
//!
//! `cargo run --release -p lightfast-media --example compare_exiftool -- FOLDER [--all] [--field NAME]`
//!
//! What is compared and by which rule stands in `fields.tsv` beside this file; differences that were looked into, each
//! with its evidence, in `known.tsv`. ExifTool runs once, over the whole folder.
#![allow(clippy::print_stdout, clippy::indexing_slicing)]

mod ours;
mod rules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rules::{Field, Outcome};
use serde_json::Value;

/// Counts of one field and maker.
#[derive(Default)]
struct Tally {
    agree: usize,
    known: usize,
    differ: usize,
    missing: usize,
    invented: usize,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut folder = None;
    let mut only = None;
    let mut all = false;
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--field") => only = arguments.next().and_then(|name| name.into_string().ok()),
            Some("--all") => all = true,
            _ => folder = Some(PathBuf::from(argument)),
        }
    }
    let folder = folder.ok_or("usage: compare_exiftool FOLDER [--all] [--field NAME]")?;
    let fields = rules::fields();
    let known = rules::known();
    let types = rules::types();
    let theirs = exiftool(&folder, &fields)?;

    let mut table: BTreeMap<&str, BTreeMap<String, Tally>> = BTreeMap::new();
    let mut lines = Vec::new();
    let mut makers: BTreeMap<String, usize> = BTreeMap::new();
    for object in &theirs {
        let Some(path) = object.get("SourceFile").and_then(Value::as_str) else { continue };
        if rules::tag(object, "FileType").is_none_or(|name| !types.contains(&name)) {
            continue;
        }
        let Some(facts) = ours::read(Path::new(path)) else { continue };
        let maker = maker(object, &facts);
        *makers.entry(maker.clone()).or_default() += 1;
        for field in &fields {
            if only.as_ref().is_some_and(|name| *name != field.name) {
                continue;
            }
            let our = ours::value(&facts, &field.name);
            let their = field.theirs(object);
            let outcome = field.compare(our.as_deref(), their.as_deref());
            let tally = table.entry(&field.name).or_default().entry(maker.clone()).or_default();
            let reason = known.iter().find(|k| k.covers(path, &field.name)).map(|k| k.reason.as_str());
            match (outcome, reason) {
                (Outcome::Agree, _) => tally.agree += 1,
                (Outcome::Neither, _) => {}
                (_, Some(_)) => tally.known += 1,
                (Outcome::Differ, None) => tally.differ += 1,
                (Outcome::Missing, None) => tally.missing += 1,
                (Outcome::Invented, None) => tally.invented += 1,
            }
            if !matches!(outcome, Outcome::Agree | Outcome::Neither) && (reason.is_none() || all) {
                let mark = reason.map_or(String::new(), |reason| format!("  [known: {reason}]"));
                let (our, their) = (our.as_deref().unwrap_or("-"), their.as_deref().unwrap_or("-"));
                lines.push(format!("{outcome:?}\t{}\t{path}\tours: {our}\texiftool: {their}{mark}", field.name));
            }
        }
    }
    print_table(&table, &makers);
    lines.sort();
    println!("\n{} differences\n{}", lines.len(), lines.join("\n"));
    Ok(())
}

/// One run of ExifTool over the folder.
fn exiftool(folder: &Path, fields: &[Field]) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let mut tags: Vec<&str> = vec!["Make", "Orientation#", "Rotation#", "FileType", "GPSDateTime#"];
    tags.extend(fields.iter().flat_map(|f| f.tags.iter().map(String::as_str)));
    let mut command = Command::new("exiftool");
    command.args(["-r", "-q", "-q", "-json", "-G1", "-api", "largefilesupport=1"]);
    command.args(tags.iter().map(|tag| format!("-{tag}")));
    let output = command.arg(folder).output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The maker's first word, by which files are counted.
fn maker(object: &Value, facts: &lightfast_model::Facts) -> String {
    let make = rules::tag(object, "Make").or_else(|| facts.make.clone()).unwrap_or_default();
    make.split_whitespace().next().unwrap_or("(no maker)").to_ascii_uppercase()
}

/// Agreement by field and maker; makers with fewer than ten files share a column.
fn print_table(table: &BTreeMap<&str, BTreeMap<String, Tally>>, makers: &BTreeMap<String, usize>) {
    let large: Vec<&String> = makers.iter().filter(|&(_, &count)| count >= 10).map(|(maker, _)| maker).collect();
    print!("{:13}", "agree/have");
    for maker in &large {
        print!("{:>14}", format!("{}({})", &maker[..maker.len().min(9)], makers[*maker]));
    }
    println!("{:>14}{:>16}", "others", "all");
    let mut bad = Vec::new();
    for (field, row) in table {
        print!("{field:13}");
        let mut rest = Tally::default();
        let mut sum = Tally::default();
        for (maker, tally) in row {
            add(&mut sum, tally);
            if !large.contains(&maker) {
                add(&mut rest, tally);
            }
        }
        for maker in &large {
            let tally = row.get(*maker);
            print!("{:>14}", tally.map_or("-".to_owned(), shown));
            if let Some(tally) = tally.filter(|t| share(t) < 0.99 || t.invented > 0) {
                bad.push(format!("{field} {maker}: {:.1} %, {} invented", share(tally) * 100.0, tally.invented));
            }
        }
        println!("{:>14}{:>16}", shown(&rest), shown(&sum));
    }
    println!("\nbelow 99 % or with invented values, makers with at least ten files: {}", bad.len());
    for line in bad {
        println!("  {line}");
    }
}

fn add(sum: &mut Tally, more: &Tally) {
    sum.agree += more.agree;
    sum.known += more.known;
    sum.differ += more.differ;
    sum.missing += more.missing;
    sum.invented += more.invented;
}

fn have(tally: &Tally) -> usize {
    tally.agree + tally.differ + tally.missing
}

fn share(tally: &Tally) -> f64 {
    if have(tally) == 0 { 1.0 } else { tally.agree as f64 / have(tally) as f64 }
}

/// `agree/have`, then `+n` invented and `~n` known.
fn shown(tally: &Tally) -> String {
    let mut text = format!("{}/{}", tally.agree, have(tally));
    if tally.invented > 0 {
        text += &format!("+{}", tally.invented);
    }
    if tally.known > 0 {
        text += &format!("~{}", tally.known);
    }
    text
}
