//! Marks as XMP properties, and back.
//!
//! A rejected photo is written as `xmp:Rating` -1 with `xmpDM:pick` -1, because programs read one or the other; its
//! stars are kept in a property of our own meanwhile. A label is the word of Lightroom's English set and is read in the
//! words of other sets. A keyword with `|` in it is a path: `dc:subject` gets its parts, `lr:hierarchicalSubject` the
//! whole. Lists keep the order that they have.

use jiff::Timestamp;
use lightfast_catalog::Marks;
use lightfast_media::xmp::{Change, Properties, Xmp, ns};
use lightfast_model::{Flag, Label, Orientation, PhotoId};

/// What a sidecar says. `known` are the keywords of the catalogue: which of them are paths cannot be told from XMP alone.
pub(super) fn marks_of(properties: &Properties, own: Orientation, known: &[String]) -> Marks {
    let xmp = Xmp::of(properties);
    let stars: Option<u8> =
        properties.text(ns::LIGHTFAST, "Rating").and_then(|t| t.trim().parse().ok()).filter(|stars| *stars <= 5);
    let rejected = xmp.rating == Some(-1);
    // We always write both. Stars beside a reject of ours mean that another program has taken the reject back.
    let taken_back = xmp.flag == Some(Flag::Reject) && stars.is_some() && xmp.rating.is_some_and(|r| r >= 0);
    let flag = if rejected { Some(Flag::Reject) } else { xmp.flag.filter(|_| !taken_back) };
    let rating = match xmp.rating {
        Some(rating) if rating >= 0 => u8::try_from(rating).unwrap_or(0).min(5),
        _ => stars.unwrap_or(0),
    };
    Marks {
        rating,
        flag,
        label: xmp.label.as_deref().and_then(Label::from_words),
        orientation: xmp.orientation.and_then(|o| u8::try_from(o).ok()).filter(|o| turns_to(own, *o)),
        title: xmp.title,
        caption: xmp.caption,
        creator: xmp.creator,
        copyright: xmp.copyright,
        keywords: keywords(&xmp.keywords, &xmp.hierarchical, known),
    }
    .in_order()
}

/// The photo that a sidecar of ours says it belongs to.
pub(crate) fn photo_id(sidecar: &[u8]) -> Option<PhotoId> {
    lightfast_media::xmp::read(sidecar).text(ns::LIGHTFAST, "PhotoId").and_then(|text| PhotoId::parse(text.trim()))
}

/// Whether a quarter turn or more leads from the file's own orientation to another; the own one is none.
fn turns_to(own: Orientation, other: u8) -> bool {
    (1..4).any(|quarters| own.turned(quarters).value() == other)
}

fn keywords(subject: &[String], paths: &[String], known: &[String]) -> Vec<String> {
    let is_known_path = |path: &&String| path.contains('|') && known.iter().any(|k| same(k, path));
    let whole: Vec<&String> = paths.iter().filter(is_known_path).collect();
    let mut found: Vec<String> = if subject.is_empty() {
        paths
            .iter()
            .filter(|path| !is_known_path(path))
            .filter_map(|p| p.rsplit('|').next())
            .map(str::to_owned)
            .collect()
    } else {
        let is_part = |word: &String| whole.iter().any(|path| path.split('|').any(|part| same(part, word)));
        subject.iter().filter(|word| known.iter().any(|k| same(k, word)) || !is_part(word)).cloned().collect()
    };
    found.extend(whole.into_iter().cloned());
    found
}

fn same(a: &str, b: &str) -> bool {
    Marks::fold(a) == Marks::fold(b)
}

/// The changes that make a sidecar with `properties`, which says `there`, say `wanted`; none where it does already.
pub(super) fn changes(
    properties: &Properties,
    there: &Marks,
    wanted: &Marks,
    photo: &PhotoId,
    own: Orientation,
    now: Timestamp,
) -> Vec<Change> {
    let mut list = Vec::new();
    if (wanted.rating, wanted.flag) != (there.rating, there.flag) {
        stars_and_flag(properties, wanted, &mut list);
    }
    if wanted.label != there.label {
        list.push(match wanted.label {
            Some(label) => Change::text(ns::XMP, "Label", label.as_words()),
            None => Change::remove(ns::XMP, "Label"),
        });
    }
    if wanted.orientation != there.orientation {
        list.push(Change::text(ns::TIFF, "Orientation", wanted.orientation.unwrap_or(own.value()).to_string()));
    }
    let mut alternative = |local: &'static str, wanted: &Option<String>, there: &Option<String>| {
        if wanted != there {
            list.push(match wanted {
                Some(text) => Change::alt(ns::DC, local, text.as_str()),
                None => Change::remove(ns::DC, local),
            });
        }
    };
    alternative("title", &wanted.title, &there.title);
    alternative("description", &wanted.caption, &there.caption);
    alternative("rights", &wanted.copyright, &there.copyright);
    if wanted.creator != there.creator {
        list.push(match &wanted.creator {
            Some(creator) => {
                let all: Vec<&str> = creator.split(';').map(str::trim).filter(|c| !c.is_empty()).collect();
                Change::seq(ns::DC, "creator", &all)
            }
            None => Change::remove(ns::DC, "creator"),
        });
    }
    words(properties, there, wanted, &mut list);
    if !list.is_empty() {
        list.push(Change::text(ns::LIGHTFAST, "PhotoId", photo.as_str()));
        list.push(Change::text(ns::XMP, "MetadataDate", now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()));
    }
    list
}

