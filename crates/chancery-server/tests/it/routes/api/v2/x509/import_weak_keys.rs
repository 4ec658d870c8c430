//! POST /api/v2/x509/import-key and /api/v2/x509/requests: RSA keys whose primes are none, or whose exponent is too small or
//! too large.

use chancery_testkit::Tool;
use chancery_types::Base64;
use serde_json::json;

use super::{
    elsewhere::{Bench, CA, installation},
    import_key::PATH,
};
use crate::{
    certificates::{profile, root},
    client::{Client, Reply},
};

/// Writes an RSA key in PEM, as PKCS#1, and a PKCS#10 request that it signed; what no tool makes is made of numbers. Known
/// primes are 2^1024 - 105, 2^1040 - 395, 2^1008 - 33, 2^2032 - 567 and 2^2048 - 1557. (6k + 1)(12k + 1)(18k + 1) is a
/// Carmichael number, which passes whatever a pair can be asked but whether its factors are primes.
const KEYS: &str = r#"
import base64, hashlib, sys
k = 0x36ebd05cad8ee33b52af34865df366f32504b00f24481d038c58c5e592e7d0b92031b07a26d39e06d1d3d
p, q = {
    "composite": ((6 * k + 1) * (12 * k + 1) * (18 * k + 1), 2**1024 - 105),
    "tiny": (2**2032 - 567, 65521),
    "uneven": (2**1040 - 395, 2**1008 - 33),
    "prime": (2**2048 - 1557, 1),
}[sys.argv[1]]
n, e = p * q, 65537
d = pow(e, -1, (p - 1) * max(q - 1, 1))
def tlv(tag, *parts):
    content = b"".join(parts)
    size = len(content)
    count = (size.bit_length() + 7) // 8
    return bytes([tag]) + (bytes([size]) if size < 128 else bytes([128 + count]) + size.to_bytes(count, "big")) + content
def number(n): return tlv(2, n.to_bytes(n.bit_length() // 8 + 1, "big"))
def bits(content): return tlv(3, b"\0" + content)
def algorithm(last): return tlv(0x30, tlv(6, bytes.fromhex("2a864886f70d0101" + last)), tlv(5))
def pem(label, der): return f"-----BEGIN {label}-----\n{base64.encodebytes(der).decode()}-----END {label}-----\n"
name = tlv(0x30, tlv(0x31, tlv(0x30, tlv(6, bytes.fromhex("550403")), tlv(12, b"weak"))))
spki = tlv(0x30, algorithm("01"), bits(tlv(0x30, number(n), number(e))))
info = tlv(0x30, number(0), name, spki, tlv(0xa0))
digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(info).digest()
padded = int.from_bytes(b"\0\1" + b"\xff" * (253 - len(digest)) + b"\0" + digest, "big")
signature = bits(pow(padded, d, n).to_bytes(256, "big"))
open("weak.csr", "w").write(pem("CERTIFICATE REQUEST", tlv(0x30, info, algorithm("0b"), signature)))
if q > 1:
    parts = map(number, [0, n, e, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)])
    open("weak.key", "w").write(pem("RSA PRIVATE KEY", tlv(0x30, *parts)))
"#;

/// Asks for a certificate for `weak.csr`.
async fn certify(client: &Client, bench: &Bench, issuer: &str) -> Reply {
    let profile = profile(client, "TLS Client").await;
    let body = json!({"serviceOrIssuerUuid": issuer, "csr": bench.read("weak.csr"), "certProfileUuid": profile});
    client.post("/api/v2/x509/requests", body).await
}

/// Brings `weak.key` in as that of a root, alone and in a PKCS#12 file: it is refused, with this reason.
async fn not_imported(client: &Client, bench: &Bench, why: &str) {
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key weak.key -subj /CN=weak -days 3000 {CA} -out weak.pem"
    ));
    bench.openssl("pkcs8 -topk8 -nocrypt -in weak.key -out weak.p8");
    let alone = json!({"certificates": bench.read("weak.pem"), "privateKey": bench.read("weak.p8")});
    let file = json!({"pkcs12": bench.pkcs12("weak", ""), "password": Base64::encode(b"secret")});
    for (body, field) in [(alone, "/privateKey"), (file, "/pkcs12")] {
        let reply = client.post(PATH, body).await;
        reply.refused(400, "InvalidValue", Some(field));
        assert!(reply.text().contains(why), "{why}: {}", reply.text());
    }
    assert_eq!(client.get("/api/v2/keys/stubs").await.response()["total"], 1, "the issuer's");
}

#[tokio::test(flavor = "multi_thread")]
async fn factors_that_are_composite_tiny_or_none_are_refused() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = root(&admin).await;
    for (kind, certified, imported) in [
        // Nobody sees it in the public half.
        ("composite", None, Some("factors that are not two primes of half the modulus's length")),
        ("uneven", None, Some("factors that are not two primes of half the modulus's length")),
        ("tiny", Some("a small factor"), Some("a small factor")),
        ("prime", Some("a prime number for its RSA modulus"), None),
    ] {
        let _written = Tool::new("python3").args(["-c", KEYS, kind]).folder(bench.path()).run();
        if let Some(why) = imported {
            not_imported(&admin, &bench, why).await;
        }
        let reply = certify(&admin, &bench, &issuer).await;
        let Some(why) = certified else {
            reply.response();
            continue;
        };
        reply.refused(400, "InvalidValue", Some("/csr"));
        assert!(reply.text().contains(why), "{kind}: {}", reply.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exponents_that_are_too_small_or_too_large_are_refused() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = root(&admin).await;
    let why = "an exponent from 65537 to 2^33";
    // 2^257 + 1, and 2^33 + 1, which is the first that is too large.
    for exponent in
        ["3", "17", "231584178474632390847141970017375815706539969331281128078915168015826259279873", "8589934593"]
    {
        let kind = format!("-algorithm RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_pubexp:{exponent}");
        bench.openssl(&format!("genpkey {kind} -out weak.key"));
        bench.openssl("req -new -config /dev/null -key weak.key -subj /CN=weak -out weak.csr");
        not_imported(&admin, &bench, why).await;
        let reply = certify(&admin, &bench, &issuer).await;
        reply.refused(400, "InvalidValue", Some("/csr"));
        assert!(reply.text().contains(why), "{exponent}: {}", reply.text());
    }
}
