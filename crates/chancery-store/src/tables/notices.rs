//! What happened that people want to hear of.

use uuid::Uuid;

use crate::value::{Bind, Value};
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, sql};

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its id, by which doubles are known.
    pub id: Uuid,
    /// When it happened.
    pub at_ms: i64,
    /// What happened.
    pub kind: String,
    /// What kind of object it is about.
    pub object_kind: Option<String>,
    /// Which one.
    pub object: Option<Uuid>,
    /// The service that the object belongs to.
    pub service_id: Option<Uuid>,
    /// More, as JSON; never a secret.
    pub detail: String,
}

/// A notice as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number. On PostgreSQL it counts up with the start of the works, not with their commits, and may have gaps.
    pub seq: i64,
    /// What it says.
    pub notice: Notice,
}

/// Whose objects of a kind somebody sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// Everybody's.
    All,
    /// What one of these submitted, or what was approved beforehand for one of them.
    Of(Vec<Uuid>),
    /// Nobody's.
    Nobody,
}

/// Which notices somebody sees. Those about certificates everybody does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    /// About signing requests.
    pub requests: Whose,
    /// About proposals.
    pub proposals: Whose,
    /// About identities.
    pub identities: Whose,
    /// About no object, and about those of a server.
    pub server: bool,
}

/// Kinds of objects whose notices are for whoever sees what the server tells of itself.
const SERVER: [&str; 4] = ["ApiKey", "TokenProfile", "SigningPolicy", "AuditTarget"];

macro_rules! columns {
    () => {
        "seq, id, at_ms, kind, object_kind, object, service_id, detail"
    };
}

const COLUMNS: &str = columns!();
const INSERT: &str = "INSERT INTO notices (id, at_ms, kind, object_kind, object, service_id, detail) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING seq";
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM notices WHERE id = $1");
const BY_SEQ: &str = concat!("SELECT ", columns!(), " FROM notices WHERE seq = $1");
const LAST: &str = "SELECT COALESCE(MAX(seq), 0) FROM notices";
const NUMBERS: &str = "SELECT seq FROM notices WHERE seq > $1 ORDER BY seq LIMIT $2";
const SINCE: &str =
    concat!("SELECT ", columns!(), " FROM notices WHERE seq > $1 AND (seq > $2 OR at_ms >= $3) ORDER BY seq LIMIT $4");
const SUBMITTERS: &str = "SELECT identity_id FROM submitter_set_members \
    WHERE set_id = (SELECT submitters_id FROM signing_requests WHERE id = $1)";
const CONCERNED: &str = "SELECT identity_id FROM proposal_identities WHERE proposal_id = $1 \
    UNION SELECT submitter_id FROM pre_approvals WHERE id = $1 AND submitter_id IS NOT NULL";
const PRUNE: &str = "DELETE FROM notices WHERE seq IN \
    (SELECT seq FROM notices WHERE at_ms < $1 ORDER BY at_ms, seq LIMIT $2)";

/// Adds a notice, and answers its number.
pub async fn insert(tx: &mut Tx, notice: Notice) -> Result<i64, StoreError> {
    let Notice { id, at_ms, kind, object_kind, object, service_id, detail } = notice;
    let insert = sql(INSERT).bind(id).bind(at_ms).bind(kind).bind(object_kind).bind(object).bind(service_id);
    insert.bind(detail).one(tx).await
}

/// The notice with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The notice with this number.
pub async fn by_seq(tx: &mut Tx, seq: i64) -> Result<Option<Row>, StoreError> {
    sql(BY_SEQ).bind(seq).optional(tx).await
}

/// The highest number that was given, as far as it can be seen; 0 where there is none.
pub async fn last(tx: &mut Tx) -> Result<i64, StoreError> {
    sql(LAST).one(tx).await
}

/// The first numbers above this one.
pub async fn numbers(tx: &mut Tx, after: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
    sql(NUMBERS).bind(after).bind(limit).all(tx).await
}

/// The first notices above the number `after` of those that are above the number `from`, or of this moment and later: a
/// work that began earlier may have committed later.
pub async fn since(tx: &mut Tx, after: i64, (from, at_ms): (i64, i64), limit: u32) -> Result<Vec<Row>, StoreError> {
    sql(SINCE).bind(after).bind(from).bind(at_ms).bind(limit).all(tx).await
}

