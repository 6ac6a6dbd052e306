//! A parallel map on plain threads.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

/// Applies `each` to every item on up to `threads` threads; results come in the order of the items. Threads take items
/// one by one: ten of them may be ten films of 20 GB. Where the system gives no more threads, those at hand do the work.
///
/// # Panics
/// When `each` panics.
pub fn map<I: Sync, T: Send>(threads: usize, items: &[I], each: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let threads = threads.min(items.len());
    if threads <= 1 {
        return items.iter().map(each).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(position) else { return done };
            done.push((position, each(item)));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, work).ok());
        let workers: Vec<_> = workers.collect();
        let own = work();
        // A panic in a worker is a panic of the caller.
        let others = workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        own.into_iter().chain(others).collect()
    });
    done.sort_unstable_by_key(|(position, _)| *position);
    done.into_iter().map(|(_, result)| result).collect()
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

    #[test]
    fn few_items_are_shared_by_all_threads() {
        // Each waits for the other: on one thread this would not end.
        let barrier = std::sync::Barrier::new(2);
        assert_eq!(map(2, &[1, 2], |item| (barrier.wait(), *item).1), [1, 2]);
    }
}
