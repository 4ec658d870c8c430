//! The certificates of the nodes' own TLS sockets, where none are given, and the authority that makes them: one of the
//! installation, so that whoever trusts one node trusts all of them, and also one that a backup was restored to.

use std::sync::Arc;

use chancery_keys::{KeyRef, KeySpec, OwnKey, Purpose, SealedKey, TransportKey, random};
use chancery_store::{Tx, tables};
use chancery_types::{Curve, KeyId};
use der::{
    Decode, Encode,
    pem::{LineEnding, encode_string},
};
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
use crate::{
    Error, Host, Pki, Result,
    context::storage::{Background, Evidence, MayRead},
    custody::{Message, Signer},
};

/// How long the authority lasts. Clients pin it, so replacing it is work for people; and nobody but the servers' own
/// clients trusts it.
const AUTHORITY_YEARS: i64 = 20;

/// How long a socket's certificate lasts, within its authority's time.
const YEARS: i64 = 10;

const SPEC: KeySpec = KeySpec::Ec(Curve::P256);

/// What a TLS socket of our own making presents, and what its clients trust.
pub struct TransportIdentity {
    /// The root that clients trust.
    pub authority_pem: String,
    /// The socket's certificate.
    pub certificate_pem: String,
    /// The socket's private key, PKCS#8.
    pub key_pem: Zeroizing<String>,
}

/// Makes what a node's own TLS socket presents. Made only here.
pub(crate) struct MakingTransport(());

impl Evidence for MakingTransport {}
impl MayRead for MakingTransport {}
impl Background for MakingTransport {}

/// The authority, ready to issue.
struct Authority {
    certificate: Vec<u8>,
    signer: Signer,
}

impl Pki {
    /// Makes a certificate for these names, host names and IP addresses, below the installation's transport authority,
    /// which is made where there is none.
    ///
    /// InvalidValue for a name that is neither; InvalidState where the authority has ended.
    pub async fn transport_identity(&self, _host: &Host, names: &[String]) -> Result<TransportIdentity> {
        let alt_names = names.iter().map(|name| alt_name(name)).collect::<Result<Vec<_>>>()?;
        let authority = self.transport_authority().await?;
        let issuer = Issuer::from_der(&authority.certificate).map_err(Error::internal)?;
        let wanted = Validity::starting(self.context.clock.now_ms(), Period::years(YEARS)).map_err(Error::internal)?;
        let (begin, end) = (wanted.not_before_s(), wanted.not_after_s().min(issuer.validity.not_after_s()));
        if end <= begin {
            return Err(Error::state("The installation's TLS authority has ended; give the server a certificate."));
        }
        let socket_key = TransportKey::generate().map_err(Error::internal)?;
        let socket = Certificate {
            profile: profile("TLS Server")?,
            subject: "Chancery",
            alt_names: &alt_names,
            issuer: Some(&issuer),
        };
        let public_key = socket_key.signing_key().public_key_spki();
        let certificate = socket.issue(public_key, &authority.signer, Validity::between(begin, end)).await?;
        let pkcs8 = socket_key.into_pkcs8();
        let key_pem = encode_string("PRIVATE KEY", LineEnding::LF, pkcs8.expose()).map_err(Error::internal)?;
        Ok(TransportIdentity {
            authority_pem: pem(&authority.certificate)?,
            certificate_pem: pem(&certificate)?,
            key_pem: Zeroizing::new(key_pem),
        })
    }

    /// The installation's authority; of two nodes that make one at once, both get the first one's.
    async fn transport_authority(&self) -> Result<Authority> {
        let task = MakingTransport(());
        if let Some(row) = self.context.storage.read(&task, |tx| Box::pin(read(tx))).await? {
            return self.opened_authority(row);
        }
        let new = self.new_authority().await?;
        let write = self.context.storage.background(&task, move |tx| {
            Box::pin(async move {
                tables::transport_authorities::insert_if_absent(tx, &new).await?;
                read(tx).await
            })
        });
        let row = write.await?.ok_or_else(|| Error::internal("the authority that was stored is not there"))?;
        self.opened_authority(row)
    }

    async fn new_authority(&self) -> Result<tables::transport_authorities::Row> {
        let id = KeyId::from_random(random());
        let made = self.context.custodian.generate(reference(id)).map_err(Error::internal)?;
        let signer = self.context.custody.own_signer(&made.sealed, OwnKey::Transport)?;
        let validity = Validity::starting(self.context.clock.now_ms(), Period::years(AUTHORITY_YEARS));
        let authority = Certificate {
            profile: profile("Root Certificate Authority")?,
            subject: "Chancery transport authority",
            alt_names: &[],
            issuer: None,
        };
        let certificate = authority.issue(signer.public_key(), &signer, validity.map_err(Error::internal)?).await?;
        Ok(tables::transport_authorities::Row {
            certificate,
            key_id: id.into(),
            sealed: made.sealed.as_bytes().to_vec(),
        })
    }

