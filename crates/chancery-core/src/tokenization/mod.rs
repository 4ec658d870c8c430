//! Token profiles: from messages to tokens and back.
//!
//! The door methods are in `manage` (profiles) and `calls` (values). A profile is checked and compiled once (`spec`,
//! `format`, `alphabet`, `profile`) and kept in `profiles`; a value goes through `engine`: text to digits (`values`,
//! `luhn`, `rank`), FF1 under the profile's `tweak`, digits to text, and for some callers a `mask`.

mod advisor;
mod alphabet;
mod batch;
mod calls;
mod copy;
mod engine;
mod format;
mod grants;
mod journal;
mod key_move;
mod luhn;
mod manage;
mod mask;
mod pattern;
mod prefix;
mod preview;
mod profile;
mod profiles;
mod rank;
mod refusal;
mod rewrap;
pub(crate) mod rules;
mod shape;
mod shared;
mod spec;
mod stored_profile;
mod templates;
mod text_format;
mod track;
mod tweak;
mod values;
mod vault;
mod versions;

use std::sync::{Arc, Mutex};

use chancery_types::{
    IdentityId, TokenProfileId,
    wire::{ObjInfo, token_profiles::ControlRule},
};

use crate::{
    Approvals, Audit, Budgets, Context, Identities,
    identity::{ControlRules, Rate},
};

pub(crate) use engine::Engine;
pub(crate) use grants::DETOKENIZE_GRANT;
pub(crate) use journal::Noted;
pub use journal::{JournalEntry, JournalState, OtherJournal};
pub(crate) use mask::{CANDIDATES_MIN, Mask, Reveals};
pub(crate) use profile::Profile;
pub(crate) use profiles::TokenProfiles;
pub use rules::{Demand, RuleCall};
pub(crate) use shape::Shape;
pub(crate) use shared::reveals;

/// Token profiles, and what is tokenized under them.
pub struct Tokens {
    context: Arc<Context>,
    identities: Arc<Identities>,
    approvals: Arc<Approvals>,
    audit: Arc<Audit>,
    budgets: Arc<Budgets>,
    pub(crate) token_profiles: TokenProfiles,
    /// Previews of token profiles in the current minute.
    previews: Mutex<Rate<IdentityId>>,
}

impl ControlRules for Tokens {
    fn all(&self) -> Vec<(ObjInfo<TokenProfileId>, Vec<ControlRule>)> {
        let rules = |profile: &Arc<Profile>| {
            let info = ObjInfo { name: profile.name.clone(), uuid: profile.id };
            (info, profile.control_rules.clone())
        };
        self.token_profiles.all().iter().map(rules).collect()
    }
}

impl Tokens {
    pub(crate) fn new(
        context: &Arc<Context>,
        approvals: &Arc<Approvals>,
        audit: &Arc<Audit>,
        budgets: &Arc<Budgets>,
    ) -> Self {
        Self {
            token_profiles: TokenProfiles::default(),
            previews: Mutex::default(),
            context: Arc::clone(context),
            identities: Arc::clone(&approvals.identities),
            approvals: Arc::clone(approvals),
            audit: Arc::clone(audit),
            budgets: Arc::clone(budgets),
        }
    }
}

impl AsRef<Context> for Tokens {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}
