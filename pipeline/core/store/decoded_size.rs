//! How many bytes rows take once decoded, as a reader of Parquet holds them in Arrow.
//!
//! `arrow` has the same figure for whole arrays only: for a slice of a list column it counts all elements of the list, so
//! a few rows with images would look as large as the whole batch.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::DataType;

/// Decoded bytes of `count` rows from `start`: values, offsets and validity, an image once per row that holds it.
pub(super) fn decoded_bytes(batch: &RecordBatch, start: usize, count: usize) -> usize {
    batch.columns().iter().map(|column| array_bytes(column.as_ref(), start, count)).sum()
}

fn array_bytes(array: &dyn Array, start: usize, count: usize) -> usize {
    let validity = if array.nulls().is_some() { count.div_ceil(8) } else { 0 };
    let values = match array.data_type() {
        DataType::Boolean => count.div_ceil(8),
        DataType::Utf8 => spread(array.as_string::<i32>().value_offsets(), start, count).1 + offset_bytes(count),
        DataType::Binary => spread(array.as_binary::<i32>().value_offsets(), start, count).1 + offset_bytes(count),
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let (first, elements) = spread(list.value_offsets(), start, count);
            offset_bytes(count) + array_bytes(list.values().as_ref(), first, elements)
        }
        DataType::Struct(_) => {
            let columns = array.as_struct().columns().iter();
            columns.map(|column| array_bytes(column.as_ref(), start, count)).sum()
        }
        // Every other type of our records is a number.
        number => number.primitive_width().unwrap_or(0) * count,
    };
    validity + values
}

/// Start and length, in the array of values, of what `count` entries from `start` hold. Offsets never fall.
fn spread(offsets: &[i32], start: usize, count: usize) -> (usize, usize) {
    let (first, end) = (offsets[start] as usize, offsets[start + count] as usize);
    (first, end - first)
}

fn offset_bytes(count: usize) -> usize {
    (count + 1) * size_of::<i32>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{ArrayRef, BinaryArray, BooleanArray, Float64Array, ListArray, StringArray, StructArray};
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::Field;
    use std::sync::Arc;

    fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
        RecordBatch::try_from_iter(columns).unwrap()
    }

    #[test]
    fn numbers_strings_and_nulls_by_hand() {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None, Some(3.0)]));
        let words: ArrayRef = Arc::new(StringArray::from(vec!["a", "bcd", ""]));
        let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
        let batch = batch(vec![("n", numbers), ("w", words), ("f", flags)]);
        // Two numbers and one byte of validity; "bcd" and "" with three offsets; one byte of flags.
        assert_eq!(decoded_bytes(&batch, 1, 2), (16 + 1) + (3 + 12) + 1);
    }

    #[test]
    fn of_a_list_only_the_elements_of_the_rows_count() {
        let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![&[0_u8; 100][..], &[0; 1000], &[0; 10]]));
        let images = StructArray::from(vec![(Arc::new(Field::new("bytes", DataType::Binary, false)), bytes)]);
        let element = Arc::new(Field::new("element", images.data_type().clone(), false));
        let offsets = OffsetBuffer::from_lengths([1, 0, 2]);
        let list: ArrayRef = Arc::new(ListArray::new(element, offsets, Arc::new(images), None));
        let batch = batch(vec![("images", list)]);
        assert_eq!(decoded_bytes(&batch, 0, 1), 8 + (100 + 8));
        assert_eq!(decoded_bytes(&batch, 1, 1), 8 + 4);
        assert_eq!(decoded_bytes(&batch, 2, 1), 8 + (1010 + 12));
        assert_eq!(decoded_bytes(&batch.slice(2, 1), 0, 1), decoded_bytes(&batch, 2, 1));
    }
}
