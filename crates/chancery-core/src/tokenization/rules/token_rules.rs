//! The Control Rules of one token profile, compiled: which roles may tokenize and detokenize, in a look-up a call.

use std::{collections::HashMap, sync::Arc};

use chancery_types::{KeyUsage, Operation, ProposalId, RoleId, wire::token_profiles::ControlRule};
use foldhash::fast::RandomState;

use super::{
    demands::{Demands, compile_demands},
    masks::parse_mask,
};
use crate::{
    Error, Grant, Limits, Result,
    approval::IsProposer,
    budgets::{Paid, RuleBudgets, check_budgets},
    context::storage::{Connections, Evidence, MayKeepTokens, MayRead},
    tokenization::{Mask, Reveals, reveals},
};

/// The compiled Control Rules of one profile. Ids are of our own making, so no hash that withstands floods is needed.
#[derive(Debug, Default)]
pub(crate) struct TokenRules {
    roles: HashMap<RoleId, Rights, RandomState>,
    /// What all partial rules over the profile's tokens show between them, to whomever: two who see a part each tell each
    /// other.
    together: Reveals,
    /// Those that have budgets; one for a role and an operation.
    budgets: Vec<Arc<RuleBudgets>>,
    /// What is to be approved before a role detokenizes in full.
    pub(super) demands: Demands,
}

/// A rule that lets the caller through, once the call is counted in its budgets. Made only here.
#[derive(Debug)]
#[must_use = "it lets nobody through before it is paid"]
pub(crate) struct Unpaid<G> {
    grant: G,
    /// Of the rules of which one has to have room for the call; none where it costs nothing.
    budgets: Vec<Arc<RuleBudgets>>,
    /// The grant that the values are counted in.
    under: Option<(ProposalId, IsProposer)>,
}

impl<G> Unpaid<G> {
    /// The rules of which one has to have room for the call.
    pub(crate) fn budgets(&self) -> &[Arc<RuleBudgets>] {
        &self.budgets
    }

    /// The grant that the values are counted in.
    pub(crate) const fn under(&self) -> Option<&(ProposalId, IsProposer)> {
        self.under.as_ref()
    }

    /// What lets the caller through.
    pub(crate) fn paid(self, _: &Paid) -> G {
        self.grant
    }
}

impl Unpaid<DetokenizeGrant> {
    /// How much the caller may see once the call is paid.
    pub(crate) const fn view(&self) -> &View {
        self.grant.view()
    }

    /// The same under this grant.
    pub(crate) fn counted_in(self, grant: (ProposalId, IsProposer)) -> Self {
        Self { under: Some(grant), ..self }
    }
}

/// What one role, or the roles of one caller together, may do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rights {
    tokenize: bool,
    pub(super) detokenize: bool,
    /// It detokenizes in full under a grant.
    pub(super) by_grant: bool,
    partial: Option<Mask>,
    batch: bool,
}

/// A rule that lets the caller tokenize. Made only here.
#[derive(Debug)]
pub(crate) struct TokenizeGrant(());

impl Evidence for TokenizeGrant {}
impl MayRead for TokenizeGrant {
    const CONNECTIONS: Connections = Connections::Data;
}
impl MayKeepTokens for TokenizeGrant {}

/// A rule that lets the caller detokenize, fully or in part. Made only here.
#[derive(Debug)]
pub(crate) struct DetokenizeGrant(View);

impl Evidence for DetokenizeGrant {}
impl MayRead for DetokenizeGrant {
    const CONNECTIONS: Connections = Connections::Data;
}

/// How much of a message the caller may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// All of it.
    Full,
    /// What the mask leaves.
    Partial(Mask),
}

impl TokenizeGrant {
    /// To tokenize under a key that is made for this and thrown away: managing profiles is enough.
    pub(crate) const fn for_preview(_grant: &Grant) -> Self {
        Self(())
    }
}

impl DetokenizeGrant {
    /// How much the caller may see.
    pub(crate) const fn view(&self) -> &View {
        &self.0
    }
}

/// What kind of call asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// One value.
    Single,
    /// Many values: needs Batch besides.
    Batch,
    /// Track data: partial detokenization is not enough.
    Track,
    /// Many tokens into others: as a batch, and partial detokenization is not enough.
    Rewrap,
    /// What a vault keeps beside a message: partial detokenization is not enough.
    Vault,
}

