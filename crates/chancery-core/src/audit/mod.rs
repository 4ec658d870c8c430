//! Who did what. A record is written in the same transaction as the change it speaks of; where it cannot be written,
//! the change does not happen. Values never enter a record, identities and object ids always.

mod archives;
pub(crate) mod journal;
mod ledger;
mod reading;
mod server;
mod shipping;

use std::sync::{Arc, atomic::AtomicBool};

use chancery_journal::Journal;

use crate::{Context, Identities, Result, context::storage::Opening};

pub use self::journal::JournalConfig;
pub(crate) use self::reading::moment;
pub use self::{archives::KeptArchives, reading::AuditExport, shipping::ShippingCounts};
pub(crate) use self::{
    journal::{Anchored, Found, open_journal},
    ledger::Ledger,
    shipping::Shipping,
};

/// The records of what was done: as a ledger, in archives, at targets elsewhere, and the journal of the data plane.
pub struct Audit {
    context: Arc<Context>,
    identities: Arc<Identities>,
    pub(crate) ledger: Ledger,
    shipping: Shipping,
    pub(crate) journal: Option<Arc<Journal>>,
    /// What the store knows of it.
    anchored: Anchored,
    /// Whether it has told that it serves.
    serves: AtomicBool,
}

impl Audit {
    /// Opens the ledger, or begins it.
    pub(crate) async fn open(
        context: &Arc<Context>,
        identities: &Arc<Identities>,
        opening: &Opening,
        journal: Option<Journal>,
    ) -> Result<Self> {
        Ok(Self {
            ledger: Ledger::load(context, opening).await?,
            shipping: Shipping::new(&context.limits),
            journal: journal.map(Arc::new),
            anchored: Anchored::default(),
            serves: AtomicBool::new(false),
            context: Arc::clone(context),
            identities: Arc::clone(identities),
        })
    }
}

impl AsRef<Context> for Audit {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}
