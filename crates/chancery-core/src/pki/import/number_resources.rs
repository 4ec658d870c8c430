//! Number resources of an authority (RFC 3779, 2.2.3 and 3.2.3). They are read for their form alone: OpenSSL refuses each path
//! with some that it cannot read.

use der::{
    Choice, Decode, Sequence,
    asn1::{BitStringRef, IntRef, Null, OctetStringRef},
};

/// Whether it is an `IPAddrBlocks`.
pub(super) fn are_addresses(value: &[u8]) -> bool {
    Vec::<AddressFamily<'_>>::from_der(value).is_ok()
}

/// Whether it is an `ASIdentifiers`.
pub(super) fn are_systems(value: &[u8]) -> bool {
    Systems::from_der(value).is_ok()
}

#[derive(Sequence)]
struct AddressFamily<'a> {
    family: &'a OctetStringRef,
    addresses: Addresses<'a>,
}

#[derive(Choice)]
enum Addresses<'a> {
    Inherited(Null),
    Own(Vec<AddressOrRange<'a>>),
}

#[derive(Choice)]
enum AddressOrRange<'a> {
    Prefix(BitStringRef<'a>),
    Range(AddressRange<'a>),
}

#[derive(Sequence)]
struct AddressRange<'a> {
    min: BitStringRef<'a>,
    max: BitStringRef<'a>,
}

#[derive(Sequence)]
struct Systems<'a> {
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    numbers: Option<Numbers<'a>>,
    #[asn1(context_specific = "1", tag_mode = "EXPLICIT", optional = "true")]
    routing_domains: Option<Numbers<'a>>,
}

#[derive(Choice)]
enum Numbers<'a> {
    Inherited(Null),
    Own(Vec<NumberOrRange<'a>>),
}

#[derive(Choice)]
enum NumberOrRange<'a> {
    One(IntRef<'a>),
    Range(NumberRange<'a>),
}

#[derive(Sequence)]
struct NumberRange<'a> {
    min: IntRef<'a>,
    max: IntRef<'a>,
}
