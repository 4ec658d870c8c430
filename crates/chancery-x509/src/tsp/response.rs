//! What a time-stamping authority answers (RFC 3161, 2.4.2).

use std::{borrow::Cow, fmt};

use der::{Any, Decode, Encode, Sequence, asn1::BitString};

/// ```text
/// TimeStampResp ::= SEQUENCE { status PKIStatusInfo, timeStampToken TimeStampToken OPTIONAL }
/// ```
#[derive(Sequence)]
struct TimeStampResp {
    status: PkiStatusInfo,
    #[asn1(optional = "true")]
    time_stamp_token: Option<Any>,
}

/// ```text
/// PKIStatusInfo ::= SEQUENCE {
///   status       PKIStatus,
///   statusString PKIFreeText OPTIONAL,
///   failInfo     PKIFailureInfo OPTIONAL }
/// ```
#[derive(Sequence)]
struct PkiStatusInfo {
    status: u8,
    #[asn1(optional = "true")]
    status_string: Option<Vec<String>>,
    #[asn1(optional = "true")]
    fail_info: Option<BitString>,
}

const GRANTED: u8 = 0;
/// Granted, with changes: what matters is checked in the token.
const GRANTED_WITH_MODS: u8 = 1;
const REJECTION: u8 = 2;

/// PKIFailureInfo: the numbers of its bits.
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailInfo {
    BadAlg = 0,
    BadRequest = 2,
    BadDataFormat = 5,
    /// Also where nothing can be stamped for now; asking again later makes sense.
    TimeNotAvailable = 14,
    UnacceptedPolicy = 15,
    UnacceptedExtension = 16,
    /// Where nothing can be stamped until somebody does something.
    SystemFailure = 25,
}

/// Why there is no time stamp.
#[derive(Clone, Debug)]
pub struct Rejection {
    /// What the protocol calls it.
    pub failure: FailInfo,
    message: Cow<'static, str>,
}

impl Rejection {
    /// A reason, and a sentence for a person.
    pub fn new(failure: FailInfo, message: impl Into<Cow<'static, str>>) -> Self {
        Self { failure, message: message.into() }
    }

    /// The answer that says it.
    pub fn to_der(&self) -> der::Result<Vec<u8>> {
        let bit = self.failure as usize;
        // A list of named bits ends with the last one that is set (X.690, 11.2.2).
        let mut bits = vec![0; bit / 8 + 1];
        bits[bit / 8] = 0x80 >> (bit % 8);
        let unused = [7, 6, 5, 4, 3, 2, 1, 0][bit % 8];
        let status = PkiStatusInfo {
            status: REJECTION,
            status_string: Some(vec![self.message.to_string()]),
            fail_info: Some(BitString::new(unused, bits)?),
        };
        TimeStampResp { status, time_stamp_token: None }.to_der()
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What somebody else's answer says.
pub enum Answered {
    /// This token, in DER.
    Granted(Vec<u8>),
    /// There is none.
    Rejected {
        /// Its PKIStatus.
        status: u8,
        /// What it said.
        why: String,
    },
}

/// Reads an answer; `None` for what is none.
pub fn read(der: &[u8]) -> Option<Answered> {
    let TimeStampResp { status, time_stamp_token } = TimeStampResp::from_der(der).ok()?;
    match status.status {
        GRANTED | GRANTED_WITH_MODS => Some(Answered::Granted(time_stamp_token?.to_der().ok()?)),
        status_number => {
            let why = status.status_string.unwrap_or_default().join(" ");
            Some(Answered::Rejected { status: status_number, why })
        }
    }
}

/// The answer that carries a token.
pub fn granted(token: &[u8]) -> der::Result<Vec<u8>> {
    let status = PkiStatusInfo { status: GRANTED, status_string: None, fail_info: None };
    TimeStampResp { status, time_stamp_token: Some(Any::from_der(token)?) }.to_der()
}

#[cfg(test)]
mod tests {
    use chancery_testkit::Tool;

    use super::*;

    #[test]
    fn openssl_reads_every_reason() {
        for (failure, told) in [
            (FailInfo::BadAlg, "unrecognized or unsupported algorithm"),
            (FailInfo::BadRequest, "transaction not permitted or supported"),
            (FailInfo::BadDataFormat, "the data submitted has the wrong format"),
            (FailInfo::TimeNotAvailable, "the TSA's time source is not available"),
            (FailInfo::UnacceptedPolicy, "the requested TSA policy is not supported"),
            (FailInfo::UnacceptedExtension, "the requested extension is not supported"),
            (FailInfo::SystemFailure, "the request cannot be handled due to system failure"),
        ] {
            let der = Rejection::new(failure, "why it is so").to_der().unwrap();
            let text =
                Tool::new("openssl").args(["ts", "-reply", "-in", "/dev/stdin", "-text"]).input(der).run().text();
            assert!(text.contains("Status: Rejected.") && text.contains("why it is so"), "{failure:?}: {text}");
            assert!(text.contains(&format!("Failure info: {told}")), "{failure:?}: {text}");
        }
    }
}
