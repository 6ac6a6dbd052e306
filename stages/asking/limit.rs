//! Which questions stay where there are too many: by hash ranks, so that leaving one out moves no other.

use uavgen_core::Draw;

/// Splits sets of items into those that stay and those over the limit on their number: the sets of lowest hash rank stay,
/// each as a whole; one that no longer fits makes room for a smaller one. A set of weight w has w ranks and stands at its
/// lowest, which gives it w chances.
pub fn limit<T>(
    draw: &Draw,
    purpose: &str,
    sets: Vec<Vec<T>>,
    limit: u32,
    id: impl Fn(&T) -> &str,
    weight: impl Fn(&T) -> u32,
) -> (Vec<Vec<T>>, Vec<T>) {
    let rank = |set: &Vec<T>| {
        let ids: Vec<&str> = set.iter().map(&id).collect();
        let weight = set.iter().map(&weight).max().unwrap_or(1).max(1);
        let name = ids.concat();
        let ranks = (0..weight).map(|ordinal| draw.number(&[purpose, &name, &ordinal.to_string()]));
        (ranks.min().unwrap_or(u64::MAX), name)
    };
    let mut ranked = sets;
    ranked.sort_by_cached_key(rank);
    let mut room = limit as usize;
    let (mut kept, mut over) = (Vec::new(), Vec::new());
    for set in ranked {
        if set.len() <= room {
            room -= set.len();
            kept.push(set);
        } else {
            over.extend(set);
        }
    }
    (kept, over)
}
