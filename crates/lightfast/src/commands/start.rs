//! `lightfast` alone, on a terminal: what can be done next.

use lightfast_catalog::Query;

use super::cards;
use crate::context::{Context, quoted};
use crate::error::{Error, Exit};
use crate::library::{self, Access};
use crate::ui::count;

pub(crate) fn run(context: &Context) -> Result<Exit, Error> {
    let ui = &context.ui;
    if !ui.is_terminal() || ui.is_json() {
        return Err(Error::usage("no command was given").hint("lightfast --help lists them"));
    }
    let s = ui.styles();
    let name = context.program();
    let next = |rest: &str, what: &str| {
        let command = format!("{name} {rest}");
        ui.line(format!("    {} {}", s.command(&format!("{command:<36}")), s.faint(what)));
    };
    let place = library::place(context)?;
    let shown = context.shown(&place.library);
    let cards = cards::look(context)?;

    ui.line(format!("{} takes the pictures off a camera card and puts them, provably whole,", s.strong("lightfast")));
    ui.line("into a library.\n");
    match cards.as_slice() {
        [] => {
            ui.line("  No card is mounted.");
            next("import FOLDER", "a card that is mounted elsewhere, or any folder");
        }
        [card] => {
            ui.line(format!("  {} is mounted, with {} new files.", s.strong(&card.name()), count(card.new_files())));
            next("import", &format!("copy it into {shown}"));
            next("import --dry-run", "see the plan first");
        }
        several => {
            ui.line(format!("  {} cards are mounted.", several.len()));
            for card in several {
                let command = format!("import {}", quoted(&cards::place(card)));
                next(&command, &format!("{}, {} new files", card.name(), count(card.new_files())));
            }
            next("import --all", "all of them");
        }
    }
    ui.line("");
    let photos = library::open(context, Access::Read).ok().and_then(|opened| opened.catalog.count(&Query::all()).ok());
    match photos {
        Some(n) => {
            ui.line(format!("  The library {shown} holds {} photos.", count(n)));
            next("serve --open", "look through them in a browser");
            next("list rating:3..", "find some");
            next("verify", "prove that every original is whole");
        }
        None => {
            ui.line(format!("  There is no library yet; the first import makes {shown}"));
            next("demo", "try it with a made card");
        }
    }
    next("--help", "all commands");
    Ok(Exit::Done)
}
