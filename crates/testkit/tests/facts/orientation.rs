//! Upright, whatever the camera was held like: all eight orientations, in RAW, JPEG and HEIC.

use lightfast_model::{Orientation, PreviewSource};
use lightfast_testkit::{Shot, samples};

use crate::support::facts_of;

fn shot(value: u16) -> Shot {
    Shot::sized(96, 64).oriented(value)
}

/// Facts and every preview say the same orientation, and the size is as a viewer shows it.
fn checked(bytes: &[u8], name: &str, value: u16) {
    let facts = facts_of(bytes, name);
    assert_eq!(u16::from(facts.orientation.value()), value, "{name}");
    let upright = if value >= 5 { (64, 96) } else { (96, 64) };
    assert_eq!((facts.width, facts.height), (Some(upright.0), Some(upright.1)), "{name} {value}");
    assert!(!facts.previews.is_empty(), "{name}");
    for preview in facts.previews {
        assert_eq!(
            u16::from(preview.orientation.value()),
            value,
            "{name}: a preview of {}x{}",
            preview.width,
            preview.height
        );
    }
}

#[test]
fn jpegs_of_all_eight_orientations() {
    (1..=8).for_each(|value| checked(&samples::jpeg(&shot(value)), "IMG_0001.JPG", value));
}

#[test]
fn raws_of_all_eight_orientations() {
    for value in 1..=8 {
        checked(&samples::cr2(&shot(value)), "IMG_0001.CR2", value);
        checked(&samples::cr3(&shot(value)), "IMG_0001.CR3", value);
        checked(&samples::dng(&shot(value)), "IMG_0001.DNG", value);
    }
}

#[test]
fn heics_of_all_eight_orientations_come_upright_out_of_their_decoder() {
    for value in 1..=8u16 {
        let facts = facts_of(&samples::heic_quarters(value), "IMG_0001.HEIC");
        assert_eq!(u16::from(facts.orientation.value()), value);
        assert_eq!(facts.decoder_turns, value > 1);
        let upright = if value >= 5 { (64, 96) } else { (96, 64) };
        assert_eq!((facts.width, facts.height), (Some(upright.0), Some(upright.1)), "{value}");
        let preview = facts.previews[0];
        assert_eq!(preview.source, PreviewSource::Heif);
        assert_eq!((preview.width, preview.height, preview.orientation), (upright.0, upright.1, Orientation::UPRIGHT));
    }
}
