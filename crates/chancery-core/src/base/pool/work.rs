//! What the pool can be given to do: any closure, or what custody makes a signature with.

use chancery_keys::{SignError, ToSign};

/// A signature, or why there is none.
pub(crate) type Signature = Result<Vec<u8>, SignError>;

/// What a job does.
pub(crate) trait Work: Send + 'static {
    type Output: Send + 'static;

    /// The signature that it needs, if it is made with one: then the pool may make several at once.
    fn to_sign(&self) -> Option<ToSign<'_>>;

    /// Does it, with that signature or, where there is none yet, making it first.
    fn run(self, signature: Option<Signature>) -> Self::Output;
}

impl<F, T> Work for F
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    type Output = T;

    fn to_sign(&self) -> Option<ToSign<'_>> {
        None
    }

    fn run(self, _: Option<Signature>) -> T {
        self()
    }
}
