//! What a program is executed on: the objects of each frame, and what is there but not known.
//!
//! A filter never deletes truth. Dropped boxes, ignored regions, objects of no or unknown category and frames without
//! labels become [`Unknown`]s: never an answer, but they block what they could change ([`Unknown::could_be`]).

use crate::solid::{SceneView, Solid};
use crate::unknown::{MayBe, Unknown, UnknownExtent};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thiserror::Error;
use uavgen_geometry::{Box2, GeometryError, ImageSize, NormalisedBox};
use uavgen_schemas::{Box2d, Frame, Region, RegionKind, Selection};

/// Category that an object outside the source's categories has (VisDrone category 11).
pub const OTHERS: &str = "others";

/// What the objects of a scene are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// Boxes that people annotated (`boxes_2d`), as a suite's selection keeps them.
    #[default]
    Annotated,
    /// Instances that were lifted from masks (`instances`), with their places in space.
    Lifted,
}

impl ObjectKind {
    /// Whether objects are annotated boxes.
    pub fn is_annotated(&self) -> bool {
        *self == Self::Annotated
    }
}

/// The frames of an item, in the order of its `frame_ids`; of an item that shows a clip, all frames of the clip in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    frames: Vec<SceneFrame>,
    /// Frames of each segment of a clip, in order and without gaps; none where the item shows images.
    segments: Vec<Range<u32>>,
    /// Frames per second of a clip; 0 where the item shows images.
    fps: FrameRate,
}

/// Frames per second, as an exact fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameRate {
    /// Numerator.
    pub num: u32,
    /// Denominator.
    pub den: u32,
}

/// One frame with its objects and unknowns, each sorted by id.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFrame {
    pub(crate) frame_id: String,
    pub(crate) recording_id: String,
    pub(crate) size: ImageSize,
    pub(crate) labelled: bool,
    pub(crate) objects: Vec<SceneObject>,
    pub(crate) unknowns: Vec<Unknown>,
    /// How the camera stood; none where objects are annotated boxes.
    pub(crate) view: Option<SceneView>,
}

/// An object that may be counted and referred to.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneObject {
    /// Box of `boxes_2d`, or instance.
    pub id: String,
    /// Track, or object of an instance: the same on all frames; null where the source has none.
    pub track_id: Option<String>,
    /// Category: that of the track, where there is one.
    pub category: String,
    /// Category as annotated on this very frame. Where it differs, questions that tell the two apart are refused.
    pub annotated_category: String,
    /// Box in pixels.
    pub bounds: Box2,
    /// The same box, normalised.
    pub normalised: NormalisedBox,
    /// Area of the box as a share of the image area, 0 to 1.
    pub image_share: f64,
    /// Where it stands; none of an annotated box.
    pub solid: Option<Solid>,
}

