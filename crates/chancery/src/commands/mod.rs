//! One file a command.

pub(crate) mod backup;
pub(crate) mod init;
pub(crate) mod rows;
pub(crate) mod serve;
pub(crate) mod settings;
pub(crate) mod unlock;
pub(crate) mod verify;
