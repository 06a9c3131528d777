//! The report of a benchmark as one self-contained page.

use super::ablate::Ablation;
use super::report::{BenchReport, Row};
use super::stats::{Spread, Verdict};
use super::text::{card_line, destination_line, method, ratio, said};
use crate::page::{Bar, Bars, Curve, Curves, Page};
use crate::trace::bytes_text;

/// Renders the page.
pub fn html(report: &BenchReport) -> String {
    let mut page = Page::new("Import against copy");
    let m = &report.machine;
    page.paragraph(&format!(
        "{}: {} ({} cores, {} of memory), {}, kernel {}.",
        report.made_at,
        m.processor,
        m.cores,
        bytes_text(m.memory),
        m.system,
        m.kernel
    ));
    page.paragraph(&format!("{}. {}.", card_line(report), method(report)));
    page.code(&report.command.join(" "));
    if report.destinations.len() > 1 {
        page.raw(&overview(report).figure());
    }
    for (n, destination) in report.destinations.iter().enumerate() {
        page.heading(&destination_line(report, n));
        let rows: Vec<&Row> = report.rows.iter().filter(|r| r.destination == n).collect();
        page.raw(&times(&rows, &destination.name).figure());
        page.table(&HEAD, &rows.iter().map(|r| cells(r, report.card.files)).collect::<Vec<_>>());
        let remarks = rows.iter().filter_map(|r| Some(format!("{}: {}", r.program, said(r)?)));
        page.list(&remarks.collect::<Vec<_>>());
        page.raw(&bytes_by_place(&rows, &destination.name).figure());
        page.raw(&stages(&rows, &destination.name).figure());
        page.raw(&latency(report, &rows, &destination.name).figure());
        for ablation in report.ablations.iter().filter(|a| a.destination == n) {
            page.raw(&costs(ablation, &destination.name).figure());
        }
        for row in rows.iter().filter(|r| report.ablations.is_empty() || r.verdict == Verdict::Reference) {
            page.raw(&cpu(report, n, &row.program, &destination.name).figure());
        }
    }
    page.heading("To repeat it");
    page.list(&report.versions.values().cloned().collect::<Vec<_>>());
    page.paragraph(&format!("Content of the card: {}", report.card.digest));
    page.list(&report.remarks);
    page.finish()
}

const HEAD: [&str; 13] = [
    "Program",
    "Ratio",
    "Durable s",
    "Exit s",
    "MB/s",
    "User s",
    "System s",
    "Helper s",
    "Memory",
    "Read",
    "Written",
    "Outside",
    "Complete",
];

fn cells(row: &Row, files: u64) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| format!("{v:.2}"));
    vec![
        row.program.clone(),
        row.ratio.map_or_else(|| "–".to_owned(), ratio),
        number(row.durable_seconds.map(|s| s.median)),
        number(row.exit_seconds.map(|s| s.median)),
        row.megabytes_per_second.map_or_else(|| "–".to_owned(), |v| format!("{v:.0}")),
        number(row.user_seconds),
        number(row.system_seconds),
        number(row.helper_seconds),
        bytes_text(row.peak_memory),
        bytes_text(row.read + row.helper_read),
        bytes_text(row.written + row.helper_written),
        row.traced.as_ref().map_or_else(|| "–".to_owned(), |t| bytes_text(t.outside)),
        format!("{} of {files}", row.complete),
    ]
}

fn times(rows: &[&Row], destination: &str) -> Bars {
    let bars = rows.iter().filter_map(|row| {
        let (exit, durable) = (row.exit_seconds?, row.durable_seconds?);
        Some(Bar {
            label: row.program.clone(),
            parts: vec![(0, exit.median.min(durable.median)), (1, (durable.median - exit.median).max(0.0))],
            spread: Some((durable.low, durable.high)),
            note: format!("{:.1} s", durable.median),
        })
    });
    Bars {
        title: format!("Time to {destination}; the line is from the fastest round to the slowest"),
        unit: "seconds".into(),
        series: vec!["until the program said it was done".into(), "until everything was on the disk".into()],
        bars: bars.collect(),
    }
}

