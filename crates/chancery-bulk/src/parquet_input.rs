//! What is read of a Parquet file. The library takes the footer for granted, so its places are looked at first.

use std::{
    fs::File,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::{
    arrow::arrow_reader::{
        ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
    },
    basic::Compression,
    file::metadata::ParquetMetaData,
};

use crate::{
    error::{BulkError, OfFile as _, Result},
    parquet_size,
    parquet_texts::is_of_texts,
};

/// Bytes of a part, about, as they are in memory: several of them are there at a time.
const PART: i64 = 8 << 20;

/// Rows of a part.
const ROWS_MAX: i64 = 64 * 1024;

/// What is read, with a footer whose places are in it.
pub(crate) struct Input<'a> {
    pub(crate) path: &'a Path,
    file: File,
    metadata: ArrowReaderMetadata,
    fewer_rows: Option<usize>,
}

/// Rows that were read.
pub(crate) struct Part {
    pub(crate) rows: RecordBatch,
    /// How many rows are before them.
    pub(crate) start: u64,
}

/// Reads one row group after the other, each in parts of so many rows: so the parts are the same wherever one begins.
pub(crate) struct Parts<'a> {
    input: &'a Input<'a>,
    group: usize,
    reader: Option<ParquetRecordBatchReader>,
    skip: usize,
    start: u64,
}

impl<'a> Input<'a> {
    /// `fewer_rows`: of a part at most, where that is less than usual.
    /// `texts`: columns that are read as texts also where whoever wrote them keeps them as categories, which is a hint for
    /// readers: in the file they are texts.
    pub(crate) fn open(path: &'a Path, texts: &[&str], fewer_rows: Option<usize>) -> Result<Self> {
        let file = File::open(path).of(path)?;
        let mut metadata = guarded(path, || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()))?;
        if let Some(schema) = without_categories(metadata.schema(), texts) {
            let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
            metadata = guarded(path, || ArrowReaderMetadata::load(&file, options))?;
        }
        refuse_categories(metadata.schema())?;
        let bytes = file.metadata().of(path)?.len();
        check_footer(metadata.metadata(), bytes).map_err(|why| damaged(path, &why))?;
        let refused = |why| BulkError::Job(format!("{}: {why}", path.display()));
        check_codecs(metadata.metadata()).and_then(|()| parquet_size::check(metadata.metadata())).map_err(refused)?;
        Ok(Self { path, file, metadata, fewer_rows })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    pub(crate) fn metadata(&self) -> &ParquetMetaData {
        self.metadata.metadata()
    }

    /// Rows of a part of a group: of about the same size whatever is in a row.
    fn part_rows(&self, group: usize) -> Result<usize> {
        let of_group = guarded(self.path, || parquet_size::of_group(&self.file, self.metadata().row_group(group)))?;
        let rows = (PART / of_group.max(1)).clamp(1, ROWS_MAX);
        let rows = usize::try_from(rows).unwrap_or(1);
        Ok(self.fewer_rows.map_or(rows, |fewer| rows.min(fewer)))
    }

    /// From a row on.
    pub(crate) fn read(&'a self, start: u64) -> Result<Parts<'a>> {
        let mut skip = start;
        let mut group = 0;
        for metadata in self.metadata().row_groups() {
            let rows = metadata.num_rows().unsigned_abs();
            if skip < rows {
                break;
            }
            (skip, group) = (skip - rows, group + 1);
        }
        let skip = usize::try_from(skip).map_err(|_| BulkError::Damaged("too many rows".to_owned()))?;
        Ok(Parts { input: self, group, reader: None, skip, start })
    }
}

impl Parts<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<Part>> {
        loop {
            if let Some(reader) = &mut self.reader
                && let Some(rows) = guarded(self.input.path, || reader.next().transpose())?
            {
                let start = self.start;
                self.start += rows.num_rows() as u64;
                return Ok(Some(Part { rows, start }));
            }
            if self.group == self.input.metadata().num_row_groups() {
                return Ok(None);
            }
            let file = self.input.file.try_clone().of(self.input.path)?;
            let (group, skip, rows) = (self.group, std::mem::take(&mut self.skip), self.input.part_rows(self.group)?);
            let reader = guarded(self.input.path, || {
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.input.metadata.clone())
                    .with_row_groups(vec![group])
                    .with_offset(skip)
                    .with_batch_size(rows)
                    .build()
            })?;
            self.reader = Some(reader);
            self.group += 1;
        }
    }
}

