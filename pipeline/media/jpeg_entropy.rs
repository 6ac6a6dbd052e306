//! Proof that a JPEG's coded data are complete.
//!
//! JPEG has no checksum, and decoders hide damage: they fill what is missing with grey and go on. This module reads
//! the entropy-coded data of every scan without computing a pixel (a few milliseconds for a 2-megapixel image) and
//! requires what the format promises: every code exists, no block holds more than 64 coefficients, restart markers
//! stand where they belong, and the data end exactly after the last block. Missing data are always found. Altered data
//! are found when the altered bits change the number of blocks or give an impossible value; a change that merely turns
//! one valid coefficient into another cannot be told from an image.

use crate::ImageFault;
use crate::jpeg_header::{Segment, segment_at};
use crate::jpeg_huffman::{BitReader, HuffmanTable};
use crate::jpeg_progressive::{Spectrum, first_coefficients, refining_coefficients};

/// A component's share of the frame.
struct Component {
    id: u8,
    /// Blocks per MCU, horizontally and vertically.
    sampling: (usize, usize),
    quantization_table: usize,
    /// Blocks that hold pixels: what a scan of this component alone codes.
    blocks: (usize, usize),
    /// Width of the block grid padded to whole MCUs.
    stride: usize,
    /// Progressive: per block, which coefficients are already non-zero.
    nonzero: Vec<u64>,
    /// A scan has coded the mean value of its blocks.
    has_dc: bool,
}

/// A component as a scan refers to it.
#[derive(Clone, Copy)]
struct ScanComponent {
    index: usize,
    dc_table: usize,
    ac_table: usize,
}

#[derive(Default)]
struct Walk {
    progressive: bool,
    components: Vec<Component>,
    /// Size of the frame in MCUs.
    mcus: (usize, usize),
    dc_tables: [Option<HuffmanTable>; 4],
    ac_tables: [Option<HuffmanTable>; 4],
    /// Quantizer of the mean value, per table.
    dc_quantizers: [i32; 4],
    /// MCUs between restart markers; 0 = none.
    restart_interval: usize,
}

/// What one scan carries from block to block.
#[derive(Default)]
struct ScanState {
    /// Mean value predicted for the next block, per component.
    predictions: [i32; 4],
    /// Progressive: blocks left that end early.
    end_of_band_run: u32,
}

/// Checks the coded data of all scans up to the end-of-image marker.
pub(crate) fn verify(bytes: &[u8]) -> Result<(), ImageFault> {
    let mut walk = Walk::default();
    let mut offset = 2;
    loop {
        let segment = segment_at(bytes, offset)?;
        offset = match segment.marker {
            0xD9 => break,
            0xDA => walk.scan(bytes, &segment)?,
            _ => {
                walk.table_segment(&segment)?;
                segment.end
            }
        };
    }
    match walk.components.iter().find(|component| !component.has_dc) {
        Some(component) => {
            Err(ImageFault::truncated(format!("the JPEG has no scan for its component {}", component.id)))
        }
        None => Ok(()),
    }
}

fn short_segment(marker: u8) -> ImageFault {
    ImageFault::bad_header(format!("JPEG segment FF{marker:02X} is too short for what it declares"))
}

impl Walk {
    fn table_segment(&mut self, segment: &Segment<'_>) -> Result<(), ImageFault> {
        match segment.marker {
            0xC4 => self.huffman_tables(segment),
            0xDB => self.quantization_tables(segment),
            0xDD => {
                let [high, low] = *segment.payload else { return Err(short_segment(0xDD)) };
                self.restart_interval = usize::from(u16::from_be_bytes([high, low]));
                Ok(())
            }
            0xC0..=0xC2 => self.frame(segment),
            _ => Ok(()),
        }
    }

    fn huffman_tables(&mut self, segment: &Segment<'_>) -> Result<(), ImageFault> {
        let mut rest = segment.payload;
        while let Some((&[class_and_slot], after)) = rest.split_first_chunk::<1>() {
            let (counts, after) = after.split_first_chunk::<16>().ok_or_else(|| short_segment(0xC4))?;
            let total = counts.iter().map(|&count| usize::from(count)).sum();
            let (symbols, after) = after.split_at_checked(total).ok_or_else(|| short_segment(0xC4))?;
            let tables = if class_and_slot >> 4 == 0 { &mut self.dc_tables } else { &mut self.ac_tables };
            let slot = tables.get_mut(usize::from(class_and_slot & 15));
            *slot.ok_or_else(|| ImageFault::bad_header("JPEG Huffman table number above 3"))? =
                Some(HuffmanTable::new(counts, symbols)?);
            rest = after;
        }
        Ok(())
    }

