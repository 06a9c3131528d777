//! Samsung's note of NX bodies: lens, serial, preview.

use super::LensId;
use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    for entry in &ifd.entries {
        match entry.tag {
            0x0035 => {
                let preview = tiff.unsigned(head, entry).and_then(|offset| tiff.ifd(head, offset));
                if let Some(preview) = preview {
                    super::preview(head, tiff, &preview, 0x0201, 0x0202, found);
                }
            }
            0xa002 => {
                found.maker.serial = tiff
                    .text(head, entry)
                    .filter(|t| t.len() >= 5 && t.bytes().take(5).all(|b| b.is_ascii_alphanumeric()));
            }
            0xa003 => {
                let id = tiff.unsigned(head, entry).and_then(|v| u16::try_from(v).ok());
                found.maker.lens_id = id.map(LensId::Samsung);
            }
            0xa014 => {
                let iso = tiff.unsigned(head, entry).and_then(|v| u32::try_from(v).ok());
                found.maker.iso = iso.filter(|&v| v > 0);
            }
            0xa018 => found.maker.exposure = super::seconds(head, tiff, entry),
            0xa019 => found.maker.aperture = super::positive(head, tiff, entry),
            _ => {}
        }
    }
}