impl Call {
    const fn needs_batch(self) -> bool {
        match self {
            Self::Batch | Self::Rewrap => true,
            Self::Single | Self::Track | Self::Vault => false,
        }
    }

    /// Whether it shows messages, which approvers can be asked for.
    pub(super) const fn takes_grant(self) -> bool {
        match self {
            Self::Single | Self::Batch | Self::Track => true,
            Self::Rewrap | Self::Vault => false,
        }
    }

    const fn takes_partial(self) -> bool {
        match self {
            Self::Single | Self::Batch => true,
            Self::Track | Self::Rewrap | Self::Vault => false,
        }
    }
}

/// What the backing key of a profile allows at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyStanding {
    pub(crate) tokenize: bool,
    pub(crate) detokenize: bool,
    pub(crate) enabled: bool,
}

/// What is known of the messages when rules are checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Messages {
    /// The shortest has so many symbols.
    pub(crate) length_min: usize,
    /// So many digits follow from the others.
    pub(crate) check_digits: usize,
}

impl TokenRules {
    /// Checks and compiles rules. Whether the roles exist is the caller's to check.
    pub(crate) fn compile(rules: &[ControlRule], messages: Messages, limits: &Limits) -> Result<Self> {
        if rules.len() > limits.control_rules_max {
            let message = format!("A profile has at most {} Control Rules.", limits.control_rules_max);
            return Err(Error::too_large("/controlRules", message));
        }
        let mut roles: HashMap<RoleId, Rights, RandomState> = HashMap::default();
        for (index, rule) in rules.iter().enumerate() {
            let right = Rights::of(rule, messages).map_err(|error| error.under(&format!("/controlRules/{index}")))?;
            let rights = roles.entry(rule.role_uuid).or_default();
            *rights = rights.and(right);
        }
        let demands = compile_demands(rules, limits)?;
        Ok(Self { roles, together: reveals(rules), budgets: compile_budgets(rules)?, demands })
    }

    /// The rules of a profile that shares its tokens with others, whose rules show this.
    pub(crate) fn beside(self, others: Reveals) -> Self {
        Self { together: self.together.and(others), ..self }
    }

    /// Whether a caller with these roles may tokenize under this key.
    pub(crate) fn tokenize(&self, roles: &[RoleId], call: Call, key: KeyStanding) -> Result<Unpaid<TokenizeGrant>> {
        let rights = self.rights(roles);
        if !rights.tokenize {
            return Err(no_rule("Tokenize"));
        }
        rights.check_batch(call)?;
        key.check(key.tokenize, KeyUsage::Tokenize)?;
        let budgets = self.budgets_of(roles, Operation::Tokenize, |rights| rights.tokenize);
        Ok(Unpaid { grant: TokenizeGrant(()), budgets, under: None })
    }

    /// Whether, and how far, a caller with these roles may detokenize under this key: full beats partial.
    pub(crate) fn detokenize(&self, roles: &[RoleId], call: Call, key: KeyStanding) -> Result<Unpaid<DetokenizeGrant>> {
        let rights = self.rights(roles);
        let view = match (rights.detokenize, rights.partial) {
            (true, _) => View::Full,
            (false, Some(mask)) if call.takes_partial() => View::Partial(mask.beside(self.together)),
            (false, _) if rights.by_grant => return Err(self.demands.needed(roles, call)),
            (false, _) => return Err(no_rule("Detokenize")),
        };
        rights.check_batch(call)?;
        key.check(key.detokenize, KeyUsage::Detokenize)?;
        let budgets = match view {
            View::Full => self.budgets_of(roles, Operation::Detokenize, |rights| rights.detokenize),
            // That of the role whose mask applies, and of no other that shows less.
            View::Partial(_) => {
                let applies =
                    |rights: &Rights| rights.partial.is_some() && rights.partial == self.rights(roles).partial;
                let first = roles.iter().find(|role| self.roles.get(role).is_some_and(applies));
                self.budgets_of(
                    first.map(std::slice::from_ref).unwrap_or_default(),
                    Operation::PartialDetokenize,
                    applies,
                )
            }
        };
        Ok(Unpaid { grant: DetokenizeGrant(view), budgets, under: None })
    }

