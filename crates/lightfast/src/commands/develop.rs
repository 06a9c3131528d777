//! `lightfast develop`: RAWs to JPEGs, without a library.
//!
//! Each file is rendered in a worker process, as many at a time as there are processors. A file
//! that cannot be rendered is named with its reason and holds up no other; nothing that is
//! there already is overwritten unless that is asked for.

mod balance;
mod job;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lightfast_model::Kind;
use lightfast_worker::{DevelopOptions, Quality as Work, WhiteBalance};

use crate::context::Context;
use crate::error::{Error, Exit};

/// Develop RAWs to JPEGs in a folder; no library is needed
///
/// A folder stands for the RAWs in it. JPEGs have the name of their RAW.
#[derive(Debug, Args)]
pub(crate) struct Develop {
    /// RAWs, or folders of RAWs
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Where the JPEGs go; made if it is not there
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// More or less light, in stops
    #[arg(long, value_name = "EV", default_value_t = 0.0, allow_negative_numbers = true, value_parser = exposure)]
    exposure: f32,

    /// White balance: as-shot, daylight, a temperature such as 5200K, or multipliers of red,green,blue
    #[arg(long, value_name = "BALANCE", default_value = "as-shot", value_parser = balance::parse)]
    wb: WhiteBalance,

    /// Pixels of the long side, fit (2560), or 1:1
    #[arg(long, value_name = "SIZE", default_value = "1:1", value_parser = size)]
    size: Edge,

    /// How much work goes into fine detail
    #[arg(long, value_enum, default_value_t = Quality::Fast)]
    quality: Quality,

    /// Write over JPEGs that are there
    #[arg(long)]
    overwrite: bool,
}

/// Pixels of the long side; none is as shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge(Option<u32>);

/// How much work goes into fine detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Quality {
    /// Quick, and hard to tell from best
    Fast,
    /// Every direction weighed for every colour
    Best,
}

/// One file to develop, and what its JPEG is to be called.
struct Wanted {
    from: PathBuf,
    to: PathBuf,
}

fn exposure(text: &str) -> Result<f32, String> {
    let value: f32 = text.trim_end_matches("EV").trim().parse().map_err(|_| "it is a number of stops, such as -0.5")?;
    if (-8.0..=8.0).contains(&value) { Ok(value) } else { Err("it goes from -8 to 8 stops".to_owned()) }
}

fn size(text: &str) -> Result<Edge, String> {
    match text {
        "1:1" => Ok(Edge(None)),
        "fit" => Ok(Edge(Some(2560))),
        number => match number.parse() {
            Ok(edge) if edge > 0 => Ok(Edge(Some(edge))),
            _ => Err("it is a number of pixels, fit, or 1:1".to_owned()),
        },
    }
}

pub(crate) fn run(args: &Develop, context: &Context) -> Result<Exit, Error> {
    let options = DevelopOptions {
        quality: if args.quality == Quality::Best { Work::Best } else { Work::Fast },
        size: args.size.0,
        exposure_ev: args.exposure,
        white_balance: args.wb,
        ..DevelopOptions::default()
    };
    let output = crate::context::absolute(&args.output)?;
    std::fs::create_dir_all(&output)
        .map_err(|error| Error::start(format!("cannot make the folder {}", output.display())).because(error))?;
    let files = found(&args.files)?;
    if files.is_empty() {
        return Err(Error::new(Exit::Nothing, "there is no RAW in what was named"));
    }
    job::run(&named(files, &output), options, args.overwrite, context)
}

/// The files that were named, and the RAWs of the folders that were named, in order.
fn found(named: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let unreadable = |error| Error::start(format!("cannot read the folder {}", path.display())).because(error);
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_file() && is_raw(&path) {
                inside.push(path);
            }
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn is_raw(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path)
        .and_then(|file| std::io::Read::read_to_end(&mut std::io::Read::take(file, 64 << 10), &mut head));
    read.is_ok() && lightfast_media::kind_of(&head, path.file_name().unwrap_or_default()).0 == Kind::Raw
}

/// A JPEG's name for each file; two of the same name (other folder, other extension) are told apart by a number.
fn named(files: Vec<PathBuf>, output: &Path) -> Vec<Wanted> {
    let mut taken: HashSet<OsString> = HashSet::new();
    files
        .into_iter()
        .map(|from| {
            let stem = from.file_stem().unwrap_or(from.as_os_str()).to_owned();
            let numbered = |n: u32| {
                let mut name = stem.clone();
                if n > 1 {
                    name.push(format!("-{n}"));
                }
                name.push(".jpg");
                name
            };
            let name = (1..=u32::MAX).map(numbered).find(|name| !taken.contains(&name.to_ascii_lowercase()));
            let name = name.unwrap_or_default();
            taken.insert(name.to_ascii_lowercase());
            Wanted { to: output.join(name), from }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        assert_eq!(exposure("-0.5"), Ok(-0.5));
        assert!(exposure("9").is_err() && exposure("NaN").is_err() && exposure("x").is_err());
        assert_eq!(size("fit"), Ok(Edge(Some(2560))));
        assert_eq!(size("1:1"), Ok(Edge(None)));
        assert!(size("0").is_err() && size("big").is_err());
    }

    #[test]
    fn files_of_the_same_name_get_a_number() {
        let files = ["a/IMG_1.CR2", "b/IMG_1.CR2", "a/IMG_1.DNG", "a/img_1.nef"].map(PathBuf::from).to_vec();
        let names: Vec<String> = named(files, Path::new("o")).iter().map(|w| w.to.display().to_string()).collect();
        assert_eq!(names, ["o/IMG_1.jpg", "o/IMG_1-2.jpg", "o/IMG_1-3.jpg", "o/img_1-4.jpg"]);
    }
}
