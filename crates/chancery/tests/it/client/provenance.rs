//! Where a file was built: sent with it, refused where it is of something else, shown to who approves. Signed by OpenSSL.

use serde_json::json;

use super::place::Place;

#[test]
fn provenance_travels_with_a_file_and_approvers_see_it_as_verified() {
    let place = Place::logged_in();
    place.sh("openssl genpkey -algorithm ed25519 -out k.pem && openssl pkey -in k.pem -pubout -out issuer.pem").done();
    let service = "chancery service create --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --validity 1y --hash Sha2_256 --num-approvals 0";
    for (name, format) in [("proven", "CMS"), ("programs", "Authenticode")] {
        place.sh(&format!("{service} --format {format} --name {name} --subject CN={name}")).done();
    }
    let key = place.sh("cat issuer.pem").done();
    let rules = json!({"provenanceIssuers": [{"name": "the builder", "publicKey": key}], "provenanceRequired": true});
    place.sh(&format!("chancery policy change proven --num-approvals 1 --rules '{rules}'")).done();
    place.write("app.tar", "an application");
    place.write("other.tar", "another one");
    place.write("statement", statement(&place, "app.tar"));
    place.sh(concat!(
        "{ printf 'DSSEv1 28 application/vnd.in-toto+json %d ' $(stat -c %s statement); cat statement; } > pae && ",
        "openssl pkeyutl -sign -rawin -inkey k.pem -in pae -out sig && ",
        r#"printf '{"payloadType":"application/vnd.in-toto+json","payload":"%s","signatures":[{"keyid":"","sig":"%s"}]}' "#,
        "$(base64 -w0 statement) $(base64 -w0 sig) > app.intoto.jsonl",
    ))
    .done();

    let missing = place.sh("chancery sign app.tar --service proven").failed(5);
    assert!(missing.contains("/provenance") && missing.contains("signed by one of: the builder"), "{missing}");
    let other = place.sh("chancery sign other.tar --service proven --provenance app.intoto.jsonl").failed(5);
    assert!(other.contains("It is not of this file"), "{other}");
    place.sh("chancery sign app.tar --service proven --provenance none.jsonl").failed(2);
    place.sh("chancery sign app.tar --service programs --provenance app.intoto.jsonl").failed(2);
    place.sh("chancery sign app.tar --service proven --provenance app.intoto.jsonl").failed(8);
    let seen = place.sh("chancery approve --server-profile approver").done();
    for line in [
        "provenance  verified: signed by the builder\n",
        "builder     https://builder.example.org/release\n",
        "build       run 7\n",
        "source      git+https://git.example.org/product  gitCommit\n            0a1b2c3d4e5f60718293a4b5c6d7e8f901234567\n",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
    let whole = place.json("chancery request show app.tar");
    assert_eq!(whole["provenance"]["issuer"], "the builder");
    place.sh("chancery approve app.tar --yes --server-profile approver").done();
}

fn statement(place: &Place, file: &str) -> String {
    let digest = place.sh(&format!("sha256sum {file}")).done();
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file, "digest": {"sha256": digest.split(' ').next()}}],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "make", "externalParameters": {},
                "resolvedDependencies": [{
                    "uri": "git+https://git.example.org/product",
                    "digest": {"gitCommit": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"},
                }],
            },
            "runDetails": {
                "builder": {"id": "https://builder.example.org/release"}, "metadata": {"invocationId": "run 7"},
            },
        },
    })
    .to_string()
}
