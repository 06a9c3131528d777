//! Which makes write local time where the specification of clips wants UTC.
//!
//! The makes are data: `data/clip_clocks.tsv`. Everything that is not listed is taken to follow the specification.

use crate::found::Found;

/// Whether the clip's header holds a wall clock.
pub(crate) fn is_local(found: &Found) -> bool {
    let first = |choices: [&Option<String>; 3]| choices.into_iter().flatten().next().cloned().unwrap_or_default();
    let make = first([&found.exif.make, &found.maker.make, &found.clip.make]).to_ascii_uppercase();
    let model = first([&found.exif.model, &found.maker.model, &found.clip.model]).to_ascii_uppercase();
    if make.is_empty() {
        return false;
    }
    let rows = include_str!("../data/clip_clocks.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| {
        let mut columns = line.split('\t');
        Some((columns.next()?, columns.next()?, columns.next()?))
    })
    .find(|(maker, models, _)| make.starts_with(maker) && model.contains(models.trim_matches('*')))
    .is_some_and(|(_, _, clock)| clock == "local")
}