    fn opened_authority(&self, row: tables::transport_authorities::Row) -> Result<Authority> {
        let sealed = SealedKey::from_parts(reference(row.key_id.into()), row.sealed);
        let signer = self.context.custody.own_signer(&sealed, OwnKey::Transport)?;
        // Whoever writes the database has no certificate of their own handed to clients.
        if public_key(&row.certificate).map_err(Error::internal)? != signer.public_key() {
            return Err(Error::internal("the TLS authority's stored certificate is not for its key"));
        }
        Ok(Authority { certificate: row.certificate, signer })
    }
}

async fn read(tx: &mut Tx) -> Result<Option<tables::transport_authorities::Row>> {
    Ok(tables::transport_authorities::read(tx).await?)
}

fn public_key(certificate: &[u8]) -> der::Result<Vec<u8>> {
    x509_cert::Certificate::from_der(certificate)?.tbs_certificate().subject_public_key_info().to_der()
}

const fn reference(id: KeyId) -> KeyRef {
    KeyRef { id, version: 1, purpose: Purpose::Transport, spec: SPEC }
}

struct Certificate<'a> {
    profile: Arc<CertProfile>,
    subject: &'static str,
    alt_names: &'a [AltName],
    issuer: Option<&'a Issuer>,
}

impl Certificate<'_> {
    async fn issue(&self, public_key: &[u8], signer: &Signer, validity: Validity) -> Result<Vec<u8>> {
        let scheme = scheme(SPEC, None)?;
        let algorithm = scheme.algorithm_identifier();
        let name = DistinguishedName::common(self.subject).map_err(Error::internal)?;
        let draft = Draft {
            profile: &self.profile,
            serial: Serial::from_random(random()),
            subject: &name,
            public_key,
            validity,
            alt_names: self.alt_names,
            issuer: self.issuer,
            addresses: None,
            algorithm: &algorithm,
        };
        let bytes = to_be_signed(&draft).map_err(Error::internal)?;
        let (signed, signature) = signer.sign(Message { scheme, bytes }).await?;
        assemble(&signed.bytes, algorithm, &signature).map_err(Error::internal)
    }
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
    use crate::testing::Installation;

    const HOST: Host = Host::running("test");

    #[tokio::test]
    async fn openssl_follows_the_chain_by_key_identifiers() {
        let names = ["127.0.0.1", "::1", "localhost", "kms.example"].map(str::to_owned);
        let installation = Installation::new().await;
        let identity = installation.chancery.pki.transport_identity(&HOST, &names).await.unwrap();
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

    #[tokio::test]
    async fn what_is_no_host_is_refused() {
        let installation = Installation::new().await;
        let refused = installation.chancery.pki.transport_identity(&HOST, &["no host".to_owned()]).await;
        assert_eq!(refused.err().unwrap().message(), "no host is neither a host name nor an IP address.");
    }

    #[tokio::test]
    async fn nodes_have_one_authority_also_where_they_begin_at_once() {
        let installation = Installation::new().await;
        let other = installation.other_node().await;
        let names = ["localhost".to_owned()];
        let made = [&installation.chancery, &other].map(|node| node.pki.transport_identity(&HOST, &names));
        let [one, two] = futures::future::join_all(made).await.try_into().ok().unwrap();
        let (one, two) = (one.unwrap(), two.unwrap());
        assert_eq!(one.authority_pem, two.authority_pem);
        assert_ne!(one.certificate_pem, two.certificate_pem);
        let third = other.pki.transport_identity(&HOST, &names).await.unwrap();
        assert_eq!(third.authority_pem, one.authority_pem);
    }

    #[tokio::test]
    async fn a_certificate_ends_with_its_authority_and_none_is_made_later() {
        const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1_000;
        let installation = Installation::new().await;
        let names = ["localhost".to_owned()];
        let chancery = &installation.chancery;
        let authority = chancery.pki.transport_identity(&HOST, &names).await.unwrap().authority_pem;
        installation.clock.advance_ms(15 * YEAR_MS);
        let later = chancery.pki.transport_identity(&HOST, &names).await.unwrap();
        let end = |pem: &str| {
            let words = ["x509", "-noout", "-enddate"];
            Tool::new("openssl").args(words).input(pem.as_bytes().to_vec()).run().text()
        };
        assert_eq!((&later.authority_pem, end(&later.certificate_pem)), (&authority, end(&authority)));
        installation.clock.advance_ms(6 * YEAR_MS);
        let refused = chancery.pki.transport_identity(&HOST, &names).await.err().unwrap();
        assert_eq!(refused.meaning(), crate::Meaning::State);
    }
}
