//! The OCSP responder (RFC 6960): for every trusted authority, with a certificate of its own that it makes and renews by
//! itself.

mod request;
mod response;

use chancery_keys::hash;
use chancery_store::{Tx, tables};
use chancery_types::{Action, HashType, ValidityUnit};
use der::Decode;
use serde_json::json;
use uuid::Uuid;
use x509_cert::Certificate;

use super::{
    cert_profile::{OCSP_RESPONDER, built_in},
    dn::DistinguishedName,
    issue::check_issuer,
    order::{Order, scheme},
    stored::StoredCertificate,
    validity::Period,
};
use crate::{Chancery, Error, Event, Meaning, Result, Visitor, audit::Actor, keys::key_type::KeyType};
use request::{Asked, CertId};
use response::{Standing, Status};

/// How long a responder's certificate lasts. Nobody can revoke it (id-pkix-ocsp-nocheck), so it is short.
const RESPONDER_LIFETIME_S: i64 = 30 * 24 * 3_600;

/// It is renewed when this much of its life is left: longer than any answer is good for.
const RENEW_BEFORE_S: i64 = 7 * 24 * 3_600;

/// An authority and what it says of the certificates asked about.
struct Findings {
    authority: StoredCertificate,
    standings: Vec<(CertId, Standing)>,
    responder: Option<StoredCertificate>,
}

impl Chancery {
    /// Answers an OCSP request, for anybody. What cannot be answered is said in the answer, as the protocol wants it.
    pub async fn ocsp(&self, _visitor: &Visitor, request: &[u8]) -> Result<Vec<u8>> {
        let status = match request::read(request) {
            None => Status::MalformedRequest,
            Some(asked) => match self.answer(asked).await {
                Ok(answer) => return Ok(answer),
                Err(refusal) => status_of(&refusal),
            },
        };
        response::refusal(status).map_err(Error::internal)
    }

    async fn answer(&self, asked: Asked) -> Result<Vec<u8>> {
        let Asked { certificates, nonce } = asked;
        let now_ms = self.clock.now_ms();
        let now_s = now_ms.div_euclid(1_000);
        let found = self.store.read(move |tx| Box::pin(find(tx, certificates))).await?;
        let responder = match found.responder.filter(|responder| is_good(responder, now_ms)) {
            Some(responder) => responder,
            None => self.new_responder(&found.authority).await?,
        };
        let key = responder.key.ok_or_else(|| Error::internal("an OCSP responder's key was not saved"))?;
        let key = self.signing_key(key).await?;
        let scheme = scheme(responder.spec, None)?;
        let key_hash = hash(HashType::Sha1, &key_bits(&responder.der)?);
        let to_be_signed =
            response::to_be_signed(key_hash.as_bytes(), now_s, found.standings, nonce).map_err(Error::internal)?;
        let signature = self.sign(&key, scheme, to_be_signed.clone()).await?;
        response::assemble(&to_be_signed, scheme.algorithm_identifier(), &signature, &responder.der)
            .map_err(Error::internal)
    }

    /// Issues a responder's certificate, unless somebody did so while we waited for our turn.
    async fn new_responder(&self, authority: &StoredCertificate) -> Result<StoredCertificate> {
        let _turn = self.ocsp_turn.lock().await;
        let (authority_id, now_ms) = (authority.id, self.clock.now_ms());
        let newest = self.store.read(move |tx| Box::pin(newest_responder(tx, authority_id.into()))).await?;
        if let Some(responder) = newest.filter(|responder| is_good(responder, now_ms)) {
            return Ok(responder);
        }
        let prepared = self.prepare_certificate(responder_order(authority, now_ms)?).await?;
        let id = prepared.id;
        let event = Event::new(Action::CertificateGenerate)
            .on(Uuid::from(id))
            .detail(json!({"subject": prepared.subject, "serialNumber": prepared.serial.to_hex(), "saved": true}));
        self.commit_as(Actor::host("ocsp"), event, move |tx| {
            Box::pin(async move {
                prepared.insert(tx, now_ms).await?;
                let row = tables::ocsp_responders::Row { issuer_id: authority_id.into(), certificate_id: id.into() };
                tables::ocsp_responders::set(tx, &row).await?;
                StoredCertificate::load(tx, id).await
            })
        })
        .await
    }
}

