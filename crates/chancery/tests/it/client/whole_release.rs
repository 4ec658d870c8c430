//! A whole release by one line in a shell, with an API key alone, which two people approve from their own command lines; and
//! what others say of the results.

use std::{env, fs, path::Path, thread::scope, time::Instant};

use chancery_testkit::Tool;

use super::place::Place;
use crate::process::PROGRAM;

/// The large file: sparse, so that it takes no room. 5 GiB where somebody asks for the long run.
fn image_len() -> u64 {
    if env::var_os("CHANCERY_TEST_AT_LENGTH").is_some() { 5 << 30 } else { 64 << 20 }
}

/// What a client may take whatever the size of its files.
const CLIENT_MAX_KIB: u64 = 96 << 10;

const FILES: [(&str, &str); 5] = [
    ("programs", "Authenticode"),
    ("installers", "Msi"),
    ("archives", "JavaJar"),
    ("scripts", "Powershell"),
    ("images", "Raw"),
];

fn furnish(place: &Place) {
    for (service, format) in FILES {
        let line = format!(
            "chancery service create --issuer 'Chancery Demo Root' --validity 1y --hash Sha2_256 --num-approvals 2 \
             --key-type 'RSA 3072 Signing' --name {service} --subject CN={service} --format {format}"
        );
        place.sh(&line).done();
        place.sh(&format!("chancery cert download {service} --out {service}.pem")).done();
    }
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    let made = place.json("chancery identity create --name ci --kind Application --role Builders");
    place.write("ci.key", made["apiKey"].as_str().unwrap());
    place.write("four", "battery staple\n");
    place.sh("chancery identity create --name Approver2 --kind Person --role Approver --password-file four").done();
    let second =
        format!("--server {} --ca ca.pem --server-profile second Approver2 --password-file four", place.base());
    place.sh(&format!("chancery login {second}")).done();
    place.sh("chancery cert download 'Chancery Demo Root' --out root.pem").done();
    place.sh("mkdir build && echo text > build/text").done();
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/venv/lib");
    let python = fs::read_dir(venv).unwrap().flatten().next().unwrap().path();
    fs::copy(python.join("site-packages/pip/_vendor/distlib/w64.exe"), place.path("build/app.exe")).unwrap();
    let made = [
        "msibuild app.msi -s 'A product' 'A maker' ';1033' '{12345678-1234-1234-1234-123456789012}'",
        "msibuild app.msi -q 'CREATE TABLE `Property` (`Property` CHAR(72) NOT NULL, `Value` CHAR(0) PRIMARY KEY `Property`)'",
        "jar --create --file app.jar text",
        "printf 'Write-Output 1\\r\\n' > app.ps1",
    ];
    place.sh(&format!("cd build && {}", made.join(" && "))).done();
    fs::File::create(place.path("build/image.bin")).unwrap().set_len(image_len()).unwrap();
}

#[test]
fn one_line_signs_a_release_that_two_people_approve() {
    let place = Place::logged_in();
    furnish(&place);
    let services: Vec<_> = FILES.iter().map(|(service, _)| format!("--service {service}")).collect();
    let sign = format!(
        "chancery sign app.exe app.msi app.jar app.ps1 image.bin {} --note 'release 2.0' --wait --timeout 30m",
        services.join(" ")
    );
    // Nothing of anybody: a new folder as the home, and three variables.
    let fresh = format!(
        "cd build && mkdir ../home-of-ci && env -i PATH=\"$PATH\" HOME=\"$PWD/../home-of-ci\" CHANCERY_SERVER={} \
         CHANCERY_CA=../ca.pem CHANCERY_API_KEY_FILE=../ci.key /usr/bin/time -f '%M KiB' {sign}",
        place.base()
    );
    let (begun, mut after_one) = (Instant::now(), String::new());
    let said = scope(|scope| {
        let waiting = scope.spawn(|| place.sh(&fresh));
        place.until_waiting(FILES.len());
        for profile in ["approver", "second"] {
            let line = format!(
                "chancery approve app.exe app.msi app.jar app.ps1 --yes --server-profile {profile} && \
                 chancery approve image.bin --yes --file build/image.bin --server-profile {profile}"
            );
            place.sh(&line).done();
            if profile == "approver" {
                // What is wrong here is told when the line has ended.
                after_one = place.sh("chancery approve --server-profile second; test -e build/image.bin.sig || grep -q 'SIG #' build/app.ps1 || echo no signature").out;
            }
        }
        waiting.join().unwrap()
    });
    let took = begun.elapsed();
    one_alone_is_not_enough(&after_one);
    let home = Tool::new("find").arg(place.path("home-of-ci")).args(["-type", "f"]).run().text();
    assert_eq!(home, "", "the key is all that there is: nothing of a login is kept");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(said.out.matches("signed and verified").count(), FILES.len(), "{said:?}");
    let client = said.err.lines().find_map(|line| line.strip_suffix(" KiB")).unwrap().parse::<u64>().unwrap();
    let server = place.demo.server.resident_max_kib();
    println!(
        "{} bytes and four files signed in {:.1} s; at most {client} KiB in the client, {server} KiB in the server ({PROGRAM})",
        image_len(),
        took.as_secs_f64()
    );
    assert!(client < CLIENT_MAX_KIB, "{client} KiB");
    others_agree(&place);
}

/// After the first of two people all of them wait for the second, and no file has changed.
fn one_alone_is_not_enough(after_one: &str) {
    assert_eq!(after_one.matches("1 of 2 given (Approver1), 1 missing").count(), FILES.len(), "{after_one}");
    assert!(after_one.ends_with("no signature\n"), "{after_one}");
}

fn others_agree(place: &Place) {
    for file in ["app.exe", "app.msi", "app.ps1"] {
        let said = place.sh(&format!("osslsigncode verify -CAfile root.pem -TSA-CAfile root.pem -in build/{file}"));
        assert!(said.code == Some(0) && said.out.contains("Signature verification: ok"), "{file}: {said:?}");
    }
    let import = "keytool -importcert -noprompt -trustcacerts -alias root -file root.pem -keystore trust.p12 -storepass changeit";
    place.sh(import).done();
    let jar = place.sh("jarsigner -verify -strict -keystore trust.p12 -storepass changeit build/app.jar");
    assert!(jar.out.contains("jar verified."), "{jar:?}");
    let raw = "openssl x509 -in images.pem -pubkey -noout > images.pub && \
        openssl dgst -sha256 -verify images.pub -signature build/image.bin.sig build/image.bin";
    assert!(place.sh(raw).done().contains("Verified OK"));
}
