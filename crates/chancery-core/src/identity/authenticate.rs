//! From what a request shows to who calls.

use crate::{Caller, Chancery, Credentials, Error, RequestInfo, Result};

impl Chancery {
    /// Who calls, by a bearer token or a fully logged-in session.
    #[expect(clippy::unused_async, reason = "the audit of refusals writes")]
    pub async fn authenticate(&self, request: RequestInfo, credentials: Credentials) -> Result<Caller> {
        let _nobody_is_known_yet = (request, credentials);
        Err(Error::unauthenticated())
    }
}