/// Finds the authority that issued what is asked about, and where each certificate stands.
async fn find(tx: &mut Tx, certificates: Vec<CertId>) -> Result<Findings> {
    let mut authorities = Vec::new();
    for row in tables::certificates::trusted(tx).await? {
        let parsed = Certificate::from_der(&row.der).map_err(Error::internal)?;
        let tbs = parsed.tbs_certificate();
        let bits = tbs.subject_public_key_info().subject_public_key.raw_bytes();
        let mut named = certificates.iter().map(|certificate| certificate.is_issued_by(tbs.subject(), bits));
        if named.try_fold(true, |all, named| Ok::<_, der::Error>(all & named?)).map_err(Error::internal)? {
            authorities.push(StoredCertificate::from_row(row)?);
        }
    }
    // Certificates of one name and key are one authority; the one that knows the serial number speaks.
    let serial = certificates.first().map(CertId::serial).unwrap_or_default();
    let mut speaker = None;
    for authority in &authorities {
        if tables::certificates::by_serial(tx, authority.id.into(), &serial).await?.is_some() {
            speaker = Some(authority);
        }
    }
    let authority = speaker.or(authorities.first()).cloned().ok_or_else(|| Error::not_found("authority"))?;
    let mut standings = Vec::new();
    for certificate in certificates {
        let row = tables::certificates::by_serial(tx, authority.id.into(), &certificate.serial()).await?;
        let standing = match row.map(StoredCertificate::from_row).transpose()? {
            None => Standing::Unknown,
            Some(StoredCertificate { revoked: Some(revoked), .. }) => Standing::Revoked(revoked),
            Some(_) => Standing::Good,
        };
        standings.push((certificate, standing));
    }
    let responder = newest_responder(tx, authority.id.into()).await?;
    Ok(Findings { authority, standings, responder })
}

async fn newest_responder(tx: &mut Tx, authority: Uuid) -> Result<Option<StoredCertificate>> {
    match tables::ocsp_responders::of_issuer(tx, authority).await? {
        Some(row) => StoredCertificate::find(tx, row.certificate_id.into()).await,
        None => Ok(None),
    }
}

/// Whether a responder may go on signing.
fn is_good(responder: &StoredCertificate, now_ms: i64) -> bool {
    let left_s = responder.validity.not_after_s() - now_ms.div_euclid(1_000);
    // One that ends with its authority cannot be renewed for longer.
    let whole_s = responder.validity.not_after_s() - responder.validity.not_before_s();
    responder.revoked.is_none() && responder.validity.contains(now_ms) && left_s > RENEW_BEFORE_S.min(whole_s / 4)
}

fn responder_order(authority: &StoredCertificate, now_ms: i64) -> Result<Order> {
    check_issuer(std::slice::from_ref(authority), now_ms)?;
    let left_s = authority.validity.not_after_s() - now_ms.div_euclid(1_000);
    let name: String = format!("OCSP Responder of {}", authority.name).chars().take(64).collect();
    Ok(Order {
        profile: built_in(OCSP_RESPONDER).ok_or_else(|| Error::internal("no OCSP profile is built in"))?,
        issuer: Some(authority.id),
        subject: DistinguishedName::common(name.trim_end()).map_err(Error::internal)?,
        alt_names: Vec::new(),
        key_type: KeyType::by_spec(authority.spec).ok_or_else(|| Error::internal("an authority without key type"))?,
        save_key: true,
        given: None,
        period: Period { amount: left_s.min(RESPONDER_LIFETIME_S), unit: ValidityUnit::Second },
        hash: None,
        trust: false,
    })
}

/// The bits of a certificate's public key.
fn key_bits(der: &[u8]) -> Result<Vec<u8>> {
    let certificate = Certificate::from_der(der).map_err(Error::internal)?;
    Ok(certificate.tbs_certificate().subject_public_key_info().subject_public_key.raw_bytes().to_vec())
}

/// How the protocol says why there is no answer.
fn status_of(refusal: &Error) -> Status {
    match refusal.meaning() {
        Meaning::Busy | Meaning::Unavailable | Meaning::Sealed => Status::TryLater,
        Meaning::Internal => {
            tracing::error!(error = refusal as &dyn std::error::Error, "an OCSP request could not be answered");
            Status::InternalError
        }
        // No such authority, or one that cannot sign any more.
        Meaning::Malformed
        | Meaning::Selection
        | Meaning::NotFound
        | Meaning::Method
        | Meaning::ContentType
        | Meaning::Value
        | Meaning::State
        | Meaning::Exists
        | Meaning::Unauthenticated
        | Meaning::Forbidden
        | Meaning::ApiAccessDisabled
        | Meaning::TooLarge => Status::Unauthorized,
    }
}
