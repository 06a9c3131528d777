//! The columns of a photo, as a value: made from a file's facts, merged when another file of the same photo
//! arrives, written and read.

use lightfast_model::{Flag, Label, PhotoKind, Role};
use rusqlite::{Connection, Row, named_params};

use crate::Result;
use crate::codes::{self, Code as _, term};
use crate::error::Doing as _;
use crate::writer::{Arrival, Writer, file_name};

/// The columns of a photo that files decide. Times and small words are as stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PhotoRow {
    pub(crate) uid: String,
    pub(crate) kind: i64,
    pub(crate) taken: i64,
    pub(crate) taken_nanos: i64,
    pub(crate) taken_digits: i64,
    pub(crate) taken_from: i64,
    pub(crate) utc_offset: Option<i32>,
    pub(crate) rating: i64,
    pub(crate) flag: i64,
    pub(crate) label: i64,
    pub(crate) marked: bool,
    pub(crate) camera: Option<i64>,
    pub(crate) make: Option<i64>,
    pub(crate) serial: Option<i64>,
    pub(crate) lens: Option<i64>,
    pub(crate) job: Option<i64>,
    pub(crate) iso: Option<u32>,
    pub(crate) iso_auto: Option<bool>,
    pub(crate) exposure: (Option<i64>, Option<i64>),
    pub(crate) aperture: Option<f64>,
    pub(crate) focal: Option<f64>,
    pub(crate) size: (Option<u32>, Option<u32>),
    pub(crate) orientation: i64,
    pub(crate) duration: Option<f64>,
    pub(crate) place: (Option<f64>, Option<f64>, Option<f64>),
    pub(crate) file_number: Option<i64>,
    pub(crate) name: String,
    pub(crate) role: i64,
    pub(crate) file: i64,
    pub(crate) session: Option<i64>,
    pub(crate) imported: i64,
    pub(crate) trashed: bool,
}

impl PhotoRow {
    /// What a file alone would make of its photo.
    pub(crate) fn of(writer: &mut Writer<'_>, arrival: &Arrival<'_>) -> Result<Self> {
        let facts = arrival.facts;
        let rating = facts.and_then(|f| f.rating).unwrap_or(0);
        let taken = arrival.taken;
        let video = facts.and_then(|f| f.video.as_ref());
        let gps = facts.and_then(|f| f.gps);
        let exposure = facts.and_then(|f| f.exposure).filter(|e| e.den != 0);
        Ok(Self {
            uid: arrival.uid.as_str().to_owned(),
            kind: arrival.kind.code(),
            taken: codes::civil_micros(taken.local),
            taken_nanos: i64::from(taken.local.subsec_nanosecond() % 1_000),
            taken_digits: i64::from(taken.fraction_digits),
            taken_from: taken.from.code(),
            utc_offset: taken.utc_offset,
            rating: i64::from(rating.clamp(0, 5)),
            flag: facts.and_then(|f| f.flag).or((rating < 0).then_some(Flag::Reject)).map_or(0, Flag::code),
            label: facts.and_then(|f| f.label.as_deref()).and_then(Label::from_words).map_or(0, Label::code),
            marked: false,
            camera: writer.term(term::CAMERA, facts.and_then(|f| f.model.as_deref()))?,
            make: writer.term(term::MAKE, facts.and_then(|f| f.make.as_deref()))?,
            serial: writer.term(term::SERIAL, facts.and_then(|f| f.serial.as_deref()))?,
            lens: writer.term(term::LENS, facts.and_then(|f| f.lens.as_deref()))?,
            job: writer.term(term::JOB, arrival.job)?,
            iso: facts.and_then(|f| f.iso),
            iso_auto: facts.and_then(|f| f.iso_auto),
            exposure: exposure.map_or((None, None), |e| (Some(codes::size(e.num)), Some(codes::size(e.den)))),
            aperture: finite(facts.and_then(|f| f.aperture)),
            focal: finite(facts.and_then(|f| f.focal_length)),
            size: (facts.and_then(|f| f.width), facts.and_then(|f| f.height)),
            orientation: i64::from(facts.map_or(1, |f| f.orientation.value())),
            duration: finite(video.and_then(|v| v.duration)),
            place: gps.map_or((None, None, None), |g| {
                (finite(Some(g.latitude)), finite(Some(g.longitude)), finite(g.altitude))
            }),
            file_number: facts.and_then(|f| f.file_number).map(codes::size),
            name: file_name(arrival.path),
            role: arrival.role.code(),
            file: arrival.file.0,
            session: arrival.session.map(|s| s.0),
            imported: codes::micros(arrival.imported),
            trashed: false,
        })
    }

