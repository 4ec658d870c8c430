//! Members that nobody asked for: ignored, noted for the answer, or refused.

use std::cell::RefCell;

use chancery_types::wire::{ANSWERED, BINDING, FROM_BROWSERS, STRICT};

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
    /// The type of the object around it, and its members.
    name: &'static str,
    members: &'static [&'static str],
    noted: Option<&'t Noted>,
}

impl<'t> Surplus<'t> {
    /// Unknown members are noted where they are not refused.
    pub(super) fn noted(noted: &'t Noted) -> Self {
        Self { noted: Some(noted), ..Self::default() }
    }

    /// Inside an object of this type. What lies in one that is strict is strict too, unless a browser has written it.
    pub(super) fn inside(self, name: &'static str, members: &'static [&'static str]) -> Self {
        let is_strict = (self.known.is_some() && !FROM_BROWSERS.contains(&name)) || STRICT.contains(&name);
        Self { known: is_strict.then_some(members), answered: listed(ANSWERED, name), name, members, noted: self.noted }
    }

    /// At a member of this name.
    pub(super) fn at(self, member: &str) -> Self {
        if self.answered.contains(&member) { Self::default() } else { self }
    }

    /// The members that are known, where no other is taken; else the member is noted.
    pub(super) fn found(self, pointer: Pointer<'_>) -> Option<&'static [&'static str]> {
        let is_mistaken = |name| listed(BINDING, self.name).iter().any(|member| is_nearly(name, member));
        let known = self.known.or_else(|| pointer.name().is_some_and(is_mistaken).then_some(self.members));
        if let (None, Some(noted)) = (known, self.noted) {
            noted.add(pointer);
        }
        known
    }
}

/// What a list has of this type.
fn listed(list: &[(&str, &'static [&'static str])], name: &str) -> &'static [&'static str] {
    list.iter().find(|(of, _)| *of == name).map_or(&[], |(_, members)| members)
}

/// Whether a member is called this in other letters, with more around it, but for a letter, or with two exchanged.
fn is_nearly(name: &str, member: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let (name, member) = (name.as_bytes(), member.as_bytes());
    let begin = name.iter().zip(member).take_while(|(one, other)| one == other).count();
    let end = name.iter().rev().zip(member.iter().rev()).take_while(|(one, other)| one == other).count();
    let is_longer = name.windows(member.len()).any(|part| part == member);
    let (longer, by) = (name.len().max(member.len()), name.len().abs_diff(member.len()));
    is_longer || (by <= 1 && begin + end + 2 - by >= longer)
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

#[cfg(test)]
mod tests {
    use super::is_nearly;

    #[test]
    fn a_member_is_mistaken_for_another_by_a_letter_or_by_what_is_around_it() {
        for name in ["diget", "Digest", "digests", "digesst", "digezt", "approvalDigest", "igest", "DIGET", "digset"] {
            assert!(is_nearly(name, "digest"), "{name}");
        }
        for name in ["", "d", "note", "comment", "dgst", "digit"] {
            assert!(!is_nearly(name, "digest"), "{name}");
        }
    }
}
