//! The four pictures of a frame of the generation track against each other, and against what their row says.

use crate::findings::FaultCode;
use crate::index::Index;
use crate::tables::key;
use std::collections::BTreeMap;
use uavgen_core::fingerprint;
use uavgen_media::{Labels, decode_grey8, decode_grey16, decode_labels, decode_upright, probe};
use uavgen_schemas::{GenerationFrame, ImageBytes, SegmentClass};

/// By how much shares may differ.
const SHARE_TOLERANCE: f64 = 1e-9;
/// By how much a depth may differ from that of its value, as a share of the step: half a step by rounding, and what floats lose.
const STEP_SHARE: f64 = 0.5 + 1e-3;

/// What is wrong, and its code.
pub(crate) type Problem = (FaultCode, String);

/// The pictures of a row, one value per pixel.
pub(crate) struct Decoded {
    image: (u32, u32),
    depth: (u32, u32, Vec<u16>),
    view: (u32, u32, Vec<u8>),
    segmentation: (u32, u32, Vec<u16>, Vec<[u8; 3]>),
}

/// Decodes all pictures of a row.
pub(crate) fn decode(row: &GenerationFrame) -> Result<Decoded, Problem> {
    let undecodable =
        |image: &ImageBytes, problem: String| (FaultCode::ImageUndecodable, format!("{}: {problem}", image.path));
    let no_form = |image: &ImageBytes, form: &str| (FaultCode::ImageForm, format!("{} is no {form}", image.path));
    let image = decode_upright(&row.image.bytes).map_err(|fault| undecodable(&row.image, fault.to_string()))?;
    if !probe(&row.image.bytes).is_ok_and(|info| info.is_deliverable()) {
        return Err(no_form(&row.image, "upright image of 8 bits, RGB or grey"));
    }
    let depth = decode_grey16(&row.depth.bytes).ok_or_else(|| no_form(&row.depth, "16-bit grey PNG"))?;
    let view = decode_grey8(&row.depth_view.bytes).ok_or_else(|| no_form(&row.depth_view, "8-bit grey PNG"))?;
    let size = probe(&row.segmentation.bytes).map_err(|fault| undecodable(&row.segmentation, fault.to_string()))?;
    let labels = decode_labels(&row.segmentation.bytes);
    match labels.map_err(|fault| undecodable(&row.segmentation, fault.to_string()))? {
        Labels::Ids { values, palette } if !palette.is_empty() => {
            let segmentation = (size.width, size.height, values, palette);
            Ok(Decoded { image: image.dimensions(), depth, view, segmentation })
        }
        _ => Err(no_form(&row.segmentation, "PNG with a palette")),
    }
}

/// Everything that is wrong with a row whose pictures decode.
pub(crate) fn problems(row: &GenerationFrame, decoded: &Decoded, index: &Index) -> Vec<Problem> {
    let mut problems: Vec<Problem> = digests(row, index).collect();
    let sizes = [
        ("image", decoded.image),
        ("depth", (decoded.depth.0, decoded.depth.1)),
        ("depth view", (decoded.view.0, decoded.view.1)),
        ("segmentation", (decoded.segmentation.0, decoded.segmentation.1)),
    ];
    let stated = (row.width, row.height);
    let frame = index.frames.get(&key(&row.frame_id)).map(|frame| (frame.width, frame.height));
    let off = |(width, height): (u32, u32)| (i64::from(width), i64::from(height)) != stated;
    problems.extend(sizes.iter().filter(|(_, size)| off(*size)).map(|(what, (width, height))| {
        (FaultCode::ImageSize, format!("its {what} is {width}x{height}, the row says {}x{}", stated.0, stated.1))
    }));
    if let Some((width, height)) = frame.filter(|frame| *frame != stated) {
        let problem = format!("{}x{}, its frame is {width}x{height}", stated.0, stated.1);
        problems.push((FaultCode::ImageSize, problem));
    }
    if problems.iter().any(|(code, _)| *code == FaultCode::ImageSize) {
        return problems;
    }
    problems.extend(wrong_depth(row, &decoded.depth.2).map(|problem| (FaultCode::DepthMismatch, problem)));
    problems.extend(wrong_view(row, decoded).map(|problem| (FaultCode::DepthMismatch, problem)));
    let (.., indices, palette) = &decoded.segmentation;
    let wrong = wrong_classes(row, indices, palette);
    problems.extend(wrong.map(|problem| (FaultCode::SegmentationMismatch, problem)));
    problems
}

