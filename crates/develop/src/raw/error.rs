//! Why a RAW could not be developed, and whose fault it is.

/// What stopped the rendering of one file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DevelopError {
    /// The file is of a kind, camera or compression that the decoder does not know.
    #[error("decode a RAW of this kind: {detail}")]
    Unsupported {
        /// What the decoder says.
        detail: String,
    },
    /// The file is cut short or contradicts itself.
    #[error("decode a damaged RAW: {detail}")]
    Damaged {
        /// What the decoder says.
        detail: String,
    },
    /// The picture is larger than the limits allow.
    #[error("develop {detail}")]
    TooLarge {
        /// Which limit, and by how much.
        detail: String,
    },
    /// A buffer of this many bytes was not to be had.
    #[error("get {bytes} bytes of memory")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// The options ask for what cannot be.
    #[error("use the option {option}: {detail}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// The JPEG encoder failed.
    #[error("encode the picture as JPEG: {detail}")]
    Encode {
        /// What the encoder says.
        detail: String,
    },
    /// The resizer failed.
    #[error("resize the picture: {detail}")]
    Resize {
        /// What the resizer says.
        detail: String,
    },
}
