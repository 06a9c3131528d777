//! What files say of themselves: `cargo run -p lightfast-media --example facts -- FILE…`

#![allow(clippy::print_stdout)]

use std::fs::File;
use std::path::PathBuf;

use lightfast_media::FileSource;

fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        let mut source = FileSource::new(File::open(&path)?)?;
        let facts = lightfast_media::facts(&mut source, path.file_name().unwrap_or_default());
        println!("{}: {} reads, {} bytes\n{facts:#?}", path.display(), source.reads(), source.bytes_read());
    }
    Ok(())
}
