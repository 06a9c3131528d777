//! Opening the library that a command works on, and finding an original's bytes in it.
//!
//! Turns the rooms' errors into what a person can act upon. It makes no library; only an import does.

use std::path::{Path, PathBuf};

use lightfast_catalog::{Catalog, CatalogError, Fault, Place, Query, Root, Sort};
use lightfast_import::Library;
use lightfast_model::{Photo, PhotoId};

use crate::context::Context;
use crate::error::{Error, Exit};

/// A library that is there, and its catalogue.
pub(crate) struct Opened {
    /// Where they are.
    pub(crate) place: Place,
    /// The library's lasting id, which is also the name of its root.
    pub(crate) id: String,
    /// The catalogue.
    pub(crate) catalog: Catalog,
}

/// How the catalogue is to be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// For looking only.
    Read,
    /// For changing marks or noting what a check found.
    Write,
}

/// The place of the library that was named, whether or not it is there.
pub(crate) fn place(context: &Context) -> Result<Place, Error> {
    let library = context.library()?;
    Ok(match context.catalog()? {
        Some(dir) => Place::elsewhere(library, dir),
        None => Place::in_library(library),
    })
}

/// Opens the library that was named; one that is not there is an error with what to do next.
pub(crate) fn open(context: &Context, access: Access) -> Result<Opened, Error> {
    open_place(place(context)?, context, access)
}

/// Opens the library in a folder.
pub(crate) fn open_at(folder: &Path, context: &Context, access: Access) -> Result<Opened, Error> {
    open_place(Place::in_library(folder), context, access)
}

fn open_place(place: Place, context: &Context, access: Access) -> Result<Opened, Error> {
    let shown = context.shown(&place.library);
    let found = Library::find(&place.library).map_err(|error| Error::start(error.to_string()))?;
    let Some(library) = found else {
        let word = if place.library.exists() { "is not a library" } else { "does not exist" };
        return Err(
            Error::start(format!("{shown} {word}")).hint("lightfast import makes one, and --library DIR names another")
        );
    };
    let catalog = match access {
        Access::Read => Catalog::open_read_only(&place),
        Access::Write => Catalog::open(&place),
    };
    let mut catalog = catalog.map_err(catalog_error)?;
    catalog.set_zone(jiff::tz::TimeZone::system());
    Ok(Opened { place, id: library.id, catalog })
}

/// An error of the catalogue, at the edge.
pub(crate) fn catalog_error(error: CatalogError) -> Error {
    if let CatalogError::Query(wrong) = &error {
        return Error::usage(wrong.to_string());
    }
    if let CatalogError::Missing { .. } = &error {
        return Error::start(error.to_string())
            .hint("if the catalogue is elsewhere, name its folder with --catalog DIR");
    }
    let hint = match error.fault() {
        Fault::Busy => Some("another lightfast is writing to it; try again in a moment"),
        Fault::Full => Some("the disk is full; make room and run the same command again"),
        Fault::Disk => Some("the disk does not answer as it should; check it before going on"),
        Fault::Unopened => Some("see that its disk is there, and that not too many files are open (`ulimit -n`)"),
        Fault::ReadOnly => Some("the place cannot be written; check its permissions and how it is mounted"),
        Fault::Damaged => Some("it was left as it is; the originals are not touched by this"),
        Fault::Other => None,
    };
    let error = Error::new(Exit::CouldNotStart, error.to_string());
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Reads a query; what `today` means is the clock's business here.
pub(crate) fn query(words: &[String], context: &Context) -> Result<Query, Error> {
    let today = jiff::tz::TimeZone::system().to_datetime(context.now()).date();
    Query::parse(&words.join(" "), today).map_err(|error| Error::usage(error.to_string()))
}

impl Opened {
    /// The folder of a root, as it is now: the library's own may have been moved since it was noted.
    pub(crate) fn folder_of<'a>(&'a self, root: &'a Root) -> &'a Path {
        if root.uuid == self.id { &self.place.library } else { root.path.as_path() }
    }

    /// The photo that a person named: by its id, by the path of one of its files, absolute or in the library, or by
    /// words that only one photo has.
    pub(crate) fn photo(&self, named: &str, context: &Context) -> Result<Option<Photo>, Error> {
        if let Some(id) = PhotoId::parse(named)
            && let Some(photo) = self.catalog.photo(&id).map_err(catalog_error)?
        {
            return Ok(Some(photo));
        }
        for path in self.inside(Path::new(named))? {
            let found = self.catalog.photo_by_path(&path.as_path().into()).map_err(catalog_error)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        if Path::new(named).exists() {
            return Ok(None);
        }
        self.only(named, context)
    }

    /// The only photo that matches; several are an error that names them, because one of them is meant.
    fn only(&self, words: &str, context: &Context) -> Result<Option<Photo>, Error> {
        let Ok(query) = query(&[words.to_owned()], context) else { return Ok(None) };
        let mut photos = self.catalog.photos(&query, Sort::default(), Some(4), 0).map_err(catalog_error)?;
        if photos.len() < 2 {
            return Ok(photos.pop());
        }
        let ids: Vec<&str> = photos.iter().take(3).map(|photo| photo.id.as_str()).collect();
        let more = if photos.len() > 3 { " and more" } else { "" };
        Err(Error::start(format!("{words} matches several photos: {}{more}", ids.join(", ")))
            .hint(format!("name one by its id; lightfast list {words} shows them")))
    }

    /// What a path may be relative to the library: itself, or what is left of an absolute one.
    fn inside(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        let absolute = crate::context::absolute(path)?;
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut found: Vec<PathBuf> = Vec::new();
        if let Ok(rest) = real(&absolute).strip_prefix(real(&self.place.library)) {
            found.push(rest.to_owned());
        }
        if path.is_relative() {
            found.push(path.to_owned());
        }
        Ok(found)
    }
}
