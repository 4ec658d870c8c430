//! Somebody with a shell on the host, who can read store and root key anyway.

/// The caller of the door methods behind host commands, such as `chancery init` and `chancery unlock`.
#[derive(Clone, Debug)]
pub struct Host {
    command: &'static str,
}

impl Host {
    /// The one who runs this command, which the audit record names.
    #[must_use]
    pub const fn running(command: &'static str) -> Self {
        Self { command }
    }

    pub(crate) const fn command(&self) -> &'static str {
        self.command
    }
}
