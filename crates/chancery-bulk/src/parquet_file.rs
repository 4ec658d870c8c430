//! Parquet: row groups are read in parts, and each part becomes a row group of the output. Such a group is encoded by
//! itself, as if it were alone in a file, and its places are moved to where it is written: so several are encoded at a time,
//! and the file can be cut behind each.

use std::{borrow::Cow, fs::File, path::Path, sync::Arc};

use arrow_array::{
    ArrayRef, BooleanArray, LargeStringArray, RecordBatch, StringArray, StringViewArray, cast::AsArray as _,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use chancery_types::Base64;
use parquet::{
    arrow::{
        ARROW_SCHEMA_META_KEY, ArrowWriter,
        arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
        },
    },
    basic::Compression,
    errors::ParquetError,
    file::{
        metadata::{ParquetMetaData, RowGroupMetaData},
        properties::{EnabledStatistics, WriterProperties},
    },
    schema::types::ColumnPath,
};
use serde_json::json;

use crate::{
    answers::{Outcome, Text},
    calls::{Calls, Values},
    error::{BulkError, OfFile as _, Result},
    job::{Job, Place, Way},
    output::Made,
    parquet_footer::{Footer, MAGIC, read_footer},
};

/// Bytes of a part, about, as they are in memory: several of them are there at a time.
const PART: i64 = 8 << 20;

/// Rows of a part.
const ROWS_MAX: i64 = 128 * 1024;
const ROWS_MIN: i64 = 1024;

/// A file that is read, and what its rows become.
pub(crate) struct ParquetFile<'a> {
    job: &'a Job,
    calls: &'a [Calls<'a>],
    path: &'a Path,
    file: File,
    metadata: ArrowReaderMetadata,
    /// Which columns of a part the values are, and which the initialization vectors that are read.
    columns: Vec<usize>,
    ivs: Vec<Option<usize>>,
    schema: SchemaRef,
    properties: WriterProperties,
}

/// Rows that were read.
pub(crate) struct Part {
    rows: RecordBatch,
    /// How many rows are before them.
    start: u64,
}

/// Reads one row group after the other, each in parts of so many rows: so the parts are the same wherever one begins.
pub(crate) struct Parts<'a> {
    file: &'a ParquetFile<'a>,
    group: usize,
    reader: Option<ParquetRecordBatchReader>,
    skip: usize,
    start: u64,
}

