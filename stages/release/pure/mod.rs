//! Everything that needs no files: sums, card, manifest, report, charts.

pub(super) mod base64;
pub(super) mod card;
pub(super) mod charts;
pub(super) mod facts;
pub(super) mod manifest;
pub(super) mod report;
pub(super) mod samples;
pub(super) mod space;
pub(super) mod yaml;

use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use std::collections::BTreeMap;

/// The templates of card and report, and what the reason codes mean.
const TEMPLATES: [(&str, &str); 3] = [
    ("card.md", include_str!("../templates/card.md")),
    ("report.html", include_str!("../templates/report.html")),
    ("reasons.json", include_str!("../templates/reasons.json")),
];

/// BLAKE3 of each template by name.
pub(super) fn template_digests() -> BTreeMap<String, String> {
    TEMPLATES
        .iter()
        .map(|(name, text)| (format!("template {name}"), blake3::hash(text.as_bytes()).to_hex().to_string()))
        .collect()
}

/// Fills a template. Text in `.html` is escaped unless the template says otherwise.
fn render(name: &str, values: &impl serde::Serialize) -> Result<String, String> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.map_err(|error| format!("{error:#}"))?);
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    environment.add_filter("thousands", thousands);
    environment.add_filter("noun", noun);
    environment.add_filter("counted", |number: u64, one: String, many: String| {
        format!("{} {}", thousands(number), noun(number, one, many))
    });
    environment.add_filter("size", size);
    environment.add_filter("cell", |text: String| text.replace('|', "\\|").replace(['\n', '\r'], " "));
    for (name, text) in TEMPLATES {
        environment.add_template(name, text).map_err(|error| format!("{error:#}"))?;
    }
    let template = environment.get_template(name).map_err(|error| format!("{error:#}"))?;
    template.render(Serde(values)).map_err(|error| format!("{error:#}"))
}

/// `1234567` as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The noun that agrees with a number.
fn noun(number: u64, one: String, many: String) -> String {
    if number == 1 { one } else { many }
}

/// Bytes in decimal units: `1.4 MB`.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1e3;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1e3;
        unit += 1;
    }
    if value < 9.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1,234,567");
        let videos = |number| noun(number, "video".into(), "videos".into());
        assert_eq!([videos(0), videos(1), videos(2)], ["videos", "video", "videos"]);
        assert_eq!([size(12), size(1_400_000), size(96_000_000_000)], ["12 B", "1.4 MB", "96 GB"]);
    }
}
