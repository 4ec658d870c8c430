//! The calls for the values of one column.

use std::ops::Range;

use chancery_client::{Client, ClientError};
use chancery_types::{ErrorCode, ProposalId};

use crate::{
    answers::{Answers, Around, Outcome},
    error::{BulkError, Result},
    job::{Column, Job, Way},
    kept::{Call, Kept, Key},
    waits::Waits,
};

/// Texts that a call says the reasons of at most; those beyond are asked about again.
const REASONS: usize = 100;

/// Bytes of the texts of a call at most, but for one text that is longer by itself. Servers take 64 MiB, and what they
/// answer may be longer than what they are asked.
const CALL_BYTES: usize = 8 << 20;

/// Texts as JSON, one behind the other with commas between them.
#[derive(Default)]
pub(crate) struct Texts {
    json: Vec<u8>,
    /// Behind the comma of each.
    ends: Vec<usize>,
}

/// The values of a piece that are to be tokenized, or tokens and their initialization vectors.
#[derive(Default)]
pub(crate) struct Values {
    pub(crate) texts: Texts,
    pub(crate) ivs: Texts,
}

/// Where the values of one column go.
pub(crate) struct Calls<'a> {
    client: &'a Client,
    waits: &'a Waits<'a>,
    kept: &'a Kept,
    column: &'a Column,
    way: Way,
    batch: usize,
    /// The version of the key that all tokens of the column are of, as far as it is known: each call names it, and a
    /// server that would take another one refuses.
    pub(crate) key_version: Option<u32>,
    grant: Option<ProposalId>,
    /// What answers say of the version: where it is not known, at least that has to stay as it was.
    told_version: Option<u32>,
    /// Whether each token has an initialization vector.
    pub(crate) has_ivs: bool,
}

impl Texts {
    /// Appends a text that stands in JSON already.
    pub(crate) fn push_json(&mut self, json: &[u8]) {
        self.json.push(b'"');
        self.json.extend_from_slice(json);
        self.json.extend_from_slice(b"\",");
        self.ends.push(self.json.len());
    }

    /// Room for so many texts of so many bytes together.
    pub(crate) fn with_capacity(count: usize, bytes: usize) -> Self {
        Self { json: Vec::with_capacity(bytes + 3 * count), ends: Vec::with_capacity(count) }
    }

    /// Appends a text.
    pub(crate) fn push(&mut self, text: &str) {
        if is_plain(text.as_bytes()) {
            self.push_json(text.as_bytes());
        } else {
            let quoted = serde_json::Value::from(text).to_string();
            self.push_json(&quoted.as_bytes()[1..quoted.len() - 1]);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, range: &Range<usize>) -> &[u8] {
        let start = range.start.checked_sub(1).map_or(0, |before| self.ends[before]);
        let end = range.end.checked_sub(1).map_or(0, |last| self.ends[last] - 1);
        self.json.get(start..end).unwrap_or_default()
    }

    fn picked(&self, indexes: &[usize]) -> Self {
        let mut picked = Self::default();
        for index in indexes {
            let quoted = self.range(&(*index..index + 1));
            picked.push_json(&quoted[1..quoted.len() - 1]);
        }
        picked
    }
}

/// Whether nothing of a text has to be escaped in JSON. Without an early end, so that many bytes are looked at at a time.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    text.iter().fold(true, |plain, byte| plain & (*byte >= 0x20) & (*byte != b'"') & (*byte != b'\\'))
}

impl<'a> Calls<'a> {
    /// Asks first with no value at all: whether there is such a profile, whether one may, and what its tokens need.
    pub(crate) fn new(
        client: &'a Client,
        job: &Job,
        column: &'a Column,
        waits: &'a Waits<'a>,
        kept: &'a Kept,
    ) -> Result<Self> {
        let mut calls = Self {
            client,
            waits,
            kept,
            column,
            way: job.way,
            batch: job.batch,
            key_version: job.key_version,
            grant: job.grant,
            told_version: None,
            has_ivs: job.way == Way::Tokenize,
        };
        if job.way == Way::Tokenize && job.key_version.is_none() {
            calls.key_version = calls.version_now().map_err(|source| calls.failed(source))?;
        }
        let nothing = Values::default();
        let first = match calls.once(&calls.about(&nothing, &(0..0))?, 0) {
            Err(ClientError::Refused { response, .. })
                if job.way == Way::Detokenize && response.field.as_deref() == Some("/ivs") =>
            {
                calls.has_ivs = true;
                calls.once(&calls.about(&nothing, &(0..0))?, 0)
            }
            answered => answered,
        };
        let (answers, around) = first.map_err(|source| calls.failed(source))?;
        if job.way == Way::Tokenize {
            calls.has_ivs = answers.has_ivs();
            calls.key_version = calls.key_version.or(around.key_version);
            calls.told_version = around.key_version;
        }
        Ok(calls)
    }

