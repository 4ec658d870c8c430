//! Who may do what: permissions of roles here, Control Rules of token profiles beside it.

mod admit;
mod grant;
mod token_rules;

pub use admit::{Demand, RuleCall};
pub use grant::Grant;
pub(crate) use grant::ReadGrant;
pub(crate) use token_rules::{
    Call, DetokenizeGrant, KeyStanding, Messages, TokenRules, TokenizeGrant, View, check_masks,
};

#[cfg(test)]
pub(crate) use token_rules::tests;
