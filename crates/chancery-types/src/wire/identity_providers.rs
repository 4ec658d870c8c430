//! Bodies under `/api/v2/identity-providers` and `/api/v2/identity-bindings`.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use super::{ObjInfo, present};
use crate::{CertificateId, IdentityBindingId, IdentityId, IdentityProviderId, JwtAlgorithm, LdapIdAttribute};

/// Somebody whose word is taken for who others are: an OpenID Connect provider whose tokens workloads exchange for ours, or by
/// which people log in, or both; or a certificate authority whose client certificates log their holders in (`authorityUuid` or
/// `authorityCertificates`); or a directory whose passwords do (`ldap`).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateIdentityProvider {
    /// Its name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// The `iss` of its tokens, letter by letter: an https address, such as
    /// `https://token.actions.githubusercontent.com`. It cannot be changed. Of a certificate authority it is the subject of its
    /// certificates, which need not be said. Of a directory it is a name that begins with `ldaps://` or `ldap://`: the address
    /// where nothing else is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "https://gitlab.example.org"))]
    pub issuer: Option<String>,
    /// Whom the tokens of workloads have to be for: one of these is among their `aud`, letter by letter. 1 to 10; none where
    /// there is a `clientId` and no workload shall exchange tokens, and of a certificate authority or a directory.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_items = 10))]
    pub audiences: Vec<String>,
    /// Which algorithms its tokens may be signed with; `RS256` and `ES256` where this is absent or empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub algorithms: Vec<JwtAlgorithm>,
    /// Its public keys, as the text of a JSON Web Key Set (RFC 7517), where the server cannot reach the provider. Without
    /// it they are fetched from where `/.well-known/openid-configuration` under the issuer says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks: Option<String>,
    /// Whether each token is taken once. `true` where this is absent; `false` is for workloads that are given a token in a
    /// file and cannot ask for another, as in Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_use: Option<bool>,
    /// As which client this installation is registered at the provider. With it, people who are bound log in by the provider;
    /// it is none of the audiences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub client_id: Option<String>,
    /// The client's secret, which is shown nowhere again. Without it the client is a public one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 1_024))]
    pub client_secret: Option<String>,
    /// Values of `acr` by which the provider says that it took a second factor. A login with one of them satisfies roles that
    /// demand one; without any, no login by this provider does. At most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 10))]
    pub second_factor_acr: Vec<String>,
    /// An authority of this installation, in the place of an OpenID Connect provider: certificates that it or an authority below
    /// it has issued here log their holders in. What is revoked or on hold here is refused at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_uuid: Option<CertificateId>,
    /// The certificates of an authority elsewhere, in the same place, PEM: one to four, all of one subject, such as an old key
    /// and a new one. Client certificates lead to one of them (RFC 5280).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_certificates: Option<String>,
    /// Its revocation lists, and those of authorities below it, PEM, 512 KiB at most. Each certificate below the authority has
    /// to be covered by one that is not over, or is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crls: Option<String>,
    /// A directory (LDAP), in the place of an OpenID Connect provider: whose password is right there and who is bound logs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap: Option<DescribeLdap>,
    /// Whether anybody is let in by it; yes where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Says which, never the client's secret.
impl fmt::Debug for CreateIdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("CreateIdentityProvider");
        shown.field("name", &self.name).field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// What shall change in a provider; members that are absent stay as they are.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchIdentityProvider {
    /// Another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// Other audiences, which replace all of the present ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_items = 10))]
    pub audiences: Option<Vec<String>>,
    /// Other algorithms, which replace all of the present ones; an empty list stands for `RS256` and `ES256`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithms: Option<Vec<JwtAlgorithm>>,
    /// Other public keys; `null` to have them fetched.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub jwks: Option<Option<String>>,
    /// Whether each token is taken once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_use: Option<bool>,
    /// Whether its tokens are taken at all. `false` ends the sessions of all identities that are bound to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Another client; the secret of the one before goes with it. `null`: nobody logs in by the provider any more.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub client_id: Option<Option<String>>,
    /// Another secret of the client; `null` for none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 1_024))]
    pub client_secret: Option<Option<String>>,
    /// Other values of `acr` that tell of a second factor, which replace all of the present ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_items = 10))]
    pub second_factor_acr: Option<Vec<String>>,
    /// Other certificates of an authority elsewhere, of the same subject, which replace all of the present ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_certificates: Option<String>,
    /// Other revocation lists, which replace all of the present ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crls: Option<String>,
    /// What shall change in a directory; members that are absent stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap: Option<DescribeLdap>,
}

/// Says a little, never the client's secret.
impl fmt::Debug for PatchIdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PatchIdentityProvider");
        shown.field("name", &self.name).field("enabled", &self.enabled).finish_non_exhaustive()
    }
}

