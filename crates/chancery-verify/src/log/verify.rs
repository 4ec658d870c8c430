//! Verification without the installation that signed: with a request's or a certificate's detail, the log's public key,
//! and, between two checkpoints, the log's tiles.

use std::collections::btree_map::Entry;

use chancery_types::{
    Base64,
    wire::{log::InclusionProof, signing_requests::SigningRequest},
};

use chancery_x509::time::parse_rfc3339;

use super::{
    checkpoint::Checkpoint,
    leaf::{Leaf, SALT_LEN, SignatureFacts, sha256},
    note::{LogKey, NotSigned},
    tile::LogTile,
    tree::{self, Hash, TileId, Tiles},
};

/// Why something does not count as logged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLogged {
    /// There is no proof.
    #[error("there is no inclusion proof: no checkpoint covered the entry when the detail was read")]
    NoProof,
    /// What should be in the proof or the detail is not, or not in its form.
    #[error("the proof is not complete: {0}")]
    Form(&'static str),
    /// The checkpoint is not the log's.
    #[error("the checkpoint is not believed: {0}")]
    Checkpoint(#[from] NotSigned),
    /// The entry tells of something else.
    #[error("the entry in the log is about something else: {0}")]
    Leaf(&'static str),
    /// The entry is not in the tree.
    #[error("the entry is not in the tree of the checkpoint")]
    Inclusion,
    /// The log is not the same one that only grew.
    #[error("the log of the newer checkpoint does not begin with the log of the older one")]
    Inconsistent,
    /// A tile could not be read.
    #[error("the log's file tile/{0} could not be read: {1}")]
    Tile(String, String),
}

/// An entry that is in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The entry's place.
    pub index: u64,
    /// The head of the log in which it is.
    pub checkpoint: Checkpoint,
}

/// Whether the entry of a proof is in the log, whatever it tells of.
///
/// # Errors
///
/// [`NotLogged`] says at which step it failed.
pub fn verify_inclusion(proof: &InclusionProof, key: &LogKey) -> Result<Logged, NotLogged> {
    let checkpoint = Checkpoint::open(&proof.checkpoint, key)?;
    if checkpoint.size != proof.tree_size {
        return Err(NotLogged::Form("treeSize is not the checkpoint's"));
    }
    let path = proof.hashes.iter().map(|Base64(hash)| Hash::try_from(hash.as_slice()));
    let path: Vec<Hash> = path.collect::<Result<_, _>>().map_err(|_| NotLogged::Form("a hash has 32 bytes"))?;
    let leaf = tree::leaf_hash(&proof.leaf.0);
    if tree::verify_inclusion(&leaf, proof.index, checkpoint.size, &path, &checkpoint.root) {
        Ok(Logged { index: proof.index, checkpoint })
    } else {
        Err(NotLogged::Inclusion)
    }
}

/// Whether the signature of a request, made with this certificate (DER), is in the log.
///
/// # Errors
///
/// [`NotLogged`] says at which step it failed.
pub fn verify_logged_signature(
    request: &SigningRequest,
    certificate: &[u8],
    key: &LogKey,
) -> Result<Logged, NotLogged> {
    let proof = request.inclusion_proof.as_ref().ok_or(NotLogged::NoProof)?;
    let time_ms = request.decided_at.as_deref().and_then(parse_rfc3339).ok_or(NotLogged::Form("decidedAt"))?;
    let leaf = Leaf::of_signature(SignatureFacts {
        time_s: time_ms.div_euclid(1_000),
        format: request.signing_format,
        hash: request.hash_algorithm,
        digest: &request.digest.0,
        certificate: sha256(certificate),
        signature: sha256(&request.signature.0),
    });
    let expected = match &proof.salt {
        None => leaf,
        Some(Base64(salt)) => {
            let salt: &[u8; SALT_LEN] = salt.as_slice().try_into().map_err(|_| NotLogged::Form("salt has 32 bytes"))?;
            leaf.hidden(salt).map_err(|_| NotLogged::Form("salt"))?
        }
    };
    match Leaf::from_bytes(&proof.leaf.0) {
        None => Err(NotLogged::Form("leaf")),
        Some(found) if found == expected => verify_inclusion(proof, key),
        Some(found) => Err(NotLogged::Leaf(difference(&found, &expected))),
    }
}

/// The first fact in which two entries differ.
fn difference(found: &Leaf, expected: &Leaf) -> &'static str {
    let (Leaf::Signature(found), Leaf::Signature(expected)) = (found, expected) else {
        return "not what the salt and the facts give";
    };
    if found.digest != expected.digest {
        "another digest"
    } else if found.certificate != expected.certificate {
        "another certificate"
    } else if found.signature != expected.signature {
        "another signature"
    } else {
        "another time, format or hash"
    }
}

