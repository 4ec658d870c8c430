//! Roles, identities, audit records, reports and settings.

use std::io::Read;

use chancery_types::{
    ApiKeyId, AuditTargetId, IdentityId, PasskeyId, RoleId,
    wire::{
        Empty, Items, ListQuery, Results,
        activity::Activity,
        api_keys::{ApiKey, ApiKeyCreated, ApiKeys, CreateApiKey, PatchApiKey, RotateApiKey},
        audit::{AuditCheckpoint, AuditExportQuery, AuditQuery, AuditRecord},
        audit_archives::{ArchiveQuery, AuditArchive},
        audit_targets::{AuditTarget, AuditTargetTested, CreateAuditTarget, PatchAuditTarget},
        identities::{CreateIdentity, Identity, IdentityCreated, IdentityStub, NewPassword, PatchIdentity},
        journal::{JournalCalls, SearchJournal},
        passkeys::{ConfirmPasskey, EnrolPasskey, Passkey, PasskeyBegun, Passkeys, PatchPasskey},
        reports::{AccessChange, AccessEffect, AccessQuery, AccessReport},
        roles::{CreateRole, PatchRole, Role, RoleCreated, RoleStub},
        system::{PatchSettings, Settings},
        whoami::WhoAmI,
    },
};

use crate::{Client, ClientError};

