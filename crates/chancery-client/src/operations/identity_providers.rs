//! Identity providers, and what is bound to them.

use chancery_types::{
    IdentityBindingId, IdentityProviderId,
    wire::{
        Empty, ListQuery, Results,
        identity_providers::{
            CreateIdentityBinding, CreateIdentityProvider, IdentityBinding, IdentityBindingQuery, IdentityProvider,
            PatchIdentityProvider,
        },
    },
};

super::operations! {
    OPERATIONS:
    /// The identity providers whose tokens are taken.
    GET "/api/v2/identity-providers" => identity_providers() [? ListQuery] -> Results<IdentityProvider>;
    /// Has the tokens of an identity provider taken.
    POST "/api/v2/identity-providers" => create_identity_provider() [< CreateIdentityProvider] -> IdentityProvider;
    /// An identity provider.
    GET "/api/v2/identity-providers/{id}" => identity_provider(id: IdentityProviderId) -> IdentityProvider;
    /// Changes an identity provider.
    PATCH "/api/v2/identity-providers/{id}" => change_identity_provider(id: IdentityProviderId)
        [< PatchIdentityProvider] -> IdentityProvider;
    /// Removes an identity provider that no identity is bound to.
    DELETE "/api/v2/identity-providers/{id}" => delete_identity_provider(id: IdentityProviderId) -> Empty;
    /// Whose tokens of identity providers stand for which identities.
    GET "/api/v2/identity-bindings" => identity_bindings() [? IdentityBindingQuery] -> Results<IdentityBinding>;
    /// Has tokens of an identity provider stand for an identity.
    POST "/api/v2/identity-bindings" => create_identity_binding() [< CreateIdentityBinding] -> IdentityBinding;
    /// A binding.
    GET "/api/v2/identity-bindings/{id}" => identity_binding(id: IdentityBindingId) -> IdentityBinding;
    /// Removes a binding, and ends the sessions of its identity.
    DELETE "/api/v2/identity-bindings/{id}" => delete_identity_binding(id: IdentityBindingId) -> Empty;
}