impl<'a> ParquetFile<'a> {
    pub(crate) fn open(job: &'a Job, calls: &'a [Calls<'a>]) -> Result<Self> {
        let Place::File(path) = &job.input else {
            return Err(BulkError::Job("Parquet is read from a file".to_owned()));
        };
        let file = File::open(path).of(path)?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
        let metadata = metadata.map_err(|error| damaged(path, &error))?;
        let read = Arc::clone(metadata.schema());
        let columns = job.columns.iter().map(|column| text_column(&read, &column.name)).collect::<Result<Vec<_>>>()?;
        let mut fields: Vec<_> = read.fields().iter().map(|field| Field::clone(field)).collect();
        let mut ivs = vec![None; columns.len()];
        for (index, column) in job.columns.iter().enumerate().filter(|(index, _)| calls[*index].has_ivs) {
            let name = &column.iv_name;
            match job.way {
                Way::Detokenize => ivs[index] = Some(text_column(&read, name)?),
                Way::Tokenize if read.index_of(name).is_ok() => {
                    return Err(BulkError::Job(format!("column {name}: there is one of this name already")));
                }
                Way::Tokenize => fields.push(Field::new(name, DataType::Utf8, true)),
            }
        }
        let mut number = 0;
        fields.retain(|_| {
            number += 1;
            !ivs.contains(&Some(number - 1))
        });
        let schema = Arc::new(Schema::new_with_metadata(fields, read.metadata().clone()));
        let properties = properties(job, calls, metadata.metadata());
        Ok(Self { job, calls, path, file, metadata, columns, ivs, schema, properties })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.metadata.metadata().file_metadata().num_rows().unsigned_abs()
    }

    pub(crate) fn magic(&self) -> Vec<u8> {
        MAGIC.to_vec()
    }

    /// Rows of a part: of about the same size whatever is in a row.
    fn part_rows(&self) -> usize {
        let groups = self.metadata.metadata().row_groups();
        let bytes: i64 = groups.iter().map(RowGroupMetaData::total_byte_size).sum();
        let rows: i64 = groups.iter().map(RowGroupMetaData::num_rows).sum();
        let rows = (PART / (bytes / rows.max(1)).max(1)).clamp(ROWS_MIN, ROWS_MAX);
        usize::try_from(rows).unwrap_or(1)
    }

    /// From a row on.
    pub(crate) fn read(&'a self, start: u64) -> Result<Parts<'a>> {
        let mut skip = start;
        let mut group = 0;
        for metadata in self.metadata.metadata().row_groups() {
            let rows = metadata.num_rows().unsigned_abs();
            if skip < rows {
                break;
            }
            (skip, group) = (skip - rows, group + 1);
        }
        let skip = usize::try_from(skip).map_err(|_| BulkError::Damaged("too many rows".to_owned()))?;
        Ok(Parts { file: self, group, reader: None, skip, start })
    }

    /// What the output's end says so far, as the journal has kept it.
    pub(crate) fn footer(&self, kept: Option<&str>) -> Result<Footer> {
        let empty = ArrowWriter::try_new(Vec::new(), Arc::clone(&self.schema), Some(self.properties.clone()));
        let empty = empty.and_then(ArrowWriter::close).map_err(|error| self.damaged(&error))?;
        let groups = match kept {
            None => Vec::new(),
            Some(kept) => Base64::decode(kept)
                .and_then(|kept| read_footer(&kept.0))
                .ok_or_else(|| BulkError::Journal("the journal is damaged".to_owned()))?,
        };
        Ok(Footer { file: empty.file_metadata().clone(), groups })
    }

    pub(crate) fn make(&self, part: &Part) -> Result<(Made, Option<RowGroupMetaData>)> {
        let rows = &part.rows;
        let mut keep = vec![true; rows.num_rows()];
        let mut made = Made::default();
        let mut arrays = rows.columns().to_vec();
        let mut added: Vec<ArrayRef> = Vec::new();
        for (column, calls) in self.calls.iter().enumerate() {
            let read = rows.column(self.columns[column]);
            let texts = texts(read);
            let mut refuse = |row: usize, reason: &str| {
                let number = part.start + row as u64 + 1;
                self.refuse(&mut made, &mut keep, (row, number), column, texts[row], reason);
            };
            let (values, of_rows) = self.values(rows, column, &texts, &mut refuse);
            let answers = calls.make(&values)?;
            let mut tokens: Vec<_> = texts.iter().map(|text| text.map(Cow::Borrowed)).collect();
            let mut ivs = vec![None; texts.len()];
            let outcomes = answers.iter().flat_map(|answers| (0..answers.len()).map(|index| answers.at(index)));
            for (row, outcome) in of_rows.into_iter().zip(outcomes) {
                match outcome {
                    Outcome::Made(token, iv) => {
                        tokens[row] = token.text();
                        ivs[row] = iv.and_then(Text::text);
                        if tokens[row].is_none() {
                            refuse(row, "The answer is no text.");
                        }
                    }
                    Outcome::Refused(reason) => refuse(row, reason),
                }
            }
            arrays[self.columns[column]] = array(read.data_type(), &tokens);
            if calls.has_ivs && self.job.way == Way::Tokenize {
                added.push(array(&DataType::Utf8, &ivs));
            }
        }
        let mut number = 0;
        arrays.retain(|_| {
            number += 1;
            !self.ivs.contains(&Some(number - 1))
        });
        arrays.extend(added);
        made.rows = keep.iter().filter(|keep| **keep).count() as u64;
        made.input = part.start + rows.num_rows() as u64;
        (made.read, made.line) = (made.input, made.input + 1);
        let written = RecordBatch::try_new(Arc::clone(&self.schema), arrays).and_then(|rows| {
            if made.bad == 0 { Ok(rows) } else { filter_record_batch(&rows, &BooleanArray::from(keep)) }
        });
        let written = written.map_err(|error| self.damaged(&error))?;
        if written.num_rows() == 0 {
            return Ok((made, None));
        }
        let (bytes, group) = self.encode(&written).map_err(|error| self.damaged(&error))?;
        made.output = bytes;
        Ok((made, Some(group)))
    }
}

impl ParquetFile<'_> {
    /// The values that are to be made, and of which rows they are. Those without an initialization vector are refused.
    fn values(
        &self,
        rows: &RecordBatch,
        column: usize,
        texts: &[Option<&str>],
        mut refuse: impl FnMut(usize, &str),
    ) -> (Values, Vec<usize>) {
        let ivs = self.ivs[column].map(|iv| self::texts(rows.column(iv)));
        let (mut values, mut of_rows) = (Values::default(), Vec::with_capacity(texts.len()));
        for (row, text) in texts.iter().enumerate() {
            let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
            if let Some(ivs) = &ivs {
                match ivs[row].filter(|iv| !iv.is_empty() && Base64::decode(iv).is_some()) {
                    Some(iv) => values.ivs.push(iv),
                    None => {
                        refuse(row, "There is no initialization vector in base64.");
                        continue;
                    }
                }
            }
            values.texts.push(text);
            of_rows.push(row);
        }
        (values, of_rows)
    }

    fn refuse(
        &self,
        made: &mut Made,
        keep: &mut [bool],
        row: (usize, u64),
        column: usize,
        text: Option<&str>,
        reason: &str,
    ) {
        let (index, number) = row;
        if !std::mem::replace(&mut keep[index], false) {
            return;
        }
        let column = &self.job.columns[column].name;
        let rejected = json!({"line": number, "column": column, "reason": reason, "row": {column: text}});
        made.rejects.extend_from_slice(format!("{rejected}\n").as_bytes());
        made.bad += 1;
        if made.first_bad.is_none() {
            made.first_bad = Some((number, column.clone(), reason.to_owned()));
        }
    }

    /// A row group by itself.
    fn encode(&self, rows: &RecordBatch) -> Result<(Vec<u8>, RowGroupMetaData), ParquetError> {
        let mut writer = ArrowWriter::try_new(Vec::new(), Arc::clone(&self.schema), Some(self.properties.clone()))?;
        writer.write(rows)?;
        writer.flush()?;
        writer.sync()?;
        let group = writer.flushed_row_groups().first().cloned();
        let group = group.ok_or_else(|| ParquetError::General("no row group was written".to_owned()))?;
        let mut bytes = std::mem::take(writer.inner_mut());
        bytes.drain(..MAGIC.len());
        Ok((bytes, group))
    }

    fn damaged(&self, error: &dyn std::fmt::Display) -> BulkError {
        damaged(self.path, error)
    }
}

impl Parts<'_> {
    pub(crate) fn next(&mut self) -> Result<Option<Part>> {
        loop {
            if let Some(rows) = self.reader.as_mut().and_then(Iterator::next) {
                let rows = rows.map_err(|error| self.file.damaged(&error))?;
                let start = self.start;
                self.start += rows.num_rows() as u64;
                return Ok(Some(Part { rows, start }));
            }
            if self.group == self.file.metadata.metadata().num_row_groups() {
                return Ok(None);
            }
            let file = self.file.file.try_clone().of(self.file.path)?;
            let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.file.metadata.clone())
                .with_row_groups(vec![self.group])
                .with_offset(std::mem::take(&mut self.skip))
                .with_batch_size(self.file.part_rows())
                .build();
            self.reader = Some(reader.map_err(|error| self.file.damaged(&error))?);
            self.group += 1;
        }
    }
}

