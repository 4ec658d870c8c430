//! A row group that is encoded by itself, as if it were alone in a file.

use std::io::{self, Write};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::{
    arrow::ArrowWriter,
    errors::ParquetError,
    file::{metadata::RowGroupMetaData, properties::WriterProperties},
};

use crate::parquet_footer::MAGIC;

/// Rows that become a row group.
pub(crate) struct Group {
    writer: ArrowWriter<BehindMagic>,
}

/// What is written behind the magic, with which the library begins.
#[derive(Default)]
struct BehindMagic {
    bytes: Vec<u8>,
    /// Bytes of the magic that have come.
    magic: usize,
}

impl Group {
    pub(crate) fn new(schema: SchemaRef, properties: WriterProperties) -> Result<Self, ParquetError> {
        Ok(Self { writer: ArrowWriter::try_new(BehindMagic::default(), schema, Some(properties))? })
    }

    /// Encodes further rows. Where pages end depends on how many come at a time.
    pub(crate) fn write(&mut self, rows: &RecordBatch) -> Result<(), ParquetError> {
        self.writer.write(rows)
    }

    /// The group, with places as behind the magic; none of no rows.
    pub(crate) fn finish(mut self) -> Result<Option<(Vec<u8>, RowGroupMetaData)>, ParquetError> {
        let expected = self.writer.in_progress_size();
        self.writer.inner_mut().bytes.reserve_exact(expected);
        self.writer.flush()?;
        self.writer.sync()?;
        let Some(group) = self.writer.flushed_row_groups().first().cloned() else { return Ok(None) };
        Ok(Some((std::mem::take(&mut self.writer.inner_mut().bytes), group)))
    }
}

impl Write for BehindMagic {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let magic = bytes.len().min(MAGIC.len() - self.magic);
        self.magic += magic;
        self.bytes.extend_from_slice(&bytes[magic..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
