//! What stands before the first row: a byte order mark, and the names of a CSV file's columns.

use crate::{
    calls::Calls,
    error::{BulkError, Result},
    input::{Pieces, name},
    job::{Column, Format as FileFormat, Job, Way},
    text::{Csv, FixedWidth, Format, Ivs, JsonLines},
};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What comes before the rows of the output and of the rejects, and how rows are read.
pub(crate) struct Head {
    pub(crate) output: Vec<u8>,
    pub(crate) rejects: Vec<u8>,
    pub(crate) format: Box<dyn Format>,
}

pub(crate) fn read(job: &Job, calls: &[Calls<'_>], pieces: &mut Pieces) -> Result<Head> {
    let names = || job.columns.iter().map(|column| column.name.as_str());
    let reads_iv = |index: usize| job.way == Way::Detokenize && calls[index].has_ivs;
    let format: Box<dyn Format> = match job.format {
        FileFormat::Csv { delimiter, has_names: true } => return csv(job, calls, pieces, delimiter),
        FileFormat::Csv { delimiter, has_names: false } => {
            let fields = names().map(number).collect::<Result<Vec<_>>>()?;
            let iv = |(index, column): (usize, &Column)| {
                reads_iv(index).then(|| number(&column.iv_name)).transpose()?.map(not_first).transpose()
            };
            let ivs = job.columns.iter().enumerate().map(iv).collect::<Result<Vec<_>>>()?;
            Box::new(Csv::new(delimiter, None, &fields, &ivs))
        }
        FileFormat::JsonLines => {
            let iv_names: Vec<_> = job.columns.iter().map(|column| column.iv_name.as_str()).collect();
            let ivs = if job.way == Way::Detokenize { Ivs::Read } else { Ivs::Written };
            let ivs: Vec<_> = calls.iter().map(|calls| calls.has_ivs.then_some(ivs)).collect();
            Box::new(JsonLines::new(&names().collect::<Vec<_>>(), &ivs, &iv_names))
        }
        FileFormat::FixedWidth | FileFormat::Parquet => Box::new(FixedWidth::new(names()).map_err(BulkError::Job)?),
    };
    let mark = pieces.head(|bytes| Some(if bytes.starts_with(BOM) { BOM.len() } else { 0 }))?;
    Ok(Head { output: mark, rejects: Vec::new(), format })
}

/// A CSV file whose first row names its columns.
fn csv(job: &Job, calls: &[Calls<'_>], pieces: &mut Pieces, delimiter: u8) -> Result<Head> {
    let mark = |bytes: &[u8]| if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let row = pieces.head(|bytes| {
        let mark = mark(bytes);
        Some(mark + Csv::first_row(&bytes[mark..], delimiter)?)
    })?;
    let (mark, row) = row.split_at(mark(&row));
    let text = row.strip_suffix(b"\n").map_or(row, |line| line.strip_suffix(b"\r").unwrap_or(line));
    if matches!(text, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Err(BulkError::Job(format!("{}: it is in UTF-16; save it as UTF-8", name(&job.input))));
    }
    // Otherwise rows of values would pass for names, and be written as they are.
    let names = Csv::names(text, delimiter)
        .map_err(|why| BulkError::Damaged(format!("{}, the names of the columns: {why}", name(&job.input))))?;
    let find = |wanted: &str| {
        let mut found = names.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(index, _)| index);
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            (Some(_), Some(_)) => Err(BulkError::Job(format!("column {wanted}: there are two of this name"))),
            (None, _) => Err(BulkError::Job(format!("column {wanted}: there is none; {}", what_there_is(&names)))),
        }
    };
    let values = job.columns.iter().map(|column| find(&column.name)).collect::<Result<Vec<_>>>()?;
    let mut ivs = vec![None; job.columns.len()];
    let mut line = text.to_vec();
    for (index, column) in job.columns.iter().enumerate().filter(|(index, _)| calls[*index].has_ivs) {
        match job.way {
            Way::Detokenize => ivs[index] = Some(not_first(find(&column.iv_name)?)?),
            Way::Tokenize if names.contains(&column.iv_name) => {
                return Err(BulkError::Job(format!("column {}: there is one of this name already", column.iv_name)));
            }
            Way::Tokenize => {
                line.push(delimiter);
                line.extend_from_slice(column.iv_name.as_bytes());
            }
        }
    }
    let format = Csv::new(delimiter, Some(names.len()), &values, &ivs);
    if ivs.iter().any(Option::is_some) {
        line = format.without_ivs(text);
    }
    let end = &row[text.len()..];
    let separator = [delimiter];
    let rejects = [b"line", &separator[..], b"column", &separator, b"reason", &separator, text, b"\n"].concat();
    Ok(Head { output: [mark, &line, end].concat(), rejects, format: Box::new(format) })
}

/// Which columns there are, and what the first row looks like otherwise.
fn what_there_is(names: &[String]) -> String {
    let first = names.first().map_or("", String::as_str);
    if first.starts_with("sep=") {
        return format!(
            "the file begins with {first}, which only Excel knows: take that line out, and say --delimiter"
        );
    }
    if names.len() != 1 {
        return format!("the columns are {}", names.join(", "));
    }
    let other = [(';', "';'"), ('\t', "tab"), ('|', "'|'")].into_iter().find(|(other, _)| first.contains(*other));
    match other {
        _ if first.is_empty() => "the file is empty".to_owned(),
        Some((_, other)) => format!("the only column is {first}: is it --delimiter {other}?"),
        None => format!("the only column is {first}"),
    }
}

/// Columns without names have numbers, from 1.
fn number(name: &str) -> Result<usize> {
    let number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.ok_or_else(|| BulkError::Job(format!("column {name}: without names columns are called 1, 2, 3, …")))
}

/// An initialization vector is taken out with the delimiter before it.
fn not_first(field: usize) -> Result<usize> {
    let first = "the initialization vector is the first column, and is expected behind its token";
    if field == 0 { Err(BulkError::Job(first.to_owned())) } else { Ok(field) }
}
