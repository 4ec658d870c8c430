//! Who may do what: permissions of roles here, Control Rules of token profiles beside it.

mod grant;

pub use grant::Grant;
