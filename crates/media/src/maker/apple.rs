//! Apple's note: what joins the files of a Live Photo and the frames of a burst.

use crate::Head;
use crate::found::Found;
use crate::tiff::{Ifd, Tiff};

pub(super) fn read(head: &mut Head<'_>, tiff: &Tiff, ifd: &Ifd, found: &mut Found) {
    let mut text = |tag| ifd.find(tag).and_then(|e| tiff.text(head, e));
    found.maker.burst_id = text(0x000b);
    found.maker.content_id = text(0x0011);
}
