//! Who had a token.

use axum::extract::State;
use chancery_types::wire::{
    Envelope,
    journal::{JournalCalls, SearchJournal},
};

use crate::{
    answer::{Answer, success},
    app::App,
    extract::{Authenticated, Body},
};

/// Who has made or read a token: the calls that had it, the oldest first, from the journal of the server that is asked, and
/// which other journals there are. Each question is recorded. Needs Audit:Read.
#[utoipa::path(
    post,
    path = "/api/v2/audit/journal/search",
    tag = "Audit",
    request_body = SearchJournal,
    responses((status = 200, body = Envelope<JournalCalls>)),
)]
pub(crate) async fn search_journal(
    State(app): State<App>,
    caller: Authenticated,
    Body(asked): Body<SearchJournal>,
) -> Answer<JournalCalls> {
    success(app.tokens.search_journal(&caller, asked).await?)
}
