//! What Control Rules for partial detokenization show, and when that would be too much or nothing.

use chancery_types::{Operation, hides, wire::token_profiles::ControlRule};

use super::token_rules::Messages;
use crate::{
    Error, Result,
    tokenization::{CANDIDATES_MIN, Mask, Reveals, Shape},
};

/// Refuses rules that would show nothing of any message, each alone or beside those before it and those of other profiles
/// over the same tokens, or something else in its place.
pub(crate) fn check_masks(rules: &[ControlRule], shape: &Shape, others: Reveals) -> Result<()> {
    let mut together = others;
    let partial = rules.iter().enumerate().filter(|(_, rule)| rule.operation == Operation::PartialDetokenize);
    for (index, rule) in partial {
        let within = |error: Error| error.under(&format!("/controlRules/{index}"));
        let mask = parse_mask(rule, shape.messages()).map_err(within)?;
        if hides(mask.with) || rule.mask_char.is_some() && shape.has_symbol(mask.with) {
            let message = "maskChar can be seen and is no symbol of the format: what is masked would look shorter, or like \
                           a message.";
            return Err(within(Error::value("/maskChar", message)));
        }
        let alone = shape.candidates_max(mask.together);
        together = together.and(mask.together);
        let candidates = shape.candidates_max(together);
        if mask.shows.count() > 0 && candidates < CANDIDATES_MIN {
            let beside = if alone < CANDIDATES_MIN {
                ""
            } else {
                ", together with what other partial rules of this profile, and of those that share its tokens, show"
            };
            let message = format!(
                "This would leave {candidates} possible messages even of the longest, with what a token keeps and check \
                 digits tell{beside}. Where fewer than {CANDIDATES_MIN} are left everything is masked: reveal less."
            );
            return Err(within(Error::value(member(rule), message)));
        }
    }
    Ok(())
}

/// The member that says what a partial rule reveals.
const fn member(rule: &ControlRule) -> &'static str {
    if rule.mask.is_some() { "/mask" } else { "/reveal" }
}

/// What a partial rule shows of messages.
pub(super) fn parse_mask(rule: &ControlRule, messages: Messages) -> Result<Mask> {
    let beside = [("/reveal", rule.reveal.is_some()), ("/revealFrom", rule.reveal_from.is_some())];
    match (rule.mask, beside.into_iter().find(|(_, given)| *given)) {
        (Some(_), Some((field, _))) => {
            return Err(Error::value(field, "A rule with a mask has no reveal and no revealFrom beside it."));
        }
        (None, _) if rule.reveal.is_none() => {
            return Err(Error::malformed("/reveal", "A PartialDetokenize rule needs reveal or mask."));
        }
        (Some(_), None) | (None, _) => {}
    }
    let shows = Reveals::of_rule(rule);
    // With Luhn one hidden digit would follow from those revealed, with the check digits of an IBAN two.
    let check_digits = messages.check_digits;
    if check_digits > 0 && shows.count().saturating_add(check_digits) >= messages.length_min {
        let message = format!(
            "With check digits a rule reveals at most {} symbols here: they would give the last hidden ones away.",
            messages.length_min.saturating_sub(check_digits + 1)
        );
        return Err(Error::value(member(rule), message));
    }
    let with = parse_mask_char(rule.mask_char.as_deref().unwrap_or("*"))?;
    Ok(Mask::new(shows, with))
}

fn parse_mask_char(text: &str) -> Result<char> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) if !one.is_control() => Ok(one),
        (Some(_) | None, _) => Err(Error::value("/maskChar", "maskChar is one character, and no control character.")),
    }
}
