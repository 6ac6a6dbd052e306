//! Rows of an image that are drawn, and who wins a pixel.

/// Pixels that are offered at once. The last ones of a span are offered nothing: that is cheaper than a loop of its own.
const BLOCK: usize = 8;

/// The part of the image that is drawn: rows from `top` to `bottom` (exclusive), all columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Band {
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    pub(crate) width: usize,
}

/// Rows of an image that are drawn together.
pub(crate) trait Target {
    /// Offers a face to `length` pixels from a column of a row, with one over its depth at the first and its step.
    fn span(&mut self, row: usize, column: usize, length: usize, inverse_z: f32, step: f32, face: u32);

    /// Offers a face to the pixels from a column of a row, with one over its depth at each.
    fn values(&mut self, row: usize, column: usize, inverse_z: impl ExactSizeIterator<Item = f32>, face: u32);
}

/// The nearest depth alone. One over it is 0 where there is no surface.
pub(crate) struct DepthRows<'a> {
    pub(crate) width: usize,
    pub(crate) inverse_z: &'a mut [f32],
}

/// The nearest depth and whose it is; of equal depths the lower face number wins.
pub(crate) struct FaceRows<'a> {
    pub(crate) width: usize,
    pub(crate) inverse_z: &'a mut [f32],
    pub(crate) faces: &'a mut [u32],
}

impl Target for DepthRows<'_> {
    #[inline(always)]
    fn span(&mut self, row: usize, column: usize, length: usize, inverse_z: f32, step: f32, _: u32) {
        let pixels = &mut self.inverse_z[row * self.width + column..];
        let offer = |pixel: &mut f32, index: usize| {
            let offered = inverse_z + index as i32 as f32 * step;
            // What is beyond the end may belong to the next row: 0 wins nothing.
            let offered = if (index as i32) < length as i32 { offered } else { 0.0 };
            *pixel = if offered > *pixel { offered } else { *pixel };
        };
        let mut done = 0;
        while done < length {
            match pixels[done..].first_chunk_mut::<BLOCK>() {
                Some(block) => block.iter_mut().enumerate().for_each(|(lane, pixel)| offer(pixel, done + lane)),
                None => pixels[done..length].iter_mut().enumerate().for_each(|(lane, pixel)| offer(pixel, done + lane)),
            }
            done += BLOCK;
        }
    }

    #[inline(always)]
    fn values(&mut self, row: usize, column: usize, inverse_z: impl ExactSizeIterator<Item = f32>, _: u32) {
        let pixels = &mut self.inverse_z[row * self.width + column..][..inverse_z.len()];
        for (pixel, offered) in pixels.iter_mut().zip(inverse_z) {
            *pixel = if offered > *pixel { offered } else { *pixel };
        }
    }
}

impl Target for FaceRows<'_> {
    #[inline(always)]
    fn span(&mut self, row: usize, column: usize, length: usize, inverse_z: f32, step: f32, face: u32) {
        let start = row * self.width + column;
        let (pixels, owners) = (&mut self.inverse_z[start..], &mut self.faces[start..]);
        let at = |index: usize| {
            let offered = inverse_z + index as i32 as f32 * step;
            // Beyond the end it is less than any pixel has.
            if (index as i32) < length as i32 { offered } else { -1.0 }
        };
        let mut done = 0;
        while done < length {
            match (pixels[done..].first_chunk_mut::<BLOCK>(), owners[done..].first_chunk_mut::<BLOCK>()) {
                (Some(pixels), Some(owners)) => {
                    let winners: [_; BLOCK] =
                        std::array::from_fn(|lane| winner((pixels[lane], owners[lane]), (at(done + lane), face)));
                    (*pixels, *owners) = (winners.map(|(pixel, _)| pixel), winners.map(|(_, owner)| owner));
                }
                _ => {
                    for index in done..length {
                        (pixels[index], owners[index]) = winner((pixels[index], owners[index]), (at(index), face));
                    }
                }
            }
            done += BLOCK;
        }
    }

    #[inline(always)]
    fn values(&mut self, row: usize, column: usize, inverse_z: impl ExactSizeIterator<Item = f32>, face: u32) {
        let (start, length) = (row * self.width + column, inverse_z.len());
        let pixels = self.inverse_z[start..][..length].iter_mut().zip(&mut self.faces[start..][..length]);
        for ((pixel, owner), offered) in pixels.zip(inverse_z) {
            (*pixel, *owner) = winner((*pixel, *owner), (offered, face));
        }
    }
}

/// Of two surfaces, each as one over its depth and its face, the one that is seen.
#[inline(always)]
fn winner(old: (f32, u32), new: (f32, u32)) -> (f32, u32) {
    // Without branches, so that several pixels are decided at once.
    let wins = (new.0 > old.0) | ((new.0 == old.0) & (new.1 < old.1));
    (if wins { new.0 } else { old.0 }, if wins { new.1 } else { old.1 })
}