/// Pictures that are not those that the row names, or whose image is not that of the frame.
fn digests<'a>(row: &'a GenerationFrame, index: &Index) -> impl Iterator<Item = Problem> + 'a {
    let pictures = [
        (&row.image, &row.image_digest),
        (&row.depth, &row.depth_digest),
        (&row.depth_view, &row.depth_view_digest),
        (&row.segmentation, &row.segmentation_digest),
    ];
    let source = index.frames.get(&key(&row.frame_id)).and_then(|frame| frame.delivered_digest.clone());
    let foreign = source.filter(|digest| *digest != fingerprint::digest(&row.image.bytes)).map(|digest| {
        (
            FaultCode::ImageMismatch,
            format!("frame {} has a picture with BLAKE3 {digest}, this is another", row.frame_id),
        )
    });
    let other = pictures.into_iter().filter_map(|(image, stated)| {
        let found = fingerprint::digest(&image.bytes);
        let problem = || format!("{} has BLAKE3 {found}, the row says {stated}", image.path);
        (found != *stated).then(|| (FaultCode::ImageMismatch, problem()))
    });
    other.chain(foreign)
}

/// Numbers on the depth that are not those of the picture. Written so that NaN fails.
fn wrong_depth(row: &GenerationFrame, values: &[u16]) -> Option<String> {
    let step = row.depth_step_m;
    let is_step = step.is_finite() && step > 0.0;
    if !is_step {
        return Some(format!("its step is {step} m"));
    }
    let (mut count, mut sum, mut least, mut most) = (0_u64, 0_u64, u16::MAX, 0);
    for &value in values.iter().filter(|value| **value > 0) {
        count += 1;
        sum += u64::from(value);
        (least, most) = (least.min(value), most.max(value));
    }
    if count == 0 {
        return Some("no pixel shows a surface".into());
    }
    let numbers = [
        ("nearest", row.depth_min_m, f64::from(least) * step),
        ("farthest", row.depth_max_m, f64::from(most) * step),
        ("mean", row.depth_mean_m, sum as f64 / count as f64 * step),
    ];
    let near = |(_, stated, found): &&(&str, f64, f64)| (stated - found).abs() <= STEP_SHARE * step;
    if let Some((what, stated, found)) = numbers.iter().find(|number| !near(number)) {
        return Some(format!("its {what} depth is {stated} m, that of the picture {found} m"));
    }
    let share = count as f64 / values.len() as f64;
    let is_known = (share - row.depth_known_share).abs() <= SHARE_TOLERANCE;
    (!is_known).then(|| format!("{share} of its pixels show a surface, the row says {}", row.depth_known_share))
}

/// A view that is not that of the depth.
fn wrong_view(row: &GenerationFrame, decoded: &Decoded) -> Option<String> {
    let (near, far) = (row.depth_view_near_m, row.depth_view_far_m);
    let is_clip = near.is_finite() && far.is_finite() && 0.0 < near && near <= far;
    if !is_clip {
        return Some(format!("its view goes from {near} m to {far} m"));
    }
    let expected = |value: u16| row.depth_view_polarity.view(f64::from(value) * row.depth_step_m, near, far);
    let mut pixels = decoded.depth.2.iter().zip(&decoded.view.2).enumerate();
    let (at, (&value, &shown)) = pixels.find(|(_, (value, shown))| expected(**value) != **shown)?;
    let depth = f64::from(value) * row.depth_step_m;
    Some(format!("pixel {at} of its view is {shown}, a depth of {depth} m is {}", expected(value)))
}

/// Classes that are not those of the picture.
fn wrong_classes(row: &GenerationFrame, indices: &[u16], palette: &[[u8; 3]]) -> Option<String> {
    let mut counts: BTreeMap<i64, i64> = BTreeMap::new();
    for run in indices.chunk_by(|a, b| a == b) {
        *counts.entry(i64::from(run[0])).or_default() += run.len() as i64;
    }
    if let Some(value) = counts.keys().find(|value| !row.classes.iter().any(|class| class.value == **value)) {
        return Some(format!("its picture has the value {value}, no class has"));
    }
    if !row.classes.is_sorted_by(|a, b| a.value < b.value) {
        return Some("its classes are not sorted by value, each once".into());
    }
    row.classes.iter().find_map(|class| wrong_class(class, &counts, indices.len(), palette))
}

fn wrong_class(
    class: &SegmentClass,
    counts: &BTreeMap<i64, i64>,
    pixels: usize,
    palette: &[[u8; 3]],
) -> Option<String> {
    let SegmentClass { value, red, green, blue, .. } = class;
    let counted = counts.get(value).copied().unwrap_or(0);
    if counted != class.pixels || counted == 0 {
        return Some(format!("class {value} has {} pixels, the picture {counted}", class.pixels));
    }
    let is_share = (class.pixel_share - counted as f64 / pixels as f64).abs() <= SHARE_TOLERANCE;
    if !is_share {
        return Some(format!("class {value} has {counted} of {pixels} pixels, the row says {}", class.pixel_share));
    }
    let shown = usize::try_from(*value).ok().and_then(|value| palette.get(value)).map(|colour| colour.map(i64::from));
    (shown != Some([*red, *green, *blue]))
        .then(|| format!("class {value} is shown in {shown:?}, the row says {:?}", [red, green, blue]))
}
