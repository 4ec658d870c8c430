//! Parquet: row groups are read in parts, and each part becomes a row group of the output. Such a group is encoded by
//! itself, as if it were alone in a file, and its places are moved to where it is written: so several are encoded at a time,
//! and the file can be cut behind each.

use std::{borrow::Cow, sync::Arc};

use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use chancery_types::Base64;
use parquet::{
    arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ArrowWriter, PARQUET_FIELD_ID_META_KEY},
    basic::Compression,
    errors::ParquetError,
    file::{
        metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData},
        properties::{EnabledStatistics, WriterProperties},
    },
    schema::types::ColumnPath,
};
use serde_json::json;

use crate::{
    answers::{Answers, Outcome, Text},
    calls::{Calls, Texts, Values},
    error::{BulkError, Result},
    job::{Job, Place, Way},
    output::Made,
    parquet_footer::{Footer, MAGIC, read_footer},
    parquet_group::Group,
    parquet_input::{Input, Part, Parts, damaged},
    parquet_kept, parquet_row,
    parquet_texts::{NewTexts, are_plain, for_each, is_of_texts, texts},
};

/// Rows that are made at a time: as many as the usual call has values.
const ROWS: usize = 10_000;

/// Rows of a page of tokens, or of what they become: the library's own 20,000 are encoded in memory that is fetched anew for
/// each page, which costs 5 % more of the processor.
const PAGE_ROWS: usize = 5_000;

/// Bytes that there is room for at first for each value.
const ROOM: usize = 32;

/// A file that is read, and what its rows become.
pub(crate) struct ParquetFile<'a> {
    job: &'a Job,
    calls: &'a [Calls<'a>],
    input: Input<'a>,
    /// Which columns of a part the values are, and which the initialization vectors that are read.
    columns: Vec<usize>,
    ivs: Vec<Option<usize>>,
    schema: SchemaRef,
    properties: WriterProperties,
}

impl<'a> ParquetFile<'a> {
    pub(crate) fn open(job: &'a Job, calls: &'a [Calls<'a>]) -> Result<Self> {
        let Place::File(path) = &job.input else {
            return Err(BulkError::Job("Parquet is read from a file".to_owned()));
        };
        let read_texts = job.columns.iter().flat_map(|column| [column.name.as_str(), column.iv_name.as_str()]);
        let input = Input::open(path, &read_texts.collect::<Vec<_>>(), job.fewer_rows())?;
        let read = Arc::clone(input.schema());
        let columns = job.columns.iter().map(|column| text_column(&read, &column.name)).collect::<Result<Vec<_>>>()?;
        let mut fields: Vec<_> = read.fields().iter().map(|field| Field::clone(field)).collect();
        for column in &columns {
            forget_values(&mut fields[*column]);
        }
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
        let made: Vec<_> =
            columns.iter().chain(ivs.iter().flatten()).map(|index| read.field(*index).name().as_str()).collect();
        let output = ArrowSchemaConverter::new().convert(&schema).map_err(|error| damaged(path, &error))?;
        parquet_kept::check(input.metadata().file_metadata().schema_descr(), &output, &made).map_err(BulkError::Job)?;
        let properties = properties(job, calls, input.metadata());
        Ok(Self { job, calls, input, columns, ivs, schema, properties })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.input.metadata().file_metadata().num_rows().unsigned_abs()
    }

    pub(crate) fn magic(&self) -> Vec<u8> {
        MAGIC.to_vec()
    }

    /// From a row on.
    pub(crate) fn read(&self, start: u64) -> Result<Parts<'_>> {
        self.input.read(start)
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

    /// Makes a row group of a part: some rows at a time, which stay in the processor's cache from the first step to the
    /// last. By the part alone, so that it becomes the same bytes whatever a call has.
    pub(crate) fn make(&self, part: &Part) -> Result<(Made, Option<RowGroupMetaData>)> {
        let damaged = |error: ParquetError| self.damaged(&error);
        let rows = part.rows.num_rows();
        let end = part.start + rows as u64;
        let mut made = Made { input: end, read: end, line: end + 1, ..Made::default() };
        let mut group = Group::new(Arc::clone(&self.schema), self.properties.clone()).map_err(damaged)?;
        let steps = rows.div_ceil(ROWS);
        for step in 0..steps {
            let (start, end) = (step * rows / steps, (step + 1) * rows / steps);
            let some = Part { rows: part.rows.slice(start, end - start), start: part.start + start as u64 };
            group.write(&self.make_some(&some, &mut made)?).map_err(damaged)?;
        }
        let Some((bytes, group)) = group.finish().map_err(damaged)? else { return Ok((made, None)) };
        made.output = bytes;
        Ok((made, Some(group)))
    }
}

impl ParquetFile<'_> {
    /// What becomes of some rows: without those that are refused.
    fn make_some(&self, part: &Part, made: &mut Made) -> Result<RecordBatch> {
        let rows = &part.rows;
        let mut keep = vec![true; rows.num_rows()];
        let mut arrays = rows.columns().to_vec();
        let mut added = Vec::new();
        for (column, calls) in self.calls.iter().enumerate() {
            let read = rows.column(self.columns[column]);
            let mut refuse = |row: usize, reason: &str| self.refuse(made, &mut keep, part, row, column, reason);
            let (values, without_iv) = self.values(rows, column, &mut refuse);
            let answers = calls.make(&values)?;
            let adds_ivs = calls.has_ivs && self.job.way == Way::Tokenize;
            let mut texts = NewTexts::new(read.data_type(), rows.num_rows());
            let mut ivs = NewTexts::new(&DataType::Utf8, if adds_ivs { rows.num_rows() } else { 0 });
            if values.texts.len() == rows.num_rows() && !adds_ivs && answers.iter().all(Answers::are_plain) {
                // As nearly always.
                answers.iter().for_each(|answers| texts.extend(answers.texts()));
            } else {
                put(read, &answers, &without_iv, &mut refuse, |text, iv| {
                    texts.push(text);
                    if adds_ivs {
                        ivs.push(iv);
                    }
                });
            }
            arrays[self.columns[column]] = texts.finish();
            made.calls.extend(answers.into_iter().flat_map(|answers| answers.keys));
            if adds_ivs {
                added.push(ivs.finish());
            }
        }
        // Without the initialization vectors that were read, and with those that were made.
        let mut number = 0;
        arrays.retain(|_| {
            number += 1;
            !self.ivs.contains(&Some(number - 1))
        });
        arrays.extend(added);
        let kept = keep.iter().filter(|keep| **keep).count();
        made.rows += kept as u64;
        let written = RecordBatch::try_new(Arc::clone(&self.schema), arrays).and_then(|rows| {
            if kept == keep.len() { Ok(rows) } else { filter_record_batch(&rows, &BooleanArray::from(keep)) }
        });
        written.map_err(|error| self.damaged(&error))
    }