    /// Whether a caller with these roles may detokenize in full under a grant to one of them.
    pub(crate) fn detokenize_by_grant(
        &self,
        roles: &[RoleId],
        role: RoleId,
        call: Call,
        key: KeyStanding,
    ) -> Result<Unpaid<DetokenizeGrant>> {
        let applies = |rights: &Rights| rights.detokenize || rights.by_grant;
        if !roles.contains(&role) || !self.roles.get(&role).is_some_and(applies) {
            return Err(no_rule("Detokenize"));
        }
        self.rights(roles).check_batch(call)?;
        key.check(key.detokenize, KeyUsage::Detokenize)?;
        let budgets = self.budgets_of(&[role], Operation::Detokenize, applies);
        Ok(Unpaid { grant: DetokenizeGrant(View::Full), budgets, under: None })
    }

    /// Whether any rule is about what these roles detokenize by such a call, though more may have to be so, or it be refused.
    pub(crate) fn has_detokenize_rule(&self, roles: &[RoleId], call: Call) -> bool {
        let rights = self.rights(roles);
        (rights.detokenize || rights.by_grant || rights.partial.is_some()) && rights.check_batch(call).is_ok()
    }

    /// The budgets of the rules that let these roles do this; none where one of the rules has none.
    fn budgets_of(
        &self,
        roles: &[RoleId],
        operation: Operation,
        grants: impl Fn(&Rights) -> bool,
    ) -> Vec<Arc<RuleBudgets>> {
        if self.budgets.is_empty() {
            return Vec::new();
        }
        let granting = roles.iter().filter(|role| self.roles.get(role).is_some_and(&grants));
        let of =
            |role: &RoleId| self.budgets.iter().find(|rule| rule.role == *role && rule.operation == operation).cloned();
        granting.map(of).collect::<Option<_>>().unwrap_or_default()
    }

    /// What all these roles together may do.
    pub(super) fn rights(&self, roles: &[RoleId]) -> Rights {
        roles.iter().filter_map(|role| self.roles.get(role)).fold(Rights::default(), |all, rights| all.and(*rights))
    }
}

impl KeyStanding {
    fn check(self, allowed: bool, usage: KeyUsage) -> Result<()> {
        if !allowed {
            return Err(Error::forbidden(format!("The backing key's usages do not contain {usage}.")));
        }
        if !self.enabled {
            return Err(Error::state("The backing key is disabled."));
        }
        Ok(())
    }
}

impl Rights {
    /// What one rule grants.
    fn of(rule: &ControlRule, messages: Messages) -> Result<Self> {
        let ControlRule { role_uuid: _, operation, reveal, reveal_from, mask_char, mask, budgets: _, approval } = rule;
        let none = Self::default();
        let rights = match operation {
            Operation::Tokenize => Self { tokenize: true, ..none },
            Operation::Detokenize if approval.is_some() => Self { by_grant: true, ..none },
            Operation::Detokenize => Self { detokenize: true, ..none },
            Operation::Batch => Self { batch: true, ..none },
            Operation::PartialDetokenize => return Ok(Self { partial: Some(parse_mask(rule, messages)?), ..none }),
        };
        let only_partial = [
            ("/reveal", reveal.is_some()),
            ("/revealFrom", reveal_from.is_some()),
            ("/maskChar", mask_char.is_some()),
            ("/mask", mask.is_some()),
        ];
        match only_partial.into_iter().find(|(_, given)| *given) {
            Some((field, _)) => Err(Error::value(field, "Only a PartialDetokenize rule has this member.")),
            None => Ok(rights),
        }
    }

    /// Both together. Of several partial rules the one that reveals most applies, never a combination; of equals the
    /// first.
    fn and(self, other: Self) -> Self {
        let partial = match (self.partial, other.partial) {
            (Some(one), Some(two)) => Some(if two.shows.is_more_than(one.shows) { two } else { one }),
            (one, two) => one.or(two),
        };
        Self {
            tokenize: self.tokenize || other.tokenize,
            detokenize: self.detokenize || other.detokenize,
            by_grant: self.by_grant || other.by_grant,
            batch: self.batch || other.batch,
            partial,
        }
    }

    fn check_batch(self, call: Call) -> Result<()> {
        if call.needs_batch() && !self.batch { Err(no_rule("Batch")) } else { Ok(()) }
    }
}

