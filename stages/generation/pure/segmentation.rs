//! Masks as palette pictures.

use super::COLOURS;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_schemas::{MaskClass, SegmentClass};

/// Colours that a palette picture can have.
const COLOURS_OF_A_PALETTE: usize = 256;
/// Colour of pixels of no class, where no class has it.
const NOTHING: [u8; 3] = [0, 0, 0];

/// The palette of a recording: an index for each class, and one for what no class has.
pub(in crate::generation) struct Palette {
    /// Name and colour by index.
    classes: BTreeMap<u8, (String, [u8; 3])>,
    /// Index and colour of pixels of no class; null where every index is that of a class.
    nothing: Option<(u8, [u8; 3])>,
}

impl Palette {
    /// Each class under its value, in its colour in the masks, or by its name where masks have ids; two classes never share a colour.
    ///
    /// # Errors
    /// What is wrong, where a value is no index of a palette.
    pub(in crate::generation) fn new<'a>(rows: impl IntoIterator<Item = &'a MaskClass>) -> Result<Self, String> {
        let mut names: BTreeMap<u8, &MaskClass> = BTreeMap::new();
        for row in rows {
            let index = u8::try_from(row.value);
            let index = index.map_err(|_| format!("class {} has the value {}", row.name, row.value))?;
            names.insert(index, row);
        }
        let (named, mut taken) = (named_colours(), BTreeSet::new());
        let mut classes = BTreeMap::new();
        // Colours that masks state go first, so that none is taken by a class that states none.
        let (stated, unstated): (Vec<_>, Vec<_>) = names.iter().partition(|(_, row)| stated_colour(row).is_some());
        for (index, row) in stated.into_iter().chain(unstated) {
            let wanted = stated_colour(row).or_else(|| named.get(&row.name.to_lowercase()).copied());
            let colour = free_colour(wanted.unwrap_or_else(|| hashed_colour(&row.name)), &taken);
            taken.insert(colour);
            classes.insert(*index, (row.name.clone(), colour));
        }
        let free = (0..=u8::MAX).rev().find(|index| !classes.contains_key(index));
        Ok(Self { classes, nothing: free.map(|index| (index, free_colour(NOTHING, &taken))) })
    }

    /// The index of every pixel; null where pixels of no class have no index left.
    pub(in crate::generation) fn indices(&self, values: &[Option<u16>]) -> Option<Vec<u8>> {
        let nothing = self.nothing.map(|(index, _)| index);
        values.iter().map(|value| value.and_then(|value| u8::try_from(value).ok()).or(nothing)).collect()
    }

    /// The colour of every index up to the highest one.
    pub(in crate::generation) fn colours(&self) -> Vec<[u8; 3]> {
        let mut colours = vec![NOTHING; COLOURS_OF_A_PALETTE];
        let all = self.classes.iter().map(|(index, (_, colour))| (*index, *colour)).chain(self.nothing);
        all.for_each(|(index, colour)| colours[usize::from(index)] = colour);
        colours
    }

    /// The classes that a picture shows, sorted by value.
    pub(in crate::generation) fn shown(&self, indices: &[u8]) -> Vec<SegmentClass> {
        let mut counts = [0_i64; COLOURS_OF_A_PALETTE];
        indices.iter().for_each(|&index| counts[usize::from(index)] += 1);
        let counted = (0..=u8::MAX).zip(counts).filter(|(_, pixels)| *pixels > 0);
        counted
            .map(|(index, pixels)| {
                let (name, [red, green, blue]) = match self.classes.get(&index) {
                    Some((name, colour)) => (Some(name.clone()), *colour),
                    None => (None, self.nothing.map_or(NOTHING, |(_, colour)| colour)),
                };
                SegmentClass {
                    value: i64::from(index),
                    name,
                    red: i64::from(red),
                    green: i64::from(green),
                    blue: i64::from(blue),
                    pixels,
                    pixel_share: pixels as f64 / indices.len() as f64,
                }
            })
            .collect()
    }
}

fn stated_colour(row: &MaskClass) -> Option<[u8; 3]> {
    let channel = |value: Option<i64>| value.and_then(|value| u8::try_from(value).ok());
    Some([channel(row.red)?, channel(row.green)?, channel(row.blue)?])
}

/// The colours of the data file by name.
fn named_colours() -> BTreeMap<String, [u8; 3]> {
    // The file is part of the program, and a test reads it.
    serde_json::from_str(COLOURS).unwrap_or_default()
}

/// A colour for a name that the data file does not have: the same in every data set, and never dark.
fn hashed_colour(name: &str) -> [u8; 3] {
    let hash = blake3::hash(name.to_lowercase().as_bytes());
    let [red, green, blue, ..] = hash.as_bytes();
    [red, green, blue].map(|channel| 64 + channel % 192)
}

/// The colour, or the next one that none has.
fn free_colour(wanted: [u8; 3], taken: &BTreeSet<[u8; 3]>) -> [u8; 3] {
    let mut colour = wanted;
    while taken.contains(&colour) {
        // Steps that are prime to 256 come round to every colour.
        colour = [colour[0].wrapping_add(37), colour[1].wrapping_add(91), colour[2].wrapping_add(151)];
        if colour == wanted {
            colour[0] = colour[0].wrapping_add(1);
        }
    }
    colour
}
