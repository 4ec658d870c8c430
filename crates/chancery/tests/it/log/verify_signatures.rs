//! `chancery verify`: items of manifests, signatures beside others, and signatures that outlive their certificate.

use std::{
    fs,
    path::Path,
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_client::{Client, File};
use chancery_testkit::Tool;
use chancery_types::{
    Base64, ExistingSignature, HashType, LogVisibility, SigningFormat, SigningRequestId, ValidityUnit,
    wire::{
        services::{DeployRequest, PkiSigningMember, TimeStamping},
        signing_requests::{ManifestItem, SignedItem, SigningRequest},
    },
};
use serde_json::{Value, json};

use super::{
    site::{Authority, Site, Target, covered, deploy, deploy_one, submission},
    verify::Case,
};

/// The items of a manifest, once a checkpoint covers all of them.
pub(super) fn covered_items(client: &Client, id: SigningRequestId) -> Vec<SignedItem> {
    for _ in 0..400 {
        let items = client.signed_items(id).unwrap();
        if items.iter().all(|item| matches!(item.inclusion_proof, Some(Some(_)))) {
            return items;
        }
        sleep(Duration::from_millis(25));
    }
    panic!("no checkpoint covers the items of {id}");
}

#[test]
fn an_item_of_a_manifest_is_verified_by_its_own_proof() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let (root, targets) =
        deploy(&client, &[(SigningFormat::Cms, LogVisibility::Public), (SigningFormat::Cms, LogVisibility::Internal)]);
    let case = Case::new(site);
    case.write("root.pem", &root);
    for (target, has_salt) in [(targets[0], false), (targets[1], true)] {
        let items = ["a", "b", "c"].map(|name| {
            case.write(name, format!("content of {name}"));
            let digest = chancery_client::file_digest(case.site.path(name), HashType::Sha2_256).unwrap();
            ManifestItem { name: format!("{name}.bin"), digest: Base64(digest) }
        });
        let id = client.submit_manifest("release", target.service, target.policy, items.into()).unwrap().uuid;
        let items = covered_items(&client, id);
        let proofs: Vec<_> = items.iter().map(|item| item.inclusion_proof.clone().unwrap().unwrap()).collect();
        assert!(proofs.iter().all(|proof| proof.salt.is_some() == has_salt));
        let detail = client.signing_request(id).unwrap();
        assert_eq!(detail.inclusion_proof, None, "of the whole there is none");
        case.write_detail("manifest.json", &detail);
        let page = |items: &[SignedItem]| json!({"response": {"items": items, "total": 3}}).to_string();
        case.write("items.json", page(&items));
        case.write("page1.json", page(&items[..2]));
        case.write("page2.json", page(&items[2..]));

        let with = |items: &'static str, item, file| {
            let items = ["--items", items, "--item", item, "--file", file, "--root", "root.pem"];
            [&["--bundle", "manifest.json"], &items[..]].concat()
        };
        for (name, file) in [("a.bin", "a"), ("b.bin", "b"), ("c.bin", "c")] {
            let told = ["its 3 items are the ones that were approved", "CN=Signer", "time stamp  none", "entry "];
            case.verified(&with("items.json", name, file), &told);
        }
        case.refused(&with("page1.json", "b.bin", "b"), 2, "2 of 3 items are given");
        let both = [&with("page1.json", "c.bin", "c")[..4], &["page2.json"], &with("", "c.bin", "c")[4..]].concat();
        case.verified(&both, &["its 3 items", "verified"]);
        case.refused(&with("items.json", "a.bin", "b"), 1, "the content is not the one");
        case.refused(&with("items.json", "d.bin", "a"), 2, "no such item");
        case.refused(
            &["--bundle", "manifest.json", "--file", "a"],
            2,
            "these are needed: --items FILE (all pages of the manifest's items), --item NAME (",
        );
        for added in [SignedItem { name: "z.bin".to_owned(), ..items[0].clone() }, items[0].clone()] {
            case.write("added.json", page(&[&items[..], &[added]].concat()));
            case.refused(&with("added.json", "a.bin", "a"), 1, "there are other items");
        }
        // What the bundle says of the number of its items is signed by nobody.
        let renamed = SignedItem { name: "z.bin".to_owned(), ..items[0].clone() };
        let mut of_nine = detail.clone();
        of_nine.manifest.as_mut().unwrap().total = 9;
        case.write_detail("nine.json", &of_nine);
        case.write("added.json", page(&[&items[..], std::slice::from_ref(&renamed)].concat()));
        let of = |bundle| [&["--bundle", bundle], &with("added.json", "z.bin", "a")[2..]].concat();
        case.refused(&of("nine.json"), 2, "4 of 9 items are given");
        case.write_detail("unsaid.json", &SigningRequest { manifest: None, ..detail.clone() });
        case.refused(&of("unsaid.json"), 2, "it is no manifest");
        case.write_detail("two.json", &{
            let mut of_two = detail.clone();
            of_two.manifest.as_mut().unwrap().total = 2;
            of_two
        });
        let of_two = [&["--bundle", "two.json"], &with("items.json", "a.bin", "a")[2..]].concat();
        case.refused(&of_two, 1, "another number of items");
        let changed = |change: &dyn Fn(&mut [SignedItem])| {
            let mut items = items.clone();
            change(&mut items);
            case.write("changed.json", page(&items));
        };
        changed(&|items| items[0].name = "z.bin".to_owned());
        case.refused(&with("changed.json", "z.bin", "a"), 1, "not those of the manifest that was approved");
        changed(&|items| items[0].inclusion_proof = items[1].inclusion_proof.clone());
        case.refused(&with("changed.json", "a.bin", "a"), 1, "about something else");
        changed(&|items| items[0].inclusion_proof = Some(None));
        case.refused(&with("changed.json", "a.bin", "a"), 1, "no inclusion proof");
        changed(&|items| items[0].signature = items[1].signature.clone());
        case.refused(&with("changed.json", "a.bin", "a"), 1, "the content is not the one that was signed");
    }
    assert!(server.stop().success());
}

