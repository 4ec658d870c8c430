//! `/api/v2/audit`.

use serde::{Deserialize, Serialize};

use crate::{
    Action, ApiKeyId, Concern, ErrorCode, IdentityBindingId, IdentityId, ObjectId, PasskeyId, RoleId, SecondFactor,
};

/// Which records; what is absent filters nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct AuditQuery {
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000. Without `page` and `pageSize` the newest 10,000 are answered.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
    /// Not before this moment (RFC 3339).
    pub from: Option<String>,
    /// Before this moment (RFC 3339).
    pub to: Option<String>,
    /// What was done or tried.
    pub action: Option<Action>,
    /// How it ended.
    pub outcome: Option<ErrorCode>,
    /// In whose name.
    pub identity_uuid: Option<IdentityId>,
    /// On which object.
    pub object_uuid: Option<ObjectId>,
    /// Written by which node.
    pub node_uuid: Option<ObjectId>,
    /// About what: the actions that have to do with it.
    pub concerns: Option<Concern>,
}

/// Which records to export; what is absent filters nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct AuditExportQuery {
    /// Not before this moment (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Before this moment (RFC 3339).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What was done or tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ErrorCode>,
    /// In whose name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity_uuid: Option<IdentityId>,
    /// On which object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_uuid: Option<ObjectId>,
    /// Written by which node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_uuid: Option<ObjectId>,
    /// About what: the actions that have to do with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concerns: Option<Concern>,
    /// With true the whole ledger, for `chancery audit verify`: all records by their numbers, each with its `leaf`, then the
    /// hashes of the leaves, the checkpoints and the key. No filter may be with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<bool>,
}

/// The newest checkpoint of the ledger, in which every record is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditCheckpoint {
    /// The signed note (c2sp.org/tlog-checkpoint): keep it elsewhere. It has the cosignatures of witnesses that there are of it yet.
    pub checkpoint: String,
    /// The key that it is verified with.
    pub key: String,
    /// Which one, from 0.
    pub number: u64,
    /// How many records it is over.
    pub records: u64,
    /// When it was made (RFC 3339).
    pub time: String,
    /// The newest one that a witness has cosigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<WitnessedCheckpoint>,
}

/// A checkpoint of the ledger that witnesses have cosigned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WitnessedCheckpoint {
    /// The signed note with their cosignatures (c2sp.org/tlog-cosignature).
    pub checkpoint: String,
    /// Which one, from 0.
    pub number: u64,
    /// How many records it is over.
    pub records: u64,
    /// When it was made (RFC 3339).
    pub time: String,
    /// The names of the witnesses.
    pub witnesses: Vec<String>,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditRecord {
    /// Its number; later records have higher ones.
    pub number: i64,
    /// When (RFC 3339, UTC, to the millisecond).
    pub time: String,
    /// The id of the request, or the host command that did it.
    pub request_id: String,
    /// The server that wrote it: one run of a process, whose `ServerStart` says more. Absent in records of a release that
    /// did not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<ObjectId>,
    /// The address that the request came from; empty for what came from none.
    pub source: String,
    /// In whose name.
    pub identities: Vec<AuditIdentity>,
    /// The account of the operating system under which a command of the host ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AuditAccount>,
    /// What was done or tried.
    pub action: Action,
    /// On which object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_uuid: Option<ObjectId>,
    /// How it ended.
    pub outcome: ErrorCode,
    /// More about it: names, counts, ids; never a value, password or token.
    pub detail: serde_json::Value,
    /// How many calls it stands for.
    pub count: i64,
}

/// An identity as a record names it. The store keeps it in this form, and finds records by its `uuid`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditIdentity {
    /// Its name at that time.
    pub name: String,
    /// Its id.
    pub uuid: IdentityId,
    /// How it proved who it is; absent where it did not, and in records of a release that did not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginWay>,
    /// The address from which it logged in, which need not be that of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its roles that counted in the session; of a session that is not complete those that it logged in with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<AuditRole>,
}

/// The way of a workload that shows a provider's token.
const TOKEN_EXCHANGE: &str = "TokenExchange";

/// The way of a person who has shown a passkey with the password.
const PASSWORD_AND_PASSKEY: &str = "Password+Passkey";

/// The way of a person whose provider says that it took what counts as a second factor.
const OIDC_WITH_SECOND_FACTOR: &str = "Oidc+Acr";

/// The way of whoever has the password of a directory, and that with a one-time code of ours.
const LDAP: &str = "Ldap";
const LDAP_AND_TOTP: &str = "Ldap+Totp";

/// The way of whoever shows a client certificate.
const CERTIFICATE: &str = "Certificate";

/// How an identity proved who it is. More ways and members may come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginWay {
    /// `Password`, `Password+Totp` (with a one-time code), `Password+Passkey`, `Oidc` (by an identity provider), `Oidc+Acr`
    /// (with what counts as a second factor there), `Ldap` (by a directory), `Ldap+Totp`, `ApiKey`, `TokenExchange` or
    /// `Certificate` (a client certificate of TLS).
    pub way: String,
    /// Which key; only with the way `ApiKey`, and not in records of a release that did not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<AuditApiKey>,
    /// Whose token or account it was; only with the ways `Oidc`, `Oidc+Acr`, `Ldap`, `Ldap+Totp` and `TokenExchange`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<AuditToken>,
    /// Which certificate; only with the way `Certificate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Box<AuditCertificate>>,
    /// Which passkey; only with the way `Password+Passkey`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<Box<AuditPasskey>>,
}

