//! Choices by hash: each depends on the seed and on what is chosen for, never on order or on what else there is. And the ids
//! and slots of items, which anyone can compute from an item alone: who asks and who checks do it here.

/// Hash choices under one seed.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    seed: u64,
}

impl Draw {
    /// Choices under the project's seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// 64 bits for a purpose.
    pub fn number(&self, purpose: &[&str]) -> u64 {
        let mut hasher = blake3::Hasher::new_derive_key("uavgen qa draw v1");
        hasher.update(&self.seed.to_le_bytes());
        add_parts(&mut hasher, purpose);
        first_number(&hasher.finalize())
    }

    /// A number from 0 to `count - 1`; 0 when there is nothing to choose from.
    pub fn below(&self, count: usize, purpose: &[&str]) -> usize {
        (self.number(purpose) % (count as u64).max(1)) as usize
    }

    /// Items in the order of their hashes; `key` tells them apart.
    pub fn shuffled<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        purpose: &[&str],
        key: impl Fn(&T) -> String,
    ) -> Vec<T> {
        let rank = |item: &T| {
            let key = key(item);
            (self.number(&[purpose, &[key.as_str()]].concat()), key)
        };
        let mut ranked: Vec<_> = items.into_iter().map(|item| (rank(&item), item)).collect();
        ranked.sort_by(|a, b| a.0.cmp(&b.0));
        ranked.into_iter().map(|(_, item)| item).collect()
    }
}

/// Id of something by its content: 128 bits, hexadecimal.
pub fn content_id(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("uavgen qa id v1");
    add_parts(&mut hasher, parts);
    hasher.finalize().to_hex()[..32].to_owned()
}

/// Id of a question whatever its wording, from its program (canonical JSON) and what it is about: its frames in order, or its
/// clip.
pub fn candidate_id(suite: &str, task: &str, program: &str, about: &[&str]) -> String {
    content_id(&[suite, task, program, &about.join("\n")])
}

/// Id of an item: its question in one of the wordings, by ordinal.
pub fn item_id(candidate_id: &str, wording: u64) -> String {
    content_id(&[candidate_id, &wording.to_string()])
}

/// The slot of the right answer among the options of an item with one.
pub fn right_slot(item_id: &str, options: usize) -> usize {
    (id_number(item_id) % (options as u64).max(1)) as usize
}

/// The number that an id stands for in choices that belong to the item itself (the slot of its answer): no seed, so
/// that anyone can compute it from the id alone.
pub fn id_number(id: &str) -> u64 {
    first_number(&blake3::hash(id.as_bytes()))
}

/// An ordinal below `count`: the one of lowest hash, so that one more takes over only what it then has, and leaves all else
/// as it was.
pub fn lowest(count: usize, name: &str) -> usize {
    (0..count).min_by_key(|ordinal| id_number(&format!("{name}/{ordinal}"))).unwrap_or(0)
}

/// Parts with their lengths, so that no two lists give one text.
fn add_parts(hasher: &mut blake3::Hasher, parts: &[&str]) {
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
}

fn first_number(hash: &blake3::Hash) -> u64 {
    hash.as_bytes().iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}
