//! The machine-readable outcome of a call.

wire_enum! {
    /// `errorCode` of an answer.
    pub enum ErrorCode {
        /// The call succeeded.
        Success,
        /// The body is not a JSON object, or a member is missing, of the wrong type, or not valid base64.
        ArgumentParseError,
        /// A value outside its enumeration, an object that does not exist, an unknown path or method.
        InvalidSelection,
        /// Well-formed, but the object's rules refuse it.
        InvalidValue,
        /// The object's state does not allow this now.
        InvalidState,
        /// A name that must be unique is taken.
        AlreadyExists,
        /// The token or session is missing, incomplete, malformed, expired or revoked.
        InvalidAuthToken,
        /// Authenticated, but no Control Rule, permission or key usage grants it.
        NotAuthorized,
        /// API access is switched off on this installation.
        ApiAccessDisabled,
        /// A body, batch or value is larger than its limit.
        LimitExceeded,
        /// Too many calls, or too much waiting work; try again after `Retry-After`.
        RateLimited,
        /// The root key is not loaded.
        Sealed,
        /// Storage or a key's hardware is out of reach for now.
        Unavailable,
        /// Everything else; the cause is in the log under the request id.
        InternalError,
    }
}
