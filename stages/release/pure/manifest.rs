//! `manifest.json`, and the release's name.

use uavgen_schemas::{ReleaseManifest, canonical};

/// Version of the manifest's format.
pub(crate) const FORMAT_VERSION: u32 = 1;

/// Gives the manifest its id, a hash of everything else in it (so of every file of the release), and its text.
///
/// # Errors
/// Never in practice: a manifest has a JSON form.
pub(crate) fn complete(mut manifest: ReleaseManifest) -> Result<(ReleaseManifest, String), serde_json::Error> {
    manifest.id = String::new();
    let hash = blake3::hash(canonical::of(&manifest)?.as_bytes()).to_hex();
    manifest.id = format!("{}-{}", slug(&manifest.name), &hash[..12]);
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    Ok((manifest, text))
}

/// The name in lower-case ASCII letters and digits, words joined by `-`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => slug.push(c),
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    slug.truncate(60);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "dataset".into() } else { slug.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(name: &str) -> ReleaseManifest {
        ReleaseManifest {
            format_version: FORMAT_VERSION,
            name: name.into(),
            id: "anything".into(),
            uavgen_version: "0".into(),
            split_mode: "source".into(),
            configs: Vec::new(),
            files: Vec::new(),
        }
    }

    #[test]
    fn names_become_folder_names() {
        assert_eq!(slug("VisDrone QA, v2!"), "visdrone-qa-v2");
        assert_eq!(slug("無人機"), "dataset");
        assert_eq!(slug("../../etc"), "etc");
    }

    #[test]
    fn the_id_follows_the_content_and_not_an_earlier_id() {
        let (one, text) = complete(manifest("a")).unwrap();
        assert_eq!(complete(one.clone()).unwrap().0, one);
        assert_eq!(serde_json::from_str::<ReleaseManifest>(&text).unwrap(), one);
        assert_ne!(complete(manifest("b")).unwrap().0.id[2..], one.id[2..]);
        assert_eq!(one.id.len(), "a-".len() + 12);
    }
}
