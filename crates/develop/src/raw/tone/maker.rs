//! Looks of makers, for a file whose own JPEG says nothing.
//!
//! They are data, learned from files that hold both a RAW and the camera's JPEG (`examples/look.rs --learn`); so far from
//! Canon's alone. The table (`makers.tsv`) has one line a maker: the word that its name holds, the nine
//! parts of the colour correction, and the heights of one curve for all channels, in
//! thousandths. The line of `*` is the general one, for makers that are not listed.

use super::{Curve, Look, STEPS};
use crate::raw::colour::Matrix;

const TABLE: &str = include_str!("makers.tsv");

/// The look of a camera's maker, and whether it is the maker's own.
pub(crate) fn of(make: &str) -> (Look, bool) {
    let make = make.to_lowercase();
    let mut general = None;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, numbers)) = line.split_once('\t') else { continue };
        if name == "*" {
            general = general.or_else(|| parse(numbers));
        } else if make.contains(name)
            && let Some(look) = parse(numbers)
        {
            return (look, true);
        }
    }
    (general.unwrap_or_else(Look::linear), false)
}

/// A whole line; none for one that is not whole.
pub(crate) fn read(line: &str) -> Option<Look> {
    parse(line.split_once('\t')?.1)
}

/// A line without its name; none for one that is not whole.
fn parse(numbers: &str) -> Option<Look> {
    let mut values = numbers.split_ascii_whitespace().map(|word| word.parse::<f32>().ok().map(|v| v / 1000.0));
    let mut mix: Matrix = [[0.0; 3]; 3];
    for part in mix.iter_mut().flatten() {
        *part = values.next()??;
    }
    let mut heights = [0.0; STEPS + 1];
    for height in &mut heights {
        *height = values.next()??;
    }
    let curve = Curve(heights);
    Some(Look { mix, curves: [curve.clone(), curve.clone(), curve] })
}

/// A look as a line of the table, its three curves as their mean.
pub(crate) fn line(name: &str, look: &Look) -> String {
    let thousandths = |v: f32| format!(" {}", (v * 1000.0).round() as i32);
    let mix: String = look.mix.iter().flatten().copied().map(thousandths).collect();
    let mean = |k: usize| look.curves.iter().filter_map(|curve| curve.0.get(k)).sum::<f32>() / 3.0;
    let heights: String = (0..=STEPS).map(mean).map(thousandths).collect();
    format!("{name}\t{}{heights}", mix.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_whole_rises_and_keeps_neutral_neutral() {
        let mut lines = 0;
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (name, numbers) = line.split_once('\t').unwrap();
            assert_eq!(name, name.to_lowercase());
            let look = parse(numbers).unwrap_or_else(|| panic!("{name}"));
            for row in look.mix {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 0.003, "{name}: {row:?}");
            }
            let heights = look.curves[0].0;
            assert!(heights.windows(2).all(|pair| pair[0] <= pair[1]), "{name}");
            assert!(heights[0] < 0.05 && heights[STEPS] == 1.0, "{name}");
            lines += 1;
        }
        assert!(lines > 0 && TABLE.contains("\n*\t"));
    }

    #[test]
    fn makers_are_found_by_a_word_of_their_name_and_others_get_the_general_look() {
        let (general, own) = of("Nobody");
        assert!(!own && general != Look::linear());
        let (canon, own) = of("Canon Inc.");
        assert!(own && canon != general);
    }

    #[test]
    fn a_look_written_as_a_line_is_read_back() {
        let (look, _) = of("*");
        let line = line("x", &look);
        assert_eq!(parse(line.split_once('\t').unwrap().1), Some(look));
        assert_eq!(parse("1 2 3"), None);
    }
}
