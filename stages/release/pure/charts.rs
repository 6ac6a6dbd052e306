//! Distributions as SVG, to stand inside the report.

use super::thousands;
use plotters::prelude::*;

const INK: RGBColor = RGBColor(38, 50, 56);
const BAR: RGBColor = RGBColor(0, 114, 178);
const LIGHT: RGBColor = RGBColor(236, 242, 248);
const DARK: RGBColor = RGBColor(8, 48, 107);

/// Bars between edges.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Histogram<'a> {
    /// What is measured, with its unit.
    pub label: &'a str,
    /// Edges of the bins, ascending, one more than counts.
    pub edges: &'a [f64],
    /// Number per bin.
    pub counts: &'a [u64],
    /// The last bin has no upper end.
    pub open_end: bool,
}

/// The histogram as an SVG element.
///
/// # Errors
/// When the drawing library refuses, which for these inputs would be a bug.
pub(crate) fn histogram(chart: &Histogram) -> Result<String, String> {
    let mut svg = String::new();
    draw_histogram(&mut svg, chart).map_err(|error| format!("draw {}: {error}", chart.label))?;
    Ok(svg)
}

fn draw_histogram(svg: &mut String, chart: &Histogram) -> Result<(), Box<dyn std::error::Error>> {
    let bins = chart.counts.len();
    let most = chart.counts.iter().copied().max().unwrap_or(0).max(1);
    let area = SVGBackend::with_string(svg, (560, 300)).into_drawing_area();
    let mut plot = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..bins as f64, 0.0..most as f64 * 1.05)?;
    let edge = |x: &f64| {
        let position = x.round() as usize;
        if (x - x.round()).abs() > 1e-6 || position > bins {
            return String::new();
        }
        if chart.open_end && position == bins { "\u{2026}".into() } else { short(chart.edges[position]) }
    };
    plot.configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LIGHT)
        .axis_style(INK)
        .x_labels(bins + 1)
        .y_labels(5)
        .x_label_formatter(&edge)
        .y_label_formatter(&|y| thousands(y.round() as u64))
        .x_desc(chart.label)
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .draw()?;
    plot.draw_series(chart.counts.iter().enumerate().map(|(bin, count)| {
        let (left, right) = (bin as f64 + 0.06, bin as f64 + 0.94);
        Rectangle::new([(left, 0.0), (right, *count as f64)], BAR.filled())
    }))?;
    area.present()?;
    drop(plot);
    drop(area);
    Ok(())
}

/// An edge as it is read best: whole numbers without a point.
fn short(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// Cells of a frame, shaded by how many things lie there; the first row is the top.
///
/// # Errors
/// When the drawing library refuses, which for these inputs would be a bug.
pub(crate) fn heat_map(grid: &[Vec<u64>]) -> Result<String, String> {
    let mut svg = String::new();
    draw_heat_map(&mut svg, grid).map_err(|error| format!("draw the heat map: {error}"))?;
    Ok(svg)
}

fn draw_heat_map(svg: &mut String, grid: &[Vec<u64>]) -> Result<(), Box<dyn std::error::Error>> {
    let (rows, columns) = (grid.len(), grid.first().map_or(0, Vec::len));
    let most = grid.iter().flatten().copied().max().unwrap_or(0).max(1);
    let area = SVGBackend::with_string(svg, (560, 340)).into_drawing_area();
    let mut plot = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..100.0, 0.0..100.0)?;
    plot.configure_mesh()
        .disable_mesh()
        .axis_style(INK)
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|x| format!("{x:.0} %"))
        .y_label_formatter(&|y| format!("{:.0} %", 100.0 - y))
        .x_desc("share of the image width from the left, of its height from the top")
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .draw()?;
    let cells =
        grid.iter().enumerate().flat_map(|(row, counts)| counts.iter().enumerate().map(move |(x, c)| (row, x, *c)));
    plot.draw_series(cells.map(|(row, column, count)| {
        let (width, height) = (100.0 / columns as f64, 100.0 / rows as f64);
        let (x, y) = (column as f64 * width, (rows - 1 - row) as f64 * height);
        Rectangle::new([(x, y), (x + width, y + height)], shade((count as f64 / most as f64).sqrt()).filled())
    }))?;
    area.present()?;
    drop(plot);
    drop(area);
    Ok(())
}

/// From light (0) to dark (1).
fn shade(share: f64) -> RGBColor {
    let mix = |light: u8, dark: u8| (f64::from(light) + (f64::from(dark) - f64::from(light)) * share).round() as u8;
    RGBColor(mix(LIGHT.0, DARK.0), mix(LIGHT.1, DARK.1), mix(LIGHT.2, DARK.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_has_a_bar_per_bin_and_its_edges() {
        let chart = Histogram { label: "side & area", edges: &[0.0, 8.0, 16.0], counts: &[3, 1], open_end: true };
        let svg = histogram(&chart).unwrap();
        assert!(svg.starts_with("<svg"), "{svg}");
        assert!(svg.contains("side &amp; area") && svg.contains('8') && svg.contains('\u{2026}'));
        assert_eq!(svg.matches("fill=\"#0072B2\"").count(), 2);
        assert_eq!(svg, histogram(&chart).unwrap());
    }

    #[test]
    fn an_empty_grid_is_light_and_a_full_cell_dark() {
        let svg = heat_map(&[vec![0, 0], vec![0, 9]]).unwrap();
        assert_eq!(svg.matches("fill=\"#08306B\"").count(), 1);
        assert_eq!(svg.matches("fill=\"#ECF2F8\"").count(), 3);
    }
}
