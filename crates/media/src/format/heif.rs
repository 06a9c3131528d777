//! HEIF, HEIC, HIF and AVIF: the items' EXIF and XMP, the primary picture's size, and how it is turned.

use lightfast_model::{Orientation, PreviewSource};

use crate::Head;
use crate::bmff::{Atoms, Items, Turn};
use crate::found::{Candidate, Found};
use crate::previews;

use super::{packet, tiff_file};

/// Reads a HEIF file.
pub(crate) fn read(head: &mut Head<'_>, found: &mut Found) {
    let mut boxes = Atoms::of_file(head);
    while let Some(atom) = boxes.next(head) {
        if atom.kind == *b"meta" {
            match Items::read(head, &atom) {
                Some(items) => read_items(head, &items, found),
                None => found.problems.push("the list of items cannot be read".to_owned()),
            }
            return;
        }
    }
    found.problems.push("no list of items: the file is cut short or damaged".to_owned());
}

fn read_items(head: &mut Head<'_>, items: &Items, found: &mut Found) {
    found.stored = items.size;
    // What a viewer does is told by the container; where it says nothing, early phones mean what EXIF says.
    found.turn = (!items.turns.is_empty()).then(|| orientation(&items.turns));
    if let Some((width, height)) = items.size {
        let swapped = found.turn.is_some_and(Orientation::swaps_sides);
        let (width, height) = if swapped { (height, width) } else { (width, height) };
        // What the container turns comes upright out of a decoder; else EXIF's word counts for what comes out.
        let orientation = found.turn.map(|_| Orientation::UPRIGHT);
        let source = PreviewSource::Heif;
        found.previews.push(Candidate { source, offset: 0, length: head.len(), width, height, orientation });
    }
    for item in &items.items {
        let Some((at, len)) = item.place else { continue };
        match &item.kind {
            b"Exif" => {
                let Some(skip) = head.array(at).map(u32::from_be_bytes) else { continue };
                let start = at.saturating_add(4).saturating_add(u64::from(skip));
                tiff_file::embedded(head, start, len.saturating_sub(4 + u64::from(skip)), found);
            }
            b"mime" if item.content_type == "application/rdf+xml" => packet::read(head, at, len, found),
            b"jpeg" => {
                let of_primary = items.thumbnails.iter().any(|&(from, to)| from == item.id && to == items.primary);
                if of_primary || item.id == items.primary {
                    previews::note(head, found, at, len, None);
                }
            }
            _ => {}
        }
    }
}

/// The steps as one of EXIF's eight orientations.
fn orientation(turns: &[Turn]) -> Orientation {
    // Where the picture's top-left corner and its right-hand neighbour end up: a 2x2 matrix of whole numbers.
    let mut matrix = [[1i8, 0], [0, 1]];
    let apply = |step: [[i8; 2]; 2], m: [[i8; 2]; 2]| {
        let [[a, b], [c, d]] = step;
        let [[e, f], [g, h]] = m;
        [[a * e + b * g, a * f + b * h], [c * e + d * g, c * f + d * h]]
    };
    for turn in turns.iter().take(16) {
        match turn {
            // Anticlockwise with the y axis pointing down.
            Turn::Rotate(quarters) => (0..*quarters).for_each(|_| matrix = apply([[0, 1], [-1, 0]], matrix)),
            Turn::MirrorSides => matrix = apply([[-1, 0], [0, 1]], matrix),
            Turn::MirrorTop => matrix = apply([[1, 0], [0, -1]], matrix),
        }
    }
    let value = match matrix {
        [[-1, 0], [0, 1]] => 2,
        [[-1, 0], [0, -1]] => 3,
        [[1, 0], [0, -1]] => 4,
        [[0, 1], [1, 0]] => 5,
        [[0, -1], [1, 0]] => 6,
        [[0, -1], [-1, 0]] => 7,
        [[0, 1], [-1, 0]] => 8,
        _ => 1,
    };
    Orientation::new(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_become_one_orientation() {
        let value = |turns: &[Turn]| orientation(turns).value();
        assert_eq!(value(&[]), 1);
        assert_eq!(value(&[Turn::Rotate(1)]), 8, "a quarter anticlockwise is needed");
        assert_eq!(value(&[Turn::Rotate(2)]), 3);
        assert_eq!(value(&[Turn::Rotate(3)]), 6);
        assert_eq!(value(&[Turn::MirrorSides]), 2);
        assert_eq!(value(&[Turn::MirrorTop]), 4);
        assert_eq!(value(&[Turn::Rotate(3), Turn::MirrorSides]), 5);
        assert_eq!(value(&[Turn::Rotate(1), Turn::MirrorSides]), 7);
    }
}
