//! Time stamps (RFC 3161, RFC 5816): what is asked of an authority, what it answers, and what a stamp says.

use der::asn1::ObjectIdentifier;
use x509_cert::attr::Attribute;

pub mod oid;
pub mod request;
pub mod response;
pub mod token;

/// id-aa-timeStampToken (RFC 3161, appendix A).
pub const TIME_STAMP_TOKEN: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.14");
/// The same in signatures for Windows.
pub const RFC3161_COUNTERSIGNATURE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.3.3.1");

/// Whether an attribute beside a signature is a time stamp.
pub fn is_time_stamp(attribute: &Attribute) -> bool {
    [TIME_STAMP_TOKEN, RFC3161_COUNTERSIGNATURE].contains(&attribute.oid)
}
