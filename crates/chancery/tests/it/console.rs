//! The web console: its types, its texts, and its pages in Chromium against the program under test.

use std::path::{Path, PathBuf};

use chancery_testkit::{Account, IdentityProvider, Slapd, Tool, free_port, temp_dir};

use crate::{
    process::{Demo, PROGRAM},
    relay::Relay,
};

#[test]
fn the_consoles_types_agree() {
    let _checked = Tool::new("tsc").folder(folder("console")).args(["--project", "tsconfig.json"]).run();
}

#[test]
fn the_consoles_texts_and_digests_are_right() {
    let _passed = Tool::new("node").arg("--test").arg(folder("console/test/texts.mjs")).run();
}

/// Journeys, and what pages of other origins try.
#[test]
fn the_console_passes_its_tests_in_a_browser() {
    let temporary = temp_dir();
    let relay = Relay::listen(temporary.path());
    // A provider is told beforehand where people come back to.
    let listen = format!("127.0.0.1:{}", free_port());
    let origin = format!("https://{listen}");
    let provider =
        IdentityProvider::start_for_people(temporary.path(), &format!("{origin}/home/v1/login/oidc/callback"));
    let authority = provider.authority().display().to_string();
    let of_provider = ["--public-origin", &origin, "--provider-ca", &authority, "--provider-networks", "127.0.0.1"];
    let erin = Account {
        uid: "erin",
        mail: "erin@example.org",
        password: "erin's own password",
        id: "0b5c2d3e-1111-4111-8111-0000000e3140",
    };
    let directory = Slapd::start(temporary.path(), std::slice::from_ref(&erin));
    let directory_ca = temporary.path().join("directory.pem");
    std::fs::write(&directory_ca, directory.authority()).unwrap();
    let asking = format!("127.0.0.1:{}", free_port());
    let of_certificates = ["--client-cert-listen", &asking];
    let of_relay = relay.arguments();
    let arguments = of_relay.iter().map(String::as_str).chain(of_provider).chain(of_certificates);
    let arguments = arguments.collect::<Vec<_>>();
    let demo = Demo::start_again(temporary.path(), &listen, &arguments);
    let (key, certificate) = (temporary.path().join("other.key"), temporary.path().join("other.crt"));
    // A page of another origin needs a server of its own.
    let _made = Tool::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=another origin", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .run();
    let _passed = in_browser("main.mjs", &demo, demo.text("/base"), temporary.path())
        .env("CHANCERY_ASKING", format!("https://{asking}"))
        .env("CHANCERY_MAILS", relay.folder())
        .env("CHANCERY_PROVIDER", provider.issuer())
        .env("CHANCERY_DIRECTORY", directory.ldaps())
        .env("CHANCERY_DIRECTORY_CA", &directory_ca)
        .env("CHANCERY_DIRECTORY_ID", erin.id)
        .env("CHANCERY_OTHER_KEY", &key)
        .env("CHANCERY_OTHER_CERT", &certificate)
        .run();
}

/// Every page under axe-core, and what approvers see of deceptions. Pictures of all pages are left in target/console.
#[test]
fn every_page_of_the_console_is_looked_at() {
    let temporary = temp_dir();
    let relay = Relay::listen(temporary.path());
    let arguments = relay.arguments();
    let demo = Demo::start_made(temporary.path(), &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let _passed = in_browser("looks.mjs", &demo, demo.text("/base"), temporary.path()).run();
}

/// Passkeys are for names, so this server is reached by one.
#[test]
fn passkeys_are_made_and_sign_in_a_browser() {
    let temporary = temp_dir();
    let listen = format!("127.0.0.1:{}", free_port());
    let origin = format!("https://{}", listen.replace("127.0.0.1", "localhost"));
    let demo = Demo::start_again(temporary.path(), &listen, &["--public-origin", &origin]);
    // What Chromium knows the server's own certificate by.
    let public_key = Tool::new("openssl").args(["s_client", "-connect", &listen, "-servername", "localhost"]).run();
    let public_key = Tool::new("openssl").args(["x509", "-noout", "-pubkey"]).input(public_key.stdout).run();
    let der = Tool::new("openssl").args(["pkey", "-pubin", "-outform", "DER"]).input(public_key.stdout).run();
    let digest = Tool::new("openssl").args(["dgst", "-sha256", "-binary"]).input(der.stdout).run();
    let _passed = in_browser("passkeys.mjs", &demo, &origin, temporary.path())
        .env("CHANCERY_SPKI", chancery_types::Base64::encode(&digest.stdout))
        .env("CHANCERY_FOLDER", temporary.path())
        .run();
}

/// Tests in a browser against this demonstration, which has its data in this folder.
fn in_browser(file: &str, demo: &Demo, base: &str, temporary: &Path) -> Tool {
    Tool::new("node")
        .env("CHANCERY_BASE", base)
        .env("CHANCERY_STATE", temporary.join("data/quickstart.json"))
        .env("CHANCERY_NODE_TOOLS", folder("target/tools/node"))
        .env("CHANCERY_SHOTS", folder("target/console"))
        .env("CHANCERY_PROGRAM", PROGRAM)
        .env("NODE_EXTRA_CA_CERTS", demo.text("/caFile"))
        .arg("--test")
        .arg(folder("console/test").join(file))
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
