//! The transparency log: every signature and every certificate is a leaf of one Merkle tree that only grows.

mod entry;
pub(crate) mod leaf;

pub(crate) use entry::{NewEntry, append};
pub use leaf::{CertificateLeaf, CommitmentLeaf, Leaf, SignatureLeaf};
