//! Pictures for people: boxes in the colours of their category or role, contact sheets, files.

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::path::Path;
use uavgen_media::{
    Color, Outline, PALETTE, Rgb, RgbImage, contact_sheet, draw_label, draw_rectangle, encode_jpeg, encode_png,
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

/// Characters of a line of text on a picture.
const CHARACTERS: usize = 53;
/// Width of those characters as they are drawn, with a margin.
const LINE_WIDTH: u32 = 6 * CHARACTERS as u32 + 2;
/// Height of a line as it is drawn.
const LINE_HEIGHT: u32 = 10;
const PAPER: Color = Rgb([24, 24, 24]);

/// Paragraphs, each on its own ground (the dark one where there is none), in letters as large as the width allows.
pub(crate) fn text_block(paragraphs: &[(String, Option<Color>)], width: u32) -> RgbImage {
    let lines: Vec<(String, Color)> = paragraphs
        .iter()
        .flat_map(|(text, ground)| wrapped(text).into_iter().map(|line| (line, ground.unwrap_or(PAPER))))
        .collect();
    // Half a line more, so that what stands below does not touch the last one.
    let height = lines.len() as u32 * LINE_HEIGHT + LINE_HEIGHT / 2;
    let mut small = RgbImage::from_pixel(LINE_WIDTH, height, PAPER);
    for ((line, ground), number) in lines.iter().zip(1_u32..) {
        draw_label(&mut small, (1.0, f64::from(number * LINE_HEIGHT)), line, *ground);
    }
    let factor = (width / LINE_WIDTH).max(1);
    let pixel = |x: u32, y: u32| if x / factor < LINE_WIDTH { *small.get_pixel(x / factor, y / factor) } else { PAPER };
    RgbImage::from_fn(width, small.height() * factor, pixel)
}

/// A text in lines that fit, broken at blanks; a word that is longer than a line is broken too.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let words = text.split_whitespace().flat_map(|word| {
        let characters: Vec<char> = word.chars().collect();
        characters.chunks(CHARACTERS).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>()
    });
    for word in words {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last] = word;
        } else if lines[last].chars().count() + 1 + word.chars().count() > CHARACTERS {
            lines.push(word);
        } else {
            lines[last] = format!("{} {word}", lines[last]);
        }
    }
    lines
}

/// Two pictures, one below the other.
pub(crate) fn below(above: &RgbImage, below: &RgbImage) -> RgbImage {
    let width = above.width().max(below.width());
    RgbImage::from_fn(width, above.height() + below.height(), |x, y| {
        let (image, y) = if y < above.height() { (above, y) } else { (below, y - above.height()) };
        if x < image.width() { *image.get_pixel(x, y) } else { PAPER }
    })
}

/// A grey picture of a size that says why there is none.
pub(crate) fn missing(width: u32, height: u32, why: &str) -> RgbImage {
    let text = text_block(&[(why.to_owned(), None)], width.max(LINE_WIDTH));
    let grey = Rgb([110, 110, 110]);
    let inside = |x: u32, y: u32| x < text.width() && y < text.height();
    RgbImage::from_fn(width.max(1), height.max(1), |x, y| if inside(x, y) { *text.get_pixel(x, y) } else { grey })
}

/// Writes a sheet of cells.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_sheet(cells: &[(RgbImage, String)], columns: usize, file: &Path) -> anyhow::Result<()> {
    write(&contact_sheet(cells, columns), file)
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
    fn texts_are_broken_into_lines_and_nothing_is_cut() {
        let text = "How many people (riders included) are there in the top-left cell of a three-by-three grid?";
        let lines = wrapped(text);
        assert_eq!(lines.join(" "), text);
        assert!(lines.iter().all(|line| line.len() <= CHARACTERS) && lines.len() == 2, "{lines:?}");
        assert_eq!(wrapped(&"x".repeat(CHARACTERS + 1)), ["x".repeat(CHARACTERS), "x".into()]);
        assert_eq!(wrapped(""), [""]);
        let block = text_block(&[(text.into(), None), ("van".into(), Some(KEPT))], 2 * LINE_WIDTH);
        assert_eq!(block.dimensions(), (2 * LINE_WIDTH, 2 * 3 * LINE_HEIGHT + LINE_HEIGHT));
        assert!(block.pixels().any(|pixel| *pixel == KEPT), "the marked line has its own ground");
        let sheet = below(&RgbImage::new(100, 50), &block);
        assert_eq!(sheet.dimensions(), (block.width(), 50 + block.height()));
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
