//! The transparency log as whoever reads it sees it: notes, checkpoints, leaves, tiles, the tree and its proofs.

pub mod checkpoint;
pub mod cosignature;
pub mod leaf;
pub mod note;
pub mod tile;
pub mod tree;
pub mod verify;

pub use checkpoint::Checkpoint;
pub use cosignature::{BadCosignature, Cosigned, NotAWitnessKey, WitnessKey, cosignatures};
pub use leaf::{CertificateLeaf, CommitmentLeaf, Leaf, SignatureLeaf};
pub use note::{LogKey, NotALogKey, NotSigned, is_note};
pub use tile::LogTile;
pub use verify::{
    Logged, NotLogged, verify_inclusion, verify_log_consistency, verify_logged_certificate, verify_logged_signature,
};
