//! What people decided on signing requests and on proposals, each decision in the name of all identities of one session.
//! Both have tables of the same shape.

use uuid::Uuid;

use crate::authority::{self, Authority as _, Table, authority};
use crate::value::Bind as _;
use crate::{StoreError, Tx, sql};

/// What is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Signing requests.
    Request,
    /// Proposals.
    Proposal,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The request or the proposal.
    pub subject_id: Uuid,
    /// The version of the subject that this decision made.
    pub version: i64,
    /// What was decided.
    pub decision: String,
    /// What was said about it.
    pub note: String,
    /// The roles that were held with it, as a JSON array.
    pub roles: String,
    /// When.
    pub decided_at_ms: i64,
    /// SHA-256 of the statement that it is a part of; none where it was made by itself.
    pub statement_digest: Option<Vec<u8>>,
    /// How many that statement is over.
    pub statement_rows: Option<i64>,
    /// In the name of how many identities it was made; none where that was not kept yet.
    pub members: Option<i64>,
}

/// One identity in whose name a decision was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The version of the subject that the decision made.
    pub version: i64,
    /// The identity.
    pub id: Uuid,
    /// Its name at that time.
    pub name: String,
}

/// The rows of one of the two.
macro_rules! rows {
    ($module:ident, $decisions:literal, $identities:literal, $subject:literal) => {
        pub(crate) mod $module {
            use uuid::Uuid;

            use super::{Decision, Identity, authority};

            pub(super) const DECISIONS: &str = concat!(
                "SELECT ",
                $subject,
                ", version, decision, note, roles, decided_at_ms, statement_digest, statement_rows, members, mac FROM ",
                $decisions,
                " WHERE ",
                $subject,
                " = $1 ORDER BY version"
            );
            pub(super) const IDENTITIES: &str = concat!(
                "SELECT ",
                $subject,
                ", decision, identity_id, version, identity_name, mac FROM ",
                $identities,
                " WHERE ",
                $subject,
                " = $1 ORDER BY version, identity_name, identity_id"
            );

            #[derive(Clone)]
            pub(crate) struct Decided {
                subject_id: Uuid,
                version: i64,
                decision: String,
                note: String,
                roles: String,
                decided_at_ms: i64,
                statement_digest: Option<Vec<u8>>,
                statement_rows: Option<i64>,
                members: Option<i64>,
            }

            #[derive(Clone)]
            pub(crate) struct By {
                subject_id: Uuid,
                decision: String,
                identity_id: Uuid,
                version: i64,
                identity_name: String,
            }

            impl From<Decision> for Decided {
                fn from(row: Decision) -> Self {
                    let Decision {
                        subject_id,
                        version,
                        decision,
                        note,
                        roles,
                        decided_at_ms,
                        statement_digest,
                        statement_rows,
                        members,
                    } = row;
                    Self {
                        subject_id,
                        version,
                        decision,
                        note,
                        roles,
                        decided_at_ms,
                        statement_digest,
                        statement_rows,
                        members,
                    }
                }
            }

            impl From<Decided> for Decision {
                fn from(row: Decided) -> Self {
                    let Decided {
                        subject_id,
                        version,
                        decision,
                        note,
                        roles,
                        decided_at_ms,
                        statement_digest,
                        statement_rows,
                        members,
                    } = row;
                    Self {
                        subject_id,
                        version,
                        decision,
                        note,
                        roles,
                        decided_at_ms,
                        statement_digest,
                        statement_rows,
                        members,
                    }
                }
            }

            impl By {
                pub(super) fn of(row: &Decision, id: Uuid, name: &str) -> Self {
                    let (subject_id, version) = (row.subject_id, row.version);
                    let (decision, identity_name) = (row.decision.clone(), name.to_owned());
                    Self { subject_id, decision, identity_id: id, version, identity_name }
                }
            }

            impl From<By> for Identity {
                fn from(row: By) -> Self {
                    Self { version: row.version, id: row.identity_id, name: row.identity_name }
                }
            }

            authority!(Decided, $decisions, keys 2, {
                subject_id as $subject, version, decision, note, roles, decided_at_ms, statement_digest, statement_rows,
                members,
            });
            authority!(By, $identities, keys 3, {
                subject_id as $subject, decision, identity_id, version, identity_name,
            });
        }
    };
}

