//! The tokens that a grant lists. Only keyed hashes of them are kept: from these nobody learns a token, and a token that is
//! sent is found among them.

use std::{collections::HashSet, sync::Arc};

use chancery_keys::{Custodian, hash};
use chancery_types::{Base64, HashType, wire::Texts};

use super::Listed;
use crate::{Error, Limits, Result, tokenization::Profile};

/// Bytes of a hash: enough for none of a million others to have the same one.
const TAG_LEN: usize = 16;

/// Tokens are hashed on the pool where there are more: it takes less than half a microsecond for each.
pub(super) const INLINE: usize = 1_024;

type Tag = [u8; TAG_LEN];

/// The hash of a token as its engine sees it, so without characters that pass through.
fn tag(custodian: &Custodian, profile: &Profile, token: &str) -> Tag {
    let plain = profile.engine().plain(token);
    let domain = uuid::Uuid::from(profile.domain);
    let hash = custodian.keyed_hash("granted token", &[domain.as_bytes(), plain.as_bytes()].concat());
    *hash.first_chunk().expect("the hash is longer")
}

/// The hashes of the tokens that are asked for, in their order, and what people approve of them.
pub(super) fn list(
    custodian: &Custodian,
    profile: &Profile,
    tokens: &[String],
    limits: &Limits,
) -> Result<(Vec<u8>, Listed)> {
    let max = limits.grants.tokens_max;
    if tokens.is_empty() {
        return Err(Error::value("/tokens", "At least one token is listed; without tokens the grant is for any."));
    }
    if tokens.len() > max {
        return Err(Error::too_large("/tokens", format!("At most {max} tokens are listed; ask for the profile's.")));
    }
    let (mut seen, mut tags) = (HashSet::new(), Vec::with_capacity(tokens.len()));
    for (index, token) in tokens.iter().enumerate() {
        let refused = |message: &'static str| Error::value(format!("/tokens/{index}"), message);
        if token.is_empty() || token.len() > limits.value_max {
            return Err(refused("This is no token: it is empty, or too long."));
        }
        let tag = tag(custodian, profile, token);
        if !seen.insert(tag) {
            return Err(refused("This token is there already; maxValues says how often values are sent."));
        }
        tags.push(tag);
    }
    tags.sort_unstable();
    let count = u32::try_from(tags.len()).map_err(Error::internal)?;
    let tags = tags.concat();
    let digest = Base64(digest(&tags));
    Ok((tags, Listed { count, digest }))
}

fn digest(tags: &[u8]) -> Vec<u8> {
    hash(HashType::Sha2_256, tags).as_bytes().to_vec()
}

/// The place of the first of these tokens that a list has not; nulls are nobody's tokens.
pub(super) fn first_other(
    custodian: &Custodian,
    profile: &Arc<Profile>,
    listed: &[u8],
    tokens: &Texts,
) -> Option<usize> {
    let (listed, _) = listed.as_chunks::<TAG_LEN>();
    let is_listed = |token: &str| listed.binary_search(&tag(custodian, profile, token)).is_ok();
    tokens.iter().position(|token| token.is_some_and(|token| !is_listed(token)))
}

/// Refuses a list that is not the one that was approved.
pub(super) fn check(listed: &Listed, tags: &[u8]) -> Result<()> {
    if listed.digest.0 == digest(tags) {
        Ok(())
    } else {
        Err(Error::internal("a grant's list is not what was approved"))
    }
}
