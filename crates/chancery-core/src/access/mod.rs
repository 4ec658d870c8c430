//! Who may do what: permissions of roles here, Control Rules of token profiles beside it; what that comes to for each
//! identity, and what a change of it changes.

mod admit;
mod budgets;
mod demands;
pub(crate) mod effect;
mod grant;
mod held;
mod masks;
mod token_rules;

pub use admit::{Demand, RuleCall};
pub(crate) use budgets::{Budgets, Counted, LeasingBudgets, SignatureBudgets, check as check_budgets, month_start};
pub(crate) use demands::{MayAsk, requirement as grant_requirement};
pub use grant::Grant;
pub(crate) use grant::ReadGrant;
pub(crate) use held::{AccessState, ByRole, by_perms, by_rules, rights};
pub(crate) use masks::check_masks;
pub(crate) use token_rules::{Call, DetokenizeGrant, KeyStanding, Messages, TokenRules, TokenizeGrant, Unpaid, View};

#[cfg(test)]
pub(crate) use token_rules::tests;