/// The rules with budgets. A role has one rule for an operation where that has budgets: what another let through would be
/// counted nowhere.
fn compile_budgets(rules: &[ControlRule]) -> Result<Vec<Arc<RuleBudgets>>> {
    let mut compiled = Vec::new();
    if rules.iter().all(|rule| rule.budgets.is_empty()) {
        return Ok(compiled);
    }
    let mut counts: HashMap<(RoleId, Operation), usize, RandomState> = HashMap::default();
    for rule in rules {
        *counts.entry((rule.role_uuid, rule.operation)).or_default() += 1;
    }
    for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| !rule.budgets.is_empty()) {
        let at = format!("/controlRules/{index}/budgets");
        if rule.operation == Operation::Batch {
            return Err(Error::value(
                at,
                "A Batch rule lets no values through by itself; the rules beside it have budgets.",
            ));
        }
        if counts.get(&(rule.role_uuid, rule.operation)).is_some_and(|count| *count > 1) {
            let message = "A role has one rule for an operation where that has budgets; put them together.";
            return Err(Error::value(at, message));
        }
        check_budgets(&at, &rule.budgets)?;
        compiled.push(Arc::new(RuleBudgets {
            role: rule.role_uuid,
            operation: rule.operation,
            windows: rule.budgets.clone(),
        }));
    }
    Ok(compiled)
}

pub(super) fn no_rule(operation: &str) -> Error {
    Error::forbidden(format!("No Control Rule of this token profile grants {operation} to your roles."))
}

#[cfg(test)]
pub(crate) mod tests {
    use chancery_types::RevealFrom;

    use super::*;
    use crate::Meaning;

    /// Evidence for tests of the engines.
    pub(crate) const MAY_TOKENIZE: TokenizeGrant = TokenizeGrant(());
    /// Evidence for tests of the engines.
    pub(crate) const MAY_DETOKENIZE: DetokenizeGrant = DetokenizeGrant(View::Full);

    /// Evidence for tests of the engines.
    pub(crate) const fn may_see(mask: Mask) -> DetokenizeGrant {
        DetokenizeGrant(View::Partial(mask))
    }

    const KEY: KeyStanding = KeyStanding { tokenize: true, detokenize: true, enabled: true };
    const CARDS: Messages = Messages { length_min: 13, check_digits: 1 };
    const ONE: RoleId = RoleId::from_u128(1);
    const TWO: RoleId = RoleId::from_u128(2);

    fn rule(role_uuid: RoleId, operation: Operation) -> ControlRule {
        ControlRule {
            role_uuid,
            operation,
            reveal: None,
            reveal_from: None,
            mask_char: None,
            mask: None,
            budgets: Vec::new(),
            approval: None,
        }
    }

    fn partial(role_uuid: RoleId, reveal: u32) -> ControlRule {
        ControlRule { reveal: Some(reveal), ..rule(role_uuid, Operation::PartialDetokenize) }
    }

    fn compile(rules: &[ControlRule]) -> TokenRules {
        TokenRules::compile(rules, CARDS, &Limits::default()).unwrap()
    }

    fn reveals(rules: &TokenRules, roles: &[RoleId], call: Call) -> Option<usize> {
        match rules.detokenize(roles, call, KEY).ok()?.grant.0 {
            View::Full => Some(usize::MAX),
            View::Partial(mask) => Some(mask.shows.count()),
        }
    }

    #[test]
    fn each_operation_needs_its_own_rule() {
        let rules = compile(&[rule(ONE, Operation::Tokenize), rule(TWO, Operation::Detokenize)]);
        assert!(rules.tokenize(&[ONE], Call::Single, KEY).is_ok());
        assert!(rules.tokenize(&[TWO, ONE], Call::Track, KEY).is_ok());
        let refusal = rules.tokenize(&[TWO], Call::Single, KEY).unwrap_err();
        assert_eq!(refusal.meaning(), Meaning::Forbidden);
        assert!(rules.tokenize(&[], Call::Single, KEY).is_err());
        assert!(rules.detokenize(&[ONE], Call::Single, KEY).is_err());
        assert!(rules.detokenize(&[TWO], Call::Track, KEY).is_ok());
    }

    #[test]
    fn batch_is_needed_besides_the_operation() {
        let rules = compile(&[rule(ONE, Operation::Tokenize), rule(TWO, Operation::Batch), partial(TWO, 4)]);
        assert!(rules.tokenize(&[ONE], Call::Batch, KEY).is_err());
        assert!(rules.tokenize(&[TWO], Call::Batch, KEY).is_err());
        assert!(rules.tokenize(&[ONE, TWO], Call::Batch, KEY).is_ok());
        assert!(rules.detokenize(&[TWO], Call::Batch, KEY).is_ok());
        assert!(rules.tokenize(&[ONE], Call::Rewrap, KEY).is_err());
        assert!(rules.tokenize(&[ONE, TWO], Call::Rewrap, KEY).is_ok());
    }

