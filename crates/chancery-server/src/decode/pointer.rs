//! Where in the document the deserializer is.

use std::fmt::{self, Write as _};

/// One step from the root of the document: a member of an object or an element of an array, and the way to it.
///
/// A list linked by references on the stack, because the pointer is written out only where something is wrong.
#[derive(Clone, Copy)]
pub(super) struct Pointer<'p>(Option<Step<'p>>);

#[derive(Clone, Copy)]
struct Step<'p> {
    parent: &'p Pointer<'p>,
    name: Name<'p>,
}

#[derive(Clone, Copy)]
enum Name<'p> {
    Member(&'p str),
    Element(usize),
}

impl Pointer<'static> {
    pub(super) const ROOT: Self = Self(None);
}

impl<'p> Pointer<'p> {
    pub(super) const fn member(parent: &'p Pointer<'p>, name: &'p str) -> Self {
        Self(Some(Step { parent, name: Name::Member(name) }))
    }

    pub(super) const fn element(parent: &'p Pointer<'p>, index: usize) -> Self {
        Self(Some(Step { parent, name: Name::Element(index) }))
    }

    /// The name of the member, where it is one.
    pub(super) fn name(self) -> Option<&'p str> {
        self.0.and_then(|step| if let Name::Member(name) = step.name { Some(name) } else { None })
    }
}

/// As RFC 6901 writes it, section 3: `~` and `/` in a name are escaped.
impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(step) = self.0 else { return Ok(()) };
        write!(f, "{}/", step.parent)?;
        match step.name {
            Name::Element(index) => write!(f, "{index}"),
            Name::Member(name) => name.chars().try_for_each(|letter| match letter {
                '~' => f.write_str("~0"),
                '/' => f.write_str("~1"),
                letter => f.write_char(letter),
            }),
        }
    }
}
