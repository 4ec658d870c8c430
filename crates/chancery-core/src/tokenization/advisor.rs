//! What to know about a profile's safety before relying on it.

use chancery_types::{
    Luhn, Operation, TokenAlgorithm,
    wire::token_profiles::{ControlRule, TokenSecurity},
};

use super::format::Format;

/// Below this many messages somebody who may tokenize batches can try them all within days.
const TRIAL_MAX: f64 = 1e12;

/// The safety of an Ff1 profile with these rules.
pub(crate) fn advise(format: &Format, use_iv: bool, shares_domain: bool, rules: &[ControlRule]) -> TokenSecurity {
    let mut notes = Vec::new();
    if !use_iv {
        notes.push("The same message always gives the same token, so equal messages can be seen to be equal.".into());
    }
    match format.luhn() {
        Luhn::Ignore => notes.push(may_equal()),
        Luhn::Valid => {
            notes.push(may_equal());
            notes.push("Tokens pass Luhn like real card numbers: where both may meet, use luhn Invalid.".into());
        }
        Luhn::Invalid => {}
    }
    if shares_domain {
        notes.push("Profiles with this key and tweakDomain open each other's tokens.".into());
    }
    let messages = messages_at_min(format);
    if !use_iv && messages < TRIAL_MAX && rules.iter().any(|rule| amounts_to_detokenize(rule, rules)) {
        notes.push(format!(
            "A role with Tokenize and Batch can find the message of a token by trying all {} of the shortest \
             length: for it that amounts to Detokenize.",
            power(format.alphabet().radix(), exponent_of_messages(format))
        ));
    }
    TokenSecurity { domain_size: Some(power(format.alphabet().radix(), format.encrypted_at_min())), notes }
}

/// The safety of a profile that takes any text.
pub(crate) fn advise_text(algorithm: TokenAlgorithm, shares_domain: bool, rules: &[ControlRule]) -> TokenSecurity {
    let mut notes = Vec::new();
    let (deterministic, keeps_length) = match algorithm {
        TokenAlgorithm::AesSiv => (true, true),
        TokenAlgorithm::AesGcm => (false, true),
        TokenAlgorithm::Hmac => (true, false),
        // Not of texts.
        TokenAlgorithm::Ff1 | TokenAlgorithm::Random => (false, false),
    };
    if deterministic {
        notes.push("The same message always gives the same token, so equal messages can be seen to be equal.".into());
    }
    if keeps_length {
        notes.push("The length of a token tells how many bytes its message has.".into());
    }
    if shares_domain {
        notes.push("Profiles with this key and tweakDomain open each other's tokens.".into());
    }
    if deterministic && rules.iter().any(|rule| amounts_to_detokenize(rule, rules)) {
        notes.push(
            "A role with Tokenize and Batch can find the message of a token by trying, where the messages are few \
             enough to be listed: for it that amounts to Detokenize."
                .into(),
        );
    }
    TokenSecurity { domain_size: None, notes }
}

fn may_equal() -> String {
    "About one token in the whole domain equals its message: FF1 is a permutation and leaves that to chance.".into()
}

/// Whether the rule lets its role tokenize, and another lets the same role do so in batches, and none lets it
/// detokenize, so that trying is more than it may.
fn amounts_to_detokenize(rule: &ControlRule, rules: &[ControlRule]) -> bool {
    let may = |operation| rules.iter().any(|other| other.role_uuid == rule.role_uuid && other.operation == operation);
    rule.operation == Operation::Tokenize && may(Operation::Batch) && !may(Operation::Detokenize)
}

/// With tokenLength the cipher works on more symbols than the messages have.
fn exponent_of_messages(format: &Format) -> usize {
    format.encrypted_at_min().min(format.min())
}

fn messages_at_min(format: &Format) -> f64 {
    let exponent = i32::try_from(exponent_of_messages(format)).unwrap_or(i32::MAX);
    f64::from(format.alphabet().radix()).powi(exponent)
}

/// radix^exponent in decimal.
pub(crate) fn power(radix: u32, exponent: usize) -> String {
    /// Digits in one limb, and its base.
    const LIMB: (usize, u64) = (9, 1_000_000_000);
    // The lowest limb first.
    let mut limbs = vec![1u64];
    for _ in 0..exponent {
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
    let rest: Vec<String> = limbs.iter().rev().skip(1).map(|limb| format!("{limb:0width$}", width = LIMB.0)).collect();
    format!("{}{}", limbs.last().copied().unwrap_or_default(), rest.concat())
}

#[cfg(test)]
mod tests {
    use chancery_types::{RoleId, wire::token_profiles::TokenFormat};

    use super::*;
    use crate::Limits;

    fn notes(luhn: Luhn, use_iv: bool, operations: &[(u128, Operation)]) -> String {
        let wire = TokenFormat {
            alphabet: Some("Decimal".into()),
            min_length: 13,
            max_length: 19,
            keep_leading: 0,
            keep_trailing: 4,
            pass_through: String::new(),
            luhn,
            token_length: None,
            pattern: None,
            version_prefix: None,
        };
        let rules: Vec<_> = operations
            .iter()
            .map(|&(role, operation)| ControlRule {
                role_uuid: RoleId::from_u128(role),
                operation,
                reveal: None,
                reveal_from: None,
                mask_char: None,
            })
            .collect();
        let format = Format::compile(&wire, &Limits::default()).unwrap();
        advise(&format, use_iv, false, &rules).notes.join(" ")
    }

    #[test]
    fn powers_in_decimal() {
        assert_eq!(power(10, 8), "100000000");
        assert_eq!(power(10, 9), "1000000000");
        assert_eq!(power(2, 64), "18446744073709551616");
        assert_eq!(power(65536, 4), "18446744073709551616");
        assert_eq!(power(36, 11), "131621703842267136");
        assert_eq!(power(10, 512), format!("1{}", "0".repeat(512)));
    }

    #[test]
    fn says_when_tokenizing_batches_amounts_to_detokenizing() {
        use Operation::{Batch, Detokenize, PartialDetokenize, Tokenize};
        let says = |use_iv, operations: &[_]| notes(Luhn::Valid, use_iv, operations).contains("all 100000000 ");
        assert!(says(false, &[(1, Tokenize), (1, Batch)]));
        assert!(says(false, &[(1, Batch), (1, Tokenize), (1, PartialDetokenize), (2, Detokenize)]));
        assert!(!says(true, &[(1, Tokenize), (1, Batch)]), "with an iv trying does not help");
        assert!(!says(false, &[(1, Tokenize), (2, Batch)]));
        assert!(!says(false, &[(1, Tokenize), (1, Batch), (1, Detokenize)]), "it may anyway");
    }

    #[test]
    fn says_when_a_token_may_equal_its_message() {
        assert!(notes(Luhn::Ignore, true, &[]).contains("equals its message"));
        assert!(notes(Luhn::Valid, true, &[]).contains("equals its message"));
        assert_eq!(notes(Luhn::Invalid, true, &[]), "");
        assert!(notes(Luhn::Invalid, false, &[]).contains("same message always gives the same token"));
    }
}