    /// This photo after another of its files has come: a more primary one decides, a lesser one fills gaps.
    /// Only pictures say how large the photo is. A capture time goes by trust, then by rank. Marks that a
    /// person made are never touched.
    pub(crate) fn merged(&self, new: &Self, picture: bool) -> Self {
        let leads = picture && new.role < self.role;
        let (first, second) = if leads { (new, self) } else { (self, new) };
        let clip = PhotoKind::Video.code();
        let sizes_from = |row: &Self| row.role <= Role::Video.code();
        let mut out = Self {
            uid: self.uid.clone(),
            kind: if first.kind == clip && second.kind != clip && leads { clip } else { first.kind },
            camera: first.camera.or(second.camera),
            make: first.make.or(second.make),
            serial: first.serial.or(second.serial),
            lens: first.lens.or(second.lens),
            job: self.job.or(new.job),
            iso: first.iso.or(second.iso),
            iso_auto: first.iso_auto.or(second.iso_auto),
            exposure: if first.exposure.0.is_some() { first.exposure } else { second.exposure },
            aperture: first.aperture.or(second.aperture),
            focal: first.focal.or(second.focal),
            duration: first.duration.or(second.duration),
            place: if first.place.0.is_some() { first.place } else { second.place },
            file_number: first.file_number.or(second.file_number),
            marked: self.marked,
            session: self.session,
            imported: self.imported,
            trashed: self.trashed,
            rating: self.rating,
            flag: self.flag,
            label: self.label,
            ..first.clone()
        };
        if first.size.0.is_none() && sizes_from(second) {
            out.size = second.size;
            out.orientation = second.orientation;
        }
        let time = if second.taken_from < first.taken_from { second } else { first };
        out.taken = time.taken;
        out.taken_nanos = time.taken_nanos;
        out.taken_digits = time.taken_digits;
        out.taken_from = time.taken_from;
        out.utc_offset = time.utc_offset;
        if !self.marked {
            if self.rating == 0 {
                out.rating = new.rating;
            }
            if self.flag == 0 {
                out.flag = new.flag;
            }
            if self.label == 0 {
                out.label = new.label;
            }
        }
        out
    }

    pub(crate) fn insert(&self, db: &Connection, revision: i64) -> Result<i64> {
        db.prepare_cached(
            "INSERT INTO photo (uid, kind, taken, taken_nanos, taken_digits, taken_from, utc_offset, rating, flag, label, \
               camera, make, serial, lens, job, iso, iso_auto, exposure_num, exposure_den, aperture, focal, width, \
               height, orientation, duration, latitude, longitude, altitude, file_number, name, role, file, session, \
               imported, revision) \
             VALUES (:uid, :kind, :taken, :taken_nanos, :taken_digits, :taken_from, :utc_offset, :rating, :flag, :label, \
               :camera, :make, :serial, :lens, :job, :iso, :iso_auto, :exposure_num, :exposure_den, :aperture, :focal, \
               :width, :height, :orientation, :duration, :latitude, :longitude, :altitude, :file_number, :name, :role, \
               :file, :session, :imported, :revision)",
        )
        .and_then(|mut s| {
            s.insert(named_params! {
                ":uid": self.uid, ":kind": self.kind, ":taken": self.taken, ":taken_nanos": self.taken_nanos,
                ":taken_digits": self.taken_digits, ":taken_from": self.taken_from, ":utc_offset": self.utc_offset,
                ":rating": self.rating, ":flag": self.flag, ":label": self.label, ":camera": self.camera, ":make": self.make,
                ":serial": self.serial, ":lens": self.lens, ":job": self.job, ":iso": self.iso,
                ":iso_auto": self.iso_auto, ":exposure_num": self.exposure.0, ":exposure_den": self.exposure.1,
                ":aperture": self.aperture, ":focal": self.focal, ":width": self.size.0, ":height": self.size.1,
                ":orientation": self.orientation, ":duration": self.duration, ":latitude": self.place.0,
                ":longitude": self.place.1, ":altitude": self.place.2, ":file_number": self.file_number,
                ":name": self.name, ":role": self.role, ":file": self.file, ":session": self.session,
                ":imported": self.imported, ":revision": revision,
            })
        })
        .doing("note a photo")
    }

