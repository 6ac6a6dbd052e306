//! The shell: options and files in, tables out.

pub(crate) mod discover;
mod footage;
mod layout;
mod options;
mod posed;
mod tasks;

use super::config::IngestConfig;
use super::pure::sequence::{self, FoundSequence};
use super::pure::stills::{self, FoundStill};
use super::pure::{ANNOTATION_FILE, ANNOTATION_LINE, AnnotationFile, IMAGE, Origin, ProbedImage, Scene, stem};
use super::sources::Layout;
use options::TaskOptions;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::{Context, Partition, SourceFile, TaskError};
use uavgen_media::{ImageFault, ImageInfo};
use uavgen_schemas::Reject;

/// Extensions of files that are taken for images; what they really are is told by their bytes.
const IMAGE_EXTENSIONS: [&str; 11] = ["jpg", "jpeg", "jpe", "jfif", "png", "bmp", "tif", "tiff", "gif", "webp", "jp2"];

/// Bytes at each end of an image that tell all about nearly every JPEG; the others are read whole.
const END_BYTES: usize = 8 << 10;

/// Does one task.
pub(crate) fn run(config: &IngestConfig, context: &mut Context<'_>) -> Result<(), TaskError> {
    let Partition::Sequence { source, sequence, split, .. } = context.partition() else {
        return Err(TaskError::failed("ingest works on one sequence or bucket at a time"));
    };
    let options = TaskOptions::of_task(context)?;
    let origin = Origin {
        source: source.clone(),
        split: split.clone(),
        licence: options.licence.clone(),
        source_fps: options.fps,
        boxes_in: options.boxes_in,
    };
    let mut scene = match options.kind.layout() {
        Layout::Videos => footage::scene(context, &origin, sequence, &options)?,
        Layout::Posed => posed::scene(context, &origin, sequence, &options)?,
        Layout::Sequences | Layout::Stills | Layout::Folders => images(context, &origin, sequence, &options, config)?,
    };
    for (name, kept_in) in &options.dropped {
        let detail = format!("its leak group is kept in split {kept_in}");
        scene.rejects.push(Reject::rule(format!("{source}/{name}"), "split_conflict", detail));
    }
    write(scene, context)
}

/// The scene of images and their annotations.
fn images(
    context: &mut Context<'_>,
    origin: &Origin,
    sequence: &str,
    options: &TaskOptions,
    config: &IngestConfig,
) -> Result<Scene, TaskError> {
    let mut files = Files::read(context, &origin.source, options)?;
    context.count_read(IMAGE, files.images.len() as u64);
    let annotation_files = files.annotations.values().map(Vec::len).sum::<usize>() + files.unreadable.len();
    context.count_read(ANNOTATION_FILE, annotation_files as u64);
    context.count_read(ANNOTATION_LINE, files.rows());
    let unreadable = std::mem::take(&mut files.unreadable);
    let mut scene = match options.kind.layout() {
        Layout::Stills => files.into_stills(origin, options, config),
        _ => files.into_sequence(origin, sequence, options, config),
    };
    for (file, problem) in unreadable {
        let detail = format!("{problem}; check its rights and the disk; until then its frames are not labelled");
        scene.quarantine(ANNOTATION_FILE, file, "unreadable_file", detail);
    }
    Ok(scene)
}

fn write(scene: Scene, context: &mut Context<'_>) -> Result<(), TaskError> {
    context.write(scene.recordings)?;
    context.write(scene.frames)?;
    context.write(scene.boxes)?;
    context.write(scene.tracks)?;
    context.write(scene.regions)?;
    context.write(scene.telemetry)?;
    context.write(scene.posed.cameras)?;
    context.write(scene.posed.poses)?;
    context.write(scene.posed.meshes)?;
    context.write(scene.posed.depths)?;
    context.write(scene.posed.masks)?;
    context.write(scene.posed.classes)?;
    scene.rejects.into_iter().for_each(|reject| context.reject(reject));
    scene.quarantined.into_iter().for_each(|(kind, reject)| context.quarantine(kind, reject));
    scene.notes.into_iter().for_each(|(name, count)| context.note(name, count));
    Ok(())
}

