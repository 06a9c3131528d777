//! The command line as it is typed: options, subcommands and their help.
//!
//! The first of two stages. What is here is only checked for its form; each command then builds what it needs
//! in a second step, where the config file and the disk are looked at. The doc comments of the arguments are
//! the help. What is not built is absent.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// Takes the pictures off a camera card and puts them, provably whole, into a library
#[derive(Debug, Parser)]
#[command(
    name = "lightfast",
    version,
    disable_help_subcommand = true,
    subcommand_help_heading = "Commands",
    after_help = EXIT_CODES,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXIT_CODES: &str = "\
Exit codes:
    0  done as asked
    1  could not start; nothing was changed
    2  wrong usage
    3  a file failed or is not safe; the same command resumes
    4  nothing to import
  130  interrupted; the same command resumes";

/// Options that every command has.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The library [default: Pictures/Lightfast in the home folder]
    #[arg(long, global = true, value_name = "DIR", help = LIBRARY_HELP)]
    pub(crate) library: Option<PathBuf>,

    /// The catalogue, elsewhere than in the library: needed where the library is on a network disk
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) catalog: Option<PathBuf>,

    /// Machine output: one JSON object a line on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Say only what went wrong
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more: every file, and where the time goes
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

const LIBRARY_HELP: &str = "The library [default: LIGHTFAST_LIBRARY, `library` in the config file, \
                            or Pictures/Lightfast in the home folder]";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Import(commands::import::Import),
    Cards(commands::cards::Cards),
    List(commands::list::List),
    Show(commands::show::Show),
    Stats(commands::stats::Stats),
    Mark(commands::mark::Mark),
    Trash(commands::trash::Trash),
    Verify(commands::verify::Verify),
    Rescan(commands::rescan::Rescan),
    Rebuild(commands::rebuild::Rebuild),
    Roots(commands::roots::Roots),
    Preview(commands::preview::Preview),
    Serve(commands::serve::Serve),
    Previews(commands::previews::Previews),
    Develop(commands::develop::Develop),
    Demo(commands::demo::Demo),
    DemoCard(commands::demo_card::DemoCard),
    Bench(commands::bench::Bench),
    Trace(commands::trace::Trace),
    Completions(commands::completions::Completions),
    Man(commands::man::Man),
    #[command(hide = true)]
    Worker(commands::worker::Worker),
}

/// Letters that are options by themselves, so that `-qv` is two of them and not a word to exclude.
const SHORT: &str = "hqvVy";

/// Lets a query be typed as it is: `lightfast list rating:3.. -keyword:sea` has a word that looks like an option.
/// It is taken as `not:keyword:sea`, which means the same.
pub(crate) fn with_exclusions(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut takes_query = false;
    let mut before = OsString::new();
    let mut out = Vec::new();
    for argument in arguments {
        takes_query |= ["list", "mark", "stats", "trash"].iter().any(|command| argument == *command);
        let is_value = before == "--keyword" || before == "--rotate";
        let excluded = argument.to_str().and_then(|text| text.strip_prefix('-')).filter(|word| {
            takes_query && !is_value && word.chars().count() > 1 && !word.starts_with('-') && !is_options(word)
        });
        before = match excluded {
            Some(word) => OsString::from(format!("not:{word}")),
            None => argument,
        };
        out.push(before.clone());
    }
    out
}

fn is_options(word: &str) -> bool {
    word.chars().all(|c| SHORT.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn words_to_exclude_are_not_options() {
        let turned = |line: &str| {
            let words = with_exclusions(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(turned("list rating:3.. -keyword:sea -q"), "list rating:3.. not:keyword:sea -q");
        assert_eq!(turned("mark -IMG_1 --keyword -sea -y --json"), "mark not:IMG_1 --keyword -sea -y --json");
        assert_eq!(turned("list -vv --sort name"), "list -vv --sort name");
        assert_eq!(turned("preview -ofile -vq x"), "preview -ofile -vq x");
    }
}
