//! Sequences and stills that have a split become tasks.

use super::super::pure::splits::{self, Assigned, Member};
use super::super::sources::{Layout, SourceKind};
use super::super::{IMAGES, RECORDINGS, VIDEOS};
use super::options::TaskOptions;
use std::collections::BTreeMap;
use uavgen_core::{Discovered, Partition, Project};

/// A sequence or a still, with its files.
pub(super) struct Unit {
    /// Position of its source in the config.
    pub(super) source: usize,
    /// Format of its source.
    pub(super) kind: SourceKind,
    /// Image files, or the one video file, relative to the source's root.
    pub(super) images: Vec<String>,
    /// Annotation or telemetry files, relative to the source's root: one at most, unless names differ by case.
    pub(super) annotations: Vec<String>,
}

/// The tasks, sorted by partition. There is one member and one split for each unit.
pub(super) fn of_units(
    units: Vec<Unit>,
    members: &[Member],
    assigned: Vec<Assigned>,
    project: &Project,
) -> Vec<Discovered> {
    let mut tasks: BTreeMap<Partition, Task> = BTreeMap::new();
    for ((unit, member), assigned) in units.into_iter().zip(members).zip(assigned) {
        let source = &project.sources[unit.source];
        let (split, kept_in) = match assigned {
            Assigned::To(split) => (split, None),
            Assigned::Dropped { from, kept_in } if member.has_images => (from, Some(kept_in)),
            Assigned::Dropped { .. } | Assigned::LeftOut => continue,
        };
        let partition = partition(member, unit.kind, split, source.buckets);
        let task = tasks.entry(partition).or_insert_with(|| Task::new(TaskOptions::new(unit.kind, source)));
        task.options.add(member, kept_in.as_deref());
        if kept_in.is_none() {
            task.add(unit);
        }
    }
    tasks.into_iter().map(|(partition, task)| task.found(partition)).collect()
}

/// A task while its units are added.
struct Task {
    files: Vec<String>,
    options: TaskOptions,
    recordings: u64,
    images: u64,
    videos: u64,
}

impl Task {
    fn new(options: TaskOptions) -> Self {
        Self { files: Vec::new(), options, recordings: 0, images: 0, videos: 0 }
    }

    fn add(&mut self, unit: Unit) {
        self.recordings += u64::from(!unit.images.is_empty());
        match unit.kind.layout() {
            Layout::Videos => self.videos += unit.images.len() as u64,
            _ => self.images += unit.images.len() as u64,
        }
        self.files.extend(unit.images);
        self.files.extend(unit.annotations);
    }

    fn found(mut self, partition: Partition) -> Discovered {
        self.files.sort();
        let numbers = [(RECORDINGS, self.recordings), (IMAGES, self.images), (VIDEOS, self.videos)];
        let numbers = numbers.into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
        Discovered { partition, files: self.files, options: self.options.into_map(), numbers }
    }
}

/// The task that a sequence or still belongs to.
fn partition(member: &Member, kind: SourceKind, split: String, buckets: u32) -> Partition {
    let (scene, sequence) = match kind.layout() {
        Layout::Sequences => (splits::place_of(&member.name).to_owned(), member.name.clone()),
        Layout::Folders | Layout::Videos | Layout::Posed => (member.own_group.clone(), member.name.clone()),
        Layout::Stills => ("stills".to_owned(), format!("{split}-bucket-{:03}", bucket(&member.name, buckets))),
    };
    Partition::Sequence { source: member.source.clone(), scene, sequence, split }
}

/// Bucket of a still, by its name alone: another image never moves it.
fn bucket(name: &str, buckets: u32) -> u32 {
    let hash = blake3::hash(name.as_bytes());
    let mut first = [0; 4];
    first.copy_from_slice(&hash.as_bytes()[..4]);
    u32::from_le_bytes(first) % buckets.max(1)
}
