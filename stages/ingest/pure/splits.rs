//! Which split each recording belongs to, so that no leak group is ever in two.

use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::project::{SplitConflict, SplitMode};
use uavgen_core::{ConfigError, SplitConfig, config};

/// In lists: leave the recording out.
const LEFT_OUT: &str = "none";
/// Groups that a message lists before it breaks off.
const LISTED: usize = 10;

/// A recording or still, before it has a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Name of the source.
    pub(crate) source: String,
    /// Sequence or image stem.
    pub(crate) name: String,
    /// Leak group by name or folder, before aliases.
    pub(crate) own_group: String,
    /// Leak group, see [`aliased`].
    pub(crate) group: String,
    /// Split that the source puts it into.
    pub(crate) source_split: String,
    /// Whether there is an image. Annotations alone leak nothing: they neither cause a conflict nor need a line in a list.
    pub(crate) has_images: bool,
}

/// What becomes of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Assigned {
    /// It belongs to this split.
    To(String),
    /// Its group is kept in another split.
    Dropped {
        /// Split that the source puts it into.
        from: String,
        /// Split that keeps the group.
        kept_in: String,
    },
    /// The list leaves it out.
    LeftOut,
}

/// Leak group of a name. VisDrone's names start with the place, the same for stills (`0000086_…`) and sequences
/// (`uav0000086_…`), which share their origin; of any other name nothing is known, and it is a group of its own.
pub(crate) fn plain_group(name: &str) -> String {
    format!("visdrone:{}", place_number(name).unwrap_or(name))
}

/// A line for each alias that names no group there is: it joins nothing, and a place may be in two splits.
pub(crate) fn idle_aliases(members: &[Member], aliases: &BTreeMap<String, String>) -> Vec<String> {
    let groups: BTreeSet<&str> = members.iter().map(|member| member.own_group.as_str()).collect();
    let known: Vec<&str> = groups.into_iter().chain(aliases.values().map(String::as_str)).collect();
    let idle = aliases.keys().filter(|alias| !known.contains(&alias.as_str()));
    let line = |alias: &String| {
        let meant = config::nearest(alias, &known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        format!("[split.aliases] `{alias}`: no recording is of this group{meant}")
    };
    idle.map(line).collect()
}

/// Leak group of a recording that is no annotated one of VisDrone: that of the place where its name starts as those of
/// VisDrone's sequences do (`uav0000086_…`), else `<source>:<what>`.
pub(crate) fn group_of_source(source: &str, name: &str, what: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let is_visdrone = file.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("uav")) && file.contains('_');
    match place_number(file).filter(|_| is_visdrone) {
        Some(_) => plain_group(file),
        None => format!("{source}:{what}"),
    }
}

/// A leak group once aliases are followed to their end.
///
/// # Errors
/// Aliases that lead in a circle.
pub(crate) fn aliased(own_group: &str, aliases: &BTreeMap<String, String>) -> Result<String, ConfigError> {
    let mut group = own_group.to_owned();
    for _ in 0..=aliases.len() {
        match aliases.get(&group) {
            Some(other) if *other != group => group.clone_from(other),
            _ => return Ok(group),
        }
    }
    let message = format!("`{group}` leads back to itself");
    Err(ConfigError::new(&["split", "aliases"], message).with_hint("let every alias end at a group that is no alias"))
}

/// First part of a VisDrone name: `uav0000086` of `uav0000086_00000_v`; any other name whole.
pub(crate) fn place_of(name: &str) -> &str {
    name.split('_').next().filter(|_| place_number(name).is_some()).unwrap_or(name)
}

/// Number of the place that a VisDrone name starts with.
fn place_number(name: &str) -> Option<&str> {
    let place = name.split('_').next()?;
    let digits = place.strip_prefix("uav").or_else(|| place.strip_prefix("UAV")).unwrap_or(place);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// Whether a name can be a split: it becomes a split of a Hugging Face data set, where `all` stands for all of them.
pub(crate) fn is_split_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name != "all" && name.bytes().all(allowed)
}

/// The split of every member, and lines that a person should know.
///
/// # Errors
/// A group in two splits, a member that the list does not name, a ratio or split name that cannot be used.
pub(crate) fn assign(
    members: &[Member],
    config: &SplitConfig,
    list: &BTreeMap<String, String>,
) -> Result<(Vec<Assigned>, Vec<String>), ConfigError> {
    match config.mode {
        SplitMode::Source => by_source(members, config.on_conflict),
        SplitMode::Regroup => Ok((by_hash(members, config)?, Vec::from_iter(placeless(members)))),
        SplitMode::List => by_list(members, list),
    }
}