    #[test]
    fn full_beats_partial_and_the_most_revealing_partial_rule_applies() {
        let rules = compile(&[partial(ONE, 4), partial(ONE, 6), partial(TWO, 5), rule(TWO, Operation::Detokenize)]);
        assert_eq!(reveals(&rules, &[ONE], Call::Single), Some(6));
        assert_eq!(reveals(&rules, &[ONE], Call::Track), None, "tracks need full rules");
        assert_eq!(reveals(&rules, &[ONE], Call::Rewrap), None, "so do tokens that become others");
        assert_eq!(reveals(&rules, &[ONE, TWO], Call::Single), Some(usize::MAX));
        assert_eq!(reveals(&rules, &[ONE, TWO], Call::Batch), None);
    }

    #[test]
    fn the_key_must_allow_it_too() {
        let rules = compile(&[rule(ONE, Operation::Tokenize), rule(ONE, Operation::Detokenize)]);
        let meaning = |key| {
            let tokenize = rules.tokenize(&[ONE], Call::Single, key).map(|_| ()).map_err(|error| error.meaning());
            let detokenize = rules.detokenize(&[ONE], Call::Single, key).map(|_| ()).map_err(|error| error.meaning());
            (tokenize, detokenize)
        };
        assert_eq!(meaning(KEY), (Ok(()), Ok(())));
        assert_eq!(meaning(KeyStanding { tokenize: false, ..KEY }), (Err(Meaning::Forbidden), Ok(())));
        assert_eq!(meaning(KeyStanding { detokenize: false, ..KEY }), (Ok(()), Err(Meaning::Forbidden)));
        let disabled = KeyStanding { enabled: false, ..KEY };
        assert_eq!(meaning(disabled), (Err(Meaning::State), Err(Meaning::State)));
        let both = meaning(KeyStanding { tokenize: false, detokenize: false, enabled: false });
        assert_eq!(both, (Err(Meaning::Forbidden), Err(Meaning::Forbidden)), "permission comes before state");
    }

    #[test]
    fn refusals_name_the_member() {
        let with_mask = |mask: &str| ControlRule { mask_char: Some(mask.into()), ..partial(ONE, 4) };
        for (bad, field, meaning) in [
            (rule(ONE, Operation::PartialDetokenize), "reveal", Meaning::Malformed),
            (partial(ONE, 12), "reveal", Meaning::Value),
            (partial(ONE, u32::MAX), "reveal", Meaning::Value),
            (with_mask(""), "maskChar", Meaning::Value),
            (with_mask("**"), "maskChar", Meaning::Value),
            (with_mask("\n"), "maskChar", Meaning::Value),
            (ControlRule { reveal: Some(1), ..rule(ONE, Operation::Detokenize) }, "reveal", Meaning::Value),
            (
                ControlRule { reveal_from: Some(RevealFrom::End), ..rule(ONE, Operation::Tokenize) },
                "revealFrom",
                Meaning::Value,
            ),
            (ControlRule { mask_char: Some("*".into()), ..rule(ONE, Operation::Batch) }, "maskChar", Meaning::Value),
        ] {
            let rules = [rule(ONE, Operation::Batch), bad];
            let error = TokenRules::compile(&rules, CARDS, &Limits::default()).unwrap_err();
            assert_eq!(error.field(), Some(format!("/controlRules/1/{field}").as_str()), "{error}");
            assert_eq!(error.meaning(), meaning, "{error}");
        }
        let compiled = TokenRules::compile(&[partial(ONE, 11)], CARDS, &Limits::default());
        assert_eq!(reveals(&compiled.unwrap(), &[ONE], Call::Single), Some(11));
        let without_luhn = Messages { check_digits: 0, ..CARDS };
        assert!(TokenRules::compile(&[partial(ONE, 12)], without_luhn, &Limits::default()).is_ok());
        let many = vec![rule(ONE, Operation::Batch); 1_001];
        assert!(TokenRules::compile(&many[1..], CARDS, &Limits::default()).is_ok());
        let error = TokenRules::compile(&many, CARDS, &Limits::default()).unwrap_err();
        assert_eq!((error.meaning(), error.field()), (Meaning::TooLarge, Some("/controlRules")));
    }
}
