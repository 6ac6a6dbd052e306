//! Huffman tables and the bit reader of JPEG entropy-coded data.

use crate::ImageFault;

const FAST_BITS: u32 = 10;
const PAIR_BITS: u32 = 12;

/// Up to this position in a block two coefficients may be skipped at once: the first cannot be the block's last.
const LAST_PAIR_POSITION: u32 = 47;

/// Step that ends a block.
const END_OF_BLOCK: u32 = 128;

/// Largest size of a coefficient's value in an 8-bit image.
const LARGEST_COEFFICIENT_SIZE: u32 = 10;

/// One Huffman table (T.81, annex C), with a direct lookup for the short codes.
pub(crate) struct HuffmanTable {
    /// For each prefix of `FAST_BITS` bits `length << 8 | symbol`; 0 where the code is longer.
    fast: Box<[u16; 1 << FAST_BITS]>,
    /// For the same prefixes, read as a coefficient of a sequential block: `step << 8 | bits to skip` (the code and
    /// the value after it); 0 where the code is longer or means no coefficient.
    steps: Box<[u16; 1 << FAST_BITS]>,
    /// As `steps` for prefixes of `PAIR_BITS` bits, with the next coefficient added where its code is in the prefix.
    pairs: Box<[u16; 1 << PAIR_BITS]>,
    symbols: Vec<u8>,
    /// One past the largest code of each length, 0 where there is none.
    code_end: [u32; 17],
    /// Position in `symbols` of the first code of each length, minus that code.
    symbol_offset: [i32; 17],
}

impl HuffmanTable {
    /// Builds a table from the number of codes of each length 1 to 16 and the symbols in code order.
    pub(crate) fn new(counts: &[u8; 16], symbols: &[u8]) -> Result<Self, ImageFault> {
        let mut table = Self {
            fast: Box::new([0; 1 << FAST_BITS]),
            steps: Box::new([0; 1 << FAST_BITS]),
            pairs: Box::new([0; 1 << PAIR_BITS]),
            symbols: symbols.to_vec(),
            code_end: [0; 17],
            symbol_offset: [0; 17],
        };
        let (mut code, mut position) = (0_u32, 0_usize);
        for (length, &count) in (1_u32..).zip(counts) {
            let count = usize::from(count);
            table.symbol_offset[length as usize] = position as i32 - code as i32;
            for &symbol in &symbols[position..position + count] {
                if code >= 1 << length {
                    return Err(ImageFault::bad_header("JPEG Huffman table with more codes than fit"));
                }
                table.fill_fast(code, length, symbol);
                code += 1;
            }
            position += count;
            table.code_end[length as usize] = if count > 0 { code } else { 0 };
            code <<= 1;
        }
        table.fill_pairs();
        Ok(table)
    }

    fn fill_fast(&mut self, code: u32, length: u32, symbol: u8) {
        if length <= FAST_BITS {
            let first = (code << (FAST_BITS - length)) as usize;
            let entries = first..first + (1 << (FAST_BITS - length));
            self.fast[entries.clone()].fill((length as u16) << 8 | u16::from(symbol));
            if let Some((step, size)) = coefficient_step(symbol) {
                self.steps[entries].fill((step as u16) << 8 | (length + size) as u16);
            }
        }
    }
}

impl HuffmanTable {
    fn fill_pairs(&mut self) {
        const FAST_FROM_PAIR: u32 = PAIR_BITS - FAST_BITS;
        for prefix in 0..1 << PAIR_BITS {
            let first = self.steps[prefix >> FAST_FROM_PAIR];
            let first_bits = u32::from(first & 255);
            self.pairs[prefix] = first;
            if first == 0 || u32::from(first >> 8) >= END_OF_BLOCK || first_bits >= PAIR_BITS {
                continue;
            }
            let rest = (prefix << first_bits & ((1 << PAIR_BITS) - 1)) >> FAST_FROM_PAIR;
            let (second, second_code_bits) = (self.steps[rest], u32::from(self.fast[rest] >> 8));
            if second != 0 && first_bits + second_code_bits <= PAIR_BITS {
                self.pairs[prefix] = first + second;
            }
        }
    }
}

pub(crate) fn too_many_coefficients() -> ImageFault {
    ImageFault::undecodable("the JPEG's coded data hold a block with more than 64 coefficients")
}

