//! `chancery cert renew --watch`: stays, and renews whatever goes wrong in between, for as long as that can help.

use std::{
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use chancery_core::Clock;

use super::{Looked, Renewal};
use crate::{
    cli::cert::CertRenew,
    client::{
        connection::logged_in,
        exit::{Exit, exit_of, passes, told_with},
        target::{Credential, Target},
        trouble::{FIRST_WAIT, Trouble},
    },
    ending,
    failure::{Failure, describe},
    output,
};

/// How often people's approvals are looked for.
const APPROVAL_WAIT: Duration = Duration::from_secs(15);

/// How often the server is asked whether the certificate still counts, where nothing is due.
const LOOK_MAX: Duration = Duration::from_hours(6);

/// The longest sleep: the machine may have been asleep, or its clock was set.
const SLEEP_MAX: Duration = Duration::from_mins(1);

/// A login by password ends while nobody is there to repeat it. That is said before anything else.
pub(super) fn refuse_without_key(command: &CertRenew) -> Result<(), Failure> {
    match Target::of_call(&command.server)?.credential(&command.server)? {
        Credential::Key(_) => Ok(()),
        Credential::Session(_) => {
            let next = "Give an API key: --api-key-file FILE, or CHANCERY_API_KEY.";
            Err(told_with(
                Exit::NotLoggedIn,
                "--watch: a login by password ends before long, and nobody is there",
                next,
            ))
        }
    }
}

pub(super) fn run(renewal: &Renewal<'_>) -> Result<Exit, Failure> {
    let ended = ends()?;
    let (mut looks, mut hooks) = (Trouble::new(), Trouble::new());
    let (mut look_at, mut hook_at) = (0, 0);
    let (mut last, mut said) = (None, String::new());
    loop {
        let now = Clock::System.now_ms();
        if now >= look_at {
            let pause = match look(renewal, &mut said) {
                Ok(looked) => {
                    looks.over();
                    if matches!(looked, Looked::Renewed(_)) {
                        // What failed for the pair of before may work for this one, and is told anew where it does not.
                        (hooks, hook_at) = (Trouble::new(), 0);
                    }
                    let pause = pause_after(&looked);
                    last = Some(looked);
                    pause
                }
                Err(failure) if passes(&failure) || exit_of(&failure) == Exit::Failed => {
                    looks.tell(&describe(failure.as_ref()))
                }
                // What a person has to change is not waited for.
                Err(failure) => return Err(failure),
            };
            look_at = Clock::System.now_ms() + millis(pause);
        }
        if let Some(looked) = last.as_ref().filter(|_| renewal.files.hook_is_due() && now >= hook_at) {
            let pause = match renewal.run_hook(looked) {
                Ok(()) => {
                    hooks.over();
                    Duration::ZERO
                }
                Err(failure) => hooks.tell(&failure),
            };
            hook_at = Clock::System.now_ms() + millis(pause);
        }
        let next = if renewal.files.hook_is_due() && last.is_some() { look_at.min(hook_at) } else { look_at };
        let wait = u64::try_from(next - Clock::System.now_ms()).map_or(Duration::ZERO, Duration::from_millis);
        match ended.recv_timeout(wait.min(SLEEP_MAX)) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(Exit::Done),
        }
    }
}

/// One look, in a login of its own. What is as it was is not said again.
fn look(renewal: &Renewal<'_>, said: &mut String) -> Result<Looked, Failure> {
    logged_in(&renewal.command.server, |connection| {
        let looked = renewal.look(connection, false)?;
        let says = match &looked {
            Looked::NotDue(due, made) => format!("{due} {}", made.uuid),
            Looked::Renewed(made) => made.uuid.clone(),
            Looked::Waits(proposal) => proposal.clone(),
        };
        if *said != says {
            *said = says;
            match &looked {
                Looked::Waits(proposal) => {
                    output::note(format_args!("the certificate waits for approvals: proposal {proposal}"));
                }
                Looked::NotDue(..) | Looked::Renewed(_) => renewal.say(&looked, connection.output)?,
            }
        }
        Ok(looked)
    })
}

fn pause_after(looked: &Looked) -> Duration {
    match looked {
        // The next look says when the new one is due.
        Looked::Renewed(_) => Duration::ZERO,
        Looked::Waits(_) => APPROVAL_WAIT,
        Looked::NotDue(due, _) => {
            let left = u64::try_from(due - Clock::System.now_ms()).map_or(Duration::ZERO, Duration::from_millis);
            left.clamp(FIRST_WAIT, LOOK_MAX)
        }
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX / 2)
}

/// Tells when a signal asks for the end. What was begun is finished first: a certificate that was issued is put in place.
fn ends() -> Result<Receiver<()>, Failure> {
    let (tell, told) = mpsc::channel();
    let (ready, is_ready) = mpsc::channel();
    thread::spawn(move || {
        let waited = ending::wait_for_the_end(|| {
            let _it_waits = ready.send(Ok(()));
        });
        match waited {
            Ok(_) => {
                // Whoever does not listen any more has ended.
                let _it_ended = tell.send(());
            }
            Err(error) => {
                let _it_waits = ready.send(Err(error));
            }
        }
    });
    is_ready.recv()??;
    Ok(told)
}