/// The schema in which these columns are texts and no categories of texts; none where that is so already.
fn without_categories(schema: &Schema, texts: &[&str]) -> Option<Schema> {
    let as_text = |field: &Field| {
        let DataType::Dictionary(_, of) = field.data_type() else { return None };
        let is_wanted = texts.contains(&field.name().as_str()) && is_of_texts(of);
        is_wanted.then(|| field.clone().with_data_type(DataType::clone(of)))
    };
    let fields: Vec<_> = schema.fields().iter().map(|field| as_text(field).ok_or(field)).collect();
    fields.iter().any(Result::is_ok).then(|| {
        let fields: Vec<_> = fields.into_iter().map(|field| field.unwrap_or_else(|same| Field::clone(same))).collect();
        Schema::new_with_metadata(fields, schema.metadata().clone())
    })
}

/// Categories of decimals are not read by the library, and it says so when the first rows are asked for only.
fn refuse_categories(schema: &Schema) -> Result<()> {
    let is_one = |field: &&Field| matches!(field.data_type(), DataType::Dictionary(_, of) if of.is_decimal());
    let of_decimals = schema.flattened_fields().into_iter().find(is_one);
    of_decimals.map_or(Ok(()), |field| {
        let why = "categories of decimals are not read; write them as values, or without pyarrow's store_schema";
        Err(BulkError::Job(format!("column {}: {why}", field.name())))
    })
}

/// Has the library read something. There are damaged files at which it panics, such as one whose dictionary has no values;
/// what it was reading then is thrown away with the whole job.
fn guarded<T, E: std::fmt::Display>(path: &Path, read: impl FnOnce() -> Result<T, E>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| damaged(path, &error)),
        Err(_panic) => Err(damaged(path, &"what is in it cannot be read: it is damaged")),
    }
}

/// Each chunk has a place in the file, and each group a number of rows: the reader takes what the footer says of them for
/// granted, and panics where it is none.
fn check_footer(metadata: &ParquetMetaData, bytes: u64) -> Result<(), &'static str> {
    if metadata.file_metadata().num_rows() < 0 {
        return Err("its footer is damaged: it says that there are less than no rows");
    }
    for group in metadata.row_groups() {
        if group.num_rows() < 0 || group.total_byte_size() < 0 {
            return Err("its footer is damaged: it says that a row group has less than no rows or bytes");
        }
        for column in group.columns() {
            let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
            let is_inside = |start: i64| {
                let place = u64::try_from(start).ok().zip(u64::try_from(column.compressed_size()).ok());
                place.and_then(|(start, length)| start.checked_add(length)).is_some_and(|end| end <= bytes)
            };
            // Where there is a dictionary, the chunk begins with it, and the pages of data stand within.
            let first = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            if !is_inside(first) || starts.into_iter().flatten().any(|start| start < 0) {
                return Err("its footer is damaged: it says that a column stands where the file has nothing");
            }
        }
    }
    Ok(())
}

/// What cannot be unpacked is said before anything is begun.
fn check_codecs(metadata: &ParquetMetaData) -> Result<(), String> {
    let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let name = columns.map(|column| column.compression()).find_map(|codec| match codec {
        Compression::BROTLI(_) => Some("Brotli"),
        Compression::LZO => Some("LZO"),
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::LZ4
        | Compression::LZ4_RAW
        | Compression::ZSTD(_) => None,
    });
    let expected = "Parquet without compression or with Snappy, gzip, LZ4 or Zstandard is expected";
    name.map_or(Ok(()), |name| Err(format!("{expected}; a column of it is compressed with {name}")))
}