/// Whether a certificate (DER) is in the log, and as issued by this issuer (DER) where one is given.
///
/// # Errors
///
/// [`NotLogged`] says at which step it failed.
pub fn verify_logged_certificate(
    der: &[u8],
    issuer: Option<&[u8]>,
    proof: &InclusionProof,
    key: &LogKey,
) -> Result<Logged, NotLogged> {
    let Some(Leaf::Certificate(leaf)) = Leaf::from_bytes(&proof.leaf.0) else {
        return Err(NotLogged::Leaf("not a certificate"));
    };
    if leaf.certificate != hex::encode(sha256(der)) {
        return Err(NotLogged::Leaf("another certificate"));
    }
    if issuer.is_some_and(|issuer| leaf.issuer != hex::encode(sha256(issuer))) {
        return Err(NotLogged::Leaf("another issuer"));
    }
    verify_inclusion(proof, key)
}

/// Whether the log of the newer checkpoint begins with all of the log of the older one. `read` fetches a file of the
/// log by its name below `tile/`; what it answers need not be trusted.
///
/// # Errors
///
/// [`NotLogged`] says at which step it failed.
pub fn verify_log_consistency(
    older: &str,
    newer: &str,
    key: &LogKey,
    mut read: impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<(Checkpoint, Checkpoint), NotLogged> {
    let (older, newer) = (Checkpoint::open(older, key)?, Checkpoint::open(newer, key)?);
    if older.size > newer.size {
        return Err(NotLogged::Form("the older checkpoint has more entries than the newer one"));
    }
    let ranges = if older.size == 0 { Vec::new() } else { tree::consistency(older.size, newer.size) };
    let mut tiles = Tiles::new();
    for id in ranges.iter().cloned().flat_map(tree::tiles_of) {
        if let Entry::Vacant(place) = tiles.entry(id) {
            place.insert(fetch(id, newer.size, &mut read)?);
        }
    }
    let proof: Option<Vec<_>> = ranges.into_iter().map(|range| tree::range_hash(range, &tiles)).collect();
    let proof = proof.ok_or(NotLogged::Form("a tile is too short"))?;
    if tree::verify_consistency((older.size, &older.root), (newer.size, &newer.root), &proof) {
        Ok((older, newer))
    } else {
        Err(NotLogged::Inconsistent)
    }
}

/// A tile as it is in a tree of this size; from the full one where the partial one is gone.
fn fetch(
    id: TileId,
    size: u64,
    read: &mut impl FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Vec<Hash>, NotLogged> {
    let tile = LogTile::of(id, size).ok_or(NotLogged::Form("the tree has no such tile"))?;
    let bytes = read(&tile.to_string()).or_else(|why| read(&tile.full().to_string()).map_err(|_| why));
    let bytes = bytes.map_err(|why| NotLogged::Tile(tile.to_string(), why))?;
    let mut hashes = tree::hashes(&bytes).ok_or(NotLogged::Form("a tile is cut off"))?;
    hashes.truncate(tile.width());
    Ok(hashes)
}
