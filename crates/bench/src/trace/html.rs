//! The report of a trace as one self-contained page.

use lightfast_model::BytePath;

use super::report::{Evidence, Place, Totals, TraceReport};
use super::text::bytes;
use crate::page::{Bar, Bars, Curve, Curves, Page};

/// Rows of a table at most; the JSON has all.
const ROWS: usize = 100;

/// Renders the page.
pub fn html(report: &TraceReport) -> String {
    let mut page = Page::new("What the program read and wrote");
    page.code(&report.command.join(" "));
    page.paragraph(&format!(
        "{:.1} s under trace, {} system calls. The tracer itself took {:.1} s of CPU: these times are no timings.",
        report.seconds, report.calls, report.tracer_seconds
    ));
    page.raw(&places(report).figure());
    for curves in timelines(report) {
        page.raw(&curves.figure());
    }
    page.heading("By file system");
    page.table(
        &HEAD_SYSTEM,
        &rows(
            report.file_systems.iter().map(|f| (format!("{} ({} on {})", f.path.shown(), f.kind, f.source), f.totals)),
        ),
    );
    page.heading("By folder");
    page.table(&HEAD_FOLDER, &rows(report.folders.iter().map(|f| (folder_name(f.place, &f.path), f.totals))));
    page.heading("By process");
    page.table(&HEAD_PROCESS, &rows(report.processes.iter().map(|p| (format!("{} ({})", p.name, p.pid), p.totals))));
    staging(&mut page, report);
    page.heading("Remarks");
    let mut remarks = report.notes.clone();
    let r = &report.renames;
    remarks.push(format!(
        "renames: {} within a folder, {} across folders ({} into the destination), {} refused across file systems, {} hard links",
        r.within_folder, r.across_folders, r.into_destination, r.across_file_systems_refused, r.links
    ));
    remarks.extend(report.not_counted.iter().map(|line| format!("not counted: {line}")));
    page.list(&remarks);
    page.finish()
}

const HEAD_SYSTEM: [&str; 8] = [
    "File system",
    "Files read",
    "Read",
    "Files written",
    "Written",
    "Copied in the kernel",
    "Syncs",
    "Seconds in syncs",
];
const HEAD_FOLDER: [&str; 8] =
    ["Folder", "Files read", "Read", "Files written", "Written", "Copied in the kernel", "Syncs", "Seconds in syncs"];
const HEAD_PROCESS: [&str; 8] =
    ["Process", "Files read", "Read", "Files written", "Written", "Copied in the kernel", "Syncs", "Seconds in syncs"];

fn rows(all: impl Iterator<Item = (String, Totals)>) -> Vec<Vec<String>> {
    all.filter(|(_, t)| t.bytes_out() + t.bytes_in() + t.syncs > 0)
        .take(ROWS)
        .map(|(name, t)| {
            let in_kernel = if t.copied_in > 0 { t.copied_in } else { t.copied_out };
            vec![
                name,
                t.files_read.to_string(),
                bytes(t.read),
                t.files_written.to_string(),
                bytes(t.written),
                bytes(in_kernel),
                t.syncs.to_string(),
                format!("{:.2}", t.sync_seconds),
            ]
        })
        .collect()
}

fn folder_name(place: Place, path: &BytePath) -> String {
    match place {
        Place::Destination => format!("{} [destination]", path.shown()),
        Place::Outside => path.shown(),
        Place::System => "programs and settings".to_owned(),
    }
}

fn places(report: &TraceReport) -> Bars {
    let megabytes = |n: u64| n as f64 / 1e6;
    let shown = |t: &Totals| t.bytes_out() + t.bytes_in() > 0;
    let bars = report.folders.iter().filter(|f| shown(&f.totals)).take(12).map(|f| Bar {
        label: folder_name(f.place, &f.path),
        parts: vec![
            (0, megabytes(f.totals.read)),
            (1, megabytes(f.totals.written)),
            (2, megabytes(f.totals.copied_out)),
            (3, megabytes(f.totals.copied_in)),
        ],
        spread: None,
        note: format!("{:.1} MB", megabytes(f.totals.bytes_out() + f.totals.bytes_in())),
    });
    let series = ["read", "written", "copied out in the kernel", "copied in by the kernel"];
    Bars {
        title: "Bytes by place".into(),
        unit: "MB".into(),
        series: series.map(String::from).to_vec(),
        bars: bars.collect(),
    }
}

fn timelines(report: &TraceReport) -> [Curves; 2] {
    let step = report.timeline.slice_seconds;
    let rate = |values: &[u64]| values.iter().map(|&v| v as f64 / 1e6 / step.max(1e-9)).collect::<Vec<_>>();
    let chart = |title: &str, pick: fn(&super::report::Series) -> &Vec<u64>| Curves {
        title: title.to_owned(),
        unit: "MB/s".into(),
        step_seconds: step,
        curves: report
            .timeline
            .series
            .iter()
            .enumerate()
            .filter(|(_, s)| pick(s).iter().any(|&v| v > 0))
            .map(|(series, s)| Curve { name: s.path.shown(), series, values: rate(pick(s)) })
            .collect(),
    };
    [chart("Read over time, by folder", |s| &s.out), chart("Written over time, by folder", |s| &s.into)]
}

fn staging(page: &mut Page, report: &TraceReport) {
    page.heading("Staging");
    let s = &report.staging;
    if s.files == 0 {
        page.paragraph("None: no file went another way before it reached its destination.");
        return;
    }
    page.paragraph(&format!(
        "{} files were written elsewhere before their content came to its destination: {} written and {} read back for it.",
        s.files,
        bytes(s.written),
        bytes(s.read_back)
    ));
    let rows: Vec<Vec<String>> = s
        .list
        .iter()
        .take(ROWS)
        .map(|f| {
            let how = match f.evidence {
                Evidence::Renamed => "renamed in",
                Evidence::InKernel => "copied by the kernel",
                Evidence::Content => "same content",
                Evidence::Order => "same size, in order",
            };
            vec![f.staged.shown(), f.destination.shown(), bytes(f.written), bytes(f.read_back), how.to_owned()]
        })
        .collect();
    page.table(&["Written first to", "Came to", "Written", "Read back", "Known by"], &rows);
}
