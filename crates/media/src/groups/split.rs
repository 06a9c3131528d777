//! Files of one name that are not one photo after all, and files of two names that are.
//!
//! Pictures join only if they can have been taken with the same press of the button: their times agree, or nothing is
//! known against it. Companions go where their name points, else where their time does, else to the RAW, else to the first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use jiff::civil::DateTime;
use lightfast_model::{CaptureTime, Kind, TimeSource};

use super::names::Place;
use super::{GroupInput, stands};

/// Seconds that a RAW and its JPEG may lie apart: a long exposure's two files can bear its beginning and its end.
const STILLS: i64 = 60;
/// Seconds between a still and the clip of a Live Photo whose identifier is lost.
const LIVE: i64 = 5;
/// Seconds that the chapters of one recording may span.
const RECORDING: i64 = 24 * 3600;

/// Splits files of one name into photos.
pub(super) fn split(files: &[GroupInput], places: &[Place], bucket: &[usize]) -> Vec<Vec<usize>> {
    let mut clusters: Vec<Vec<usize>> = Vec::new();
    let file = |index: usize| files.get(index);
    let (primary, companions): (Vec<usize>, Vec<usize>) =
        bucket.iter().copied().partition(|&index| file(index).is_some_and(stands));
    for index in primary {
        let Some(own) = file(index) else { continue };
        let fits = |cluster: &Vec<usize>| cluster.iter().filter_map(|&i| file(i)).all(|other| can_be_one(own, other));
        match clusters.iter_mut().find(|cluster| fits(cluster)) {
            Some(cluster) => cluster.push(index),
            None => clusters.push(vec![index]),
        }
    }
    for index in companions {
        let name = places.get(index).and_then(|place| place.of_file.as_ref());
        let is_named =
            |i: usize| file(i).and_then(|f| f.path.file_name()).is_some_and(|f| Some(&f.to_ascii_uppercase()) == name);
        let named = clusters.iter().position(|cluster| cluster.iter().any(|&i| is_named(i)));
        let raw = || {
            clusters.iter().position(|cluster| cluster.iter().any(|&i| file(i).is_some_and(|f| f.kind == Kind::Raw)))
        };
        let own = file(index).filter(|own| own.taken.is_some_and(|t| t.from != TimeSource::File));
        let of_its_time = || {
            let own = own?;
            clusters.iter().position(|cluster| cluster.iter().filter_map(|&i| file(i)).all(|f| can_be_one(own, f)))
        };
        let to = named.or_else(of_its_time).or_else(raw).unwrap_or(0);
        match clusters.get_mut(to) {
            Some(cluster) => cluster.push(index),
            None => clusters.push(vec![index]),
        }
    }
    clusters
}

/// Whether two pictures or clips of the same name can come from one press of the button.
fn can_be_one(a: &GroupInput, b: &GroupInput) -> bool {
    let clips = [a, b].iter().filter(|file| file.kind == Kind::Video).count();
    if clips == 1
        && let (Some(one), Some(other)) = (&a.content_id, &b.content_id)
    {
        return one == other;
    }
    let (Some(one), Some(other)) = (&a.taken, &b.taken) else { return true };
    if one.from == TimeSource::File || other.from == TimeSource::File {
        return true;
    }
    match clips {
        0 => apart(one, other) <= STILLS,
        1 => apart(one, other) <= LIVE,
        _ => apart(one, other) <= RECORDING,
    }
}

/// Seconds between two times; where only one is an instant, as near as a zone could bring them.
fn apart(a: &CaptureTime, b: &CaptureTime) -> i64 {
    let seconds = |x: DateTime, y: DateTime| x.duration_since(y).as_secs();
    let local = seconds(a.local, b.local);
    match (a.utc_offset, b.utc_offset) {
        (Some(one), Some(other)) => (local - i64::from(one) + i64::from(other)).abs(),
        (None, None) => local.abs(),
        _ => {
            let quarters = (local as f64 / 900.0).round() as i64;
            if quarters.abs() <= 14 * 4 { (local - quarters * 900).abs() } else { local.abs() }
        }
    }
}

/// Joins the still and the clip of a Live Photo in one folder that bear different names.
pub(super) fn join_live_photos(files: &[GroupInput], clusters: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut joined: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<(PathBuf, String), usize> = HashMap::new();
    for cluster in clusters {
        let key = cluster.iter().filter_map(|&i| files.get(i)).find_map(|file| {
            let id = file.content_id.clone()?;
            Some((file.path.parent().map(Path::to_path_buf).unwrap_or_default(), id))
        });
        match key.as_ref().and_then(|key| known.get(key)).and_then(|&at| joined.get_mut(at)) {
            Some(other) => other.extend(cluster),
            None => {
                known.extend(key.map(|key| (key, joined.len())));
                joined.push(cluster);
            }
        }
    }
    joined
}
