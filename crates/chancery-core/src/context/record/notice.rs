//! Which notice follows from an audit record, and how it is stored.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, ErrorCode, NoticeId, NoticeKind, NoticeObject, ServiceId, SigningRequestState,
    wire::signing_requests::ApprovalCount,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Result};

/// What a notice says besides kind, object and service. None of the submitter's words are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Facts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approvals: Option<ApprovalCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) days: Option<u32>,
}

/// The queue of the outbox in which notices wait.
pub(crate) const QUEUE: &str = "notice";

/// Which notices a target gets: a part of what its row has as JSON.
#[derive(Deserialize)]
pub(crate) struct Wants {
    kinds: Vec<NoticeKind>,
    services: Vec<ServiceId>,
    #[serde(skip)]
    is_enabled: bool,
}

impl Wants {
    pub(crate) fn of(row: &tables::notice_targets::Row) -> Result<Self> {
        let wants: Self = serde_json::from_str(&row.content).map_err(Error::internal)?;
        Ok(Self { is_enabled: row.is_enabled, ..wants })
    }

    /// Whether it gets notices of this kind about this service.
    pub(crate) fn has(&self, kind: NoticeKind, service: Option<ServiceId>) -> bool {
        let of_service = self.services.is_empty() || service.is_some_and(|service| self.services.contains(&service));
        self.is_enabled && of_service && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

/// What of a record's detail matters here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    service_uuid: Option<ServiceId>,
    identity_uuid: Option<Uuid>,
    role_uuid: Option<Uuid>,
    approvals_required: Option<u32>,
    /// Whether an API key was rotated by whoever showed it.
    by_itself: bool,
    #[serde(flatten)]
    facts: Facts,
}

/// A notice that is to be stored with the record that it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    kind: NoticeKind,
    object_kind: Option<NoticeObject>,
    service: Option<ServiceId>,
    /// Whose it is, where the record is about something of an identity and the notice about the identity.
    identity: Option<Uuid>,
    facts: Facts,
}

impl Draft {
    /// The notice that follows from a record, if one does.
    pub(crate) fn of(action: Action, outcome: ErrorCode, detail: &str) -> Result<Option<Self>> {
        let Some((kind, object_kind)) = subject(action).filter(|_| outcome == ErrorCode::Success) else {
            return Ok(None);
        };
        let detail: Option<Detail> = serde_json::from_str(detail).map_err(Error::internal)?;
        let Detail { service_uuid, identity_uuid, role_uuid, approvals_required, by_itself, mut facts } =
            detail.unwrap_or_default();
        if by_itself {
            return Ok(None);
        }
        let waits = SigningRequestState::Approval.as_str();
        let state = facts.state.get_or_insert_with(|| waits.to_owned()).as_str();
        let kind = if kind == NoticeKind::Waiting && state == SigningRequestState::Signed.as_str() {
            // What a policy signs at once nobody waits for, and there may be thousands in a second.
            return Ok(None);
        } else if kind == NoticeKind::Waiting && state == SigningRequestState::Failed.as_str() {
            NoticeKind::Failed
        } else if [NoticeKind::Signed, NoticeKind::Applied].contains(&kind) && state == waits {
            NoticeKind::Approved
        } else {
            kind
        };
        let object_kind = match object_kind {
            Some(NoticeObject::SigningPolicy) if role_uuid.is_some() => Some(NoticeObject::TokenProfile),
            other => other,
        };
        if !matches!(object_kind, Some(NoticeObject::SigningRequest | NoticeObject::Proposal)) {
            facts.state = None;
        }
        if kind == NoticeKind::Waiting {
            let of_required = |required| ApprovalCount { given: 0, required };
            facts.approvals = facts.approvals.or(approvals_required.map(of_required));
        }
        let identity = identity_uuid.filter(|_| object_kind == Some(NoticeObject::Identity));
        Ok(Some(Self { kind, object_kind, service: service_uuid, identity, facts }))
    }

    /// The same, where the record's work has found out whose identity it is about.
    pub(crate) fn of_told(mut self, detail: &str) -> Result<Self> {
        if self.identity.is_none() && self.object_kind == Some(NoticeObject::Identity) {
            self.identity = serde_json::from_str::<Detail>(detail).map_err(Error::internal)?.identity_uuid;
        }
        Ok(self)
    }

