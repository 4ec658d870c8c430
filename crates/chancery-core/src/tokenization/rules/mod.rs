//! Control Rules of token profiles: which roles may do what, how much they may see, and what is to be approved before.

mod admit;
mod charge;
mod demands;
mod masks;
mod token_rules;

pub use admit::{Demand, RuleCall};
pub(crate) use demands::{MayAsk, requirement as grant_requirement};
pub(crate) use masks::check_masks;
pub(crate) use token_rules::{Call, DetokenizeGrant, KeyStanding, Messages, TokenRules, TokenizeGrant, Unpaid, View};

#[cfg(test)]
pub(crate) use token_rules::tests;
