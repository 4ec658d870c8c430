//! Parquet: row groups are read in parts, and each part becomes a row group of the output. Such a group is encoded by
//! itself, as if it were alone in a file, and its places are moved to where it is written: so several are encoded at a time,
//! and the file can be cut behind each.

use std::{borrow::Cow, sync::Arc};

use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use chancery_types::Base64;
use parquet::{
    arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter},
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
    calls::{Calls, Texts, Values},
    error::{BulkError, Result},
    job::{Job, Place, Way},
    output::Made,
    parquet_footer::{Footer, MAGIC, read_footer},
    parquet_input::{Input, Part, Parts, damaged},
    parquet_row,
    parquet_texts::{NewTexts, is_of_texts, texts},
};

/// Bytes that there is room for at first for each value, at most.
const ROOM_MAX: usize = 64;

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
        let input = Input::open(path)?;
        let read = Arc::clone(input.schema());
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

    pub(crate) fn make(&self, part: &Part) -> Result<(Made, Option<RowGroupMetaData>)> {
        let rows = &part.rows;
        let mut keep = vec![true; rows.num_rows()];
        let mut made = Made::default();
        let mut arrays = rows.columns().to_vec();
        let mut added: Vec<ArrayRef> = Vec::new();
        for (column, calls) in self.calls.iter().enumerate() {
            let read = rows.column(self.columns[column]);
            let texts = texts(read);
            let mut refuse = |row: usize, reason: &str| self.refuse(&mut made, &mut keep, part, row, column, reason);
            let (values, without_iv) = self.values(rows, column, &texts, &mut refuse);
            let mut without_iv = without_iv.into_iter().peekable();
            let answers = calls.make(&values)?;
            let adds_ivs = calls.has_ivs && self.job.way == Way::Tokenize;
            let mut tokens = NewTexts::new(read.data_type(), texts.len());
            let mut ivs = NewTexts::new(&DataType::Utf8, if adds_ivs { texts.len() } else { 0 });
            let mut outcomes = answers.iter().flat_map(|answers| (0..answers.len()).map(|index| answers.at(index)));
            for (row, text) in texts.iter().enumerate() {
                let (mut token, mut iv) = (text.map(Cow::Borrowed), None);
                if text.is_some_and(|text| !text.is_empty()) && without_iv.next_if_eq(&row).is_none() {
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
                tokens.push(token.as_deref());
                if adds_ivs {
                    ivs.push(iv.as_deref());
                }
            }
            arrays[self.columns[column]] = tokens.finish();
            if adds_ivs {
                added.push(ivs.finish());
            }
        }
        arrays.extend(added);
        self.finish(part, arrays, keep, made)
    }
}

impl ParquetFile<'_> {
    /// Encodes what was made of a part: without the initialization vectors that were read, and without refused rows.
    fn finish(
        &self,
        part: &Part,
        mut arrays: Vec<ArrayRef>,
        keep: Vec<bool>,
        mut made: Made,
    ) -> Result<(Made, Option<RowGroupMetaData>)> {
        let mut number = 0;
        arrays.retain(|_| {
            number += 1;
            !self.ivs.contains(&Some(number - 1))
        });
        made.rows = keep.iter().filter(|keep| **keep).count() as u64;
        made.input = part.start + part.rows.num_rows() as u64;
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

    /// The values that are to be made; and rows that have one without an initialization vector, which are refused.
    fn values(
        &self,
        rows: &RecordBatch,
        column: usize,
        texts: &[Option<&str>],
        mut refuse: impl FnMut(usize, &str),
    ) -> (Values, Vec<usize>) {
        let ivs = self.ivs[column].map(|iv| self::texts(rows.column(iv)));
        let room = rows.column(self.columns[column]).get_array_memory_size().min(texts.len() * ROOM_MAX);
        let (mut values, mut without_iv) = (Values::default(), Vec::new());
        values.texts = Texts::with_capacity(texts.len(), room);
        for (row, text) in texts.iter().enumerate() {
            let Some(text) = text.filter(|text| !text.is_empty()) else { continue };
            if let Some(ivs) = &ivs {
                match ivs[row].filter(|iv| !iv.is_empty() && Base64::decode(iv).is_some()) {
                    Some(iv) => values.ivs.push(iv),
                    None => {
                        refuse(row, "There is no initialization vector in base64.");
                        without_iv.push(row);
                        continue;
                    }
                }
            }
            values.texts.push(text);
        }
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
        damaged(self.input.path, error)
    }
}

/// Compressed as the input; without dictionaries of tokens, of which no two are the same, and without their least and
/// greatest, which say nothing of any other.
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
            let path = ColumnPath::from(vec![name.clone()]);
            properties = properties.set_column_dictionary_enabled(path.clone(), false);
            if job.way == Way::Tokenize {
                properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
            }
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
    if is_of_texts(data_type) {
        return Ok(index);
    }
    Err(BulkError::Job(format!("column {name}: texts are expected, and it has {data_type}")))
}