/// Records that do not make a scene: a fault of the data, not a property of a question.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SceneError {
    /// Records of different frames, or records that contradict each other.
    #[error("build the scene of frame `{frame_id}`: {id}: {problem}")]
    Record {
        /// Frame that was asked for.
        frame_id: String,
        /// Record at fault.
        id: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A box or an image size without meaning, or a usable box that leaves the image.
    #[error("build the scene of frame `{frame_id}`: {id}: {source}")]
    Geometry {
        /// Frame that was asked for.
        frame_id: String,
        /// Record at fault.
        id: String,
        /// What is wrong with its numbers.
        source: GeometryError,
    },
    /// A plan that its frames do not fit.
    #[error("build the scene of a clip: {problem}")]
    Clip {
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl Scene {
    /// A scene of frames in the order of the item's `frame_ids`; refuses a frame that comes twice, and frames with objects of
    /// two kinds.
    pub fn new(frames: Vec<SceneFrame>) -> Result<Self, SceneError> {
        if let Some(other) = frames.iter().find(|frame| frame.kind() != frames[0].kind()) {
            return Err(other.fault(&other.frame_id, "its objects are lifted ones, and those of another frame are not"));
        }
        let mut seen = BTreeSet::new();
        for frame in &frames {
            if !seen.insert(&frame.frame_id) {
                return Err(frame.fault(&frame.frame_id, "the frame comes twice in one scene"));
            }
        }
        Ok(Self { frames, segments: Vec::new(), fps: FrameRate::default() })
    }

    /// The scene of a clip: its frames in order, the number of frames of each of its segments, and its frame rate. A clip
    /// that shows a frame twice has no scene.
    ///
    /// # Errors
    /// A frame that comes twice, and segments or a rate that do not fit.
    pub fn of_clip(frames: Vec<SceneFrame>, lengths: &[u32], fps: FrameRate) -> Result<Self, SceneError> {
        if fps.num == 0 || fps.den == 0 {
            return Err(SceneError::Clip { problem: "its frame rate is 0" });
        }
        let mut segments = Vec::with_capacity(lengths.len());
        let mut end = 0_u32;
        for &length in lengths {
            let start = end;
            end = end.saturating_add(length);
            segments.push(start..end);
        }
        if lengths.is_empty() || lengths.contains(&0) || usize::try_from(end) != Ok(frames.len()) {
            return Err(SceneError::Clip { problem: "its segments do not add up to its frames" });
        }
        Ok(Self { segments, fps, ..Self::new(frames)? })
    }

    /// The frames, by position.
    pub fn frames(&self) -> &[SceneFrame] {
        &self.frames
    }

    /// Frames of each segment of a clip, as positions in [`Scene::frames`]; none where the item shows images.
    pub fn segments(&self) -> &[Range<u32>] {
        &self.segments
    }

    /// Frame rate of a clip.
    pub fn fps(&self) -> FrameRate {
        self.fps
    }
}

impl SceneFrame {
    /// The scene of one frame from its records: kept boxes become objects; dropped boxes, regions and missing labels
    /// become unknowns. Every record must belong to the frame, and every box must be kept or unknown.
    pub fn new(frame: &Frame, boxes: &[Box2d], regions: &[Region], selection: &Selection) -> Result<Self, SceneError> {
        let size = ImageSize::try_from(frame).map_err(|source| SceneError::Geometry {
            frame_id: frame.frame_id.clone(),
            id: frame.frame_id.clone(),
            source,
        })?;
        let mut built = Self {
            frame_id: frame.frame_id.clone(),
            recording_id: frame.recording_id.clone(),
            size,
            labelled: frame.labelled,
            objects: Vec::new(),
            unknowns: Vec::new(),
            view: None,
        };
        built.add_boxes(boxes, selection)?;
        built.add_regions(regions)?;
        if !frame.labelled {
            built.unknowns.push(built.unlabelled());
        }
        built.objects.sort_by(|a, b| a.id.cmp(&b.id));
        built.unknowns.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(built)
    }

    /// The frame's id.
    pub fn frame_id(&self) -> &str {
        &self.frame_id
    }

    /// Whether anybody labelled the frame; else all of it is unknown.
    pub fn is_labelled(&self) -> bool {
        self.labelled
    }

    /// The recording that the frame belongs to.
    pub fn recording_id(&self) -> &str {
        &self.recording_id
    }

    /// Size of the image.
    pub fn size(&self) -> ImageSize {
        self.size
    }

    /// What its objects are.
    pub fn kind(&self) -> ObjectKind {
        if self.view.is_some() { ObjectKind::Lifted } else { ObjectKind::Annotated }
    }

    /// How the camera stood; none where objects are annotated boxes.
    pub fn view(&self) -> Option<&SceneView> {
        self.view.as_ref()
    }

    /// Objects, sorted by id.
    pub fn objects(&self) -> &[SceneObject] {
        &self.objects
    }

    /// Unknowns, sorted by id.
    pub fn unknowns(&self) -> &[Unknown] {
        &self.unknowns
    }

    /// The object with an id.
    pub fn object(&self, id: &str) -> Option<&SceneObject> {
        let at = self.objects.binary_search_by(|object| object.id.as_str().cmp(id));
        at.ok().map(|at| &self.objects[at])
    }

    fn add_boxes(&mut self, boxes: &[Box2d], selection: &Selection) -> Result<(), SceneError> {
        if selection.frame_id != self.frame_id {
            return Err(self.fault(&selection.selection_id, "the selection is of another frame"));
        }
        let mut kept: BTreeSet<&str> = selection.kept.iter().map(String::as_str).collect();
        let mut dropped: BTreeMap<&str, &[String]> =
            selection.unknown.iter().map(|unknown| (unknown.box_id.as_str(), unknown.may_be.as_slice())).collect();
        for object in boxes {
            if object.frame_id != self.frame_id {
                return Err(self.fault(&object.box_id, "the box is of another frame"));
            }
            match (kept.remove(object.box_id.as_str()), dropped.remove(object.box_id.as_str())) {
                (true, None) => self.objects.push(self.object_from(object)?),
                (false, Some(may_be)) => self.unknowns.push(self.unknown_from(object, may_be)?),
                (true, Some(_)) => return Err(self.fault(&object.box_id, "the selection keeps and drops the box")),
                (false, None) => {
                    return Err(self.fault(&object.box_id, "the selection does not mention the box, or it comes twice"));
                }
            }
        }
        match kept.into_iter().chain(dropped.into_keys()).next() {
            Some(id) => Err(self.fault(id, "the selection names a box that the frame does not have")),
            None => Ok(()),
        }
    }

    fn object_from(&self, object: &Box2d) -> Result<SceneObject, SceneError> {
        let bounds = Box2::try_from(object).map_err(|source| self.geometry(&object.box_id, source))?;
        let normalised = bounds.normalised(self.size).map_err(|source| self.geometry(&object.box_id, source))?;
        if bounds.is_empty() {
            return Err(self.fault(&object.box_id, "the selection keeps a box without area"));
        }
        Ok(SceneObject {
            id: object.box_id.clone(),
            track_id: object.track_id.clone(),
            category: object.category.clone(),
            annotated_category: object.annotated_category.clone(),
            bounds,
            normalised,
            image_share: bounds.area() / self.size.area_px2(),
            solid: None,
        })
    }

    fn unknown_from(&self, object: &Box2d, may_be: &[String]) -> Result<Unknown, SceneError> {
        let bounds = Box2::try_from(object).map_err(|source| self.geometry(&object.box_id, source))?;
        Ok(Unknown {
            id: object.box_id.clone(),
            track_id: object.track_id.clone(),
            bounds: bounds.clamped(self.size),
            extent: UnknownExtent::OneObject,
            may_be: match may_be {
                [] => MayBe::Anything,
                categories => MayBe::Only(categories.iter().cloned().collect()),
            },
        })
    }

    fn add_regions(&mut self, regions: &[Region]) -> Result<(), SceneError> {
        for region in regions {
            if region.frame_id != self.frame_id {
                return Err(self.fault(&region.region_id, "the region is of another frame"));
            }
            let bounds = Box2::try_from(region).map_err(|source| self.geometry(&region.region_id, source))?;
            let (extent, may_be) = match region.kind {
                RegionKind::Ignored => (UnknownExtent::Area, MayBe::Anything),
                RegionKind::Others => (UnknownExtent::OneObject, MayBe::Only([OTHERS.to_owned()].into())),
                RegionKind::UnknownObject => (UnknownExtent::OneObject, MayBe::Anything),
            };
            let (id, bounds) = (region.region_id.clone(), bounds.clamped(self.size));
            self.unknowns.push(Unknown { id, track_id: region.track_id.clone(), bounds, extent, may_be });
        }
        Ok(())
    }

    fn unlabelled(&self) -> Unknown {
        Unknown {
            id: self.frame_id.clone(),
            track_id: None,
            bounds: self.size.full_box(),
            extent: UnknownExtent::Area,
            may_be: MayBe::Anything,
        }
    }

    pub(crate) fn fault(&self, id: &str, problem: &'static str) -> SceneError {
        SceneError::Record { frame_id: self.frame_id.clone(), id: id.to_owned(), problem }
    }

    pub(crate) fn geometry(&self, id: &str, source: GeometryError) -> SceneError {
        SceneError::Geometry { frame_id: self.frame_id.clone(), id: id.to_owned(), source }
    }
}

impl SceneObject {
    /// Whether the object is surely of one of the categories, however it was annotated.
    pub fn is_any_of(&self, any_of: &[String]) -> bool {
        any_of.contains(&self.category) && any_of.contains(&self.annotated_category)
    }

    /// Whether the object is of one of the categories by one of its two annotations.
    pub fn could_be(&self, any_of: &[String]) -> bool {
        any_of.contains(&self.category) || any_of.contains(&self.annotated_category)
    }
}
