//! What every domain stands on: the store behind evidence, who acts, what is granted, the records of what was done, and how
//! the compiled state follows the store. It knows no domain.

pub(crate) mod activity;
pub(crate) mod background;
pub(crate) mod bounds;
pub(crate) mod caller;
pub(crate) mod changes;
pub(crate) mod clock_watch;
pub(crate) mod grant;
mod host_work;
pub(crate) mod idempotency;
pub(crate) mod quarantine;
pub(crate) mod record;
pub(crate) mod retention;
pub(crate) mod rows;
pub(crate) mod settings;
pub(crate) mod storage;
pub(crate) mod terms;
pub(crate) mod told;
pub(crate) mod up_to_date;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use arc_swap::ArcSwap;
use chancery_keys::Custodian;
use uuid::Uuid;

use self::{
    activity::Activity,
    changes::{Compiled, Following},
    clock_watch::ClockWatch,
    quarantine::Quarantine,
    record::Counters,
    settings::Settings,
    storage::Storage,
    told::Told,
};
use crate::{
    Clock, Limits,
    base::{above::Above, list::ReadTurns, pool::Pool},
    custody::Custody,
    outbound::Outbound,
};

pub use self::{
    caller::{Caller, Member, RequestId, RequestInfo, Visitor},
    grant::Grant,
    idempotency::{IdempotentCall, MadeBefore},
    record::Event,
    storage::Host,
};

/// What every domain of an open installation uses.
pub struct Context {
    pub(crate) storage: Storage,
    pub(crate) custodian: Arc<Custodian>,
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
    pub(crate) hardened: bool,
    pub(crate) public_url: Option<String>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) custody: Arc<Custody>,
    pub(crate) counters: Counters,
    /// How much was done by the hour.
    pub(crate) activity: Activity,
    pub(crate) settings: ArcSwap<Settings>,
    pub(crate) read_turns: ReadTurns,
    /// By what things leave.
    pub(crate) outbound: Outbound,
    /// How far the compiled state has followed the store.
    pub(crate) following: Following,
    /// What of the compiled state cannot be read.
    pub(crate) quarantine: Quarantine,
    pub(crate) clock_watch: ClockWatch,
    pub(crate) told: Told,
    /// What this server calls itself in the store until it ends.
    pub(crate) node: Uuid,
    /// What follows the store.
    pub(crate) compiled: Above<dyn Compiled>,
    /// Whether it is shutting down: nothing is done in turn any more.
    pub(crate) is_closing: AtomicBool,
}

impl Context {
    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether it is shutting down.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }
}

impl AsRef<Self> for Context {
    fn as_ref(&self) -> &Self {
        self
    }
}
