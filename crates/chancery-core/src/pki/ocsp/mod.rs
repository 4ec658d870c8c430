//! The OCSP responder (RFC 6960): for every trusted authority, with a certificate of its own that it makes and renews by
//! itself.

mod answers;
mod issuers;

use std::sync::Arc;

use chancery_keys::hash;
use chancery_store::{Tx, tables};
use chancery_types::{Action, CertificateId, HashType, ValidityUnit};
use chancery_x509::ocsp::{
    request::{self, Asked, CertId},
    response::{self, Standing, Status},
};
use der::{Decode, asn1::ObjectIdentifier};
use issuers::Issuers;
use serde_json::json;
use uuid::Uuid;
use x509_cert::{Certificate, name::RelativeDistinguishedName};

use super::{
    Issuer,
    cert_profile::{OCSP_RESPONDER, built_in},
    dn::{DistinguishedName, DnError},
    issue::Clearance,
    name_constraints::NameConstraints,
    order::{Order, scheme},
    stored_certificate::StoredCertificate,
    validity::Period,
};
use crate::{
    Error, Event, Meaning, Pki, Result, Visitor,
    context::storage::{Evidence, MayRead, Recording},
    custody::Message,
};

pub(crate) use answers::Answers;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// How long a responder's certificate lasts. Nobody can revoke it (id-pkix-ocsp-nocheck), so it is short.
const RESPONDER_LIFETIME_S: i64 = 30 * 24 * 3_600;

/// It is renewed when this much of its life is left: longer than any answer is good for.
const RENEW_BEFORE_S: i64 = 7 * 24 * 3_600;

/// Answers anybody who asks where certificates stand, and gives responders their certificates. Made only here.
pub(crate) struct AnsweringOcsp(());

impl Evidence for AnsweringOcsp {}
impl MayRead for AnsweringOcsp {}
impl Recording for AnsweringOcsp {
    const NAME: &'static str = "ocsp";
    const ACTIONS: &'static [Action] = &[Action::CertificateGenerate];
}

/// The evidence that a certificate is for an authority's own responder. Made only here.
pub(crate) struct ForResponder(());

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OcspAnswer {
    /// The answer in DER.
    pub der: Vec<u8>,
    /// Whether it is the same for whoever asks, and stays so for a while.
    pub is_lasting: bool,
}

/// An authority and what it says of the certificates asked about.
struct Findings {
    authority: StoredCertificate,
    /// The last of the certificates asked about that the authority issued.
    subject: Option<CertificateId>,
    standings: Vec<(CertId, Standing)>,
    responder: Option<StoredCertificate>,
}

impl Pki {
    /// Answers an OCSP request, for anybody. What cannot be answered is said in the answer, as the protocol wants it.
    pub async fn ocsp(&self, _visitor: &Visitor, request: &[u8]) -> Result<OcspAnswer> {
        let status = match request::read(request) {
            None => Status::MalformedRequest,
            Some(asked) => match self.answer(asked).await {
                Ok(answer) => return Ok(answer),
                Err(refusal) => status_of(&refusal),
            },
        };
        Ok(OcspAnswer { der: response::refusal(status).map_err(Error::internal)?, is_lasting: false })
    }

    /// One that was signed already, if it was the same question: one certificate, and no nonce.
    async fn answer(&self, asked: Asked) -> Result<OcspAnswer> {
        let question = asked.question().map_err(Error::internal)?;
        let now_s = self.context.clock.now_ms().div_euclid(1_000);
        // A node that has not followed the store for long asks it.
        let kept = question.as_ref().filter(|_| self.context.knows_what_is_revoked());
        if let Some(der) = kept.and_then(|question| self.ocsp_answers.find(question, now_s)) {
            return Ok(OcspAnswer { der, is_lasting: true });
        }
        let read = self.ocsp_answers.generation();
        let (der, rests_on) = self.sign_answer(asked, now_s).await?;
        let lasting = question.zip(rests_on);
        let is_lasting = lasting.is_some();
        if let Some((question, rests_on)) = lasting {
            self.ocsp_answers.keep(read, question, &der, now_s, rests_on);
        }
        Ok(OcspAnswer { der, is_lasting })
    }

    /// A new answer, and where it is about certificates that we know, on which ones it rests.
    async fn sign_answer(&self, asked: Asked, now_s: i64) -> Result<(Vec<u8>, Option<[Uuid; 3]>)> {
        let Asked { certificates, nonce } = asked;
        let answers = Arc::clone(&self.ocsp_answers);
        let found = self.context.storage.read(&AnsweringOcsp(()), move |tx| {
            Box::pin(async move { find(tx, &answers.issuers, certificates).await })
        });
        let found = found.await?;
        let responder = match found.responder.filter(|responder| is_good(responder, now_s * 1_000)) {
            Some(responder) => responder,
            None => self.new_responder(&found.authority).await?,
        };
        let key = responder.key.ok_or_else(|| Error::internal("an OCSP responder's key was not saved"))?;
        let key = self.keys.signing_key(key).await?;
        let scheme = scheme(responder.spec, None)?;
        let key_hash = hash(HashType::Sha1, &key_bits(&responder.der)?);
        let rests_on = found.subject.map(|subject| [subject, found.authority.id, responder.id].map(Uuid::from));
        let to_be_signed =
            response::to_be_signed(key_hash.as_bytes(), now_s, found.standings, nonce).map_err(Error::internal)?;
        let (signed, signature) = key.sign(Message { scheme, bytes: to_be_signed }).await?;
        let answer = response::assemble(&signed.bytes, scheme.algorithm_identifier(), &signature, &responder.der);
        Ok((answer.map_err(Error::internal)?, rests_on))
    }

