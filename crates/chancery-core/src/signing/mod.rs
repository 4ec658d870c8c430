//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
mod approval_digest;
mod batch;
mod claim;
mod credential;
mod decide;
mod deploy;
mod embedded;
pub(crate) mod formats;
mod made;
mod manifest;
mod matter;
mod pages;
mod policy;
mod policy_rules;
mod program;
pub(crate) mod proposals;
mod read;
mod renew;
mod repeat;
mod service;
mod services;
mod stored;
mod subject;
mod submit;
mod submitters;
mod target;
mod terms;
#[cfg(test)]
mod testing;
mod time_stamp;

pub(crate) use submitters::StoredSubmitters;
pub(crate) use target::ReadyTargets;
pub(crate) use time_stamp::Outside;
pub use time_stamp::{OutsideAuthorities, StampTransport, TimeStampAnswer};
