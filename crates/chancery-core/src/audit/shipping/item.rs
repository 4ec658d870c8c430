//! What is shipped: a record, or a checkpoint of the ledger.

use chancery_store::tables::{audit::Row, audit_ledger::Placed};
use chancery_types::wire::audit::AuditRecord;
use chancery_verify::ledger::leaf_hash;
use serde_json::json;
use uuid::Uuid;

use crate::{
    Error, Result,
    audit::{
        archives::Archived,
        ledger::{line_of, line_of_leaf},
        reading::body_of,
    },
    time::parse_rfc3339,
};

/// One thing that is shipped.
pub(super) struct Item {
    /// By which doubles are known. It is made of the content, so it is the same however often and by whomever it is sent.
    pub(super) uuid: Uuid,
    pub(super) at_ms: i64,
    /// The node that wrote it.
    pub(super) node: Option<Uuid>,
    /// The line of an export of the ledger, in JSON.
    pub(super) line: String,
    pub(super) content: Content,
}

pub(super) enum Content {
    /// A record, and its leaf.
    Record(i64, Box<AuditRecord>),
    /// A signed checkpoint of the ledger, over all records before it and how far the journals went.
    Checkpoint,
    /// Somebody tries a target out.
    Test,
}

impl Item {
    /// A record that is a leaf.
    pub(super) fn of_record(placed: Placed) -> Result<Self> {
        let leaf = placed.leaf.ok_or_else(|| Error::internal("a record is shipped that is no leaf"))?;
        let row: Row = placed.row;
        let at_ms = row.record.at_ms;
        let body = body_of(row);
        Self::of_line(leaf, at_ms, line_of(&body)?, body)
    }

    /// The same of an archive.
    pub(super) fn of_archived(archived: Archived) -> Result<Self> {
        let body = archived.read()?;
        let at_ms = parse_rfc3339(&body.time).ok_or_else(|| Error::internal("an archived record has no time"))?;
        Self::of_line(archived.leaf, at_ms, archived.record.into_bytes(), body)
    }

    fn of_line(leaf: i64, at_ms: i64, record: Vec<u8>, body: AuditRecord) -> Result<Self> {
        let (uuid, node) = (id_of(leaf_hash(&record)), body.node.map(Into::into));
        let line = String::from_utf8(line_of_leaf(record, leaf)).map_err(Error::internal)?;
        Ok(Self { uuid, at_ms, node, line, content: Content::Record(leaf, Box::new(body)) })
    }

    /// The newest checkpoint.
    pub(super) fn of_checkpoint(note: &str, at_ms: i64) -> Self {
        let line = json!({"checkpoint": note}).to_string();
        Self { uuid: id_of(leaf_hash(line.as_bytes())), at_ms, node: None, line, content: Content::Checkpoint }
    }

    /// What somebody sends who tries a target out.
    pub(super) fn test(at_ms: i64) -> Self {
        let uuid = uuid::Builder::from_random_bytes(chancery_keys::random()).into_uuid();
        Self { uuid, at_ms, node: None, line: json!({"test": true}).to_string(), content: Content::Test }
    }

    /// The record's place in the order of the ledger.
    pub(super) const fn sequence(&self) -> Option<i64> {
        match &self.content {
            Content::Record(leaf, _) => Some(*leaf),
            Content::Checkpoint | Content::Test => None,
        }
    }

    /// What it is, in one word.
    pub(super) fn kind(&self) -> &'static str {
        match &self.content {
            Content::Record(_, record) => record.action.as_str(),
            Content::Checkpoint => "AuditCheckpoint",
            Content::Test => "AuditTest",
        }
    }

    /// Whether it tells of something that was refused or failed.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(&self.content, Content::Record(_, record) if record.outcome != chancery_types::ErrorCode::Success)
    }

    /// As an item of a webhook's body: the record stands in it byte by byte.
    pub(super) fn posted(&self) -> String {
        let (uuid, line) = (self.uuid, &self.line);
        match self.sequence() {
            Some(sequence) => format!("{{\"uuid\":\"{uuid}\",\"sequence\":{sequence},\"record\":{line}}}"),
            None => format!("{{\"uuid\":\"{uuid}\",{}", &line[1..]),
        }
    }
}

/// A UUID of version 8 (RFC 9562): its bits are those of a hash.
fn id_of(hash: [u8; 32]) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