/// The files of a task, looked at.
struct Files {
    images: Vec<ProbedImage>,
    /// Annotation files by folder and stem, see [`key_of`].
    annotations: BTreeMap<(String, String), Vec<AnnotationFile>>,
    /// Annotation files that cannot be read, and why: their frames are unlabelled.
    unreadable: Vec<(String, String)>,
}

impl Files {
    fn read(context: &Context<'_>, source: &str, options: &TaskOptions) -> Result<Self, TaskError> {
        let mut files = Self { images: Vec::new(), annotations: BTreeMap::new(), unreadable: Vec::new() };
        for file in context.source_files() {
            context.check_cancelled()?;
            if file.file.to_ascii_lowercase().ends_with(".txt") {
                if let Some(problem) = &file.unreadable {
                    files.unreadable.push((file.file.clone(), problem.clone()));
                    continue;
                }
                let text = context.read_source(source, &file.file, &file.digest)?;
                let read = AnnotationFile { file: file.file.clone(), content: options.kind.parse(&text) };
                files.annotations.entry(key_of(&file.file)).or_default().push(read);
            } else {
                files.images.push(ProbedImage {
                    file: file.file.clone(),
                    digest: file.digest.clone(),
                    byte_count: file.stamp.size,
                    probed: probe(context, source, file)?,
                });
            }
        }
        Ok(files)
    }

    /// Annotation lines, usable or not.
    fn rows(&self) -> u64 {
        let lines = |file: &AnnotationFile| (file.content.rows.len() + file.content.bad.len()) as u64;
        self.annotations.values().flatten().map(lines).sum()
    }

    fn into_sequence(self, origin: &Origin, name: &str, options: &TaskOptions, config: &IngestConfig) -> Scene {
        if options.dropped.contains_key(name) {
            return Scene::default();
        }
        let group_id = options.group_of(name);
        let annotations = self.annotations.into_values().flatten().collect();
        sequence::scene(origin, FoundSequence { name, group_id: &group_id, images: self.images, annotations }, config)
    }

    fn into_stills(self, origin: &Origin, options: &TaskOptions, config: &IngestConfig) -> Scene {
        let with_image: BTreeSet<_> = self.images.iter().map(|image| key_of(&image.file)).collect();
        let without_image = self.annotations.keys().filter(|key| !with_image.contains(key)).count();
        let stills = self.images.into_iter().map(|image| FoundStill {
            group_id: options.group_of(stem(&image.file)),
            annotations: self.annotations.get(&key_of(&image.file)).map_or(&[], Vec::as_slice),
            image,
        });
        let mut scene = stills::scene(origin, stills.collect(), config);
        scene.note("annotated_without_image", without_image as u64);
        scene
    }
}

/// What an image and its annotations have in common: the folder above `images` or `annotations`, and the name.
fn key_of(file: &str) -> (String, String) {
    let folder = file.rsplitn(3, '/').nth(2).unwrap_or_default();
    (folder.to_owned(), stem(file).to_owned())
}

/// Whether a file is taken for an image, by its name.
fn is_image(file: &str) -> bool {
    layout::extension(file).is_some_and(|extension| IMAGE_EXTENSIONS.contains(&extension.as_str()))
}

fn probe(context: &Context<'_>, source: &str, file: &SourceFile) -> Result<Result<ImageInfo, ImageFault>, TaskError> {
    if let Some(problem) = &file.unreadable {
        return Ok(Err(ImageFault::Unreadable { problem: problem.clone() }));
    }
    let (head, tail) = context.read_source_ends(source, file, END_BYTES)?;
    if let Some(verdict) = uavgen_media::probe_ends(&head, &tail) {
        return Ok(verdict);
    }
    Ok(uavgen_media::probe(&context.read_source(source, &file.file, &file.digest)?))
}
