//! The time-stamping authority: whoever asks gets a stamp.

use chancery_keys::{Input, SignatureScheme, hash, random};
use chancery_store::{Tx, tables};
use chancery_types::ServiceId;
use chancery_x509::cms::{self, Signer};
use der::{Decode, asn1::Int};
use x509_cert::Certificate;

use super::{
    Stamping,
    oid::Oid,
    request::{self, MessageImprint},
    response::{self, FailInfo, Rejection},
    token::{self, Accuracy, GenTime, TstInfo},
};
use crate::{
    Clock, Error, Meaning, Result, Signing, Visitor,
    custody::Unsigned,
    pki::{Serial, default_hash},
    signing::credential::{Credential, Unusable},
};

/// How far the time may be from the right one, in seconds: what a clock that follows a time server keeps with ease.
const ACCURACY_S: u32 = 1;

/// The answer to a request for a time stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeStampAnswer {
    /// The answer in DER.
    pub der: Vec<u8>,
    /// Whether a stamp is in it; otherwise it says why not.
    pub is_granted: bool,
}

/// A time-stamping service and what it stamps with.
pub(super) struct Authority {
    policy: Oid,
    credential: Credential,
}

/// What is to be stamped, and how.
pub(super) struct Wanted {
    pub(super) imprint: MessageImprint,
    pub(super) nonce: Option<Int>,
    /// Whether the certificates go along.
    pub(super) with_certificates: bool,
}

/// Why there is no stamp.
pub(super) enum NoStamp {
    /// The authority says no.
    Rejected(Rejection),
    /// There is no such authority, or it could not be asked.
    Failed(Error),
}

impl From<Error> for NoStamp {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<der::Error> for NoStamp {
    fn from(error: der::Error) -> Self {
        Self::Failed(Error::internal(error))
    }
}

impl Authority {
    /// The service with this id, or where none is named the default one.
    pub(super) async fn find(tx: &mut Tx, service: Option<ServiceId>) -> Result<Option<Self>> {
        let row = match service {
            Some(service) => tables::time_stamping_services::by_service(tx, service.into()).await?,
            None => tables::time_stamping_services::default(tx).await?,
        };
        let Some(row) = row else { return Ok(None) };
        let missing = || Error::internal("a time-stamping authority without service or certificate");
        let service = tables::services::by_id(tx, row.service_id).await?.ok_or_else(missing)?;
        let certificate = service.certificate_id.ok_or_else(missing)?;
        let policy = row.policy_oid.parse().map_err(|_| Error::internal("a stored policy is no OID"))?;
        Ok(Some(Self { policy, credential: Credential::load(tx, certificate.into()).await? }))
    }
}

impl Signing {
    /// Answers a request for a time stamp (RFC 3161), for anybody: by this service, or by the default one. What cannot
    /// be stamped is said in the answer, as the protocol wants it; NotFound where there is no such authority.
    pub async fn time_stamp(
        &self,
        _visitor: &Visitor,
        service: Option<ServiceId>,
        request: &[u8],
    ) -> Result<TimeStampAnswer> {
        let rejection = match self.answer_stamp(service, request).await {
            Ok(token) => {
                let der = response::granted(&token).map_err(Error::internal)?;
                return Ok(TimeStampAnswer { der, is_granted: true });
            }
            Err(NoStamp::Rejected(rejection)) => rejection,
            Err(NoStamp::Failed(error)) => rejection_of(error)?,
        };
        Ok(TimeStampAnswer { der: rejection.to_der().map_err(Error::internal)?, is_granted: false })
    }

    async fn answer_stamp(&self, service: Option<ServiceId>, request: &[u8]) -> Result<Vec<u8>, NoStamp> {
        let authority =
            self.context.storage.read(&Stamping(()), move |tx| Box::pin(Authority::find(tx, service))).await?;
        let authority = authority.ok_or_else(|| Error::not_found("time-stamping authority"))?;
        let request = request::read(request).map_err(NoStamp::Rejected)?;
        if request.req_policy.is_some_and(|policy| policy != authority.policy) {
            let message = "This authority stamps under another policy; without reqPolicy it tells which.";
            return Err(NoStamp::Rejected(Rejection::new(FailInfo::UnacceptedPolicy, message)));
        }
        let wanted =
            Wanted { imprint: request.message_imprint, nonce: request.nonce, with_certificates: request.cert_req };
        self.make_stamp(authority, wanted).await
    }

