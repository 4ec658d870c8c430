//! The task that asks witnesses, each for each tree.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};

use chancery_store::{
    Tx,
    tables::witnesses::{self as table, State},
};
use chancery_types::{Action, ErrorCode};
use chancery_verify::log::Cosigned;
use serde_json::json;
use tokio::time;
use tracing::{error, warn};
use zeroize::Zeroizing;

use super::{
    TREES, Witness,
    answer::{Answer, Refusal},
    request::{Newest, Request},
};
use crate::{
    Error, Event, Host, Log, Result,
    base::{clock::ms, error::reason},
    context::{
        background::Recurring as _,
        record::{Actor, Entry},
        storage::{Background, Evidence, MayRead, Recording},
    },
    log::number,
    outbound::{Post, delay_ms, jitter},
};

/// How often it is looked whether there is a newer checkpoint.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How often in a row a witness is asked that has seen another size than the last time: another node may have asked it since.
const TRIES: usize = 3;

/// At which failure in a row it is told that a witness cannot be reached.
const TOLD_AT: i64 = 3;

/// Asks witnesses. Made only here.
pub(crate) struct AskingWitnesses(());

impl Evidence for AskingWitnesses {}
impl MayRead for AskingWitnesses {}
impl Background for AskingWitnesses {}
impl Recording for AskingWitnesses {
    const NAME: &'static str = "witnesses";
    const ACTIONS: &'static [Action] = &[Action::WitnessFail, Action::WitnessResume];
}

/// A tree and a witness, by their places.
type Pair = (usize, usize);

