//! The certificate of the server's own TLS socket, where none is given.

use std::sync::Arc;

use chancery_keys::{Input, KeySpec, TransportKey, random};
use chancery_types::Curve;
use der::pem::{LineEnding, encode_string};
use zeroize::Zeroizing;

use super::{
    alt_name::AltName,
    cert_profile::{self, CertProfile},
    certificate::{Draft, Issuer, Serial, assemble, to_be_signed},
    dn::DistinguishedName,
    order::scheme,
    stored_certificate::pem,
    validity::{Period, Validity},
};
use crate::{Error, Result};

/// How long both certificates last. Clients pin the authority, so replacing it is work for people; and nobody but this
/// server's own clients trusts it.
const YEARS: i64 = 10;

/// What a TLS socket of our own making presents, and what its clients trust.
pub struct TransportIdentity {
    /// The root that clients trust. Its key signed the one certificate below and was forgotten: it can never vouch for
    /// anything else.
    pub authority_pem: String,
    /// The socket's certificate.
    pub certificate_pem: String,
    /// The socket's private key, PKCS#8.
    pub key_pem: Zeroizing<String>,
}

/// Makes a new root and below it a certificate for these names: host names and IP addresses.
///
/// InvalidValue for a name that is neither.
pub fn new_transport_identity(names: &[String], now_ms: i64) -> Result<TransportIdentity> {
    let alt_names = names.iter().map(|name| alt_name(name)).collect::<Result<Vec<_>>>()?;
    let validity = Validity::starting(now_ms, Period::years(YEARS)).map_err(Error::internal)?;
    let (authority_key, socket_key) = (new_key()?, new_key()?);
    let authority = Certificate {
        profile: profile("Root Certificate Authority")?,
        subject: "Chancery transport authority",
        alt_names: &[],
        issuer: None,
    };
    let authority_der = authority.issue(&authority_key, &authority_key, validity)?;
    let issuer = Issuer::from_der(&authority_der).map_err(Error::internal)?;
    let socket = Certificate {
        profile: profile("TLS Server")?,
        subject: "Chancery",
        alt_names: &alt_names,
        issuer: Some(&issuer),
    };
    let socket_der = socket.issue(&socket_key, &authority_key, validity)?;
    let pkcs8 = socket_key.into_pkcs8();
    let key_pem = encode_string("PRIVATE KEY", LineEnding::LF, pkcs8.expose()).map_err(Error::internal)?;
    Ok(TransportIdentity {
        authority_pem: pem(&authority_der)?,
        certificate_pem: pem(&socket_der)?,
        key_pem: Zeroizing::new(key_pem),
    })
}

struct Certificate<'a> {
    profile: Arc<CertProfile>,
    subject: &'static str,
    alt_names: &'a [AltName],
    issuer: Option<&'a Issuer>,
}

impl Certificate<'_> {
    fn issue(&self, subject: &TransportKey, signer: &TransportKey, validity: Validity) -> Result<Vec<u8>> {
        let scheme = scheme(KeySpec::Ec(Curve::P256), None)?;
        let algorithm = scheme.algorithm_identifier();
        let name = DistinguishedName::common(self.subject).map_err(Error::internal)?;
        let draft = Draft {
            profile: &self.profile,
            serial: Serial::from_random(random()),
            subject: &name,
            public_key: subject.signing_key().public_key_spki(),
            validity,
            alt_names: self.alt_names,
            issuer: self.issuer,
            addresses: None,
            algorithm: &algorithm,
        };
        let to_be_signed = to_be_signed(&draft).map_err(Error::internal)?;
        let signature = signer.signing_key().sign(scheme, Input::Message(&to_be_signed)).map_err(Error::internal)?;
        assemble(&to_be_signed, algorithm, &signature).map_err(Error::internal)
    }
}

fn new_key() -> Result<TransportKey> {
    TransportKey::generate().map_err(Error::internal)
}

fn profile(name: &str) -> Result<Arc<CertProfile>> {
    let found = cert_profile::BUILT_IN.iter().find(|profile| profile.name == name);
    found.map(Arc::clone).ok_or_else(|| Error::internal(format!("there is no profile {name}")))
}

fn alt_name(name: &str) -> Result<AltName> {
    AltName::host(name).ok_or_else(|| Error::value("", format!("{name} is neither a host name nor an IP address.")))
}

#[cfg(test)]
mod tests {
    use chancery_testkit::{Tool, temp_dir};

    use super::*;

    #[test]
    fn openssl_follows_the_chain_by_key_identifiers() {
        let names = ["127.0.0.1", "::1", "localhost", "kms.example"].map(str::to_owned);
        let now_ms = crate::Clock::System.now_ms();
        let identity = new_transport_identity(&names, now_ms).unwrap();
        let folder = temp_dir();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("ca.pem", &identity.authority_pem);
        write("tls.pem", &identity.certificate_pem);
        let openssl = |arguments: &[&str]| Tool::new("openssl").args(arguments).folder(folder.path()).run().text();
        for host in
            ["-verify_ip 127.0.0.1", "-verify_ip ::1", "-verify_hostname localhost", "-verify_hostname kms.example"]
        {
            let (option, value) = host.split_once(' ').unwrap();
            let strict =
                ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", "ca.pem", option, value, "tls.pem"];
            assert_eq!(openssl(&strict), "tls.pem: OK\n", "{host}");
        }
        let text = openssl(&["x509", "-in", "tls.pem", "-noout", "-text"]);
        assert!(text.contains("Authority Key Identifier"), "{text}");
        assert!(text.contains("TLS Web Server Authentication") && !text.contains("CA:TRUE"), "{text}");
    }

    #[test]
    fn what_is_no_host_is_refused() {
        let refusal = new_transport_identity(&["no host".to_owned()], 0).err().unwrap();
        assert_eq!(refusal.message(), "no host is neither a host name nor an IP address.");
    }
}
