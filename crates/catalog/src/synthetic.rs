//! Made catalogues, for measuring and for tests at sizes that nobody has at hand. The same seed gives the same
//! catalogue. The photos have no files on any disk; their distribution is that of a photographer with a few
//! cameras: bursts, a third with a JPEG beside the RAW, some clips, few marks.

use std::path::Path;

use jiff::{Timestamp, ToSpan as _, civil::date};
use lightfast_model::{
    BytePath, CaptureTime, ContentHash, Facts, Gps, Kind, Orientation, PhotoId, PhotoKind, Preview, PreviewSource,
    QuickKey, Ratio, Role, SessionId, TimeSource, Verified, Video,
};

use crate::error::Doing as _;
use crate::types::{CardIdentity, Intent, IntentId, NewSession, Published};
use crate::writer::{Arrival, NewCopy, NewFile, Writer};
use crate::{Catalog, Result, RootId, tally};

const CAMERAS: &[(&str, &str)] = &[
    ("Canon", "Canon EOS 5D Mark II"),
    ("Canon", "Canon EOS 5D Mark II"),
    ("Canon", "Canon EOS R5"),
    ("NIKON CORPORATION", "NIKON D700"),
    ("SONY", "ILCE-7M3"),
    ("Apple", "iPhone XR"),
];
const LENSES: &[(&str, f64, f64)] = &[
    ("EF70-200mm f/4L USM", 70.0, 4.0),
    ("EF24-105mm f/4L IS USM", 24.0, 4.0),
    ("EF50mm f/1.8 II", 50.0, 1.8),
    ("AF-S NIKKOR 24-70mm f/2.8G ED", 35.0, 2.8),
    ("FE 85mm F1.8", 85.0, 1.8),
    ("RF100-500mm F4.5-7.1 L IS USM", 400.0, 7.1),
];
const ISOS: &[u32] = &[50, 100, 100, 100, 200, 200, 400, 400, 800, 1600, 3200, 6400, 12_800];
const WORDS: &[&str] = &[
    "beach", "harbour", "wedding", "forest", "night", "portrait", "dog", "market", "train", "snow", "bride", "street",
    "river", "concert", "child", "kitchen", "mountain", "summer", "dance", "garden",
];

/// Photos in one session.
const PER_SESSION: u32 = 1_000;

/// Small and fast numbers (SplitMix64): the same seed, the same numbers.
#[derive(Debug)]
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len() as u64) as usize)
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        for chunk in out.chunks_mut(8) {
            let word = self.next().to_le_bytes();
            for (to, from) in chunk.iter_mut().zip(word) {
                *to = from;
            }
        }
        out
    }
}

/// Adds made photos to a catalogue.
pub fn fill(catalog: &mut Catalog, photos: u32, seed: u64) -> Result<()> {
    let mut numbers = Numbers(seed);
    let root = catalog.root_for("synthetic", Path::new("/synthetic"))?;
    // Nobody's work: it need not survive a power cut.
    catalog.db.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144;").doing("fill")?;
    let transaction = catalog.writing()?;
    tally::suspend(&transaction)?;
    transaction.commit().doing("fill")?;
    let mut taken = date(2006, 1, 1).at(9, 0, 0, 0);
    for first in (0..photos).step_by(PER_SESSION as usize) {
        let session = catalog.begin_session(&NewSession {
            source: Path::new("/media/EOS_DIGITAL").into(),
            card: CardIdentity { id: format!("CARD-{}", numbers.below(20)), label: None },
            started: Timestamp::UNIX_EPOCH,
            job: numbers.one_in(3).then(|| format!("job {}", first / PER_SESSION)),
            options_json: "{}".to_owned(),
        })?;
        let transaction = catalog.writing()?;
        {
            let mut writer = Writer::begin(&transaction)?;
            for n in first..(first + PER_SESSION).min(photos) {
                let pause = if numbers.one_in(40) { numbers.below(200_000) } else { numbers.below(20) };
                let step = (pause.cast_signed() * 333).milliseconds();
                taken = taken.checked_add(step).unwrap_or(taken);
                photo(&mut writer, &mut numbers, root, session, n, taken)?;
            }
            writer.finish()?;
        }
        transaction.commit().doing("fill")?;
    }
    let transaction = catalog.writing()?;
    tally::recount(&transaction)?;
    transaction.execute_batch("ANALYZE").doing("fill")?;
    transaction.commit().doing("fill")?;
    catalog.db.execute_batch("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;").doing("fill")
}

