//! Against the published vectors, and for every pair of sizes up to three tiles.

use super::*;

/// The leaves of the certificate-transparency project's reference tests.
const LEAVES: [&str; 8] =
    ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];

/// The roots of its trees of 1 to 8 leaves.
const ROOTS: [&str; 8] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/// Some of its audit paths: index, size, hashes.
const PATHS: [(u64, u64, &[&str]); 4] = [
    (0, 1, &[]),
    (
        0,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        &[
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (2, 3, &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
];

/// Some of its consistency proofs: sizes, hashes.
const PROOFS: [(u64, u64, &[&str]); 4] = [
    (1, 1, &[]),
    (
        1,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        &[
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        &[
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
];

fn hash(hex: &str) -> Hash {
    hex::decode(hex).unwrap().try_into().unwrap()
}

/// The definition of RFC 6962, section 2.1, word for word.
fn mth(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => empty_root(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len() as u64) as usize);
            node_hash(&mth(left), &mth(right))
        }
    }
}

/// The hashes of so many leaves, all different, and all tiles of their tree.
fn grown(size: u64) -> (Vec<Hash>, Tiles) {
    let leaves: Vec<_> = (0..size).map(|leaf| leaf_hash(&leaf.to_be_bytes())).collect();
    let mut tiles = Tiles::new();
    append(&mut tiles, 0, &leaves).unwrap();
    (leaves, tiles)
}

fn hashes_of(ranges: Vec<Range<u64>>, tiles: &Tiles) -> Vec<Hash> {
    ranges.into_iter().map(|range| range_hash(range, tiles).unwrap()).collect()
}

#[test]
fn the_published_vectors() {
    let leaves: Vec<_> = LEAVES.iter().map(|leaf| leaf_hash(&hex::decode(leaf).unwrap())).collect();
    let mut tiles = Tiles::new();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(range_hash(0..0, &tiles), Some(hash(empty)));
    for (size, root) in (1..).zip(ROOTS) {
        append(&mut tiles, size - 1, &leaves[size as usize - 1..size as usize]).unwrap();
        assert_eq!(range_hash(0..size, &tiles), Some(hash(root)), "{size}");
    }
    for (index, size, path) in PATHS {
        let path: Vec<_> = path.iter().map(|hex| hash(hex)).collect();
        assert_eq!(hashes_of(inclusion(index, size), &tiles), path, "{index} in {size}");
        let root = hash(ROOTS[size as usize - 1]);
        assert!(verify_inclusion(&leaves[index as usize], index, size, &path, &root), "{index} in {size}");
    }
    for (from, to, proof) in PROOFS {
        let proof: Vec<_> = proof.iter().map(|hex| hash(hex)).collect();
        assert_eq!(hashes_of(consistency(from, to), &tiles), proof, "{from} to {to}");
        let [old, new] = [from, to].map(|size| hash(ROOTS[size as usize - 1]));
        assert!(verify_consistency((from, &old), (to, &new), &proof), "{from} to {to}");
    }
}

#[test]
fn every_size_has_the_root_of_the_definition_however_it_grew() {
    let (leaves, _) = grown(600);
    let mut tiles = Tiles::new();
    let mut size = 0;
    for step in (1..40).cycle() {
        let next = (size + step).min(leaves.len());
        // Only the edge is kept, as it is read from the store.
        let mut edge: Tiles = tiles_of(0..size as u64).map(|id| (id, tiles[&id].clone())).collect();
        let changed = append(&mut edge, size as u64, &leaves[size..next]).unwrap();
        tiles.extend(changed.into_iter().map(|id| (id, edge[&id].clone())));
        assert_eq!(range_hash(0..next as u64, &tiles), Some(mth(&leaves[..next])), "{next}");
        size = next;
        if size == leaves.len() {
            break;
        }
    }
    assert_eq!(tiles, grown(600).1);
    for size in 0..=600 {
        assert_eq!(range_hash(0..size, &tiles), Some(mth(&leaves[..size as usize])), "a smaller tree of {size}");
    }
}

#[test]
fn every_leaf_of_every_tree_is_proven_and_nothing_else() {
    let (leaves, tiles) = grown(600);
    for size in (1..=40).chain([255, 256, 257, 258, 511, 512, 513, 600]) {
        let root = range_hash(0..size, &tiles).unwrap();
        for index in 0..size {
            let path = hashes_of(inclusion(index, size), &tiles);
            let proven = |index: u64, path: &[Hash]| {
                verify_inclusion(&leaves[index as usize % leaves.len()], index, size, path, &root)
            };
            assert!(proven(index, &path), "{index} in {size}");
            assert!(!verify_inclusion(&[7; 32], index, size, &path, &root), "{index} in {size}: another leaf");
            assert!(!proven(index, &[path.clone(), vec![root]].concat()), "{index} in {size}: too long");
            assert!(!proven(index + size, &path), "{index} in {size}: outside");
            if let Some((_, shorter)) = path.split_last() {
                assert!(!proven(index, shorter), "{index} in {size}: too short");
                assert!(!proven((index + 1) % size, &path), "{index} in {size}: another place");
            }
        }
    }
}

#[test]
fn every_pair_of_trees_is_consistent_and_no_other_is() {
    let (_, tiles) = grown(600);
    let roots: Vec<_> = (0..=600).map(|size| range_hash(0..size, &tiles).unwrap()).collect();
    for to in 1..=600_u64 {
        // All pairs of small ones, and some of the large ones.
        for from in (1..=to).filter(|from| to < 80 || from % 31 == to % 31 || from % 256 < 2) {
            let proof = hashes_of(consistency(from, to), &tiles);
            let (old, new) = (&roots[from as usize], &roots[to as usize]);
            assert!(verify_consistency((from, old), (to, new), &proof), "{from} to {to}");
            let forked = [1; 32];
            assert!(!verify_consistency((from, &forked), (to, new), &proof), "{from} to {to}: another past");
            assert!(!verify_consistency((from, old), (to, &forked), &proof), "{from} to {to}: another present");
            assert!(!verify_consistency((from, old), (to, new), &[&proof[..], &[forked]].concat()), "{from} to {to}");
            // Hashing all of this for every pair would take a minute.
            for changed in (0..proof.len()).filter(|_| to < 80 || to % 64 < 2) {
                let mut proof = proof.clone();
                proof[changed][0] ^= 1;
                assert!(!verify_consistency((from, old), (to, new), &proof), "{from} to {to}: changed {changed}");
            }
        }
    }
    assert!(verify_consistency((0, &roots[0]), (5, &roots[5]), &[]));
    assert!(!verify_consistency((0, &roots[1]), (5, &roots[5]), &[]));
    assert!(!verify_consistency((6, &roots[6]), (5, &roots[5]), &[]));
}

#[test]
fn tiles_that_do_not_fit_are_refused() {
    let (leaves, tiles) = grown(300);
    assert_eq!(append(&mut tiles.clone(), 299, &leaves[..1]), None, "it has one more");
    assert_eq!(append(&mut tiles.clone(), 301, &leaves[..1]), None, "it has one less");
    assert_eq!(range_hash(0..301, &tiles), None);
}
