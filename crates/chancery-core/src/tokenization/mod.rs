//! Token profiles: from messages to tokens and back.

mod advisor;
mod alphabet;
mod engine;
mod format;
mod luhn;
mod mask;
mod rank;
mod refusal;
mod spec;
mod templates;
mod track;
mod tweak;
mod values;

pub(crate) use mask::Mask;
