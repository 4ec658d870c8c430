//! Who may do what: permissions of roles here, Control Rules of token profiles beside it.

mod admit;
mod budgets;
mod grant;
mod token_rules;

pub use admit::{Demand, RuleCall};
pub(crate) use budgets::{Budgets, LeasingBudgets};
pub use grant::Grant;
pub(crate) use grant::ReadGrant;
pub(crate) use token_rules::{
    Call, DetokenizeGrant, KeyStanding, Messages, TokenRules, TokenizeGrant, Unpaid, View, check_masks,
};

#[cfg(test)]
pub(crate) use token_rules::tests;
