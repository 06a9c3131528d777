//! `lightfast roots`: where originals live, online or not.

use clap::Args;
use lightfast_catalog::{RootInfo, RootKind};
use lightfast_import::Library;
use lightfast_model::BytePath;
use serde::Serialize;

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{self, Access, Opened, catalog_error};
use crate::ui::{Align, Column, Table, bytes, count};

/// List the places where originals live, connected or not
#[derive(Debug, Args)]
pub(crate) struct Roots {}

#[derive(Serialize)]
struct Line<'a> {
    root: &'a str,
    #[serde(flatten)]
    path: BytePath,
    kind: &'static str,
    online: bool,
    files: u64,
    bytes: u64,
    sidecars: bool,
}

pub(crate) fn run(_: &Roots, context: &Context) -> Result<Exit, Error> {
    let ui = &context.ui;
    let opened = library::open(context, Access::Read)?;
    let infos = opened.catalog.root_infos().map_err(catalog_error)?;
    let mut table = Table::new([
        Column { title: "Place", align: Align::Left, least: usize::MAX, drop: 0 },
        Column { title: "What", align: Align::Left, least: usize::MAX, drop: 0 },
        Column { title: "Files", align: Align::Right, least: usize::MAX, drop: 0 },
        Column { title: "Size", align: Align::Right, least: usize::MAX, drop: 0 },
        Column { title: "", align: Align::Left, least: usize::MAX, drop: 0 },
    ]);
    for info in &infos {
        let line = line(info, &opened);
        if ui.is_json() {
            ui.object(&line);
        } else {
            let state = if line.online { "connected" } else { "not connected" };
            let place = context.shown(line.path.as_path());
            table.row([place, line.kind.to_owned(), count(line.files), bytes(line.bytes), state.to_owned()]);
        }
    }
    if !ui.is_json() {
        table.lines(ui.width(), ui.styles()).iter().for_each(|line| ui.answer(line.trim_end()));
    }
    Ok(Exit::Done)
}

fn line<'a>(info: &'a RootInfo, opened: &Opened) -> Line<'a> {
    let is_library = info.root.uuid == opened.id;
    let folder = opened.folder_of(&info.root).to_owned();
    let kind = match info.kind {
        _ if is_library => "library",
        RootKind::Destination => "destination",
        RootKind::Added => "added",
    };
    // Another disk may be mounted in its place.
    let is_it = || Library::find(&folder).is_ok_and(|found| found.is_some_and(|found| found.id == info.root.uuid));
    let online = if info.kind == RootKind::Added { folder.is_dir() } else { is_library || is_it() };
    Line {
        root: &info.root.uuid,
        path: BytePath(folder),
        kind,
        online,
        files: info.files,
        bytes: info.bytes,
        sidecars: is_library || info.sidecars,
    }
}
