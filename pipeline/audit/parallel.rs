//! Work on a list by several threads, results in the order of the list.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `work` on every item; the results come in the order of the items, whatever the threads do.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], threads: NonZeroUsize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.get().min(items.len()) {
            scope.spawn(|| {
                loop {
                    let position = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(position) else { return };
                    let result = work(item);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((position, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..100).collect();
        for threads in [1, 3, 200] {
            let doubled = map(&items, NonZeroUsize::new(threads).unwrap(), |item| item * 2);
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
        assert!(map(&[] as &[u8], NonZeroUsize::MIN, |_| ()).is_empty());
    }
}
