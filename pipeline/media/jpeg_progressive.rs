//! Blocks of progressive JPEGs: each scan codes one band of coefficients, or one more bit of them, so what it holds
//! depends on which coefficients the scans before made non-zero.

use crate::ImageFault;
use crate::jpeg_huffman::{BitReader, HuffmanTable, too_many_coefficients};

/// Which coefficients, and which bits of them, a scan codes.
#[derive(Clone, Copy)]
pub(crate) struct Spectrum {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// A later scan that adds one bit to coefficients coded before.
    pub(crate) refines: bool,
    /// Position of the lowest bit coded.
    pub(crate) low_bit: u32,
}

/// First scan of a band of coefficients (T.81, G.1.2.2).
pub(crate) fn first_coefficients(
    reader: &mut BitReader<'_>,
    table: &HuffmanTable,
    spectrum: Spectrum,
    end_of_band_run: &mut u32,
    nonzero: &mut u64,
) -> Result<(), ImageFault> {
    if *end_of_band_run > 0 {
        *end_of_band_run -= 1;
        return Ok(());
    }
    let mut position = spectrum.first;
    while position <= spectrum.last {
        let symbol = reader.symbol(table)?;
        let (run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        if size == 0 && run < 15 {
            *end_of_band_run = (1 << run) - 1 + reader.bits(run);
            return Ok(());
        }
        position += run as usize;
        if size > 0 {
            if position > spectrum.last {
                return Err(too_many_coefficients());
            }
            *nonzero |= 1 << position;
            reader.bits(size);
        }
        position += 1;
    }
    Ok(())
}

/// Later scan of a band: one more bit for each coefficient (T.81, G.1.2.3).
pub(crate) fn refining_coefficients(
    reader: &mut BitReader<'_>,
    table: &HuffmanTable,
    spectrum: Spectrum,
    end_of_band_run: &mut u32,
    nonzero: &mut u64,
) -> Result<(), ImageFault> {
    let mut position = spectrum.first;
    while *end_of_band_run == 0 && position <= spectrum.last {
        let symbol = reader.symbol(table)?;
        let (mut run, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
        match (size, run) {
            (0, 0..15) => {
                *end_of_band_run = (1 << run) + reader.bits(run);
                break;
            }
            (0, _) => {}
            (1, _) => {
                reader.bits(1);
            }
            _ => return Err(ImageFault::undecodable("the JPEG's refining scan adds more than one bit")),
        }
        while position <= spectrum.last {
            if *nonzero >> position & 1 == 1 {
                reader.bits(1);
            } else if run == 0 {
                break;
            } else {
                run -= 1;
            }
            position += 1;
        }
        if size == 1 {
            if position > spectrum.last {
                return Err(too_many_coefficients());
            }
            *nonzero |= 1 << position;
        }
        position += 1;
    }
    if *end_of_band_run > 0 {
        for rest in position..=spectrum.last {
            if *nonzero >> rest & 1 == 1 {
                reader.bits(1);
            }
        }
        *end_of_band_run -= 1;
    }
    Ok(())
}