fn photo(
    writer: &mut Writer<'_>,
    numbers: &mut Numbers,
    root: RootId,
    session: SessionId,
    n: u32,
    taken: jiff::civil::DateTime,
) -> Result<()> {
    let video = numbers.one_in(25);
    let facts = facts(numbers, video);
    let (role, suffix) = if video { (Role::Video, "MOV") } else { (Role::Raw, "CR2") };
    let uid = PhotoId::from_random(numbers.bytes());
    let mut member = |writer: &mut Writer<'_>, role: Role, suffix: &str, facts: &Facts| -> Result<()> {
        let path = BytePath::from_bytes(
            format!("{}/{}/IMG_{:04}-{n}.{suffix}", taken.year(), taken.date(), n % 10_000).as_bytes(),
        );
        let source = BytePath::from_bytes(format!("DCIM/100EOS5D/IMG_{:04}.{suffix}", n % 10_000).as_bytes());
        let hash = ContentHash(numbers.bytes());
        let size = 20_000_000 + numbers.below(8_000_000);
        let quick = Some(QuickKey(u128::from(numbers.next())));
        let file = writer.file(&NewFile { hash, size, quick, facts: Some(facts) })?;
        let verified = Some(Verified::Cold);
        let at = Timestamp::UNIX_EPOCH + (i64::from(n) * 60).seconds();
        writer.copy(&NewCopy {
            file,
            root,
            path: &path,
            mtime_ns: i64::from(n),
            verified,
            verified_at: at,
            session: Some(session),
        })?;
        writer.arrive(&Arrival {
            file,
            uid: &uid,
            role,
            kind: if video { PhotoKind::Video } else { PhotoKind::Photo },
            taken: CaptureTime { local: taken, fraction_digits: 2, utc_offset: None, from: TimeSource::Exif },
            facts: Some(facts),
            path: &path,
            source: &source,
            job: None,
            session: Some(session),
            imported: at,
        })
    };
    member(writer, role, suffix, &facts)?;
    if !video && n.is_multiple_of(3) {
        member(writer, Role::Jpeg, "JPG", &Facts { keywords: Vec::new(), previews: Vec::new(), ..facts.clone() })?;
    }
    Ok(())
}

/// Made files, a batch at a time, as an import publishes them.
#[derive(Debug)]
pub struct Batches {
    catalog: Catalog,
    numbers: Numbers,
    root: RootId,
    session: SessionId,
    files: u32,
}

impl Batches {
    /// Begins a session in a catalogue.
    pub fn begin(mut catalog: Catalog, seed: u64) -> Result<Self> {
        let root = catalog.root_for("synthetic", Path::new("/synthetic"))?;
        let session = catalog.begin_session(&NewSession {
            source: Path::new("/media/EOS_DIGITAL").into(),
            card: CardIdentity { id: "CARD".to_owned(), label: None },
            started: Timestamp::UNIX_EPOCH,
            job: None,
            options_json: "{}".to_owned(),
        })?;
        Ok(Self { catalog, numbers: Numbers(seed), root, session, files: 0 })
    }