fn by_source(members: &[Member], on_conflict: SplitConflict) -> Result<(Vec<Assigned>, Vec<String>), ConfigError> {
    let splits: Vec<Option<String>> = members.iter().map(|member| Some(member.source_split.clone())).collect();
    let conflicts = conflicts(members, &splits);
    if !conflicts.is_empty() && on_conflict == SplitConflict::Error {
        return Err(conflict_error(members, &splits, &conflicts, &["split", "on_conflict"]).with_hint(
            "choose in [split]: on_conflict = \"drop\" keeps only the split held out furthest; mode = \"regroup\" draws all \
             splits anew; mode = \"list\" takes them from a file",
        ));
    }
    let kept: BTreeMap<&str, &str> = conflicts
        .iter()
        .filter_map(|(group, splits)| {
            Some((*group, splits.iter().copied().max_by_key(|split| (held_out(split), *split))?))
        })
        .collect();
    let assigned = members.iter().map(|member| match kept.get(member.group.as_str()) {
        Some(&kept_in) if kept_in != member.source_split => {
            Assigned::Dropped { from: member.source_split.clone(), kept_in: kept_in.to_owned() }
        }
        _ => Assigned::To(member.source_split.clone()),
    });
    let assigned: Vec<Assigned> = assigned.collect();
    let is_dropped =
        |(member, one): &(&Member, &Assigned)| member.has_images && matches!(one, Assigned::Dropped { .. });
    let dropped = members.iter().zip(&assigned).filter(is_dropped).count();
    let note = format!(
        "{} leak groups are in two splits of the source; {dropped} recordings of them are dropped (split.on_conflict)",
        kept.len()
    );
    Ok((assigned, if dropped > 0 { vec![note] } else { Vec::new() }))
}

/// How far a split is held out: test over val over any other over train.
fn held_out(split: &str) -> u8 {
    match split {
        "train" => 0,
        "val" => 2,
        "test" => 3,
        "test_challenge" => 4,
        _ => 1,
    }
}

fn by_hash(members: &[Member], config: &SplitConfig) -> Result<Vec<Assigned>, ConfigError> {
    if let Some(name) = config.ratios.keys().find(|name| !is_split_name(name)) {
        return Err(bad_split_name(name, &["split", "ratios", name]));
    }
    let last = config.ratios.iter().rev().find(|(_, share)| **share > 0.0).map(|(name, _)| name);
    let last = last.ok_or_else(|| {
        ConfigError::new(&["split", "ratios"], "no split has a share above 0")
            .with_hint("such as { train = 0.8, val = 0.2 }")
    })?;
    Ok(members.iter().map(|member| Assigned::To(drawn(&member.group, config, last).to_owned())).collect())
}

/// What to look at before groups are drawn apart: names that do not tell which recordings show one place.
fn placeless(members: &[Member]) -> Option<String> {
    let names: Vec<String> = members
        .iter()
        .filter(|member| member.has_images && is_named_after_itself(member))
        .map(|member| format!("{}/{}", member.source, member.name))
        .collect();
    let note = format!(
        "{} names tell no place as VisDrone's do, so each is a leak group of its own; join those of one place under \
         [split.aliases]: {}",
        names.len(),
        listed(&names)
    );
    (names.len() > 1).then_some(note)
}

/// Whether the leak group of a recording is nothing but its name.
fn is_named_after_itself(member: &Member) -> bool {
    let group = member.own_group.split_once(':').map_or("", |(_, group)| group);
    group == member.name && place_number(&member.name).is_none()
}

