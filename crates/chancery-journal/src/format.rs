//! What is in a segment. Numbers are big-endian.
//!
//! ```text
//! segment = header record*
//! header  = "CHYJRNL2" journal[16] segment[8] first-record[8] made-at-ms[8] hash-before[32]
//!           sealed-length[2] sealed-key mac[16]
//! record  = length[4] body[length] mac[16]
//! body    = 1 time-ms[8] request[16] session[16] source[16] profile[16] key-version[4] first[4] total[4]
//!           view[1] members[1] action-length[1] outcome-length[1] member[16]* action outcome tag[8]*    a call
//!         | 2 time-ms[8]                                                                              the end
//! ```
//!
//! A batch of very many values has several records, which have the request in common; `first` is the place of the first
//! tag in the call, from 0. A length of 0 is the end of what was written so far. Sources are IPv6 addresses, IPv4 mapped
//! into them. The hash of a body is SHA-256, from 4,096 bytes on BLAKE3; in older segments, which begin with "CHYJRNL1",
//! always SHA-256.

use std::net::{IpAddr, Ipv6Addr};

use chancery_keys::JOURNAL_TAG_LEN;
use uuid::Uuid;

/// Bytes of a token's tag.
pub const TAG_LEN: usize = JOURNAL_TAG_LEN;

pub(crate) const MAC_LEN: usize = chancery_keys::JOURNAL_MAC_LEN;

/// A segment has room for the largest record at least.
pub const SEGMENT_BYTES_MIN: usize = 192 * 1_024;

/// Tags of one record: others wait while it is copied.
pub(crate) const TAGS_MAX: usize = 16_384;

/// Bytes of a body at most: the tags, 255 members and two names.
pub(crate) const BODY_MAX: usize = TAGS_MAX * TAG_LEN + 255 * 16 + 2 * 255 + FIXED;

const FIXED: usize = 1 + 8 + 4 * 16 + 3 * 4 + 4;
const CALL: u8 = 1;
const END: u8 = 2;

/// How much of the values the caller saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The call shows none.
    None,
    /// All of them.
    Full,
    /// What a mask leaves.
    Partial,
}

impl View {
    const fn code(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Full => 1,
            Self::Partial => 2,
        }
    }

    const fn of(code: u8) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::Full),
            2 => Some(Self::Partial),
            _ => None,
        }
    }
}

/// A call, or a part of one, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'c> {
    /// When, in milliseconds since 1970 UTC.
    pub time_ms: i64,
    /// The request that log and answer name.
    pub request: u128,
    /// The caller's session.
    pub session: Uuid,
    /// From where.
    pub source: IpAddr,
    /// The token profile that was named, whether there is one or not.
    pub profile: Uuid,
    /// The version of its key; 0 where each token tells its own, or none was used.
    pub key_version: u32,
    /// The place of the first tag among the call's values, from 0.
    pub first: u32,
    /// Values of the call.
    pub total: u32,
    /// How much the caller saw.
    pub view: View,
    /// The identities of the session: 255 at most are recorded.
    pub members: Vec<Uuid>,
    /// What was done, as the audit records call it.
    pub action: &'c str,
    /// Success, or the errorCode.
    pub outcome: &'c str,
    /// The tags of the tokens, one after the other; zeros where a value has none.
    pub tags: Vec<u8>,
}

/// A body as it is found.
pub(crate) enum Body<'b> {
    Call(Call<'b>),
    /// The segment ends here.
    End,
}

impl Call<'_> {
    /// The bodies of its records: what stands before the tags, and the tags.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = (Vec<u8>, &[u8])> {
        // One without values has a body too.
        let none = self.tags.is_empty().then_some(&[][..]);
        let parts = none.into_iter().chain(self.tags.chunks(TAGS_MAX * TAG_LEN)).zip((0..).step_by(TAGS_MAX));
        parts.map(|(tags, place)| (self.before_tags(self.first.saturating_add(place)), tags))
    }

    fn before_tags(&self, first: u32) -> Vec<u8> {
        let members = &self.members[..self.members.len().min(255)];
        let (action, outcome) = (short(self.action), short(self.outcome));
        let length = FIXED + members.len() * 16 + action.len() + outcome.len();
        let mut body = Vec::with_capacity(length);
        body.push(CALL);
        body.extend_from_slice(&self.time_ms.to_be_bytes());
        body.extend_from_slice(&self.request.to_be_bytes());
        body.extend_from_slice(self.session.as_bytes());
        body.extend_from_slice(&mapped(self.source).octets());
        body.extend_from_slice(self.profile.as_bytes());
        body.extend_from_slice(&self.key_version.to_be_bytes());
        body.extend_from_slice(&first.to_be_bytes());
        body.extend_from_slice(&self.total.to_be_bytes());
        body.extend_from_slice(&[self.view.code(), members.len() as u8, action.len() as u8, outcome.len() as u8]);
        members.iter().for_each(|member| body.extend_from_slice(member.as_bytes()));
        body.extend_from_slice(action);
        body.extend_from_slice(outcome);
        body
    }

    /// How many tags it has.
    #[must_use]
    pub fn values(&self) -> usize {
        self.tags.len() / TAG_LEN
    }

    /// The places, among the call's values, of those with this tag.
    pub fn places_of(&self, tag: &[u8; TAG_LEN]) -> impl Iterator<Item = u32> {
        let found = self.tags.chunks_exact(TAG_LEN).zip(self.first..).filter(move |(found, _)| *found == tag);
        found.map(|(_, place)| place)
    }
}

