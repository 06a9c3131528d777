//! Boxes of ISO base media files (ISO/IEC 14496-12) and QuickTime's atoms, which are the same.

/// A box of this kind around its content.
pub(crate) fn boxed(kind: &[u8; 4], content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    let mut out = Vec::with_capacity(content.len() + 8);
    out.extend(((content.len() + 8) as u32).to_be_bytes());
    out.extend(kind);
    out.extend(content);
    out
}

/// A box that begins with its version and flags.
pub(crate) fn full(kind: &[u8; 4], version: u8, flags: u32, content: impl AsRef<[u8]>) -> Vec<u8> {
    let mut all = ((u32::from(version) << 24) | flags).to_be_bytes().to_vec();
    all.extend(content.as_ref());
    boxed(kind, all)
}

/// A box of boxes.
pub(crate) fn group(kind: &[u8; 4], boxes: &[Vec<u8>]) -> Vec<u8> {
    boxed(kind, boxes.concat())
}

/// A box of a kind that is a UUID.
pub(crate) fn uuid(id: [u8; 16], content: impl AsRef<[u8]>) -> Vec<u8> {
    boxed(b"uuid", [&id[..], content.as_ref()].concat())
}

/// Bytes from numbers and strings, most significant byte first.
#[derive(Debug, Default)]
pub(crate) struct Bytes(Vec<u8>);

impl Bytes {
    pub(crate) fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn u16(mut self, value: u16) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn u32(mut self, value: u32) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn u64(mut self, value: u64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn all(mut self, value: impl AsRef<[u8]>) -> Self {
        self.0.extend(value.as_ref());
        self
    }

    pub(crate) fn zeros(mut self, count: usize) -> Self {
        self.0.resize(self.0.len() + count, 0);
        self
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Bytes> for Vec<u8> {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}
