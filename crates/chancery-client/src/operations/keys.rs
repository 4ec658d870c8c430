//! Data keys and their types.

use chancery_types::{
    KeyId,
    wire::{
        Empty, ListQuery, Results,
        key_types::KeyTypeStub,
        keys::{CreateKey, Key, KeyStub, PatchKey},
    },
};

super::operations! {
    OPERATIONS:
    /// The key types.
    POST "/api/v2/key-types/stubs" => key_types() [< ListQuery] -> Results<KeyTypeStub>;
    /// The data keys.
    GET "/api/v2/keys/stubs" => keys() [? ListQuery] -> Results<KeyStub>;
    /// Makes a data key.
    POST "/api/v2/keys" => create_key() [< CreateKey] -> Key;
    /// A data key.
    GET "/api/v2/keys/{id}" => key(id: KeyId) -> Key;
    /// Changes a key's name or usages.
    PATCH "/api/v2/keys/{id}" => change_key(id: KeyId) [< PatchKey] -> Key;
    /// Gives the key a new version.
    POST "/api/v2/keys/{id}/rotate" => rotate_key(id: KeyId) [< Empty] -> Key;
    /// Lets nobody use the key.
    POST "/api/v2/keys/{id}/disable" => disable_key(id: KeyId) [< Empty] -> Key;
    /// Lets the key be used again.
    POST "/api/v2/keys/{id}/enable" => enable_key(id: KeyId) [< Empty] -> Key;
}
