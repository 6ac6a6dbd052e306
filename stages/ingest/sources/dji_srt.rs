//! Flight data that DJI drones write as subtitles beside a video, one block per frame or per second.
//!
//! Drones have written them in several ways over the years. Which one a block is in is told by its text:
//!
//! - `GPS(lon,lat,n)`, `BAROMETER:20.1` or `Hb:1.9`, `ISO:100 Shutter:400 Fnum:F2.8` (`TV:60`, `IR:F2.8`);
//! - the same with a unit at the third number of `GPS`, which then is `GPS(lat,lon,50.0M)`;
//! - `F/2.8, SS 400, ISO 100, GPS (lon, lat, n), H 85.80m, G.PRY (pitch, roll, yaw)` on one line;
//! - `[latitude: 41.4] [longtitude: 2.2] [rel_alt: 1.3 abs_alt: 82.3] [fnum : 280] …` in brackets.
//!
//! What models use differently is left out: the third number of `GPS` (satellites, or a height), `altitude`, whole focal
//! lengths of 100 and more (hundredths, or tenths). A position of 0, 0 is one before the first fix.

/// What one block says; null what it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) latitude_deg: Option<f64>,
    pub(crate) longitude_deg: Option<f64>,
    pub(crate) relative_altitude_m: Option<f64>,
    pub(crate) absolute_altitude_m: Option<f64>,
    pub(crate) gimbal_yaw_deg: Option<f64>,
    pub(crate) gimbal_pitch_deg: Option<f64>,
    pub(crate) gimbal_roll_deg: Option<f64>,
    pub(crate) focal_length_mm: Option<f64>,
    pub(crate) iso: Option<f64>,
    pub(crate) shutter_s: Option<f64>,
    pub(crate) f_number: Option<f64>,
}

/// A block that says something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Block {
    /// Position among the blocks of the file, from 1.
    pub(crate) number: i64,
    /// First millisecond that it holds for.
    start_ms: i64,
    /// First millisecond that it does not hold for any more.
    end_ms: i64,
    /// What it says.
    pub(crate) reading: Reading,
}

/// A block that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadBlock {
    /// Line of its times, from 1.
    pub(crate) line: u32,
    /// Why.
    pub(crate) fault: BlockFault,
}

/// Why a block cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BlockFault {
    /// Its times are no times, or do not follow those of the block before.
    #[error("`{times}` is no span of time that follows the one before")]
    BadTimecode {
        /// The line.
        times: String,
    },
    /// It gives no value.
    #[error("the block gives no position, height or setting of the camera")]
    EmptyBlock,
}

impl BlockFault {
    /// The reject reason code.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::BadTimecode { .. } => "bad_timecode",
            Self::EmptyBlock => "empty_block",
        }
    }
}

/// Why nothing of a file can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SrtFault {
    /// No bytes.
    #[error("the file is empty")]
    EmptyFile,
    /// No UTF-8.
    #[error("the file is no UTF-8 text")]
    NotUtf8,
    /// Blocks without times: they belong to no frame.
    #[error("the file tells no times, so nobody knows which frames it is about")]
    NoTimecode,
    /// No block gives a value.
    #[error("the file is no telemetry: no block gives a position, height or setting of the camera")]
    NoTelemetry,
}

impl SrtFault {
    /// The reject reason code.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::EmptyFile => "empty_file",
            Self::NotUtf8 => "not_utf8",
            Self::NoTimecode => "no_timecode",
            Self::NoTelemetry => "no_telemetry",
        }
    }
}

/// A subtitle file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Subtitles {
    /// In the order of time.
    blocks: Vec<Block>,
    /// Those that cannot be used.
    pub(crate) bad: Vec<BadBlock>,
}

