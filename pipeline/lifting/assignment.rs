//! Optimal assignment.

/// For each row the column that it is given, so that the sum of the costs is least; `None` for a row that is given none
/// because every column that is left would cost `limit` or more.
///
/// The shortest augmenting paths of Jonker and Volgenant, 1987, with one more column for each row that costs `limit`.
/// O(n² m) for n rows and m columns. Costs are row by row and must not be NaN; infinite ones are never taken. Of
/// equally good assignments the same one is found each time.
///
/// ```
/// use uavgen_lifting::assign;
/// // The greedy choice, 1 and 9, costs more than 2 and 3.
/// assert_eq!(assign(&[1.0, 2.0, 3.0, 9.0], 2, 2, 10.0), [Some(1), Some(0)]);
/// assert_eq!(assign(&[1.0, 2.0, 3.0, 9.0], 2, 2, 2.5), [Some(0), None]);
/// ```
pub fn assign(costs: &[f64], rows: usize, columns: usize, limit: f64) -> Vec<Option<usize>> {
    debug_assert_eq!(costs.len(), rows * columns, "one cost per pair");
    let cost = |row: usize, column: usize| match costs.get(row * columns + column) {
        Some(cost) if column < columns => cost.min(limit),
        _ => limit,
    };
    let width = columns + rows;
    // Row of each column, by number + 1; the last place is the row that is being given a column.
    let mut row_of = vec![0; width + 1];
    let (mut row_price, mut column_price) = (vec![0.0; rows + 1], vec![0.0; width + 1]);
    for row in 1..=rows {
        row_of[width] = row;
        let mut shortest = vec![f64::INFINITY; width];
        let mut came_from = vec![width; width];
        let mut is_done = vec![false; width + 1];
        let mut column = width;
        while row_of[column] != 0 {
            is_done[column] = true;
            let (mut step, mut next) = (f64::INFINITY, width);
            for other in (0..width).filter(|other| !is_done[*other]) {
                let reduced = cost(row_of[column] - 1, other) - row_price[row_of[column]] - column_price[other];
                if reduced < shortest[other] {
                    (shortest[other], came_from[other]) = (reduced, column);
                }
                if shortest[other] < step {
                    (step, next) = (shortest[other], other);
                }
            }
            for other in 0..=width {
                if is_done[other] {
                    row_price[row_of[other]] += step;
                    column_price[other] -= step;
                } else {
                    shortest[other] -= step;
                }
            }
            column = next;
        }
        while column != width {
            row_of[column] = row_of[came_from[column]];
            column = came_from[column];
        }
    }
    let mut column_of = vec![None; rows];
    for (column, row) in row_of[..columns].iter().enumerate().filter(|(_, row)| **row > 0) {
        if cost(row - 1, column) < limit {
            column_of[row - 1] = Some(column);
        }
    }
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Least sum over all ways, by trying them.
    fn least(costs: &[f64], rows: usize, columns: usize, limit: f64, taken: u32) -> f64 {
        let Some(rest) = rows.checked_sub(1) else { return 0.0 };
        let row = &costs[..columns];
        let without = limit + least(&costs[columns..], rest, columns, limit, taken);
        let free = (0..columns).filter(|column| taken >> column & 1 == 0);
        let with = free.map(|column| row[column] + least(&costs[columns..], rest, columns, limit, taken | 1 << column));
        with.fold(without, f64::min)
    }

    #[test]
    fn nothing_to_assign_is_no_fault() {
        assert!(assign(&[], 0, 0, 1.0).is_empty());
        assert_eq!(assign(&[], 2, 0, 1.0), [None, None]);
        assert!(assign(&[], 0, 3, 1.0).is_empty());
        assert_eq!(assign(&[f64::INFINITY, 0.5], 1, 2, 1.0), [Some(1)]);
    }

    proptest! {
        #[test]
        fn no_other_way_costs_less(rows in 1..5usize, columns in 1..6usize, costs in prop::collection::vec(0..20u32, 25)) {
            let costs: Vec<f64> = costs[..rows * columns].iter().map(|cost| f64::from(*cost)).collect();
            let found = assign(&costs, rows, columns, 12.0);
            let mut taken: Vec<usize> = found.iter().flatten().copied().collect();
            let sum: f64 = (0..rows).map(|row| found[row].map_or(12.0, |column| costs[row * columns + column])).sum();
            prop_assert_eq!(sum, least(&costs, rows, columns, 12.0, 0));
            taken.sort_unstable();
            taken.dedup();
            prop_assert_eq!(taken.len(), found.iter().flatten().count());
        }
    }
}
