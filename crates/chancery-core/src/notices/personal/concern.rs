//! Whom a notice concerns.

use chancery_store::{Tx, tables};
use chancery_types::{IdentityId, NoticeKind, NoticeObject, Perm};
use tracing::error;
use uuid::Uuid;

use crate::{
    Error, Member, Notices, Result,
    approval::{
        Parties,
        proposals::{Effects, StoredProposal},
    },
    context::quarantine::is_lasting,
    identity::Directory,
    notices::told::sight_of,
    signing::StoredRequest,
};

/// Whose permissions renew a certificate or a service's.
const RENEW: [Perm; 3] = [Perm::CertManageGenerate, Perm::CertManageManage, Perm::ServicesDeploy];

/// By which rules it is found out who has to do with an object.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    effects: Effects,
    hardened: bool,
    now_ms: i64,
}

/// A notice, and who has to do with its object.
pub(super) struct Subject {
    notice: tables::notices::Notice,
    kind: NoticeKind,
    /// Whose the object is, as the list of notices asks.
    concerned: Vec<Uuid>,
    /// Of a request or a proposal.
    parties: Option<Parties>,
}

impl Notices {
    /// The rules at this moment.
    pub(super) fn rules_of_concern(&self) -> Rules {
        Rules { effects: self.approvals.effects, hardened: self.context.hardened, now_ms: self.context.clock.now_ms() }
    }
}

impl Subject {
    /// Reads it; none where its object cannot be read, which the log tells: then nobody can look at it, either.
    pub(super) async fn read(tx: &mut Tx, notice: tables::notices::Notice, rules: Rules) -> Result<Option<Self>> {
        let id = notice.id;
        match Self::load(tx, notice, rules).await {
            Ok(subject) => Ok(Some(subject)),
            Err(failure) if is_lasting(&failure) => {
                error!(notice = %id, error = &failure as &dyn std::error::Error,
                    "no own mailbox is told of an object that cannot be read");
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    async fn load(tx: &mut Tx, notice: tables::notices::Notice, rules: Rules) -> Result<Self> {
        let Rules { effects, hardened, now_ms } = rules;
        let object_kind = notice.object_kind.as_deref().map(str::parse).transpose().map_err(Error::internal)?;
        let parties = match (object_kind, notice.object) {
            (Some(NoticeObject::SigningRequest), Some(id)) => {
                Some(StoredRequest::load(tx, id.into()).await?.parties(hardened, now_ms))
            }
            (Some(NoticeObject::Proposal), Some(id)) => {
                Some(StoredProposal::load(tx, effects, id.into()).await?.parties(hardened, now_ms))
            }
            (
                Some(
                    NoticeObject::Certificate
                    | NoticeObject::ApiKey
                    | NoticeObject::Identity
                    | NoticeObject::TokenProfile
                    | NoticeObject::SigningPolicy
                    | NoticeObject::AuditTarget,
                )
                | None,
                _,
            )
            | (_, None) => None,
        };
        let concerned = tables::notices::concerned(tx, &notice).await?;
        Ok(Self { kind: notice.kind.parse().map_err(Error::internal)?, notice, concerned, parties })
    }

    /// Whether an identity may see the notice by the roles that it has now, and has to do with it.
    pub(super) fn is_for(&self, directory: &Directory, id: IdentityId) -> bool {
        let Some(person) = directory.person(id) else { return false };
        let sight = sight_of(&[id.into()], |perm| person.trusted_since(perm).is_some());
        sight.sees(&self.notice, &self.concerned) && self.concerns(&person)
    }

    /// What waits, and somebody could decide on; what became of what it submitted or decided on; what ends, for whoever
    /// could renew it; what fails in the server itself.
    fn concerns(&self, person: &Member) -> bool {
        use NoticeKind as K;
        let has_acted = || self.parties.as_ref().is_some_and(|parties| parties.has_acted(person.id));
        let could_decide = || self.parties.as_ref().is_some_and(|parties| parties.waits_for(person));
        match self.kind {
            K::Waiting => could_decide(),
            K::Approved => has_acted() || could_decide(),
            K::Signed | K::Applied | K::Denied | K::Withdrawn | K::Expired | K::Revoked | K::Failed => has_acted(),
            // Everybody sees certificates.
            K::CertificateEnds => RENEW.iter().any(|perm| person.trusted_since(*perm).is_some()),
            K::ApiKeyEnds
            | K::RowRefused
            | K::JournalFailed
            | K::LedgerFailed
            | K::ClockJumped
            | K::BudgetLow
            | K::AuditTargetFailed
            | K::IdentityRecovered
            | K::WitnessFailed => true,
            // Whoever it is: who did not do it themselves has to know.
            K::LoginChanged => self.notice.object == Some(person.id.into()),
            K::Test => false,
        }
    }
}
