//! Reading the records of a segment, each with its link and its MAC checked.

use std::io::{self, BufReader, Read};

use chancery_keys::JournalKey;

use crate::{
    chain::{self, Hash, Head},
    fault::Problem,
    files::{Form, Kept},
    format::{self, BODY_MAX, Body, Call, MAC_LEN},
    place::{Place, Read as Behind},
    segment::{Header, fill},
};

/// How far a reading looks ahead. What is longer, as the records of batches are, is read past it and copied once less.
const BUFFER: usize = 8 * 1_024;

/// A segment that is read.
pub(crate) struct Reading {
    from: Box<dyn Read>,
    pub(crate) header: Header,
    mac: [u8; MAC_LEN],
    hash: Hash,
    record: u64,
    /// Bytes up to here.
    length: u64,
    form: Form,
}

/// What comes next in a segment.
pub(crate) enum Next<'b> {
    Call(Call<'b>),
    /// The record that ends it.
    End,
    /// Nothing: it was not ended.
    Nothing,
}

impl Reading {
    /// Begins to read; none where the file does not begin like a segment.
    pub(crate) fn of(kept: &Kept) -> io::Result<Option<Self>> {
        let (file, form) = kept.open()?;
        let mut from: Box<dyn Read> = match form {
            Form::Archive => Box::new(BufReader::with_capacity(BUFFER, zstd::stream::read::Decoder::new(file)?)),
            Form::Raw | Form::Full => Box::new(BufReader::with_capacity(BUFFER, file)),
        };
        let header = match Header::read(&mut from) {
            Err(error) if is_of_content(&error) => None,
            header => header?,
        };
        Ok(header.map(|(header, mac, hash)| {
            let (record, length) = (header.first.saturating_sub(1), header.length());
            Self { from, header, mac, hash, record, length, form }
        }))
    }

    /// Whether its header is one that this key made.
    pub(crate) fn is_authentic(&self, key: &JournalKey) -> bool {
        key.verify(&self.hash, &self.mac)
    }

    pub(crate) const fn head(&self) -> Head {
        Head { segment: self.header.segment, record: self.record, hash: self.hash }
    }

    /// Passes over what was read before. Where that is more than there is now, nothing comes after it.
    pub(crate) fn go_on(&mut self, behind: &Behind) -> io::Result<()> {
        let between = behind.length.saturating_sub(self.length);
        match io::copy(&mut (&mut self.from).take(between), &mut io::sink()) {
            // Whoever reads on meets it again.
            Err(error) if is_of_content(&error) => {}
            passed => drop(passed?),
        }
        (self.record, self.hash, self.length) = (behind.record, behind.hash, behind.length);
        Ok(())
    }

    /// Where it would go on.
    pub(crate) const fn place(&self) -> Place {
        let read = Behind { record: self.record, hash: self.hash, length: self.length };
        Place { segment: self.header.segment, read: Some(read) }
    }

    /// Bytes of what was read.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// The next record, in `buffer`.
    pub(crate) fn next<'b>(
        &mut self,
        key: &JournalKey,
        buffer: &'b mut Vec<u8>,
    ) -> io::Result<Result<Next<'b>, Problem>> {
        Ok(match self.pass(key, buffer)? {
            Err(problem) => Err(problem),
            Ok(false) => Ok(Next::Nothing),
            Ok(true) => match format::read(buffer) {
                None => Err(Problem::Unreadable),
                Some(Body::Call(call)) => Ok(Next::Call(call)),
                Some(Body::End) => Ok(Next::End),
            },
        })
    }

    /// Checks the next record, without a look at what it says; whether there is one.
    pub(crate) fn pass(&mut self, key: &JournalKey, buffer: &mut Vec<u8>) -> io::Result<Result<bool, Problem>> {
        match self.advance(key, buffer) {
            Err(error) if is_of_content(&error) => Ok(Err(Problem::Unreadable)),
            passed => passed,
        }
    }

    /// Reads one record; whether there was one.
    fn advance(&mut self, key: &JournalKey, buffer: &mut Vec<u8>) -> io::Result<Result<bool, Problem>> {
        let mut length = [0; 4];
        if self.from.read(&mut length[..1])? == 0 {
            return Ok(Ok(false));
        }
        // Nothing of ours ends within a length.
        if !fill(&mut self.from, &mut length[1..])? {
            return Ok(Err(Problem::Unreadable));
        }
        let length = u32::from_be_bytes(length) as usize;
        if length == 0 {
            return Ok(if self.form == Form::Raw { Ok(false) } else { Err(Problem::Unreadable) });
        }
        if length > BODY_MAX {
            return Ok(Err(Problem::Unreadable));
        }
        buffer.resize(length, 0);
        let mut mac = [0; MAC_LEN];
        if !fill(&mut self.from, buffer)? || !fill(&mut self.from, &mut mac)? {
            return Ok(Err(Problem::Unreadable));
        }
        let record = self.record.saturating_add(1);
        let hash = chain::next(&self.hash, record, &self.header.bodies.hash([buffer, &[]]));
        if !key.verify(&hash, &mac) {
            return Ok(Err(Problem::Changed));
        }
        (self.record, self.hash) = (record, hash);
        self.length += (4 + length + MAC_LEN) as u64;
        Ok(Ok(true))
    }
}

/// Whether what was read is no archive that was written here: no failure of the disk.
fn is_of_content(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::Other | io::ErrorKind::InvalidInput
    )
}
