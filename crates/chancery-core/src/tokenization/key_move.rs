//! What it means for tokens that are there when a profile makes new ones with another version of its key.

use chancery_store::tables::token_profiles::Row;
use chancery_types::TokenAlgorithm;

use super::{shape::Shape, spec::ProfileSpec};
use crate::{Error, Limits, Result};

/// The key versions that made tokens: the first and the last of them. Which of those between did is not noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Made {
    /// `None` where no token was ever made. A row of before `last_key_version` may have made some with the version that
    /// it has.
    pub(super) fn of(row: &Row) -> Option<Self> {
        let or_present = |version: Option<u32>| version.unwrap_or(row.key_version);
        row.used.then(|| Self { first: or_present(row.first_key_version), last: or_present(row.last_key_version) })
    }

    /// Those of its versions that `old` reads, and `next` does not: the oldest and the newest.
    fn given_up(self, old: &ProfileSpec, next: &ProfileSpec) -> Option<(u32, u32)> {
        let oldest = self.first.max(old.min_decrypt_version);
        let newest = self.last.min(next.min_decrypt_version.saturating_sub(1));
        (oldest <= newest).then_some((oldest, newest))
    }
}

/// Whether a token of the wrong version is not refused, and reads as a plausible, wrong message.
pub(super) fn is_silent(algorithm: TokenAlgorithm, shape: &Shape) -> bool {
    let is_told = match shape {
        Shape::Symbols(format) => format.tells_version(),
        Shape::Pattern(_) | Shape::Text(_) => false,
    };
    algorithm == TokenAlgorithm::Ff1 && !is_told
}

/// What to know when a profile becomes `next`. Refuses to give up tokens that would read as something else, unless whoever
/// changes it says that it shall.
pub(super) fn check(
    old: &ProfileSpec,
    next: &ProfileSpec,
    made: Option<Made>,
    gives_up: bool,
    limits: &Limits,
) -> Result<Vec<String>> {
    let (shape, _) = next.compile(limits)?;
    let is_silent = is_silent(next.algorithm, &shape);
    let lost = match next.algorithm {
        TokenAlgorithm::Hmac => None,
        // Whoever shares the vault may have made tokens, and be gone.
        TokenAlgorithm::Random => {
            let newest = next.min_decrypt_version.saturating_sub(1);
            (old.min_decrypt_version <= newest).then_some((old.min_decrypt_version, newest))
        }
        TokenAlgorithm::Ff1 | TokenAlgorithm::AesSiv | TokenAlgorithm::AesGcm => {
            made.and_then(|made| made.given_up(old, next))
        }
    };
    let lost = lost.map(|(oldest, newest)| named(oldest, newest));
    if let Some(lost) = lost.as_ref().filter(|_| is_silent && !gives_up) {
        let message = format!(
            "The profile has made tokens with {lost}, and they do not tell it: those that are left would read as other, \
             plausible messages. Rewrap all of them first, then send giveUpTokens true beside minDecryptVersion."
        );
        return Err(Error::state(message).at("/minDecryptVersion"));
    }
    let mut warnings = Vec::new();
    if is_silent && reads_several(next) && (old.key_version != next.key_version || !reads_several(old)) {
        warnings.push(format!(
            "From now on callers have to send keyVersion with every token that they detokenize or rewrap: the profile \
             reads tokens of the {}, and they do not tell theirs. Until a token is made with the new version, keyVersion \
             can go back; afterwards rewrap all tokens, then raise minDecryptVersion.",
            named(next.min_decrypt_version, next.key_version)
        ));
    }
    warnings.extend(lost.map(|lost| {
        let what = if is_silent { "is not refused: it reads as another, plausible message" } else { "is refused" };
        format!("A token that is left of {lost} {what}. Lower minDecryptVersion to read it again.")
    }));
    Ok(warnings)
}

const fn reads_several(spec: &ProfileSpec) -> bool {
    spec.min_decrypt_version < spec.key_version
}

fn named(oldest: u32, newest: u32) -> String {
    if oldest == newest { format!("key version {oldest}") } else { format!("key versions {oldest} to {newest}") }
}
