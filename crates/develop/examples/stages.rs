//! What each step of a rendering costs, on one thread.
//!
//! `cargo run --release -p lightfast-develop --example stages -- [--rounds N] FILE…`
//!
//! For each RAW the least of N rounds (5) of each step, in milliseconds: fast and best, at full size. `limit` is
//! decoding and encoding alone: what no renderer can be quicker than with this decoder and this encoder.

#![allow(clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::time::Duration;

use lightfast_develop::raw::{DevelopOptions, Developer, Processor, Quality, Stages};

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = arguments.iter().position(|a| a == "--rounds").map_or(5, |at| {
        arguments.remove(at);
        arguments.remove(at).parse().expect("a number of rounds")
    });
    println!("file\tpixels\tinstructions\tquality\tdecode\ttone\trender\tencode\tsum ms\tlimit ms");
    for path in arguments.iter().map(Path::new) {
        let bytes = std::fs::read(path).expect("a file that can be read");
        for (processor, quality) in [
            (Processor::best(), Quality::Fast),
            (Processor::best(), Quality::Best),
            (Processor::Portable, Quality::Fast),
        ] {
            let options = DevelopOptions { quality, ..DevelopOptions::default() };
            match least(&bytes, &options, processor, rounds) {
                Ok((stages, (width, height))) => {
                    let [decode, tone, render, encode] = parts(&stages).map(|part| part.as_secs_f64() * 1000.0);
                    println!(
                        "{}\t{width}x{height}\t{processor:?}\t{quality:?}\t{decode:.0}\t{tone:.0}\t{render:.0}\t{encode:.0}\t{:.0}\t{:.0}",
                        path.file_name().unwrap_or_default().to_string_lossy(),
                        decode + tone + render + encode,
                        decode + encode
                    );
                }
                Err(why) => eprintln!("{}: {why}", path.display()),
            }
        }
    }
}

fn parts(stages: &Stages) -> [Duration; 4] {
    [stages.decode, stages.tone, stages.render, stages.encode]
}

/// The least of each step, and the size.
fn least(
    bytes: &[u8],
    options: &DevelopOptions,
    processor: Processor,
    rounds: usize,
) -> Result<(Stages, (u32, u32)), String> {
    let mut developer = Developer::with(processor).map_err(|error| error.to_string())?;
    let mut least: Option<Stages> = None;
    let mut size = (0, 0);
    for _ in 0..rounds.max(1) {
        let made = developer.jpeg(bytes, options).map_err(|error| error.to_string())?;
        size = (made.width, made.height);
        let now = made.stages;
        least = Some(least.map_or(now, |least| Stages {
            decode: least.decode.min(now.decode),
            tone: least.tone.min(now.tone),
            render: least.render.min(now.render),
            encode: least.encode.min(now.encode),
        }));
    }
    Ok((least.unwrap_or_default(), size))
}
