//! Guesses what bytes are that are not a JPEG or PNG, so that the message helps.

const SIGNATURES: &[(&[u8], &str)] = &[
    (b"GIF87a", "GIF"),
    (b"GIF89a", "GIF"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"II+\0", "BigTIFF"),
    (b"BM", "BMP"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"%PDF", "PDF"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"\xff\x0a", "JPEG XL"),
    (b"8BPS", "Photoshop document"),
    (b"\x1a\x45\xdf\xa3", "Matroska or WebM video"),
    (b"PAR1", "Parquet"),
    (b"version https://git-lfs", "Git LFS pointer (the file itself was not downloaded)"),
];

/// Names what `bytes` (not empty) look like.
pub(crate) fn looks_like(bytes: &[u8]) -> &'static str {
    if let Some((_, name)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return name;
    }
    match (bytes.get(0..4), bytes.get(4..8), bytes.get(8..12)) {
        (Some(b"RIFF"), _, Some(b"WEBP")) => return "WebP",
        (Some(b"RIFF"), _, Some(b"AVI ")) => return "AVI video",
        (_, Some(b"ftyp"), Some(b"heic" | b"heix" | b"mif1")) => return "HEIC",
        (_, Some(b"ftyp"), Some(b"avif")) => return "AVIF",
        (_, Some(b"ftyp"), _) => return "MP4 or QuickTime video",
        _ => {}
    }
    if bytes.iter().all(|&byte| byte == 0) {
        "zero bytes only (an unfinished download or copy)"
    } else {
        text_kind(bytes)
    }
}

fn text_kind(bytes: &[u8]) -> &'static str {
    let head = &bytes[..bytes.len().min(512)];
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A multi-byte character may be cut by the window.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or(""),
        Err(_) => return "unknown binary data",
    };
    if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return "unknown binary data";
    }
    let start = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
    match start.as_str() {
        s if s.starts_with("<!doctype html") || s.starts_with("<html") || s.starts_with("<head") => "HTML",
        s if s.starts_with("<?xml") || s.starts_with("<svg") => "XML",
        s if s.starts_with('{') || s.starts_with('[') => "JSON",
        _ => "plain text",
    }
}

#[cfg(test)]
mod tests {
    use super::looks_like;

    #[test]
    fn names_what_people_mistake_for_images() {
        let cases: &[(&[u8], &str)] = &[
            (b"GIF89a....", "GIF"),
            (b"RIFF\x10\0\0\0WEBPVP8 ", "WebP"),
            (b"II*\0\x08\0\0\0", "TIFF"),
            (b"\0\0\0\x18ftypmp42", "MP4 or QuickTime video"),
            (b"\0\0\0\x18ftypheic", "HEIC"),
            (b"PK\x03\x04rest", "ZIP archive"),
            (b"\n <!DOCTYPE html><html>", "HTML"),
            (b"{\"error\": \"not found\"}", "JSON"),
            (b"1,2,3,4\n", "plain text"),
            ("\u{feff}z\u{e4}hler".as_bytes(), "plain text"),
            (&[0; 64], "zero bytes only (an unfinished download or copy)"),
            (&[7, 200, 3, 255], "unknown binary data"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(looks_like(bytes), *expected, "{bytes:?}");
        }
    }
}