    /// The values that are to be made; and rows that have one without an initialization vector, which are refused.
    fn values(&self, rows: &RecordBatch, column: usize, mut refuse: impl FnMut(usize, &str)) -> (Values, Vec<usize>) {
        let read = rows.column(self.columns[column]);
        let ivs = self.ivs[column].map(|iv| texts(rows.column(iv)));
        let is_plain = are_plain(read);
        let (mut values, mut without_iv) = (Values::default(), Vec::new());
        values.texts = Texts::with_capacity(rows.num_rows(), rows.num_rows() * ROOM);
        let mut row = 0;
        for_each(read, |text| {
            row += 1;
            let Some(text) = text.filter(|text| !text.is_empty()) else { return };
            if let Some(ivs) = &ivs {
                match ivs[row - 1].filter(|iv| !iv.is_empty() && Base64::decode(iv).is_some()) {
                    Some(iv) => values.ivs.push(iv),
                    None => {
                        refuse(row - 1, "There is no initialization vector in base64.");
                        return without_iv.push(row - 1);
                    }
                }
            }
            if is_plain { values.texts.push_json(text.as_bytes()) } else { values.texts.push(text) }
        });
        (values, without_iv)
    }

    fn refuse(&self, made: &mut Made, keep: &mut [bool], part: &Part, row: usize, column: usize, reason: &str) {
        if !std::mem::replace(&mut keep[row], false) {
            return;
        }
        let (column, number) = (&self.job.columns[column].name, part.start + row as u64 + 1);
        let values = parquet_row::row(&part.rows, row);
        let rejected = json!({"line": number, "column": column, "reason": reason, "row": values});
        made.rejects.extend_from_slice(format!("{rejected}\n").as_bytes());
        made.bad += 1;
        if made.first_bad.is_none() {
            made.first_bad = Some((number, column.clone(), reason.to_owned()));
        }
    }

    fn damaged(&self, error: &dyn std::fmt::Display) -> BulkError {
        damaged(self.input.path, error)
    }
}

