//! What is proposed about certificates: that one is issued, and changes of what profiles and authorities demand.

pub(crate) mod cert_profile;
pub(crate) mod certificate;
pub(crate) mod issuer;