    /// What somebody sends who tries a target out.
    pub(crate) const fn test() -> Self {
        let facts = Facts { state: None, approvals: None, not_after: None, days: None };
        Self { kind: NoticeKind::Test, object_kind: None, service: None, identity: None, facts }
    }

    pub(crate) fn row(&self, at_ms: i64, object: Option<Uuid>) -> Result<tables::notices::Notice> {
        Ok(tables::notices::Notice {
            id: NoticeId::from_random(chancery_keys::random()).into(),
            at_ms,
            kind: self.kind.as_str().to_owned(),
            object_kind: self.object_kind.map(|kind| kind.as_str().to_owned()),
            object: self.identity.or(object),
            service_id: self.service.map(Uuid::from),
            detail: serde_json::to_string(&self.facts).map_err(Error::internal)?,
        })
    }

    /// Stores the notice, and one delivery for each target that wants it. Of people's own mailboxes there may be thousands:
    /// they are told afterwards (`personal/fan_out.rs`).
    pub(crate) async fn insert(mut self, tx: &mut Tx, at_ms: i64, object: Option<Uuid>) -> Result<()> {
        if self.service.is_none() {
            self.service = service(tx, self.object_kind, object).await?.map(ServiceId::from);
        }
        let row = self.row(at_ms, object)?;
        let seq = tables::notices::insert(tx, row).await?;
        tables::fan_outs::add(tx, seq).await?;
        for row in tables::notice_targets::all(tx).await? {
            if Wants::of(&row)?.has(self.kind, self.service) {
                tables::deliveries::add(tx, QUEUE, row.id, seq, at_ms).await?;
            }
        }
        Ok(())
    }
}

/// The service that an object belongs to, where its record does not name it.
async fn service(tx: &mut Tx, kind: Option<NoticeObject>, object: Option<Uuid>) -> Result<Option<Uuid>> {
    let Some(object) = object else { return Ok(None) };
    Ok(match kind {
        Some(NoticeObject::SigningRequest) => {
            tables::signing_requests::by_id(tx, object).await?.map(|request| request.service_id)
        }
        Some(NoticeObject::Proposal) => {
            tables::proposals::by_id(tx, object).await?.and_then(|proposal| proposal.service_id)
        }
        Some(
            NoticeObject::Certificate
            | NoticeObject::ApiKey
            | NoticeObject::Identity
            | NoticeObject::TokenProfile
            | NoticeObject::SigningPolicy
            | NoticeObject::AuditTarget,
        )
        | None => None,
    })
}

/// What records tell, and of what kind of object.
const SUBJECTS: &[(Action, NoticeKind, Option<NoticeObject>)] = {
    use {Action as A, NoticeKind as K, NoticeObject as O};
    &[
        (A::SigningRequestSubmit, K::Waiting, Some(O::SigningRequest)),
        (A::SigningRequestApprove, K::Signed, Some(O::SigningRequest)),
        (A::SigningRequestDeny, K::Denied, Some(O::SigningRequest)),
        (A::SigningRequestWithdraw, K::Withdrawn, Some(O::SigningRequest)),
        (A::SigningRequestFail, K::Failed, Some(O::SigningRequest)),
        (A::SigningRequestExpire, K::Expired, Some(O::SigningRequest)),
        (A::ProposalSubmit, K::Waiting, Some(O::Proposal)),
        (A::ProposalApprove, K::Applied, Some(O::Proposal)),
        (A::ProposalDeny, K::Denied, Some(O::Proposal)),
        (A::ProposalWithdraw, K::Withdrawn, Some(O::Proposal)),
        (A::ProposalRevoke, K::Revoked, Some(O::Proposal)),
        (A::ProposalFail, K::Failed, Some(O::Proposal)),
        (A::ProposalExpire, K::Expired, Some(O::Proposal)),
        (A::CertificateExpiry, K::CertificateEnds, Some(O::Certificate)),
        (A::ApiKeyExpiry, K::ApiKeyEnds, Some(O::ApiKey)),
        (A::RowRefuse, K::RowRefused, None),
        (A::JournalMiss, K::JournalFailed, None),
        (A::JournalFail, K::JournalFailed, None),
        (A::LedgerFail, K::LedgerFailed, None),
        (A::ClockJump, K::ClockJumped, None),
        // Of a token profile, where its record names the role of a rule.
        (A::BudgetWarn, K::BudgetLow, Some(O::SigningPolicy)),
        (A::AuditTargetFail, K::AuditTargetFailed, Some(O::AuditTarget)),
        (A::IdentityRecover, K::IdentityRecovered, Some(O::Identity)),
        (A::PasswordChange, K::LoginChanged, Some(O::Identity)),
        (A::TotpConfirm, K::LoginChanged, Some(O::Identity)),
        (A::TotpRemove, K::LoginChanged, Some(O::Identity)),
        (A::TotpReset, K::LoginChanged, Some(O::Identity)),
        (A::PasskeyEnrol, K::LoginChanged, Some(O::Identity)),
        (A::PasskeyConfirm, K::LoginChanged, Some(O::Identity)),
        (A::PasskeyDelete, K::LoginChanged, Some(O::Identity)),
        (A::ApiKeyCreate, K::LoginChanged, Some(O::Identity)),
        (A::ApiKeyChange, K::LoginChanged, Some(O::Identity)),
        (A::ApiKeyRotate, K::LoginChanged, Some(O::Identity)),
        (A::IdentityBindingCreate, K::LoginChanged, Some(O::Identity)),
        (A::IdentityBindingDelete, K::LoginChanged, Some(O::Identity)),
        (A::WitnessFail, K::WitnessFailed, None),
    ]
};

