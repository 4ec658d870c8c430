//! What may be said of a directory.

use chancery_ldap::{Address, DistinguishedName, Filter, NotOne};
use chancery_types::{
    LdapIdAttribute,
    wire::identity_providers::{CreateIdentityProvider, DescribeLdap},
};
use chancery_verify::read_links;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    super::stored::OurSecret,
    stored::{AccountContent, LdapContent},
};
use crate::{Error, Identities, Result};

/// Characters of an issuer.
const ISSUER_MAX: usize = 255;

/// Bytes of a distinguished name, and of a password.
const NAME_MAX: usize = 1_024;
const PASSWORD_MAX: usize = 1_024;

/// Bytes of authorities, and how many they are.
const AUTHORITIES_TEXT_MAX: usize = 64 * 1_024;
const AUTHORITIES_MAX: usize = 20;

/// What is asked for of a directory, with its password sealed: what is absent stays as it is.
#[derive(Default)]
pub(in crate::identity::federation) struct LdapChange(Option<DescribeLdap>);

impl Identities {
    /// The directory that a new provider is, and what it is called; nothing where it is none.
    pub(in crate::identity::federation) fn described_ldap(
        &self,
        provider: Uuid,
        body: &CreateIdentityProvider,
    ) -> Result<Option<(String, LdapContent)>> {
        let Some(said) = body.ldap.clone() else { return Ok(None) };
        let content = self.ldap_change(provider, Some(said))?.apply(None)?;
        let issuer = body.issuer.as_ref().unwrap_or(&content.url);
        let is_one = issuer.starts_with("ldaps://") || issuer.starts_with("ldap://");
        if is_one && issuer.len() <= ISSUER_MAX && issuer.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Some((issuer.clone(), content)));
        }
        let message =
            "A directory is called by what begins with ldaps:// or ldap://, and by its address where nothing is said.";
        Err(Error::value("/issuer", message))
    }

    /// What is asked for of the directory that this provider is.
    pub(in crate::identity::federation) fn ldap_change(
        &self,
        provider: Uuid,
        said: Option<DescribeLdap>,
    ) -> Result<LdapChange> {
        let Some(mut said) = said else { return Ok(LdapChange::default()) };
        said.url.as_deref().map_or(Ok(()), |url| is_one("/ldap/url", Address::parse(url)))?;
        said.user_dn.as_deref().map_or(Ok(()), |name| is_one("/ldap/userDn", DistinguishedName::parse(name)))?;
        said.filter.as_deref().map_or(Ok(()), |filter| is_one("/ldap/filter", Filter::parse(filter)))?;
        said.bind_dn.as_deref().map_or(Ok(()), |name| check_name("/ldap/bindDn", name))?;
        said.base_dn.as_deref().map_or(Ok(()), |name| check_name("/ldap/baseDn", name))?;
        said.authorities.iter().flatten().try_for_each(|text| check_authorities(text))?;
        if let Some(password) = said.bind_password.take() {
            let password = Zeroizing::new(password);
            if password.is_empty() || password.len() > PASSWORD_MAX || password.contains('\0') {
                let message = format!("The password of a service account has 1 to {PASSWORD_MAX} bytes, and no NUL.");
                return Err(Error::value("/ldap/bindPassword", message));
            }
            said.bind_password = Some(self.seal_our_secret(OurSecret::ServiceAccount, provider, &password)?);
        }
        Ok(LdapChange(Some(said)))
    }
}

impl LdapChange {
    /// The directory with this change.
    pub(in crate::identity::federation) fn of(self, old: Option<LdapContent>) -> Result<Option<LdapContent>> {
        match (&self.0, old) {
            (None, old) => Ok(old),
            (Some(_), None) => Err(Error::value("/ldap", "This is said of a directory, and the provider is none.")),
            (Some(_), Some(old)) => self.apply(Some(old)).map(Some),
        }
    }

    fn apply(self, old: Option<LdapContent>) -> Result<LdapContent> {
        let said = self.0.unwrap_or_default();
        let old_url = old.as_ref().map(|old| old.url.clone());
        let (old_authorities, old_attribute, old_account) = match old {
            Some(old) => (old.authorities, Some(old.id_attribute), Some(old.account)),
            None => (None, None, None),
        };
        let url = said.url.clone().or_else(|| old_url.clone()).ok_or_else(|| needed("/ldap/url"))?;
        let is_elsewhere = old_url.is_some_and(|old| old != url);
        Ok(LdapContent {
            authorities: said.authorities.clone().unwrap_or(old_authorities),
            id_attribute: said.id_attribute.or(old_attribute).unwrap_or(LdapIdAttribute::EntryUuid),
            account: account(said, old_account, is_elsewhere)?,
            url,
        })
    }
}

