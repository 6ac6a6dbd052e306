//! A byte reader with a window that knows where it is: rows of bytes and lines of text, never more memory than a row.

use crate::{Place, RenderError};
use std::io::Read;

/// Bytes that are asked for at once.
const WINDOW: usize = 1 << 18;

/// Longest line of text in bytes.
const LINE_LIMIT: usize = 1 << 20;

pub(crate) struct Source<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes of the file before the buffer.
    before: u64,
    line: u64,
}

impl<R: Read> Source<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; WINDOW], start: 0, end: 0, before: 0, line: 0 }
    }

    /// Bytes that were taken so far.
    pub(crate) fn byte(&self) -> Place {
        Place::Byte(self.before + self.start as u64)
    }

    /// The line that was taken last, counted from 1.
    pub(crate) fn line(&self) -> Place {
        Place::Line(self.line)
    }

    /// Number of the line that was taken last.
    pub(crate) fn line_number(&self) -> u64 {
        self.line
    }

    /// The next bytes, as many as are asked for; null where the file ends before them.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<Option<&[u8]>, RenderError> {
        if self.end - self.start < length && !self.fill(length)? {
            return Ok(None);
        }
        self.start += length;
        Ok(Some(&self.buffer[self.start - length..self.start]))
    }

    /// The next bytes without taking them, fewer where the file ends.
    pub(crate) fn peek(&mut self, length: usize) -> Result<&[u8], RenderError> {
        self.fill(length)?;
        Ok(&self.buffer[self.start..self.end.min(self.start + length)])
    }

    /// The next line without its end (`\n` or `\r\n`); null at the end of the file.
    pub(crate) fn take_line(&mut self) -> Result<Option<&[u8]>, RenderError> {
        let mut searched = 0;
        let length = loop {
            if let Some(at) = self.buffer[self.start + searched..self.end].iter().position(|&byte| byte == b'\n') {
                break searched + at + 1;
            }
            searched = self.end - self.start;
            if searched > LINE_LIMIT {
                return Err(RenderError::LineLength { place: Place::Line(self.line + 1), limit: LINE_LIMIT });
            }
            if !self.fill(searched + 1)? {
                break searched;
            }
        };
        if length == 0 {
            return Ok(None);
        }
        self.line += 1;
        self.start += length;
        let line = &self.buffer[self.start - length..self.start];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Reads until the window holds so many bytes; false where the file ends before.
    #[cold]
    fn fill(&mut self, length: usize) -> Result<bool, RenderError> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.before += self.start as u64;
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() < length {
            self.buffer.resize(length.next_power_of_two(), 0);
        }
        while self.end < length {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(count) => self.end += count,
                Err(source) if source.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(RenderError::Read { place: self.byte(), source }),
            }
        }
        Ok(true)
    }
}

/// What an error shows of a piece of text.
pub(crate) fn excerpt(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(40)]).into_owned()
}
