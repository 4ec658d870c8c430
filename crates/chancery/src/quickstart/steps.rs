//! The steps of a start on the terminal, each with its time.

use std::time::{Duration, Instant};

use crate::{failure::Failure, output};

/// Numbers the steps.
#[derive(Default)]
pub(super) struct Steps {
    count: usize,
}

/// A step under way. What is not done is shown by what failed.
pub(super) struct Step {
    number: usize,
    what: &'static str,
    started: Instant,
}

impl Steps {
    pub(super) fn begin(&mut self, what: &'static str) -> Step {
        self.count += 1;
        Step { number: self.count, what, started: Instant::now() }
    }
}

impl Step {
    pub(super) const fn rename(&mut self, what: &'static str) {
        self.what = what;
    }

    pub(super) fn done(self) -> Result<(), Failure> {
        self.done_with("")
    }

    /// Done, with something to show for it.
    pub(super) fn done_with(self, result: &str) -> Result<(), Failure> {
        let Self { number, what, started } = self;
        output::line(format_args!("{number:>3}. ok {:>9}  {what}{result}", in_ms(started.elapsed())))
    }
}

fn in_ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
