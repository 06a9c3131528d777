//! A small language for these tests: a shelf is a catalogue with one root and one open session; `file` says
//! what is put on it.

use std::path::Path;

use jiff::Timestamp;
use jiff::civil::{DateTime, date};
use lightfast_catalog::{CardIdentity, Catalog, Intent, IntentId, NewSession, Published, Query, RootId, Sort};
use lightfast_model::{
    BytePath, CaptureTime, ContentHash, Facts, Kind, Orientation, Photo, PhotoId, PhotoKind, Preview, PreviewSource,
    QuickKey, Ratio, Role, SessionId, TimeSource, Verified,
};

pub(crate) const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

pub(crate) fn path(text: &str) -> BytePath {
    BytePath::from_bytes(text.as_bytes())
}

pub(crate) fn photo_id(n: u8) -> PhotoId {
    PhotoId::from_random([n; 10])
}

pub(crate) fn hash(n: u8) -> ContentHash {
    ContentHash([n; 32])
}

pub(crate) fn today() -> jiff::civil::Date {
    date(2026, 11, 30)
}

/// A file to be published.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) source: BytePath,
    pub(crate) path: BytePath,
    pub(crate) photo: PhotoId,
    pub(crate) role: Role,
    pub(crate) kind: PhotoKind,
    pub(crate) content: u8,
    pub(crate) verified: Verified,
    pub(crate) taken: DateTime,
    pub(crate) taken_from: TimeSource,
    pub(crate) facts: Facts,
}

/// A RAW of its own photo; number and content are the same.
pub(crate) fn raw(n: u8) -> File {
    let taken = date(2009, 7, 12).at(14, 3, 22, 450_000_000);
    File {
        source: path(&format!("DCIM/100EOS5D/IMG_{n:04}.CR2")),
        path: path(&format!("2009/2009-07-12/IMG_{n:04}.CR2")),
        photo: photo_id(n),
        role: Role::Raw,
        kind: PhotoKind::Photo,
        content: n,
        verified: Verified::Cold,
        taken,
        taken_from: TimeSource::Exif,
        facts: Facts {
            kind: Kind::Raw,
            format: Some("CR2"),
            taken: None,
            make: Some("Canon".to_owned()),
            model: Some("Canon EOS 5D Mark II".to_owned()),
            serial: Some("0123456789".to_owned()),
            lens: Some("EF70-200mm f/4L USM".to_owned()),
            iso: Some(1600),
            iso_auto: Some(true),
            exposure: Some(Ratio { num: 1, den: 250 }),
            aperture: Some(4.0),
            focal_length: Some(200.0),
            width: Some(5616),
            height: Some(3744),
            orientation: Orientation::UPRIGHT,
            previews: vec![preview(5616, 3744), preview(160, 120)],
            ..Facts::default()
        },
    }
}

/// A JPEG without facts, of its own photo.
pub(crate) fn jpeg(n: u8) -> File {
    File {
        source: path(&format!("DCIM/100EOS5D/IMG_{n:04}.JPG")),
        path: path(&format!("2009/2009-07-12/IMG_{n:04}.JPG")),
        role: Role::Jpeg,
        facts: Facts { kind: Kind::Jpeg, format: Some("JPEG"), ..Facts::default() },
        ..raw(n)
    }
}

pub(crate) fn preview(width: u32, height: u32) -> Preview {
    let orientation = Orientation::UPRIGHT;
    Preview { source: PreviewSource::Jpeg, offset: 100, length: 1000, width, height, orientation }
}

pub(crate) struct Shelf {
    pub(crate) catalog: Catalog,
    pub(crate) root: RootId,
    pub(crate) session: SessionId,
}

pub(crate) fn new_session(card: &str) -> NewSession {
    NewSession {
        source: path("/media/EOS_DIGITAL"),
        card: CardIdentity { id: card.to_owned(), label: Some("EOS_DIGITAL".to_owned()) },
        started: NOW,
        job: Some("wedding".to_owned()),
        options_json: "{}".to_owned(),
    }
}

impl Shelf {
    pub(crate) fn new() -> Self {
        Self::on(Catalog::in_memory().unwrap())
    }

    pub(crate) fn on(mut catalog: Catalog) -> Self {
        let root = catalog.root_for("root-1", Path::new("/library")).unwrap();
        let session = catalog.begin_session(&new_session("ABCD-1234")).unwrap();
        Self { catalog, root, session }
    }

    pub(crate) fn with(files: &[File]) -> Self {
        let mut shelf = Self::new();
        shelf.put(files);
        shelf
    }

    pub(crate) fn intend(&mut self, files: &[File]) -> Vec<IntentId> {
        let intents: Vec<Intent> = files
            .iter()
            .map(|file| Intent {
                root: self.root,
                source: file.source.clone(),
                size: size(file.content),
                mtime_ns: i64::from(file.content),
                path: file.path.clone(),
                temp: path("incoming/x"),
                photo: file.photo.clone(),
                role: file.role,
                group: 1,
                seq: Some(7),
            })
            .collect();
        self.catalog.intend(self.session, &intents).unwrap()
    }

    pub(crate) fn published(files: &[File], intents: &[IntentId]) -> Vec<Published> {
        files.iter().zip(intents).map(|(file, intent)| published(file, *intent)).collect()
    }

    pub(crate) fn put(&mut self, files: &[File]) -> Vec<IntentId> {
        let intents = self.intend(files);
        self.catalog.publish(self.session, &Self::published(files, &intents)).unwrap();
        intents
    }

    pub(crate) fn all(&self) -> Vec<Photo> {
        self.catalog.photos(&Query::all(), Sort::default(), None, 0).unwrap()
    }

    pub(crate) fn find(&self, text: &str) -> Vec<Photo> {
        let query = Query::parse(text, today()).unwrap();
        let found = self.catalog.photos(&query, Sort::default(), None, 0).unwrap();
        assert_eq!(self.catalog.count(&query).unwrap(), found.len() as u64, "count and page differ for {text}");
        found
    }

    /// The numbers of the photos that match, as `photo_id` made them.
    pub(crate) fn numbers(&self, text: &str) -> Vec<u8> {
        let found = self.find(text);
        found.iter().map(|p| (0..=255).find(|n| photo_id(*n) == p.id).unwrap()).collect()
    }
}

pub(crate) fn size(content: u8) -> u64 {
    1_000_000 + u64::from(content)
}

pub(crate) fn published(file: &File, intent: IntentId) -> Published {
    Published {
        intent,
        path: file.path.clone(),
        hash: hash(file.content),
        quick: QuickKey(u128::from(file.content)),
        size: size(file.content),
        mtime_ns: 1_247_407_402_000_000_000 + i64::from(file.content),
        verified: file.verified,
        verified_at: NOW,
        facts: Some(file.facts.clone()),
        taken: CaptureTime { local: file.taken, fraction_digits: 2, utc_offset: Some(7200), from: file.taken_from },
        kind: file.kind,
    }
}
