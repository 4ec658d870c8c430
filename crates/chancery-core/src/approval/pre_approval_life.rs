//! The life of a pre-approval, as a pure function. Who approves it is the business of `rules.rs`.

/// Where a pre-approval stands.
///
/// ```text
/// Waiting ──Activate──▶ Active ──Use──▶ Active, at last UsedUp
///    │                    ├──────End──▶ Ended
///    │                    ├───Revoke──▶ Revoked
///    └───────Deny─────────┴─────Deny──▶ Revoked
/// ```
///
/// `UsedUp` and `Ended` are never stored: they follow from the uses that are counted, and from the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// For its approvals.
    Waiting,
    /// Requests are signed under it.
    Active,
    /// Every use that was approved was made.
    UsedUp,
    /// Its time is over.
    Ended,
    /// Somebody ended it.
    Revoked,
}

/// What happens to a pre-approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::approval) enum Event {
    /// It has its approvals; also again, after its policy had become stricter.
    Activate,
    /// It is used; so many uses were left before.
    Use(u32),
    /// Its time is over.
    End,
    /// An approver denies it, or who made it takes it back; also when it waits again, after its policy had become
    /// stricter.
    Deny,
    /// Somebody ends it after it took effect.
    Revoke,
}

impl Life {
    /// As it is stored.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "Waiting",
            Self::Active | Self::UsedUp | Self::Ended => "Active",
            Self::Revoked => "Revoked",
        }
    }

    /// What a stored word stands for, at a moment.
    pub(in crate::approval) fn stored(word: &str, uses_left: u32, over: bool) -> Option<Self> {
        match word {
            "Waiting" => Some(Self::Waiting),
            "Active" if uses_left == 0 => Some(Self::UsedUp),
            "Active" if over => next(Self::Active, Event::End).ok(),
            "Active" => Some(Self::Active),
            "Revoked" => Some(Self::Revoked),
            _ => None,
        }
    }
}

/// What a pre-approval is after an event; where it stands, if the event cannot happen.
pub(in crate::approval) const fn next(life: Life, event: Event) -> Result<Life, Life> {
    match (life, event) {
        (Life::Waiting | Life::Active, Event::Activate) => Ok(Life::Active),
        (Life::Active, Event::Use(0 | 1)) => Ok(Life::UsedUp),
        (Life::Active, Event::Use(_)) => Ok(Life::Active),
        (Life::Active, Event::End) => Ok(Life::Ended),
        (Life::Waiting | Life::Active, Event::Deny) | (Life::Active, Event::Revoke) => Ok(Life::Revoked),
        (Life::Waiting, Event::Use(_) | Event::End | Event::Revoke)
        | (
            Life::UsedUp | Life::Ended | Life::Revoked,
            Event::Activate | Event::Use(_) | Event::End | Event::Deny | Event::Revoke,
        ) => Err(life),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compare_all, every};

    #[test]
    fn every_life_meets_every_event() {
        use Life::{Active, Ended, Revoked, UsedUp};
        let lives = every!(Life: Waiting, Active, UsedUp, Ended, Revoked);
        #[rustfmt::skip]
        let table = [
            // Waiting     Active         UsedUp Ended  Revoked
            [Some(Active),  Some(Active),  None,  None,  None], // Activate
            [None,          Some(Active),  None,  None,  None], // Use, and more are left
            [None,          Some(Ended),   None,  None,  None], // End
            [Some(Revoked), Some(Revoked), None,  None,  None], // Deny
            [None,          Some(Revoked), None,  None,  None], // Revoke
        ];
        let reached = |life, event| next(life, event).map_err(|refused| assert_eq!(refused, life)).ok();
        compare_all(lives, every!(Event: Activate, Use(2), End, Deny, Revoke), table, reached);
        for left in [0, 1] {
            let last = [None, Some(UsedUp), None, None, None];
            compare_all(lives, [Event::Use(left)], [last], reached);
        }
    }

    #[test]
    fn stored_words_read_back() {
        for life in [Life::Waiting, Life::Active, Life::Revoked] {
            assert_eq!(Life::stored(life.word(), 1, false), Some(life));
        }
        assert_eq!(Life::stored("Active", 0, true), Some(Life::UsedUp));
        assert_eq!(Life::stored("Active", 1, true), Some(Life::Ended));
        assert_eq!(Life::stored("active", 1, false), None);
    }
}
