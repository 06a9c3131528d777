//! Counts, in one and two dimensions, against counts by hand.

use jiff::civil::date;
use lightfast_catalog::{Bucket, By, Query};

use crate::shelf::{File, Shelf, raw, today};

fn shelf() -> Shelf {
    let files: Vec<File> = (1..=6)
        .map(|n: u8| {
            let mut file = raw(n);
            file.taken = date(2009, if n < 4 { 7 } else { 8 }, 1).at(n as i8, 30, 0, 0);
            file.facts.iso_auto = [Some(true), Some(false), None][usize::from(n % 3)];
            file.facts.aperture = Some(if n == 1 { 2.828 } else { 11.0 });
            if n == 6 {
                file.facts.lens = None;
            }
            file
        })
        .collect();
    Shelf::with(&files)
}

fn shown(buckets: &[Bucket]) -> Vec<(String, u64)> {
    let word = |b: &Bucket| b.keys.iter().map(|k| k.as_deref().unwrap_or("?")).collect::<Vec<_>>().join(" ");
    buckets.iter().map(|b| (word(b), b.photos)).collect()
}

fn stats(query: &str, by: &[By]) -> Vec<(String, u64)> {
    shown(&shelf().catalog.stats(&Query::parse(query, today()).unwrap(), by).unwrap())
}

fn expect(found: Vec<(String, u64)>, expected: &[(&str, u64)]) {
    let found: Vec<(&str, u64)> = found.iter().map(|(k, n)| (k.as_str(), *n)).collect();
    assert_eq!(found, expected);
}

#[test]
fn one_dimension() {
    expect(stats("", &[By::Month]), &[("2009-07", 3), ("2009-08", 3)]);
    expect(stats("", &[By::Year]), &[("2009", 6)]);
    expect(stats("taken:2009-07", &[By::Hour]), &[("1", 1), ("2", 1), ("3", 1)]);
    expect(stats("", &[By::IsoMode]), &[("manual", 2), ("auto", 2), ("?", 2)]);
    expect(stats("", &[By::Aperture]), &[("2.8", 1), ("11.0", 5)]);
    expect(stats("", &[By::Focal]), &[("200", 6)]);
    expect(stats("", &[By::Iso]), &[("1600", 6)]);
    expect(stats("", &[By::Lens]), &[("EF70-200mm f/4L USM", 5), ("?", 1)]);
    expect(stats("", &[By::Camera]), &[("Canon EOS 5D Mark II", 6)]);
    expect(stats("nothing-like-it", &[By::Camera]), &[]);
}

#[test]
fn two_dimensions() {
    expect(
        stats("", &[By::IsoMode, By::Month]),
        &[
            ("manual 2009-07", 1),
            ("manual 2009-08", 1),
            ("auto 2009-07", 1),
            ("auto 2009-08", 1),
            ("? 2009-07", 1),
            ("? 2009-08", 1),
        ],
    );
}

#[test]
fn words_of_the_command_line_are_read_back() {
    for by in By::ALL {
        assert_eq!(By::parse(by.as_str()), Some(by));
    }
    assert_eq!(By::parse("colour"), None);
}