super::operations! {
    OPERATIONS:
    /// The roles.
    GET "/api/v2/roles/stubs" => roles() [? ListQuery] -> Results<RoleStub>;
    /// A role.
    GET "/api/v2/roles/{id}" => role(id: RoleId) -> Role;
    /// Makes a role.
    POST "/api/v2/roles" => create_role() [< CreateRole] -> RoleCreated;
    /// Changes a role.
    PATCH "/api/v2/roles/{id}" => change_role(id: RoleId) [< PatchRole] -> Role;
    /// Removes a role that nobody holds.
    DELETE "/api/v2/roles/{id}" => delete_role(id: RoleId) -> Empty;
    /// The identities.
    GET "/api/v2/identities/stubs" => identities() [? ListQuery] -> Results<IdentityStub>;
    /// An identity.
    GET "/api/v2/identities/{id}" => identity(id: IdentityId) -> Identity;
    /// Makes a person or an application.
    POST "/api/v2/identities" => create_identity() [< CreateIdentity] -> IdentityCreated;
    /// Changes an identity's name or roles.
    PATCH "/api/v2/identities/{id}" => change_identity(id: IdentityId) [< PatchIdentity] -> Identity;
    /// Removes an identity.
    DELETE "/api/v2/identities/{id}" => delete_identity(id: IdentityId) -> Empty;
    /// Locks an identity, which ends its sessions.
    POST "/api/v2/identities/{id}/lock" => lock_identity(id: IdentityId) [< Empty] -> Identity;
    /// Takes the lock off, and forgives wrong passwords.
    POST "/api/v2/identities/{id}/unlock" => unlock_identity(id: IdentityId) [< Empty] -> Identity;
    /// Sets an identity's password, which ends its sessions.
    POST "/api/v2/identities/{id}/password" => set_password(id: IdentityId) [< NewPassword] -> Identity;
    /// Takes an identity's second factor away, which ends its sessions.
    DELETE "/api/v2/identities/{id}/totp" => reset_totp(id: IdentityId) -> Identity;
    /// All API keys of an identity, by name.
    GET "/api/v2/identities/{id}/api-keys" => api_keys(id: IdentityId) -> ApiKeys;
    /// Makes an API key; its secret is answered this once.
    POST "/api/v2/identities/{id}/api-keys" => create_api_key(id: IdentityId) [< CreateApiKey] -> ApiKeyCreated;
    /// Changes an API key's name, end, networks or scope.
    PATCH "/api/v2/identities/{id}/api-keys/{key}" => change_api_key(id: IdentityId, key: ApiKeyId)
        [< PatchApiKey] -> ApiKey;
    /// Gives an API key a new secret; the one of before goes on for a set time.
    POST "/api/v2/identities/{id}/api-keys/{key}/rotate" => rotate_api_key(id: IdentityId, key: ApiKeyId)
        [< RotateApiKey] -> ApiKeyCreated;
    /// Deletes an API key, and ends the sessions that it began.
    DELETE "/api/v2/identities/{id}/api-keys/{key}" => delete_api_key(id: IdentityId, key: ApiKeyId) -> Empty;
    /// All passkeys of an identity, by name.
    GET "/api/v2/identities/{id}/passkeys" => passkeys(id: IdentityId) -> Passkeys;
    /// What the browser is to be asked for, so that it makes a passkey.
    POST "/api/v2/identities/{id}/passkeys/begin" => begin_passkey(id: IdentityId) [< Empty] -> PasskeyBegun;
    /// Enrols a passkey that the browser has made.
    POST "/api/v2/identities/{id}/passkeys" => enrol_passkey(id: IdentityId) [< EnrolPasskey] -> Passkey;
    /// Renames a passkey.
    PATCH "/api/v2/identities/{id}/passkeys/{passkey}" => rename_passkey(id: IdentityId, passkey: PasskeyId)
        [< PatchPasskey] -> Passkey;
    /// Deletes a passkey.
    DELETE "/api/v2/identities/{id}/passkeys/{passkey}" => delete_passkey(id: IdentityId, passkey: PasskeyId) -> Empty;
    /// Confirms a passkey, so that it signs.
    POST "/api/v2/identities/{id}/passkeys/{passkey}/confirm" => confirm_passkey(id: IdentityId, passkey: PasskeyId)
        [< ConfirmPasskey] -> Passkey;
    /// What was done and refused, the newest first.
    GET "/api/v2/audit" => audit() [? AuditQuery] -> Items<AuditRecord>;
    /// The newest checkpoint of the audit ledger, and the key that it is verified with.
    GET "/api/v2/audit/checkpoint" => audit_checkpoint() -> AuditCheckpoint;
    /// The archives of audit records that are not at hand any more, the oldest first.
    GET "/api/v2/audit/archives" => audit_archives() [? ArchiveQuery] -> Items<AuditArchive>;
    /// The targets that the audit records are shipped to.
    GET "/api/v2/audit/targets" => audit_targets() [? ListQuery] -> Results<AuditTarget>;
    /// Makes a target of the audit records.
    POST "/api/v2/audit/targets" => create_audit_target() [< CreateAuditTarget] -> AuditTarget;
    /// A target of the audit records, and how far it has them.
    GET "/api/v2/audit/targets/{id}" => audit_target(id: AuditTargetId) -> AuditTarget;
    /// Changes a target of the audit records.
    PATCH "/api/v2/audit/targets/{id}" => change_audit_target(id: AuditTargetId) [< PatchAuditTarget] -> AuditTarget;
    /// Removes a target of the audit records.
    DELETE "/api/v2/audit/targets/{id}" => delete_audit_target(id: AuditTargetId) -> Empty;
    /// Sends a target something that is no record, and tells what came back.
    POST "/api/v2/audit/targets/{id}/test" => test_audit_target(id: AuditTargetId) [< Empty] -> AuditTargetTested;
    /// Who has made or read a token, from the journal of the server that is asked.
    POST "/api/v2/audit/journal/search" => search_journal() [< SearchJournal] -> JournalCalls;
    /// Who can do what now, or could at a moment.
    GET "/api/v2/reports/access" => access() [? AccessQuery] -> AccessReport;
    /// Who would gain and lose what by a change that is not made yet, or has since a moment.
    POST "/api/v2/reports/access/effect" => access_effect() [< AccessChange] -> AccessEffect;
    /// How much all servers together have done in each hour of the last day.
    GET "/api/v2/activity" => activity() -> Activity;
    /// Who makes the call, by what right and for how long.
    GET "/api/v2/whoami" => whoami() -> WhoAmI;
    /// The installation's settings.
    GET "/api/v2/system/settings" => settings() -> Settings;
    /// Changes the installation's settings.
    PATCH "/api/v2/system/settings" => change_settings() [< PatchSettings] -> Settings;
}

impl Client {
    /// The audit records, the newest first, a line of JSON each: as many as there are, read as they come. Where the reader
    /// ends with an error, they are not whole.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn export_audit(&self, query: &AuditExportQuery) -> Result<Box<dyn Read + Send>, ClientError> {
        self.stream(&format!("/api/v2/audit/export{}", super::query_of(query)?))
    }

    /// The records of the archive that begins with this leaf of the ledger, or of the oldest one, as lines of JSON, which are read
    /// while they come.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn audit_archive(&self, first_leaf: Option<i64>) -> Result<Box<dyn Read + Send>, ClientError> {
        let query = first_leaf.map(|leaf| format!("?firstLeaf={leaf}")).unwrap_or_default();
        self.stream(&format!("/api/v2/audit/archives/download{query}"))
    }

    /// The same of a query as the interface writes it, with its question mark, or empty.
    ///
    /// # Errors
    ///
    /// [`ClientError`], as for every call.
    pub fn export_audit_of(&self, query: &str) -> Result<Box<dyn Read + Send>, ClientError> {
        self.stream(&format!("/api/v2/audit/export{query}"))
    }
}
