//! Unmounting a card that is safe to format, and only such a one.

use std::path::Path;
use std::process::{Command, Stdio};

use lightfast_import::{Mount, mounts, unmount};
use lightfast_model::Report;

use crate::context::Context;

/// Unmounts each source that its own verdict calls safe.
pub(super) fn eject(report: &Report, sources: &[std::path::PathBuf], context: &Context) {
    for source in sources {
        let own = report.sources.iter().find(|verdict| verdict.source.as_path() == source);
        let safe = own.map_or(report.safe_to_format, |verdict| verdict.safe_to_format);
        let shown = context.shown(source);
        if safe != Some(true) {
            context.ui.remark(format!("{shown} stays mounted: it is not safe to format"));
            continue;
        }
        match eject_one(source) {
            Ok(true) => context.ui.remark(format!("Ejected {shown}")),
            Ok(false) => {
                context.ui.warn(format!("{shown} is a folder and not a mounted card; there is nothing to eject"))
            }
            Err(why) => context.ui.warn(format!("could not eject {shown}: {why}")),
        }
    }
}

/// Whether it was a mounted card, and is not mounted any more.
fn eject_one(source: &Path) -> Result<bool, String> {
    let mounts = mounts().map_err(|error| error.to_string())?;
    let Some(mount) = mounts.iter().rev().find(|mount| mount.point == source) else { return Ok(false) };
    match unmount(&mount.point) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => by_service(mount).map(|()| true),
        Err(error) => Err(error.to_string()),
    }
}

/// Asks the desktop's disk service, which may unmount what this user mounted.
fn by_service(mount: &Mount) -> Result<(), String> {
    let output = Command::new("udisksctl")
        .args(["unmount", "--no-user-interaction", "-b"])
        .arg(&mount.device)
        .stdin(Stdio::null())
        .output()
        .map_err(|_| "it takes more rights than you have here".to_owned())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("the disk service refused").to_owned())
}
