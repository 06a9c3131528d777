//! How programs word the five colour labels: XMP holds a free text, which Lightroom and Bridge take from the label set
//! and the language of the person who used them.

use crate::Label;

/// Words of Lightroom's default set in its languages, and of Bridge's English set.
const WORDS: &[(Label, &[&str])] = &[
    (
        Label::Red,
        &["red", "rot", "rouge", "rojo", "rosso", "rood", "vermelho", "röd", "レッド", "红色", "빨강", "select"],
    ),
    (
        Label::Yellow,
        &[
            "yellow",
            "gelb",
            "jaune",
            "amarillo",
            "giallo",
            "geel",
            "amarelo",
            "gul",
            "イエロー",
            "黄色",
            "노랑",
            "second",
        ],
    ),
    (Label::Green, &["green", "grün", "vert", "verde", "groen", "grön", "グリーン", "绿色", "녹색", "approved"]),
    (Label::Blue, &["blue", "blau", "bleu", "azul", "blu", "blauw", "blå", "ブルー", "蓝色", "파랑", "review"]),
    (
        Label::Purple,
        &[
            "purple",
            "lila",
            "violett",
            "violet",
            "pourpre",
            "púrpura",
            "morado",
            "viola",
            "paars",
            "roxo",
            "パープル",
            "紫色",
            "보라",
            "to do",
        ],
    ),
];

impl Label {
    /// The label that a program's word for it means; a word that no known set has is no label.
    pub fn from_words(text: &str) -> Option<Self> {
        let folded = text.trim().to_lowercase();
        WORDS.iter().find(|(_, words)| words.contains(&folded.as_str())).map(|(label, _)| *label)
    }

    /// The word that Lightroom's English set has for it.
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Red => "Red",
            Self::Yellow => "Yellow",
            Self::Green => "Green",
            Self::Blue => "Blue",
            Self::Purple => "Purple",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_understood_in_the_languages_of_other_programs() {
        assert_eq!(Label::from_words("Grün"), Some(Label::Green));
        assert_eq!(Label::from_words(" To Do "), Some(Label::Purple));
        assert_eq!(Label::from_words("Customer"), None);
        for label in Label::ALL {
            assert_eq!(Label::from_words(label.as_words()), Some(label));
            assert_eq!(Label::from_words(label.as_str()), Some(label));
        }
    }
}
