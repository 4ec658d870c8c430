//! What every handler can reach: the door, and little else.

use std::{ops::Deref, sync::Arc};

use chancery_core::Chancery;

/// The state of the router. Derefs to the door, so that a handler says `app.tokenize(…)`.
#[derive(Clone)]
pub(crate) struct App(Arc<Chancery>);

impl App {
    pub(crate) const fn new(chancery: Arc<Chancery>) -> Self {
        Self(chancery)
    }
}

impl Deref for App {
    type Target = Arc<Chancery>;

    fn deref(&self) -> &Arc<Chancery> {
        &self.0
    }
}
