//! What must not compile. `cargo xtask lint` builds this and expects that the compiler refuses each line that ends with an
//! error, with that error, and nothing else: so the lines beside them, which do it rightly, are the counter-proof.

use chancery_store::{StoreError, Tx, tables};
use chancery_types::{Action, Perm};
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::{
    Caller, Chancery, Event, Grant, Host, RequestInfo, Visitor,
    approval::{Approved, Facts, Transition},
    context::{
        changes::FollowingChanges,
        grant::ReadGrant,
        record::{Actor, RecordedIdentities},
        storage::{MayRead, Opening},
        up_to_date::TokenizesNow,
    },
    identity::{SigningIn, Vouched},
    log::{PublishingLog, SequencingLog},
    signing::Stamping,
    tokenization::rules::TokenizeGrant,
};

fn look(tx: &mut Tx) -> BoxFuture<'_, Result<bool, StoreError>> {
    Box::pin(tables::identities::any(tx))
}

fn change(_: &mut Tx) -> BoxFuture<'_, crate::Result<()>> {
    Box::pin(async { Ok(()) })
}

/// Nobody reaches the store but through `context/storage/`.
async fn the_store_is_private(chancery: &Chancery, grant: &Grant) {
    chancery.storage.read(grant, look).await;
    chancery.storage.store.read(look).await; //~ E0616
}

/// To be logged in, or to be somebody at all, is no right to read or write.
async fn evidence_is_shown(chancery: &Chancery, grant: &Grant, caller: &Caller, visitor: &Visitor, event: Event) {
    chancery.storage.read(grant, look).await;
    chancery.storage.read(caller, look).await; //~ E0277
    chancery.storage.read(visitor, look).await; //~ E0277
    chancery.commit(grant, event.clone(), change).await;
    chancery.commit(caller, event, change).await; //~ E0277
}

/// What everybody may read nobody may write for that reason.
async fn reading_is_not_writing(chancery: &Chancery, grant: &Grant, read: &ReadGrant, event: Event) {
    chancery.storage.read(read, look).await;
    chancery.commit(grant, event.clone(), change).await;
    chancery.commit(read, event, change).await; //~ E0277
}

/// Only a task that is listed for it writes without a record that `commit` adds.
async fn what_a_grant_writes_is_recorded(chancery: &Chancery, grant: &Grant, host: &Host, task: &SequencingLog) {
    chancery.storage.background(task, change).await;
    chancery.storage.background(grant, change).await; //~ E0277
    chancery.storage.background(host, change).await; //~ E0277
}

/// A task that only reads neither writes nor records.
async fn a_task_does_what_is_listed(chancery: &Chancery, task: &PublishingLog, event: Event) {
    chancery.storage.read(task, look).await;
    chancery.storage.background(task, change).await; //~ E0277
    chancery.commit(task, event, change).await; //~ E0277
}

/// A grant comes of a check.
async fn grants_are_given(chancery: &Chancery, caller: &Caller) {
    let _granted = chancery.grant(caller, Perm::KeysAdd, Action::KeyRead, None).await;
    let _made = Grant(Actor::of(Uuid::nil(), caller)); //~ E0423
    let _granted = chancery.grant_to_all(caller);
    let _made = ReadGrant(()); //~ E0423
}

/// Each task is shown by the file that does it.
fn tasks_are_not_made() {
    let _task = FollowingChanges(()); //~ E0423
    let _task = Stamping(()); //~ E0423
    let _task = Opening(()); //~ E0423
}

/// Only `identity/` says who calls, who logs in or out, and in whose name that is recorded.
fn callers_are_vouched_for(request: RequestInfo, signing_in: &SigningIn, vouched: Vouched, caller: &Caller) {
    let _of = Actor::of(Uuid::nil(), caller);
    let _caller = |standing| Caller::new(signing_in, request, standing, unreachable!());
    let _caller = |standing| Caller::new(caller, request, standing, unreachable!()); //~ E0277
    let _of = Actor::signing_in(Uuid::nil(), signing_in, &request, RecordedIdentities::default());
    let _in = SigningIn(()); //~ E0423
    let _of = vouched.actor();
    let _vouched = Vouched(Actor::of(Uuid::nil(), caller)); //~ E0423
    let _of = Actor::named(Uuid::nil(), "somebody".to_owned(), RecordedIdentities::default()); //~ E0624
}

struct Mine;

/// Nobody adds to what is evidence.
impl MayRead for Mine {} //~ E0277

/// What takes approvals happens with the last of them, or because the rules ask for none.
fn approvals_are_taken(facts: &mut Facts) {
    let _approved = facts.take(Transition::Submit);
    let _made = Approved(()); //~ E0423
}

/// Tokens are made where a Control Rule and the state of the node allow it, and rows of the vault are written for that.
async fn control_rules_are_asked(chancery: &Chancery, rule: &TokenizeGrant, grant: &Grant) {
    chancery.storage.keep_tokens(rule, change).await;
    chancery.storage.keep_tokens(grant, change).await; //~ E0277
    let _rule = TokenizeGrant(()); //~ E0423
    let _now = TokenizesNow(()); //~ E0423
}
