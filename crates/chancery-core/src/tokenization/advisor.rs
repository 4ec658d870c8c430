//! What to know about a profile's safety before relying on it.

use chancery_types::{
    Luhn, Operation, TokenAlgorithm,
    wire::token_profiles::{ControlRule, TokenSecurity},
};

use super::{key_move::is_silent, mask::Reveals, shape::Shape};

/// Below this many messages somebody who may tokenize batches can try them all within days.
const TRIAL_MAX: f64 = 1e12;

/// Below this many messages, as among names or dates, some are so frequent that their tokens stand out.
const FREQUENT_MAX: f64 = 1e9;

/// What the advice depends on.
pub(crate) struct Case<'a> {
    pub(crate) algorithm: TokenAlgorithm,
    pub(crate) shape: &'a Shape,
    /// Whether the same message always gives the same token.
    pub(crate) repeats: bool,
    pub(crate) shares_domain: bool,
    /// The oldest key version whose tokens are read.
    pub(crate) oldest_version: u32,
    pub(crate) rules: &'a [ControlRule],
}

/// The safety of a profile.
pub(crate) fn advise(case: &Case) -> TokenSecurity {
    let space = case.shape.space();
    let mut notes = Vec::new();
    notes.extend(equality(case, space.as_ref()));
    notes.extend(what_tokens_show(case));
    if case.shares_domain {
        notes.push("Profiles with this key and tweakDomain open each other's tokens.".into());
    }
    notes.extend(given_up(case));
    notes.extend(trial(case, space.as_ref()));
    TokenSecurity { domain_size: case.shape.token_space().map(|tokens| tokens.decimal()), notes }
}

/// What follows from equal messages having equal tokens.
fn equality(case: &Case, space: Option<&Space>) -> Vec<String> {
    let mut notes = Vec::new();
    if !case.repeats {
        return notes;
    }
    notes.push("The same message always gives the same token, so equal messages can be seen to be equal.".into());
    if let Some(space) = space.filter(|space| space.size() < FREQUENT_MAX) {
        notes.push(format!(
            "The encrypted part of the shortest messages has only {} values: whoever knows which messages are frequent \
             can guess them from how often tokens occur.",
            space.decimal()
        ));
    }
    notes
}

/// What a token shows, or may be taken for.
fn what_tokens_show(case: &Case) -> Vec<String> {
    let mut notes = Vec::new();
    match case.algorithm {
        TokenAlgorithm::Ff1 => {
            if case.shape.may_equal_message() {
                notes.push(
                    "About one token in the whole domain equals its message: FF1 is a permutation and leaves that to \
                     chance."
                        .into(),
                );
            }
        }
        TokenAlgorithm::Random => {
            if let Some(tokens) = case.shape.token_space().filter(|tokens| tokens.size() < FREQUENT_MAX) {
                notes.push(format!(
                    "There are only {} tokens for the shortest messages: where as many messages come, none is left.",
                    tokens.decimal()
                ));
            }
        }
        TokenAlgorithm::AesSiv | TokenAlgorithm::AesGcm => {
            notes.push("The length of a token tells how many bytes its message has.".into());
        }
        TokenAlgorithm::Hmac => {}
    }
    match case.shape {
        Shape::Symbols(format) if format.luhn() == Luhn::Valid => {
            notes.push("Tokens pass Luhn like real card numbers: where both may meet, use luhn Invalid.".into());
        }
        Shape::Pattern(pattern) if pattern.has_check_digits() => {
            notes.push("Tokens are valid IBANs and cannot be told from real ones: keep both apart.".into());
        }
        Shape::Symbols(_) | Shape::Pattern(_) | Shape::Text(_) => {}
    }
    notes
}

/// What becomes of tokens of versions that are not read any more, where tokens do not tell theirs.
fn given_up(case: &Case) -> Option<String> {
    let oldest = case.oldest_version;
    (is_silent(case.algorithm, case.shape) && oldest > 1).then(|| {
        format!(
            "A token of a key version before {oldest} is not refused: it does not tell its version, so it is read as one \
             of another and gives a plausible, wrong message. Make sure that none is left, or use versionPrefix."
        )
    })
}

/// Whether a role can find messages by tokenizing guesses, though no rule lets it detokenize.
fn trial(case: &Case, space: Option<&Space>) -> Option<String> {
    if !case.repeats {
        return None;
    }
    let role = case.rules.iter().find(|rule| {
        let hidden = space.map_or(0.0, |space| space.size() / space.radix().powi(revealed(rule, case.rules)));
        amounts_to_detokenize(rule, case.rules) && hidden < TRIAL_MAX
    })?;
    Some(match space {
        None => "A role with Tokenize and Batch can find the message of a token by trying, where the messages are few \
                 enough to be listed: for it that amounts to Detokenize."
            .into(),
        Some(space) if space.size() < TRIAL_MAX => format!(
            "A role with Tokenize and Batch can find the message of a token by trying all {} of the shortest length: \
             for it that amounts to Detokenize.",
            space.decimal()
        ),
        Some(_) => format!(
            "A role with Tokenize, Batch and PartialDetokenize, which reveals {} symbols, can find the others by trying: \
             for it that amounts to Detokenize.",
            revealed(role, case.rules)
        ),
    })
}

/// Whether the rule lets its role tokenize, and another lets the same role do so in batches, and none lets it
/// detokenize, so that trying is more than it may.
fn amounts_to_detokenize(rule: &ControlRule, rules: &[ControlRule]) -> bool {
    let may = |operation| rules.iter().any(|other| other.role_uuid == rule.role_uuid && other.operation == operation);
    rule.operation == Operation::Tokenize && may(Operation::Batch) && !may(Operation::Detokenize)
}

/// How many symbols the role of this rule may see at most.
fn revealed(rule: &ControlRule, rules: &[ControlRule]) -> i32 {
    let of_role = rules.iter().filter(|other| other.role_uuid == rule.role_uuid);
    let most = of_role.map(|other| Reveals::of_rule(other).count()).max().unwrap_or_default();
    i32::try_from(most).unwrap_or(i32::MAX)
}

/// How many values there are: the product of powers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Space(pub(crate) Vec<(u32, usize)>);

impl Space {
    /// About.
    pub(crate) fn size(&self) -> f64 {
        let power =
            |&(radix, exponent): &(u32, usize)| f64::from(radix).powi(i32::try_from(exponent).unwrap_or(i32::MAX));
        self.0.iter().map(power).product()
    }

    /// What a symbol that is known is worth at most.
    fn radix(&self) -> f64 {
        self.0.iter().map(|&(radix, _)| f64::from(radix)).fold(1.0, f64::max)
    }

    /// Exactly, in decimal.
    pub(crate) fn decimal(&self) -> String {
        /// Digits in one limb, and its base.
        const LIMB: (usize, u64) = (9, 1_000_000_000);
        // The lowest limb first.
        let mut limbs = vec![1u64];
        for radix in self.0.iter().flat_map(|&(radix, exponent)| std::iter::repeat_n(radix, exponent)) {
            let mut carry = 0;
            for limb in &mut limbs {
                let product = *limb * u64::from(radix) + carry;
                *limb = product % LIMB.1;
                carry = product / LIMB.1;
            }
            if carry > 0 {
                limbs.push(carry);
            }
        }
        let lower = limbs.iter().rev().skip(1).map(|limb| format!("{limb:0width$}", width = LIMB.0));
        format!("{}{}", limbs.last().copied().unwrap_or_default(), lower.collect::<String>())
    }
}

#[cfg(test)]
mod tests;
