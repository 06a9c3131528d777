//! The report of a benchmark for a terminal.

use std::fmt::Write as _;

use super::ablate::Ablation;
use super::cache::Dropped;
use super::programs::REFERENCE;
use super::report::{BenchReport, Row};
use super::stats::{NOISY_SHARE, Spread, Verdict};
use crate::trace::bytes_text;

/// Renders the report.
pub fn text(report: &BenchReport) -> String {
    let mut out = String::new();
    let m = &report.machine;
    let _ = writeln!(
        out,
        "{} ({} cores, {}), {}, kernel {}",
        m.processor,
        m.cores,
        bytes_text(m.memory),
        m.system,
        m.kernel
    );
    let _ = writeln!(out, "{}", card_line(report));
    let _ = writeln!(out, "{}", method(report));
    for n in 0..report.destinations.len() {
        let _ = writeln!(out, "\n{}", destination_line(report, n));
        let rows: Vec<&Row> = report.rows.iter().filter(|r| r.destination == n).collect();
        let width = rows.iter().map(|r| r.program.chars().count()).max().unwrap_or(0).max(8);
        let _ = write!(out, "{:<width$}", "");
        for (column, (title, wide)) in TITLES.iter().enumerate() {
            let _ = write!(out, "{}{title:>wide$}", if column == 0 { "  " } else { " " });
        }
        out.push('\n');
        for row in &rows {
            let _ = write!(out, "{:<width$} ", row.program);
            for (cell, (_, wide)) in cells(row, report.card.files).iter().zip(TITLES) {
                let _ = write!(out, " {cell:>wide$}");
            }
            out.push('\n');
        }
        for row in &rows {
            if let Some(line) = said(row) {
                let _ = writeln!(out, "  {}: {line}", row.program);
            }
        }
    }
    let _ = writeln!(
        out,
        "\nLatency of small things until all is durable, ms (idle: timer p50 {:.1}, p99 {:.1}, small file p50 {:.1}, p99 \
         {:.1})",
        report.idle.timer_p50, report.idle.timer_p99, report.idle.file_p50, report.idle.file_p99
    );
    for row in &report.rows {
        if let (Some(l), Some(d)) = (row.latency, report.destinations.get(row.destination)) {
            let _ = writeln!(
                out,
                "  {:<24} {:<30} timer p50 {:>5.1}  p99 {:>7.1}   small file p50 {:>7.1}  p99 {:>7.1}",
                d.name, row.program, l.timer_p50, l.timer_p99, l.file_p50, l.file_p99
            );
        }
    }
    for ablation in &report.ablations {
        out.push_str(&ablation_text(report, ablation));
    }
    for remark in &report.remarks {
        let _ = writeln!(out, "Note: {remark}");
    }
    out
}

/// What each part costs, one line each.
fn ablation_text(report: &BenchReport, ablation: &Ablation) -> String {
    let mut out = String::new();
    let name = report.destinations.get(ablation.destination).map_or("", |d| d.name.as_str());
    let whole = ablation.whole.median;
    let _ = writeln!(out, "\nWhat each part of {} costs, {name}: {whole:.2} s whole", ablation.program);
    let mut line = |what: &str, s: Spread| {
        let share = s.median / whole.max(1e-9) * 100.0;
        let _ = writeln!(out, "  {what:<34} {:>7.2} s ({:.2} to {:.2}), {share:.0} %", s.median, s.low, s.high);
    };
    if let Some(base) = ablation.base {
        line("copies only", base);
    }
    for part in &ablation.parts {
        line(&part.part, part.seconds);
    }
    let _ = match ablation.sum {
        Some(sum) => writeln!(
            out,
            "  all of these together: {:.0} % of the whole ({:.0} to {:.0})",
            sum.median * 100.0,
            sum.low * 100.0,
            sum.high * 100.0
        ),
        None => writeln!(out, "  a cost is what leaving the part out saves; parts overlap and need not add up"),
    };
    out
}

const TITLES: [(&str, usize); 12] = [
    ("ratio", 18),
    ("durable s", 10),
    ("exit s", 7),
    ("MB/s", 6),
    ("CPU s", 12),
    ("helper s", 8),
    ("memory", 9),
    ("read", 9),
    ("written", 9),
    ("outside", 9),
    ("staged", 6),
    ("complete", 9),
];

