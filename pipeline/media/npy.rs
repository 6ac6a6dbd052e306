//! Arrays of 32-bit floats as NumPy saves them (`.npy`), from others.

/// Start of every file.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads an array of 32-bit floats with two axes: width, height and values row by row.
///
/// # Errors
/// What is wrong with the file, in words.
pub fn decode_npy(bytes: &[u8]) -> Result<(usize, usize, Vec<f32>), String> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin as NumPy's arrays do")?;
    let cut = || "it ends within its header".to_owned();
    let (length, start): (usize, usize) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        [0 | 4.., ..] => return Err(format!("it has version {} of the format; 1 to 3 are read", rest[0])),
        _ => return Err(cut()),
    };
    let header = start.checked_add(length).and_then(|end| rest.get(start..end)).ok_or_else(cut)?;
    let header = std::str::from_utf8(header).map_err(|_| "its header is no text".to_owned())?;
    let (height, width) = shape(header)?;
    let values = &rest[start + length..];
    if width.checked_mul(height).and_then(|count| count.checked_mul(4)) != Some(values.len()) {
        return Err(format!("it has {} bytes of values for {height} rows of {width} 32-bit floats", values.len()));
    }
    let values = values.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    Ok((width, height, values.collect()))
}

/// Rows and columns that a header tells, of little-endian 32-bit floats in C order.
fn shape(header: &str) -> Result<(usize, usize), String> {
    let after = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    let kind = after("descr").and_then(|rest| rest.strip_prefix('\'')?.split_once('\'')).map(|(kind, _)| kind);
    match kind {
        Some("<f4") => {}
        Some(other) => return Err(format!("its values are `{other}`; `<f4` is read: save it as float32")),
        None => return Err("its header tells no `descr`".into()),
    }
    if !after("fortran_order").is_some_and(|rest| rest.starts_with("False")) {
        return Err("its values run by columns; save it with numpy.ascontiguousarray".into());
    }
    let sides = after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).map(|(sides, _)| sides);
    let sides = sides.ok_or("its header tells no `shape`")?;
    let numbers: Option<Vec<usize>> =
        sides.split(',').map(str::trim).filter(|side| !side.is_empty()).map(|side| side.parse().ok()).collect();
    match numbers.as_deref() {
        Some([height, width]) => Ok((*height, *width)),
        _ => Err(format!("its shape is ({sides}); rows and columns are read")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `numpy.save` of version 1 writes.
    fn file(header: &str, values: &[f32]) -> Vec<u8> {
        let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes(), &values].concat()
    }

    #[test]
    fn an_array_of_numpy_is_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";
        let values = [1.0, 2.0, f32::INFINITY, 4.0, 5.0, 6.5];
        assert_eq!(decode_npy(&file(header, &values)), Ok((3, 2, values.to_vec())));
    }

    #[test]
    fn what_is_something_else_is_told() {
        let told = |header: &str| decode_npy(&file(header, &[0.0; 6])).unwrap_err();
        let header = |kind: &str, order: &str, shape: &str| {
            format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
        };
        assert!(told(&header("<f8", "False", "(2, 3)")).contains("float32"));
        assert!(told(&header("<f4", "True", "(2, 3)")).contains("columns"));
        assert!(told(&header("<f4", "False", "(1, 2, 3)")).contains("shape"));
        assert!(told(&header("<f4", "False", "(2, 4)")).contains("24 bytes"));
        assert!(told(&header("<f4", "False", "(99999999999, 99999999999)")).contains("bytes"));
        assert!(told("{}").contains("descr"));
        assert!(decode_npy(b"P5 3 2").is_err());
        let whole = file(&header("<f4", "False", "(2, 3)"), &[0.0; 6]);
        assert!((0..whole.len()).all(|length| decode_npy(&whole[..length]).is_err()));
    }
}
