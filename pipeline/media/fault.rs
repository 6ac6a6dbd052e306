//! Why an image cannot be used.

/// A file that is not a complete, decodable JPEG or PNG. Each variant is one reject reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageFault {
    /// The file has no bytes.
    #[error("the file is empty")]
    EmptyFile,
    /// The system does not give its bytes.
    #[error("the file cannot be read: {problem}")]
    Unreadable {
        /// What the system says, e.g. `Permission denied`.
        problem: String,
    },
    /// The bytes are neither JPEG nor PNG.
    #[error("not a JPEG or PNG image: the bytes look like {looks_like}")]
    NotAnImage {
        /// What the first bytes look like, e.g. `GIF` or `HTML`.
        looks_like: &'static str,
    },
    /// A JPEG or PNG whose header breaks the format's rules.
    #[error("bad image header: {detail}")]
    BadHeader {
        /// What is wrong, with the offending value.
        detail: String,
    },
    /// The file ends before its image does.
    #[error("truncated image: {detail}")]
    Truncated {
        /// What is missing.
        detail: String,
    },
    /// The header states a width or height of zero.
    #[error("image of zero size: {width}x{height}")]
    ZeroSize {
        /// Stored width in pixels.
        width: u32,
        /// Stored height in pixels.
        height: u32,
    },
    /// More pixels than readers of the release take: a decompression bomb, a damaged header, or a mosaic.
    #[error(
        "image too large: {width}x{height} is more than {limit} pixels, the most that Pillow loads without protest; cut \
         it into tiles"
    )]
    TooLarge {
        /// Stored width in pixels.
        width: u32,
        /// Stored height in pixels.
        height: u32,
        /// Largest accepted number of pixels.
        limit: u64,
    },
    /// The header is sound but the pixels cannot be decoded completely.
    #[error("image data cannot be decoded: {detail}")]
    Undecodable {
        /// What the decoder found.
        detail: String,
    },
}

impl ImageFault {
    /// The reject reason code, lower snake case, stable across releases.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::EmptyFile => "empty_file",
            Self::Unreadable { .. } => "unreadable_file",
            Self::NotAnImage { .. } => "not_an_image",
            Self::BadHeader { .. } => "bad_header",
            Self::Truncated { .. } => "truncated",
            Self::ZeroSize { .. } => "zero_size",
            Self::TooLarge { .. } => "too_large",
            Self::Undecodable { .. } => "undecodable",
        }
    }

    pub(crate) fn bad_header(detail: impl Into<String>) -> Self {
        Self::BadHeader { detail: detail.into() }
    }

    pub(crate) fn truncated(detail: impl Into<String>) -> Self {
        Self::Truncated { detail: detail.into() }
    }

    /// From the words of a decoder, put on one line.
    pub(crate) fn undecodable(detail: impl Into<String>) -> Self {
        let words: String = detail.into();
        Self::Undecodable { detail: words.split_whitespace().collect::<Vec<_>>().join(" ") }
    }
}

#[cfg(test)]
mod tests {
    use super::ImageFault;

    #[test]
    fn the_words_of_a_decoder_are_put_on_one_line() {
        let fault = ImageFault::undecodable("Format(\n  \"bad\tcode\" )\n");
        assert_eq!(fault.to_string(), "image data cannot be decoded: Format( \"bad code\" )");
    }
}
