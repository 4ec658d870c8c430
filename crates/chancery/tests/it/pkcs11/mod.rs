//! The PKCS#11 module, by programs that we did not write and by a caller in C.

// So that cargo builds the module: it lies beside the tests then.
use chancery_pkcs11 as _;

mod approvals;
mod calls;
mod tools;

use std::path::PathBuf;

use crate::client::place::{Place, Said};

/// A demonstration with services whose keys a program may use, and an application that is let in by its key.
struct Setting {
    place: Place,
    api_key: String,
    application: String,
}

impl Setting {
    fn new() -> Self {
        let place = Place::logged_in();
        place.sh("chancery role create --name Signers --logins-required 1 --perm Signing:Submit").done();
        let made = place.json("chancery identity create --name build --kind Application --role Signers");
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        let setting = Self { api_key: text("apiKey"), application: text("uuid"), place };
        setting.place.write("build.key", format!("{}\n", setting.api_key));
        setting.place.write("pin.toml", format!("server = \"{}\"\nca = \"ca.pem\"\n", setting.place.base()));
        setting.place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
        setting
    }

    fn service(&self, name: &str, key_type: &str, hash: &str, rest: &str) {
        let line = format!(
            "chancery service create --issuer 'Chancery Demo Root' --validity 1y --format Raw --name {name} \
             --subject CN={name} --key-type '{key_type} Signing' --hash {hash} {rest}"
        );
        self.place.sh(&line).done();
    }

    /// A line in a shell, with the module configured by this file.
    fn sh(&self, config: &str, line: &str) -> Said {
        let (folder, module) = (self.place.folder().display(), module().display().to_string());
        self.place.sh(&format!("export CHANCERY_PKCS11_CONFIG='{folder}/{config}' MODULE='{module}'; {line}"))
    }

    /// The caller in C, compiled with the header of p11-kit.
    fn compile_caller(&self) {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/pkcs11/caller.c");
        self.place.sh(&format!("cc -Wall -Werror -I/usr/include/p11-kit-1 -o caller '{source}' -ldl -lpthread")).done();
    }

    /// The caller that knows 3.0, compiled with the header of NSS.
    fn compile_interfaces(&self) {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/pkcs11/interfaces.c");
        let folders = "-I/usr/include/nss -I/usr/include/nspr";
        self.place.sh(&format!("cc -Wall -Werror {folders} -o interfaces '{source}' -ldl")).done();
    }

    /// How many of these lines are signatures of the service's key, for Python's cryptography.
    fn verified(&self, service: &str, lines: &str) -> usize {
        let certificate = self.place.json(&format!("chancery service show {service}"))["certificateUuid"].clone();
        let id = certificate.as_str().unwrap();
        self.place.sh(&format!("chancery cert download {id} --out {service}.pem")).done();
        self.place.write("lines", lines);
        self.place.write("verify.py", VERIFY);
        let python = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/bin/python");
        let said = self.place.sh(&format!("'{python}' verify.py {service}.pem < lines")).done();
        said.trim().parse().unwrap()
    }

    /// Requests that were made through the module by the caller, in this state.
    fn requests(&self, state: &str) -> u64 {
        let all = self.place.json(&format!("chancery request list --search 'PKCS#11 caller' --state {state}"));
        all["total"].as_u64().unwrap()
    }
}

/// Of lines with a message and r and s, in hexadecimal digits.
const VERIFY: &str = "\
import sys
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

key = x509.load_pem_x509_certificate(open(sys.argv[1], 'rb').read()).public_key()
count = 0
for line in sys.stdin:
    message, signature = (bytes.fromhex(part) for part in line.split())
    r, s = (int.from_bytes(part, 'big') for part in (signature[:32], signature[32:]))
    key.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
    count += 1
print(count)
";

/// The module under test.
pub(crate) fn module() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libchancery_pkcs11.so")
}
