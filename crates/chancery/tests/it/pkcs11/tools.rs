//! docs/PKCS11.md, command by command, and what it says without one.

use std::fs;

use super::{Setting, module};

const DOCUMENT: &str = include_str!("../../../../../docs/PKCS11.md");

const OPENSSL_35: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bin/openssl35");

/// The blocks of this language.
fn blocks(language: &str) -> Vec<&'static str> {
    let parts = DOCUMENT.split("```").skip(1).step_by(2);
    parts.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[test]
fn every_command_of_the_document_works() {
    let setting = Setting::new();
    setting.service("releases", "RSA 3072", "Sha2_256", "--num-approvals 0");
    setting.service("firmware", "EC P-256", "Sha2_256", "--num-approvals 0");
    let config = blocks("toml").concat().replace("https://keys.example.org:8443", &setting.place.base());
    setting.place.write("pkcs11.toml", config);
    setting.place.write("app.bin", "an application");
    setting.place.write("app.exe", program());
    // What apksigner wants to be there, at the least: the beginning of a binary XML.
    setting.place.write("AndroidManifest.xml", [3, 0, 8, 0, 8, 0, 0, 0]);
    let archives = "jar --create --file app.jar app.bin && \
                    jar --create --no-manifest --file app.apk AndroidManifest.xml app.bin";
    setting.place.sh(archives).done();

    // What only OpenSSL 3.5 does has a language of its own, and goes to the end.
    let newer = blocks("bash").concat().replace("openssl dgst", &format!("'{OPENSSL_35}' dgst"));
    let script = blocks("sh").concat().replace("/usr/local/lib/libchancery_pkcs11.so", module().to_str().unwrap());
    let said = setting.place.sh(&format!("set -ex\n{script}{newer}")).done();
    let jar = fs::read_to_string(setting.place.path("sun.cfg")).unwrap();
    assert!(said.contains("jar verified.") && jar.contains("slotListIndex"), "{said}");
    assert_eq!(said.matches("Verified OK").count(), 3, "{said}");

    kinds_of_keys(&setting);
    hashes_and_profiles(&setting);
}

/// A program for Windows that comes with the tests' Python.
fn program() -> Vec<u8> {
    let venv = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/venv/lib");
    let python = fs::read_dir(venv).unwrap().flatten().next().unwrap().path();
    fs::read(python.join("site-packages/pip/_vendor/distlib/w64.exe")).unwrap()
}