    /// With which version of the key tokens are made, where one may read the profile.
    fn version_now(&self) -> Result<Option<u32>, ClientError> {
        match self.client.token_profile(self.column.profile) {
            Ok(profile) => Ok(Some(profile.key_version)),
            // Whoever may tokenize need not be let see the profile. Whether there is one, the first call tells.
            Err(failure)
                if [Some(ErrorCode::NotAuthorized), Some(ErrorCode::InvalidSelection)]
                    .contains(&failure.error_code()) =>
            {
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Has all values made, in as few calls as may be, of about the same size.
    pub(crate) fn make(&self, values: &Values) -> Result<Vec<Answers>> {
        let (count, mut answers) = (values.texts.len(), Vec::new());
        let calls = count.div_ceil(self.batch);
        for call in 0..calls {
            self.make_some(values, call * count / calls..(call + 1) * count / calls, &mut answers)?;
        }
        Ok(answers)
    }

    /// Where a call is refused because of its values, the half of them is tried, until the one at fault is found. So are
    /// many long values.
    fn make_some(&self, values: &Values, range: Range<usize>, answers: &mut Vec<Answers>) -> Result<()> {
        let of_ivs = if values.ivs.len() == 0 { 0 } else { values.ivs.range(&range).len() };
        let bytes = values.texts.range(&range).len() + of_ivs;
        if range.len() > 1 && bytes > CALL_BYTES {
            return self.make_halves(values, range, answers);
        }
        match self.call(values, &range) {
            Ok(answer) => answers.push(answer),
            Err(BulkError::Call { source: ClientError::Refused { error_code, response, .. }, .. })
                if is_of_values(error_code, response.field.as_deref()) =>
            {
                if range.len() == 1 {
                    answers.push(Answers::refused(response.message));
                } else {
                    self.make_halves(values, range, answers)?;
                }
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }

    fn make_halves(&self, values: &Values, range: Range<usize>, answers: &mut Vec<Answers>) -> Result<()> {
        let middle = range.start + range.len() / 2;
        self.make_some(values, range.start..middle, answers)?;
        self.make_some(values, middle..range.end, answers)
    }

    fn call(&self, values: &Values, range: &Range<usize>) -> Result<Answers> {
        let mut answers = self.patiently(&self.about(values, range)?, range.len())?;
        for unknown in answers.without_reason().chunks(REASONS) {
            let indexes: Vec<_> = unknown.iter().map(|index| range.start + index).collect();
            let ivs = if values.ivs.len() == 0 { Texts::default() } else { values.ivs.picked(&indexes) };
            let picked = Values { texts: values.texts.picked(&indexes), ivs };
            let mut again = self.patiently(&self.about(&picked, &(0..indexes.len()))?, indexes.len())?;
            answers.keys.append(&mut again.keys);
            for (asked, index) in unknown.iter().enumerate() {
                if let Outcome::Refused(reason) = again.at(asked) {
                    answers.add_reason(*index, reason.to_owned());
                }
            }
        }
        Ok(answers)
    }

    fn patiently(&self, call: &Key, count: usize) -> Result<Answers> {
        let mut tries = self.waits.begin();
        loop {
            // Nothing is asked behind a call that failed: a budget would be charged for it.
            self.waits.go_on()?;
            match self.once(call, count) {
                Ok((_, around)) if self.way == Way::Tokenize && around.key_version != self.told_version => {
                    return Err(self.other_version());
                }
                Ok((answers, _)) => return Ok(answers),
                Err(ClientError::Refused { response, .. })
                    if self.way == Way::Tokenize && response.field.as_deref() == Some("/keyVersion") =>
                {
                    return Err(self.other_version());
                }
                Err(failure) => self.waits.after(&mut tries, &self.column.name, failure)?,
            }
        }
    }

    fn once(&self, call: &Key, count: usize) -> Result<(Answers, Around), ClientError> {
        let Call { path, body } = &**call;
        let made = match self.way {
            Way::Tokenize => "tokens",
            Way::Detokenize => "messages",
        };
        let has_ivs = self.way == Way::Tokenize && self.has_ivs;
        if let Some(answer) = self.kept.get(call) {
            let (mut answers, around) = Answers::read(answer.into(), made, has_ivs, count)?;
            answers.keys.push(Key::clone(call));
            return Ok((answers, around));
        }
        let granted = self.grant.map(|grant| format!("{},\"grantUuid\":\"{grant}\"}}", &body[..body.len() - 1]));
        let answer = self.client.body("POST", path, Some(granted.as_deref().unwrap_or(body)))?;
        let (mut answers, around) = Answers::read(answer, made, has_ivs, count)?;
        // The first call is about no value.
        if count > 0 {
            self.kept.put(call, answers.json());
            answers.keys.push(Key::clone(call));
        }
        Ok((answers, around))
    }

    /// The call for some values, without the grant: see [`Call`].
    fn about(&self, values: &Values, range: &Range<usize>) -> Result<Key> {
        let operation = match self.way {
            Way::Tokenize => "batch-tokenize",
            Way::Detokenize => "batch-detokenize",
        };
        let path = format!("/api/v2/token-profiles/{}/{operation}", self.column.profile);
        Ok(Key::new(Call { path, body: self.body(values, range)? }))
    }

    fn body(&self, values: &Values, range: &Range<usize>) -> Result<String> {
        let texts = values.texts.range(range);
        let mut body = Vec::with_capacity(texts.len() + 64);
        let member: &[u8] = if self.way == Way::Tokenize { b"{\"messages\":[" } else { b"{\"tokens\":[" };
        body.extend_from_slice(member);
        body.extend_from_slice(texts);
        if self.way == Way::Detokenize && self.has_ivs {
            body.extend_from_slice(b"],\"ivs\":[");
            body.extend_from_slice(values.ivs.range(range));
        }
        body.extend_from_slice(b"],\"partial\":true");
        if let Some(version) = self.key_version {
            body.extend_from_slice(format!(",\"keyVersion\":{version}").as_bytes());
        }
        body.push(b'}');
        String::from_utf8(body).map_err(|_| BulkError::Damaged("a value is no text".to_owned()))
    }

    fn other_version(&self) -> BulkError {
        BulkError::KeyVersion { column: self.column.name.clone() }
    }

    fn failed(&self, source: ClientError) -> BulkError {
        BulkError::Call { column: self.column.name.clone(), source }
    }
}

/// Whether a refusal is the fault of single values: of one that is too long, or of many that take too long together. What
/// is about anything else, every call would be refused for.
fn is_of_values(error: ErrorCode, field: Option<&str>) -> bool {
    let of_values = |field: &str| ["/messages", "/tokens", "/ivs"].iter().any(|member| field.starts_with(member));
    // A body that is too long as a whole has no member at fault.
    error == ErrorCode::InvalidValue && field.is_some_and(of_values)
        || error == ErrorCode::LimitExceeded && field.is_none_or(of_values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_of_values_are_about_values() {
        for (error, field, expected) in [
            (ErrorCode::InvalidValue, Some("/messages/3"), true),
            (ErrorCode::InvalidValue, Some("/ivs"), true),
            (ErrorCode::InvalidValue, Some("/keyVersion"), false),
            (ErrorCode::InvalidValue, None, false),
            (ErrorCode::LimitExceeded, Some("/tokens"), true),
            (ErrorCode::LimitExceeded, None, true),
            (ErrorCode::NotAuthorized, Some("/messages"), false),
        ] {
            assert_eq!(is_of_values(error, field), expected, "{error} {field:?}");
        }
    }

    #[test]
    fn texts_stand_one_behind_the_other() {
        let mut texts = Texts::default();
        ["a", "b\"\n", "é"].iter().for_each(|text| texts.push(text));
        let json = |range: Range<usize>| std::str::from_utf8(texts.range(&range)).unwrap().to_owned();
        assert_eq!(json(0..3), r#""a","b\"\n","é""#);
        assert_eq!((json(1..2), json(2..2), json(0..0)), (r#""b\"\n""#.to_owned(), String::new(), String::new()));
        let picked = texts.picked(&[2, 0]);
        assert_eq!(picked.range(&(0..2)), r#""é","a""#.as_bytes());
    }
}
