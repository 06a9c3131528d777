//! `lightfast bench`: imports against the system's copy and other programs, on plain and encrypted disks.

mod parts;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use lightfast_bench::bench::{
    self, BenchError, BenchEvent, BenchOptions, BenchReport, Encryption, MadeCard, Program, SlowDisk, bytes_of,
};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::ui::duration;

/// Measure imports against a plain copy and against other programs
///
/// Every program transfers the same card in turn, from a cold cache, and is timed until everything is on the disk.
/// A ratio is to the system's copy in the same round and comes with its spread; a run that was too noisy says so.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Bench {
    #[command(subcommand)]
    command: Option<What>,

    /// Folders to transfer to; everything made there is removed again
    #[arg(long, value_name = "DIR", num_args = 1.., required_unless_present = "accounts")]
    to: Vec<PathBuf>,

    /// Also transfer to an encrypted folder, made below the first --to and removed again; may repeat
    #[arg(long, value_name = "KIND")]
    encrypted: Vec<Kind>,

    /// Also transfer as another account, to a folder of its; may repeat; needs root
    #[arg(long = "as", value_name = "USER:DIR")]
    accounts: Vec<String>,

    /// Transfer this card instead of a made one
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "megapixels", "seed"])]
    card: Option<PathBuf>,

    /// RAW files on the card that is made
    #[arg(long, default_value_t = 113, value_name = "N")]
    files: u32,

    /// The size of its pictures
    #[arg(long, default_value_t = 21, value_name = "N")]
    megapixels: u32,

    /// What is in its pictures
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Let the card give so many bytes a second at most, as 17M; needs root
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    card_speed: Option<u64>,

    /// Also measure another program, as NAME='rsync -a {src}/ {dst}/'; may repeat
    #[arg(long, value_name = "NAME=COMMAND", value_parser = |text: &str| Program::against(text).map_err(|e| format!("cannot {e}")))]
    against: Vec<Program>,

    /// Also time rendering 1:1 previews, as a row of its own
    #[arg(long, value_name = "KIND")]
    previews: Option<Previews>,

    /// Also measure what each part of an import costs, by leaving it out, and what the habits of an old importer cost
    #[arg(long)]
    ablate: bool,

    /// Also transfer to a disk that seeks and gives so many bytes a second, as 80M, made below the first --to, with 2 GB
    /// of memory for the programs; needs root
    #[arg(long, value_name = "SPEED", value_parser = speed)]
    slow_disk: Option<u64>,

    /// Rounds that count; one more comes first and is thrown away
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    runs: u16,

    /// Seconds after which a program that does not end is stopped
    #[arg(long, default_value_t = 900, value_name = "SECONDS")]
    timeout: u64,

    /// Also write the report as one self-contained page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Keep the run under this name (or in this file, if it ends in .json) for bench compare
    #[arg(long, value_name = "NAME")]
    save: Option<String>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Put saved runs side by side
    Compare {
        /// Names given to --save, or files
        #[arg(value_name = "NAME|FILE", required = true)]
        runs: Vec<String>,
    },
    /// What --ablate runs: an import with one part left out, which is never safe
    #[command(hide = true)]
    Part(parts::Part),
    /// What --ablate runs: a model of an old importer, which proves nothing
    #[command(hide = true)]
    OldImporter(parts::OldImporter),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Gocryptfs,
    Cryfs,
    Encfs,
    Fscrypt,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Previews {
    Rendered,
}

pub(crate) fn run(args: &Bench, context: &Context) -> Result<Exit, Error> {
    match &args.command {
        Some(What::Compare { runs }) => return compare(runs, context),
        Some(What::Part(part)) => return parts::run_part(part, context),
        Some(What::OldImporter(old)) => return parts::run_old_importer(old, context),
        None => {}
    }
    let saved = args.save.as_deref().map(|name| saved_path(name, context)).transpose()?;
    let options = options(args, context)?;
    let stop = crate::interrupt::watch_to_the_end()?;
    let report = bench::bench(&options, &stop, &mut |event| show(event, context)).map_err(|error| match error {
        BenchError::Interrupted => Error::new(Exit::Interrupted, "interrupted before the first round had ended"),
        error => Error::start(format!("cannot {error}")).because(error),
    })?;
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text)
            .map_err(|error| Error::start(format!("cannot write {}", context.shown(path))).because(error))
    };
    if let Some(path) = &args.html {
        write(path, &bench::html(&report))?;
    }
    if let Some(path) = saved {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|error| Error::start(format!("cannot make {}", context.shown(folder))).because(error))?;
        }
        let text =
            serde_json::to_string(&report).map_err(|error| Error::start("cannot save the run").because(error))?;
        write(&path, &text)?;
    }
    if context.ui.is_json() {
        context.ui.object(&report);
    } else {
        lines(&bench::text(&report), context);
    }
    let stopped = stop.load(std::sync::atomic::Ordering::Relaxed);
    Ok(if stopped { Exit::Interrupted } else { Exit::Done })
}

