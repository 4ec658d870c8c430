//! The Merkle tree of RFC 6962, section 2.1, over SHA-256, and its proofs. Pure: hashes in, hashes out.

use std::{collections::BTreeMap, ops::Range};

use sha2::{Digest as _, Sha256};

/// A hash of the tree.
pub type Hash = [u8; 32];

/// Hashes of a full tile: C2SP tlog-tiles has trees of height 8.
pub const TILE_WIDTH: usize = 256;

/// Levels of the tree within one level of tiles.
const TILE_HEIGHT: u32 = 8;

/// A tile: its level, counted in tiles, and its number within the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TileId {
    /// 0 holds the hashes of the leaves.
    pub level: u8,
    /// From the left.
    pub index: u64,
}

/// Some of a tree's tiles; the last one of a level may be partial.
pub type Tiles = BTreeMap<TileId, Vec<Hash>>;

/// A perfect subtree: 2^level leaves from index × 2^level on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    level: u32,
    index: u64,
}

/// MTH({d}) = SHA-256(0x00 || d).
pub fn leaf_hash(leaf: &[u8]) -> Hash {
    Sha256::new_with_prefix([0]).chain_update(leaf).finalize().into()
}

/// SHA-256(0x01 || left || right).
fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

/// MTH({}) = SHA-256().
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The hashes of a tile as it is stored and sent, one after the other.
pub fn hashes(bytes: &[u8]) -> Option<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks();
    rest.is_empty().then(|| hashes.to_vec())
}

impl Node {
    /// The tile that it is calculated from.
    const fn tile(self) -> TileId {
        let height = self.level % TILE_HEIGHT;
        TileId { level: (self.level / TILE_HEIGHT) as u8, index: (self.index << height) / TILE_WIDTH as u64 }
    }

    fn hash(self, tiles: &Tiles) -> Option<Hash> {
        let height = self.level % TILE_HEIGHT;
        let first = ((self.index << height) % TILE_WIDTH as u64) as usize;
        Some(perfect(tiles.get(&self.tile())?.get(first..first + (1 << height))?))
    }
}

/// The root over a number of hashes that is a power of two.
fn perfect(hashes: &[Hash]) -> Hash {
    match hashes {
        [hash] => *hash,
        _ => {
            let (left, right) = hashes.split_at(hashes.len() / 2);
            node_hash(&perfect(left), &perfect(right))
        }
    }
}

/// The perfect subtrees of D[start:end], from the left. They get smaller, as the bits of the length do.
fn nodes(range: Range<u64>) -> Vec<Node> {
    let (mut start, mut nodes) = (range.start, Vec::new());
    while start < range.end {
        let level = (range.end - start).ilog2();
        nodes.push(Node { level, index: start >> level });
        start += 1 << level;
    }
    nodes
}

/// The tiles that [`range_hash`] reads.
pub fn tiles_of(range: Range<u64>) -> impl Iterator<Item = TileId> {
    nodes(range).into_iter().map(Node::tile)
}

/// `MTH(D[start:end])` for a range that is a subtree; none where a tile is missing or too short.
pub fn range_hash(range: Range<u64>, tiles: &Tiles) -> Option<Hash> {
    let mut nodes = nodes(range).into_iter().rev();
    let Some(last) = nodes.next() else { return Some(empty_root()) };
    nodes.try_fold(last.hash(tiles)?, |right, node| Some(node_hash(&node.hash(tiles)?, &right)))
}

