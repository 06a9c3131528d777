//! Merging two sides that changed apart, property by property. Keywords are merged one by one, so that what each side
//! added is kept and what either took off is gone; any other property that both changed differently is a conflict.

use std::collections::BTreeMap;

use lightfast_catalog::Marks;

use super::sync::Keep;

/// What a merge gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Merged {
    /// What the catalogue is to have.
    pub(super) marks: Marks,
    /// What both sides are known to have had last, where the file is left as it is.
    pub(super) base: Marks,
    /// Properties that both sides changed, by name.
    pub(super) conflicts: Vec<&'static str>,
}

/// Merges; `keep` decides what would be a conflict.
pub(super) fn merge(base: &Marks, ours: &Marks, theirs: &Marks, keep: Keep) -> Merged {
    let mut merged = Merged { marks: ours.clone(), base: theirs.clone(), conflicts: Vec::new() };
    macro_rules! property {
        ($($field:ident $name:literal),*) => { $(
            if theirs.$field != base.$field && theirs.$field != ours.$field {
                if ours.$field == base.$field || keep == Keep::Theirs {
                    merged.marks.$field = theirs.$field.clone();
                } else if keep == Keep::Neither {
                    merged.conflicts.push($name);
                    merged.base.$field = base.$field.clone();
                }
            }
        )* };
    }
    property!(
        rating "rating", flag "flag", label "label", orientation "orientation", title "title", caption "caption",
        creator "creator", copyright "copyright"
    );
    merged.marks.keywords = keywords(&base.keywords, &ours.keywords, &theirs.keywords);
    merged
}

fn keywords(base: &[String], ours: &[String], theirs: &[String]) -> Vec<String> {
    let folded = |list: &[String]| -> BTreeMap<String, String> {
        list.iter().map(|keyword| (Marks::fold(keyword), keyword.clone())).collect()
    };
    let (base, ours, theirs) = (folded(base), folded(ours), folded(theirs));
    let mut all = theirs.clone();
    all.extend(ours.clone());
    let kept = |key: &String| match (base.contains_key(key), ours.contains_key(key), theirs.contains_key(key)) {
        (true, here, there) => here && there,
        (false, here, there) => here || there,
    };
    all.into_iter().filter(|(key, _)| kept(key)).map(|(_, keyword)| keyword).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(rating: u8, title: Option<&str>, keywords: &[&str]) -> Marks {
        Marks {
            rating,
            title: title.map(str::to_owned),
            keywords: keywords.iter().map(|k| (*k).to_owned()).collect(),
            ..Marks::default()
        }
    }

    #[test]
    fn what_one_side_changed_is_taken_from_it() {
        let base = marks(1, Some("sea"), &["a"]);
        let ours = marks(4, Some("sea"), &["a"]);
        let theirs = marks(1, Some("harbour"), &["a"]);
        let merged = merge(&base, &ours, &theirs, Keep::Neither);
        assert_eq!(merged.marks, marks(4, Some("harbour"), &["a"]));
        assert!(merged.conflicts.is_empty());
        assert_eq!(merged.base, theirs);
    }

    #[test]
    fn what_both_changed_is_a_conflict_that_names_itself_and_stays_one() {
        let base = marks(1, None, &[]);
        let ours = marks(4, None, &[]);
        let theirs = marks(2, Some("x"), &[]);
        let merged = merge(&base, &ours, &theirs, Keep::Neither);
        assert_eq!(merged.conflicts, ["rating"]);
        assert_eq!(merged.marks, marks(4, Some("x"), &[]));
        assert_eq!(merge(&merged.base, &merged.marks, &theirs, Keep::Neither).conflicts, ["rating"]);
        assert_eq!(merge(&base, &ours, &theirs, Keep::Theirs).marks, marks(2, Some("x"), &[]));
        assert_eq!(merge(&base, &ours, &theirs, Keep::Ours).marks, marks(4, Some("x"), &[]));
        let same = marks(4, None, &[]);
        assert!(merge(&base, &ours, &same, Keep::Neither).conflicts.is_empty(), "the same change on both sides");
    }

    #[test]
    fn keywords_of_both_sides_are_kept_and_what_either_took_off_is_gone() {
        let base = marks(0, None, &["a", "b"]);
        let merged = merge(&base, &marks(0, None, &["b", "ours"]), &marks(0, None, &["A", "Theirs"]), Keep::Neither);
        assert_eq!(merged.marks.keywords, ["ours", "Theirs"]);
    }
}