pub(crate) fn damaged(path: &Path, error: &dyn std::fmt::Display) -> BulkError {
    BulkError::Damaged(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use parquet::{
        arrow::ArrowWriter,
        file::{metadata::ColumnChunkMetaDataBuilder, properties::WriterProperties},
        schema::types::ColumnPath,
    };

    use super::*;
    use crate::parquet_texts::texts as read_texts;

    /// A small file: two row groups, a dictionary, and a column without.
    fn small() -> Vec<u8> {
        let texts =
            |start: &str| -> ArrayRef { Arc::new(StringArray::from(vec![Some(start), None, Some("b"), Some(start)])) };
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
        let rows = |start: &str| {
            let columns = [("pan", texts(start), true), ("n", Arc::clone(&numbers), false)];
            RecordBatch::try_from_iter_with_nullable(columns).unwrap()
        };
        let properties = WriterProperties::builder()
            .set_column_dictionary_enabled(ColumnPath::from("n"), false)
            .set_compression(Compression::SNAPPY)
            .build();
        let mut writer = ArrowWriter::try_new(Vec::new(), rows("a").schema(), Some(properties)).unwrap();
        for start in ["a", "c"] {
            writer.write(&rows(start)).unwrap();
            writer.flush().unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn read_all(path: &Path) -> Result<usize> {
        let input = Input::open(path, &[], None)?;
        let mut parts = input.read(0)?;
        let mut rows = 0;
        while let Some(part) = parts.next()? {
            rows += read_texts(part.rows.column(0)).len();
        }
        Ok(rows)
    }

    #[test]
    fn a_damaged_file_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.parquet");
        let whole = small();
        fs::write(&path, &whole).unwrap();
        assert_eq!(read_all(&path).unwrap(), 8);
        let mut refused = 0;
        for at in 0..whole.len() {
            for byte in [0x00, 0xff, whole[at] ^ 0x40] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                fs::write(&path, damaged).unwrap();
                match read_all(&path) {
                    Err(BulkError::Damaged(_)) => refused += 1,
                    Err(other) => panic!("byte {at} is {byte}: {other}"),
                    // What only looks different, or says something else: a value, a name.
                    Ok(_) => {}
                }
            }
        }
        assert!(refused > whole.len(), "{refused} of {}", whole.len());
    }

    #[test]
    fn a_chunk_whose_place_is_none_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.parquet");
        fs::write(&path, small()).unwrap();
        let input = Input::open(&path, &[], None).unwrap();
        let (metadata, bytes) = (input.metadata(), fs::metadata(&path).unwrap().len());
        let with = |change: fn(ColumnChunkMetaDataBuilder) -> ColumnChunkMetaDataBuilder| {
            let group = metadata.row_group(0).clone();
            let columns =
                group.columns().iter().map(|column| change(column.clone().into_builder()).build().unwrap()).collect();
            let group = group.into_builder().set_column_metadata(columns).build().unwrap();
            ParquetMetaData::new(metadata.file_metadata().clone(), vec![group])
        };
        for damaged in [
            with(|column| column.set_total_compressed_size(-1)),
            with(|column| column.set_data_page_offset(-1)),
            with(|column| column.set_dictionary_page_offset(Some(-1))),
            with(|column| column.set_dictionary_page_offset(None).set_data_page_offset(i64::MAX)),
            with(|column| column.set_total_compressed_size(i64::MAX)),
        ] {
            let error = check_footer(&damaged, bytes).unwrap_err();
            assert!(error.contains("where the file has nothing"), "{error}");
        }
    }

    #[test]
    fn categories_of_decimals_are_refused_by_name_before_a_row_is_read() {
        let of = |of: DataType| DataType::Dictionary(Box::new(DataType::Int8), Box::new(of));
        let checked = |data_type| {
            let pan = Field::new("pan", of(DataType::Utf8), true);
            refuse_categories(&Schema::new(vec![pan, Field::new("price", data_type, true)]))
        };
        for fine in [DataType::Utf8, DataType::Int64, DataType::Date32] {
            assert!(checked(of(fine)).is_ok());
        }
        let price = of(DataType::Decimal128(3, 2));
        let list = DataType::List(Arc::new(Field::new("item", price.clone(), true)));
        for (refused, name) in [(price, "column price:"), (list, "column item:")] {
            let why = checked(refused).unwrap_err();
            assert!(matches!(&why, BulkError::Job(text) if text.starts_with(name)), "{why}");
        }
    }
}