    fn quantization_tables(&mut self, segment: &Segment<'_>) -> Result<(), ImageFault> {
        let mut rest = segment.payload;
        while let Some((&[precision_and_slot], after)) = rest.split_first_chunk::<1>() {
            let wide = precision_and_slot >> 4 != 0;
            let length = if wide { 128 } else { 64 };
            let (values, after) = after.split_at_checked(length).ok_or_else(|| short_segment(0xDB))?;
            let first = if wide { i32::from(values[0]) << 8 | i32::from(values[1]) } else { i32::from(values[0]) };
            let slot = self.dc_quantizers.get_mut(usize::from(precision_and_slot & 15));
            *slot.ok_or_else(|| ImageFault::bad_header("JPEG quantization table number above 3"))? = first;
            rest = after;
        }
        Ok(())
    }

    /// Lays out the block grids. The caller has already accepted the header, see `jpeg_header`.
    fn frame(&mut self, segment: &Segment<'_>) -> Result<(), ImageFault> {
        let [_, h0, h1, w0, w1, _, specs @ ..] = segment.payload else { return Err(short_segment(segment.marker)) };
        if !self.components.is_empty() {
            return Err(ImageFault::bad_header("JPEG with more than one frame header"));
        }
        let (height, width) = (u16::from_be_bytes([*h0, *h1]).into(), u16::from_be_bytes([*w0, *w1]).into());
        self.progressive = segment.marker == 0xC2;
        let specs: Vec<(u8, usize, usize, usize)> = specs
            .chunks_exact(3)
            .map(|spec| (spec[0], usize::from(spec[1] >> 4), usize::from(spec[1] & 15), usize::from(spec[2] & 3)))
            .collect();
        if specs.iter().any(|&(_, h, v, _)| !(1..=4).contains(&h) || !(1..=4).contains(&v)) {
            return Err(ImageFault::bad_header("JPEG sampling factor outside 1 to 4"));
        }
        let largest_h = specs.iter().map(|spec| spec.1).max().unwrap_or(1);
        let largest_v = specs.iter().map(|spec| spec.2).max().unwrap_or(1);
        self.mcus = (usize::div_ceil(width, 8 * largest_h), usize::div_ceil(height, 8 * largest_v));
        for (id, h, v, quantization_table) in specs {
            let blocks = ((width * h).div_ceil(largest_h).div_ceil(8), (height * v).div_ceil(largest_v).div_ceil(8));
            let stride = self.mcus.0 * h;
            let nonzero = if self.progressive { vec![0; stride * self.mcus.1 * v] } else { Vec::new() };
            let sampling = (h, v);
            self.components.push(Component {
                id,
                sampling,
                quantization_table,
                blocks,
                stride,
                nonzero,
                has_dc: false,
            });
        }
        Ok(())
    }

    /// Walks one scan; returns the offset of the marker after it.
    fn scan(&mut self, bytes: &[u8], segment: &Segment<'_>) -> Result<usize, ImageFault> {
        let (components, spectrum) = self.scan_header(segment.payload)?;
        let mut state = ScanState::default();
        let mut reader = BitReader::new(bytes, segment.end);
        let (columns, rows) = match components[..] {
            [only] => self.components[only.index].blocks,
            _ => self.mcus,
        };
        let (mut until_restart, mut next_restart) = (self.restart_interval, 0);
        for mcu in 0..columns * rows {
            if self.restart_interval != 0 && until_restart == 0 {
                let offset = restart(bytes, reader, next_restart, &state)?;
                reader = BitReader::new(bytes, offset);
                state = ScanState::default();
                (until_restart, next_restart) = (self.restart_interval, (next_restart + 1) % 8);
            }
            until_restart = until_restart.wrapping_sub(1);
            self.mcu(&mut reader, &mut state, &components, spectrum, (mcu % columns, mcu / columns))?;
            if reader.is_overrun() {
                let total = columns * rows;
                return Err(ImageFault::truncated(format!("the JPEG's coded data end in MCU {mcu} of {total}")));
            }
        }
        if state.end_of_band_run > 0 {
            return Err(ImageFault::undecodable("the JPEG's coded data announce blocks after the last one"));
        }
        for component in &components {
            self.components[component.index].has_dc |= spectrum.first == 0;
        }
        reader.finish()
    }

