//! For whom a job of the pool is done: the parties that take turns.
//!
//! The pool is many calls below the place where it is known who calls. So the server says it where a call is polled
//! ([`OnBehalf`]), authentication makes it more exact, and the pool asks. What is polled elsewhere is background work, which
//! is one party: a forgotten word costs a call its own turn, never another's.

use std::cell::Cell;

use chancery_types::IdentityId;

use crate::Source;

/// Whose turn it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Party {
    /// What nobody asked for just now.
    #[default]
    Background,
    /// Somebody who has not said who they are, by where they are.
    Source(Source),
    /// The identities of a session: however many sessions they have, they are one. The ids are random and the exclusive or
    /// of them has no order.
    RecordedIdentities(u128),
}

thread_local! {
    /// For whom this thread works just now.
    static PRESENT: Cell<Party> = const { Cell::new(Party::Background) };
}

impl Party {
    pub(super) fn present() -> Self {
        PRESENT.get()
    }
}

/// From here on the call that is being polled is that of the session of these identities.
pub(crate) fn is_of(identities: impl Iterator<Item = IdentityId>) {
    let identities = identities.fold(0, |all, id| all ^ uuid::Uuid::from(id).as_u128());
    PRESENT.set(Party::RecordedIdentities(identities));
}

/// For whom a call is made, from its first poll to its last.
#[derive(Debug)]
pub struct OnBehalf(Party);

impl OnBehalf {
    /// Of somebody who is there, until authentication knows more.
    #[must_use]
    pub const fn of(source: Source) -> Self {
        Self(Party::Source(source))
    }

    /// For whom, as far as that is known by now.
    #[must_use]
    pub const fn party(&self) -> Party {
        self.0
    }

    /// Polls the call, or some of it.
    pub fn poll<T>(&mut self, poll: impl FnOnce() -> T) -> T {
        let _present = Present { before: PRESENT.replace(self.0), on_behalf: self };
        poll()
    }
}

/// Puts back for whom the thread worked before, also after a panic.
struct Present<'a> {
    before: Party,
    on_behalf: &'a mut OnBehalf,
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.on_behalf.0 = PRESENT.replace(self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::IpAddr,
        panic::{AssertUnwindSafe, catch_unwind},
    };

    use super::*;

    #[test]
    fn a_call_keeps_its_party_between_polls_and_leaves_none_behind() {
        let [mut one, mut other] =
            [[192, 0, 2, 1], [192, 0, 2, 2]].map(|address| OnBehalf::of(IpAddr::from(address).into()));
        let first = one.poll(Party::present);
        assert_ne!(first, other.poll(Party::present));
        // Authentication, in the midst of it.
        one.poll(|| PRESENT.set(Party::RecordedIdentities(7)));
        assert_eq!(Party::present(), Party::Background);
        assert_eq!(one.poll(|| (Party::present(), other.poll(Party::present))).0, Party::RecordedIdentities(7));
        assert!(catch_unwind(AssertUnwindSafe(|| one.poll(|| panic!("as a test")))).is_err());
        assert_eq!((Party::present(), one.poll(Party::present)), (Party::Background, Party::RecordedIdentities(7)));
    }
}
