//! A recording whose frames have poses, and perhaps masks and a mesh, from whichever files say so.

use super::super::sources::flight::{ClassEntry, Fault, FileFault, Flight, FlightFrame, NamedFile, scaled};
use super::{Origin, ProbedImage, Scene, frame_of_file};
use std::collections::{BTreeMap, BTreeSet};
use uavgen_geometry::{Camera as CameraFrame, ImageSize, Intrinsics, Transform, World};
use uavgen_media::ImageInfo;
use uavgen_schemas::{Camera, Frame, Mask, MaskClass, Mesh, Pose, RecordedDepth, Recording, RecordingKind, Reject};

/// Kind of input: a file that tells cameras and poses.
pub(crate) const CAMERAS: &str = "cameras file";
/// Kind of input: a camera in one.
pub(crate) const CAMERA: &str = "camera";
/// Kind of input: a frame in one.
pub(crate) const POSED_FRAME: &str = "posed frame";
/// Kind of input: a mask.
pub(crate) const MASK: &str = "mask";
/// Kind of input: a mesh.
pub(crate) const MESH: &str = "mesh";

/// Kind of input: a depth file.
pub(crate) const DEPTH: &str = "depth file";

/// Extensions of meshes.
const MESH_FORMATS: [&str; 2] = ["ply", "obj"];

/// A recording as found on disk.
pub(crate) struct FoundPosed<'a> {
    /// Name of the recording.
    pub(crate) name: &'a str,
    /// Leak group.
    pub(crate) group_id: &'a str,
    /// Path of the file that tells cameras and poses, relative to the source's root.
    pub(crate) file: &'a str,
    /// What that says.
    pub(crate) flight: Result<Flight, FileFault>,
    /// Images and masks by path relative to the source's root.
    pub(crate) images: BTreeMap<String, ProbedImage>,
    /// Other files by path: digest and size, or why the system does not give them.
    pub(crate) others: BTreeMap<String, Result<(String, u64), String>>,
}

/// A calibrated camera.
struct Calibrated<'a> {
    id: String,
    name: &'a str,
    intrinsics: Intrinsics,
}

/// The tables of one recording.
pub(crate) fn scene(origin: &Origin, found: &FoundPosed<'_>) -> Scene {
    let mut scene = Scene::default();
    let flight = match &found.flight {
        Ok(flight) => flight,
        Err(fault) => {
            scene.quarantine(CAMERAS, found.file.to_owned(), fault.reason, fault.problem.clone());
            return scene;
        }
    };
    let recording_id = format!("{}/{}", origin.source, found.name);
    let reader = Reader { origin, found, flight, recording_id: &recording_id };
    reader.add_left_out(&mut scene);
    let calibrated = reader.calibrated(&mut scene);
    reader.add_frames(&calibrated, &mut scene);
    if scene.frames.is_empty() {
        return scene;
    }
    scene.posed.cameras = calibrated.iter().map(|camera| reader.camera_row(camera)).collect();
    reader.add_mesh(&mut scene);
    scene.posed.classes = flight.classes.iter().map(|class| class_row(&recording_id, class)).collect();
    scene.recordings.push(Recording {
        source: origin.source.clone(),
        group_id: found.group_id.to_owned(),
        sequence: found.name.to_owned(),
        split: origin.split.clone(),
        kind: RecordingKind::Sequence,
        frame_count: scene.frames.len() as i64,
        labelled_frame_count: 0,
        annotated_without_image: 0,
        source_fps: origin.source_fps,
        licence: origin.licence.clone(),
        recording_id,
    });
    scene
}

fn class_row(recording_id: &str, class: &ClassEntry) -> MaskClass {
    let channel = |at: usize| class.colour.map(|colour| i64::from(colour[at]));
    MaskClass {
        class_id: format!("{recording_id}#{}", class.value),
        recording_id: recording_id.to_owned(),
        value: i64::from(class.value),
        name: class.name.clone(),
        kind: class.kind,
        red: channel(0),
        green: channel(1),
        blue: channel(2),
    }
}

/// What every part of the recording is read with.
struct Reader<'a> {
    origin: &'a Origin,
    found: &'a FoundPosed<'a>,
    flight: &'a Flight,
    recording_id: &'a str,
}

