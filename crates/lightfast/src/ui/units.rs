//! Bytes, speeds, times and counts as people read them: three figures, decimal units as on a card's label.

/// Units of 1000, as card and disk makers count.
const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];

/// `2.70 GB`, `23.4 MB`, `512 B`.
pub(crate) fn bytes(value: u64) -> String {
    let (number, unit) = scaled(value, unit_of(value));
    format!("{number} {unit}")
}

/// The number alone, in the unit of `total`: the `1.70` of `1.70 of 2.70 GB`.
fn bytes_of(value: u64, total: u64) -> String {
    let (number, _) = scaled(value, unit_of(total));
    number
}

/// `1.70 of 2.70 GB`.
pub(crate) fn of_total(value: u64, total: u64) -> String {
    format!("{} of {}", bytes_of(value, total), bytes(total))
}

/// `655 MB/s`.
pub(crate) fn rate(bytes_per_second: f64) -> String {
    if bytes_per_second.is_finite() && bytes_per_second >= 0.0 {
        format!("{}/s", bytes(bytes_per_second.round() as u64))
    } else {
        "- B/s".to_owned()
    }
}

/// `0.4 s`, `12 s`, `1 min 05 s`, `2 h 03 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "-".to_owned();
    }
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `1,234,567`.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn unit_of(value: u64) -> usize {
    let mut unit = 0;
    let mut limit = 1000u64;
    while value >= limit && unit + 1 < UNITS.len() {
        unit += 1;
        limit = limit.saturating_mul(1000);
    }
    unit
}

fn scaled(value: u64, unit: usize) -> (String, &'static str) {
    let name = UNITS.get(unit).copied().unwrap_or("B");
    if unit == 0 {
        return (value.to_string(), name);
    }
    let number = value as f64 / 1000f64.powi(unit as i32);
    let text = match number {
        n if n < 9.995 => format!("{n:.2}"),
        n if n < 99.95 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    };
    (text, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_three_figures() {
        let shown = [0, 512, 1000, 23_400_000, 655_432_100, 2_700_000_000, u64::MAX].map(bytes);
        assert_eq!(shown, ["0 B", "512 B", "1.00 kB", "23.4 MB", "655 MB", "2.70 GB", "18447 PB"]);
        assert_eq!(of_total(170_000_000, 2_700_000_000), "0.17 of 2.70 GB");
        assert_eq!(rate(655_432_100.4), "655 MB/s");
        assert_eq!(rate(f64::NAN), "- B/s");
    }

    #[test]
    fn durations_say_no_more_than_is_known() {
        let shown = [0.04, 4.13, 9.96, 59.4, 65.0, 7384.0, -1.0, f64::INFINITY].map(duration);
        assert_eq!(shown, ["0.0 s", "4.1 s", "10 s", "59 s", "1 min 05 s", "2 h 03 min", "-", "-"]);
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }
}
