//! What is imported when no source is named: the mounted card.

use std::path::PathBuf;

use lightfast_import::card::mounted_cards;

use crate::context::{Context, quoted};
use crate::error::{Error, Exit};

/// The sources that were named, or the mounted card, or, with `--all`, every one.
pub(super) fn resolve(named: &[PathBuf], all: bool, context: &Context) -> Result<Vec<PathBuf>, Error> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let cards = mounted_cards().map_err(|error| Error::start("cannot read the table of mounts").because(error))?;
    match cards.as_slice() {
        [] => Err(Error::start("no card is mounted: no volume has a DCIM or another camera's folder")
            .hint("put a card in, or name its folder: lightfast import FOLDER")),
        [card] => Ok(vec![card.card.source.clone()]),
        several if all => Ok(several.iter().map(|card| card.card.source.clone()).collect()),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|card| format!("{} ({})", context.shown(&card.card.source), card.card.name()))
                .collect();
            let first = several.first().map(|card| quoted(&card.card.source)).unwrap_or_default();
            Err(Error::new(Exit::Usage, format!("several cards are mounted: {}", names.join(", ")))
                .hint(format!("import them all with --all, or name one: lightfast import {first}")))
        }
    }
}
