//! What is asked of a journal, and where a search of it goes on. The place is for whoever got it, at the same node and for the
//! same question: it has a MAC, so that no answer says of a journal that it was looked through where a part was left out.

use chancery_journal::Place;
use chancery_keys::Custodian;
use chancery_types::{Base64, TokenProfileId};
use uuid::Uuid;

use crate::{Error, Result};

/// Bytes of the MAC, and of the hash that stands for a token in a record.
const MAC_LEN: usize = 16;

/// Which token, under which profile, when.
pub(super) struct Question {
    pub(super) profile: TokenProfileId,
    /// The token without characters that pass through.
    pub(super) plain: String,
    pub(super) from_ms: Option<i64>,
    /// The first millisecond that is not asked for.
    pub(super) to_ms: Option<i64>,
}

impl Question {
    /// The time as the journal is asked for it; none where it is any.
    pub(super) fn time_ms(&self) -> Option<std::ops::RangeInclusive<i64>> {
        let (from, to) = (self.from_ms, self.to_ms);
        (from.is_some() || to.is_some())
            .then(|| from.unwrap_or(i64::MIN)..=to.map_or(i64::MAX, |to| to.saturating_sub(1)))
    }

    /// What stands for the token in audit records: equal tokens of a profile have equal hashes, at every node.
    pub(super) fn token_hash(&self, custodian: &Custodian) -> [u8; MAC_LEN] {
        let message = [&Uuid::from(self.profile).as_bytes()[..], self.plain.as_bytes()].concat();
        first(&custodian.keyed_hash("token that a journal is asked for", &message))
    }
}

/// Where a search goes on.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    /// None at the beginning.
    pub(super) after: Option<Place>,
    /// Whether all before it was as it was written.
    pub(super) is_whole: bool,
}

impl Default for Cursor {
    fn default() -> Self {
        Self { after: None, is_whole: true }
    }
}

impl Cursor {
    pub(super) fn write(&self, custodian: &Custodian, question: &Question, journal: Option<Uuid>) -> String {
        let bytes = self.bytes();
        Base64::encode(&[&bytes[..], &mac(custodian, question, journal, &bytes)].concat())
    }

    pub(super) fn read(text: &str, custodian: &Custodian, question: &Question, journal: Option<Uuid>) -> Result<Self> {
        const MESSAGE: &str = "The `next` of an answer to the same question is expected, at the server that gave it: each looks \
            through its own journal.";
        let read = Base64::decode(text).and_then(|Base64(bytes)| {
            let (bytes, given) = bytes.split_last_chunk::<MAC_LEN>()?;
            let (is_whole, place) = bytes.split_last()?;
            let after = Some(Place::of_bytes(place)?);
            let is_ours = mac(custodian, question, journal, bytes) == *given;
            is_ours.then_some(Self { after, is_whole: *is_whole == 1 })
        });
        read.ok_or_else(|| Error::value("/after", MESSAGE))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.after.map(|place| place.to_bytes()).unwrap_or_default();
        bytes.push(self.is_whole.into());
        bytes
    }
}

/// Whoever could make one could only deceive themselves, so it need not be compared in constant time.
fn mac(custodian: &Custodian, question: &Question, journal: Option<Uuid>, bytes: &[u8]) -> [u8; MAC_LEN] {
    let Question { profile, plain, from_ms, to_ms } = question;
    let time = [from_ms.unwrap_or(i64::MIN), to_ms.unwrap_or(i64::MAX)].map(i64::to_be_bytes).concat();
    let (journal, profile) = (journal.unwrap_or_default(), Uuid::from(*profile));
    let fixed = [&journal.as_bytes()[..], profile.as_bytes(), &time, bytes].concat();
    first(&custodian.keyed_hash("place in a journal", &[&fixed[..], plain.as_bytes()].concat()))
}

fn first(hash: &[u8; 32]) -> [u8; MAC_LEN] {
    *hash.first_chunk().expect("the hash is longer")
}
