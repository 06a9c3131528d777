//! XMP: reading packets and sidecars, and changing them: what was set is read back, the rest stays.
#![no_main]

use lightfast_media::xmp::{Change, Xmp, merge, ns, read};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let before = read(data);
    let _ = Xmp::of(&before);
    let changes = [Change::text(ns::XMP, "Rating", "4"), Change::bag(ns::DC, "subject", &["a & b", "c"])];
    if let Ok(merged) = merge(Some(data), &changes) {
        let after = read(&merged);
        assert_eq!(after.text(ns::XMP, "Rating"), Some("4"));
        assert_eq!(after.list(ns::DC, "subject"), ["a & b", "c"]);
    }
});
