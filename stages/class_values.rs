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
        self.of_each(labels, |_, _| {})
    }

    /// The same, telling of each pixel that no class has its place and label.
    pub(crate) fn of_each(&self, labels: Labels, foreign: impl FnMut(usize, Label)) -> Vec<Option<u16>> {
        match labels {
            Labels::Ids { values, palette } if !palette.is_empty() && !self.colours.is_empty() => {
                let colour = |value: u16| palette.get(usize::from(value)).copied().unwrap_or_default();
                let colours = values.into_iter().map(colour);
                looked_up(colours, |colour| self.colours.get(&colour).copied(), Label::Colour, foreign)
            }
            Labels::Ids { values, .. } => {
                let known = |value| self.values.contains(&value).then_some(value);
                looked_up(values.into_iter(), known, Label::Id, foreign)
            }
            Labels::Colours(colours) => {
                let class = |colour| self.colours.get(&colour).copied();
                looked_up(colours.into_iter(), class, Label::Colour, foreign)
            }
        }
    }
}

/// What a mask has at a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// A value.
    Id(u16),
    /// A colour.
    Colour([u8; 3]),
}

/// The class of each label. Neighbouring pixels mostly have one label, so the last one is remembered.
fn looked_up<L: Copy + PartialEq>(
    labels: impl Iterator<Item = L>,
    class: impl Fn(L) -> Option<u16>,
    label: impl Fn(L) -> Label,
    mut foreign: impl FnMut(usize, Label),
) -> Vec<Option<u16>> {
    let mut last = None;
    let mut found = |(at, own): (usize, L)| {
        let known = match last {
            Some((label, known)) if label == own => known,
            _ => class(own),
        };
        last = Some((own, known));
        if known.is_none() {
            foreign(at, label(own));
        }
        known
    };
    labels.enumerate().map(&mut found).collect()
}
