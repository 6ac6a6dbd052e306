//! Aligned pictures of one view (colour, depth, classes), and what models are to make of which.

use crate::image_bytes::ImageBytes;
use crate::qa::AnswerSource;
use crate::record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a picture for people shows bright.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DepthPolarity {
    /// What is near: 255 at `near_m`, 1 at `far_m`.
    NearBright,
    /// What is far: 1 at `near_m`, 255 at `far_m`.
    NearDark,
}

impl DepthPolarity {
    /// Value of a depth in the 8-bit view: linear between the ends of the clip, which what lies beyond takes; 0 where there is no
    /// surface (a depth of 0).
    pub fn view(self, depth_m: f64, near_m: f64, far_m: f64) -> u8 {
        if depth_m <= 0.0 {
            return 0;
        }
        let reach = far_m - near_m;
        let share = if reach > 0.0 { ((depth_m - near_m) / reach).clamp(0.0, 1.0) } else { 0.0 };
        let from_near = (share * 254.0).round() as u8;
        match self {
            Self::NearBright => 255 - from_near,
            Self::NearDark => 1 + from_near,
        }
    }
}

/// A class as a segmentation of one frame has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SegmentClass {
    /// Its index in the picture: that of the class in `mask_classes`.
    pub value: i64,
    /// Name of the class; null for the pixels whose value or colour in the mask no class has.
    pub name: Option<String>,
    /// Red of its colour in the palette.
    pub red: i64,
    /// Green of its colour.
    pub green: i64,
    /// Blue of its colour.
    pub blue: i64,
    /// Number of its pixels, above 0.
    pub pixels: i64,
    /// Share of the picture that they are.
    pub pixel_share: f64,
}