impl<'a> Reader<'a> {
    fn add_left_out(&self, scene: &mut Scene) {
        self.flight.notes.iter().for_each(|(name, count)| scene.note(name, *count));
        for reject in &self.flight.left_out {
            let record_id = format!("{}{}", self.recording_id, reject.record_id);
            scene.rejects.push(Reject { record_id, ..reject.clone() });
        }
    }

    /// The cameras whose numbers can be those of a camera, for the images that they took.
    fn calibrated(&self, scene: &mut Scene) -> Vec<Calibrated<'a>> {
        let mut calibrated = Vec::new();
        for (name, camera) in &self.flight.cameras {
            let id = format!("{}#{name}", self.recording_id);
            let for_images = |intrinsics: &Intrinsics| match self.size_of_images(name) {
                Some(size) if camera.is_of_any_size && size != intrinsics.size() => {
                    let scaled = scaled(intrinsics, size).unwrap_or(Ok(*intrinsics));
                    scaled.map_err(|error| Fault::calibration(&error))
                }
                _ => Ok(*intrinsics),
            };
            match camera.intrinsics.as_ref().map_err(Fault::clone).and_then(for_images) {
                Ok(intrinsics) => calibrated.push(Calibrated { id, name, intrinsics }),
                Err(Fault { reason, problem }) => {
                    let detail = format!("{}: {problem}; none of its frames is used", self.found.file);
                    scene.quarantine(CAMERA, id, reason, detail);
                }
            }
        }
        calibrated
    }

    /// Size of the first image of a camera that can be used; images of another one are for the frames to reject.
    fn size_of_images(&self, camera: &str) -> Option<ImageSize> {
        let own = self.flight.frames.iter().filter(|frame| frame.camera.as_deref() == Some(camera));
        let info = own.filter_map(|frame| self.image(&frame.image)?.probed.as_ref().ok()).next()?;
        ImageSize::new(info.width.into(), info.height.into()).ok()
    }

    fn image(&self, file: &NamedFile) -> Option<&'a ProbedImage> {
        file.path.as_ref().and_then(|path| self.found.images.get(path))
    }

    fn camera_row(&self, camera: &Calibrated<'_>) -> Camera {
        let (size, [k1, k2, p1, p2, k3]) = (camera.intrinsics.size(), camera.intrinsics.distortion().coefficients());
        Camera {
            camera_id: camera.id.clone(),
            recording_id: self.recording_id.to_owned(),
            width: size.width_px() as i64,
            height: size.height_px() as i64,
            fx: camera.intrinsics.fx(),
            fy: camera.intrinsics.fy(),
            cx: camera.intrinsics.cx(),
            cy: camera.intrinsics.cy(),
            k1,
            k2,
            k3,
            p1,
            p2,
        }
    }

    fn add_frames(&self, calibrated: &[Calibrated<'_>], scene: &mut Scene) {
        let timed = self.flight.frames.iter().filter(|frame| frame.time_s.is_some()).count();
        let first_time = self.flight.frames.iter().find_map(|frame| frame.time_s).unwrap_or(0.0);
        let mut last_time: Option<i64> = None;
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for (number, entry) in (0_i64..).zip(&self.flight.frames) {
            let id = format!("{}/{number}", self.recording_id);
            let placed = self.placed(calibrated, entry).and_then(|placed| {
                if !used.insert(&placed.0.file) {
                    return Err(Fault::new("image_named_twice", "a frame before it has the same image"));
                }
                let time_us = entry.time_s.map(|time| ((time - first_time) * 1e6).round());
                // Times of some frames only say nothing about the order of the others.
                let time_us = match time_us {
                    None if timed == 0 => return Ok((placed, None)),
                    Some(time) if time.is_finite() && time.abs() < 1e15 => time as i64,
                    _ => return Err(Fault::new("bad_timestamp", "it has no time, and other frames have one")),
                };
                if last_time.is_some_and(|last| time_us <= last) {
                    return Err(Fault::new("bad_timestamp", "its time is not later than that of the frame before"));
                }
                Ok((placed, Some(time_us)))
            });
            match placed {
                Ok(((image, info, camera, pose), time_us)) => {
                    last_time = time_us.or(last_time);
                    self.add_frame(scene, (&id, number), image, info, time_us);
                    scene.posed.poses.push(self.pose_row(&id, camera, &pose));
                    self.add_mask(scene, &id, entry, camera);
                    self.add_depth(scene, &id, entry);
                }
                Err(Fault { reason, problem }) => {
                    let detail = format!("{}, frame {number} ({}): {problem}", self.found.file, entry.image.name);
                    scene.quarantine(POSED_FRAME, id, reason, detail);
                }
            }
        }
    }

    /// The image, camera and pose of a frame, or why it has none.
    fn placed<'c>(&self, calibrated: &'c [Calibrated<'c>], entry: &FlightFrame) -> Result<Placed<'a, 'c>, Fault> {
        let name = entry.camera.as_deref();
        let name = name.ok_or_else(|| Fault::new("unknown_camera", "it names none of the cameras"))?;
        let told = self.flight.cameras.get(name);
        let told = told.ok_or_else(|| Fault::new("unknown_camera", format!("there is no camera `{name}`")))?;
        let camera = calibrated.iter().find(|camera| camera.name == name).ok_or_else(|| {
            let reason = told.intrinsics.as_ref().err().map_or("bad_calibration", |fault| fault.reason);
            Fault::new(reason, format!("camera `{name}` cannot be used"))
        })?;
        let pose = entry.pose.clone()?;
        let image = self.image(&entry.image);
        let image = image.ok_or_else(|| Fault::new("missing_file", "there is no such image below the source"))?;
        let info = image.probed.as_ref().map_err(|fault| Fault::new(fault.reason(), fault.to_string()))?;
        fits(info, camera).map_err(|problem| Fault::new("other_size_than_camera", problem))?;
        Ok((image, info, camera, pose))
    }

    fn add_frame(
        &self,
        scene: &mut Scene,
        (id, number): (&str, i64),
        image: &ProbedImage,
        info: &ImageInfo,
        timestamp_us: Option<i64>,
    ) {
        scene.frames.push(Frame {
            frame_id: id.to_owned(),
            recording_id: self.recording_id.to_owned(),
            group_id: self.found.group_id.to_owned(),
            split: self.origin.split.clone(),
            index: scene.frames.len() as i64,
            source_number: number,
            timestamp_us,
            ..frame_of_file(image, info)
        });
    }

    fn pose_row(&self, frame_id: &str, camera: &Calibrated<'_>, pose: &Transform<World, CameraFrame>) -> Pose {
        let ([x, y, z], [qx, qy, qz, qw]) = (pose.translation(), pose.quaternion());
        Pose {
            frame_id: frame_id.to_owned(),
            recording_id: self.recording_id.to_owned(),
            camera_id: camera.id.clone(),
            x,
            y,
            z,
            qx,
            qy,
            qz,
            qw,
        }
    }

    fn add_mask(&self, scene: &mut Scene, frame_id: &str, entry: &FlightFrame, camera: &Calibrated<'_>) {
        let Some(file) = &entry.mask else { return scene.note("frames_without_mask", 1) };
        let verdict = match self.image(file) {
            None => Err(("missing_file", "there is no such mask below the source".to_owned())),
            Some(mask) => match &mask.probed {
                Err(fault) => Err((fault.reason(), fault.to_string())),
                Ok(info) => match fits(info, camera) {
                    Err(problem) => Err(("other_size_than_camera", problem)),
                    Ok(()) => Ok((mask, info)),
                },
            },
        };
        match verdict {
            Ok((mask, info)) => scene.posed.masks.push(Mask {
                frame_id: frame_id.to_owned(),
                recording_id: self.recording_id.to_owned(),
                file: mask.file.clone(),
                digest: mask.digest.clone(),
                byte_count: i64::try_from(mask.byte_count).unwrap_or(i64::MAX),
                pixel_layout: info.pixel_layout.as_str().into(),
            }),
            Err((reason, problem)) => {
                let detail = format!("{}: {problem}; the frame stays, without a mask", file.name);
                scene.quarantine(MASK, frame_id.to_owned(), reason, detail);
            }
        }
    }

    /// Whether it has the size of the image is for who decodes it.
    fn add_depth(&self, scene: &mut Scene, frame_id: &str, entry: &FlightFrame) {
        let (Some(file), Some(files)) = (&entry.depth, &self.flight.depth_files) else { return };
        let stored = file.path.as_ref().and_then(|path| {
            let image = self.found.images.get(path).map(|image| match &image.probed {
                Ok(_) => Ok((image.digest.clone(), image.byte_count)),
                Err(fault) => Err(Fault::new(fault.reason(), fault.to_string())),
            });
            let other = || self.found.others.get(path).cloned();
            image.or_else(|| other().map(|read| read.map_err(|problem| Fault::new("unreadable_file", problem))))
        });
        match stored.unwrap_or_else(|| Err(Fault::new("missing_file", "there is no such file below the source"))) {
            Ok((digest, byte_count)) => scene.posed.depths.push(RecordedDepth {
                frame_id: frame_id.to_owned(),
                recording_id: self.recording_id.to_owned(),
                file: file.path.clone().unwrap_or_default(),
                digest,
                byte_count: i64::try_from(byte_count).unwrap_or(i64::MAX),
                format: files.format.to_owned(),
                scale: files.scale,
                metres_per_unit: files.metres_per_unit,
            }),
            Err(Fault { reason, problem }) => {
                let detail = format!("{}: {problem}; the frame stays, without it", file.name);
                scene.quarantine(DEPTH, frame_id.to_owned(), reason, detail);
            }
        }
    }

    fn add_mesh(&self, scene: &mut Scene) {
        let Some(NamedFile { name: file, path }) = &self.flight.mesh else { return };
        let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let format = MESH_FORMATS.into_iter().find(|known| extension.as_deref() == Some(known));
        let found = path.as_ref().and_then(|path| self.found.others.get(path));
        let verdict = match (found, format) {
            (_, None) => Err(("unknown_mesh_format", "meshes are .ply or .obj files".to_owned())),
            (None, _) => Err(("missing_file", "there is no such mesh below the source".to_owned())),
            (Some(Err(problem)), _) => Err(("unreadable_file", problem.clone())),
            (Some(Ok(stored)), Some(format)) => Ok((stored, format)),
        };
        match verdict {
            Ok(((digest, byte_count), format)) => scene.posed.meshes.push(Mesh {
                recording_id: self.recording_id.to_owned(),
                file: path.clone().unwrap_or_default(),
                digest: digest.clone(),
                byte_count: i64::try_from(*byte_count).unwrap_or(i64::MAX),
                format: format.to_owned(),
                axes: self.flight.world,
                origin_latitude_deg: self.flight.origin.map(|origin| origin.latitude_deg()),
                origin_longitude_deg: self.flight.origin.map(|origin| origin.longitude_deg()),
                origin_ellipsoid_m: self.flight.origin.map(|origin| origin.ellipsoid_m()),
            }),
            Err((reason, problem)) => {
                let detail = format!("{file}: {problem}; the recording has no depth");
                scene.quarantine(MESH, self.recording_id.to_owned(), reason, detail);
            }
        }
    }
}

/// Image, header, camera and pose of a frame.
type Placed<'a, 'c> = (&'a ProbedImage, &'a ImageInfo, &'c Calibrated<'c>, Transform<World, CameraFrame>);

/// Whether a file has the pixels that the camera was calibrated for.
fn fits(info: &ImageInfo, camera: &Calibrated<'_>) -> Result<(), String> {
    let size = camera.intrinsics.size();
    let (width, height) = (size.width_px(), size.height_px());
    if info.exif_orientation != 1 {
        return Err(
            "its orientation tag turns it, so nobody knows for which way up the camera was calibrated; remove the \
                    tag, or turn image and calibration"
                .into(),
        );
    }
    if (f64::from(info.width), f64::from(info.height)) != (width, height) {
        return Err(format!(
            "it has {} x {} pixels, its camera {width} x {height}: scale the calibration with the image",
            info.width, info.height
        ));
    }
    Ok(())
}