/// Signs a file on disk of which only the digest travels; the detail, and the signed file beside it.
fn sign(client: &Client, target: Target, format: SigningFormat, file: &Path, how: ExistingSignature) -> SigningRequest {
    let mut open = File::open(file, format, HashType::Sha2_256, how).unwrap();
    let digest = open.digest().unwrap();
    let id = client.submit(&submission(target, "file", Some(&digest), None)).unwrap().uuid;
    let detail = covered(client, id);
    open.finish(&detail.signature.0, file.with_file_name("signed")).unwrap();
    detail
}

#[test]
fn signatures_inside_files_are_verified_also_beside_others() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let formats = [SigningFormat::JavaJar, SigningFormat::JavaJar, SigningFormat::Powershell];
    let (root, targets) = deploy(&client, &formats.map(|format| (format, LogVisibility::Public)));
    let case = Case::new(site);
    case.write("root.pem", &root);
    let [path, signed] = ["x.jar", "signed"].map(|name| case.site.path(name));
    let python = |script: &str| {
        let _ran = Tool::new("python3").args(["-c", script]).folder(case.site.path("")).run();
    };
    python("import zipfile; zipfile.ZipFile('x.jar', 'w').writestr('a.txt', b'a')");
    let first = sign(&client, targets[0], SigningFormat::JavaJar, &path, ExistingSignature::Replace);
    case.write_detail("first.json", &first);
    fs::copy(&signed, case.site.path("ours.jar")).unwrap();
    // Beside a signature that somebody else made, over a manifest of theirs.
    let java = |tool: &str, arguments: &str| {
        let store = ["-keystore", "store", "-storepass", "changeit"];
        Tool::new(tool).args(store).args(arguments.split(' ')).folder(case.site.path("")).run().text()
    };
    java("keytool", "-genkeypair -alias own -keyalg EC -dname CN=Somebody");
    java("keytool", "-importcert -noprompt -alias root -file root.pem");
    java("jarsigner", "-digestalg SHA-384 -signedjar once.jar x.jar own");
    let once = case.site.path("once.jar");
    let second = sign(&client, targets[1], SigningFormat::JavaJar, &once, ExistingSignature::Append);
    case.write_detail("second.json", &second);
    fs::copy(&signed, case.site.path("twice.jar")).unwrap();
    let said = java("jarsigner", "-verify -verbose:all twice.jar");
    assert!(said.contains("jar verified."), "{said}");
    assert!(said.contains("- Signed by \"CN=Somebody") && said.contains("- Signed by \"CN=Signer 1"), "{said}");

    let with = |bundle, file| ["--bundle", bundle, "--file", file, "--root", "root.pem"];
    for (bundle, file, signer) in [
        ("first.json", "x.jar", "CN=Signer 0"),
        ("first.json", "ours.jar", "CN=Signer 0"),
        ("second.json", "once.jar", "CN=Signer 1"),
        ("second.json", "twice.jar", "CN=Signer 1"),
    ] {
        case.verified(&with(bundle, file), &[signer, "verified"]);
    }
    // Never signed, or changed since.
    case.refused(&with("second.json", "x.jar"), 1, "the content is not the one");
    case.refused(&with("second.json", "ours.jar"), 1, "the content is not the one");
    python(
        "import zipfile
with zipfile.ZipFile('twice.jar') as old, zipfile.ZipFile('evil.jar', 'w') as new:
    for name in old.namelist(): new.writestr(name, b'evil' if name == 'a.txt' else old.read(name))",
    );
    for bundle in ["first.json", "second.json"] {
        case.refused(&with(bundle, "evil.jar"), 1, "the content is not the one");
    }

    // A digest that is enclosed in the signature.
    case.write("x.ps1", "Write-Output 1\r\n");
    let script =
        sign(&client, targets[2], SigningFormat::Powershell, &case.site.path("x.ps1"), ExistingSignature::Replace);
    case.write_detail("script.json", &script);
    case.verified(&with("script.json", "x.ps1"), &["CN=Signer 2", "verified"]);
    case.verified(&with("script.json", "signed"), &["CN=Signer 2", "verified"]);
    case.write("other.ps1", "Write-Output 2\r\n");
    case.refused(&with("script.json", "other.ps1"), 1, "the content is not the one");
    assert!(server.stop().success());
}

