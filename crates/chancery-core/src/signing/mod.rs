//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
mod approval_digest;
mod claim;
mod contents;
mod credential;
mod decide;
mod decide_as_one;
mod decide_many;
mod deploy;
mod embedded;
pub(crate) mod formats;
mod manifest;
mod new_request;
mod page_hashes;
mod payload;
mod pipeline;
mod policy;
mod policy_rules;
mod policy_terms;
mod program;
pub(crate) mod proposals;
mod provenance;
mod read_requests;
mod renew;
mod repeat;
mod service;
mod service_details;
mod statement;
mod stored_request;
mod submission;
mod submit;
mod submitters;
mod target;
#[cfg(test)]
mod testing;
mod time_stamp;

pub(crate) use stored_request::StoredRequest;
pub(crate) use submitters::StoredSubmitters;
pub(crate) use target::{CompilingTargets, ReadyTargets};
pub(crate) use time_stamp::{Outside, Stamping};
pub use time_stamp::{OutsideAuthorities, StampTransport, TimeStampAnswer};
