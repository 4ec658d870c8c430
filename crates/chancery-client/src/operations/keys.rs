//! Data keys.

use chancery_types::{
    KeyId,
    wire::{
        Empty,
        keys::{CreateKey, Key, PatchKey},
    },
};

super::operations! {
    OPERATIONS:
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