fn subject(action: Action) -> Option<(NoticeKind, Option<NoticeObject>)> {
    let found = SUBJECTS.iter().find(|(of, ..)| *of == action);
    found.map(|(_, kind, object_kind)| (*kind, *object_kind))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(action: Action, detail: &serde_json::Value) -> Option<NoticeKind> {
        Draft::of(action, ErrorCode::Success, &detail.to_string()).unwrap().map(|draft| draft.kind)
    }

    #[test]
    fn what_happened_follows_from_action_and_state() {
        use NoticeKind as K;
        for (action, state, expected) in [
            (Action::SigningRequestSubmit, "Approval", Some(K::Waiting)),
            (Action::SigningRequestSubmit, "Signed", None),
            (Action::SigningRequestSubmit, "Failed", Some(K::Failed)),
            (Action::SigningRequestApprove, "Approval", Some(K::Approved)),
            (Action::SigningRequestApprove, "Signed", Some(K::Signed)),
            (Action::ProposalApprove, "Approval", Some(K::Approved)),
            (Action::ProposalApprove, "Issued", Some(K::Applied)),
            (Action::ProposalDeny, "Denied", Some(K::Denied)),
            (Action::Tokenize, "Approval", None),
        ] {
            assert_eq!(kind(action, &json!({"state": state})), expected, "{action} {state}");
        }
        assert_eq!(kind(Action::RowRefuse, &json!(null)), Some(K::RowRefused));
        assert_eq!(kind(Action::JournalFail, &json!({"why": "x"})), Some(K::JournalFailed));
        let refused = Draft::of(Action::SigningRequestSubmit, ErrorCode::NotAuthorized, "null").unwrap();
        assert_eq!(refused, None, "what was refused did not happen");
    }

    #[test]
    fn a_budget_is_of_a_policy_or_of_the_profile_whose_rule_it_is() {
        let about = |action, detail: &serde_json::Value| {
            Draft::of(action, ErrorCode::Success, &detail.to_string()).unwrap().unwrap().object_kind
        };
        let role = Uuid::from_u128(1);
        let of_profile = json!({"name": "cards", "roleUuid": role, "operation": "Detokenize"});
        assert_eq!(about(Action::BudgetWarn, &of_profile), Some(NoticeObject::TokenProfile));
        let of_policy = json!({"name": "releases", "operation": "Sign"});
        assert_eq!(about(Action::BudgetWarn, &of_policy), Some(NoticeObject::SigningPolicy));
        assert_eq!(about(Action::AuditTargetFail, &json!({"name": "siem"})), Some(NoticeObject::AuditTarget));
    }

    #[test]
    fn a_submitter_neither_hides_a_notice_nor_speaks_in_it() {
        let detail = json!({
            "name": "urgent: approve now", "note": "\"state\":\"Signed\"", "metadata": {"state": "Signed"},
            "approvalsRequired": 2, "state": "Approval",
        });
        let draft = Draft::of(Action::SigningRequestSubmit, ErrorCode::Success, &detail.to_string()).unwrap().unwrap();
        assert_eq!(draft.kind, NoticeKind::Waiting);
        let stored = draft.row(1, None).unwrap().detail;
        assert_eq!(stored, r#"{"state":"Approval","approvals":{"given":0,"required":2}}"#);
    }
}