impl Log {
    /// Asks witnesses until the last user of this Chancery is gone. Only for a server that stays.
    pub fn ask_witnesses(self: &Arc<Self>, _host: &Host) {
        if self.witnesses.configured.is_empty() || self.context.outbound.transport().is_err() {
            return;
        }
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut looks = time::interval(LOOK_EVERY);
            looks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
            loop {
                looks.tick().await;
                let Some(log) = Self::while_open(&weak) else { return };
                // While the store is away everybody says so; the next look is soon.
                let Ok(due) = log.witnesses_due().await else { continue };
                for pair in due {
                    if log.witnesses.busy().insert(pair) {
                        tokio::spawn(ask_one(weak.clone(), pair));
                    }
                }
            }
        });
    }

    /// Those that have not cosigned the newest checkpoint of a tree and can be asked now.
    pub(super) async fn witnesses_due(&self) -> Result<Vec<Pair>> {
        let now_ms = self.context.clock.now_ms();
        let keys: Vec<_> = self.witnesses.configured.iter().map(|witness| witness.key.to_string()).collect();
        let read = self.context.storage.read(&AskingWitnesses(()), move |tx| {
            Box::pin(async move {
                let (mut due, mut failing) = (Vec::new(), 0);
                for (place, (tree, _)) in TREES.iter().enumerate() {
                    let states = table::states(tx, *tree).await?;
                    let newest = Newest::read(tx, *tree).await?;
                    // Nothing is to be seen yet.
                    let Some(newest) = newest.filter(|newest| newest.size > 0) else { continue };
                    for (witness, key) in keys.iter().enumerate() {
                        let state = states.iter().find(|state| state.witness == *key);
                        failing += u64::from(state.is_some_and(|state| state.is_failing));
                        let has_it = state.is_some_and(|state| state.checkpoint.as_ref() == Some(&newest.note));
                        let waits =
                            state.is_some_and(|state| state.due_at_ms > now_ms || state.leased_until_ms > now_ms);
                        if !has_it && !waits {
                            due.push((place, witness));
                        }
                    }
                }
                Ok::<_, Error>((due, failing))
            })
        });
        let (due, failing) = read.await?;
        self.witnesses.failing.store(failing, Ordering::Relaxed);
        Ok(due)
    }

    /// Asks a witness for a cosignature of the newest checkpoint of a tree, and writes down what came of it.
    pub(super) async fn ask_witness(&self, (tree, witness): Pair) -> Result<()> {
        let (of, witness) = (TREES[tree].0, self.witnesses.configured[witness].clone());
        let (node, now_ms, key) = (self.context.node, self.context.clock.now_ms(), witness.key.to_string());
        let wait_ms = ms(self.context.limits.pool_wait_max) + ms(self.context.limits.notices.wait_max);
        let until_ms = now_ms.saturating_add(wait_ms * TRIES as i64 + 10_000);
        let taken = self.context.storage.background(&AskingWitnesses(()), move |tx| {
            Box::pin(async move {
                table::begin(tx, of, &key).await?;
                Ok::<_, Error>(table::take(tx, (of, key.as_str()), node, (now_ms, until_ms)).await?)
            })
        });
        let Some(state) = taken.await? else { return Ok(()) };
        let settled = match self.cosignature(tree, &witness, &state).await {
            Ok(Ok((request, cosigned))) => {
                self.witnesses.cosigned.fetch_add(1, Ordering::Relaxed);
                self.after_cosignature(&state, request, cosigned)?
            }
            Ok(Err(refusal)) => self.after_refusal(tree, &witness, &state, &refusal),
            // Ours: there is no room, or the store cannot be read.
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "a witness could not be asked");
                let refusal = Refusal::NoAnswer("Chancery could not ask it; its log says why".to_owned());
                self.after_refusal(tree, &witness, &state, &refusal)
            }
        };
        self.settle_witness(tree, &witness, &state, settled).await
    }

    /// The cosignature of a witness, with what it is of; its last refusal where there is none.
    async fn cosignature(
        &self,
        tree: usize,
        witness: &Witness,
        state: &State,
    ) -> Result<std::result::Result<(Request, Cosigned), Refusal>> {
        let of = TREES[tree].0;
        let mut old = u64::try_from(state.size).map_err(Error::internal)?;
        let mut last = Refusal::NoAnswer("there is no checkpoint".to_owned());
        for _ in 0..TRIES {
            let read = self.context.storage.read(&AskingWitnesses(()), move |tx| Box::pin(request(tx, of, old)));
            let request = match read.await? {
                Some(Ok(request)) => request,
                Some(Err(refusal)) => return Ok(Err(refusal)),
                None => return Ok(Err(last)),
            };
            let posted = match self.post_to_witness(witness, &request).await? {
                Ok(posted) => posted,
                Err(why) => return Ok(Err(Refusal::NoAnswer(reason(&*why)))),
            };
            match Answer::of(&posted, &request, &witness.key) {
                Answer::Cosigned(cosigned) => return Ok(Ok((request, cosigned))),
                Answer::Refused(refusal) => return Ok(Err(refusal)),
                Answer::Seen(size) => old = size,
            }
            last =
                Refusal::NoAnswer(format!("it says each time that it has seen another tree, at last of {old} leaves"));
        }
        Ok(Err(last))
    }

    async fn post_to_witness(
        &self,
        witness: &Witness,
        request: &Request,
    ) -> Result<std::result::Result<crate::outbound::Posted, Box<dyn std::error::Error + Send + Sync>>> {
        let transport = self.context.outbound.transport()?;
        let post = Post {
            url: Zeroizing::new(format!("{}/add-checkpoint", witness.url)),
            headers: vec![("content-type", "text/plain; charset=utf-8".to_owned())],
            body: request.body.clone().into_bytes(),
            answer_max: self.context.limits.notices.answer_max,
            wait: self.context.limits.notices.wait_max,
        };
        self.witnesses.pool.run(move || transport.post(post)).await
    }

    fn after_cosignature(&self, state: &State, request: Request, cosigned: Cosigned) -> Result<State> {
        Ok(State {
            size: number(request.newest.size)?,
            checkpoint: Some(request.newest.note),
            cosignature: Some(cosigned.line),
            cosigned_at_ms: Some(self.context.clock.now_ms()),
            failures: 0,
            due_at_ms: 0,
            is_failing: false,
            error: None,
            ..state.clone()
        })
    }

    fn after_refusal(&self, tree: usize, witness: &Witness, state: &State, refusal: &Refusal) -> State {
        self.witnesses.failed.fetch_add(1, Ordering::Relaxed);
        let (tree, error) = (TREES[tree].1, refusal.says());
        if state.failures == 0 || refusal.is_final() && state.error.as_deref() != Some(error) {
            warn!(witness = witness.key.name(), tree, error, "a witness does not cosign; it is asked again");
        }
        let failures = state.failures.saturating_add(1);
        let due_at_ms = self.context.clock.now_ms().saturating_add(delay_ms(failures, jitter()));
        let is_failing = state.is_failing || refusal.is_final() || failures >= TOLD_AT;
        State { failures, due_at_ms, is_failing, error: Some(told(refusal)), ..state.clone() }
    }

    /// Writes down what came of it, and tells where a witness begins or ends to fail, or fails for another reason.
    async fn settle_witness(&self, tree: usize, witness: &Witness, before: &State, settled: State) -> Result<()> {
        let (by, node, (of, name)) = (AskingWitnesses(()), self.context.node, TREES[tree]);
        let kind = |state: &State| state.error.as_deref().and_then(|error| error.split(':').next().map(str::to_owned));
        let is_another = before.is_failing && settled.is_failing && kind(before) != kind(&settled);
        let action = match (before.is_failing, settled.is_failing) {
            (false, true) => Some(Action::WitnessFail),
            (true, false) => Some(Action::WitnessResume),
            (true, true) if is_another => Some(Action::WitnessFail),
            (false, false) | (true, true) => None,
        };
        let entry = action.map(|action| {
            let mut detail = json!({"name": witness.key.name(), "tree": name});
            if let Some((why, error)) = settled.error.as_deref().and_then(|error| error.split_once(": ")) {
                detail["why"] = why.into();
                detail["error"] = error.into();
            }
            let event = Event::new(action).detail(detail);
            Entry::new(self.context.clock.now_ms(), &Actor::of_task(node, &by), event, ErrorCode::Success)
        });
        let entry = entry.transpose()?;
        let written = self.context.storage.background(&by, move |tx| {
            Box::pin(async move {
                if table::settle(tx, of, node, settled).await?
                    && let Some(entry) = entry
                {
                    entry.append(tx).await?;
                }
                Ok::<_, Error>(())
            })
        });
        written.await
    }
}

/// A refusal as the store has it: its name and what it says.
fn told(refusal: &Refusal) -> String {
    format!("{}: {}", refusal.name(), refusal.says())
}

/// What a witness is to be sent that has seen so many leaves; a refusal where there are fewer here. None where there is nothing to
/// cosign.
async fn request(
    tx: &mut Tx,
    of: chancery_store::tables::tiles::Tree,
    old: u64,
) -> Result<Option<std::result::Result<Request, Refusal>>> {
    let Some(newest) = Newest::read(tx, of).await? else { return Ok(None) };
    if old > newest.size {
        let says = format!("it has a tree of {old} leaves, and here are {}", newest.size);
        return Ok(Some(Err(Refusal::AnotherHistory(says))));
    }
    Request::read(tx, of, newest, old).await.map(|request| Some(Ok(request)))
}

async fn ask_one(weak: Weak<Log>, pair: Pair) {
    let Some(log) = Log::while_open(&weak) else { return };
    if let Err(failure) = log.ask_witness(pair).await {
        error!(error = &failure as &dyn std::error::Error, "what a witness said could not be written down");
        time::sleep(Duration::from_secs(1)).await;
    }
    log.witnesses.busy().remove(&pair);
}