impl Subtitles {
    /// Reads a file.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, SrtFault> {
        let text = std::str::from_utf8(bytes).map_err(|_| SrtFault::NotUtf8)?;
        let text = without_cut_word(text.trim_start_matches('\u{feff}'));
        if text.trim().is_empty() {
            return Err(SrtFault::EmptyFile);
        }
        let mut subtitles = Self::default();
        for (number, raw) in (1..).zip(raw_blocks(text)) {
            subtitles.add(number, &raw);
        }
        if !subtitles.blocks.is_empty() {
            return Ok(subtitles);
        }
        let untimed = !text.contains("-->") && Reading::of(text) != Reading::default();
        Err(if untimed { SrtFault::NoTimecode } else { SrtFault::NoTelemetry })
    }

    /// Blocks in the file, usable or not.
    pub(crate) fn block_count(&self) -> u64 {
        (self.blocks.len() + self.bad.len()) as u64
    }

    /// The block that holds at a time from the first frame, which is rounded to the milliseconds that blocks are given in.
    pub(crate) fn at(&self, time_us: i64) -> Option<&Block> {
        let time_ms = (time_us + 500).div_euclid(1000);
        let position = self.blocks.partition_point(|block| block.start_ms <= time_ms);
        self.blocks[..position].last().filter(|block| time_ms < block.end_ms)
    }

    fn add(&mut self, number: i64, raw: &RawBlock<'_>) {
        let after = self.blocks.last().map_or(-1, |block| block.start_ms);
        let reading = Reading::of(&raw.text);
        let fault = match span(raw.times).filter(|(start, end)| *start > after && start < end) {
            None => BlockFault::BadTimecode { times: raw.times.trim().chars().take(80).collect() },
            Some(_) if reading == Reading::default() => BlockFault::EmptyBlock,
            Some((start_ms, end_ms)) => {
                return self.blocks.push(Block { number, start_ms, end_ms, reading });
            }
        };
        self.bad.push(BadBlock { line: raw.line, fault });
    }
}

/// The text without its last word, where that has no end: power fails, and half a number looks like a number.
fn without_cut_word(text: &str) -> &str {
    let end = text.rfind(|c: char| c.is_whitespace() || matches!(c, ']' | ')' | '>' | ',' | ':' | '('));
    let last = |at: usize| at + text[at..].chars().next().map_or(0, char::len_utf8);
    end.map_or("", |at| &text[..last(at)])
}

/// A block before its numbers are read.
struct RawBlock<'a> {
    line: u32,
    times: &'a str,
    text: String,
}

/// The lines between times, without counters.
fn raw_blocks(text: &str) -> Vec<RawBlock<'_>> {
    let mut blocks: Vec<RawBlock<'_>> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if content.contains("-->") {
            blocks.push(RawBlock { line, times: content, text: String::new() });
        } else if let Some(block) = blocks.last_mut()
            && !content.trim().bytes().all(|byte| byte.is_ascii_digit())
        {
            block.text.push_str(content);
            block.text.push('\n');
        }
    }
    blocks
}

/// First and last time of a block in milliseconds.
fn span(times: &str) -> Option<(i64, i64)> {
    let (start, end) = times.split_once("-->")?;
    Some((milliseconds(start)?, milliseconds(end)?))
}

