//! What a program is executed on: the objects of each frame, and what is there but not known.
//!
//! A filter never deletes truth. Dropped boxes, ignored regions, objects of no or unknown category and frames without
//! labels become [`Unknown`]s: never an answer, but they block what they could change ([`Unknown::could_be`]).

use crate::undefined::Reason;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;
use uavgen_geometry::{Box2, GeometryError, ImageSize, NormalisedBox};
use uavgen_schemas::{Box2d, Frame, Region, RegionKind, Selection};

/// Category that an object outside the source's categories has (VisDrone category 11).
pub const OTHERS: &str = "others";

/// The frames of an item, in the order of its `frame_ids`.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    frames: Vec<SceneFrame>,
}

/// One frame with its objects and unknowns, each sorted by id.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneFrame {
    frame_id: String,
    recording_id: String,
    size: ImageSize,
    objects: Vec<SceneObject>,
    unknowns: Vec<Unknown>,
}

/// An object that may be counted and referred to.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneObject {
    /// Box of `boxes_2d`.
    pub id: String,
    /// Track; null where the source has none.
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
}

/// What an unknown may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MayBe {
    /// Of any category.
    Anything,
    /// Of one of these categories.
    Only(BTreeSet<String>),
}

/// What the box of an unknown says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownExtent {
    /// One object with this box.
    OneObject,
    /// An area that may hold any number of objects of any size.
    Area,
}

/// Something that is there, or may be there, and is not known well enough to be an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Unknown {
    /// Box or region; for a frame without labels the frame.
    pub id: String,
    /// Track; null where the source has none.
    pub track_id: Option<String>,
    /// Where it is, in pixels, cut to the image; it may be empty.
    pub bounds: Box2,
    /// One object, or any number.
    pub extent: UnknownExtent,
    /// What it may be.
    pub may_be: MayBe,
}

/// Member of a set only perhaps: an unknown, an object with two categories of which only one fits, or one on a border.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Possible<'s> {
    /// See [`Unknown`].
    Unknown(&'s Unknown),
    /// See [`SceneObject::annotated_category`].
    Object(&'s SceneObject),
    /// An object neither inside nor outside an area, see [`crate::InsideRule`].
    OnBorder(&'s SceneObject),
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
}

impl Scene {
    /// A scene of frames in the order of the item's `frame_ids`; refuses a frame that comes twice.
    pub fn new(frames: Vec<SceneFrame>) -> Result<Self, SceneError> {
        let mut seen = BTreeSet::new();
        for frame in &frames {
            if !seen.insert(&frame.frame_id) {
                return Err(frame.fault(&frame.frame_id, "the frame comes twice in one scene"));
            }
        }
        Ok(Self { frames })
    }

    /// The frames, by position.
    pub fn frames(&self) -> &[SceneFrame] {
        &self.frames
    }

    /// The scene as the labels alone tell it, without unknowns. Answers on it are not certain.
    pub(crate) fn labels_only(&self) -> Self {
        let frames = self.frames.iter().map(|frame| SceneFrame { unknowns: Vec::new(), ..frame.clone() });
        Self { frames: frames.collect() }
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
            objects: Vec::new(),
            unknowns: Vec::new(),
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

    /// The recording that the frame belongs to.
    pub fn recording_id(&self) -> &str {
        &self.recording_id
    }

    /// Size of the image.
    pub fn size(&self) -> ImageSize {
        self.size
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
        self.objects.iter().find(|object| object.id == id)
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

    fn fault(&self, id: &str, problem: &'static str) -> SceneError {
        SceneError::Record { frame_id: self.frame_id.clone(), id: id.to_owned(), problem }
    }

    fn geometry(&self, id: &str, source: GeometryError) -> SceneError {
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

impl Unknown {
    /// The category half of the blocking rule: whether this may be of one of the categories.
    pub fn could_be(&self, any_of: &[String]) -> bool {
        match &self.may_be {
            MayBe::Anything => true,
            MayBe::Only(categories) => any_of.iter().any(|category| categories.contains(category)),
        }
    }
}

impl<'s> Possible<'s> {
    /// Id of the unknown or object.
    pub fn id(&self) -> &'s str {
        match self {
            Self::Unknown(unknown) => &unknown.id,
            Self::Object(object) | Self::OnBorder(object) => &object.id,
        }
    }

    /// Track; null where the source has none.
    pub fn track_id(&self) -> Option<&'s str> {
        match self {
            Self::Unknown(unknown) => unknown.track_id.as_deref(),
            Self::Object(object) | Self::OnBorder(object) => object.track_id.as_deref(),
        }
    }

    /// Where it is, in pixels.
    pub fn bounds(&self) -> &'s Box2 {
        match self {
            Self::Unknown(unknown) => &unknown.bounds,
            Self::Object(object) | Self::OnBorder(object) => &object.bounds,
        }
    }

    /// Whether it is one object at most, with the box that it has.
    pub fn is_one_object(&self) -> bool {
        match self {
            Self::Unknown(unknown) => unknown.extent == UnknownExtent::OneObject,
            Self::Object(_) | Self::OnBorder(_) => true,
        }
    }

    /// The category half of the blocking rule.
    pub fn could_be(&self, any_of: &[String]) -> bool {
        match self {
            Self::Unknown(unknown) => unknown.could_be(any_of),
            Self::Object(object) | Self::OnBorder(object) => object.could_be(any_of),
        }
    }

    /// Why a question is refused whose answer this could change.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) | Self::Object(_) => Reason::TouchesUnknown,
            Self::OnBorder(_) => Reason::StraddlesRegion,
        }
    }

    /// The place half of the blocking rule: whether it overlaps an area, by however little.
    pub fn could_lie_in(&self, area: &Box2) -> bool {
        self.bounds().meets(area)
    }
}
