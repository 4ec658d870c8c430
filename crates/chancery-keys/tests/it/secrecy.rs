//! What holds key bytes in clear can be neither printed nor copied nor serialised: a derive added by mistake does not
//! compile here.

use std::fmt::{Debug, Display};

use chancery_keys::{
    Aes256Siv, BearerKey, Custodian, DataKey, ForeignKey, HmacSha256, Pkcs12, RootKey, RowKey, Secret, SigningKey,
    TransportKey, Xaes256Gcm, ff1::Ff1, ff1::Ff1Text,
};
use serde::Serialize;

/// Compiles only where the type has none of the traits: with one of them, `_` could be `()` or that trait's marker.
macro_rules! has_none_of {
    ($type:ty: $($forbidden:path),+) => {
        const _: fn() = || {
            trait Ambiguous<Marker> {
                fn only_once() {}
            }
            impl<T: ?Sized> Ambiguous<()> for T {}
            $({
                struct Forbidden;
                impl<T: ?Sized + $forbidden> Ambiguous<Forbidden> for T {}
            })+
            let _ = <$type as Ambiguous<_>>::only_once;
        };
    };
}

has_none_of!(Secret: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(RootKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(Custodian: Debug, Display, Clone, Serialize);
has_none_of!(SigningKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(ForeignKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(Pkcs12: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(DataKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(BearerKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(RowKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(TransportKey: Debug, Display, Clone, Serialize, PartialEq);
has_none_of!(HmacSha256: Debug, Display, Clone, Serialize);
has_none_of!(Aes256Siv: Debug, Display, Clone, Serialize);
has_none_of!(Xaes256Gcm: Debug, Display, Clone, Serialize);
// Cloning these shares one key schedule.
has_none_of!(Ff1: Debug, Display, Serialize);
has_none_of!(Ff1Text: Debug, Display, Serialize);

/// Open keys are used from many threads at once.
#[test]
fn open_keys_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Custodian>();
    shared::<SigningKey>();
    shared::<DataKey>();
    shared::<BearerKey>();
    shared::<RowKey>();
}