/// The body that ends a segment.
pub(crate) fn end(time_ms: i64) -> Vec<u8> {
    [&[END][..], &time_ms.to_be_bytes()].concat()
}

/// Bytes that the end of a segment takes.
pub(crate) const END_LEN: usize = 4 + 1 + 8 + MAC_LEN;

fn short(name: &str) -> &[u8] {
    &name.as_bytes()[..name.len().min(255)]
}

fn mapped(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
}

/// Takes bytes from the front.
pub(crate) struct Taker<'b>(pub(crate) &'b [u8]);

impl<'b> Taker<'b> {
    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn uuid(&mut self) -> Option<Uuid> {
        self.array().map(Uuid::from_bytes)
    }

    fn text(&mut self, length: u8) -> Option<&'b str> {
        std::str::from_utf8(self.bytes(usize::from(length))?).ok()
    }
}

/// Reads a body.
pub(crate) fn read(body: &[u8]) -> Option<Body<'_>> {
    let mut body = Taker(body);
    match body.array()? {
        [CALL] => read_call(body).map(Body::Call),
        [END] => (body.0.len() == 8).then_some(Body::End),
        [_] => None,
    }
}

fn read_call(mut body: Taker<'_>) -> Option<Call<'_>> {
    let (time_ms, request) = (i64::from_be_bytes(body.array()?), u128::from_be_bytes(body.array()?));
    let (session, source, profile) = (body.uuid()?, Ipv6Addr::from(body.array::<16>()?), body.uuid()?);
    let (key_version, first, total) = (body.u32()?, body.u32()?, body.u32()?);
    let [view, members, action, outcome] = body.array()?;
    let members = (0..members).map(|_| body.uuid()).collect::<Option<_>>()?;
    let (action, outcome) = (body.text(action)?, body.text(outcome)?);
    let (view, tags) = (View::of(view)?, body.0.to_vec());
    let source = source.to_canonical();
    let is_whole = tags.len().is_multiple_of(TAG_LEN);
    is_whole.then_some(Call {
        time_ms,
        request,
        session,
        source,
        profile,
        key_version,
        first,
        total,
        view,
        members,
        action,
        outcome,
        tags,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let call = Call {
            time_ms: 1_764_000_000_000,
            request: 5 << 100,
            session: Uuid::from_u128(1),
            source: "192.0.2.1".parse().unwrap(),
            profile: Uuid::from_u128(2),
            key_version: 3,
            first: 0,
            total: 40_000,
            view: View::Partial,
            members: vec![Uuid::from_u128(4), Uuid::from_u128(5)],
            action: "BatchDetokenize",
            outcome: "Success",
            tags: (0..40_000_u64).flat_map(u64::to_be_bytes).collect(),
        };
        let bodies: Vec<_> = call.bodies().map(|(head, tags)| [&head[..], tags].concat()).collect();
        let parts: Vec<_> = bodies.iter().filter_map(|body| read(body)).collect();
        let parts: Vec<_> =
            parts.iter().filter_map(|body| if let Body::Call(call) = body { Some(call) } else { None }).collect();
        assert_eq!(
            parts.iter().map(|part| (part.first, part.values())).collect::<Vec<_>>(),
            [(0, TAGS_MAX), (16_384, TAGS_MAX), (32_768, 7_232)]
        );
        assert_eq!(parts[2].places_of(&39_999_u64.to_be_bytes()).collect::<Vec<_>>(), [39_999]);
        let joined = parts.iter().flat_map(|part| part.tags.clone()).collect();
        assert_eq!(Call { tags: joined, ..parts[0].clone() }, call);
        for length in 0..FIXED {
            assert!(read(&bodies[0][..length]).is_none(), "{length}");
        }
    }
}
