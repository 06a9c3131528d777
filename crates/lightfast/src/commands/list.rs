//! `lightfast list`: photos that match a query, as a table or as JSON.

use clap::{Args, ValueEnum};
use lightfast_catalog::{Query, Sort, SortKey};
use lightfast_model::{Flag, Photo};

use crate::context::Context;
use crate::error::{Error, Exit};
use crate::library::{self, Access, catalog_error};
use crate::ui::{Align, Column, Table, count};

/// Photos asked for at once: few at first, so that the first line comes soon.
const FIRST_PAGE: u32 = 200;
const PAGE: u32 = 5000;

/// List the photos that match a query
///
/// A query is words (file name, keyword, title, camera, lens) and fields, joined by "and":
///
///   lightfast list camera:5D lens:70-200 iso:1600..
///   lightfast list taken:2009-07-12..2009-07-14 rating:3.. -flag:reject
///   lightfast list keyword:beach OR keyword:sea
///
/// Fields: camera lens iso aperture focal taken rating flag label keyword type kind job has iso-mode imported.
/// A range is 3.., ..2.8 or 2009-07-12..2009-07-14. A minus or not: before a field excludes it.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct List {
    /// What to look for; nothing lists everything
    #[arg(value_name = "QUERY")]
    query: Vec<String>,

    /// The order: taken and name from the first, imported and rating from the last
    #[arg(long, value_enum, default_value_t = By::Taken)]
    sort: By,

    /// How many at most
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// When it was taken
    Taken,
    /// When it was imported, newest first
    Imported,
    /// Stars, most first
    Rating,
    /// File name
    Name,
}

impl By {
    fn sort(self) -> Sort {
        match self {
            Self::Taken => Sort { key: SortKey::Taken, descending: false },
            Self::Imported => Sort { key: SortKey::Imported, descending: true },
            Self::Rating => Sort { key: SortKey::Rating, descending: true },
            Self::Name => Sort { key: SortKey::Name, descending: false },
        }
    }
}

pub(crate) fn run(args: &List, context: &Context) -> Result<Exit, Error> {
    let query = library::query(&args.query, context)?;
    list(&query, args.sort, args.limit, context)
}

/// Lists every photo that matches, in the order of capture.
pub(super) fn show_all(query: &Query, context: &Context) -> Result<Exit, Error> {
    list(query, By::Taken, None, context)
}

fn list(query: &Query, sort: By, limit: Option<u32>, context: &Context) -> Result<Exit, Error> {
    let ui = &context.ui;
    let opened = library::open(context, Access::Read)?;
    let mut shown = 0u64;
    let mut page = FIRST_PAGE;
    while ui.is_open() {
        let left = limit.map_or(u64::from(page), |limit| u64::from(limit).saturating_sub(shown));
        let asked = u32::try_from(left).unwrap_or(page).min(page);
        if asked == 0 {
            break;
        }
        let photos = opened.catalog.photos(query, sort.sort(), Some(asked), shown).map_err(catalog_error)?;
        show(&photos, shown == 0, context);
        shown += photos.len() as u64;
        if photos.len() < asked as usize {
            break;
        }
        page = PAGE;
    }
    if ui.is_terminal() && !ui.is_json() {
        let word = if shown == 1 { "photo" } else { "photos" };
        ui.remark(ui.error_styles().faint(&format!("{} {word}", count(shown))));
    }
    Ok(Exit::Done)
}

fn show(photos: &[Photo], first: bool, context: &Context) {
    let ui = &context.ui;
    if ui.is_json() {
        photos.iter().take_while(|_| ui.is_open()).for_each(|photo| ui.object(photo));
        return;
    }
    if photos.is_empty() {
        return;
    }
    let mut table = Table::new(COLUMNS);
    for photo in photos {
        table.row(cells(photo));
    }
    let lines = table.lines(ui.width(), ui.styles());
    lines.iter().skip(usize::from(!first)).take_while(|_| ui.is_open()).for_each(|line| ui.answer(line));
}

const COLUMNS: [Column; 10] = [
    Column { title: "Taken", align: Align::Left, least: usize::MAX, drop: 0 },
    Column { title: "Name", align: Align::Left, least: 12, drop: 0 },
    Column { title: "Camera", align: Align::Left, least: 14, drop: 4 },
    Column { title: "Lens", align: Align::Left, least: 14, drop: 5 },
    Column { title: "ISO", align: Align::Right, least: usize::MAX, drop: 6 },
    Column { title: "Time", align: Align::Right, least: usize::MAX, drop: 7 },
    Column { title: "f/", align: Align::Right, least: usize::MAX, drop: 8 },
    Column { title: "mm", align: Align::Right, least: usize::MAX, drop: 9 },
    Column { title: "Marks", align: Align::Left, least: usize::MAX, drop: 2 },
    Column { title: "Files", align: Align::Left, least: usize::MAX, drop: 3 },
];

fn cells(photo: &Photo) -> [String; 10] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<f64>| value.map(|v| format!("{}", (v * 10.0).round() / 10.0)).unwrap_or_default();
    [
        photo.taken.as_deref().map(minute).unwrap_or_default(),
        name(photo),
        text(&photo.camera),
        text(&photo.lens),
        photo.iso.map(|iso| iso.to_string()).unwrap_or_default(),
        text(&photo.exposure),
        number(photo.aperture),
        number(photo.focal_length),
        marks(photo),
        photo.files.iter().map(|file| file.role.as_str()).collect::<Vec<_>>().join("+"),
    ]
}

/// `2009-07-12 14:03:22`: without the fraction, which a table has no room for.
fn minute(taken: &str) -> String {
    taken.split('.').next().unwrap_or(taken).replace('T', " ")
}

/// The file name of a photo's first file.
pub(super) fn name(photo: &Photo) -> String {
    let path = photo.files.iter().flat_map(|file| &file.copies).map(|copy| &copy.path).next();
    let name = path.and_then(|path| path.as_path().file_name());
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_else(|| photo.id.to_string())
}

/// Stars, flag and label in few characters.
pub(super) fn marks(photo: &Photo) -> String {
    let mut parts = Vec::new();
    if photo.rating > 0 {
        parts.push("★".repeat(usize::from(photo.rating.min(5))));
    }
    if let Some(flag) = photo.flag {
        parts.push(match flag {
            Flag::Pick => "pick".to_owned(),
            Flag::Reject => "reject".to_owned(),
        });
    }
    parts.extend(photo.label.map(|label| label.as_str().to_owned()));
    parts.join(" ")
}
