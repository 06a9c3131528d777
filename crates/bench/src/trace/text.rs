//! The report of a trace for a terminal: tables of plain text, no colour, no wider than it needs to be.

use std::fmt::Write as _;

use lightfast_model::BytePath;

use super::report::{Evidence, Place, Series, Totals, TraceReport};

/// Rows of a table at most; the JSON has all.
const ROWS: usize = 16;

/// Renders the report.
pub fn text(report: &TraceReport) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Traced: {}\n{:.1} s under trace, {} system calls; the tracer itself took {:.1} s of CPU, so this is no timing",
        report.command.join(" "),
        report.seconds,
        report.calls,
        report.tracer_seconds
    );
    table(
        &mut out,
        "File system",
        report.file_systems.iter().map(|f| (format!("{} ({} on {})", f.path.shown(), f.kind, f.source), f.totals)),
    );
    table(
        &mut out,
        "Folder",
        report.folders.iter().map(|f| {
            let name = match f.place {
                Place::Destination => format!("{}  [destination]", f.path.shown()),
                Place::Outside => f.path.shown(),
                Place::System => "programs and settings".to_owned(),
            };
            (name, f.totals)
        }),
    );
    table(&mut out, "Process", report.processes.iter().map(|p| (format!("{} ({})", p.name, p.pid), p.totals)));
    renames(&mut out, report);
    staging(&mut out, report);
    for line in &report.notes {
        let _ = writeln!(out, "Note: {line}");
    }
    for line in &report.not_counted {
        let _ = writeln!(out, "Not counted: {line}");
    }
    timeline(&mut out, report);
    out
}

fn table(out: &mut String, title: &str, rows: impl Iterator<Item = (String, Totals)>) {
    let rows: Vec<_> = rows.filter(|(_, t)| t.bytes_out() + t.bytes_in() + t.syncs > 0).collect();
    let width = rows.iter().take(ROWS).map(|(name, _)| name.chars().count()).max().unwrap_or(0).clamp(12, 64);
    let head = ["files read", "read", "files written", "written", "in kernel", "syncs"];
    let _ = write!(out, "\n{title:<width$}");
    for column in head {
        let _ = write!(out, "  {column:>13}");
    }
    out.push('\n');
    for (name, t) in rows.iter().take(ROWS) {
        let in_kernel = if t.copied_in > 0 { t.copied_in } else { t.copied_out };
        let _ = write!(out, "{:<width$}", shortened(name, width));
        let cells = [
            t.files_read.to_string(),
            bytes(t.read),
            t.files_written.to_string(),
            bytes(t.written),
            bytes(in_kernel),
            t.syncs.to_string(),
        ];
        for cell in cells {
            let _ = write!(out, "  {cell:>13}");
        }
        out.push('\n');
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "… and {} more (see --json)", rows.len() - ROWS);
    }
}

fn renames(out: &mut String, report: &TraceReport) {
    let r = &report.renames;
    let _ = writeln!(
        out,
        "\nRenamed: {} within a folder, {} across folders ({} into the destination), {} refused across file systems; {} \
         hard links",
        r.within_folder, r.across_folders, r.into_destination, r.across_file_systems_refused, r.links
    );
}

fn staging(out: &mut String, report: &TraceReport) {
    let s = &report.staging;
    if s.files == 0 {
        let what = if report.dest.is_some() { "written outside the destination first" } else { "staged and deleted" };
        let _ = writeln!(out, "Staging: none; no file was {what}");
        return;
    }
    let _ = writeln!(
        out,
        "Staging: {} files were written elsewhere first: {} written, {} read back",
        s.files,
        bytes(s.written),
        bytes(s.read_back)
    );
    for staged in s.list.iter().take(ROWS) {
        let how = match staged.evidence {
            Evidence::Renamed => "renamed in",
            Evidence::InKernel => "copied in by the kernel",
            Evidence::Content => "read back and rewritten: same content",
            Evidence::Order => "read back and rewritten: same size, in order",
        };
        let (from, to) = (staged.staged.shown(), staged.destination.shown());
        let _ = writeln!(out, "  {from} -> {to}  {} ({how})", bytes(staged.written + staged.read_back));
    }
    if s.list.len() > ROWS {
        let _ = writeln!(out, "  … and {} more (see --json)", s.list.len() - ROWS);
    }
}

fn timeline(out: &mut String, report: &TraceReport) {
    let all = &report.timeline.series;
    let length = all.iter().map(|s| s.out.len()).max().unwrap_or(0);
    if length < 2 {
        return;
    }
    let columns = length.min(60);
    let cell = |values: &[u64], column: usize| -> u64 {
        let range = (column * length / columns)..((column + 1) * length / columns);
        values.get(range).map_or(0, |slice| slice.iter().sum())
    };
    let line = |values: &[u64]| -> Vec<u64> { (0..columns).map(|column| cell(values, column)).collect() };
    let most = all.iter().flat_map(|s| line(&s.out).into_iter().chain(line(&s.into))).max().unwrap_or(0).max(1);
    let bar = |values: &[u64]| -> String { line(values).into_iter().map(|v| block(v, most)).collect() };
    let seconds = length as f64 * report.timeline.slice_seconds;
    let _ = writeln!(out, "\nTimeline, {seconds:.1} s from left to right, each mark up to {}", bytes(most));
    let row = |out: &mut String, path: &BytePath, what: &str, values: &[u64]| {
        if values.iter().any(|&v| v > 0) {
            let _ = writeln!(out, "{:<36} {what:<5} {}", shortened(&path.shown(), 36), bar(values));
        }
    };
    for Series { path, out: read, into } in all {
        row(out, path, "read", read);
        row(out, path, "write", into);
    }
}

fn block(value: u64, most: u64) -> char {
    const MARKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let level = if value == 0 { 0 } else { (value.saturating_mul(8)).div_ceil(most).clamp(1, 8) };
    usize::try_from(level).ok().and_then(|l| MARKS.get(l).copied()).unwrap_or(' ')
}

/// Keeps the end of a name that is too long: that is where paths differ.
fn shortened(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let tail: String = text.chars().skip(length - width + 1).collect();
    format!("…{tail}")
}

/// Bytes for a person: `0`, `512 B`, `24.0 kB`, `2.7 GB`.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0 => "0".to_owned(),
        1..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.2} GB", n as f64 / 1e9),
    }
}
