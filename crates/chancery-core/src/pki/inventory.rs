//! The inventory: certificates found by what they say, page after page.

use chancery_store::{pattern, tables};
use chancery_types::{
    Base64, KeyAlgorithm,
    wire::x509::{CertificatePage, CertificateQuery},
};
use uuid::Uuid;

use super::stored::StoredCertificate;
use crate::{Caller, Chancery, Error, Result, time};

/// Certificates of a page where the query does not say.
const PAGE_SIZE: u32 = 50;

impl Chancery {
    /// The certificates that the query asks for, by name.
    pub async fn certificates(&self, caller: &Caller, query: &CertificateQuery) -> Result<CertificatePage> {
        self.grant_to_all(caller);
        let now_ms = self.clock.now_ms();
        let page_size = query.page_size.unwrap_or(PAGE_SIZE);
        if !(1..=self.limits.page_size_max).contains(&page_size) {
            return Err(Error::value("/pageSize", format!("pageSize is 1 to {}.", self.limits.page_size_max)));
        }
        let filter = tables::certificates::Filter {
            pattern: pattern(query.search.as_deref().unwrap_or_default()),
            issuer_id: query.issuer.map(Uuid::from),
            status: query.status.map(|status| status.as_str().to_owned()),
            spec_prefix: query.key_algorithm.map(|algorithm| spec_prefix(algorithm).to_owned()),
            not_after_before_s: query.expires_before.as_deref().map(moment).transpose()?,
            now_s: now_ms.div_euclid(1_000),
        };
        let after = query.after.as_deref().map_or_else(|| Ok(Cursor::start()), Cursor::read)?;
        // One more than the page holds tells whether there is another.
        let mut rows = self
            .store
            .read(move |tx| {
                Box::pin(async move {
                    tables::certificates::list(tx, &filter, (&after.name_key, after.id), page_size + 1).await
                })
            })
            .await?;
        let more = rows.len() > page_size as usize;
        rows.truncate(page_size as usize);
        let last = rows.last().filter(|_| more).map(|row| Cursor { name_key: row.name_key.clone(), id: row.id });
        let stub = |row| Ok(StoredCertificate::from_row(row)?.stub(now_ms));
        Ok(CertificatePage {
            results: rows.into_iter().map(stub).collect::<Result<_>>()?,
            page_size,
            next: last.map(|last| last.write()),
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

/// The last certificate of a page: the next page begins after it, whatever was added or removed meanwhile.
struct Cursor {
    name_key: String,
    id: Uuid,
}

impl Cursor {
    const fn start() -> Self {
        Self { name_key: String::new(), id: Uuid::nil() }
    }

    fn write(&self) -> String {
        Base64::encode(&[self.id.as_bytes(), self.name_key.as_bytes()].concat())
    }

    fn read(text: &str) -> Result<Self> {
        let refusal = || Error::value("/after", "The `next` of a page is expected.");
        // A plus sign means a space in a query, and `next` is often put there as it is.
        let Base64(bytes) = Base64::decode(&text.replace(' ', "+")).ok_or_else(refusal)?;
        let (id, name_key) = bytes.split_at_checked(16).ok_or_else(refusal)?;
        let name_key = std::str::from_utf8(name_key).map_err(|_| refusal())?.to_owned();
        let id = Uuid::from_slice(id).map_err(|_| refusal())?;
        if name_key.contains('\0') { Err(refusal()) } else { Ok(Self { name_key, id }) }
    }
}