    fn scan_header(&self, payload: &[u8]) -> Result<(Vec<ScanComponent>, Spectrum), ImageFault> {
        let count = usize::from(*payload.first().ok_or_else(|| short_segment(0xDA))?);
        if !(1..=4).contains(&count) || payload.len() != 4 + 2 * count {
            return Err(ImageFault::bad_header(format!("JPEG scan header for {count} components has a wrong length")));
        }
        let mut components = Vec::with_capacity(count);
        for spec in payload[1..=2 * count].chunks_exact(2) {
            let index = self.components.iter().position(|component| component.id == spec[0]);
            let index =
                index.ok_or_else(|| ImageFault::bad_header(format!("JPEG scan of unknown component {}", spec[0])))?;
            components.push(ScanComponent {
                index,
                dc_table: usize::from(spec[1] >> 4 & 3),
                ac_table: usize::from(spec[1] & 3),
            });
        }
        let [first, last, approximation] = [payload[1 + 2 * count], payload[2 + 2 * count], payload[3 + 2 * count]];
        let spectrum = if self.progressive {
            Spectrum {
                first: first.into(),
                last: last.into(),
                refines: approximation >> 4 != 0,
                low_bit: u32::from(approximation & 15),
            }
        } else {
            Spectrum { first: 0, last: 63, refines: false, low_bit: 0 }
        };
        let alone = count == 1 || spectrum.first == 0;
        if spectrum.first > spectrum.last || spectrum.last > 63 || spectrum.low_bit > 13 || !alone {
            return Err(ImageFault::bad_header("JPEG scan with invalid progression parameters"));
        }
        Ok((components, spectrum))
    }

    fn mcu(
        &mut self,
        reader: &mut BitReader<'_>,
        state: &mut ScanState,
        components: &[ScanComponent],
        spectrum: Spectrum,
        (x, y): (usize, usize),
    ) -> Result<(), ImageFault> {
        let interleaved = components.len() > 1;
        for &component in components {
            let (h, v) = if interleaved { self.components[component.index].sampling } else { (1, 1) };
            for block in 0..h * v {
                let (column, row) = (x * h + block % h, y * v + block / h);
                if self.progressive {
                    let position = row * self.components[component.index].stride + column;
                    self.progressive_block(reader, state, component, spectrum, position)?;
                } else {
                    self.mean_value(reader, state, component, 0)?;
                    reader.skip_coefficients(table(&self.ac_tables, component.ac_table)?)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the difference of a block's mean value to the block before, and refuses what no 8-bit image can have.
    #[inline]
    fn mean_value(
        &self,
        reader: &mut BitReader<'_>,
        state: &mut ScanState,
        component: ScanComponent,
        low_bit: u32,
    ) -> Result<(), ImageFault> {
        let size = u32::from(reader.symbol(table(&self.dc_tables, component.dc_table)?)?);
        if size > 11 {
            return Err(ImageFault::undecodable("the JPEG's coded data hold an impossible mean value"));
        }
        let raw = reader.bits(size) as i32;
        let difference = if size > 0 && raw < 1 << (size - 1) { raw - (1 << size) + 1 } else { raw };
        let prediction = &mut state.predictions[component.index];
        *prediction += difference;
        // A quantizer of 0 is against the standard; taken as 1, it does not switch the bound off.
        let quantizer = i64::from(self.dc_quantizers[self.components[component.index].quantization_table]).max(1);
        // Samples span -128..=127, so the mean times 8 lies within +-1024; twice that is left for odd encoders.
        if ((i64::from(*prediction) << low_bit) * quantizer).abs() > 2048 + (quantizer << low_bit) {
            return Err(ImageFault::undecodable("the JPEG's coded data hold an impossible mean value"));
        }
        Ok(())
    }

    fn progressive_block(
        &mut self,
        reader: &mut BitReader<'_>,
        state: &mut ScanState,
        component: ScanComponent,
        spectrum: Spectrum,
        position: usize,
    ) -> Result<(), ImageFault> {
        if spectrum.first == 0 {
            if spectrum.refines {
                reader.bits(1);
                return Ok(());
            }
            return self.mean_value(reader, state, component, spectrum.low_bit);
        }
        let table = table(&self.ac_tables, component.ac_table)?;
        let nonzero = &mut self.components[component.index].nonzero[position];
        if spectrum.refines {
            refining_coefficients(reader, table, spectrum, &mut state.end_of_band_run, nonzero)
        } else {
            first_coefficients(reader, table, spectrum, &mut state.end_of_band_run, nonzero)
        }
    }
}

fn table(tables: &[Option<HuffmanTable>; 4], slot: usize) -> Result<&HuffmanTable, ImageFault> {
    tables[slot].as_ref().ok_or_else(|| ImageFault::undecodable("the JPEG lacks a Huffman table that its scan uses"))
}

/// Ends an interval and steps over the restart marker with number `expected`.
fn restart(bytes: &[u8], reader: BitReader<'_>, expected: u8, state: &ScanState) -> Result<usize, ImageFault> {
    let offset = reader.finish()?;
    let marker = segment_at(bytes, offset)?;
    if marker.marker != 0xD0 + expected || state.end_of_band_run > 0 {
        let found = marker.marker;
        return Err(ImageFault::undecodable(format!(
            "JPEG restart marker {expected} is missing (FF{found:02X} found)"
        )));
    }
    Ok(marker.end)
}
