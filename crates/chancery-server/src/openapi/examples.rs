//! What calls and their answers look like: `examples.json`, which the test of docs/INTERFACE.md writes and compares with what
//! the server answers (`tests/it/interface/recorded.rs`).

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

const RECORDED: &str = include_str!("examples.json");

/// A call of one operation.
#[derive(Default, Deserialize)]
pub(super) struct Example {
    /// The body, where it is JSON.
    pub(super) request: Option<Value>,
    /// What was answered, where that is JSON.
    pub(super) answer: Option<Value>,
}

/// Those that there are, by method and path.
pub(super) fn all() -> HashMap<String, Example> {
    serde_json::from_str(RECORDED).expect("a test reads this file, which is the same in every build")
}