/// How an entry is found from now on.
fn account(said: DescribeLdap, old: Option<AccountContent>, is_elsewhere: bool) -> Result<AccountContent> {
    let DescribeLdap { user_dn, bind_dn, bind_password, base_dn, filter, .. } = said;
    let searches = [
        ("/ldap/bindDn", bind_dn.is_some()),
        ("/ldap/bindPassword", bind_password.is_some()),
        ("/ldap/baseDn", base_dn.is_some()),
        ("/ldap/filter", filter.is_some()),
    ];
    let said_of_search = searches.iter().find(|(_, is_said)| *is_said).map(|(field, _)| *field);
    match (user_dn, said_of_search, old) {
        (Some(_), Some(field), _) => {
            Err(Error::value(field, "An entry is named by userDn, or searched for by the other four: one of both."))
        }
        (Some(user_dn), None, _) => Ok(AccountContent::Named { user_dn }),
        (None, None, Some(old @ AccountContent::Named { .. })) => Ok(old),
        (None, None, None) => Err(needed("/ldap/userDn")),
        (None, _, Some(AccountContent::Searched { bind_dn: by, bind_password: kept, base_dn: base, filter: old })) => {
            let bind_dn = bind_dn.unwrap_or_else(|| by.clone());
            let bind_password = match bind_password {
                Some(password) => password,
                // A password is told to the directory that it is of, and to no other.
                None if is_elsewhere || bind_dn != by => return Err(needed("/ldap/bindPassword")),
                None => kept,
            };
            let (base_dn, filter) = (base_dn.unwrap_or(base), filter.unwrap_or(old));
            Ok(AccountContent::Searched { bind_dn, bind_password, base_dn, filter })
        }
        (None, Some(_), None | Some(AccountContent::Named { .. })) => Ok(AccountContent::Searched {
            bind_dn: bind_dn.ok_or_else(|| needed("/ldap/bindDn"))?,
            bind_password: bind_password.ok_or_else(|| needed("/ldap/bindPassword"))?,
            base_dn: base_dn.ok_or_else(|| needed("/ldap/baseDn"))?,
            filter: filter.ok_or_else(|| needed("/ldap/filter"))?,
        }),
    }
}

fn needed(field: &'static str) -> Error {
    let message = "A directory has a url, and userDn or all of bindDn, bindPassword, baseDn and filter; with another url or bindDn \
                   the password is said again.";
    Error::value(field, message)
}

fn is_one<T>(field: &'static str, read: Result<T, NotOne>) -> Result<()> {
    read.map(drop).map_err(|why| Error::value(field, format!("This cannot be used: {why}.")))
}

fn check_name(field: &'static str, name: &str) -> Result<()> {
    if !name.is_empty() && name.len() <= NAME_MAX && !name.chars().any(char::is_control) {
        return Ok(());
    }
    Err(Error::value(field, format!("A distinguished name has 1 to {NAME_MAX} bytes, without line feeds.")))
}

fn check_authorities(text: &str) -> Result<()> {
    let field = "/ldap/authorities";
    if text.len() > AUTHORITIES_TEXT_MAX {
        return Err(Error::too_large(field, format!("Authorities have at most {AUTHORITIES_TEXT_MAX} bytes.")));
    }
    let wrong = |message: String| Error::value(field, message);
    let links = read_links(text.as_bytes()).map_err(|_| wrong("These are no certificates in PEM.".to_owned()))?;
    if links.len() > AUTHORITIES_MAX {
        return Err(wrong(format!("A directory has at most {AUTHORITIES_MAX} authorities.")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(said: DescribeLdap, old: Option<LdapContent>) -> Result<LdapContent> {
        LdapChange(Some(said)).apply(old)
    }

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn searched() -> DescribeLdap {
        DescribeLdap {
            url: text("ldaps://a"),
            bind_dn: text("cn=kms"),
            bind_password: text("sealed"),
            base_dn: text("dc=x"),
            filter: text("(uid={username})"),
            ..DescribeLdap::default()
        }
    }

    #[test]
    fn a_directory_is_searched_or_its_entries_are_named() {
        let made = change(searched(), None).unwrap();
        assert_eq!(made.id_attribute, LdapIdAttribute::EntryUuid);
        let named = DescribeLdap { url: text("ldaps://a"), user_dn: text("uid={username}"), ..DescribeLdap::default() };
        change(named.clone(), None).unwrap();
        for (said, field) in [
            (DescribeLdap { url: None, ..searched() }, "/ldap/url"),
            (DescribeLdap { bind_dn: None, ..searched() }, "/ldap/bindDn"),
            (DescribeLdap { bind_password: None, ..searched() }, "/ldap/bindPassword"),
            (DescribeLdap { base_dn: None, ..searched() }, "/ldap/baseDn"),
            (DescribeLdap { filter: None, ..searched() }, "/ldap/filter"),
            (DescribeLdap { url: text("ldaps://a"), ..DescribeLdap::default() }, "/ldap/userDn"),
            (DescribeLdap { filter: text("(uid={username})"), ..named.clone() }, "/ldap/filter"),
        ] {
            assert_eq!(change(said, None).unwrap_err().field(), Some(field));
        }
        let to_named = DescribeLdap { user_dn: text("uid={username}"), ..DescribeLdap::default() };
        let account = change(to_named, Some(made)).unwrap().account;
        assert_eq!(account, AccountContent::Named { user_dn: "uid={username}".to_owned() });
    }

    #[test]
    fn a_password_is_told_to_no_other_directory() {
        let made = || Some(change(searched(), None).unwrap());
        let elsewhere = DescribeLdap { url: text("ldaps://b"), ..DescribeLdap::default() };
        let other = DescribeLdap { bind_dn: text("cn=other"), ..DescribeLdap::default() };
        for said in [elsewhere, other] {
            assert_eq!(change(said.clone(), made()).unwrap_err().field(), Some("/ldap/bindPassword"));
            change(DescribeLdap { bind_password: text("again"), ..said }, made()).unwrap();
        }
        let narrower = DescribeLdap { base_dn: text("ou=y,dc=x"), ..DescribeLdap::default() };
        let AccountContent::Searched { bind_password, base_dn, .. } = change(narrower, made()).unwrap().account else {
            panic!()
        };
        assert_eq!((bind_password.as_str(), base_dn.as_str()), ("sealed", "ou=y,dc=x"));
        assert_eq!(change(DescribeLdap::default(), made()).unwrap(), made().unwrap());
    }
}
