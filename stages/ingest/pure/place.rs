//! Where a box as annotated lies on the picture as delivered.

use super::super::config::IngestConfig;
use uavgen_core::project::BoxesIn;
use uavgen_geometry::{Box2, GeometryError, ImageSize};

/// A box on the picture, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Placed {
    /// On the picture. A box that is a line or a point is one of these: it exists, and it is the filter that judges it.
    Inside {
        /// The box, cut to the picture.
        area: Box2,
        /// It overran the picture by more than the tolerance.
        clipped: bool,
    },
    /// More of it is outside than the config accepts.
    MostlyOutside {
        /// What is on the picture.
        visible: Box2,
        /// Share of its area outside.
        outside_share: f64,
    },
    /// Nothing of it is on the picture.
    Outside,
}

/// How annotations of one image become boxes on the delivered picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Canvas {
    size: ImageSize,
    stored_width: f64,
    stored_height: f64,
    /// EXIF orientation that boxes must follow; 1 where they were drawn on the upright picture.
    turn: u8,
}

impl Canvas {
    /// The canvas of an image with this header.
    ///
    /// # Errors
    /// An image of zero size; the probe refuses those.
    pub(crate) fn new(info: &uavgen_media::ImageInfo, boxes_in: BoxesIn) -> Result<Self, GeometryError> {
        Ok(Self {
            size: ImageSize::new(i64::from(info.width), i64::from(info.height))?,
            stored_width: f64::from(info.stored_width),
            stored_height: f64::from(info.stored_height),
            turn: if boxes_in == BoxesIn::Stored { info.exif_orientation } else { 1 },
        })
    }

    /// Turns a box with the picture and cuts it. Edges are finite and in order.
    pub(crate) fn place(&self, edges: [f64; 4], config: &IngestConfig) -> Placed {
        let [x1, y1, x2, y2] = edges;
        let (ax, ay) = self.upright(x1, y1);
        let (bx, by) = self.upright(x2, y2);
        let turned = Box2::new(ax.min(bx), ay.min(by), ax.max(bx), ay.max(by));
        turned.map_or(Placed::Outside, |turned| self.cut(turned, config))
    }

    fn cut(&self, area: Box2, config: &IngestConfig) -> Placed {
        let picture = self.size.full_box();
        if !picture.meets(&area) {
            return Placed::Outside;
        }
        let visible = area.clamped(self.size);
        let overrun =
            [visible.x1() - area.x1(), visible.y1() - area.y1(), area.x2() - visible.x2(), area.y2() - visible.y2()]
                .into_iter()
                .fold(0.0, f64::max);
        let outside_share = if area.is_empty() { 0.0 } else { 1.0 - visible.area() / area.area() };
        if overrun > config.edge_tolerance_px && outside_share > config.max_outside_share {
            return Placed::MostlyOutside { visible, outside_share };
        }
        Placed::Inside { area: visible, clipped: overrun > config.edge_tolerance_px }
    }

    /// A point of the stored pixels on the upright picture, by EXIF orientation (1 to 8, see the EXIF specification,
    /// tag 0x0112).
    fn upright(&self, x: f64, y: f64) -> (f64, f64) {
        let (width, height) = (self.stored_width, self.stored_height);
        match self.turn {
            2 => (width - x, y),
            3 => (width - x, height - y),
            4 => (x, height - y),
            5 => (y, x),
            6 => (height - y, x),
            7 => (height - y, width - x),
            8 => (y, width - x),
            _ => (x, y),
        }
    }
}
