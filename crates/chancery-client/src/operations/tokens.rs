//! Token profiles, and what they do.

use chancery_types::{
    ProposalId, TokenProfileId,
    wire::{
        Empty, Items, ListQuery, Results,
        proposals::Proposed,
        signing_requests::DecideRequest,
        token_profiles::{
            BatchDetokenizationResponse, BatchDetokenizeRequest, BatchTokenizationResponse, BatchTokenizeRequest,
            CreateTokenProfile, DetokenizationResponse, DetokenizeGrant, DetokenizeRequest, GrantQuery,
            PatchPermissions, PatchTokenProfile, PreviewAnswer, PreviewRequest, RequestGrant, RewrapRequest,
            RewrapResponse, TemplateNames, TokenBudgets, TokenProfile, TokenProfileStub, TokenProfileTemplate,
            TokenRecord, TokenRequest, TokenizationResponse, TokenizeRequest, TokenizedRequest, TokenizedResponse,
            TrackDetokenizationResponse, TrackDetokenizeRequest, TrackTokenizationResponse, TrackTokenizeRequest,
        },
    },
};

use super::escaped;
use crate::{Client, ClientError};

super::operations! {
    OPERATIONS:
    /// The token profiles.
    GET "/api/v2/token-profiles/stubs" => token_profiles() [? ListQuery] -> Results<TokenProfileStub>;
    /// Makes a token profile.
    POST "/api/v2/token-profiles" => create_token_profile() [< CreateTokenProfile] -> TokenProfile;
    /// A token profile.
    GET "/api/v2/token-profiles/{id}" => token_profile(id: TokenProfileId) -> TokenProfile;
    /// Changes a token profile.
    PATCH "/api/v2/token-profiles/{id}" => change_token_profile(id: TokenProfileId) [< PatchTokenProfile] -> TokenProfile;
    /// Removes a token profile.
    DELETE "/api/v2/token-profiles/{id}" => delete_token_profile(id: TokenProfileId) -> Empty;
    /// Makes a token profile after another one.
    POST "/api/v2/token-profiles/{id}/copy" => copy_token_profile(id: TokenProfileId) [< PatchTokenProfile] -> TokenProfile;
    /// What of the budgets of a profile's Control Rules is used now.
    GET "/api/v2/token-profiles/{id}/budgets" => token_budgets(id: TokenProfileId) -> TokenBudgets;
    /// Replaces all Control Rules of a token profile.
    PATCH "/api/v2/token-profiles/{id}/permissions"
        => change_control_rules(id: TokenProfileId) [< PatchPermissions] -> TokenProfile;
    /// Tries a profile out that does not exist yet.
    POST "/api/v2/token-profiles/preview" => preview_token_profile() [< PreviewRequest] -> PreviewAnswer;
    /// The names of the built-in templates.
    GET "/api/v2/token-profiles/template/names" => token_profile_templates() -> TemplateNames;
    /// Turns a message into a token, with all that can be said about it.
    POST "/api/v2/token-profiles/{id}/tokenize"
        => tokenize_value(id: TokenProfileId) [< TokenizeRequest] -> TokenizationResponse;
    /// Turns a token back into its message, with all that can be said about it.
    POST "/api/v2/token-profiles/{id}/detokenize"
        => detokenize_value(id: TokenProfileId) [< DetokenizeRequest] -> DetokenizationResponse;
    /// Turns messages into tokens.
    POST "/api/v2/token-profiles/{id}/batch-tokenize"
        => batch_tokenize(id: TokenProfileId) [< BatchTokenizeRequest] -> BatchTokenizationResponse;
    /// Turns tokens back into their messages.
    POST "/api/v2/token-profiles/{id}/batch-detokenize"
        => batch_detokenize(id: TokenProfileId) [< BatchDetokenizeRequest] -> BatchDetokenizationResponse;
    /// Tokenizes the number in the data of a card's track.
    POST "/api/v2/token-profiles/{id}/track-tokenize"
        => track_tokenize(id: TokenProfileId) [< TrackTokenizeRequest] -> TrackTokenizationResponse;
    /// Puts the number back into the data of a card's track.
    POST "/api/v2/token-profiles/{id}/track-detokenize"
        => track_detokenize(id: TokenProfileId) [< TrackDetokenizeRequest] -> TrackDetokenizationResponse;
    /// Makes of tokens those that their messages have under the profile's newest key version.
    POST "/api/v2/token-profiles/{id}/rewrap" => rewrap(id: TokenProfileId) [< RewrapRequest] -> RewrapResponse;
    /// Whether a message has a token (Random).
    POST "/api/v2/token-profiles/{id}/tokenized"
        => tokenized(id: TokenProfileId) [< TokenizedRequest] -> TokenizedResponse;
    /// What the vault has of a token beside its message.
    POST "/api/v2/token-profiles/{id}/tokens/read" => read_token(id: TokenProfileId) [< TokenRequest] -> TokenRecord;
    /// Asks for approvals of detokenizing in full.
    POST "/api/v2/token-profiles/{id}/grants" => request_grant(id: TokenProfileId) [< RequestGrant] -> Proposed;
    /// The grants of a profile, and the requests for them.
    GET "/api/v2/token-profiles/{id}/grants" => grants(id: TokenProfileId) [? GrantQuery] -> Items<DetokenizeGrant>;
    /// A grant.
    GET "/api/v2/token-profiles/{id}/grants/{grant}"
        => grant(id: TokenProfileId, grant: ProposalId) -> DetokenizeGrant;
    /// Ends a grant, or the request for one.
    POST "/api/v2/token-profiles/{id}/grants/{grant}/revoke"
        => revoke_grant(id: TokenProfileId, grant: ProposalId) [< DecideRequest] -> Proposed;
    /// Takes a token out of the vault.
    POST "/api/v2/token-profiles/{id}/tokens/delete" => delete_token(id: TokenProfileId) [< TokenRequest] -> Empty;
}

impl Client {
    /// Turns a message into a token.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn tokenize(&self, profile: TokenProfileId, message: &str) -> Result<TokenizationResponse, ClientError> {
        let request =
            TokenizeRequest { message: message.to_owned(), key_version: None, metadata: None, expires_at: None };
        self.tokenize_value(profile, &request)
    }

    /// Turns a token back into its message.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn detokenize(
        &self,
        profile: TokenProfileId,
        token: TokenizationResponse,
    ) -> Result<DetokenizationResponse, ClientError> {
        let request =
            DetokenizeRequest { token: token.token, iv: token.iv, key_version: token.key_version, grant_uuid: None };
        self.detokenize_value(profile, &request)
    }

    /// A built-in template, by its name.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn token_profile_template(&self, name: &str) -> Result<TokenProfileTemplate, ClientError> {
        self.get(&format!("/api/v2/token-profiles/template/{}", escaped(name)))
    }
}