impl LoginWay {
    /// Whether it was by an API key.
    #[must_use]
    pub fn is_by_key(&self) -> bool {
        self.way == "ApiKey"
    }

    /// Name and password.
    #[must_use]
    pub fn password() -> Self {
        Self::by("Password")
    }

    /// Name, password and a one-time code.
    #[must_use]
    pub fn password_and_totp() -> Self {
        Self::by("Password+Totp")
    }

    /// Name, password and a passkey.
    #[must_use]
    pub fn password_and_passkey(passkey: AuditPasskey) -> Self {
        Self { passkey: Some(Box::new(passkey)), ..Self::by(PASSWORD_AND_PASSKEY) }
    }

    /// Whether a second factor of ours came with it, and so at that moment: a provider may have taken its own long before.
    #[must_use]
    pub fn has_own_second_factor(&self) -> bool {
        ["Password+Totp", PASSWORD_AND_PASSKEY, LDAP_AND_TOTP].contains(&self.way.as_str())
    }

    /// Whether it satisfies a role that demands this besides a password.
    #[must_use]
    pub fn satisfies(&self, demanded: SecondFactor) -> bool {
        match demanded {
            SecondFactor::None => true,
            SecondFactor::Totp => ["Password+Totp", PASSWORD_AND_PASSKEY, OIDC_WITH_SECOND_FACTOR, LDAP_AND_TOTP]
                .contains(&self.way.as_str()),
            SecondFactor::WebAuthn => self.way == PASSWORD_AND_PASSKEY,
        }
    }

    /// An API key: as a login, or as the bearer of a call.
    #[must_use]
    pub fn api_key(key: AuditApiKey) -> Self {
        Self { api_key: Some(key), ..Self::by("ApiKey") }
    }

    /// A provider's token that was exchanged for ours.
    #[must_use]
    pub fn token_exchange(token: AuditToken) -> Self {
        Self { token: Some(token), ..Self::by(TOKEN_EXCHANGE) }
    }

    /// A person whom a provider has logged in, perhaps with what counts as a second factor there.
    #[must_use]
    pub fn oidc(token: AuditToken, has_second_factor: bool) -> Self {
        let way = if has_second_factor { OIDC_WITH_SECOND_FACTOR } else { "Oidc" };
        Self { token: Some(token), ..Self::by(way) }
    }

    /// Somebody whose password a directory has taken, perhaps with a one-time code of ours.
    #[must_use]
    pub fn ldap(account: AuditToken, has_totp: bool) -> Self {
        Self { token: Some(account), ..Self::by(if has_totp { LDAP_AND_TOTP } else { LDAP }) }
    }

    /// A client certificate of the connection.
    #[must_use]
    pub fn certificate(certificate: AuditCertificate) -> Self {
        Self { certificate: Some(Box::new(certificate)), ..Self::by(CERTIFICATE) }
    }

    fn by(way: &str) -> Self {
        Self { way: way.to_owned(), api_key: None, token: None, certificate: None, passkey: None }
    }

    /// Whether it was by a provider's token that was exchanged for ours.
    #[must_use]
    pub fn is_exchanged(&self) -> bool {
        self.way == TOKEN_EXCHANGE
    }

    /// Whether a program logged in by it, in whoever's name.
    #[must_use]
    pub fn is_of_a_program(&self) -> bool {
        self.is_by_key() || self.is_exchanged()
    }
}

/// An API key as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditApiKey {
    /// Its id.
    pub uuid: ApiKeyId,
    /// Its name at that time.
    pub name: String,
    /// Which of its secrets: one more with each rotation.
    pub version: u32,
}

/// A passkey as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditPasskey {
    /// Its id.
    pub uuid: PasskeyId,
    /// Its name at that time.
    pub name: String,
}

/// A provider's token, or an account of a directory, as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last
/// member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditToken {
    /// The binding by which it stands for the identity.
    pub binding_uuid: IdentityBindingId,
    /// Who issued it.
    pub issuer: String,
    /// Its `sub`, or the account's id.
    pub subject: String,
}

/// A client certificate as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last
/// member.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditCertificate {
    /// The binding by which it stands for the identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding_uuid: Option<IdentityBindingId>,
    /// Who issued it.
    pub issuer: String,
    /// Its serial number in hexadecimal digits.
    pub serial_number: String,
    /// Its subject, or its first alternative name where it has none.
    pub subject: String,
}

/// A role as a record names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditRole {
    /// Its id.
    pub uuid: RoleId,
    /// Its name at that time.
    pub name: String,
}

/// An account of the operating system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditAccount {
    /// Its number, that of the process.
    pub uid: u32,
    /// Its name, where the host has one for the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The number with which whoever ran the command had logged in to the host, also where they are root by now; absent
    /// where the kernel does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login_uid: Option<u32>,
    /// The host's name.
    pub host: String,
}