/// Appends the hashes of leaves to a tree of this size, of which the tiles at the right edge are given
/// ([`tiles_of`] the whole tree). Answers the tiles that have changed; `None` where the given ones are not the edge.
pub fn append(tiles: &mut Tiles, size: u64, leaves: &[Hash]) -> Option<Vec<TileId>> {
    let mut changed = Vec::new();
    for (position, leaf) in (size..).zip(leaves) {
        let (mut level, mut position, mut hash) = (0, position, *leaf);
        loop {
            let id = TileId { level, index: position / TILE_WIDTH as u64 };
            let tile = tiles.entry(id).or_default();
            if tile.len() as u64 != position % TILE_WIDTH as u64 {
                return None;
            }
            tile.push(hash);
            if changed.last() != Some(&id) && !changed.contains(&id) {
                changed.push(id);
            }
            if tile.len() < TILE_WIDTH {
                break;
            }
            (level, position, hash) = (level + 1, id.index, perfect(tile));
        }
    }
    Some(changed)
}

/// The largest power of two smaller than `n`, which is at least 2.
const fn split(n: u64) -> u64 {
    1 << (n - 1).ilog2()
}

/// The subtrees whose hashes are `PATH(index, D[size])`, in that order. `index` is less than `size`.
pub fn inclusion(index: u64, size: u64) -> Vec<Range<u64>> {
    let (mut whole, mut path) = (0..size, Vec::new());
    while whole.end - whole.start > 1 {
        let k = whole.start + split(whole.end - whole.start);
        let (inside, beside) = if index < k { (whole.start..k, k..whole.end) } else { (k..whole.end, whole.start..k) };
        path.push(beside);
        whole = inside;
    }
    path.reverse();
    path
}

/// The subtrees whose hashes are `PROOF(from, D[to])`, in that order. `from` is at least 1 and at most `to`.
pub fn consistency(from: u64, to: u64) -> Vec<Range<u64>> {
    let (mut whole, mut proof, mut known) = (0..to, Vec::new(), true);
    while from < whole.end {
        let k = whole.start + split(whole.end - whole.start);
        let (inside, beside) = if from <= k {
            (whole.start..k, k..whole.end)
        } else {
            known = false;
            (k..whole.end, whole.start..k)
        };
        proof.push(beside);
        whole = inside;
    }
    if !known {
        proof.push(whole);
    }
    proof.reverse();
    proof
}

/// Whether a leaf is at this place of the tree with this root: RFC 9162, section 2.1.3.2.
pub fn verify_inclusion(leaf: &Hash, index: u64, size: u64, path: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut f, mut s, mut r) = (index, size - 1, *leaf);
    for p in path {
        if s == 0 {
            return false;
        }
        if f & 1 == 1 || f == s {
            r = node_hash(p, &r);
            if f & 1 == 0 {
                while f & 1 == 0 && f != 0 {
                    (f, s) = (f >> 1, s >> 1);
                }
            }
        } else {
            r = node_hash(&r, p);
        }
        (f, s) = (f >> 1, s >> 1);
    }
    s == 0 && r == *root
}

/// Whether the tree of size `to` begins with all of the tree of size `from`: RFC 9162, section 2.1.4.2.
pub fn verify_consistency((from, old): (u64, &Hash), (to, new): (u64, &Hash), proof: &[Hash]) -> bool {
    match from {
        0 => return proof.is_empty() && *old == empty_root(),
        _ if from > to => return false,
        _ if from == to => return proof.is_empty() && old == new,
        _ => {}
    }
    let mut path = proof.iter();
    let first = if from.is_power_of_two() { Some(old) } else { path.next() };
    let Some(first) = first else { return false };
    let (mut f, mut s) = (from - 1, to - 1);
    while f & 1 == 1 {
        (f, s) = (f >> 1, s >> 1);
    }
    let (mut fr, mut sr) = (*first, *first);
    for c in path {
        if s == 0 {
            return false;
        }
        if f & 1 == 1 || f == s {
            (fr, sr) = (node_hash(c, &fr), node_hash(c, &sr));
            if f & 1 == 0 {
                while f & 1 == 0 && f != 0 {
                    (f, s) = (f >> 1, s >> 1);
                }
            }
        } else {
            sr = node_hash(&sr, c);
        }
        (f, s) = (f >> 1, s >> 1);
    }
    s == 0 && fr == *old && sr == *new
}

#[cfg(test)]
mod tests;
