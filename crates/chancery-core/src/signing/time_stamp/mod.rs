//! Time stamps (RFC 3161, RFC 5816): the authority that gives them to anybody, and those elsewhere that are asked for them.

mod authority;
mod change;
mod deploy;
mod obtain;
mod outside;

use chancery_x509::tsp::{oid, request, response, token};

use crate::context::storage::{Evidence, MayRead};

pub use authority::TimeStampAnswer;
pub(super) use change::unreadable_policy;
pub(crate) use outside::Outside;
pub use outside::{OutsideAuthorities, StampTransport};

/// Gives time stamps to anybody, and to signatures. Made only here.
pub(crate) struct Stamping(());

impl Evidence for Stamping {}
impl MayRead for Stamping {}
