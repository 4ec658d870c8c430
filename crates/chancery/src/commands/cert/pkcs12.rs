//! PKCS#12 files: a key and its certificates under a password (PBES2 with AES-256, MAC with SHA-256), which OpenSSL 3 and
//! Java read as they are.

use std::{io::Write as _, path::Path};

use chancery_client::{Destination, Readers};
use chancery_verify::read_certificates;
use p12_keystore::{Certificate, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain};
use rcgen::{KeyPair, PublicKeyData as _};

use crate::{
    cli::cert::Pkcs12Options,
    client::exit::{Exit, told_with, usage},
    destination,
    failure::{Failure, While as _, describe},
    output, password_input,
    shown::Shown,
};

/// What the key is called in the file where its certificate's subject cannot be its name.
const NAMELESS: &str = "certificate";

/// The last character that names in these files may have.
const NAME_MAX: char = '\u{ffff}';

/// The place of the file, which has to be one, for it holds a secret.
pub(super) fn refuse_place(options: &Pkcs12Options) -> Result<Option<Destination>, Failure> {
    let Some(path) = &options.p12 else { return Ok(None) };
    let place = destination::place("--p12", path)?;
    if matches!(place, Destination::Replaced(_)) {
        return Ok(Some(place));
    }
    Err(usage(format!("--p12 {}: a file is expected", path.display())))
}

/// Its password: asked for before anything is asked of a server.
pub(super) fn password(options: &Pkcs12Options) -> Result<Option<String>, Failure> {
    let Some(path) = &options.p12 else { return Ok(None) };
    let of = path.display().to_string();
    let given = password_input::password(&of, options.p12_password_file.as_deref(), "CHANCERY_P12_PASSWORD");
    let given = given.map_err(|failure| {
        let next = "--p12-password-file FILE, or CHANCERY_P12_PASSWORD; never an argument, which everybody can read.";
        told_with(Exit::Usage, format!("--p12: {}", describe(failure.as_ref())), next)
    })?;
    if given.is_empty() {
        return Err(usage(format!("--p12 {of}: the password is empty")));
    }
    // Its MAC is over a BMPString (RFC 7292, appendix B.1).
    if given.chars().any(|character| character > '\u{ffff}') {
        return Err(usage(format!(
            "--p12 {of}: the password has a character above U+FFFF, which PKCS#12 does not have"
        )));
    }
    // Java takes ASCII alone for the keys of PBES2; everybody else takes UTF-8.
    if !given.is_ascii() {
        output::note(format_args!(
            "chancery: --p12 {}: Java will not read it: its password has characters that are not ASCII",
            Shown(&of)
        ));
    }
    Ok(Some(given))
}

/// The file. `chain` is PEM, the key's own certificate first.
pub(super) fn made(key: &KeyPair, chain: &[u8], password: &str) -> Result<Vec<u8>, Failure> {
    let certificates = read_certificates(chain)?;
    let certificates = certificates.iter().map(|der| Certificate::from_der(der)).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.doing("the certificates for PKCS#12")?;
    let subject = certificates.first().map(Certificate::subject).unwrap_or_default();
    let is_name = !subject.is_empty() && subject.chars().all(|character| character <= NAME_MAX);
    let name = if is_name { subject.to_owned() } else { NAMELESS.to_owned() };
    let private = PrivateKey::from_der(key.serialized_der()).doing("the key for PKCS#12")?;
    // It ties the key to its certificate; what it is does not matter.
    let id = key.subject_public_key_info();
    let mut store = KeyStore::new();
    store.add_entry(&name, KeyStoreEntry::PrivateKeyChain(PrivateKeyChain::new(id, private, certificates)));
    store.writer(password).write().doing("writing PKCS#12")
}

/// Writes it for its owner alone; a link stays, and what it leads to is replaced.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let written =
        Destination::find(path).and_then(|place| place.fill_for(Readers::Owner, |file| file.write_all(content)));
    written.doing(format!("--p12 {}", path.display()))
}