/// Who may hear of a notice because its object is theirs; nobody where it is about none, or one that is gone.
pub async fn concerned(tx: &mut Tx, notice: &Notice) -> Result<Vec<Uuid>, StoreError> {
    let text = match notice.object_kind.as_deref() {
        Some("SigningRequest") => SUBMITTERS,
        Some("Proposal") => CONCERNED,
        Some("Identity") => return Ok(notice.object.into_iter().collect()),
        _ => return Ok(Vec::new()),
    };
    let Some(object) = notice.object else { return Ok(Vec::new()) };
    sql(text).bind(object).all(tx).await
}

/// Those that somebody sees, the newest first; of one kind or of all.
pub async fn list(tx: &mut Tx, sight: &Sight, kind: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    list_of(sight, kind).page(tx, page).await
}

pub(crate) fn list_of(sight: &Sight, kind: Option<&str>) -> List {
    const OF_REQUESTS: &str = "object IN (SELECT r.id FROM signing_requests r JOIN submitter_set_members m \
        ON m.set_id = r.submitters_id WHERE m.identity_id IN (?) AND r.id = object)";
    const OF_PROPOSALS: &str = "(object IN (SELECT p.proposal_id FROM proposal_identities p \
        WHERE p.identity_id IN (?) AND p.proposal_id = object) \
        OR object IN (SELECT a.id FROM pre_approvals a WHERE a.submitter_id IN (?) AND a.id = object))";
    let list = List::new(COLUMNS, "notices", Order::Newest("at_ms", "seq")).filter("kind = ?", kind);
    if sight.sees_all() {
        return list;
    }
    let (mut seen, mut values) = (vec!["object_kind = 'Certificate'".to_owned()], Vec::new());
    if sight.server {
        seen.push("object_kind IS NULL".to_owned());
        seen.extend(SERVER.map(|kind| format!("object_kind = '{kind}'")));
    }
    let kinds = [
        ("SigningRequest", &sight.requests, OF_REQUESTS),
        ("Proposal", &sight.proposals, OF_PROPOSALS),
        ("Identity", &sight.identities, "object IN (?)"),
    ];
    for (kind, whose, own) in kinds {
        match whose {
            Whose::All => seen.push(format!("object_kind = '{kind}'")),
            Whose::Of(identities) => {
                seen.push(format!("(object_kind = '{kind}' AND {})", own_of(own, identities, &mut values)));
            }
            Whose::Nobody => {}
        }
    }
    list.filter_each(&format!("({})", seen.join(" OR ")), values)
}

/// The condition with a place for each identity in its `IN (?)`s.
fn own_of(condition: &str, identities: &[Uuid], values: &mut Vec<Value>) -> String {
    let places = vec!["?"; identities.len().max(1)].join(", ");
    let ids = if identities.is_empty() { &[Uuid::nil()] } else { identities };
    for _ in condition.matches("(?)") {
        values.extend(ids.iter().map(|id| (*id).into_value()));
    }
    condition.replace("(?)", &format!("({places})"))
}

impl Sight {
    /// Whether there is nothing to hide.
    fn sees_all(&self) -> bool {
        *self == Self { requests: Whose::All, proposals: Whose::All, identities: Whose::All, server: true }
    }

    /// Whether somebody sees a notice that concerns these.
    #[must_use]
    pub fn sees(&self, notice: &Notice, concerned: &[Uuid]) -> bool {
        let whose = match notice.object_kind.as_deref() {
            Some("SigningRequest") => &self.requests,
            Some("Proposal") => &self.proposals,
            Some("Identity") => &self.identities,
            None => return self.server,
            Some(kind) if SERVER.contains(&kind) => return self.server,
            Some(_) => return true,
        };
        match whose {
            Whose::All => true,
            Whose::Of(identities) => identities.iter().any(|identity| concerned.contains(identity)),
            Whose::Nobody => false,
        }
    }
}

/// Removes notices from before this moment, some at a time; how many.
pub async fn prune(tx: &mut Tx, before_ms: i64, limit: u32) -> Result<u64, StoreError> {
    sql(PRUNE).bind(before_ms).bind(limit).execute(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let notice = Notice {
            id: columns.get("id")?,
            at_ms: columns.get("at_ms")?,
            kind: columns.get("kind")?,
            object_kind: columns.optional("object_kind")?,
            object: columns.optional("object")?,
            service_id: columns.optional("service_id")?,
            detail: columns.get("detail")?,
        };
        Ok(Self { seq: columns.get("seq")?, notice })
    }
}