/// The mechanisms that the document has no command for, with the API key as the PIN.
fn kinds_of_keys(setting: &Setting) {
    setting.place.write("pss.json", r#"{"pkisigning": {"rsaPss": true}}"#);
    setting.service("pss", "RSA 3072", "Sha2_256", "--num-approvals 0 --file pss.json");
    setting.service("p384", "EC P-384", "Sha2_384", "--num-approvals 0");
    setting.service("p521", "EC P-521", "Sha2_512", "--num-approvals 0");
    setting.service("ed25519", "Ed25519", "Sha2_512", "--num-approvals 0");
    setting.place.sh("openssl dgst -sha256 -binary app.bin > app.sha256").done();
    setting.place.sh("head -c 3000000 /dev/urandom > big.bin").done();
    let digest_info =
        "printf '\\060\\061\\060\\015\\006\\011\\140\\206\\110\\001\\145\\003\\004\\002\\001\\005\\000\\004\\040'";
    setting.place.sh(&format!("({digest_info}; cat app.sha256) > app.info")).done();
    let pss = "-sha256 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32";
    for (service, mechanism, input, verify) in [
        ("releases", "RSA-PKCS", "app.info", "dgst -sha256 -verify K -signature S app.bin"),
        ("releases", "SHA256-RSA-PKCS", "big.bin", "dgst -sha256 -verify K -signature S big.bin"),
        ("pss", "SHA256-RSA-PKCS-PSS", "app.bin", &format!("dgst {pss} -verify K -signature S app.bin")),
        (
            "pss",
            "RSA-PKCS-PSS --hash-algorithm SHA256 --mgf MGF1-SHA256 --salt-len 32",
            "app.sha256",
            &format!("dgst {pss} -verify K -signature S app.bin"),
        ),
        ("firmware", "ECDSA --signature-format openssl", "app.sha256", "dgst -sha256 -verify K -signature S app.bin"),
        ("p384", "ECDSA-SHA384 --signature-format openssl", "big.bin", "dgst -sha384 -verify K -signature S big.bin"),
        ("p521", "ECDSA-SHA512 --signature-format openssl", "app.bin", "dgst -sha512 -verify K -signature S app.bin"),
        ("ed25519", "EDDSA", "big.bin", "pkeyutl -verify -rawin -pubin -inkey K -sigfile S -in big.bin"),
    ] {
        let key = format!("{service}.pub");
        let fetch = format!(
            "chancery cert download {service} --out {service}.crt && openssl x509 -in {service}.crt -pubkey -noout > {key}"
        );
        setting.place.sh(&fetch).done();
        pkcs11_tool(setting, service, mechanism, input).done();
        setting
            .place
            .sh(&format!("openssl {}", verify.replace(" K ", &format!(" {key} ")).replace(" S ", " sig ")))
            .done();
    }
    setting.sh("pin.toml", &format!("pkcs11-tool --module $MODULE --login --pin {} -O", setting.api_key)).done();
}

fn pkcs11_tool(setting: &Setting, service: &str, mechanism: &str, input: &str) -> crate::client::place::Said {
    let services = setting.place.json("chancery service list");
    let all = services["results"].as_array().unwrap();
    let found = all.iter().find(|one| one["objInfo"]["name"] == service).unwrap();
    let id = found["objInfo"]["uuid"].as_str().unwrap().replace('-', "");
    let pin = &setting.api_key;
    let line = format!("pkcs11-tool --module $MODULE --login --pin {pin} --sign --id {id} --mechanism");
    setting.sh("pin.toml", &format!("rm -f sig; {line} {mechanism} --input-file {input} --output-file sig"))
}

/// What the policy does not do, and a session of `chancery login` in the place of a file.
fn hashes_and_profiles(setting: &Setting) {
    let other = pkcs11_tool(setting, "releases", "SHA384-RSA-PKCS", "app.bin").failed(1);
    assert!(other.contains("CKR_MECHANISM_INVALID"), "{other}");
    let salt = "RSA-PKCS-PSS --hash-algorithm SHA256 --mgf MGF1-SHA256 --salt-len 20";
    let other = pkcs11_tool(setting, "pss", salt, "app.sha256").failed(1);
    assert!(other.contains("CKR_MECHANISM_PARAM_INVALID"), "{other}");
    let bare = pkcs11_tool(setting, "releases", "RSA-PKCS", "app.sha256").failed(1);
    assert!(bare.contains("takes a DigestInfo"), "{bare}");

    setting.place.sh("truncate -s 67108865 long.bin").done();
    let long = pkcs11_tool(setting, "ed25519", "EDDSA", "long.bin").failed(1);
    assert!(long.contains("CKR_DATA_LEN_RANGE"), "{long}");
    let config = fs::read_to_string(setting.place.path("pkcs11.toml")).unwrap();
    for (content, why) in
        [("no key\n", "this is no API key"), (crate::client::place::NOBODYS_KEY, "The login is refused")]
    {
        setting.place.write("wrong.key", content);
        setting.place.write("refused.toml", config.replace("build.key", "wrong.key"));
        let refused = setting.sh("refused.toml", "pkcs11-tool --module $MODULE --list-objects");
        assert!(refused.err.contains(&format!("wrong.key: {why}")), "{refused:?}");
    }
    // A secret that stands where it does not belong is not repeated.
    setting.place.write("refused.toml", format!("{config}api-key = \"chk_secret\"\n"));
    let refused = setting.sh("refused.toml", "pkcs11-tool --module $MODULE --list-objects");
    assert!(refused.err.contains("at line") && refused.err.contains("unknown field"), "{refused:?}");
    assert!(!refused.err.contains("chk_secret"), "{refused:?}");
    setting.place.write("refused.toml", config.replace("https://", "https://user:chk_secret@"));
    let refused = setting.sh("refused.toml", "pkcs11-tool --module $MODULE --list-slots");
    assert!(refused.err.contains("server") && !format!("{refused:?}").contains("chk_secret"), "{refused:?}");

    let module = module().display().to_string();
    let profile = |name: &str, action: &str| {
        let line = format!("CHANCERY_SERVER_PROFILE={name} pkcs11-tool --module '{module}' {action}");
        setting.place.sh(&format!("unset CHANCERY_PKCS11_CONFIG; {line}"))
    };
    let slots = profile("approver", "--list-token-slots").done();
    assert!(slots.contains("token label        : approver"), "{slots}");
    let found = profile("default", "--list-objects --type privkey").done();
    assert!(found.contains("firmware") && found.contains("ed25519"), "{found}");
    setting.place.sh("chancery whoami").done();
    assert!(profile("nobody", "-L").err.contains("CHANCERY_SERVER_PROFILE=nobody"));
    // What is no text is not overlooked: another profile would be taken for it.
    assert!(profile("$(printf '\\377')", "-L").err.contains("letters, digits, dots"));
    setting.place.write("wrong.toml", "server = 7\n");
    assert!(setting.sh("wrong.toml", "pkcs11-tool --module $MODULE -L").err.contains("wrong.toml: "));
}