    pub(crate) fn update(&self, db: &Connection, photo: i64, revision: i64) -> Result<()> {
        db.prepare_cached(
            "UPDATE photo SET kind = :kind, taken = :taken, taken_nanos = :taken_nanos, taken_digits = :taken_digits, \
               taken_from = :taken_from, utc_offset = :utc_offset, rating = :rating, flag = :flag, label = :label, camera = :camera, \
               make = :make, serial = :serial, lens = :lens, job = :job, iso = :iso, iso_auto = :iso_auto, \
               exposure_num = :exposure_num, exposure_den = :exposure_den, aperture = :aperture, focal = :focal, \
               width = :width, height = :height, orientation = :orientation, duration = :duration, \
               latitude = :latitude, longitude = :longitude, altitude = :altitude, file_number = :file_number, \
               name = :name, role = :role, file = :file, revision = :revision WHERE id = :id",
        )
        .and_then(|mut s| {
            s.execute(named_params! {
                ":id": photo, ":kind": self.kind, ":taken": self.taken, ":taken_nanos": self.taken_nanos,
                ":taken_digits": self.taken_digits, ":taken_from": self.taken_from, ":utc_offset": self.utc_offset,
                ":rating": self.rating, ":flag": self.flag, ":label": self.label, ":camera": self.camera, ":make": self.make,
                ":serial": self.serial, ":lens": self.lens, ":job": self.job, ":iso": self.iso,
                ":iso_auto": self.iso_auto, ":exposure_num": self.exposure.0, ":exposure_den": self.exposure.1,
                ":aperture": self.aperture, ":focal": self.focal, ":width": self.size.0, ":height": self.size.1,
                ":orientation": self.orientation, ":duration": self.duration, ":latitude": self.place.0,
                ":longitude": self.place.1, ":altitude": self.place.2, ":file_number": self.file_number,
                ":name": self.name, ":role": self.role, ":file": self.file, ":revision": revision,
            })
        })
        .doing("note a photo")?;
        Ok(())
    }

    pub(crate) fn read(db: &Connection, photo: i64) -> Result<Self> {
        db.prepare_cached("SELECT * FROM photo WHERE id = ?1")
            .and_then(|mut s| s.query_row([photo], Self::from_row))
            .doing("read a photo")
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let trashed: Option<i64> = row.get("trashed")?;
        Ok(Self {
            uid: row.get("uid")?,
            kind: row.get("kind")?,
            taken: row.get("taken")?,
            taken_nanos: row.get("taken_nanos")?,
            taken_digits: row.get("taken_digits")?,
            taken_from: row.get("taken_from")?,
            utc_offset: row.get("utc_offset")?,
            rating: row.get("rating")?,
            flag: row.get("flag")?,
            label: row.get("label")?,
            marked: row.get("marked")?,
            camera: row.get("camera")?,
            make: row.get("make")?,
            serial: row.get("serial")?,
            lens: row.get("lens")?,
            job: row.get("job")?,
            iso: row.get("iso")?,
            iso_auto: row.get("iso_auto")?,
            exposure: (row.get("exposure_num")?, row.get("exposure_den")?),
            aperture: row.get("aperture")?,
            focal: row.get("focal")?,
            size: (row.get("width")?, row.get("height")?),
            orientation: row.get("orientation")?,
            duration: row.get("duration")?,
            place: (row.get("latitude")?, row.get("longitude")?, row.get("altitude")?),
            file_number: row.get("file_number")?,
            name: row.get("name")?,
            role: row.get("role")?,
            file: row.get("file")?,
            session: row.get("session")?,
            imported: row.get("imported")?,
            trashed: trashed.is_some(),
        })
    }
}

/// A number that can be stored and shown.
fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite())
}
