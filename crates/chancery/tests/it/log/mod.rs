//! The transparency log from outside: under load and kill -9, against a monitor that shares no code with the product, and
//! with `chancery verify`.

mod bundle_paths;
mod kills;
mod site;
mod verify;
mod verify_approvals;
mod verify_signatures;
