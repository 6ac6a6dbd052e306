//! Pixels in, pixels out: reading still images, encoding and inspecting videos, drawing previews.
//!
//! This is the only crate that names FFmpeg or an image decoder. It is so for two reasons. First, the bytes of a video
//! depend on the libraries that made it, so one place must be able to say which they were ([`library()`], whose
//! `build_id` enters the fingerprints). Second, decoders disagree on what a broken file is: most return a picture that
//! is partly grey. Here a picture is either complete or an [`ImageFault`] with a reason code.
//!
//! What the rest of the program may rely on:
//!
//! * The encoding of an image or video is found in its bytes, never in its name.
//! * Sizes are *as delivered*: after the rotation of EXIF or of the video's display matrix, which every decoding function
//!   applies.
//! * Frames of a video are those that decode, at the times at which they are shown ([`read_footage`]).
//! * Pixels are delivered as 8-bit RGB or grey; alpha is flattened onto black (the value of "no data" in orthophotos).
//! * The same input gives the same bytes on every run, whatever the number of threads (see [`encode_video`]).
//!
//! No `unsafe` code is needed here: all of it lives in the bindings.

mod assemble;
mod avc_config;
mod avc_parameters;
mod bits;
mod boxes;
mod canvas;
mod container;
mod continuity;
mod depth_map;
mod display;
mod draw;
mod encode;
mod encode_footage;
mod error;
mod fault;
mod font;
mod footage;
mod footage_picture;
mod footage_stream;
mod frame_decoder;
mod frame_numbers;
mod grey;
mod hevc_parameters;
mod hevc_references;
mod inspect;
mod jpeg_entropy;
mod jpeg_header;
mod jpeg_huffman;
mod jpeg_progressive;
mod labels;
mod library;
mod matrix;
mod matroska;
mod muxer;
mod nal;
mod npy;
mod numbering;
mod orientation;
mod png_header;
mod probe;
mod range;
mod slice_header;
mod sniff;
mod still;
mod stream_header;
mod video_fault;

pub use assemble::{Assembled, Part, assemble};
pub use canvas::{JoinedVideo, Placement, join_on_canvas};
pub use depth_map::{decode_grey8, decode_grey16, encode_grey8, encode_grey16, read_floats, write_floats};
pub use draw::{
    Color, Outline, PALETTE, contact_sheet, draw_label, draw_line, draw_rectangle, encode_jpeg, encode_png, thumbnail,
};
pub use encode::{EncodeSettings, EncodedFrame, EncodedVideo, FrameRate, Preset, SkippedFrame, encode_video};
pub use encode_footage::encode_footage;
pub use error::MediaError;
pub use fault::ImageFault;
pub use footage::{Damage, Footage, FootageFrame, FrameTime, footage_image, read_footage};
pub use grey::GreyCells;
pub use image::{Rgb, RgbImage};
pub use inspect::{DecodedFrame, VideoFrame, VideoInfo, for_each_frame, inspect_video};
pub use labels::{Labels, decode_labels, encode_labels};
pub use library::{LibraryInfo, library, stills_id};
pub use npy::decode_npy;
pub use probe::{ImageFormat, ImageInfo, MAX_PIXELS, PixelLayout, probe, probe_ends};
pub use still::{Delivered, decode_upright, deliver};
pub use video_fault::VideoFault;