fn stars_and_flag(properties: &Properties, wanted: &Marks, list: &mut Vec<Change>) {
    let stars = wanted.rating.to_string();
    if wanted.flag == Some(Flag::Reject) {
        list.push(Change::text(ns::XMP, "Rating", "-1"));
        list.push(Change::text(ns::LIGHTFAST, "Rating", stars));
    } else {
        list.push(Change::text(ns::XMP, "Rating", stars));
        list.push(Change::remove(ns::LIGHTFAST, "Rating"));
    }
    list.push(match wanted.flag {
        Some(Flag::Pick) => Change::text(ns::XMP_DM, "pick", "1"),
        Some(Flag::Reject) => Change::text(ns::XMP_DM, "pick", "-1"),
        None if properties.get(ns::XMP_DM, "pick").is_some() => Change::text(ns::XMP_DM, "pick", "0"),
        None => Change::remove(ns::XMP_DM, "pick"),
    });
    // Says the same in other words; where it stood it would contradict.
    list.push(Change::remove(ns::XMP_DM, "good"));
}

fn words(properties: &Properties, there: &Marks, wanted: &Marks, list: &mut Vec<Change>) {
    let missing = |from: &Marks, keyword: &String| !from.keywords.iter().any(|k| same(k, keyword));
    let added: Vec<&String> = wanted.keywords.iter().filter(|k| missing(there, k)).collect();
    let removed: Vec<&String> = there.keywords.iter().filter(|k| missing(wanted, k)).collect();
    if added.is_empty() && removed.is_empty() {
        return;
    }
    let parts = |keyword: &str| -> Vec<String> { keyword.split('|').map(|p| p.trim().to_owned()).collect() };
    let needed: Vec<String> = wanted.keywords.iter().flat_map(|k| parts(k)).collect();
    let gone: Vec<String> =
        removed.iter().flat_map(|k| parts(k)).filter(|part| !needed.iter().any(|n| same(n, part))).collect();
    let mut subject: Vec<String> = properties.list(ns::DC, "subject").into_iter().map(str::to_owned).collect();
    subject.retain(|word| !gone.iter().any(|g| same(g, word)));
    for part in added.iter().flat_map(|k| parts(k)) {
        if !subject.iter().any(|word| same(word, &part)) {
            subject.push(part);
        }
    }
    list.push(bag("subject", ns::DC, &subject));
    // A path whose end was taken off goes with it.
    let is_gone = |path: &str, separator: char| {
        let end = path.rsplit(separator).next().unwrap_or(path);
        let whole = path.replace(separator, "|");
        removed.iter().any(|k| same(k, &whole) || (!k.contains('|') && same(k, end)))
    };
    let rest = |local: &str, namespace: &str, separator: char| -> Vec<String> {
        let all = properties.list(namespace, local).into_iter().filter(|path| !is_gone(path, separator));
        all.map(str::to_owned).collect()
    };
    let mut paths = rest("hierarchicalSubject", ns::LIGHTROOM, '|');
    let has_end = |paths: &[String], separator: char, keyword: &str| {
        paths.iter().any(|p| same(p, keyword) || p.rsplit(separator).next().is_some_and(|end| same(end, keyword)))
    };
    for keyword in &added {
        if !has_end(&paths, '|', keyword) {
            paths.push((*keyword).clone());
        }
    }
    list.push(bag("hierarchicalSubject", ns::LIGHTROOM, &paths));
    if properties.get(ns::DIGIKAM, "TagsList").is_some() {
        let mut tags = rest("TagsList", ns::DIGIKAM, '/');
        for keyword in &added {
            if !has_end(&tags, '/', keyword) {
                tags.push(keyword.replace('|', "/"));
            }
        }
        list.push(if tags.is_empty() {
            Change::remove(ns::DIGIKAM, "TagsList")
        } else {
            Change::seq(ns::DIGIKAM, "TagsList", &tags)
        });
    }
}

