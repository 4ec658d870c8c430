//! A PKCS#11 module (2.40 and 3.0) whose keys are Chancery's signing services: what speaks PKCS#11 signs through the server, under
//! its policies. docs/PKCS11.md says how it is set up.
//!
//! `ffi` is what C sees; below it nothing knows of pointers. A `module` is what C_Initialize makes; it has one `token`, which
//! is the server of the `config`uration, with the `catalogue` of its objects.

mod approvals;
mod catalogue;
mod config;
mod failure;
mod ffi;
mod mechanism;
mod module;
mod object;
mod operation;
mod public_key;
mod server;
mod signature;
mod token;
