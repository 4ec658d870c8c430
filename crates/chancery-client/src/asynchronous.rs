//! The client for asynchronous programs: the same calls, each on one of Tokio's threads for what blocks. So retries,
//! idempotency keys, renewed tokens and every operation are there once (docs/decisions/0103-one-client-two-ways.md).

use std::{panic::resume_unwind, sync::Arc};

use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{Client, ClientError};

/// Calls at a time, where nobody says otherwise: each has a thread while it lasts.
const CALLS_MAX: usize = 64;

/// A [`Client`] whose calls can be awaited. Clones share its session.
///
/// Every operation is a method of the same name, which takes what it sends; what [`Client`] has besides, and several calls
/// in a row, go through [`call`](Self::call).
///
/// ```no_run
/// # async fn example() -> Result<(), chancery_client::ClientError> {
/// use chancery_client::{AsyncClient, Client};
/// use chancery_types::wire::ListQuery;
///
/// let client = AsyncClient::new(Client::new("https://127.0.0.1:8443", &std::fs::read("ca.pem").unwrap())?);
/// client.call(|client| client.stay_logged_in_by_key("…")).await?;
/// let profiles = client.token_profiles(ListQuery::search("cards")).await?;
/// let profile = client.token_profile(profiles.results[0].obj_info.uuid).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AsyncClient {
    client: Arc<Client>,
    calls: Arc<Semaphore>,
}

impl AsyncClient {
    /// The same client, for 64 calls at a time; more wait for one another.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::with_calls(client, CALLS_MAX)
    }

    /// The same client, for so many calls at a time, and at least one.
    #[must_use]
    pub fn with_calls(client: Client, calls_max: usize) -> Self {
        let calls = Semaphore::new(calls_max.clamp(1, Semaphore::MAX_PERMITS));
        Self { client: Arc::new(client), calls: Arc::new(calls) }
    }

    /// Makes calls: whatever can be done with the blocking client. Once it has begun it goes on, also where nobody awaits
    /// it any more.
    ///
    /// # Errors
    ///
    /// Those of the calls.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, and where `calls` does.
    pub async fn call<T, E>(&self, calls: impl FnOnce(&Client) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<ClientError> + Send + 'static,
    {
        let ended = |why: &str| ClientError::Unexpected { status: 0, why: why.to_owned() };
        let turn = Arc::clone(&self.calls).acquire_owned().await.map_err(|_| ended("the client was closed"))?;
        let client = Arc::clone(&self.client);
        let made = spawn_blocking(move || {
            let _until_done = turn;
            calls(&client)
        });
        match made.await {
            Ok(made) => made,
            Err(failed) => match failed.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => Err(ended("the runtime was shut down before the call was made").into()),
            },
        }
    }

    /// The client itself, for what does not block.
    #[must_use]
    pub fn blocking(&self) -> &Client {
        &self.client
    }
}