    /// Journals the next files, and gives what publishes them.
    pub fn intend(&mut self, files: usize) -> Result<Vec<Published>> {
        let mut intents = Vec::with_capacity(files);
        for _ in 0..files {
            self.files += 1;
            let name = format!("IMG_{:06}.CR2", self.files);
            intents.push(Intent {
                root: self.root,
                source: Path::new("DCIM/100EOS5D").join(&name).into(),
                size: 20_000_000 + self.numbers.below(8_000_000),
                mtime_ns: i64::from(self.files),
                path: Path::new("2009/2009-07-12").join(&name).into(),
                temp: Path::new(".lightfast/incoming/1").join(&name).into(),
                photo: PhotoId::from_random(self.numbers.bytes()),
                role: Role::Raw,
                group: self.files,
                seq: Some(self.files),
            });
        }
        let ids = self.catalog.intend(self.session, &intents)?;
        let numbers = &mut self.numbers;
        let publish = |(id, intent): (IntentId, Intent)| Published {
            intent: id,
            path: intent.path,
            hash: ContentHash(numbers.bytes()),
            quick: QuickKey(u128::from(numbers.next())),
            size: intent.size,
            mtime_ns: intent.mtime_ns,
            verified: Verified::Cold,
            verified_at: Timestamp::UNIX_EPOCH,
            facts: Some(facts(numbers, false)),
            taken: CaptureTime {
                local: date(2009, 7, 12).at(14, 3, 22, 0),
                fraction_digits: 2,
                utc_offset: None,
                from: TimeSource::Exif,
            },
            kind: PhotoKind::Photo,
        };
        Ok(ids.into_iter().zip(intents).map(publish).collect())
    }

    /// Publishes files; they are durable when this returns.
    pub fn publish(&mut self, files: &[Published]) -> Result<()> {
        self.catalog.publish(self.session, files)
    }
}

fn facts(numbers: &mut Numbers, video: bool) -> Facts {
    let (make, model) = numbers.pick(CAMERAS).copied().unwrap_or_default();
    let (lens, focal, aperture) = numbers.pick(LENSES).copied().unwrap_or_default();
    let portrait = numbers.one_in(4);
    let (width, height) = if portrait { (3744, 5616) } else { (5616, 3744) };
    let preview = |width, height| Preview {
        source: PreviewSource::Jpeg,
        offset: 60_000,
        length: 2_000_000,
        width,
        height,
        orientation: Orientation::UPRIGHT,
    };
    let mut keywords = Vec::new();
    while numbers.one_in(2) && keywords.len() < 4 {
        keywords.extend(numbers.pick(WORDS).map(|w| (*w).to_owned()));
    }
    Facts {
        kind: if video { Kind::Video } else { Kind::Raw },
        format: Some(if video { "MOV" } else { "CR2" }),
        make: Some(make.to_owned()),
        model: Some(model.to_owned()),
        serial: Some(format!("{:010}", model.len() * 7919)),
        lens: Some(lens.to_owned()),
        iso: numbers.pick(ISOS).copied(),
        iso_auto: Some(numbers.one_in(3)),
        exposure: Some(Ratio { num: 1, den: 1 << (2 + numbers.below(10)) }),
        aperture: Some(aperture),
        focal_length: Some(focal + numbers.below(4) as f64),
        width: Some(width),
        height: Some(height),
        gps: numbers.one_in(5).then(|| Gps {
            latitude: numbers.below(180) as f64 - 90.0,
            longitude: numbers.below(360) as f64 - 180.0,
            altitude: None,
        }),
        rating: numbers.one_in(4).then(|| (numbers.below(7) as i8) - 1),
        title: numbers.one_in(50).then(|| "A title of a few words".to_owned()),
        keywords,
        video: video.then(|| Video { duration: Some(12.0), ..Video::default() }),
        previews: if video { Vec::new() } else { vec![preview(5616, 3744), preview(1024, 683), preview(160, 120)] },
        ..Facts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Query, Sort};

    #[test]
    fn the_same_seed_gives_the_same_photos_and_right_counts() {
        let make = || {
            let mut catalog = Catalog::in_memory().unwrap();
            fill(&mut catalog, 300, 7).unwrap();
            catalog
        };
        let (a, b) = (make(), make());
        let all = |c: &Catalog| c.photos(&Query::all(), Sort::default(), None, 0).unwrap();
        assert_eq!(all(&a), all(&b));
        assert_eq!(a.count(&Query::all()).unwrap(), 300);
    }
}