/// `osslsigncode` signs the properties besides (`MsiDigitalSignatureEx`), as Windows' own tool does, and a signature
/// beside that one is over them too.
#[test]
fn a_signature_beside_one_over_an_installers_properties_is_verified() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let (root, targets) = deploy(&client, &[(SigningFormat::Msi, LogVisibility::Public)]);
    let case = Case::new(site);
    case.write("root.pem", &root);
    case.write("stream", [7_u8; 20_000]);
    let ran = |tool: &str, arguments: &[&str]| {
        let _ran = Tool::new(tool).args(arguments).folder(case.site.path("")).run();
    };
    ran("msibuild", &["in.msi", "-s", "A product", "A maker", ";1033", "{12345678-1234-1234-1234-123456789012}"]);
    ran("msibuild", &["in.msi", "-a", "Large", "stream"]);
    let request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"];
    let uses =
        ["-subj", "/CN=Other", "-addext", "extendedKeyUsage=codeSigning", "-addext", "keyUsage=digitalSignature"];
    ran("openssl", &[&request[..], &uses].concat());
    let first = ["sign", "-add-msi-dse", "-h", "sha256", "-certs", "cert.pem", "-key", "key.pem"];
    ran("osslsigncode", &[&first[..], &["-in", "in.msi", "-out", "first.msi"]].concat());
    let [first, signed] = ["first.msi", "signed"].map(|name| case.site.path(name));
    let detail = sign(&client, targets[0], SigningFormat::Msi, &first, ExistingSignature::Append);
    case.write_detail("beside.json", &detail);

    let with = |file| ["--bundle", "beside.json", "--file", file, "--root", "root.pem"];
    for file in ["first.msi", "signed"] {
        case.verified(&with(file), &["CN=Signer 0", "verified"]);
    }
    // Never signed, or changed since.
    case.refused(&with("in.msi"), 1, "the content is not the one");
    let mut evil = fs::read(signed).unwrap();
    let content = evil.windows(512).position(|part| part == [7; 512]).unwrap();
    evil[content] = 8;
    case.write("evil.msi", evil);
    case.refused(&with("evil.msi"), 1, "the content is not the one");
    assert!(server.stop().success());
}

/// How long the certificates live, in seconds; four times as long where the machine is so busy that signing takes a quarter.
const LIFE_S: u64 = 20;