/// `01:02:03,004`, with a point as well.
fn milliseconds(time: &str) -> Option<i64> {
    let mut parts = time.trim().split([':', ',', '.']);
    let mut next = |limit: i64| {
        let part = parts.next().filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))?;
        part.parse::<i64>().ok().filter(|value| *value < limit)
    };
    let (hours, minutes, seconds, thousandths) = (next(10_000)?, next(60)?, next(60)?, next(1000)?);
    parts.next().is_none().then_some(((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths)
}

impl Reading {
    /// Reads the text of a block.
    fn of(text: &str) -> Self {
        let reading = if text.contains('[') { Self::of_brackets(text) } else { Self::of_words(text) };
        reading.trusted()
    }

    fn of_brackets(text: &str) -> Self {
        let mut reading = Self::default();
        let inside = text.split('[').skip(1).filter_map(|part| part.split(']').next());
        for content in inside {
            let spaced = content.replace(':', " : ");
            let words: Vec<&str> = spaced.split([' ', ',']).filter(|word| !word.is_empty()).collect();
            for pair in words.windows(3).filter(|pair| pair[1] == ":") {
                reading.set(pair[0], pair[2]);
            }
        }
        reading
    }

    fn set(&mut self, key: &str, value: &str) {
        let number = number(value);
        match key {
            "latitude" => self.latitude_deg = number,
            "longitude" | "longtitude" => self.longitude_deg = number,
            "rel_alt" => self.relative_altitude_m = number,
            "abs_alt" => self.absolute_altitude_m = number,
            "gb_yaw" => self.gimbal_yaw_deg = number,
            "gb_pitch" => self.gimbal_pitch_deg = number,
            "gb_roll" => self.gimbal_roll_deg = number,
            "iso" => self.iso = number,
            "shutter" => self.shutter_s = fraction(value),
            // Hundredths on most models: no lens has f/100.
            "fnum" => self.f_number = number.map(|value| if value >= 100.0 { value / 100.0 } else { value }),
            "focal_len" => self.focal_length_mm = number.filter(|mm| value.contains('.') || *mm < 100.0),
            _ => {}
        }
    }

    fn of_words(text: &str) -> Self {
        let mut reading = Self::default();
        if let Some(position) = group(text, "GPS") {
            let order = match position.get(2).is_some_and(|third| third.ends_with(['m', 'M'])) {
                true => [0, 1],
                false => [1, 0],
            };
            [reading.latitude_deg, reading.longitude_deg] =
                order.map(|at| position.get(at).and_then(|value| number(value)));
        }
        if let Some(angles) = group(text, "G.PRY") {
            let angle = |at: usize| angles.get(at).and_then(|value| number(value));
            (reading.gimbal_pitch_deg, reading.gimbal_roll_deg, reading.gimbal_yaw_deg) =
                (angle(0), angle(1), angle(2));
        }
        let first = |keys: &[&str]| keys.iter().find_map(|key| word_after(text, key));
        reading.relative_altitude_m = first(&["H", "Hb", "BAROMETER"]).and_then(number);
        reading.iso = first(&["ISO"]).and_then(number);
        reading.f_number = first(&["F", "Fnum", "IR"]).and_then(number);
        // Shutters are written as so many to a second.
        let shutter = first(&["SS", "Shutter", "TV"]);
        reading.shutter_s =
            shutter.and_then(|value| if value.contains('/') { fraction(value) } else { per(number(value)?) });
        reading
    }

    /// Without what cannot be.
    fn trusted(mut self) -> Self {
        let within = |value: Option<f64>, most: f64| value.filter(|value| value.abs() <= most);
        let (latitude, longitude) = (within(self.latitude_deg, 90.0), within(self.longitude_deg, 180.0));
        let fixed = latitude.zip(longitude).filter(|place| *place != (0.0, 0.0));
        (self.latitude_deg, self.longitude_deg) = fixed.unzip();
        self.relative_altitude_m = within(self.relative_altitude_m, 12_000.0);
        self.absolute_altitude_m = within(self.absolute_altitude_m, 12_000.0);
        for angle in [&mut self.gimbal_yaw_deg, &mut self.gimbal_pitch_deg, &mut self.gimbal_roll_deg] {
            *angle = within(*angle, 360.0);
        }
        let above_zero = |value: Option<f64>, most: f64| value.filter(|value| *value > 0.0 && *value <= most);
        self.focal_length_mm = above_zero(self.focal_length_mm, 2000.0);
        self.iso = above_zero(self.iso, 10_000_000.0);
        self.shutter_s = above_zero(self.shutter_s, 3600.0);
        self.f_number = above_zero(self.f_number, 99.0);
        self
    }
}

/// The values in the brackets behind a key: `GPS (1, 2, 3)`.
fn group<'a>(text: &'a str, key: &str) -> Option<Vec<&'a str>> {
    let (_, after) = text.split_once(key)?;
    let inside = after.trim_start().strip_prefix('(')?.split(')').next()?;
    Some(inside.split(',').map(str::trim).collect())
}

/// What stands behind a key that is a word of its own: `ISO:100`, `H 85.80m`, `F/2.8`.
fn word_after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '.';
    let mut places = text.match_indices(key);
    places.find_map(|(at, _)| {
        let after = &text[at + key.len()..];
        if text[..at].ends_with(is_part) || after.starts_with(is_part) {
            return None;
        }
        let value = after.trim_start_matches([' ', ':', '/']).split([' ', ',', '\n', '\r', '\t']).next()?;
        (!value.is_empty()).then_some(value)
    })
}

/// A number with a unit or an `F` around it; null for `n/a`.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim().trim_start_matches('F').trim_end_matches(['m', 'M', '°']);
    digits.parse().ok().filter(|value: &f64| value.is_finite())
}

/// `1/60.0`.
fn fraction(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/')?;
    Some(number(above)? * per(number(below)?)?)
}

fn per(value: f64) -> Option<f64> {
    (value > 0.0).then(|| 1.0 / value)
}
