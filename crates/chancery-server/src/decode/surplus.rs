//! Members that nobody asked for: ignored, noted for the answer, or refused.

use std::cell::RefCell;

use chancery_types::wire::{ANSWERED, FROM_BROWSERS, STRICT};

use super::pointer::Pointer;

/// Members that an answer names; of more than these it says how many there are.
const NAMED_MAX: usize = 20;

/// Characters of a pointer that an answer repeats.
const POINTER_MAX: usize = 200;

/// What becomes of an unknown member, by where it is.
#[derive(Clone, Copy, Default)]
pub(super) struct Surplus<'t> {
    /// The members of the object around it, where that takes no others.
    known: Option<&'static [&'static str]>,
    /// Those of it that may be there and mean nothing.
    answered: &'static [&'static str],
    noted: Option<&'t Noted>,
}

impl<'t> Surplus<'t> {
    /// Unknown members are noted where they are not refused.
    pub(super) const fn noted(noted: &'t Noted) -> Self {
        Self { known: None, answered: &[], noted: Some(noted) }
    }

    /// Inside an object of this type. What lies in one that is strict is strict too, unless a browser has written it.
    pub(super) fn inside(self, name: &str, members: &'static [&'static str]) -> Self {
        let is_strict = (self.known.is_some() && !FROM_BROWSERS.contains(&name)) || STRICT.contains(&name);
        let answered = ANSWERED.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, answered)| answered);
        Self { known: is_strict.then_some(members), answered, ..self }
    }

    /// At a member of this name.
    pub(super) fn at(self, member: &str) -> Self {
        if self.answered.contains(&member) { Self::default() } else { self }
    }

    /// The members that are known, where no other is taken; else the member is noted.
    pub(super) fn found(self, pointer: Pointer<'_>) -> Option<&'static [&'static str]> {
        if let (None, Some(noted)) = (self.known, self.noted) {
            noted.add(pointer);
        }
        self.known
    }
}

/// The unknown members of a body.
#[derive(Debug, Default)]
pub(crate) struct Noted(RefCell<Members>);

#[derive(Debug, Default)]
struct Members {
    pointers: Vec<String>,
    more: usize,
}

impl Noted {
    fn add(&self, pointer: Pointer<'_>) {
        let mut members = self.0.borrow_mut();
        if members.pointers.len() == NAMED_MAX {
            members.more += 1;
        } else {
            members.pointers.push(pointer.to_string().chars().take(POINTER_MAX).collect());
        }
    }

    /// As the answer has them.
    pub(super) fn warnings(self) -> Vec<String> {
        let Members { pointers, more } = self.0.into_inner();
        let told = |pointer: String| format!("The member {pointer} is not known here and was ignored.");
        let more = (more > 0).then(|| format!("{more} further members are not known here and were ignored."));
        pointers.into_iter().map(told).chain(more).collect()
    }
}
