//! What a module needs of one that stands above it, by a trait of its own: set once, when the installation is opened.

use std::sync::{Arc, OnceLock, Weak};

use crate::{Error, Result};

/// Does not keep alive what it leads to.
pub(crate) struct Above<T: ?Sized>(OnceLock<Weak<T>>);

impl<T: ?Sized> Default for Above<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T: ?Sized> Above<T> {
    /// From now on it is this one; the first stays.
    pub(crate) fn set(&self, above: Weak<T>) {
        let _set_already = self.0.set(above);
    }

    /// Unavailable where nobody uses the installation any more.
    pub(crate) fn get(&self) -> Result<Arc<T>> {
        let above = self.0.get().and_then(Weak::upgrade);
        above.ok_or_else(|| Error::unavailable("nobody uses this installation any more"))
    }
}
