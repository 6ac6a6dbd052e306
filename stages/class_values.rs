//! The value of the class of every pixel of a mask, whether its labels are ids or colours.

use std::collections::{BTreeMap, BTreeSet};
use uavgen_media::Labels;
use uavgen_schemas::MaskClass;

/// How the masks of a recording are read.
pub(crate) struct ClassValues {
    values: BTreeSet<u16>,
    colours: BTreeMap<[u8; 3], u16>,
}

impl ClassValues {
    /// As the classes of the recording say.
    pub(crate) fn new<'a>(rows: impl IntoIterator<Item = &'a MaskClass>) -> Self {
        let mut table = Self { values: BTreeSet::new(), colours: BTreeMap::new() };
        for row in rows {
            let Ok(value) = u16::try_from(row.value) else { continue };
            table.values.insert(value);
            if let (Some(red), Some(green), Some(blue)) = (row.red, row.green, row.blue) {
                table.colours.insert([red as u8, green as u8, blue as u8], value);
            }
        }
        table
    }

    /// The class of every pixel; null where no class has its value or colour.
    pub(crate) fn of(&self, labels: Labels) -> Vec<Option<u16>> {
        match labels {
            Labels::Ids { values, palette } if !palette.is_empty() && !self.colours.is_empty() => {
                let colour = |value: u16| palette.get(usize::from(value)).copied().unwrap_or_default();
                self.of_colours(values.into_iter().map(colour))
            }
            Labels::Ids { values, .. } => {
                let mut last = (0, self.known(0));
                let class = |value: u16| {
                    if value != last.0 {
                        last = (value, self.known(value));
                    }
                    last.1
                };
                values.into_iter().map(class).collect()
            }
            Labels::Colours(colours) => self.of_colours(colours.into_iter()),
        }
    }

    fn known(&self, value: u16) -> Option<u16> {
        self.values.contains(&value).then_some(value)
    }

    fn of_colours(&self, colours: impl Iterator<Item = [u8; 3]>) -> Vec<Option<u16>> {
        // Neighbouring pixels mostly have one colour.
        let mut last = ([0; 3], self.colours.get(&[0; 3]).copied());
        let class = |colour: [u8; 3]| {
            if colour != last.0 {
                last = (colour, self.colours.get(&colour).copied());
            }
            last.1
        };
        colours.map(class).collect()
    }
}