/// Import against copy by destination: the ratio to the copy on the same disk.
fn overview(report: &BenchReport) -> Bars {
    let bars = report.rows.iter().filter_map(|row| {
        let destination = report.destinations.get(row.destination)?;
        let seconds = row.durable_seconds?;
        Some(Bar {
            label: format!("{}: {}", destination.name, row.program),
            parts: vec![(row.destination, seconds.median)],
            spread: Some((seconds.low, seconds.high)),
            note: row.ratio.map_or_else(String::new, |r| format!("{:.2} × the copy", r.median)),
        })
    });
    Bars {
        title: "Import against copy, by destination".into(),
        unit: "seconds until everything was on the disk".into(),
        series: report.destinations.iter().map(|d| d.name.clone()).collect(),
        bars: bars.collect(),
    }
}

/// What each part costs.
fn costs(ablation: &Ablation, destination: &str) -> Bars {
    let bar = |label: &str, s: Spread| Bar {
        label: label.to_owned(),
        parts: vec![(4, s.median.max(0.0))],
        spread: (s.low >= 0.0).then_some((s.low, s.high)),
        note: format!("{:.2} s", s.median),
    };
    let mut bars = vec![bar("all of it", ablation.whole)];
    bars.extend(ablation.base.map(|base| bar("copies only", base)));
    bars.extend(ablation.parts.iter().map(|part| bar(&part.part, part.seconds)));
    Bars {
        title: format!("What each part of {} costs, {destination}", ablation.program),
        unit: "seconds".into(),
        series: Vec::new(),
        bars,
    }
}

fn bytes_by_place(rows: &[&Row], destination: &str) -> Bars {
    let mb = |n: u64| n as f64 / 1e6;
    let bars = rows.iter().filter(|r| r.durable_seconds.is_some()).map(|row| {
        let outside = row.traced.as_ref().map_or(0, |t| t.outside);
        let written = row.written + row.helper_written;
        Bar {
            label: row.program.clone(),
            parts: vec![
                (2, mb(row.read + row.helper_read)),
                (3, mb(written.saturating_sub(outside))),
                (6, mb(outside)),
            ],
            spread: None,
            note: format!("{} outside", bytes_text(outside)),
        }
    });
    Bars {
        title: format!("Bytes read from and written to disks, {destination}"),
        unit: "MB".into(),
        series: [(2, "read"), (3, "written"), (6, "written outside the destination")].into_iter().fold(
            vec![String::new(); 7],
            |mut all, (n, name)| {
                if let Some(slot) = all.get_mut(n) {
                    name.clone_into(slot);
                }
                all
            },
        ),
        bars: bars.collect(),
    }
}

/// Where the time goes, by the program's own account. Its stages overlap, so each is a bar of its own.
fn stages(rows: &[&Row], destination: &str) -> Bars {
    let mut bars = Vec::new();
    for row in rows {
        for (stage, &seconds) in row.stages.iter().filter(|(_, s)| **s > 0.005) {
            bars.push(Bar {
                label: format!("{}: {stage}", row.program),
                parts: vec![(4, seconds)],
                spread: None,
                note: format!("{seconds:.2} s"),
            });
        }
    }
    Bars {
        title: format!("Where the time goes, {destination}; stages overlap and add up to more than the whole"),
        unit: "seconds busy".into(),
        series: Vec::new(),
        bars,
    }
}

fn latency(report: &BenchReport, rows: &[&Row], destination: &str) -> Bars {
    let bar = |label: &str, file: f64, timer: f64| Bar {
        label: label.to_owned(),
        parts: vec![(5, file)],
        spread: None,
        note: format!("{file:.1} ms, timer {timer:.1} ms"),
    };
    let mut bars = vec![bar("idle", report.idle.file_p99, report.idle.timer_p99)];
    bars.extend(rows.iter().filter_map(|r| r.latency.map(|l| bar(&r.program, l.file_p99, l.timer_p99))));
    Bars {
        title: format!("How long another program waits for a small file, one time in a hundred, {destination}"),
        unit: "milliseconds (p99)".into(),
        series: Vec::new(),
        bars,
    }
}

/// CPU by process over time, of the last round.
fn cpu(report: &BenchReport, destination: usize, program: &str, name: &str) -> Curves {
    let last = report.transfers.iter().rfind(|r| r.destination == destination && r.program == program);
    let samples = last.map(|r| &r.transfer.samples);
    let curves = samples.into_iter().flat_map(|s| &s.cpu).filter(|(_, v)| v.iter().sum::<f64>() > 0.5);
    Curves {
        title: format!("CPU over time: {program}, {name}"),
        unit: "cores".into(),
        step_seconds: samples.map_or(0.0, |s| s.step_seconds),
        curves: curves
            .enumerate()
            .map(|(series, (process, values))| Curve { name: process.clone(), series, values: values.clone() })
            .collect(),
    }
}
