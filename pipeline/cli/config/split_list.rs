//! The file of `split.mode = "list"`: lines `group_or_recording,split`.

use crate::exit::Failure;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the file. Blank lines and lines that start with `#` are skipped; names are trimmed.
///
/// # Errors
/// When it cannot be read, or a line is no pair or contradicts an earlier one.
pub(crate) fn read(file: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("failed to read the split list {}: {error}", file.display())))?;
    parse(&text).map_err(|(line, problem)| {
        Failure::usage(format!("{}:{line}: {problem}", file.display()))
            .with_hint("lines are `group_or_recording,split`")
    })
}

fn parse(text: &str) -> Result<BTreeMap<String, String>, (usize, String)> {
    let mut splits: BTreeMap<String, String> = BTreeMap::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // The split is what follows the last comma: names of recordings may hold commas.
        let pair = line.rsplit_once(',').map(|(name, split)| (name.trim(), split.trim()));
        let Some((name, split)) = pair.filter(|(name, split)| !name.is_empty() && !split.is_empty()) else {
            return Err((number, format!("no split in `{line}`")));
        };
        match splits.insert(name.into(), split.into()) {
            Some(before) if before != split => {
                return Err((number, format!("`{name}` is in split `{before}` and in `{split}`")));
            }
            _ => {}
        }
    }
    Ok(splits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_pairs() {
        let splits = parse("\u{feff}# comment\r\nuav1, train\r\n\r\nvid/a,b,val\nuav1,train\n").unwrap();
        assert_eq!(splits, BTreeMap::from([("uav1".into(), "train".into()), ("vid/a,b".into(), "val".into())]));
    }

    #[test]
    fn bad_lines_are_named() {
        assert_eq!(parse("a,train\nb\n").unwrap_err(), (2, "no split in `b`".into()));
        assert_eq!(parse("a,\n").unwrap_err().0, 1);
        assert_eq!(parse("a,train\na,val\n").unwrap_err(), (2, "`a` is in split `train` and in `val`".into()));
    }
}
