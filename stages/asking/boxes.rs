//! Boxes of objects as items list them.

use uavgen_programs::SceneObject;
use uavgen_schemas::{BoxRole, ItemBox};

/// Modality of everything that is asked about so far.
pub const MODALITY: &str = "rgb";

/// The box of an object on the image at a position.
pub fn object_box((position, object): (usize, &SceneObject), role: BoxRole) -> ItemBox {
    ItemBox {
        image_index: position as i32,
        role,
        object_id: Some(object.id.clone()),
        modality: MODALITY.to_owned(),
        view: None,
        x1: object.normalised.x1(),
        y1: object.normalised.y1(),
        x2: object.normalised.x2(),
        y2: object.normalised.y2(),
    }
}
