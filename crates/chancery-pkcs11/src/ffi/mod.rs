//! What C sees: one exported function, and the list of functions that it hands out.

mod arguments;
mod functions;
mod list;
mod objects;
mod signing;
mod text;