    /// Issues a responder's certificate, unless somebody did so while we waited for our turn.
    async fn new_responder(&self, authority: &StoredCertificate) -> Result<StoredCertificate> {
        let _turn = self.ocsp_turn.lock().await;
        let (authority_id, now_ms) = (authority.id, self.context.clock.now_ms());
        let newest = self
            .context
            .storage
            .read(&AnsweringOcsp(()), move |tx| Box::pin(newest_responder(tx, authority_id.into())))
            .await?;
        if let Some(responder) = newest.filter(|responder| is_good(responder, now_ms)) {
            return Ok(responder);
        }
        let ready = self.ready_authority(authority_id, now_ms).await?;
        let plan = self.plan_certificate(responder_order(authority, &ready.facts, now_ms)?).await?;
        let prepared = self.prepare_planned(plan, Clearance::Responder(ForResponder(()))).await?;
        let id = prepared.id;
        let event = Event::new(Action::CertificateGenerate)
            .on(Uuid::from(id))
            .detail(json!({"subject": prepared.subject, "serialNumber": prepared.serial.to_hex(), "saved": true}));
        self.context
            .commit(&AnsweringOcsp(()), event, move |tx| {
                Box::pin(async move {
                    prepared.issue(tx, true, now_ms).await?;
                    let row =
                        tables::ocsp_responders::Row { issuer_id: authority_id.into(), certificate_id: id.into() };
                    tables::ocsp_responders::set(tx, &row).await?;
                    StoredCertificate::load(tx, id).await
                })
            })
            .await
    }
}

/// Finds the authority that issued what is asked about, and where each certificate stands.
async fn find(tx: &mut Tx, issuers: &Issuers, certificates: Vec<CertId>) -> Result<Findings> {
    let serial = certificates.first().map(CertId::serial).unwrap_or_default();
    let mut authority = speaker(tx, issuers.of(&certificates), &serial).await?;
    // One of this name and key may have come since, and know the number.
    if !authority.as_ref().is_some_and(|(_, knows)| *knows) && issuers.look_for_new(tx).await? {
        authority = speaker(tx, issuers.of(&certificates), &serial).await?;
    }
    let (authority, _) = authority.ok_or_else(|| Error::not_found("authority"))?;
    let (mut standings, mut subject) = (Vec::new(), None);
    for certificate in certificates {
        let row = tables::certificates::by_serial(tx, authority.id.into(), &certificate.serial()).await?;
        let found = row.map(StoredCertificate::from_row).transpose()?;
        subject = found.as_ref().map(|found| found.id);
        let standing = match found {
            None => Standing::Unknown,
            Some(StoredCertificate { revoked: Some(revoked), .. }) => Standing::Revoked(revoked),
            Some(_) => Standing::Good,
        };
        standings.push((certificate, standing));
    }
    let responder = newest_responder(tx, authority.id.into()).await?;
    Ok(Findings { authority, subject, standings, responder })
}

/// Certificates of one name and key are one authority; the one that knows the serial number speaks, and whether one does.
/// Those without their key here say nothing; their own responders do.
async fn speaker(tx: &mut Tx, named: Vec<Uuid>, serial: &str) -> Result<Option<(StoredCertificate, bool)>> {
    let mut first = None;
    for id in named {
        let authority = StoredCertificate::find(tx, id.into()).await?;
        let Some(authority) = authority.filter(|authority| authority.trusted && authority.key.is_some()) else {
            continue;
        };
        if tables::certificates::by_serial(tx, id, serial).await?.is_some() {
            return Ok(Some((authority, true)));
        }
        first = first.or(Some(authority));
    }
    Ok(first.map(|authority| (authority, false)))
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

fn responder_order(authority: &StoredCertificate, facts: &Issuer, now_ms: i64) -> Result<Order> {
    let left_s = authority.validity.not_after_s() - now_ms.div_euclid(1_000);
    let name: String = format!("OCSP Responder of {}", authority.name).chars().take(64).collect();
    Ok(Order {
        profile: built_in(OCSP_RESPONDER).ok_or_else(|| Error::internal("no OCSP profile is built in"))?,
        issuer: Some(authority.id),
        subject: responder_name(facts, name.trim_end()).map_err(Error::internal)?,
        numbered: false,
        alt_names: Vec::new(),
        spec: authority.spec,
        save_key: true,
        given: None,
        period: Period { amount: left_s.min(RESPONDER_LIFETIME_S), unit: ValidityUnit::Second },
        hash: None,
        trust: false,
        inherits: None,
    })
}

/// The name alone or, where subjects are constrained, below what the authority is below too, or below what is permitted.
fn responder_name(authority: &Issuer, name: &str) -> Result<DistinguishedName, DnError> {
    let is_common = |part: &&RelativeDistinguishedName| part.iter().any(|pair| pair.oid == COMMON_NAME);
    let above = authority.name.iter_rdn().filter(|part| !is_common(part)).collect();
    let permitted = authority.name_constraints.iter().flat_map(NameConstraints::subjects);
    let bases = [Vec::new(), above].into_iter().chain(permitted.map(|name| name.iter_rdn().collect()));
    let mut names = bases.map(|base: Vec<_>| DistinguishedName::below(&base, name));
    let suits = |name: &Result<DistinguishedName, DnError>| {
        name.as_ref().is_ok_and(|name| authority.check_names(name.as_name(), &[], false).is_ok())
    };
    names.find(suits).unwrap_or_else(|| DistinguishedName::common(name))
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
