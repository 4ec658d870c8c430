//! `rows COUNT CSV PARQUET`: the same card numbers, one a row, as a CSV file and as a Parquet file: what `cargo xtask bench
//! bulk` measures with.

use std::{
    env,
    error::Error,
    fs::File,
    io::{BufWriter, Write as _},
    sync::Arc,
};

use arrow_array::{ArrayRef, RecordBatch, builder::StringBuilder};
use parquet::{arrow::ArrowWriter, basic::Compression, file::properties::WriterProperties};

/// Rows of a row group, as many writers have it.
const GROUP: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [count, csv, parquet] = arguments.as_slice() else { return Err("rows COUNT CSV PARQUET".into()) };
    let count: u64 = count.parse()?;
    let mut csv = BufWriter::new(File::create(csv)?);
    csv.write_all(b"pan\n")?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(File::create(parquet)?, rows(0..0)?.schema(), Some(properties))?;
    for start in (0..count).step_by(usize::try_from(GROUP)?) {
        let rows = start..count.min(start + GROUP);
        rows.clone().try_for_each(|number| csv.write_all(&[&card(number)[..], b"\n"].concat()))?;
        writer.write(&self::rows(rows)?)?;
        writer.flush()?;
    }
    writer.close()?;
    csv.flush()?;
    Ok(())
}

fn rows(numbers: std::ops::Range<u64>) -> Result<RecordBatch, Box<dyn Error>> {
    let mut cards = StringBuilder::new();
    for number in numbers {
        cards.append_value(std::str::from_utf8(&card(number))?);
    }
    Ok(RecordBatch::try_from_iter([("pan", Arc::new(cards.finish()) as ArrayRef)])?)
}

/// A number of 16 digits that passes Luhn; all are different.
fn card(number: u64) -> [u8; 16] {
    let mut rest = 400_000_000_000_000 + number.wrapping_mul(6_364_136_223_846_793_005) % 100_000_000_000_000;
    let (mut card, mut sum) = ([0; 16], 0);
    for place in (0..15).rev() {
        let digit = (rest % 10) as u8;
        rest /= 10;
        card[place] = b'0' + digit;
        sum += if place % 2 == 1 { digit } else { digit * 2 / 10 + digit * 2 % 10 };
    }
    card[15] = b'0' + (10 - sum % 10) % 10;
    card
}