fn bag(local: &str, namespace: &str, values: &[String]) -> Change {
    if values.is_empty() { Change::remove(namespace, local) } else { Change::bag(namespace, local, values) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lightfast_media::xmp::{merge, read};

    const UPRIGHT: Orientation = Orientation::UPRIGHT;

    fn id() -> PhotoId {
        PhotoId::parse("0123456789abcdef").unwrap()
    }

    fn written(before: Option<&[u8]>, wanted: &Marks) -> Vec<u8> {
        let properties = before.map(read).unwrap_or_default();
        let there = marks_of(&properties, UPRIGHT, &wanted.keywords);
        let list = changes(&properties, &there, wanted, &id(), UPRIGHT, Timestamp::UNIX_EPOCH);
        merge(before, &list).unwrap()
    }

    fn said(bytes: &[u8], known: &[String]) -> Marks {
        marks_of(&read(bytes), UPRIGHT, known)
    }

    fn marks() -> Marks {
        Marks {
            rating: 4,
            flag: Some(Flag::Pick),
            label: Some(Label::Green),
            orientation: Some(6),
            title: Some("Harbour & <sea>".to_owned()),
            caption: Some("Two\nlines".to_owned()),
            creator: Some("Ada; Ben".to_owned()),
            copyright: Some("© Ada".to_owned()),
            keywords: vec!["beach".to_owned(), "Places|Italy|Elba".to_owned()],
        }
        .in_order()
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let mut wanted = marks();
        for flag in [Some(Flag::Pick), Some(Flag::Reject), None] {
            wanted.flag = flag;
            let bytes = written(None, &wanted);
            assert_eq!(said(&bytes, &wanted.keywords), wanted);
            let list = changes(&read(&bytes), &wanted, &wanted, &id(), UPRIGHT, Timestamp::UNIX_EPOCH);
            assert!(list.is_empty(), "nothing is written twice");
        }
        let bytes = written(None, &marks());
        assert_eq!(said(&written(Some(&bytes), &Marks::default()), &[]), Marks::default(), "and can be taken off");
    }

    #[test]
    fn a_rejected_photo_keeps_its_stars() {
        let wanted = Marks { rating: 3, flag: Some(Flag::Reject), ..Marks::default() };
        let bytes = written(None, &wanted);
        let properties = read(&bytes);
        assert_eq!((properties.text(ns::XMP, "Rating"), properties.text(ns::XMP_DM, "pick")), (Some("-1"), Some("-1")));
        assert_eq!(said(&bytes, &[]), wanted);
        let elsewhere = merge(Some(&bytes), &[Change::text(ns::XMP, "Rating", "5")]).unwrap();
        assert_eq!(said(&elsewhere, &[]), Marks { rating: 5, ..Marks::default() }, "taken back by another program");
    }

    #[test]
    fn keywords_that_others_wrote_as_paths_stay_and_go_with_their_end() {
        let before = merge(
            None,
            &[
                Change::bag(ns::DC, "subject", &["Italy", "Elba"]),
                Change::bag(ns::LIGHTROOM, "hierarchicalSubject", &["Places|Italy|Elba"]),
                Change::seq(ns::DIGIKAM, "TagsList", &["Places/Italy/Elba"]),
            ],
        )
        .unwrap();
        let now = said(&before, &[]);
        assert_eq!(now.keywords, ["Elba", "Italy"]);
        let more = Marks { keywords: vec!["Elba".into(), "Italy".into(), "sea".into()], ..Marks::default() };
        let properties = read(&written(Some(&before), &more));
        assert_eq!(properties.list(ns::DC, "subject"), ["Italy", "Elba", "sea"]);
        assert_eq!(properties.list(ns::LIGHTROOM, "hierarchicalSubject"), ["Places|Italy|Elba", "sea"]);
        assert_eq!(properties.list(ns::DIGIKAM, "TagsList"), ["Places/Italy/Elba", "sea"]);
        let less = Marks { keywords: vec!["Italy".into()], ..Marks::default() };
        let properties = read(&written(Some(&before), &less));
        assert_eq!(properties.list(ns::DC, "subject"), ["Italy"]);
        assert!(properties.list(ns::LIGHTROOM, "hierarchicalSubject").is_empty());
    }

    #[test]
    fn a_label_that_is_not_known_stays_until_another_is_given() {
        let before = merge(None, &[Change::text(ns::XMP, "Label", "Customer")]).unwrap();
        let stars = Marks { rating: 2, ..Marks::default() };
        assert_eq!(read(&written(Some(&before), &stars)).text(ns::XMP, "Label"), Some("Customer"));
        let red = Marks { label: Some(Label::Red), ..Marks::default() };
        assert_eq!(read(&written(Some(&before), &red)).text(ns::XMP, "Label"), Some("Red"));
    }
}
