//! What each class of the label mask is to lifting.

/// What the pixels of a class show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The ground that objects stand on: roads, grass, parking areas.
    Ground,
    /// Objects that do not move, so that the depth shows them.
    Fixed,
    /// Objects that move. A mesh does not hold them: where the depth was rendered from one, it shows what lies behind.
    Moving,
    /// Neither lifted nor stood upon.
    Other,
}

/// The role of each class, by label value. Values beyond the table are [`Role::Other`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    roles: Vec<Role>,
    depth_shows_moving: bool,
}

impl Classes {
    /// From the role of every label value, from 0 on; `depth_shows_moving` where the depth is of the very moment of the
    /// image, as from LiDAR or a stereo pair, and so shows what moves.
    pub fn new(roles: Vec<Role>, depth_shows_moving: bool) -> Self {
        Self { roles, depth_shows_moving }
    }

    /// The role of a label value.
    pub fn role(&self, class: u16) -> Role {
        self.roles.get(usize::from(class)).copied().unwrap_or(Role::Other)
    }

    pub(crate) fn is_lifted(&self, class: u16) -> bool {
        matches!(self.role(class), Role::Fixed | Role::Moving)
    }

    pub(crate) fn is_ground(&self, class: u16) -> bool {
        self.role(class) == Role::Ground
    }

    /// Whether the depth at the pixels of a class is that of its objects.
    pub(crate) fn is_in_depth(&self, class: u16) -> bool {
        self.depth_shows_moving || self.role(class) != Role::Moving
    }
}
