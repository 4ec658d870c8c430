//! What people decide on a signing request or a proposal, and how it is stored.

use std::str::FromStr;

use chancery_store::{
    Tx,
    tables::{
        approval_signatures,
        decisions::{self, Decision, Identity, On},
    },
};
use chancery_types::{
    Base64, IdentityId, Perm, RoleId, UnknownSpelling,
    wire::{ObjInfo, passkeys::ApprovalSignature, signing_requests::Statement},
};
use uuid::Uuid;

use super::{
    rules::{Approval, Facts, Participant, may_approve},
    signed::{self, SignedApproval},
};
use crate::{Approvals, Caller, Error, Member, Result, base::text::check_note};

/// How often a decision is taken anew because its subject changed meanwhile. Each time somebody else's decision went
/// through, so this is far more than one subject can see.
pub(crate) const ATTEMPTS_MAX: usize = 1_000;

pub(crate) fn too_many_attempts() -> Error {
    Error::busy("Too many others decide on this at the same time; try again.", 1)
}

/// A session's identities, as the rules of approval see them.
pub(crate) fn participants(caller: &Caller) -> Vec<Participant> {
    participants_by(caller, Perm::SigningApprove)
}

/// The same of a decision that another permission lets them take.
pub(crate) fn participants_by(caller: &Caller, perm: Perm) -> Vec<Participant> {
    let by = |member: &Member| Participant { trusted_since: member.trusted_since(perm), ..participant(member) };
    caller.members().iter().map(by).collect()
}

/// Whether it waits for an approval that this session may give.
pub(crate) fn may_be_approved_by(facts: &Facts, caller: &Caller) -> bool {
    caller.has(Perm::SigningApprove) && may_approve(facts, &participants(caller))
}

pub(super) fn participant(member: &Member) -> Participant {
    Participant {
        id: member.id,
        kind: member.kind,
        trusted_since: member.trusted_since(Perm::SigningApprove),
        roles: member.roles.clone(),
    }
}

/// A decision and in whose name it was made.
#[derive(Clone, Debug)]
pub(crate) struct StoredDecision<D> {
    pub(crate) decision: D,
    roles: Vec<RoleId>,
    pub(crate) row: Decision,
    pub(crate) identities: Vec<Identity>,
    /// What their passkeys signed of it.
    signatures: Vec<approval_signatures::Row>,
}

impl<D: FromStr<Err = UnknownSpelling>> StoredDecision<D> {
    /// The decisions on a subject, oldest first.
    pub(crate) async fn all(tx: &mut Tx, on: On, subject: Uuid) -> Result<Vec<Self>> {
        let rows = decisions::of(tx, on, subject).await?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let signatures = approval_signatures::of(tx, subject).await?;
        let decision = |(row, identities): (Decision, Vec<Identity>)| {
            Ok(Self {
                decision: row.decision.parse().map_err(Error::internal)?,
                roles: serde_json::from_str(&row.roles).map_err(Error::internal)?,
                identities,
                signatures: signatures.iter().filter(|signed| signed.version == row.version).cloned().collect(),
                row,
            })
        };
        rows.into_iter().map(decision).collect()
    }
}

impl<D> StoredDecision<D> {
    /// What it says as an approval.
    pub(crate) fn approval(&self) -> Approval {
        let signed = |id: IdentityId| self.signatures.iter().any(|signed| IdentityId::from(signed.identity_id) == id);
        let is_signed = !self.identities.is_empty() && self.ids().all(signed);
        Approval { identities: self.ids().collect(), roles: self.roles.clone(), is_signed }
    }

    /// What their passkeys signed, as the interface shows it.
    pub(crate) fn signatures(&self) -> Vec<ApprovalSignature> {
        self.signatures.iter().map(signed::shown).collect()
    }

    /// The texts that they signed.
    pub(crate) fn statements(&self) -> impl Iterator<Item = &str> {
        self.signatures.iter().map(|signed| signed.statement.as_str())
    }

    /// The statement over many that it is a part of.
    pub(crate) fn statement(&self) -> Option<Statement> {
        let Decision { statement_digest, statement_rows, .. } = &self.row;
        let rows = u32::try_from((*statement_rows)?).ok()?;
        Some(Statement { digest: Base64(statement_digest.clone()?), rows })
    }

    /// In whose name it was made.
    pub(crate) fn ids(&self) -> impl Iterator<Item = IdentityId> {
        self.identities.iter().map(|identity| identity.id.into())
    }

    /// The same, with their names at that time.
    pub(crate) fn names(&self) -> Vec<ObjInfo<IdentityId>> {
        let name = |one: &Identity| ObjInfo { name: one.name.clone(), uuid: one.id.into() };
        self.identities.iter().map(name).collect()
    }
}

/// A decision in the name of all identities of a session, to be stored.
pub(crate) struct NewDecision {
    row: Decision,
    members: Vec<Member>,
    signed: SignedApproval,
}

impl NewDecision {
    /// One that makes this version of its subject.
    pub(crate) fn new(
        caller: &Caller,
        (subject_id, version): (Uuid, i64),
        (decision, note): (&str, &str),
        roles: &[RoleId],
        decided_at_ms: i64,
        signed: SignedApproval,
    ) -> Result<Self> {
        let roles = serde_json::to_string(roles).map_err(Error::internal)?;
        let (decision, note) = (decision.to_owned(), note.to_owned());
        let (statement_digest, statement_rows) = (None, None);
        let members = i64::try_from(caller.members().len()).ok();
        let row = Decision {
            subject_id,
            version,
            decision,
            note,
            roles,
            decided_at_ms,
            statement_digest,
            statement_rows,
            members,
        };
        Ok(Self { row, members: caller.members().to_vec(), signed })
    }

    /// Which passkeys signed it, for the record.
    pub(crate) fn signed(&self) -> Option<serde_json::Value> {
        self.signed.recorded()
    }

    /// As a part of one statement over many.
    pub(crate) fn of_statement(&mut self, statement: &Statement) {
        self.row.statement_digest = Some(statement.digest.0.clone());
        self.row.statement_rows = Some(statement.rows.into());
    }

    pub(crate) async fn insert(&self, tx: &mut Tx, on: On) -> Result<()> {
        decisions::insert(tx, on, &self.row).await?;
        for member in &self.members {
            decisions::insert_identity(tx, on, &self.row, member.id.into(), &member.name).await?;
        }
        let Decision { subject_id, version, decided_at_ms, .. } = self.row;
        self.signed.insert(tx, (subject_id, version), decided_at_ms).await
    }
}

impl Approvals {
    /// What is said about a decision, checked.
    pub(crate) fn note(&self, note: Option<String>) -> Result<String> {
        let note = note.unwrap_or_default();
        check_note("/note", &note, &self.context.limits)?;
        Ok(note)
    }
}
