//! What a release holds of space, in numbers: poses, and the objects that were lifted.

use serde::Serialize;
use std::collections::BTreeMap;
use uavgen_tables::Statistics;

/// Counts of what is posed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SpaceFacts {
    /// Frames with a pose.
    pub poses: u64,
    /// Frames with a mask.
    pub masks: u64,
    /// Pieces of masks that became no object.
    pub fragments: u64,
    /// Objects by category, sorted.
    pub categories: Vec<CategoryFacts>,
    /// The generation track; null where there is none.
    pub generation: Option<GenerationFacts>,
}

/// Counts of the generation track.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct GenerationFacts {
    /// Frames with image, depth and segmentation.
    pub frames: u64,
    /// Samples by kind.
    pub kinds: Vec<KindFacts>,
    /// Depth of the nearest surface of all frames in metres.
    pub nearest_m: String,
    /// Depth of the farthest one.
    pub farthest_m: String,
    /// Least, median and largest mean depth of a frame in metres.
    pub mean_m: String,
    /// Least, median and largest share of the pixels of a frame that show a surface, in percent.
    pub known_percent: String,
}

/// Number of samples of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct KindFacts {
    pub kind: String,
    pub count: u64,
}

/// The objects of one category.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct CategoryFacts {
    pub category: String,
    /// Sights of them, one per object and frame.
    pub instances: u64,
    pub objects: u64,
    /// Median height above the local ground in metres; empty where none is known.
    pub height_m: String,
    /// Shortest, median and longest side on the ground in metres.
    pub length_m: String,
    /// Nearest, median and farthest distance from the camera in metres.
    pub distance_m: String,
}

/// The numbers of the instances of each category.
pub(crate) struct CategoryNumbers {
    pub heights: BTreeMap<Vec<String>, Statistics>,
    pub lengths: BTreeMap<Vec<String>, Statistics>,
    pub distances: BTreeMap<Vec<String>, Statistics>,
    /// Rows by category and object.
    pub objects: BTreeMap<Vec<String>, u64>,
}

/// A row per category.
pub(crate) fn categories(numbers: &CategoryNumbers) -> Vec<CategoryFacts> {
    let row = |(key, heights): (&Vec<String>, &Statistics)| CategoryFacts {
        category: key[0].clone(),
        instances: heights.rows,
        objects: numbers.objects.keys().filter(|object| object[0] == key[0]).count() as u64,
        height_m: heights.median.map_or_else(String::new, metres),
        length_m: spread(numbers.lengths.get(key)),
        distance_m: spread(numbers.distances.get(key)),
    };
    numbers.heights.iter().map(row).collect()
}

/// Smallest, median and largest as they are read best.
pub(crate) fn spread(statistics: Option<&Statistics>) -> String {
    let Some(Statistics { min: Some(min), median: Some(median), max: Some(max), .. }) = statistics else {
        return String::new();
    };
    format!("{} / {} / {}", metres(*min), metres(*median), metres(*max))
}

/// Metres to the decimetre.
pub(crate) fn metres(value: f64) -> String {
    format!("{value:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_counted_by_sight_and_by_object() {
        let key = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
        let of = |rows, min, median, max| Statistics { rows, min, median, max };
        let numbers = CategoryNumbers {
            heights: [
                (key(&["building"]), of(3, Some(4.0), Some(8.04), Some(9.0))),
                (key(&["car"]), of(2, None, None, None)),
            ]
            .into(),
            lengths: [(key(&["building"]), of(3, Some(10.0), Some(12.26), Some(20.0)))].into(),
            distances: BTreeMap::new(),
            objects: [(key(&["building", "a"]), 2), (key(&["building", "b"]), 1), (key(&["car", "c"]), 2)].into(),
        };
        let rows = categories(&numbers);
        assert_eq!((rows[0].category.as_str(), rows[0].instances, rows[0].objects), ("building", 3, 2));
        assert_eq!((rows[0].height_m.as_str(), rows[0].length_m.as_str()), ("8.0", "10.0 / 12.3 / 20.0"));
        assert_eq!((rows[1].objects, rows[1].height_m.as_str(), rows[1].distance_m.as_str()), (1, "", ""));
    }
}
