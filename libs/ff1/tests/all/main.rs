//! One binary of tests through the public interface, on every kernel of the machine.

mod batch;
#[path = "../../examples/check_vectors/check.rs"]
mod check;
mod differential;
mod formats;
mod published;
mod random;
mod refusals;
#[path = "../../examples/check_vectors/vectors.rs"]
mod vectors;
