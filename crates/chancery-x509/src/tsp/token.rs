//! What a time stamp says (RFC 3161, 2.4.2).

use der::{
    Any, Decode, DecodeValue, Encode, EncodeValue, ErrorKind, FixedTag, Header, Length, Reader, Sequence, Tag, Writer,
    asn1::{Int, ObjectIdentifier, OctetString},
};
use jiff::civil::DateTime;
use x509_cert::ext::{Extension, pkix::name::GeneralName};

use super::{oid::Oid, request::MessageImprint};
use crate::{
    cms::{self, Signed},
    time::{EPOCH, civil},
};

/// id-ct-TSTInfo.
pub const TST_INFO: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.1.4");

/// ```text
/// TSTInfo ::= SEQUENCE {
///   version        INTEGER { v1(1) },
///   policy         TSAPolicyId,
///   messageImprint MessageImprint,
///   serialNumber   INTEGER,
///   genTime        GeneralizedTime,
///   accuracy       Accuracy OPTIONAL,
///   ordering       BOOLEAN DEFAULT FALSE,
///   nonce          INTEGER OPTIONAL,
///   tsa            [0] GeneralName OPTIONAL,
///   extensions     [1] IMPLICIT Extensions OPTIONAL }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Debug, Sequence)]
pub struct TstInfo {
    pub version: u8,
    pub policy: Oid,
    pub message_imprint: MessageImprint,
    pub serial_number: Int,
    pub gen_time: GenTime,
    #[asn1(optional = "true")]
    pub accuracy: Option<Accuracy>,
    #[asn1(default = "Default::default")]
    pub ordering: bool,
    #[asn1(optional = "true")]
    pub nonce: Option<Int>,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    pub tsa: Option<Any>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub extensions: Option<Vec<Extension>>,
}

/// ```text
/// Accuracy ::= SEQUENCE {
///   seconds INTEGER OPTIONAL, millis [0] INTEGER (1..999) OPTIONAL, micros [1] INTEGER (1..999) OPTIONAL }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Debug, Sequence)]
pub struct Accuracy {
    #[asn1(optional = "true")]
    pub seconds: Option<u32>,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    pub millis: Option<u16>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    pub micros: Option<u16>,
}

/// A GeneralizedTime to the millisecond, which may have a fraction, in DER without trailing zeros. In milliseconds since
/// the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GenTime(pub i64);

impl GenTime {
    fn text(self) -> der::Result<String> {
        let second = civil(self.0.div_euclid(1_000)).map_err(|_| ErrorKind::DateTime)?;
        let mut text = second.strftime("%Y%m%d%H%M%S").to_string();
        let ms = self.0.rem_euclid(1_000);
        if ms > 0 {
            text += format!(".{ms:03}").trim_end_matches('0');
        }
        text.push('Z');
        Ok(text)
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
        let (second, fraction) = text.split_once('.').map_or((text, None), |(second, rest)| (second, Some(rest)));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if second.len() != 14 || !digits(second) || !fraction.is_none_or(digits) {
            return None;
        }
        let [year, month, day, hour, minute, second] = [0..4, 4..6, 6..8, 8..10, 10..12, 12..14].map(|at| &second[at]);
        let small = |text: &str| text.parse::<i8>().ok();
        let year = year.parse().ok()?;
        let moment = DateTime::new(year, small(month)?, small(day)?, small(hour)?, small(minute)?, small(second)?, 0);
        let seconds = moment.ok()?.duration_since(EPOCH).as_secs();
        // What is finer than a millisecond is cut off.
        let ms: String = fraction.unwrap_or_default().chars().chain("000".chars()).take(3).collect();
        seconds.checked_mul(1_000)?.checked_add(ms.parse().ok()?).map(Self)
    }
}

impl FixedTag for GenTime {
    const TAG: Tag = Tag::GeneralizedTime;
}

impl<'a> DecodeValue<'a> for GenTime {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Self> {
        let text = reader.read_vec(header.length())?;
        Self::parse(&text).ok_or_else(|| reader.error(ErrorKind::DateTime))
    }
}

impl EncodeValue for GenTime {
    fn value_len(&self) -> der::Result<Length> {
        Length::try_from(self.text()?.len())
    }

    fn encode_value(&self, writer: &mut impl Writer) -> der::Result<()> {
        writer.write(self.text()?.as_bytes())
    }
}

/// What a CMS encloses as a time stamp, for the certificate that is to sign it. `digest` hashes it.
pub fn signed(
    info: &TstInfo,
    chain: &[Vec<u8>],
    with_certificates: bool,
    digest: impl FnOnce(&[u8]) -> Vec<u8>,
) -> der::Result<Signed> {
    let info = info.to_der()?;
    Ok(Signed {
        version: 3,
        with_certificates,
        content_type: TST_INFO,
        digest: digest(&info),
        content: Some(Any::from_der(&OctetString::new(info)?.to_der()?)?),
        attributes: vec![cms::signing_certificate(chain)?],
    })
}

/// The name of whoever signs, as `tsa` has it.
pub fn tsa(name: x509_cert::name::Name) -> der::Result<Any> {
    Any::from_der(&GeneralName::DirectoryName(name).to_der()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_have_no_trailing_zeros_and_whole_seconds_no_point() {
        for (ms, text) in [
            (0, "19700101000000Z"),
            (1_782_043_200_500, "20260621120000.5Z"),
            (1_782_043_200_050, "20260621120000.05Z"),
            (1_782_043_200_123, "20260621120000.123Z"),
            (1_782_043_200_120, "20260621120000.12Z"),
            (253_402_300_799_000, "99991231235959Z"),
        ] {
            let der = GenTime(ms).to_der().unwrap();
            assert_eq!((der[0], std::str::from_utf8(&der[2..]).unwrap()), (0x18, text));
            assert_eq!(GenTime::from_der(&der).unwrap(), GenTime(ms));
        }
        assert_eq!(GenTime::parse(b"20260621120000.1239Z"), Some(GenTime(1_782_043_200_123)));
        for none in
            ["20260621120000", "20261321120000Z", "20260621120000.Z", "2026062112000Z", "20260621120000.-1Z", "Z", ""]
        {
            assert_eq!(GenTime::parse(none.as_bytes()), None, "{none}");
        }
    }
}
