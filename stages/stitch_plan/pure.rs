//! Clips in, groups out. All choices are hashes of the seed and of what is chosen for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use uavgen_core::Draw;
use uavgen_core::draw::content_id;
use uavgen_schemas::{Clip, ClipSegment, Reject, StitchGroup, Video};

/// What two videos must share so that packets of one can follow those of the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Encoding {
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) gop_frames: i64,
    pub(super) crf: i64,
    pub(super) preset: String,
}

/// A clip that is to be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) clip_id: String,
    /// Leak groups of its recording.
    pub(super) places: Vec<String>,
    /// Where it was cut out: names it whatever it was encoded with.
    pub(super) key: String,
    /// Frames per second, as a fraction.
    pub(super) fps: (i64, i64),
    pub(super) encoding: Encoding,
}

impl Member {
    pub(super) fn of(clip: &Clip, segment: &ClipSegment, video: &Video) -> Self {
        Self {
            clip_id: clip.clip_id.clone(),
            places: clip.group_ids.clone(),
            key: format!("{} {}+{}", segment.recording_id, segment.video_first_frame, segment.frame_count),
            fps: (clip.fps_num, clip.fps_den),
            encoding: Encoding {
                width: video.width,
                height: video.height,
                gop_frames: video.gop_frames,
                crf: video.crf,
                preset: video.preset.clone(),
            },
        }
    }
}

/// Clips that are to be joined, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group(pub(super) Vec<Member>);

impl Group {
    fn alike(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0].encoding == pair[1].encoding)
    }

    pub(super) fn row(&self, split: &str) -> StitchGroup {
        let clip_ids: Vec<String> = self.0.iter().map(|member| member.clip_id.clone()).collect();
        let size = |member: &Member| (member.encoding.width, member.encoding.height);
        let (width, height) =
            self.0.iter().map(size).max_by_key(|&(width, height)| (width * height, width)).unwrap_or_default();
        let id_parts: Vec<&str> = ["stitch"].into_iter().chain(clip_ids.iter().map(String::as_str)).collect();
        StitchGroup {
            stitch_id: content_id(&id_parts),
            split: split.to_owned(),
            alike: self.alike(),
            width,
            height,
            clip_ids,
        }
    }
}

/// What is to be joined, and what is not.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    pub(super) left_over: Vec<Reject>,
}

/// Groups the clips of a bucket. `counts` are the wanted numbers of clips, ascending: they take turns, so that at any time each
/// number was made as often as the others, or once more.
pub(super) fn plan(counts: &[u32], members: Vec<Member>, draw: &Draw) -> Plan {
    let mut by_rate: BTreeMap<(i64, i64), Vec<Member>> = BTreeMap::new();
    members.into_iter().for_each(|member| by_rate.entry(member.fps).or_default().push(member));
    let mut plan = Plan::default();
    for members in by_rate.into_values() {
        let turns = turns(counts, members.len());
        let mut left = draw.shuffled(members, &["stitch"], |member| member.key.clone());
        let mut turns = turns.into_iter().peekable();
        while let Some(count) = turns.next_if(|&count| places(&left).len() >= count) {
            plan.groups.push(take_group(&mut left, count, draw));
        }
        let needed = turns.next().unwrap_or_else(|| counts.first().map_or(2, |&count| count as usize));
        let found = places(&left).len();
        plan.left_over.extend(left.into_iter().map(|member| left_over(&member, found, needed)));
    }
    plan
}

/// Numbers of clips of the videos that so many clips make: whole turns, and from what is then left whatever uses most of it.
fn turns(counts: &[u32], clips: usize) -> Vec<usize> {
    let counts: Vec<usize> = counts.iter().map(|&count| count as usize).collect();
    let turn: usize = counts.iter().sum();
    let rest = clips % turn.max(1);
    // As many bits as counts, at most 15.
    let subset = |bits: u32| -> Vec<usize> {
        counts.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, &count)| count).collect()
    };
    let sum = |bits: &u32| subset(*bits).iter().sum::<usize>();
    let best =
        (0..1_u32 << counts.len()).filter(|bits| sum(bits) <= rest).max_by_key(|bits| (sum(bits), Reverse(*bits)));
    let whole = (0..clips / turn.max(1)).flat_map(|_| counts.iter().copied());
    whole.chain(subset(best.unwrap_or(0))).collect()
}

fn places(members: &[Member]) -> BTreeSet<&[String]> {
    members.iter().map(|member| member.places.as_slice()).collect()
}

/// Takes a group out of the clips that are left: of one encoding where enough places have clips of it, of that with most
/// clips; else of any.
fn take_group(left: &mut Vec<Member>, count: usize, draw: &Draw) -> Group {
    let mut by_encoding: BTreeMap<&Encoding, Vec<&Member>> = BTreeMap::new();
    left.iter().for_each(|member| by_encoding.entry(&member.encoding).or_default().push(member));
    let enough =
        |members: &Vec<&Member>| members.iter().map(|member| &member.places).collect::<BTreeSet<_>>().len() >= count;
    let alike = by_encoding.into_iter().filter(|(_, members)| enough(members));
    let alike = alike.max_by_key(|(encoding, members)| (members.len(), Reverse(*encoding))).map(|(_, members)| members);
    let chosen = one_per_place(&alike.unwrap_or_else(|| left.iter().collect()), count);
    let taken: Vec<Member> = left.extract_if(.., |member| chosen.contains(&member.clip_id)).collect();
    let mut keys: Vec<&str> = taken.iter().map(|member| member.key.as_str()).collect();
    keys.sort_unstable();
    let purpose = format!("order {}", keys.join("\n"));
    Group(draw.shuffled(taken, &[purpose.as_str()], |member| member.key.clone()))
}

/// Ids of clips of different places, of those with most clips first: so that the last ones still find others.
fn one_per_place(members: &[&Member], count: usize) -> BTreeSet<String> {
    let mut by_place: BTreeMap<&[String], (usize, usize)> = BTreeMap::new();
    for (rank, member) in members.iter().enumerate() {
        by_place.entry(&member.places).or_insert((0, rank)).0 += 1;
    }
    let mut firsts: Vec<(usize, usize)> = by_place.into_values().collect();
    firsts.sort_by_key(|&(clips, rank)| (Reverse(clips), rank));
    firsts.into_iter().take(count).map(|(_, rank)| members[rank].clip_id.clone()).collect()
}

fn left_over(member: &Member, places: usize, needed: usize) -> Reject {
    let detail = format!(
        "{}: places of which clips are left in its bucket: {places}, needed for the next video: {needed}; fewer `buckets` leave less over",
        member.key
    );
    Reject::rule(&member.clip_id, "left_over", detail).measured(places as f64, needed as f64)
}
