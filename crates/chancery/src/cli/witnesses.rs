//! What somebody who verifies demands of witnesses.

use chancery_verify::{ledger::Demand, log::WitnessKey};
use clap::Args;

use crate::{client::exit::usage, failure::Failure};

/// Whose cosignatures a checkpoint must have.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct WitnessOptions {
    /// The key of a witness, NAME+ID+KEY, as its operator tells it: the checkpoint must have its cosignature. Repeated for several.
    #[arg(long, value_name = "VKEY")]
    pub(crate) witness_key: Vec<WitnessKey>,
    /// How many of them must have cosigned it [default: all].
    #[arg(long, value_name = "NUMBER", requires = "witness_key")]
    pub(crate) witnesses: Option<usize>,
}

impl WitnessOptions {
    /// What is demanded; nothing where no witness is named.
    pub(crate) fn demand(&self) -> Result<Demand, Failure> {
        let Self { witness_key, witnesses } = self;
        let count = witnesses.unwrap_or(witness_key.len());
        if count > witness_key.len() || count == 0 && !witness_key.is_empty() {
            let named = witness_key.len();
            return Err(usage(format!("--witnesses {count}: 1 to {named}, as many as --witness-key names")));
        }
        Ok(Demand { witnesses: witness_key.clone(), count })
    }
}
