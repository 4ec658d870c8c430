//! Token profiles: from messages to tokens and back.
//!
//! The door methods are in `manage` (profiles) and `calls` (values). A profile is checked and compiled once (`spec`,
//! `format`, `alphabet`, `profile`) and kept in `profiles`; a value goes through `engine`: text to digits (`values`,
//! `luhn`, `rank`), FF1 under the profile's `tweak`, digits to text, and for some callers a `mask`.

mod advisor;
mod alphabet;
mod batch;
mod calls;
mod copy;
mod engine;
mod format;
mod grants;
mod key_move;
mod luhn;
mod manage;
mod mask;
mod pattern;
mod prefix;
mod preview;
mod profile;
mod profiles;
mod rank;
mod refusal;
mod rewrap;
mod shape;
mod shared;
mod spec;
mod stored_profile;
mod templates;
mod text_format;
mod track;
mod tweak;
mod values;
mod vault;
mod versions;

pub(crate) use engine::Engine;
pub(crate) use grants::DETOKENIZE_GRANT;
pub(crate) use mask::{CANDIDATES_MIN, Mask, Reveals};
pub(crate) use profile::Profile;
pub(crate) use profiles::TokenProfiles;
pub(crate) use shape::Shape;
pub(crate) use shared::reveals;
pub(crate) use vault::TidyingVaults;