/// Columns of an aligned triple: depth and classes of every pixel of a frame.
macro_rules! triple_record {
    ($(#[$doc:meta])* $name:ident { $($(#[$extra_doc:meta])* $extra:ident: $extra_type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Frame whose pixels they describe.
            pub frame_id: String,
            /// Recording of the frame.
            pub recording_id: String,
            /// Leak group of the recording.
            pub group_id: String,
            /// Split of the recording.
            pub split: String,
            /// Licence or terms of the recording.
            pub licence: String,
            /// Width of all of its pictures.
            #[schemars(extend("x-unit" = "px"))]
            pub width: i64,
            /// Height of all of its pictures.
            #[schemars(extend("x-unit" = "px"))]
            pub height: i64,
            $($(#[$extra_doc])* pub $extra: $extra_type,)*
            /// BLAKE3 of the 16-bit depth, hexadecimal.
            pub depth_digest: String,
            /// Step of the 16-bit depth: value times step is z along the optical axis, 0 = no surface.
            #[schemars(extend("x-unit" = "m"))]
            pub depth_step_m: f64,
            /// Depth of the nearest surface.
            #[schemars(extend("x-unit" = "m"))]
            pub depth_min_m: f64,
            /// Depth of the farthest surface.
            #[schemars(extend("x-unit" = "m"))]
            pub depth_max_m: f64,
            /// Mean depth over the pixels that show a surface.
            #[schemars(extend("x-unit" = "m"))]
            pub depth_mean_m: f64,
            /// Share of the pixels that show a surface, above 0.
            pub depth_known_share: f64,
            /// BLAKE3 of the 8-bit view of the depth, hexadecimal.
            pub depth_view_digest: String,
            /// What the 8-bit view shows bright; 0 = no surface, 1 to 255 linear in depth between near and far.
            pub depth_view_polarity: DepthPolarity,
            /// Depth at the near end of the 8-bit view; what is nearer has the same value.
            #[schemars(extend("x-unit" = "m"))]
            pub depth_view_near_m: f64,
            /// Depth at the far end of the 8-bit view; what is farther has the same value.
            #[schemars(extend("x-unit" = "m"))]
            pub depth_view_far_m: f64,
            /// BLAKE3 of the segmentation, hexadecimal.
            pub segmentation_digest: String,
            /// Classes that the segmentation shows, sorted by value.
            pub classes: Vec<SegmentClass>,
        }
    };
}

triple_record! {
    /// Depth and segmentation of a frame as files of the store.
    GenerationTriple {
        /// 8-bit grey PNG: the view of the depth for people and for models that take pictures.
        depth_view_path: String,
        /// Palette PNG, 8 bits: each index is the value of a class, in the colour that `classes` says. Never resampled.
        segmentation_path: String,
    }
}
record!(GenerationTriple, "generation_triples", 1, frame_id);

triple_record! {
    /// A frame with its depth and its segmentation, pixel by pixel aligned: what `generation_samples` refer to.
    GenerationFrame {
        /// The image of the frame as delivered.
        image: ImageBytes,
        /// BLAKE3 of its bytes, hexadecimal.
        image_digest: String,
        /// 16-bit grey PNG: value times `depth_step_m` is the depth, 0 = no surface.
        depth: ImageBytes,
        /// 8-bit grey PNG: the same between `depth_view_near_m` and `depth_view_far_m`.
        depth_view: ImageBytes,
        /// Palette PNG, 8 bits: each index is the value of a class, in the colour that `classes` says. Never resampled.
        segmentation: ImageBytes,
    }
}
impl crate::Record for GenerationFrame {
    const TABLE: &'static str = "generation_frames";
    const VERSION: u32 = 1;
    fn id(&self) -> &str {
        &self.frame_id
    }
    fn heavy_bytes(&self) -> usize {
        [&self.image, &self.depth, &self.depth_view, &self.segmentation].iter().map(|image| image.bytes.len()).sum()
    }
}

/// The pictures of a frame, encoded, with their names.
#[derive(Debug, Clone, PartialEq)]
pub struct TripleImages {
    /// The image as delivered.
    pub image: ImageBytes,
    /// BLAKE3 of its bytes, hexadecimal.
    pub image_digest: String,
    /// 16-bit depth.
    pub depth: ImageBytes,
    /// 8-bit view of the depth.
    pub depth_view: ImageBytes,
    /// Segmentation.
    pub segmentation: ImageBytes,
}

impl GenerationTriple {
    /// The delivered row: this triple with its pictures.
    pub fn with_images(self, images: TripleImages) -> GenerationFrame {
        let TripleImages { image, image_digest, depth, depth_view, segmentation } = images;
        GenerationFrame {
            image,
            image_digest,
            depth,
            depth_view,
            segmentation,
            frame_id: self.frame_id,
            recording_id: self.recording_id,
            group_id: self.group_id,
            split: self.split,
            licence: self.licence,
            width: self.width,
            height: self.height,
            depth_digest: self.depth_digest,
            depth_step_m: self.depth_step_m,
            depth_min_m: self.depth_min_m,
            depth_max_m: self.depth_max_m,
            depth_mean_m: self.depth_mean_m,
            depth_known_share: self.depth_known_share,
            depth_view_digest: self.depth_view_digest,
            depth_view_polarity: self.depth_view_polarity,
            depth_view_near_m: self.depth_view_near_m,
            depth_view_far_m: self.depth_view_far_m,
            segmentation_digest: self.segmentation_digest,
            classes: self.classes,
        }
    }
}

/// What a model is given or is to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// The prompt of the sample.
    Text,
    /// Column `image` of the frame.
    Rgb,
    /// Columns `depth` (metric) and `depth_view` of the frame.
    Depth,
    /// Column `segmentation` of the frame.
    Segmentation,
}

/// What a sample asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GenerationKind {
    /// Depth from the image.
    RgbToDepth,
    /// Segmentation from the image.
    RgbToSeg,
    /// Image from text and depth.
    TextDepthToRgb,
    /// Image from text and segmentation.
    TextSegToRgb,
    /// Image from text, depth and segmentation.
    TextDepthSegToRgb,
    /// The image from itself.
    RgbReconstruction,
    /// The depth from itself.
    DepthReconstruction,
    /// The segmentation from itself.
    SegReconstruction,
}

