//! What can be shown to read, and what to change something. `cargo xtask tidy` lists the files that may say so of a type.

use std::borrow::Cow;

use chancery_types::Action;
use uuid::Uuid;

use crate::context::record::Actor;

/// Can be shown. Whoever makes a value of such a type has verified what it stands for.
pub(crate) trait Evidence: Sync {}

/// For whom connections are set apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Connections {
    /// Whoever follows what changes.
    Followers,
    /// Calls of the data plane, and logins.
    Data,
    Others,
}

/// May read.
pub(crate) trait MayRead: Evidence {
    /// Which connections it reads on.
    const CONNECTIONS: Connections = Connections::Others;
}

/// May change something that is recorded: in whose name, and what.
pub(crate) trait MayCommit: Evidence {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor>;

    /// Whether it is evidence for this.
    fn covers(&self, action: Action) -> bool;
}

/// Says who somebody is. Whoever makes a value of such a type has seen it proved.
pub(crate) trait Vouches: Evidence {}

/// May write what tokens a vault keeps.
pub(crate) trait MayKeepTokens: Evidence {}
