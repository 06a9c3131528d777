//! Names of properties: a namespace and a local name.

/// Namespaces that matter to us.
pub mod ns {
    /// RDF itself.
    pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    /// Dublin Core: title, description, creator, rights, subject.
    pub const DC: &str = "http://purl.org/dc/elements/1.1/";
    /// XMP basic: rating, label, dates.
    pub const XMP: &str = "http://ns.adobe.com/xap/1.0/";
    /// XMP dynamic media: pick and good.
    pub const XMP_DM: &str = "http://ns.adobe.com/xmp/1.0/DynamicMedia/";
    /// EXIF as XMP.
    pub const EXIF: &str = "http://ns.adobe.com/exif/1.0/";
    /// EXIF 2.3 and later as XMP.
    pub const EXIF_EX: &str = "http://cipa.jp/exif/1.0/";
    /// TIFF as XMP.
    pub const TIFF: &str = "http://ns.adobe.com/tiff/1.0/";
    /// Adobe's additional EXIF.
    pub const AUX: &str = "http://ns.adobe.com/exif/1.0/aux/";
    /// Photoshop: dates, places, headline.
    pub const PHOTOSHOP: &str = "http://ns.adobe.com/photoshop/1.0/";
    /// Lightroom: hierarchical keywords.
    pub const LIGHTROOM: &str = "http://ns.adobe.com/lightroom/1.0/";
    /// digiKam: tags as paths.
    pub const DIGIKAM: &str = "http://www.digikam.org/ns/1.0/";
    /// Photo Mechanic.
    pub const PHOTO_MECHANIC: &str = "http://ns.camerabits.com/photomechanic/1.0/";
    /// Media management.
    pub const XMP_MM: &str = "http://ns.adobe.com/xap/1.0/mm/";
    /// Ours: what no other namespace has.
    pub const LIGHTFAST: &str = "urn:lightfast:xmp:1.0/";
    /// Notes of a packet on itself.
    pub const XMP_NOTE: &str = "http://ns.adobe.com/xmp/note/";
    /// XML's own.
    pub const XML: &str = "http://www.w3.org/XML/1998/namespace";
}

/// The prefixes that programs use by convention, for what is written anew.
pub(super) const PREFIXES: &[(&str, &str)] = &[
    (ns::RDF, "rdf"),
    (ns::DC, "dc"),
    (ns::XMP, "xmp"),
    (ns::XMP_DM, "xmpDM"),
    (ns::EXIF, "exif"),
    (ns::EXIF_EX, "exifEX"),
    (ns::TIFF, "tiff"),
    (ns::AUX, "aux"),
    (ns::PHOTOSHOP, "photoshop"),
    (ns::LIGHTROOM, "lr"),
    (ns::DIGIKAM, "digiKam"),
    (ns::PHOTO_MECHANIC, "photomechanic"),
    (ns::XMP_MM, "xmpMM"),
    (ns::LIGHTFAST, "lightfast"),
];

/// A property's name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    /// The namespace's URI.
    pub namespace: String,
    /// The name in it.
    pub local: String,
}

impl Name {
    /// A name in a namespace.
    pub fn new(namespace: &str, local: &str) -> Self {
        Self { namespace: namespace.to_owned(), local: local.to_owned() }
    }
}
