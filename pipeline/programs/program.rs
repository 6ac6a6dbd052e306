//! A checked program: the only form that can be executed or stored.

use crate::answer::canonical_json;
use crate::ast::Expr;
use crate::scene::ObjectKind;
use crate::types::{self, Type};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Version of the language that this crate writes and reads.
pub const VERSION: u32 = 1;
/// Longest program text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Deepest nesting of ops.
pub const MAX_DEPTH: usize = 16;
/// Largest number of ops.
pub const MAX_NODES: usize = 256;
/// Largest number of frames of one loop.
pub const MAX_FRAMES: usize = 256;
/// Largest number of categories, or of terms, in one list.
pub const MAX_LIST: usize = 64;
/// Longest category or term, in bytes.
pub const MAX_WORD_BYTES: usize = 64;

/// Why a text or a tree is no program.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProgramError {
    /// Not the JSON that is expected: unknown op or field, missing field, wrong type.
    #[error("read a program or value: {detail}")]
    Syntax {
        /// What the JSON reader said, with line and column.
        detail: String,
    },
    /// Longer than [`MAX_TEXT_BYTES`].
    #[error("read a program of {bytes} bytes: the limit is {MAX_TEXT_BYTES}")]
    TooLong {
        /// Length of the text.
        bytes: usize,
    },
    /// Written by another version of the language.
    #[error("read a program of version {found}: this build knows version {VERSION}")]
    Version {
        /// Version in the text.
        found: u32,
    },
    /// Deeper than [`MAX_DEPTH`] or larger than [`MAX_NODES`].
    #[error("check a program: it has more than {MAX_NODES} ops, or nests deeper than {MAX_DEPTH}")]
    TooLarge,
    /// An input has the wrong type or unit.
    #[error("check `{path}`: expected {expected}, found {found}")]
    Type {
        /// Path of the input.
        path: String,
        /// What the op reads.
        expected: String,
        /// What the input gives.
        found: Type,
    },
    /// A field holds a value that has no meaning.
    #[error("check `{path}`: {problem}")]
    Field {
        /// Path of the op.
        path: String,
        /// What is wrong, naming the field.
        problem: String,
    },
}

/// A program that is well typed, within bounds, and in normal form (lists of categories, terms and frames sorted).
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    root: Expr,
    objects: ObjectKind,
    output: Type,
}

/// The stored form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramText<E> {
    version: u32,
    /// Left out where they are annotated boxes.
    #[serde(default, skip_serializing_if = "ObjectKind::is_annotated")]
    objects: ObjectKind,
    root: E,
}

impl Program {
    /// Checks an expression about annotated boxes: bounds, types, units and fields. Lists are sorted first, so that equal
    /// questions have equal texts.
    pub fn new(root: Expr) -> Result<Self, ProgramError> {
        Self::about(ObjectKind::Annotated, root)
    }

    /// Checks an expression about objects of a kind, as [`Program::new`] does.
    pub fn about(objects: ObjectKind, mut root: Expr) -> Result<Self, ProgramError> {
        types::check_size(&root)?;
        root.sort_lists();
        let output = types::check(&root, objects)?;
        Ok(Self { root, objects, output })
    }

    /// Reads a program from JSON; unknown ops and fields are errors, margins left out get their defaults.
    pub fn parse(text: &str) -> Result<Self, ProgramError> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(ProgramError::TooLong { bytes: text.len() });
        }
        let read: ProgramText<Expr> =
            serde_json::from_str(text).map_err(|error| ProgramError::Syntax { detail: error.to_string() })?;
        if read.version != VERSION {
            return Err(ProgramError::Version { found: read.version });
        }
        Self::about(read.objects, read.root)
    }

    /// The canonical JSON text, with every margin written out: the column `program`.
    pub fn to_canonical(&self) -> String {
        canonical_json(&ProgramText { version: VERSION, objects: self.objects, root: &self.root })
    }

    /// What its objects are.
    pub fn objects(&self) -> ObjectKind {
        self.objects
    }

    /// The expression.
    pub fn root(&self) -> &Expr {
        &self.root
    }

    /// Type of the answer.
    pub fn output(&self) -> Type {
        self.output
    }
}