rows!(on_requests, "approvals", "approval_identities", "request_id");
rows!(on_proposals, "proposal_decisions", "proposal_identities", "proposal_id");

/// Adds a decision.
pub async fn insert(tx: &mut Tx, on: On, row: &Decision) -> Result<(), StoreError> {
    match on {
        On::Request => authority::insert(tx, &on_requests::Decided::from(row.clone())).await,
        On::Proposal => authority::insert(tx, &on_proposals::Decided::from(row.clone())).await,
    }
}

/// Adds an identity to a decision.
pub async fn insert_identity(tx: &mut Tx, on: On, row: &Decision, id: Uuid, name: &str) -> Result<(), StoreError> {
    match on {
        On::Request => authority::insert(tx, &on_requests::By::of(row, id, name)).await,
        On::Proposal => authority::insert(tx, &on_proposals::By::of(row, id, name)).await,
    }
}

/// The decisions on a subject, oldest first, each with all identities in whose name it was made; or
/// [`StoreError::Unauthentic`], where one was taken out: whoever it is could decide once more. Or where one did so while the first
/// time was taken out, and put back later.
pub async fn of(tx: &mut Tx, on: On, subject_id: Uuid) -> Result<Vec<(Decision, Vec<Identity>)>, StoreError> {
    let (decisions, identities) = match on {
        On::Request => (
            decisions(sql(on_requests::DECISIONS).bind(subject_id).all::<on_requests::Decided>(tx).await?),
            by(sql(on_requests::IDENTITIES).bind(subject_id).all::<on_requests::By>(tx).await?),
        ),
        On::Proposal => (
            decisions(sql(on_proposals::DECISIONS).bind(subject_id).all::<on_proposals::Decided>(tx).await?),
            by(sql(on_proposals::IDENTITIES).bind(subject_id).all::<on_proposals::By>(tx).await?),
        ),
    };
    let mut all = Vec::with_capacity(decisions.len());
    for decision in decisions {
        let made_by: Vec<_> = identities.iter().filter(|one| one.version == decision.version).cloned().collect();
        let are_all =
            decision.members.map_or(!made_by.is_empty(), |members| i64::try_from(made_by.len()) == Ok(members));
        if !are_all {
            return Err(refused(tx, on, subject_id, decision.version));
        }
        let is_again = |earlier: &(Decision, Vec<Identity>)| {
            earlier.0.decision == decision.decision
                && earlier.1.iter().any(|one| made_by.iter().any(|again| again.id == one.id))
        };
        if all.iter().any(is_again) {
            return Err(tx.refuse(table(on).name, subject_id));
        }
        all.push((decision, made_by));
    }
    Ok(all)
}

/// What is answered of a subject one of whose decisions is not what was written: the one that made this version.
fn refused(tx: &Tx, on: On, subject_id: Uuid, version: i64) -> StoreError {
    let key = [subject_id.into_value(), version.into_value()];
    tx.authenticator().refuse(table(on), &[key[0].stored(), key[1].stored()])
}

fn table(on: On) -> &'static Table {
    match on {
        On::Request => &on_requests::Decided::TABLE,
        On::Proposal => &on_proposals::Decided::TABLE,
    }
}

fn decisions(rows: Vec<impl Into<Decision>>) -> Vec<Decision> {
    rows.into_iter().map(Into::into).collect()
}

fn by(rows: Vec<impl Into<Identity>>) -> Vec<Identity> {
    rows.into_iter().map(Into::into).collect()
}
