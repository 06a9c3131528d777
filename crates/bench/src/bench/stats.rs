//! Medians, spreads, percentiles, and when to refuse a verdict.

use serde::{Deserialize, Serialize};

/// Several rounds of one figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Spread {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    pub rounds: usize,
}

impl Spread {
    /// Of these values; `None` of none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        Some(Self { median: quantile(&sorted, 0.5)?, low, high, rounds: sorted.len() })
    }
}

/// The value below which this share of sorted values lies, between neighbours by proportion.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (*sorted.get(at.floor() as usize)?, *sorted.get(at.ceil() as usize)?);
    Some(low + (high - low) * at.fract())
}

/// What may be said about a ratio to the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is what the others are compared with.
    Reference,
    /// Every round was faster than the reference.
    Faster,
    /// Every round was slower.
    Slower,
    /// Some rounds were faster, some slower: no difference was shown.
    Same,
    /// The rounds differ too much among themselves, or other programs had too much of the machine.
    TooNoisy,
    /// Fewer than two rounds count.
    TooFewRounds,
    /// It did not finish the work.
    Failed,
}

/// A ratio whose rounds lie farther apart than this (highest over lowest) says nothing.
pub(crate) const NOISY_RATIO: f64 = 1.35;
/// More of the machine than this used by others says nothing either.
pub(crate) const NOISY_SHARE: f64 = 0.15;

/// Judges a ratio; `others` is the share of the machine that programs not measured used.
pub(crate) fn verdict(ratio: &Spread, others: f64) -> Verdict {
    if ratio.rounds < 2 {
        Verdict::TooFewRounds
    } else if ratio.high > ratio.low * NOISY_RATIO || others > NOISY_SHARE {
        Verdict::TooNoisy
    } else if ratio.high < 1.0 {
        Verdict::Faster
    } else if ratio.low > 1.0 {
        Verdict::Slower
    } else {
        Verdict::Same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_lies_between_its_neighbours() {
        let spread = Spread::of(&[4.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!((spread.median, spread.low, spread.high, spread.rounds), (2.5, 1.0, 4.0, 4));
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(quantile(&[0.0, 10.0], 0.99), Some(9.9));
    }

    #[test]
    fn a_verdict_needs_rounds_that_agree_and_a_quiet_machine() {
        let of = |values: &[f64], others| verdict(&Spread::of(values).unwrap(), others);
        assert_eq!(of(&[0.9, 0.95, 0.99], 0.0), Verdict::Faster);
        assert_eq!(of(&[1.1, 1.2], 0.0), Verdict::Slower);
        assert_eq!(of(&[0.95, 1.05], 0.0), Verdict::Same);
        assert_eq!(of(&[0.8, 1.2], 0.0), Verdict::TooNoisy);
        assert_eq!(of(&[0.9, 0.95], 0.3), Verdict::TooNoisy);
        assert_eq!(of(&[0.9], 0.0), Verdict::TooFewRounds);
    }
}
