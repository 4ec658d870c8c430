//! A directory as its provider's row has it, and the subjects of its accounts.

use chancery_types::{LdapIdAttribute, wire::identity_providers::LdapServer};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::stored::BindingContent;
use crate::{Error, Result};

/// A directory by whose passwords identities log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::identity::federation) struct LdapContent {
    pub(super) url: String,
    /// PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) authorities: Option<String>,
    pub(super) id_attribute: LdapIdAttribute,
    pub(super) account: AccountContent,
}

/// How somebody's entry is found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum AccountContent {
    Named {
        user_dn: String,
    },
    Searched {
        bind_dn: String,
        /// Sealed, in base64url.
        bind_password: String,
        base_dn: String,
        filter: String,
    },
}

impl LdapContent {
    /// As the interface shows it.
    pub(in crate::identity::federation) fn shown(&self) -> LdapServer {
        let Self { url, authorities, id_attribute, account } = self.clone();
        let (user_dn, bind_dn, base_dn, filter) = match account {
            AccountContent::Named { user_dn } => (Some(user_dn), None, None, None),
            AccountContent::Searched { bind_dn, bind_password: _, base_dn, filter } => {
                (None, Some(bind_dn), Some(base_dn), Some(filter))
            }
        };
        LdapServer { url, authorities, user_dn, bind_dn, base_dn, filter, id_attribute }
    }

    /// What says whose accounts stand for whom.
    pub(in crate::identity::federation) fn without_secret(&self) -> Self {
        let mut content = self.clone();
        if let AccountContent::Searched { bind_password, .. } = &mut content.account {
            bind_password.clear();
        }
        content
    }

    /// The subject that the value of the attribute is; nothing where it is no such value.
    pub(super) fn subject(&self, value: &[u8]) -> Option<String> {
        match self.id_attribute {
            // Its first three parts are little-endian, and tools show them as numbers.
            LdapIdAttribute::ObjectGuid => Uuid::from_slice_le(value).ok().map(|id| id.to_string()),
            LdapIdAttribute::EntryUuid | LdapIdAttribute::IpaUniqueId | LdapIdAttribute::NsUniqueId => {
                self.written(std::str::from_utf8(value).ok()?)
            }
        }
    }

    /// How this subject is written.
    fn written(&self, subject: &str) -> Option<String> {
        match self.id_attribute {
            LdapIdAttribute::EntryUuid | LdapIdAttribute::IpaUniqueId | LdapIdAttribute::ObjectGuid => {
                Uuid::parse_str(subject).ok().map(|id| id.to_string())
            }
            LdapIdAttribute::NsUniqueId => {
                let parts: Vec<_> = subject.split('-').collect();
                let is_part = |part: &&str| part.len() == 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
                (parts.len() == 4 && parts.iter().all(is_part)).then(|| subject.to_ascii_lowercase())
            }
        }
    }

    /// Refuses a binding that no account of this directory could match.
    pub(in crate::identity::federation) fn check_asked(&self, asked: &BindingContent) -> Result<()> {
        let attribute = self.id_attribute;
        if !asked.claims.is_empty() {
            return Err(Error::value(
                "/claims",
                "An account of a directory has no claims; it is bound by its subject.",
            ));
        }
        let Some(subject) = &asked.subject else {
            let message = format!("An account of this directory is bound by its {attribute}.");
            return Err(Error::value("/subject", message));
        };
        match self.written(subject) {
            Some(written) if written == *subject => Ok(()),
            Some(written) => {
                Err(Error::value("/subject", format!("Letter by letter, this subject is written so: {written}.")))
            }
            None => Err(Error::value("/subject", format!("This is no {attribute} of a directory."))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn by(id_attribute: LdapIdAttribute) -> LdapContent {
        let account = AccountContent::Named { user_dn: "uid={username},dc=x".to_owned() };
        LdapContent { url: "ldaps://a".to_owned(), authorities: None, id_attribute, account }
    }

    #[test]
    fn subjects_are_written_as_tools_show_them() {
        let guid = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];
        let (text, ns) = ("00112233-4455-6677-8899-aabbccddeeff", "66446001-1dd211b2-66f1a8e5-5d1a7b7f");
        let cases: [(LdapIdAttribute, &[u8], Option<&str>); 9] = [
            (LdapIdAttribute::ObjectGuid, &guid, Some(text)),
            (LdapIdAttribute::ObjectGuid, text.as_bytes(), None),
            (LdapIdAttribute::EntryUuid, text.as_bytes(), Some(text)),
            (LdapIdAttribute::EntryUuid, b"00112233-4455-6677-8899-AABBCCDDEEFF", Some(text)),
            (LdapIdAttribute::EntryUuid, &guid, None),
            (LdapIdAttribute::EntryUuid, b"ann", None),
            (LdapIdAttribute::IpaUniqueId, b"autogenerate", None),
            (LdapIdAttribute::NsUniqueId, ns.as_bytes(), Some(ns)),
            (LdapIdAttribute::NsUniqueId, text.as_bytes(), None),
        ];
        for (attribute, value, subject) in cases {
            assert_eq!(by(attribute).subject(value).as_deref(), subject, "{attribute} {value:?}");
        }
    }

    #[test]
    fn a_binding_is_about_an_id_as_it_is_written() {
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        let field = |subject: Option<&str>, claims: &[(&str, &str)]| {
            let claims: BTreeMap<_, _> =
                claims.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let asked = BindingContent { subject: subject.map(str::to_owned), claims };
            by(LdapIdAttribute::ObjectGuid).check_asked(&asked).err().and_then(|error| error.field().map(str::to_owned))
        };
        assert_eq!(field(Some(text), &[]), None);
        for wrong in [Some("ann"), Some("{00112233-4455-6677-8899-aabbccddeeff}"), Some(&*text.to_uppercase()), None] {
            assert_eq!(field(wrong, &[]).as_deref(), Some("/subject"), "{wrong:?}");
        }
        assert_eq!(field(Some(text), &[("memberOf", "cn=a")]).as_deref(), Some("/claims"));
    }
}
