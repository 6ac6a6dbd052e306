//! A parallel map on plain threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Items that a thread takes at once: enough to make the counter cheap, few enough to share the work evenly.
const BLOCK: usize = 16;

/// Applies `each` to every item on up to `threads` threads; results come in the order of the items.
pub(crate) fn map<I: Sync, T: Send>(threads: usize, items: &[I], each: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let threads = threads.min(items.len().div_ceil(BLOCK));
    if threads <= 1 {
        return items.iter().map(each).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            let Some(block) = items.get(start..(start + BLOCK).min(items.len())).filter(|block| !block.is_empty())
            else {
                return done;
            };
            done.push((start, block.iter().map(&each).collect::<Vec<T>>()));
        }
    };
    let mut blocks: Vec<(usize, Vec<T>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        // A panic in a worker is a panic of the caller.
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    blocks.sort_unstable_by_key(|(start, _)| *start);
    blocks.into_iter().flat_map(|(_, block)| block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        for threads in [1, 2, 7] {
            assert_eq!(map(threads, &items, |item| item * 3), items.iter().map(|item| item * 3).collect::<Vec<_>>());
        }
        assert!(map(4, &[] as &[usize], |item| *item).is_empty());
    }
}
