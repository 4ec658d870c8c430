//! One macro for every enumeration of the interface, so that each spelling is written once.

/// Defines an enumeration whose variants have a spelling on the wire: the variant's own name, or the literal given.
///
/// The type gets `ALL` (in the order written), `as_str`, `FromStr`, `Display`, serde in both directions and, with the
/// feature `schema`, an OpenAPI schema. An unknown spelling deserialises to serde's `unknown_variant`, which the server
/// answers as InvalidSelection.
macro_rules! wire_enum {
    // A spelling is a `tt`: as a `literal` it would reach the derives in an invisible group, which utoipa does not open.
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$vmeta:meta])* $variant:ident $(= $text:tt)?),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        pub enum $name {
            $($(#[$vmeta])* $(#[serde(rename = $text)])? $variant),+
        }

        impl $name {
            /// Every value, in the order of the interface.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The spelling on the wire and in the store.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => wire_enum!(@text $variant $($text)?)),+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownSpelling;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or($crate::UnknownSpelling)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
    (@text $variant:ident $text:tt) => { $text };
    (@text $variant:ident) => { stringify!($variant) };
}