    /// Makes a time stamp: a token in DER.
    pub(super) async fn make_stamp(&self, authority: Authority, wanted: Wanted) -> Result<Vec<u8>, NoStamp> {
        let key = self.keys.signing_key(authority.credential.key.id).await?;
        authority.credential.check(self.context.clock.now_ms()).map_err(rejection_of_unusable)?;
        let spec = authority.credential.spec();
        let scheme = SignatureScheme::for_key(spec, default_hash(spec), false).map_err(Error::internal)?;
        let clock = self.context.clock.clone();
        let (stamp, signature) =
            key.sign(Stamp { scheme, clock, wanted: Some((authority, wanted)), unsigned: None }).await?;
        let unsigned = stamp.unsigned.ok_or_else(|| Error::internal("a stamp was signed that was never made"))?;
        Ok(unsigned.assemble(&signature, None)?)
    }
}

/// A stamp that is to be signed. Its time is taken when the key's turn has come: it may have waited for that.
struct Stamp {
    scheme: SignatureScheme,
    clock: Clock,
    wanted: Option<(Authority, Wanted)>,
    unsigned: Option<cms::Unsigned>,
}

impl Unsigned for Stamp {
    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }

    fn input(&self) -> Option<Input<'_>> {
        self.unsigned.as_ref().map(|unsigned| Input::Message(unsigned.to_be_signed()))
    }

    fn due(&mut self) -> Result<()> {
        let Some((authority, wanted)) = self.wanted.take() else { return Ok(()) };
        let at_ms = self.clock.now_ms();
        // Again, since by now the certificate may have expired.
        authority.credential.check(at_ms).map_err(Unusable::refusal)?;
        self.unsigned = Some(authority.prepare(self.scheme, wanted, at_ms).map_err(Error::internal)?);
        Ok(())
    }
}

impl Authority {
    /// All of a stamp but its signature.
    fn prepare(self, scheme: SignatureScheme, wanted: Wanted, at_ms: i64) -> der::Result<cms::Unsigned> {
        let Self { policy, credential } = self;
        let chain: Vec<_> = credential.chain.into_iter().map(|certificate| certificate.der).collect();
        let leaf = Certificate::from_der(chain.first().map(Vec::as_slice).unwrap_or_default())?;
        let info = TstInfo {
            version: 1,
            policy,
            message_imprint: wanted.imprint,
            serial_number: Int::new(Serial::from_random(random()).as_bytes())?,
            gen_time: GenTime(at_ms),
            accuracy: Some(Accuracy { seconds: Some(ACCURACY_S), millis: None, micros: None }),
            ordering: false,
            nonce: wanted.nonce,
            tsa: Some(token::tsa(leaf.tbs_certificate().subject().clone())?),
            extensions: None,
        };
        let digest = |info: &[u8]| hash(scheme.hash(), info).as_bytes().to_vec();
        let signed = token::signed(&info, &chain, wanted.with_certificates, digest)?;
        let signer = Signer {
            chain,
            digest_algorithm: scheme.digest_algorithm_identifier(),
            signature_algorithm: scheme.cms_algorithm_identifier(),
        };
        cms::prepare(signer, signed, at_ms)
    }
}

fn rejection_of_unusable(unusable: Unusable) -> NoStamp {
    NoStamp::Rejected(match unusable {
        Unusable::Lasting(reason) => Rejection::new(FailInfo::SystemFailure, reason),
        Unusable::Passing(reason) => Rejection::new(FailInfo::TimeNotAvailable, reason),
    })
}

/// How the protocol says it; only that there is no such authority is no answer of one.
fn rejection_of(error: Error) -> Result<Rejection> {
    match error.meaning() {
        Meaning::NotFound => Err(error),
        Meaning::Busy | Meaning::Unavailable | Meaning::Sealed => {
            Ok(Rejection::new(FailInfo::TimeNotAvailable, error.message().to_owned()))
        }
        Meaning::Internal => {
            tracing::error!(error = &error as &dyn std::error::Error, "a time stamp could not be made");
            Ok(Rejection::new(FailInfo::SystemFailure, "The stamp could not be made."))
        }
        // The key may not sign any more.
        Meaning::Malformed
        | Meaning::Selection
        | Meaning::Method
        | Meaning::ContentType
        | Meaning::Value
        | Meaning::State
        | Meaning::Exists
        | Meaning::Unauthenticated
        | Meaning::Forbidden
        | Meaning::ApiAccessDisabled
        | Meaning::TooLarge => Ok(Rejection::new(FailInfo::SystemFailure, error.message().to_owned())),
    }
}