/// Puts what was answered in the place of what was read, row by row: texts, and initialization vectors.
fn put(
    read: &ArrayRef,
    answers: &[Answers],
    without_iv: &[usize],
    mut refuse: impl FnMut(usize, &str),
    mut put: impl FnMut(Option<&str>, Option<&str>),
) {
    let mut without_iv = without_iv.iter().peekable();
    let mut outcomes = answers.iter().flat_map(|answers| (0..answers.len()).map(|index| answers.at(index)));
    for (row, text) in texts(read).into_iter().enumerate() {
        let (mut token, mut iv) = (text.map(Cow::Borrowed), None);
        if text.is_some_and(|text| !text.is_empty()) && without_iv.next_if_eq(&&row).is_none() {
            match outcomes.next() {
                Some(Outcome::Made(made, its_iv)) => {
                    iv = its_iv.and_then(Text::text);
                    match made.text() {
                        Some(made) => token = Some(made),
                        None => refuse(row, "The answer is no text."),
                    }
                }
                Some(Outcome::Refused(reason)) => refuse(row, reason),
                None => refuse(row, "The server did not answer it."),
            }
        }
        put(token.as_deref(), iv.as_deref());
    }
}

/// Each column compressed as in the input; without dictionaries of tokens, of which no two are the same, and without their
/// least and greatest, which say nothing of any other. Initialization vectors are compressed as their values. Who compresses
/// with Snappy wants it to be quick: of tokens, which look like chance, it saves a third of the length of texts and costs a
/// third of the whole run, so they are left as they are.
fn properties(job: &Job, calls: &[Calls<'_>], input: &ParquetMetaData) -> WriterProperties {
    let columns = || input.row_groups().first().into_iter().flat_map(|group| group.columns());
    let kept = input.file_metadata().key_value_metadata().cloned();
    let kept = kept.map(|all| all.into_iter().filter(|one| one.key != ARROW_SCHEMA_META_KEY).collect());
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(kept)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None);
    for column in columns() {
        properties = properties.set_column_compression(column.column_path().clone(), codec_of(column));
    }
    for (column, calls) in job.columns.iter().zip(calls) {
        let is_it = |metadata: &&ColumnChunkMetaData| *metadata.column_path().parts() == [column.name.clone()];
        let own = columns().find(is_it).map_or(Compression::UNCOMPRESSED, codec_of);
        let is_plain = job.way == Way::Tokenize && own == Compression::SNAPPY;
        let codec = if is_plain { Compression::UNCOMPRESSED } else { own };
        let names = [Some(&column.name), calls.has_ivs.then_some(&column.iv_name)];
        for name in names.into_iter().flatten() {
            let path = ColumnPath::from(vec![name.clone()]);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_compression(path.clone(), codec)
                .set_column_data_page_row_count_limit(path.clone(), PAGE_ROWS);
            if job.way == Way::Tokenize {
                properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
            }
        }
    }
    properties.build()
}

/// A column's codec. LZ4 is framed in more ways than readers know; LZ4_RAW, which stands for it now, in one (Parquet's
/// Compression.md).
fn codec_of(column: &ColumnChunkMetaData) -> Compression {
    let codec = column.compression();
    if codec == Compression::LZ4 { Compression::LZ4_RAW } else { codec }
}

/// Writers note beside a column what they know of its values: all that an enumeration has, or that each is JSON.
fn forget_values(field: &mut Field) {
    field.metadata_mut().retain(|key, _| key == PARQUET_FIELD_ID_META_KEY);
}

fn text_column(schema: &Schema, name: &str) -> Result<usize> {
    let index = schema.index_of(name).map_err(|_| {
        let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        BulkError::Job(format!("column {name}: there is none; the columns are {}", names.join(", ")))
    })?;
    if schema.fields().iter().filter(|field| field.name() == name).count() > 1 {
        return Err(BulkError::Job(format!("column {name}: there are two of this name")));
    }
    let data_type = schema.field(index).data_type();
    if is_of_texts(data_type) {
        return Ok(index);
    }
    Err(BulkError::Job(format!("column {name}: texts are expected, and it has {data_type}")))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_column_is_one() {
        let fields = ["pan", "x", "pan"].map(|name| Field::new(name, DataType::Utf8, true)).to_vec();
        let schema = Schema::new(fields);
        assert_eq!(text_column(&schema, "x").unwrap(), 1);
        let refused = text_column(&schema, "pan").unwrap_err().to_string();
        assert!(refused.contains("column pan: there are two of this name"), "{refused}");
    }

    /// As polars writes enumerations.
    #[test]
    fn nothing_that_is_noted_of_values_goes_on() {
        let noted = [("_PL_ENUM_VALUES2", "16;4111111111111111"), (PARQUET_FIELD_ID_META_KEY, "7")];
        let noted = noted.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut field = Field::new("pan", DataType::Utf8, true).with_metadata(HashMap::from(noted));
        forget_values(&mut field);
        assert_eq!(field.metadata().keys().collect::<Vec<_>>(), [PARQUET_FIELD_ID_META_KEY]);
    }
}