fn cells(row: &Row, files: u64) -> [String; 12] {
    let number = |value: Option<f64>, digits: usize| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"));
    let middle = |spread: Option<Spread>| spread.map(|s| s.median);
    let done = row.durable_seconds.is_some();
    let of = |n: u64| if done { bytes_text(n) } else { "-".to_owned() };
    [
        row.ratio.map_or_else(|| "-".to_owned(), ratio),
        number(middle(row.durable_seconds), 2),
        number(middle(row.exit_seconds), 2),
        number(row.megabytes_per_second, 0),
        match (row.user_seconds, row.system_seconds) {
            (Some(user), Some(system)) => format!("{user:.1}+{system:.1}"),
            _ => "-".to_owned(),
        },
        number(row.helper_seconds.filter(|s| *s > 0.0), 1),
        of(row.peak_memory),
        of(row.read + row.helper_read),
        of(row.written + row.helper_written),
        row.traced.as_ref().map_or_else(|| "-".to_owned(), |t| bytes_text(t.outside)),
        row.traced.as_ref().map_or_else(|| "-".to_owned(), |t| t.staged_files.to_string()),
        format!("{}/{files}", row.complete),
    ]
}

/// `1.02 (0.98 to 1.10)`.
pub(crate) fn ratio(spread: Spread) -> String {
    format!("{:.2} ({:.2}–{:.2})", spread.median, spread.low, spread.high)
}

/// What may be said of a row in words; nothing of the reference.
pub(crate) fn said(row: &Row) -> Option<String> {
    let mut parts = Vec::new();
    match row.verdict {
        Verdict::Reference => {}
        Verdict::Faster => parts.push("faster than the copy in every round".to_owned()),
        Verdict::Slower => parts.push("slower than the copy in every round".to_owned()),
        Verdict::Same => parts.push("no difference to the copy was shown".to_owned()),
        Verdict::TooNoisy => parts.push(format!("too noisy for a verdict ({})", noise(row))),
        Verdict::TooFewRounds => parts.push("too few rounds for a verdict".to_owned()),
        Verdict::Failed => {
            parts.push(format!("failed: {}", row.failure.as_deref().unwrap_or("it did not finish the work")));
        }
    }
    if let Some(traced) = row.traced.as_ref().filter(|t| t.staged_files > 0) {
        parts.push(format!(
            "{} files staged, {} written and read back for it",
            traced.staged_files,
            bytes_text(traced.staged_bytes)
        ));
    }
    if let Some(slowdown) = row.slowdown {
        parts.push(format!("{:+.0} % time under the tracer", slowdown * 100.0));
    }
    if let Some(seconds) = row.first_thumbnail_seconds {
        parts.push(format!("first thumbnail after {seconds:.2} s"));
    }
    if let Some(previews) = row.previews_seconds {
        parts.push(format!("1:1 previews {:.1} s ({:.1}–{:.1})", previews.median, previews.low, previews.high));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What made a row's rounds useless: other programs, or the rounds themselves.
fn noise(row: &Row) -> String {
    match (row.ratio, row.durable_seconds) {
        _ if row.others > NOISY_SHARE => {
            format!("other programs used up to {:.0} % of the machine", row.others * 100.0)
        }
        (Some(ratio), _) if row.program != REFERENCE => {
            format!("its rounds lie apart: {:.2} to {:.2} times the copy", ratio.low, ratio.high)
        }
        (_, Some(seconds)) => format!("its rounds lie apart: {:.2} to {:.2} s", seconds.low, seconds.high),
        _ => "its rounds lie apart".to_owned(),
    }
}

pub(crate) fn card_line(report: &BenchReport) -> String {
    let card = &report.card;
    let made = report.card_made.map_or_else(String::new, |m| {
        format!(", made with {} RAW files of {} MP, seed {}", m.files, m.megapixels, m.seed)
    });
    let speed = report.card_speed.map_or_else(String::new, |s| format!(", read at {}/s at most", bytes_text(s)));
    format!("Card: {} files, {}{made}{speed}", card.files, bytes_text(card.bytes))
}

pub(crate) fn method(report: &BenchReport) -> String {
    let caches = match report.dropped {
        Dropped::Everything => "all caches dropped before each",
        Dropped::CardOnly => "the card's pages dropped before each (all caches only as root)",
        Dropped::Nothing => "caches could not be dropped",
    };
    format!(
        "{} rounds after one thrown away, programs in rotating order, {caches}, sync inside the time; a ratio is to cp -a in \
         the same round, median (lowest–highest)",
        report.rounds
    )
}

pub(crate) fn destination_line(report: &BenchReport, n: usize) -> String {
    let Some(d) = report.destinations.get(n) else { return String::new() };
    let mut line = format!("Destination {}: {} on {}", d.name, d.disk.kind, d.disk.source);
    if let Some(scheduler) = d.under.as_ref().unwrap_or(&d.disk).scheduler.as_deref() {
        let _ = write!(line, ", scheduler {scheduler}");
    }
    if let Some(under) = &d.under {
        let _ = write!(line, ", over {}", under.kind);
    }
    line
}
