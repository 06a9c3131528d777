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
    let next = |command: &str, what: &str| ui.line(format!("    {:<40} {}", s.command(command), s.faint(what)));
    let place = library::place(context)?;
    let shown = context.shown(&place.library);
    let cards = cards::look(context)?;

    ui.line(format!("{} takes the pictures off a camera card and puts them, provably whole,", s.strong("lightfast")));
    ui.line("into a library.\n");
    match cards.as_slice() {
        [] => {
            ui.line("  No card is mounted.");
            next("lightfast import FOLDER", "a card that is mounted elsewhere, or any folder");
        }
        [card] => {
            ui.line(format!("  {} is mounted, with {} new files.", s.strong(&card.name()), count(card.new_files())));
            next("lightfast import", &format!("copy it into {shown}"));
            next("lightfast import --dry-run", "see the plan first");
        }
        several => {
            ui.line(format!("  {} cards are mounted.", several.len()));
            for card in several {
                let command = format!("lightfast import {}", quoted(&cards::place(card)));
                next(&command, &format!("{}, {} new files", card.name(), count(card.new_files())));
            }
            next("lightfast import --all", "all of them");
        }
    }
    ui.line("");
    let photos = library::open(context, Access::Read).ok().and_then(|opened| opened.catalog.count(&Query::all()).ok());
    match photos {
        Some(n) => {
            ui.line(format!("  The library {shown} holds {} photos.", count(n)));
            next("lightfast list rating:3..", "find some");
            next("lightfast verify", "prove that every original is whole");
        }
        None => {
            ui.line(format!("  There is no library yet; the first import makes {shown}"));
            next("lightfast demo", "try it with a made card");
        }
    }
    next("lightfast --help", "all commands");
    Ok(Exit::Done)
}
