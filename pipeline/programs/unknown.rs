//! What is there, or may be there, and is not known well enough to be an answer.

use crate::scene::SceneObject;
use crate::undefined::Reason;
use std::collections::BTreeSet;
use uavgen_geometry::Box2;

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

/// Member of a set only perhaps: an unknown, or an object of which nobody can say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Possible<'s> {
    /// See [`Unknown`].
    Unknown(&'s Unknown),
    /// An object, and why: with two categories of which only one fits ([`SceneObject::annotated_category`]), on the border of an
    /// area ([`crate::InsideRule`]), close to a limit, or not measured.
    Object(&'s SceneObject, Reason),
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
            Self::Object(object, _) => &object.id,
        }
    }

    /// Track; null where the source has none.
    pub fn track_id(&self) -> Option<&'s str> {
        match self {
            Self::Unknown(unknown) => unknown.track_id.as_deref(),
            Self::Object(object, _) => object.track_id.as_deref(),
        }
    }

    /// Where it is, in pixels.
    pub fn bounds(&self) -> &'s Box2 {
        match self {
            Self::Unknown(unknown) => &unknown.bounds,
            Self::Object(object, _) => &object.bounds,
        }
    }

    /// Whether it is one object at most, with the box that it has.
    pub fn is_one_object(&self) -> bool {
        match self {
            Self::Unknown(unknown) => unknown.extent == UnknownExtent::OneObject,
            Self::Object(..) => true,
        }
    }

    /// The category half of the blocking rule.
    pub fn could_be(&self, any_of: &[String]) -> bool {
        match self {
            Self::Unknown(unknown) => unknown.could_be(any_of),
            Self::Object(object, _) => object.could_be(any_of),
        }
    }

    /// Why a question is refused whose answer this could change.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::TouchesUnknown,
            Self::Object(_, reason) => *reason,
        }
    }

    /// The place half of the blocking rule: whether it overlaps an area, by however little.
    pub fn could_lie_in(&self, area: &Box2) -> bool {
        self.bounds().meets(area)
    }
}
