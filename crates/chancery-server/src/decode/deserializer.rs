//! serde's view of a [`Tree`], with a memory of where it is.

use std::borrow::Cow;

use chancery_types::wire::Texts;
use serde::{
    Deserializer,
    de::{self, DeserializeSeed, IntoDeserializer, Unexpected, Visitor},
    forward_to_deserialize_any,
};

use super::{
    fault::Fault,
    pointer::Pointer,
    surplus::Surplus,
    tree::{Number, Tree},
};

/// One value of the document and the way to it.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    tree: &'t Tree<'t>,
    pointer: Pointer<'t>,
    surplus: Surplus<'t>,
}

impl<'t> Cursor<'t> {
    pub(super) const fn new(tree: &'t Tree<'t>, pointer: Pointer<'t>, surplus: Surplus<'t>) -> Self {
        Self { tree, pointer, surplus }
    }

    /// Reads the whole value. The one place where a fault learns where it is: code of a type that looks at what it read,
    /// as ids do, finds fault when the deserializer has returned already.
    pub(super) fn read<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self).map_err(|fault| fault.at(self.pointer))
    }

    /// The refusal of a value that is no `expected`.
    fn mismatch(self, expected: &dyn de::Expected) -> Fault {
        let sent = match self.tree {
            Tree::Null => Unexpected::Unit,
            Tree::Bool(value) => Unexpected::Bool(*value),
            Tree::Number(Number::Unsigned(value)) => Unexpected::Unsigned(*value),
            Tree::Number(Number::Signed(value)) => Unexpected::Signed(*value),
            Tree::Number(Number::Float(value)) => Unexpected::Float(*value),
            Tree::String(text) | Tree::Parameter(text) => Unexpected::Str(text),
            Tree::Array(_) | Tree::Strings(_) | Tree::EvenStrings(_) => Unexpected::Seq,
            Tree::Object(_) => Unexpected::Map,
        };
        <Fault as de::Error>::invalid_type(sent, expected)
    }

    /// Visits this value as whatever it is.
    fn visit<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.tree {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(*value),
            Tree::Number(Number::Unsigned(value)) => visitor.visit_u64(*value),
            Tree::Number(Number::Signed(value)) => visitor.visit_i64(*value),
            Tree::Number(Number::Float(value)) => visitor.visit_f64(*value),
            Tree::String(text) | Tree::Parameter(text) => visitor.visit_str(text),
            Tree::Array(elements) => {
                let rest = elements.iter().enumerate();
                visitor.visit_seq(Elements { rest, pointer: self.pointer, surplus: self.surplus })
            }
            Tree::Strings(elements) => {
                visitor.visit_seq(Strings { rest: elements.iter().copied().enumerate(), pointer: self.pointer })
            }
            Tree::EvenStrings(elements) => {
                visitor.visit_seq(Strings { rest: elements.iter().enumerate(), pointer: self.pointer })
            }
            Tree::Object(members) => {
                let Self { pointer, surplus, .. } = self;
                visitor.visit_map(Members { rest: members.iter(), value: None, pointer, surplus })
            }
        }
    }
}

/// Reads a query's parameter as the type that is asked for, and anything else as what it is.
macro_rules! typed_parameters {
    ($($method:ident $visit:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if let Tree::Parameter(text) = self.tree {
                match text.parse() {
                    Ok(value) => visitor.$visit(value),
                    Err(_) => Err(<Fault as de::Error>::invalid_value(Unexpected::Str(text), &visitor)),
                }
            } else {
                self.visit(visitor)
            }
        }
    )+};
}

impl<'de> Deserializer<'de> for Cursor<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let is_null = matches!(self.tree, Tree::Null);
        if is_null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    /// Derived code would also take an array for a struct, member by member in the order of the declaration, which no
    /// document describes.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        members: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        Self { surplus: self.surplus.inside(name, members), ..self }.deserialize_map(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let is_object = matches!(self.tree, Tree::Object(_));
        if is_object { self.visit(visitor) } else { Err(self.mismatch(&"an object")) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        if let Tree::EvenStrings(elements) = self.tree
            && name == Texts::NAME
        {
            // As they were sent: it reads them faster than one by one.
            return visitor.visit_str(elements.json);
        }
        visitor.visit_newtype_struct(self)
    }

    /// Every enumeration of the interface is a set of words.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if let Tree::String(text) | Tree::Parameter(text) = self.tree {
            visitor.visit_enum(text.as_ref().into_deserializer())
        } else {
            Err(self.mismatch(&"a string"))
        }
    }

    /// Whatever asks so has no use for the member, which is how unknown ones show.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.surplus.found(self.pointer) {
            Some(known) => Err(Fault::unknown_member(known)),
            None => visitor.visit_unit(),
        }
    }

    typed_parameters! {
        deserialize_bool visit_bool deserialize_u8 visit_u8 deserialize_u16 visit_u16 deserialize_u32 visit_u32
        deserialize_u64 visit_u64 deserialize_i8 visit_i8 deserialize_i16 visit_i16 deserialize_i32 visit_i32
        deserialize_i64 visit_i64
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct identifier
    }
}

/// The elements of an array.
struct Elements<'t> {
    rest: std::iter::Enumerate<std::slice::Iter<'t, Tree<'t>>>,
    pointer: Pointer<'t>,
    surplus: Surplus<'t>,
}

impl<'de> de::SeqAccess<'de> for Elements<'_> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some((index, tree)) = self.rest.next() else { return Ok(None) };
        Cursor::new(tree, Pointer::element(&self.pointer, index), self.surplus).read(seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The elements of an array of strings.
struct Strings<'t, I> {
    rest: std::iter::Enumerate<I>,
    pointer: Pointer<'t>,
}

impl<'de, 't, I: ExactSizeIterator<Item = &'t str>> de::SeqAccess<'de> for Strings<'t, I> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some((index, text)) = self.rest.next() else { return Ok(None) };
        let tree = Tree::String(Cow::Borrowed(text));
        Cursor::new(&tree, Pointer::element(&self.pointer, index), Surplus::default()).read(seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The members of an object.
struct Members<'t> {
    rest: std::slice::Iter<'t, (Cow<'t, str>, Tree<'t>)>,
    value: Option<(&'t str, &'t Tree<'t>)>,
    pointer: Pointer<'t>,
    surplus: Surplus<'t>,
}

impl<'de> de::MapAccess<'de> for Members<'_> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some((name, tree)) = self.rest.next() else { return Ok(None) };
        self.value = Some((name, tree));
        seed.deserialize(name.as_ref().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let Some((name, tree)) = self.value.take() else {
            return Err(<Fault as de::Error>::custom("a value was asked for before its name"));
        };
        Cursor::new(tree, Pointer::member(&self.pointer, name), self.surplus.at(name)).read(seed)
    }
}
