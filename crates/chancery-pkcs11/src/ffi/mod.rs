//! What C sees: three exported functions, and the lists of functions that they hand out.

mod arguments;
mod functions;
mod interfaces;
mod list;
mod objects;
mod signing;
mod text;