/// What a symbol means in a sequential block: how many coefficients it passes ([`END_OF_BLOCK`] for the rest) and how
/// many bits of value follow; `None` if it means nothing.
fn coefficient_step(symbol: u8) -> Option<(u32, u32)> {
    match (u32::from(symbol >> 4), u32::from(symbol & 15)) {
        (15, 0) => Some((16, 0)),
        (_, 0) => Some((END_OF_BLOCK, 0)),
        (run, size) if size <= LARGEST_COEFFICIENT_SIZE => Some((run + 1, size)),
        _ => None,
    }
}

/// Reads one entropy-coded segment: undoes byte stuffing, stops at the next marker and counts what is read past it.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Next byte to take from `bytes`.
    offset: usize,
    /// Unread bits, in the high end.
    buffer: u64,
    available: u32,
    /// Zero bits appended after the data ended.
    appended: u32,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { bytes, offset, buffer: 0, available: 0, appended: 0 }
    }

    /// Whether more bits were read than the segment holds.
    #[inline]
    pub(crate) fn is_overrun(&self) -> bool {
        self.appended > self.available
    }

    /// Ends the segment: all but the padding of the last byte must have been read. Returns the offset of the marker.
    pub(crate) fn finish(mut self) -> Result<usize, ImageFault> {
        self.refill();
        if self.is_overrun() {
            return Err(ImageFault::truncated("the JPEG's coded data end before its last block"));
        }
        if self.appended == 0 || self.available - self.appended >= 8 {
            return Err(ImageFault::undecodable("the JPEG's coded data go on after its last block"));
        }
        Ok(self.offset)
    }

    #[inline]
    fn refill(&mut self) {
        if let Some(next) = self.bytes.get(self.offset..self.offset + 8) {
            let word = u64::from_be_bytes(next.try_into().unwrap_or_default());
            // A byte of 0xFF is a zero byte of the complement.
            let has_marker = (!word).wrapping_sub(0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 != 0;
            if !has_marker {
                let take = (63 - self.available) / 8;
                self.buffer |= (word >> self.available) & (!0_u64 << (64 - self.available - take * 8));
                self.available += take * 8;
                self.offset += take as usize;
                return;
            }
        }
        self.refill_bytewise();
    }

    fn refill_bytewise(&mut self) {
        while self.available <= 55 {
            let byte = match (self.bytes.get(self.offset), self.bytes.get(self.offset + 1)) {
                (Some(0xFF), Some(0x00)) => {
                    self.offset += 2;
                    0xFF
                }
                (Some(0xFF) | None, _) => {
                    self.appended += 8;
                    0
                }
                (Some(&byte), _) => {
                    self.offset += 1;
                    byte
                }
            };
            self.buffer |= u64::from(byte) << (56 - self.available);
            self.available += 8;
        }
    }

    #[inline]
    fn consume(&mut self, count: u32) {
        self.buffer <<= count;
        self.available -= count;
    }

    /// Reads `count` bits, at most 16.
    #[inline]
    pub(crate) fn bits(&mut self, count: u32) -> u32 {
        if self.available < 32 {
            self.refill();
        }
        let value = ((self.buffer >> 32) as u32).checked_shr(32 - count).unwrap_or(0);
        self.consume(count);
        value
    }

    /// Reads one Huffman symbol.
    #[inline]
    pub(crate) fn symbol(&mut self, table: &HuffmanTable) -> Result<u8, ImageFault> {
        if self.available < 32 {
            self.refill();
        }
        let entry = table.fast[(self.buffer >> (64 - FAST_BITS)) as usize];
        if entry != 0 {
            self.consume(u32::from(entry >> 8));
            return Ok(entry as u8);
        }
        self.long_symbol(table)
    }

    /// Skips the coefficients of a sequential block after its mean value, which is nearly all of the work.
    #[inline]
    pub(crate) fn skip_coefficients(&mut self, table: &HuffmanTable) -> Result<(), ImageFault> {
        let position = self.skip_steps::<PAIR_BITS>(table, &table.pairs[..], 1, LAST_PAIR_POSITION)?;
        let position = self.skip_steps::<FAST_BITS>(table, &table.steps[..], position, 63)?;
        if position == 64 || position >= END_OF_BLOCK { Ok(()) } else { Err(too_many_coefficients()) }
    }

    /// Takes the steps given by the next `BITS` bits until the position is past `last`; returns the position.
    #[inline(always)]
    fn skip_steps<const BITS: u32>(
        &mut self,
        table: &HuffmanTable,
        steps: &[u16],
        mut position: u32,
        last: u32,
    ) -> Result<u32, ImageFault> {
        // In registers: through `self` each step would wait for the store of the one before.
        let (mut buffer, mut available) = (self.buffer, self.available);
        while position <= last {
            if available < 32 {
                (self.buffer, self.available) = (buffer, available);
                self.refill();
                (buffer, available) = (self.buffer, self.available);
            }
            let entry = steps[(buffer >> (64 - BITS)) as usize];
            if entry == 0 {
                (self.buffer, self.available) = (buffer, available);
                position += self.skip_long_coefficient(table)?;
                (buffer, available) = (self.buffer, self.available);
            } else {
                buffer <<= entry & 63;
                available -= u32::from(entry & 63);
                position += u32::from(entry >> 8);
            }
        }
        (self.buffer, self.available) = (buffer, available);
        Ok(position)
    }

    #[cold]
    fn skip_long_coefficient(&mut self, table: &HuffmanTable) -> Result<u32, ImageFault> {
        let invalid = || ImageFault::undecodable("the JPEG's coded data hold an impossible coefficient");
        let (step, size) = coefficient_step(self.symbol(table)?).ok_or_else(invalid)?;
        self.bits(size);
        Ok(step)
    }

    #[cold]
    fn long_symbol(&mut self, table: &HuffmanTable) -> Result<u8, ImageFault> {
        for length in FAST_BITS + 1..=16 {
            let code = (self.buffer >> (64 - length)) as u32;
            if code < table.code_end[length as usize] {
                let position = code as i32 + table.symbol_offset[length as usize];
                if let Some(&symbol) = usize::try_from(position).ok().and_then(|p| table.symbols.get(p)) {
                    self.consume(length);
                    return Ok(symbol);
                }
            }
        }
        Err(ImageFault::undecodable("the JPEG's coded data hold an invalid Huffman code"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes 0, 10, 110 for the symbols 5, 6, 7.
    fn table() -> HuffmanTable {
        let mut counts = [0; 16];
        counts[..3].fill(1);
        HuffmanTable::new(&counts, &[5, 6, 7]).unwrap()
    }

    #[test]
    fn reads_symbols_bits_and_stuffed_bytes_up_to_the_marker() {
        // 110 10 0 11 | FF (stuffed) | marker
        let bytes = [0b1101_0011, 0xFF, 0x00, 0xFF, 0xD9];
        let mut reader = BitReader::new(&bytes, 0);
        let symbols: Vec<u8> = (0..3).map(|_| reader.symbol(&table()).unwrap()).collect();
        assert_eq!(symbols, [7, 6, 5]);
        assert_eq!(reader.bits(2), 0b11);
        assert_eq!(reader.bits(8), 0xFF);
        assert!(!reader.is_overrun());
        assert_eq!(reader.finish().unwrap(), 3);
    }

    #[test]
    fn tells_too_little_from_too_much_data() {
        let bytes = [0xAA, 0xAA, 0xFF, 0xD9];
        let mut short = BitReader::new(&bytes, 0);
        short.bits(16);
        short.bits(1);
        assert!(short.is_overrun());
        assert_eq!(short.finish().unwrap_err().reason(), "truncated");
        let mut long = BitReader::new(&bytes, 0);
        long.bits(8);
        assert_eq!(long.finish().unwrap_err().reason(), "undecodable");
        let mut exact = BitReader::new(&bytes, 0);
        exact.bits(9);
        assert_eq!(exact.finish().unwrap(), 2);
    }

    #[test]
    fn refuses_invalid_codes_and_tables() {
        let mut reader = BitReader::new(&[0b1110_0000, 0, 0, 0, 0xFF, 0xD9], 0);
        assert_eq!(reader.symbol(&table()).unwrap_err().reason(), "undecodable");
        let mut counts = [0; 16];
        counts[0] = 3;
        assert_eq!(HuffmanTable::new(&counts, &[1, 2, 3]).err().map(|f| f.reason()), Some("bad_header"));
    }
}
