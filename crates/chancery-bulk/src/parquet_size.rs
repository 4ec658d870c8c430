//! How large the rows of a Parquet file are once they are read: texts that stand in a dictionary are there once in the file,
//! and in memory for each row, so that some hundred bytes can become gigabytes.

use std::{fs::File, sync::Arc};

use parquet::{
    basic::Type,
    column::page::{Page, PageReader as _},
    errors::ParquetError,
    file::{
        metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData},
        serialized_reader::SerializedPageReader,
    },
};

use crate::input::ROW_MAX;

/// Groups of fewer rows say less of how large rows are: what is there once in each group counts for as many.
const ROWS_TELLING: i64 = 1024;

/// A dictionary with texts that are longer is taken for one that all rows have the longest text of.
const LONG: usize = 4_096;

/// Bytes of a row of the group, about.
pub(crate) fn of_group(file: &File, group: &RowGroupMetaData) -> Result<i64, ParquetError> {
    let mut bytes = 0_i64;
    for column in group.columns() {
        let of_dictionary = if is_told(column) { 0 } else { of_dictionary(file, group, column)? };
        bytes = bytes.saturating_add(of_footer(column).max(column.num_values().saturating_mul(of_dictionary)));
    }
    Ok(bytes / group.num_rows().max(ROWS_TELLING))
}

/// Refuses what would be as much in memory whatever is done, before anything is written.
pub(crate) fn check(metadata: &ParquetMetaData) -> Result<(), String> {
    let of_row = |group: &RowGroupMetaData| {
        group.columns().iter().map(of_footer).fold(0, i64::saturating_add) / group.num_rows().max(1)
    };
    let row_max = i64::try_from(ROW_MAX).unwrap_or(i64::MAX);
    let too_large = metadata.row_groups().iter().map(of_row).find(|bytes| *bytes > row_max);
    too_large.map_or(Ok(()), |bytes| {
        Err(format!("its rows have {} MiB each; a row has at most {} MiB", bytes >> 20, ROW_MAX >> 20))
    })
}

/// Bytes of a column as the footer has them: as they stand in the file, or as they are read, where whoever wrote it says so.
fn of_footer(column: &ColumnChunkMetaData) -> i64 {
    column.uncompressed_size().max(column.unencoded_byte_array_data_bytes().unwrap_or_default()).max(0)
}

fn is_told(column: &ColumnChunkMetaData) -> bool {
    column.unencoded_byte_array_data_bytes().is_some()
        || column.column_type() != Type::BYTE_ARRAY
        || column.dictionary_page_offset().is_none()
}

/// Bytes of a text of the column's dictionary.
fn of_dictionary(file: &File, group: &RowGroupMetaData, column: &ColumnChunkMetaData) -> Result<i64, ParquetError> {
    let rows = usize::try_from(group.num_rows()).unwrap_or_default();
    let mut pages = SerializedPageReader::new(Arc::new(file.try_clone()?), column, rows, None)?;
    Ok(match pages.get_next_page()? {
        Some(Page::DictionaryPage { buf, .. }) => i64::try_from(of_texts(&buf)).unwrap_or(i64::MAX),
        Some(Page::DataPage { .. } | Page::DataPageV2 { .. }) | None => 0,
    })
}

/// The mean of texts that stand there as the format has them plain, each behind its length; where there are long ones, the
/// longest.
fn of_texts(mut plain: &[u8]) -> usize {
    let (mut count, mut bytes, mut longest) = (0_usize, 0_usize, 0_usize);
    while let Some((length, rest)) = plain.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(rest) = rest.get(length..) else { break };
        (count, bytes, longest, plain) = (count + 1, bytes + length, longest.max(length), rest);
    }
    if longest > LONG { longest } else { bytes / count.max(1) }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use parquet::{
        arrow::ArrowWriter,
        file::{properties::WriterProperties, reader::FileReader as _, serialized_reader::SerializedFileReader},
    };

    use super::*;

    /// What is said of a file of so many rows of one text, which stands in it once; with its footer telling of it, or not.
    fn repeated(folder: &Path, bytes: usize, rows: usize, tells: bool) -> (i64, Result<(), String>) {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["4".repeat(bytes); rows]));
        let rows = RecordBatch::try_from_iter([("pan", texts)]).unwrap();
        let properties = WriterProperties::builder().build();
        let mut writer = ArrowWriter::try_new(Vec::new(), rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        let path = folder.join("repeated.parquet");
        fs::write(&path, writer.into_inner().unwrap()).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 16_000_000);
        let file = File::open(&path).unwrap();
        let metadata = SerializedFileReader::new(file.try_clone().unwrap()).unwrap().metadata().clone();
        let group = metadata.row_group(0);
        if tells {
            return (of_group(&file, group).unwrap(), check(&metadata));
        }
        let columns = group
            .columns()
            .iter()
            .map(|column| column.clone().into_builder().set_unencoded_byte_array_data_bytes(None).build().unwrap());
        let group = group.clone().into_builder().set_column_metadata(columns.collect()).build().unwrap();
        let of_group = of_group(&file, &group).unwrap();
        (of_group, check(&ParquetMetaData::new(metadata.file_metadata().clone(), vec![group])))
    }

    #[test]
    fn rows_are_as_large_as_in_memory_however_small_the_file_is() {
        let folder = tempfile::tempdir().unwrap();
        for tells in [true, false] {
            let (bytes, checked) = repeated(folder.path(), 60_000, 2_000, tells);
            assert!((60_000..61_000).contains(&bytes) && checked.is_ok(), "{bytes}");
            let (bytes, checked) = repeated(folder.path(), 16, 20_000, tells);
            assert!((16..32).contains(&bytes) && checked.is_ok(), "{bytes}");
        }
        let (_, checked) = repeated(folder.path(), 5 << 20, 3, true);
        assert_eq!(checked.unwrap_err(), "its rows have 5 MiB each; a row has at most 4 MiB");
    }

    #[test]
    fn a_dictionary_counts_with_its_mean_or_with_what_is_long() {
        let plain = |texts: &[&str]| -> Vec<u8> {
            texts.iter().flat_map(|text| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()).collect()
        };
        let long = "x".repeat(LONG + 1);
        for (texts, expected) in [(&["a", "bcd"][..], 2), (&[], 0), (&["", &long], LONG + 1)] {
            assert_eq!(of_texts(&plain(texts)), expected);
        }
        // What is cut is damaged, and said to be so where it is read.
        assert_eq!(of_texts(&plain(&["ab", "c"])[..9]), 2);
    }
}