impl GenerationKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::RgbToDepth,
        Self::RgbToSeg,
        Self::TextDepthToRgb,
        Self::TextSegToRgb,
        Self::TextDepthSegToRgb,
        Self::RgbReconstruction,
        Self::DepthReconstruction,
        Self::SegReconstruction,
    ];

    /// Name in ids and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::RgbToDepth => "rgb_to_depth",
            Self::RgbToSeg => "rgb_to_seg",
            Self::TextDepthToRgb => "text_depth_to_rgb",
            Self::TextSegToRgb => "text_seg_to_rgb",
            Self::TextDepthSegToRgb => "text_depth_seg_to_rgb",
            Self::RgbReconstruction => "rgb_reconstruction",
            Self::DepthReconstruction => "depth_reconstruction",
            Self::SegReconstruction => "seg_reconstruction",
        }
    }

    /// What a model is given.
    pub fn inputs(self) -> &'static [Modality] {
        use Modality::{Depth, Rgb, Segmentation, Text};
        match self {
            Self::RgbToDepth | Self::RgbToSeg | Self::RgbReconstruction => &[Rgb],
            Self::TextDepthToRgb => &[Text, Depth],
            Self::TextSegToRgb => &[Text, Segmentation],
            Self::TextDepthSegToRgb => &[Text, Depth, Segmentation],
            Self::DepthReconstruction => &[Depth],
            Self::SegReconstruction => &[Segmentation],
        }
    }

    /// What it is to make.
    pub fn target(self) -> Modality {
        match self {
            Self::RgbToDepth | Self::DepthReconstruction => Modality::Depth,
            Self::RgbToSeg | Self::SegReconstruction => Modality::Segmentation,
            _ => Modality::Rgb,
        }
    }

    /// Whether it has a prompt.
    pub fn has_text(self) -> bool {
        self.inputs().contains(&Modality::Text)
    }
}

/// One thing for a model to make out of others. The pictures are those of its frame in `generation_frames`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerationSample {
    /// `<frame_id>#<kind>`.
    pub sample_id: String,
    /// What it asks for.
    pub kind: GenerationKind,
    /// Frame whose pictures it takes.
    pub frame_id: String,
    /// Recording of the frame.
    pub recording_id: String,
    /// What the model is given, in this order.
    pub inputs: Vec<Modality>,
    /// What it is to make.
    pub target: Modality,
    /// Text that describes the image; null where the kind takes none.
    pub prompt: Option<String>,
    /// Where the text comes from; null where there is none.
    pub prompt_source: Option<AnswerSource>,
    /// Leak group of the recording.
    pub group_id: String,
    /// Split of the recording.
    pub split: String,
    /// Licence or terms of the recording.
    pub licence: String,
    /// JSON: ordinal of the wording, and the facts that the text was made from.
    pub provenance: String,
}
record!(GenerationSample, "generation_samples", 1, sample_id);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_linear_between_near_and_far_and_zero_is_no_surface() {
        let near = DepthPolarity::NearBright;
        let shown = |z| near.view(z, 100.0, 200.0);
        assert_eq!([0.0, 50.0, 100.0, 150.0, 200.0, 900.0].map(shown), [0, 255, 255, 128, 1, 1]);
        let dark = |z| DepthPolarity::NearDark.view(z, 100.0, 200.0);
        assert_eq!([0.0, 100.0, 150.0, 200.0].map(dark), [0, 1, 128, 255]);
        // A level ground seen from straight above has one depth.
        assert_eq!(near.view(80.0, 80.0, 80.0), 255);
    }

    #[test]
    fn kinds_are_named_as_they_are_stored() {
        for kind in GenerationKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert!(kind.name().ends_with("reconstruction") == (kind.inputs() == [kind.target()]));
            assert_eq!(kind.has_text(), kind.name().starts_with("text_"));
        }
    }
}
