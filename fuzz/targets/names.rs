//! Names: times in them, and which files belong together.
#![no_main]

use std::path::PathBuf;

use lightfast_media::groups::{GroupInput, group};
use lightfast_media::{kind_of, time_from_name};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    use std::os::unix::ffi::OsStrExt;
    let paths = data.split(|&b| b == b'\n').take(64);
    let files: Vec<GroupInput> = paths
        .map(|path| {
            let path = PathBuf::from(std::ffi::OsStr::from_bytes(path));
            let name = path.file_name().unwrap_or_default();
            GroupInput { kind: kind_of(&[], name).0, taken: time_from_name(name), content_id: None, path: path.clone() }
        })
        .collect();
    let mut seen: Vec<usize> = group(&files).iter().flat_map(|g| g.members.iter().map(|m| m.index)).collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..files.len()).collect::<Vec<_>>(), "every file is in exactly one group");
});
