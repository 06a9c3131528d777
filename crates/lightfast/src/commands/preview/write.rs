//! Writing one JPEG where the person said: whole or not at all, and never over the file it came from.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use lightfast_media::Upright;

use crate::context::Context;
use crate::error::Error;

/// Writes a picture that is in memory.
pub(super) fn jpeg(output: &Path, jpeg: &[u8], context: &Context) -> Result<(), Error> {
    to(output, None, context, |out| out.write_all(jpeg))
}

/// Copies `length` bytes with the change that makes the picture upright.
pub(super) fn copied(
    output: &Path,
    original: &Path,
    from: &mut File,
    length: u64,
    change: &Upright,
    context: &Context,
) -> Result<(), Error> {
    to(output, Some(original), context, |out| {
        let (at, skip, put): (usize, usize, &[u8]) = match change {
            Upright::AsIs => (0, 0, &[]),
            Upright::Replace { offset, bytes } => (*offset, bytes.len(), bytes),
            Upright::Insert { offset, bytes } => (*offset, 0, bytes),
        };
        let mut rest = from.take(length);
        io::copy(&mut rest.by_ref().take(at as u64), out)?;
        out.write_all(put)?;
        io::copy(&mut rest.by_ref().take(skip as u64), &mut io::sink())?;
        io::copy(&mut rest, out)?;
        if rest.limit() > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the original ended early"));
        }
        Ok(())
    })
}

fn to(
    output: &Path,
    original: Option<&Path>,
    context: &Context,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    let failed = |error| Error::start(format!("cannot write {}", output.display())).because(error);
    if output == Path::new("-") {
        if context.ui.is_terminal() {
            return Err(Error::usage("a JPEG would only make noise on a terminal").hint("name a file with -o FILE"));
        }
        let mut bytes = Vec::new();
        fill(&mut bytes).map_err(failed)?;
        context.ui.raw(&bytes);
        return Ok(());
    }
    refuse_originals(output, original, context)?;
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temp = tempfile::Builder::new()
        .prefix(".lightfast-")
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(failed)?;
    fill(temp.as_file_mut()).map_err(failed)?;
    temp.persist(output).map_err(|error| failed(error.error))?;
    if !context.ui.is_json() {
        context.ui.line(format!("Wrote {}", context.shown(output)));
    }
    Ok(())
}

/// A preview is never written over a file of a library, nor over the file that it comes from.
fn refuse_originals(output: &Path, original: Option<&Path>, context: &Context) -> Result<(), Error> {
    let Ok(there) = std::fs::metadata(output) else { return Ok(()) };
    let same = original
        .and_then(|path| std::fs::metadata(path).ok())
        .is_some_and(|from| from.ino() == there.ino() && from.dev() == there.dev());
    let library = context.library().ok().and_then(|path| std::fs::canonicalize(path).ok());
    let inside =
        std::fs::canonicalize(output).ok().zip(library).is_some_and(|(file, library)| file.starts_with(library));
    if same || inside {
        return Err(Error::usage(format!("{} is an original; a preview is never written over one", output.display())));
    }
    if there.is_dir() {
        return Err(Error::usage(format!("{} is a folder", output.display())).hint("name a file with -o FILE"));
    }
    Ok(())
}
