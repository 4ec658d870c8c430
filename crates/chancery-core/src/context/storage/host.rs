//! Somebody with a shell on the host, who can read store and root key anyway.

use std::{borrow::Cow, fs, sync::LazyLock};

use chancery_types::{Action, wire::audit::AuditAccount};
use uuid::Uuid;

use super::{Evidence, MayCommit, MayRead};
use crate::context::record::Actor;

/// Where Linux lists the accounts of a host, which one the process was logged in with, and the host's name.
const ACCOUNTS: &str = "/etc/passwd";
const LOGIN_UID: &str = "/proc/self/loginuid";
const HOST_NAME: &str = "/proc/sys/kernel/hostname";

/// What the kernel has where nobody has logged in.
const NO_LOGIN: u32 = u32::MAX;

/// As JSON. It does not change while a process runs.
static ACCOUNT: LazyLock<String> = LazyLock::new(|| {
    let uid = rustix::process::getuid().as_raw();
    let accounts = fs::read_to_string(ACCOUNTS).unwrap_or_default();
    let login_uid = fs::read_to_string(LOGIN_UID).ok().and_then(|text| text.trim().parse().ok());
    let account = AuditAccount {
        uid,
        name: name_of(uid, &accounts).map(str::to_owned),
        login_uid: login_uid.filter(|uid| *uid != NO_LOGIN),
        host: host_name(),
    };
    serde_json::to_string(&account).unwrap_or_else(|_| "null".to_owned())
});

/// The caller of the door methods behind host commands, such as `chancery init` and `chancery unlock`.
#[derive(Clone, Debug)]
pub struct Host {
    command: &'static str,
}

impl Evidence for Host {}
impl MayRead for Host {}
/// Whoever has a shell on the host may do what the command does that they run.
impl MayCommit for Host {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor> {
        Cow::Owned(Actor::of_host(node, self))
    }

    fn covers(&self, _: Action) -> bool {
        true
    }
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

    /// The account of the operating system that runs it, as JSON.
    #[expect(clippy::unused_self, reason = "whoever runs a command has an account; nobody else has")]
    pub(crate) fn account(&self) -> &'static str {
        &ACCOUNT
    }
}

/// The name of this machine.
pub(crate) fn host_name() -> String {
    fs::read_to_string(HOST_NAME).unwrap_or_default().trim_end().to_owned()
}

/// The name of an account in lines of `name:password:uid:…`.
fn name_of(uid: u32, accounts: &str) -> Option<&str> {
    let named = accounts.lines().find(|line| line.split(':').nth(2).and_then(|text| text.parse().ok()) == Some(uid));
    named.and_then(|line| line.split(':').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_named_as_the_host_names_them() {
        let accounts = "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000:,,,:/home/ann:/bin/bash\nbroken\n::\n";
        assert_eq!((name_of(0, accounts), name_of(1000, accounts)), (Some("root"), Some("ann")));
        assert_eq!((name_of(1, accounts), name_of(100, accounts)), (None, None));
    }

    #[test]
    fn whoever_runs_a_command_is_told_by_number_and_host() {
        let account: AuditAccount = serde_json::from_str(Host::running("test").account()).unwrap();
        assert_eq!((account.uid, account.host.is_empty()), (rustix::process::getuid().as_raw(), false));
    }
}