fn options(args: &Bench, context: &Context) -> Result<BenchOptions, Error> {
    let exe =
        std::env::current_exe().map_err(|error| Error::start("cannot find this program's own file").because(error))?;
    let encrypted = args.encrypted.iter().map(|kind| match kind {
        Kind::Gocryptfs => Encryption::Gocryptfs,
        Kind::Cryfs => Encryption::Cryfs,
        Kind::Encfs => Encryption::Encfs,
        Kind::Fscrypt => Encryption::Fscrypt,
    });
    let accounts = args.accounts.iter().map(|text| match text.split_once(':') {
        Some((user, folder)) if !user.is_empty() && !folder.is_empty() => Ok((user.to_owned(), folder.into())),
        _ => Err(Error::usage(format!("--as {text} is not understood")).hint("write --as USER:DIR")),
    });
    for (option, is_given) in [("--encrypted", !args.encrypted.is_empty()), ("--slow-disk", args.slow_disk.is_some())] {
        if is_given && args.to.is_empty() {
            return Err(Error::usage(format!("{option} needs --to")).hint("it is made below the first --to"));
        }
    }
    let command = std::env::args_os().map(|word| crate::context::quoted(Path::new(&word))).collect();
    Ok(BenchOptions {
        exe,
        to: args.to.clone(),
        encrypted: encrypted.collect(),
        accounts: accounts.collect::<Result<_, _>>()?,
        card: args.card.clone(),
        make: MadeCard { files: args.files, megapixels: args.megapixels, seed: args.seed },
        card_speed: args.card_speed,
        against: args.against.clone(),
        rendered: args.previews.is_some(),
        ablate: args.ablate,
        slow_disk: args.slow_disk.map(SlowDisk::at),
        rounds: usize::from(args.runs),
        timeout: Duration::from_secs(args.timeout),
        idle: Duration::from_secs(3),
        made_at: context.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        command,
    })
}

fn speed(text: &str) -> Result<u64, String> {
    bytes_of(text).ok_or_else(|| "write a number with k, M or G, as 17M".to_owned())
}

fn show(event: BenchEvent, context: &Context) {
    match event {
        BenchEvent::MakingCard(card) => {
            context.ui.remark(format!("making a card with {} RAW files of {} MP", card.files, card.megapixels));
        }
        BenchEvent::Remark(text) => context.ui.warn(text),
        BenchEvent::Starting { .. } => {}
        BenchEvent::Done { round, program, destination, seconds, failure } => {
            let round = if round == 0 { "thrown away".to_owned() } else { format!("round {round}") };
            let end = failure.unwrap_or_else(|| duration(seconds));
            context.ui.remark(format!("{round}: {program}, {destination}: {end}"));
        }
    }
}

fn compare(names: &[String], context: &Context) -> Result<Exit, Error> {
    let mut runs: Vec<(String, BenchReport)> = Vec::new();
    for name in names {
        let path = if Path::new(name).is_file() { PathBuf::from(name) } else { saved_path(name, context)? };
        let report =
            bench::read_saved(&path).map_err(|error| Error::start(format!("cannot {error}")).because(error))?;
        let short = Path::new(name).file_stem().map_or_else(|| name.clone(), |n| n.to_string_lossy().into_owned());
        runs.push((short, report));
    }
    if context.ui.is_json() {
        for (name, report) in &runs {
            context.ui.object(&serde_json::json!({"event": "run", "name": name, "report": report}));
        }
    } else {
        lines(&bench::compare(&runs), context);
    }
    Ok(Exit::Done)
}

/// A file if it is written as one, else a name in the user's data folder.
fn saved_path(name: &str, context: &Context) -> Result<PathBuf, Error> {
    if Path::new(name).extension().is_some_and(|e| e == "json") || name.contains('/') {
        return Ok(PathBuf::from(name));
    }
    let home = context.home.as_ref().ok_or_else(|| {
        Error::start("there is no home folder to keep the run in").hint("name a file that ends in .json")
    })?;
    Ok(home.join(".local/share/lightfast/bench").join(format!("{name}.json")))
}

fn lines(text: &str, context: &Context) {
    for line in text.trim_end().lines() {
        context.ui.line(crate::ui::harmless(line));
    }
}