/// Where a directory (LDAP) is, and how somebody's entry is found in it: by a name that is made of the user name (`userDn`), or
/// by a search in the name of a service account (`bindDn`, `bindPassword`, `baseDn` and `filter`). A new directory has `url`, and
/// either the one or the other.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DescribeLdap {
    /// `ldaps://HOST[:PORT]`, or `ldap://HOST[:PORT]`, where TLS begins by StartTLS and is not left out. The host is the one that
    /// the directory's certificate names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "ldaps://ldap.example.org"))]
    pub url: Option<String>,
    /// Certificates of authorities that the directory's certificate may be of, PEM, at most 20; `null` or absent for those that
    /// the server trusts (`--provider-ca`).
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub authorities: Option<Option<String>>,
    /// The distinguished name of an entry, with `{username}` in a value. Whoever logs in has to be allowed to read their own
    /// `idAttribute`. With it `bindDn`, `bindPassword`, `baseDn` and `filter` go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "uid={username},ou=people,dc=example,dc=org"))]
    pub user_dn: Option<String>,
    /// The service account that searches: its distinguished name, or what else the directory takes for it. With it `userDn` goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "cn=chancery,ou=services,dc=example,dc=org"))]
    pub bind_dn: Option<String>,
    /// The password of the service account, which is shown nowhere again. Where `url` or `bindDn` change it is said again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 1_024))]
    pub bind_password: Option<String>,
    /// Below what is searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "ou=people,dc=example,dc=org"))]
    pub base_dn: Option<String>,
    /// By what (RFC 4515), with `{username}` as a value or a part of one. Exactly one entry has to match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "(&(objectClass=person)(uid={username}))"))]
    pub filter: Option<String>,
    /// The attribute whose value is the subject that identities are bound by; `entryUUID` where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_attribute: Option<LdapIdAttribute>,
}

/// Says where, never the password.
impl fmt::Debug for DescribeLdap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DescribeLdap").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Where a directory is, and how somebody's entry is found in it. The password of the service account is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LdapServer {
    /// Its address.
    pub url: String,
    /// The authorities that its certificate may be of, PEM; absent for those that the server trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorities: Option<String>,
    /// The name of an entry, with `{username}` in it; absent where it is searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_dn: Option<String>,
    /// The service account that searches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bind_dn: Option<String>,
    /// Below what is searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_dn: Option<String>,
    /// By what, with `{username}` in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The attribute whose value is the subject.
    pub id_attribute: LdapIdAttribute,
}

/// An OpenID Connect provider, an authority of client certificates, or a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IdentityProvider {
    /// Name and id.
    pub obj_info: ObjInfo<IdentityProviderId>,
    /// The `iss` of its tokens; the subject of an authority of client certificates (RFC 4514); what a directory is called.
    pub issuer: String,
    /// Whom its tokens have to be for; none of an authority of client certificates or a directory, as with all that is about
    /// tokens.
    pub audiences: Vec<String>,
    /// Which algorithms its tokens may be signed with.
    pub algorithms: Vec<JwtAlgorithm>,
    /// Its public keys as they were given; absent where they are fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks: Option<String>,
    /// Whether each token is taken once.
    pub single_use: bool,
    /// Whether its tokens, certificates or passwords are taken at all.
    pub enabled: bool,
    /// As which client this installation is registered at it; absent where nobody logs in by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Whether there is a secret of the client; absent without a `clientId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_client_secret: Option<bool>,
    /// Values of `acr` that tell of a second factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_factor_acr: Vec<String>,
    /// The authority of this installation that it is; absent where it is another one, or no authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_uuid: Option<CertificateId>,
    /// The certificates of the authority, PEM; absent where it is an OpenID Connect provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority_certificates: Option<String>,
    /// What is known of the revocation lists that were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revocation_lists: Vec<RevocationList>,
    /// The directory; absent where it is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap: Option<LdapServer>,
    /// When it was made (RFC 3339, UTC).
    pub created_at: String,
}

/// A revocation list of an authority of client certificates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RevocationList {
    /// Who issued it.
    pub issuer: String,
    /// When it was issued (RFC 3339, UTC).
    pub this_update: String,
    /// Until when it counts (RFC 3339, UTC): from then on certificates that only it covers are refused.
    pub next_update: String,
    /// How many certificates it revokes.
    pub revoked: u32,
}

/// Whose tokens of a provider stand for an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateIdentityBinding {
    /// Its name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// The identity.
    pub identity_uuid: IdentityId,
    /// The provider.
    pub provider_uuid: IdentityProviderId,
    /// The `sub` of the tokens, letter by letter. A person who logs in by the provider is bound by it, and never by a name or
    /// an address. It may be absent where the claims name something by an id that nobody
    /// else is ever given: `repository_id`, `project_id`, `oid` or `/kubernetes.io/serviceaccount/uid`. Of client certificates it
    /// is the whole subject (RFC 4514), such as `CN=ci,O=Example`; it may be absent where claims name who it is. Of a directory it is
    /// the value of `idAttribute`, in small letters; `objectGUID` as Active Directory's tools show it, without braces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Further claims of the tokens with their values, letter by letter; numbers and `true` as JSON writes them. A name that
    /// begins with a slash is a JSON pointer into the claims. All of them have to be there. At most 20. Of client certificates
    /// they are alternative names: `dns`, `uri`, `email` and `upn`; of a directory there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schema(example = json!({"repository_id": "74", "ref": "refs/heads/main"})))]
    pub claims: BTreeMap<String, String>,
}

/// Whose tokens of a provider stand for an identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct IdentityBinding {
    /// Name and id.
    pub obj_info: ObjInfo<IdentityBindingId>,
    /// The identity.
    pub identity_uuid: IdentityId,
    /// The provider.
    pub provider_uuid: IdentityProviderId,
    /// The `sub` of the tokens, or the subject of the certificates; any where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Further claims of the tokens with their values.
    pub claims: BTreeMap<String, String>,
    /// When it was made (RFC 3339, UTC).
    pub created_at: String,
}

/// Which bindings; what is absent filters nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct IdentityBindingQuery {
    /// Page number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", param(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// A case-insensitive part of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// Those of this identity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_uuid: Option<IdentityId>,
}
