//! A person's quarter turns on top of what EXIF says.

/// Orientations by how often they are turned a quarter clockwise, unmirrored and mirrored.
const TURNS: [[u8; 4]; 2] = [[1, 6, 3, 8], [2, 7, 4, 5]];

/// The orientation (1 to 8) of pixels that need `orientation` and are then turned by `quarters` clockwise.
pub(crate) fn turned(orientation: u8, quarters: u8) -> u8 {
    for ring in &TURNS {
        if let Some(at) = ring.iter().position(|o| *o == orientation) {
            let to = (at + usize::from(quarters)) % 4;
            return ring.get(to).copied().unwrap_or(orientation);
        }
    }
    turned(1, quarters)
}

#[cfg(test)]
mod tests {
    use super::turned;

    /// A point of the unit square's corner grid, as EXIF's orientation moves it: (right, down) with the middle at 0.
    fn shown(orientation: u8, (x, y): (i32, i32)) -> (i32, i32) {
        match orientation {
            2 => (-x, y),
            3 => (-x, -y),
            4 => (x, -y),
            5 => (y, x),
            6 => (-y, x),
            7 => (-y, -x),
            8 => (y, -x),
            _ => (x, y),
        }
    }

    #[test]
    fn a_turn_is_what_the_eye_sees_turned_clockwise() {
        for orientation in 1..=8 {
            for point in [(-2, -1), (2, -1), (1, 2)] {
                let (x, y) = shown(orientation, point);
                assert_eq!(shown(turned(orientation, 1), point), (-y, x), "{orientation}");
            }
            assert_eq!(turned(orientation, 4), orientation);
        }
    }
}
