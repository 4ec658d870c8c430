//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
mod batch;
pub(crate) mod certificate;
mod claim;
mod credential;
mod decide;
mod decision;
mod demand;
mod deploy;
mod embedded;
pub(crate) mod formats;
mod made;
mod manifest;
mod matter;
mod pages;
mod policy;
mod program;
mod proposal;
mod read;
mod refusal;
mod renew;
mod repeat;
mod request;
pub(crate) mod rules;
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
mod turns;

pub(crate) use demand::Demand;
pub(crate) use deploy::NewService;
pub(crate) use proposal::NewCertificate;
pub(crate) use submitters::StoredSubmitters;
pub(crate) use target::ReadyTargets;
pub(crate) use terms::check_num_approvals;
pub(crate) use time_stamp::Outside;
pub use time_stamp::{OutsideAuthorities, StampTransport, TimeStampAnswer};
pub(crate) use turns::Turns;
