//! The end of a Parquet file, which says where its row groups are.

use chancery_types::Base64;
use parquet::{
    errors::ParquetError,
    file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData},
};

use crate::error::{BulkError, Result};

/// What a file begins and ends with.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// Behind the footer: its length and the magic.
const TRAILER: usize = 8;

/// What the end of the output says.
pub(crate) struct Footer {
    pub(crate) file: FileMetaData,
    pub(crate) groups: Vec<RowGroupMetaData>,
}

impl Footer {
    /// A group that was encoded by itself, as it is at a place of the file.
    pub(crate) fn placed(&self, group: Option<RowGroupMetaData>, place: u64) -> Result<Option<RowGroupMetaData>> {
        let Some(group) = group else { return Ok(None) };
        let moved = moved(group, place, self.groups.len());
        let moved = moved.map_err(|error| BulkError::Damaged(error.to_string()))?;
        // As it is after an interruption, when it was read from the journal: reading leaves out what few readers need.
        let mut groups = read_footer(&self.encoded(&[moved])?).unwrap_or_default();
        groups.pop().ok_or_else(|| BulkError::Damaged("a row group cannot be read".to_owned())).map(Some)
    }

    /// Takes a group that is written.
    pub(crate) fn add(&mut self, group: Option<RowGroupMetaData>) {
        self.groups.extend(group);
    }

    /// The end of the file.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        self.encoded(&self.groups)
    }

    fn encoded(&self, groups: &[RowGroupMetaData]) -> Result<Vec<u8>> {
        let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
        let file = FileMetaData::new(
            self.file.version(),
            rows,
            self.file.created_by().map(str::to_owned),
            self.file.key_value_metadata().cloned(),
            self.file.schema_descr_ptr(),
            self.file.column_orders().cloned(),
        );
        let mut bytes = Vec::new();
        let written = ParquetMetaDataWriter::new(&mut bytes, &ParquetMetaData::new(file, groups.to_vec())).finish();
        written.map_err(|error| BulkError::Damaged(error.to_string()))?;
        Ok(bytes)
    }

    /// The same for the journal.
    pub(crate) fn kept(&self) -> Result<Option<String>> {
        Ok(Some(Base64::encode(&self.bytes()?)))
    }
}

pub(crate) fn read_footer(bytes: &[u8]) -> Option<Vec<RowGroupMetaData>> {
    let footer = bytes.get(..bytes.len().checked_sub(TRAILER)?)?;
    Some(ParquetMetaDataReader::decode_metadata(footer).ok()?.row_groups().to_vec())
}

/// A group that was encoded behind the magic alone, as it is at another place.
fn moved(group: RowGroupMetaData, place: u64, number: usize) -> Result<RowGroupMetaData, ParquetError> {
    let by = i64::try_from(place).unwrap_or(i64::MAX) - MAGIC.len() as i64;
    let columns = group.columns().iter().map(|column| {
        let dictionary = column.dictionary_page_offset().map(|at| at + by);
        column
            .clone()
            .into_builder()
            .set_data_page_offset(column.data_page_offset() + by)
            .set_dictionary_page_offset(dictionary)
            .build()
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let file_offset = group.file_offset().map(|at| at + by);
    let mut group = group.into_builder().set_column_metadata(columns);
    if let Some(at) = file_offset {
        group = group.set_file_offset(at);
    }
    // Its type has 16 bits; readers do not need the number.
    match i16::try_from(number) {
        Ok(number) => group.set_ordinal(number.into()).build(),
        Err(_) => group.build(),
    }
}
