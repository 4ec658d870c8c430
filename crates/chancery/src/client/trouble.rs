//! What goes wrong while a command stays.

use std::time::Duration;

use rand::RngExt as _;

use crate::{output, shown::Shown};

/// Waits after what goes wrong: the first one, and the longest.
pub(crate) const FIRST_WAIT: Duration = Duration::from_secs(1);
const WAIT_MAX: Duration = Duration::from_mins(10);

/// Something that goes wrong again and again: it is told when it begins, when it is something else, and when it is over.
pub(crate) struct Trouble {
    told: Option<String>,
    wait: Duration,
}

impl Trouble {
    pub(crate) const fn new() -> Self {
        Self { told: None, wait: FIRST_WAIT }
    }

    /// How long to wait before the next try. Many watchers of one server do not come back all at once.
    pub(crate) fn tell(&mut self, what: &str) -> Duration {
        if self.told.as_deref() != Some(what) {
            output::note(format_args!("chancery: {}; trying again", Shown(what)));
            self.told = Some(what.to_owned());
        }
        let wait = self.wait.mul_f64(rand::rng().random_range(0.5..1.0));
        self.wait = (self.wait * 2).min(WAIT_MAX);
        wait
    }

    /// It goes well again.
    pub(crate) fn over(&mut self) {
        if self.told.is_some() {
            output::note(format_args!("chancery: it works again"));
        }
        *self = Self::new();
    }
}
