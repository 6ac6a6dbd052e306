//! What a view of a mesh gives, pixel by pixel.

/// The face, and the label, of a pixel that shows no surface. No mesh has a face or a label of this number.
pub const NO_SURFACE: u32 = u32::MAX;

/// What is wanted besides the depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layers {
    /// Numbers of the faces.
    pub faces: bool,
    /// Labels of the faces, where the mesh has labels.
    pub labels: bool,
    /// Normals of the faces.
    pub normals: bool,
}

impl Layers {
    /// Depth alone.
    pub const DEPTH: Self = Self { faces: false, labels: false, normals: false };

    /// Everything there is.
    pub const ALL: Self = Self { faces: true, labels: true, normals: true };

    pub(crate) fn need_faces(self) -> bool {
        self.faces || self.labels || self.normals
    }
}

/// One rendered view: layers of one value per pixel, row by row from the top left. What shows no surface is 0 deep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rendered {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) layers: Layers,
    pub(crate) depth: Vec<f32>,
    pub(crate) faces: Vec<u32>,
    pub(crate) labels: Vec<u32>,
    pub(crate) normals: Vec<[f32; 3]>,
}

impl Rendered {
    /// Takes the size of a view and makes room for its layers. What the buffers hold is of the view before.
    pub(crate) fn prepare(&mut self, width: usize, height: usize, layers: Layers) {
        (self.width, self.height, self.layers) = (width, height, layers);
        let pixels = |is_needed: bool| if is_needed { width * height } else { 0 };
        self.depth.resize(width * height, 0.0);
        self.faces.resize(pixels(layers.need_faces()), NO_SURFACE);
        self.labels.resize(pixels(layers.labels), NO_SURFACE);
        self.normals.resize(pixels(layers.normals), [0.0; 3]);
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Depth of the nearest surface in metres along the optical axis (z, not the length of the ray); 0 where there is none.
    pub fn depth(&self) -> &[f32] {
        &self.depth
    }

    /// Number in the mesh of the face that is seen, [`NO_SURFACE`] where there is none; null when not asked for.
    pub fn faces(&self) -> Option<&[u32]> {
        self.layers.faces.then_some(&self.faces[..])
    }

    /// Label of the face that is seen, [`NO_SURFACE`] where there is none; null when not asked for or the mesh has no labels.
    pub fn labels(&self) -> Option<&[u32]> {
        self.layers.labels.then_some(&self.labels[..])
    }

    /// Unit normal, in `World`, of the face that is seen, on the side towards the camera; zeros where there is none. Null
    /// when not asked for.
    pub fn normals(&self) -> Option<&[[f32; 3]]> {
        self.layers.normals.then_some(&self.normals[..])
    }

    /// Share of the pixels that show a surface, 0 to 1.
    pub fn covered_share(&self) -> f64 {
        let covered = self.depth.iter().filter(|&&depth| depth > 0.0).count();
        covered as f64 / self.depth.len().max(1) as f64
    }
}