/// Compressed as the input, and without dictionaries of tokens, of which no two are the same.
fn properties(job: &Job, calls: &[Calls<'_>], input: &ParquetMetaData) -> WriterProperties {
    let first = input.row_groups().first().and_then(|group| group.columns().first());
    let compression = first.map_or(Compression::SNAPPY, |column| column.compression());
    let kept = input.file_metadata().key_value_metadata().cloned();
    let kept = kept.map(|all| all.into_iter().filter(|one| one.key != ARROW_SCHEMA_META_KEY).collect());
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_key_value_metadata(kept)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None);
    for (column, calls) in job.columns.iter().zip(calls) {
        let names = [Some(&column.name), calls.has_ivs.then_some(&column.iv_name)];
        for name in names.into_iter().flatten() {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(vec![name.clone()]), false);
        }
    }
    properties.build()
}

fn text_column(schema: &Schema, name: &str) -> Result<usize> {
    let index = schema.index_of(name).map_err(|_| {
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        BulkError::Job(format!("column {name}: there is none; the columns are {}", names.join(", ")))
    })?;
    let data_type = schema.field(index).data_type();
    if matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
        return Ok(index);
    }
    Err(BulkError::Job(format!("column {name}: texts are expected, and it has {data_type}")))
}

/// The texts of a column, which is one of texts.
fn texts(array: &ArrayRef) -> Vec<Option<&str>> {
    if let Some(array) = array.as_string_opt::<i32>() {
        return array.iter().collect();
    }
    if let Some(array) = array.as_string_opt::<i64>() {
        return array.iter().collect();
    }
    array.as_string_view_opt().map(|array| array.iter().collect()).unwrap_or_default()
}

fn array(data_type: &DataType, texts: &[Option<Cow<'_, str>>]) -> ArrayRef {
    let texts = texts.iter().map(Option::as_deref);
    if *data_type == DataType::LargeUtf8 {
        return Arc::new(texts.collect::<LargeStringArray>());
    }
    if *data_type == DataType::Utf8View {
        return Arc::new(texts.collect::<StringViewArray>());
    }
    Arc::new(texts.collect::<StringArray>())
}

fn damaged(path: &Path, error: &dyn std::fmt::Display) -> BulkError {
    BulkError::Damaged(format!("{}: {error}", path.display()))
}