/// Split of a group: its salted hash, as a number from 0 to 1, falls into the share of one split.
fn drawn<'a>(group: &str, config: &'a SplitConfig, last: &'a str) -> &'a str {
    let mut hasher = blake3::Hasher::new_derive_key("uavgen split of a leak group");
    hasher.update(config.salt.as_bytes()).update(&[0]).update(group.as_bytes());
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    let point = (u64::from_le_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64;
    let mut below = 0.0;
    for (name, share) in &config.ratios {
        below += share;
        if point < below {
            return name;
        }
    }
    last
}

fn by_list(members: &[Member], list: &BTreeMap<String, String>) -> Result<(Vec<Assigned>, Vec<String>), ConfigError> {
    if let Some(name) = list.values().find(|name| !is_split_name(name)) {
        return Err(bad_split_name(name, &["split", "list"]));
    }
    let mut used = BTreeSet::new();
    let splits: Vec<Option<String>> = members
        .iter()
        .map(|member| {
            let recording_id = format!("{}/{}", member.source, member.name);
            let key =
                [recording_id.as_str(), &member.name, &member.group].into_iter().find(|key| list.contains_key(*key))?;
            used.insert(key.to_owned());
            list.get(key).cloned()
        })
        .collect();
    let missing: Vec<String> = members
        .iter()
        .zip(&splits)
        .filter(|(member, split)| split.is_none() && member.has_images)
        .map(|(member, _)| format!("{}/{} ({})", member.source, member.name, member.group))
        .collect();
    if !missing.is_empty() {
        let message = format!("{} recordings are not in the list: {}", missing.len(), listed(&missing));
        return Err(ConfigError::new(&["split", "list"], message)
            .with_hint("add a line `group_or_recording,split` for each; the split `none` leaves one out"));
    }
    let conflicts = conflicts(members, &splits);
    if !conflicts.is_empty() {
        return Err(conflict_error(members, &splits, &conflicts, &["split", "list"])
            .with_hint("give all recordings of a group one split, or leave the others out with the split `none`"));
    }
    let unused: Vec<String> = list.keys().filter(|key| !used.contains(*key)).cloned().collect();
    let mut notes = Vec::new();
    if !unused.is_empty() {
        notes.push(format!("{} lines of the split list fit no recording: {}", unused.len(), listed(&unused)));
    }
    let assigned: Vec<Assigned> = splits
        .into_iter()
        .map(|split| split.filter(|split| split != LEFT_OUT).map_or(Assigned::LeftOut, Assigned::To))
        .collect();
    let is_left_out = |(member, one): &(&Member, &Assigned)| member.has_images && **one == Assigned::LeftOut;
    let left_out = members.iter().zip(&assigned).filter(is_left_out).count();
    if left_out > 0 {
        notes.push(format!("the split list leaves out {left_out} recordings"));
    }
    Ok((assigned, notes))
}

/// Groups with members in two splits or more.
fn conflicts<'a>(members: &'a [Member], splits: &'a [Option<String>]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut groups: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (member, split) in members.iter().zip(splits) {
        if let Some(split) = split.as_deref().filter(|split| *split != LEFT_OUT && member.has_images) {
            groups.entry(&member.group).or_default().insert(split);
        }
    }
    groups.retain(|_, splits| splits.len() > 1);
    groups
}

fn conflict_error(
    members: &[Member],
    splits: &[Option<String>],
    conflicts: &BTreeMap<&str, BTreeSet<&str>>,
    path: &[&str],
) -> ConfigError {
    let example = |group: &str, wanted: &str| {
        let of_split = members
            .iter()
            .zip(splits)
            .filter(|(member, split)| member.group == group && split.as_deref() == Some(wanted));
        let names: Vec<String> = of_split.map(|(member, _)| format!("{}/{}", member.source, member.name)).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!("{wanted}: {one}"),
            [first, rest @ ..] => format!("{wanted}: {first} and {} more", rest.len()),
        }
    };
    let lines: Vec<String> = conflicts
        .iter()
        .map(|(group, splits)| {
            let sides: Vec<String> = splits.iter().map(|split| example(group, split)).collect();
            format!("{group} ({})", sides.join("; "))
        })
        .collect();
    let message = format!("{} leak groups are in two splits: {}", lines.len(), listed(&lines));
    ConfigError::new(path, message)
}

/// The first of many names, and how many more there are.
pub(crate) fn listed(lines: &[String]) -> String {
    let shown = lines[..lines.len().min(LISTED)].join(", ");
    if lines.len() > LISTED { format!("{shown}, … ({} more)", lines.len() - LISTED) } else { shown }
}

/// The error for a split name that no data set can have.
pub(crate) fn bad_split_name(name: &str, path: &[&str]) -> ConfigError {
    ConfigError::new(path, format!("`{name}` cannot be the name of a split"))
        .with_hint("use lower-case letters, digits and `_`, such as train, val or test; `all` means every split")
}
