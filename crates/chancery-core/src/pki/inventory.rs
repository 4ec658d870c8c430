//! The inventory: certificates found by what they say, page after page.

use chancery_store::{
    name_key, pattern,
    tables::{
        self,
        certificates::{Filter, Part, Position},
    },
};
use chancery_types::{
    Base64, KeyAlgorithm,
    wire::x509::{CertificatePage, CertificateQuery},
};
use uuid::Uuid;

use super::stored_certificate::StoredCertificate;
use crate::{Caller, Error, Pki, Result, time};

/// Certificates of a page where the query does not say.
const PAGE_SIZE: u32 = 50;

impl Pki {
    /// The certificates that the query asks for, by name or, with `expiresBefore`, by their end.
    pub async fn certificates(&self, caller: &Caller, query: &CertificateQuery) -> Result<CertificatePage> {
        let grant = self.context.grant_to_all(caller);
        let now_ms = self.context.clock.now_ms();
        let page_size = query.page_size.unwrap_or(PAGE_SIZE);
        if !(1..=self.context.limits.page_size_max).contains(&page_size) {
            return Err(Error::value("/pageSize", format!("pageSize is 1 to {}.", self.context.limits.page_size_max)));
        }
        let filter = Filter {
            pattern: query.search.as_deref().filter(|term| !term.is_empty()).map(pattern),
            name_prefix: query.name.as_deref().map(prefix).transpose()?,
            issuer_id: query.issuer.map(Uuid::from),
            serial: query.serial_number.as_deref().map(serial).transpose()?,
            status: query.status.map(|status| status.as_str().to_owned()),
            spec_prefix: query.key_algorithm.map(|algorithm| spec_prefix(algorithm).to_owned()),
            not_after_before_s: query.expires_before.as_deref().map(moment).transpose()?,
            now_s: now_ms.div_euclid(1_000),
        };
        let by_end = filter.not_after_before_s.is_some();
        let after = query.after.as_deref().map_or_else(|| Ok(start(by_end)), |text| read(text, by_end))?;
        let scan_max = self.context.limits.lists.inventory_scan_max;
        let part = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::certificates::list(tx, &filter, after, page_size, scan_max).await?) })
        });
        let Part { rows, next } = part.await?;
        let stub = |row| Ok(StoredCertificate::from_row(row)?.stub(now_ms));
        Ok(CertificatePage {
            results: rows.into_iter().map(stub).collect::<Result<_>>()?,
            page_size,
            next: next.map(|next| write(&next)),
        })
    }
}

/// How the kinds of keys of an algorithm begin in the store.
const fn spec_prefix(algorithm: KeyAlgorithm) -> &'static str {
    match algorithm {
        KeyAlgorithm::Rsa => "RSA-",
        KeyAlgorithm::Ec => "EC-",
        KeyAlgorithm::Ed25519 => "Ed25519",
        KeyAlgorithm::MlDsa => "ML-DSA-",
        KeyAlgorithm::Aes => "AES-",
        KeyAlgorithm::Hmac => "HMAC-",
    }
}

fn moment(text: &str) -> Result<i64> {
    time::parse_rfc3339(text)
        .map(|ms| ms.div_euclid(1_000))
        .ok_or_else(|| Error::value("/expiresBefore", "A moment is expected, such as 2027-01-01T00:00:00Z (RFC 3339)."))
}

/// A name as the store compares it. NUL cannot be stored, so no name has it.
fn prefix(text: &str) -> Result<String> {
    if text.contains('\0') { Err(Error::value("/name", "A name has no NUL character.")) } else { Ok(name_key(text)) }
}

/// A serial number as the store has it. Colons may stand between the bytes, as many tools print them.
fn serial(text: &str) -> Result<String> {
    let digits: String = text.chars().filter(|character| *character != ':').collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Error::value("/serialNumber", "A serial number in hexadecimal digits is expected."));
    }
    Ok(digits.to_ascii_uppercase())
}

/// Before the first certificate of a list by name, or by end.
const fn start(by_end: bool) -> Position {
    if by_end { Position::End(i64::MIN, Uuid::nil()) } else { Position::Name(String::new(), Uuid::nil()) }
}

/// A position as callers hand it back: the id, then the key of the list's order.
fn write(position: &Position) -> String {
    let (id, key) = match position {
        Position::Name(key, id) => (id, key.as_bytes().to_vec()),
        Position::End(second, id) => (id, second.to_be_bytes().to_vec()),
    };
    Base64::encode(&[id.as_bytes(), key.as_slice()].concat())
}

fn read(text: &str, by_end: bool) -> Result<Position> {
    let refusal = || Error::value("/after", "The `next` of a page of the same query is expected.");
    // A plus sign means a space in a query, and `next` is often put there as it is.
    let Base64(bytes) = Base64::decode(&text.replace(' ', "+")).ok_or_else(refusal)?;
    let (id, key) = bytes.split_at_checked(16).ok_or_else(refusal)?;
    let id = Uuid::from_slice(id).map_err(|_| refusal())?;
    if by_end {
        let second = key.try_into().map_err(|_| refusal())?;
        return Ok(Position::End(i64::from_be_bytes(second), id));
    }
    let key = std::str::from_utf8(key).map_err(|_| refusal())?.to_owned();
    if key.contains('\0') { Err(refusal()) } else { Ok(Position::Name(key, id)) }
}