#[test]
fn a_time_stamp_outlives_the_certificate() {
    let site = Site::new();
    let server = site.serve();
    let client = site.client();
    let (authority, stamping) = (Authority::new(&client), Authority::new(&client));
    let order = TimeStamping {
        new_cert: stamping.certificate("Stamps", ValidityUnit::Year, "1"),
        policy_oid: None,
        default: None,
    };
    let order = DeployRequest {
        template: "Time Stamping".to_owned(),
        name: "stamps".to_owned(),
        log: None,
        pkisigning: PkiSigningMember::Absent,
        timestamping: Some(Box::new(order)),
    };
    client.deploy(&order).unwrap();
    let case = Case::new(site);
    case.write("root.pem", &authority.pem);
    case.write("stamping.pem", &stamping.pem);
    case.write("content", "content");
    let mut life_s = LIFE_S;
    loop {
        let begun = Instant::now();
        for (name, time_stamp) in [("plain", false), ("stamped", true)] {
            let mut signing = authority.signing(name, SigningFormat::Cms);
            signing.new_cert = authority.certificate(name, ValidityUnit::Second, &life_s.to_string());
            signing.time_stamp = Some(time_stamp);
            let target = deploy_one(&client, &format!("{name} {life_s}"), LogVisibility::Public, signing);
            let id = client.submit(&submission(target, "content", None, Some(b"content"))).unwrap().uuid;
            let detail = covered(&client, id);
            case.write(&format!("{name}.p7s"), &detail.signature.0);
            case.write_detail(&format!("{name}.json"), &detail);
        }
        if begun.elapsed().as_secs() < life_s / 4 {
            break;
        }
        life_s *= 4;
    }
    fn alone<'a>(signature: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        [&["--signature", signature, "--file", "content", "--root", "root.pem"], more].concat()
    }
    let trusting = ["--tsa-root", "stamping.pem"];
    case.verified(&alone("plain.p7s", &[]), &["time stamp  none", "valid now"]);
    case.refused(&alone("plain.p7s", &trusting), 1, "there is no time stamp");
    case.verified(&alone("stamped.p7s", &[]), &["not checked: no --tsa-root", "valid now"]);
    case.verified(&alone("stamped.p7s", &trusting), &["by CN=Stamps", "valid when it was stamped"]);

    sleep(Duration::from_secs(life_s + 1));
    let openssl = |signature: &str, when: &[&str]| {
        let verify = ["cms", "-verify", "-binary", "-inform", "DER", "-content", "content", "-CAfile", "root.pem"];
        let verify = Tool::new("openssl").args(verify).args(["-purpose", "any", "-out", "out", "-in", signature]);
        verify.args(when).folder(case.site.path("")).try_run().status.success()
    };
    for name in ["plain", "stamped"] {
        let signature = format!("{name}.p7s");
        // OpenSSL knows no time stamps beside a CMS: it agrees that the certificate is over, and otherwise good.
        assert!(!openssl(&signature, &[]) && openssl(&signature, &["-no_check_time"]));
        case.refused(&alone(&signature, &[]), 1, "has expired");
        // The log says when it was, too.
        let bundle = format!("{name}.json");
        case.verified(&["--bundle", &bundle, "--file", "content", "--root", "root.pem"], &["when it was logged"]);
    }
    case.refused(&alone("plain.p7s", &[]), 1, "has expired");
    case.verified(&alone("stamped.p7s", &trusting), &["CN=stamped", "by CN=Stamps", "valid when it was stamped"]);
    let bundle = ["--bundle", "stamped.json", "--file", "content", "--root", "root.pem", "--tsa-root", "stamping.pem"];
    case.verified(&bundle, &["valid when it was stamped", "entry "]);
    let digest = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"; // SHA-256 of "content"
    let by_digest = ["--signature", "stamped.p7s", "--digest", digest, "--root", "root.pem"];
    case.verified(&[&by_digest[..], &trusting].concat(), &["valid when it was stamped"]);
    let unstamped = ["--bundle", "plain.json", "--file", "content", "--root", "root.pem"];
    case.refused(&[&unstamped[..], &trusting].concat(), 1, "there is no time stamp");
    // Nobody who is trusted stamped it.
    case.refused(&alone("stamped.p7s", &["--tsa-root", "root.pem"]), 1, "the time stamp: ");
    // The stamp is in the signature's last bytes; one of its own signature is changed.
    let mut forged = fs::read(case.site.path("stamped.p7s")).unwrap();
    *forged.last_mut().unwrap() ^= 1;
    case.write("forged.p7s", forged);
    case.refused(&alone("forged.p7s", &trusting), 1, "the time stamp: the stamp's signature is wrong");
    // A stamp over another signature.
    let (mut plain, stamped): (Value, Value) = (detail(&case, "plain.json"), detail(&case, "stamped.json"));
    plain["response"]["signature"] = stamped["response"]["signature"].clone();
    case.write("mixed.json", plain.to_string());
    case.refused(&["--bundle", "mixed.json", "--file", "content"], 1, "about something else");
    case.write("content", "other");
    case.refused(&alone("stamped.p7s", &trusting), 1, "the content is not the one");
    assert!(server.stop().success());
}

fn detail(case: &Case, name: &str) -> Value {
    serde_json::from_slice(&fs::read(case.site.path(name)).unwrap()).unwrap()
}
