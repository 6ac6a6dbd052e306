//! Pictures for people: boxes in the colours of their category or role, contact sheets, files.

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::Path;
use uavgen_media::{
    Color, Outline, PALETTE, Rgb, RgbImage, contact_sheet, draw_label, draw_rectangle, encode_jpeg, encode_png,
    thumbnail,
};
use uavgen_schemas::{BoxRole, ItemBox};

/// Objects that may be used.
pub(crate) const KEPT: Color = Rgb([0, 200, 80]);
/// Objects that are there but may not be used.
pub(crate) const UNKNOWN: Color = Rgb([230, 40, 40]);
const JPEG_QUALITY: u8 = 88;

/// A colour per category: the same on every sheet of one run.
#[derive(Debug, Default)]
pub(crate) struct Legend {
    colors: BTreeMap<String, Color>,
}

impl Legend {
    /// Colours for these categories.
    pub(crate) fn new<'a>(categories: impl IntoIterator<Item = &'a str>) -> Self {
        let sorted: std::collections::BTreeSet<&str> = categories.into_iter().collect();
        // With more categories than colours, the second round is paler.
        let paler = PALETTE.iter().map(|Rgb(channels)| Rgb(channels.map(|channel| channel / 2 + 128)));
        let colors: Vec<Color> = PALETTE.iter().copied().chain(paler).collect();
        let pairs = sorted.into_iter().zip(colors.into_iter().cycle());
        Self { colors: pairs.map(|(name, color)| (name.to_owned(), color)).collect() }
    }

    /// The colour of a category.
    pub(crate) fn color(&self, category: &str) -> Color {
        self.colors.get(category).copied().unwrap_or(UNKNOWN)
    }

    /// A cell that shows every category in its colour.
    pub(crate) fn cell(&self, width: u32) -> (RgbImage, String) {
        const LINE: u32 = 24;
        let lines = (self.colors.len() as u32).max(1);
        let mut image = RgbImage::from_pixel(width.max(160), lines * LINE, Rgb([48, 48, 48]));
        for ((name, color), line) in self.colors.iter().zip(1_u32..) {
            draw_label(&mut image, (6.0, f64::from(line * LINE) - 6.0), name, *color);
        }
        (image, "categories".into())
    }
}

/// Draws boxes of a question in the colour of their role.
pub(crate) fn draw_item_boxes<'a>(image: &mut RgbImage, boxes: impl Iterator<Item = &'a ItemBox>) {
    let (width, height) = (f64::from(image.width()), f64::from(image.height()));
    for one in boxes {
        let (color, name) = role(one.role);
        let outline = Outline { x1: one.x1 * width, y1: one.y1 * height, x2: one.x2 * width, y2: one.y2 * height };
        draw_rectangle(image, outline, color);
        draw_label(image, (outline.x1, outline.y1), name, color);
    }
}

fn role(role: BoxRole) -> (Color, &'static str) {
    match role {
        BoxRole::Answer => (KEPT, "answer"),
        BoxRole::Reference => (PALETTE[1], "reference"),
        BoxRole::Option => (PALETTE[0], "option"),
        BoxRole::Clue => (PALETTE[6], "clue"),
        BoxRole::Region => (PALETTE[3], "region"),
    }
}

/// Writes a sheet of cells whose images are scaled down to `side` pixels at most.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_sheet(
    cells: Vec<(RgbImage, String)>,
    columns: usize,
    side: u32,
    file: &Path,
) -> anyhow::Result<()> {
    let cells: Vec<(RgbImage, String)> =
        cells.into_iter().map(|(image, caption)| (thumbnail(&image, side), caption)).collect();
    write(&contact_sheet(&cells, columns), file)
}

/// Writes an image as PNG where the file's name says so, else as JPEG.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(image: &RgbImage, file: &Path) -> anyhow::Result<()> {
    let png = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"));
    let bytes = if png { encode_png(image) } else { encode_jpeg(image, JPEG_QUALITY) };
    let bytes = bytes.map_err(|error| anyhow::anyhow!("failed to {error}"))?;
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("failed to create {}", folder.display()))?;
    }
    std::fs::write(file, bytes).with_context(|| format!("failed to write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_depends_on_names_only() {
        let one = Legend::new(["van", "car", "car"]);
        let other = Legend::new(["car", "van"]);
        assert_eq!(one.color("van"), other.color("van"));
        assert_ne!(one.color("van"), one.color("car"));
        assert_eq!(one.cell(10).0.dimensions(), (160, 48));
        let many = Legend::new(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
        let distinct: std::collections::BTreeSet<[u8; 3]> = many.colors.values().map(|color| color.0).collect();
        assert_eq!(distinct.len(), 10);
    }

    #[test]
    fn boxes_are_drawn_where_they_are() {
        let mut image = RgbImage::new(100, 50);
        let one = ItemBox {
            image_index: 0,
            role: BoxRole::Answer,
            object_id: None,
            modality: "rgb".into(),
            view: None,
            x1: 0.5,
            y1: 0.5,
            x2: 1.0,
            y2: 1.0,
        };
        draw_item_boxes(&mut image, [one].iter());
        assert_eq!(image.get_pixel(99, 49), &KEPT);
        assert_eq!(image.get_pixel(20, 45), &Rgb([0, 0, 0]));
    }

    #[test]
    fn the_extension_chooses_the_encoding() {
        let folder = tempfile::tempdir().unwrap();
        let image = RgbImage::from_pixel(4, 4, KEPT);
        for (name, magic) in [("deep/a.PNG", &b"\x89PNG"[..]), ("b.jpg", &b"\xff\xd8"[..])] {
            write(&image, &folder.path().join(name)).unwrap();
            assert!(std::fs::read(folder.path().join(name)).unwrap().starts_with(magic), "{name}");
        }
    }
}
