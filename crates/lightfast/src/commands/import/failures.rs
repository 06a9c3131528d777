//! Why an import did not start, in one line: what, where, why, and what to do next.

use lightfast_import::{StartError, Step, TemplateError};

use crate::context::{Context, quoted};
use crate::error::{Error, Exit};
use crate::library::catalog_error;
use crate::ui::bytes;

/// An import that could not start.
pub(super) fn start(error: StartError, context: &Context) -> Error {
    use StartError as E;
    let text = error.to_string();
    match error {
        E::NoSource { .. } => {
            Error::start(text).hint("check the path; lightfast cards lists the cards that are mounted")
        }
        E::SourceNotFolder { .. } => Error::usage(text).hint("name the card's folder"),
        E::LibraryInsideSource { source_dir, .. } => Error::usage(text)
            .hint(format!("choose a library outside {} with --library DIR", context.shown(&source_dir))),
        E::SourceInsideLibrary { .. } => Error::usage(text).hint("what is in a library is imported already"),
        E::SourceTwice { .. } => Error::usage(text).hint("name it once"),
        E::DestinationsOverlap { .. } => Error::usage(text).hint("name folders that do not lie in one another"),
        E::TooManyDestinations { .. } => Error::usage(text).hint("name fewer with --also"),
        E::Locked { .. } => Error::start(text).hint("wait until it has ended, then run the same command again"),
        E::NewerLayout { .. } => {
            Error::start(text).hint("use the newer lightfast, or another library with --library DIR")
        }
        E::NotALibrary { .. } => Error::start(text).hint("name another folder with --library DIR"),
        E::TooSmall { path, needed, free } => {
            let (place, missing) = (context.shown(&path), needed.saturating_sub(free));
            Error::start(format!("not enough space in {place}: {} needed, {} free", bytes(needed), bytes(free)))
                .hint(format!("make room for {} more, or name another disk with --library DIR", bytes(missing)))
        }
        E::CatalogPlace { .. } => {
            Error::start(text).hint("keep it on a local disk with --catalog DIR; the originals may stay there")
        }
        E::TemplateIsFolder { template } => Error::usage(text)
            .hint(format!("for a library there, write --library {}", quoted(std::path::Path::new(&template)))),
        E::AddsCard { .. } => Error::usage(text).hint("leave --add out, and it is copied into the library"),
        E::ClockPicture { .. } => {
            Error::usage(text).hint("write --clock CAMERA=PHOTO@TIME with the name of a picture on this card")
        }
        E::NothingToImport { sources, junk } => {
            let places: Vec<String> = sources.iter().map(|path| context.shown(path)).collect();
            let why = match junk {
                0 => "it is empty".to_owned(),
                1 => "it holds only junk (1 file)".to_owned(),
                n => format!("it holds only junk ({} files)", crate::ui::count(n)),
            };
            Error::new(Exit::Nothing, format!("nothing to import in {}: {why}", places.join(", ")))
                .hint("if there should be pictures, check that the card is mounted and readable before formatting it")
        }
        E::Io(error) => {
            let hint = match (error.source.kind(), error.step) {
                (std::io::ErrorKind::PermissionDenied, Step::Open | Step::List | Step::Read) => {
                    "you may not read it; check its permissions, or run as the user who may"
                }
                (std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem, _) => {
                    "it cannot be written; check its permissions and how it is mounted, or name another place with --library DIR"
                }
                (std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded, _) => {
                    "make room, then run the same command again"
                }
                _ => "nothing was changed; check the card and the disk, then run the same command again",
            };
            Error::start(text).hint(hint)
        }
        E::Catalog(error) => catalog_error(error),
    }
}

/// A wrong template, with the command that was probably meant.
pub(super) fn template(text: &str, wrong: &TemplateError) -> Error {
    let error = Error::usage(format!("--name {text:?}: {wrong}"));
    match meant(text, wrong) {
        Some(meant) => error.hint(format!("you probably meant {meant}")),
        None => error,
    }
}

fn meant(text: &str, wrong: &TemplateError) -> Option<String> {
    let path = std::path::Path::new(text);
    let name = |template: &str| format!("--name {}", quoted(std::path::Path::new(template)));
    match wrong {
        TemplateError::Absolute => {
            // What comes before the first token is the library.
            let is_plain = |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains('{');
            let library: std::path::PathBuf = path.components().take_while(is_plain).collect();
            let rest: std::path::PathBuf = path.components().skip_while(is_plain).collect();
            let library = format!("--library {}", quoted(&library));
            Some(if rest.as_os_str().is_empty() {
                library
            } else {
                format!("{library} {}", name(&rest.to_string_lossy()))
            })
        }
        TemplateError::Unknown { token, nearest: Some(nearest) } => {
            Some(name(&text.replace(&format!("{{{token}"), &format!("{{{nearest}"))))
        }
        TemplateError::Upwards | TemplateError::EmptyPart => {
            let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
            (!parts.is_empty()).then(|| name(&parts.join("/")))
        }
        TemplateError::Empty => Some(name("{year}/{date}/{name}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(text: &str) -> String {
        let wrong = text.parse::<lightfast_import::Template>().unwrap_err();
        let error = template(text, &wrong);
        assert_eq!(error.kind(), Exit::Usage);
        error.next().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_wrong_template_comes_with_the_command_that_was_probably_meant() {
        assert_eq!(hint("/photos/{year}/{name}"), "you probably meant --library /photos --name '{year}/{name}'");
        assert_eq!(hint("/photos"), "you probably meant --library /photos");
        assert_eq!(hint("../{name}"), "you probably meant --name '{name}'");
        assert_eq!(hint("{yaer}/{name}"), "you probably meant --name '{year}/{name}'");
        assert_eq!(hint(""), "you probably meant --name '{year}/{date}/{name}'");
    }
}
