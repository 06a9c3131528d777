//! Sony's non-real-time metadata: the XML inside an XAVC clip, and the `M01.XML` beside it.

use crate::Head;
use crate::found::Found;
use crate::text;
use crate::xmp::xml::Document;

/// Reads a file of its own.
pub(super) fn sidecar(head: &mut Head<'_>, found: &mut Found) {
    let bytes = head.up_to(0, 256 << 10).to_vec();
    read(&bytes, found);
}

/// Reads the XML.
pub(crate) fn read(bytes: &[u8], found: &mut Found) {
    let text = text::decode(bytes.split(|&b| b == 0).next().unwrap_or(&[]));
    let document = Document::read(&text);
    for element in &document.elements {
        let attribute =
            |name: &str| element.attributes.iter().find(|a| a.local == name).map(|a| document.value(a).into_owned());
        match element.local {
            "CreationDate" => found.clip.sidecar_date = attribute("value"),
            "Device" => {
                found.clip.make = attribute("manufacturer").or(found.clip.make.take());
                found.clip.model = attribute("modelName").or(found.clip.model.take());
                found.clip.serial = attribute("serialNo");
            }
            "Lens" => {
                found.clip.lens =
                    attribute("modelName").filter(|name| !name.trim().is_empty()).or(found.clip.lens.take())
            }
            _ => {}
        }
    }
}
