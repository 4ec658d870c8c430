//! One binary of tests through the public interface, on every kernel of the machine.

#[path = "../../examples/check_vectors/check.rs"]
mod check;
mod published;
#[path = "../../examples/check_vectors/vectors.rs"]
mod vectors;
