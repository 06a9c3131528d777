//! From transfers to rows: medians, ratios within a round, verdicts.

use std::collections::BTreeMap;

use super::measure::Transfer;
use super::probe::Latency;
use super::programs::REFERENCE;
use super::report::{Round, Row, Traced};
use super::stats::{Spread, Verdict, quantile, verdict};

/// The row of one program on one destination. `bytes` and `files` are the card's.
pub(crate) fn row(
    rounds: &[&Round],
    destination: usize,
    program: &str,
    traced: Option<Traced>,
    failed_first: Option<String>,
    (files, bytes): (u64, u64),
) -> Row {
    let good: Vec<&Transfer> =
        rounds.iter().filter(|r| r.transfer.failure.is_none() && r.complete >= files).map(|r| &r.transfer).collect();
    let ratios = rounds.iter().filter(|r| r.transfer.failure.is_none() && r.complete >= files);
    let ratios: Vec<f64> = ratios.filter_map(|r| Some(r.transfer.durable_seconds / r.reference_seconds?)).collect();
    let all = |of: fn(&Transfer) -> f64| -> Vec<f64> { good.iter().map(|t| of(t)).collect() };
    let median = |of: fn(&Transfer) -> f64| Spread::of(&all(of)).map(|s| s.median);
    let middle = |of: fn(&Transfer) -> u64| -> u64 {
        let mut values: Vec<f64> = good.iter().map(|t| of(t) as f64).collect();
        values.sort_by(f64::total_cmp);
        quantile(&values, 0.5).map_or(0, |v| v as u64)
    };
    let most = |of: fn(&Transfer) -> u64| good.iter().map(|t| of(t)).max().unwrap_or(0);
    let some = |of: fn(&Transfer) -> Option<f64>| -> Vec<f64> { good.iter().filter_map(|t| of(t)).collect() };
    let others = good.iter().map(|t| t.others).fold(0.0, f64::max);
    let complete = rounds.iter().map(|r| r.complete).min().unwrap_or(0);
    let missing = || {
        let short = rounds.iter().find(|r| r.complete < files)?;
        Some(format!("only {} of {files} files arrived whole", short.complete))
    };
    let failure = rounds.iter().find_map(|r| r.transfer.failure.clone()).or_else(missing).or(failed_first);
    let ratio = Spread::of(&ratios);
    let durable_seconds = Spread::of(&all(|t| t.durable_seconds));
    let steady = durable_seconds.is_none_or(|s| s.high <= s.low * 2.0);
    Row {
        destination,
        program: program.to_owned(),
        verdict: match (&ratio, &failure) {
            (_, Some(_)) => Verdict::Failed,
            (Some(ratio), None) if program != REFERENCE => verdict(ratio, others),
            (_, None) if program == REFERENCE && !steady => Verdict::TooNoisy,
            (_, None) if program == REFERENCE => Verdict::Reference,
            (_, None) => Verdict::TooFewRounds,
        },
        ratio,
        megabytes_per_second: durable_seconds.map(|s| bytes as f64 / 1e6 / s.median.max(1e-9)),
        durable_seconds,
        slowdown: traced
            .as_ref()
            .and_then(|t| Some(t.seconds / median(|t| t.exit_seconds)? - 1.0))
            .filter(|s| s.is_finite()),
        exit_seconds: Spread::of(&all(|t| t.exit_seconds)),
        user_seconds: median(|t| t.user_seconds),
        system_seconds: median(|t| t.system_seconds),
        helper_seconds: median(|t| t.helper_seconds),
        peak_memory: most(|t| t.peak_memory),
        helper_peak_memory: most(|t| t.samples.helper_peak_memory),
        read: middle(|t| t.read),
        written: middle(|t| t.written),
        helper_read: middle(|t| t.helper_read),
        helper_written: middle(|t| t.helper_written),
        traced,
        complete,
        first_thumbnail_seconds: Spread::of(&some(|t| t.own.first_thumbnail_seconds)).map(|s| s.median),
        previews_seconds: Spread::of(&some(|t| t.own.previews_seconds)),
        latency: latency(&good),
        stages: stages(&good),
        others,
        failure,
    }
}

/// Medians of the medians, and of the hundredths.
fn latency(transfers: &[&Transfer]) -> Option<Latency> {
    let of = |pick: fn(&Latency) -> f64| {
        Spread::of(&transfers.iter().map(|t| pick(&t.latency)).collect::<Vec<_>>()).map(|s| s.median)
    };
    Some(Latency {
        timer_p50: of(|l| l.timer_p50)?,
        timer_p99: of(|l| l.timer_p99)?,
        file_p50: of(|l| l.file_p50)?,
        file_p99: of(|l| l.file_p99)?,
        files: transfers.iter().map(|t| t.latency.files).sum(),
    })
}

fn stages(transfers: &[&Transfer]) -> BTreeMap<String, f64> {
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (stage, seconds) in transfers.iter().flat_map(|t| &t.own.stages) {
        values.entry(stage.clone()).or_default().push(*seconds);
    }
    values.into_iter().filter_map(|(stage, v)| Some((stage, Spread::of(&v)?.median))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(seconds: f64, reference: f64, complete: u64) -> Round {
        Round {
            round: 1,
            destination: 0,
            program: "x".into(),
            complete,
            reference_seconds: Some(reference),
            transfer: Transfer { durable_seconds: seconds, ..Transfer::default() },
        }
    }

    #[test]
    fn ratios_are_taken_within_a_round() {
        let rounds = [round(2.0, 2.0, 5), round(4.0, 4.0, 5), round(3.3, 3.0, 5)];
        let row = row(&rounds.iter().collect::<Vec<_>>(), 0, "x", None, None, (5, 30_000_000));
        assert_eq!(row.ratio.map(|r| r.median), Some(1.0));
        assert_eq!(row.verdict, Verdict::Same);
        assert_eq!(row.megabytes_per_second.map(f64::round), Some(9.0));
    }

    #[test]
    fn a_program_that_loses_a_file_gets_no_ratio_for_that_round() {
        let rounds = [round(1.0, 2.0, 4), round(2.2, 2.0, 5)];
        let row = row(&rounds.iter().collect::<Vec<_>>(), 0, "x", None, None, (5, 1));
        assert_eq!(row.verdict, Verdict::Failed);
        assert_eq!(row.failure.as_deref(), Some("only 4 of 5 files arrived whole"));
        assert_eq!(row.ratio.map(|r| r.rounds), Some(1));
    }

    #[test]
    fn a_quiet_machine_is_not_blamed_for_rounds_that_lie_apart() {
        let mut rounds = [round(1.0, 2.0, 5), round(2.0, 2.0, 5)];
        let said = |rounds: &[Round]| {
            let row = row(&rounds.iter().collect::<Vec<_>>(), 0, "x", None, None, (5, 1));
            super::super::text::said(&row)
        };
        let apart = "too noisy for a verdict (its rounds lie apart: 0.50 to 1.00 times the copy)";
        assert_eq!(said(&rounds).as_deref(), Some(apart));
        rounds[0].transfer.others = 0.4;
        let busy = "too noisy for a verdict (other programs used up to 40 % of the machine)";
        assert_eq!(said(&rounds).as_deref(), Some(busy));
    }
}
