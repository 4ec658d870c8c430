//! Signatures of every kind, verified by programs that we did not write. What they say is written to docs/SIGNATURES.md,
//! of which each test compares its section; with CHANCERY_UPDATE=1 in the environment it writes the section instead.

mod files;

use std::{
    fmt::Write as _,
    fs,
    sync::{Mutex, PoisonError},
};

use chancery_testkit::Tool;
use chancery_types::{Base64, HashType};
use serde_json::json;

use crate::signing::{DEPLOY, REQUESTS, Signing, bytes, openssl_accepts, submission};

const CONTENT: &[u8] = b"to whom it may concern\n";
const OTHER: &[u8] = b"to whom it may concern!\n";

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/SIGNATURES.md");

const HEADER: &str = "
Every signature algorithm that a signing service offers (a kind of key, a hash, and for RSA the padding), with the
programs that accepted a CMS of it: detached, with the chain to the root, and refused it for other content.

`Shake256_64` is the same function as `Shake256` (RFC 8702). RSA keys of 3072 and 4096 bits use the same algorithms as
those of 2048 bits.
";

/// The kinds of keys, and whether to ask for RSA-PSS.
const KEYS: [(&str, u32, bool); 9] = [
    ("RSA, PKCS#1 v1.5", 1, false),
    ("RSA, PSS", 1, true),
    ("EC P-256", 4, false),
    ("EC P-384", 5, false),
    ("EC P-521", 6, false),
    ("Ed25519", 7, false),
    ("ML-DSA-44", 8, false),
    ("ML-DSA-65", 9, false),
    ("ML-DSA-87", 10, false),
];

/// One cell: a service was deployed for it and has signed.
struct Cell {
    key: &'static str,
    hash: HashType,
    cms: Vec<u8>,
}

#[tokio::test]
async fn every_cell_is_accepted_by_a_program_that_we_did_not_write() {
    let signing = Signing::new().await;
    let mut cells = Vec::new();
    for (key, key_type, rsa_pss) in KEYS {
        for hash in HashType::ALL {
            let Some(cms) = sign(&signing, key_type, *hash, rsa_pss).await else { continue };
            // SHAKE with RSA is PSS, asked for or not.
            if key_type != 1 || rsa_pss || !hash.as_str().starts_with("Shake") {
                cells.push(Cell { key, hash: *hash, cms });
            }
        }
    }
    let verifiers = [("openssl", "OpenSSL 3.0"), ("openssl35", "OpenSSL 3.5")];
    let mut columns: Vec<(&str, Vec<bool>)> = verifiers
        .map(|(program, name)| (name, cells.iter().map(|cell| openssl(program, &signing.root_pem, cell)).collect()))
        .into();
    columns.push(("Bouncy Castle 1.80", bouncy_castle(&signing.root_pem, &cells)));
    for (index, cell) in cells.iter().enumerate() {
        let accepted = columns.iter().any(|(_, verdicts)| verdicts[index]);
        assert!(accepted, "{} with {} is accepted by nobody", cell.key, cell.hash);
    }
    compare("Detached signatures", &table(&cells, &columns));
}

/// Deploys a service and lets it sign; nothing where the table has no such cell.
async fn sign(signing: &Signing, key_type: u32, hash: HashType, rsa_pss: bool) -> Option<Vec<u8>> {
    let mut body = signing.deployment(&format!("{key_type} {hash} {rsa_pss}"), 0);
    body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(format!("00000000-0000-0000-6b74-{key_type:012x}"));
    body["pkisigning"]["hashAlgorithm"] = json!(hash);
    body["pkisigning"]["rsaPss"] = json!(rsa_pss);
    let reply = signing.admin.post(DEPLOY, body).await;
    if reply.status == 400 {
        reply.refused(400, "InvalidSelection", Some("/pkisigning/hashAlgorithm"));
        return None;
    }
    let text = |member: &str| reply.response()[member].as_str().unwrap().to_owned();
    let service = crate::signing::Service {
        uuid: text("serviceUuid"),
        policy: text("policyUuid"),
        certificate: text("certificateUuid"),
    };
    let request = signing.admin.post(REQUESTS, submission(&service, CONTENT)).await;
    let request = request.response()["uuid"].as_str().unwrap().to_owned();
    Some(bytes(&signing.read(&request).await["signature"]))
}

/// Whether `openssl cms -verify` accepts the content; it must refuse another one.
fn openssl(program: &str, root_pem: &str, cell: &Cell) -> bool {
    let accepts = |content| openssl_accepts(program, root_pem, &cell.cms, content);
    assert!(!accepts(OTHER), "{program} takes the signature of {} with {} for any content", cell.key, cell.hash);
    accepts(CONTENT)
}

/// What Bouncy Castle says of each cell.
fn bouncy_castle(root_pem: &str, cells: &[Cell]) -> Vec<bool> {
    let root: String = root_pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let line =
        |cell: &Cell, content: &[u8]| format!("{} {} {root}\n", Base64::encode(&cell.cms), Base64::encode(content));
    let lines: String = cells.iter().flat_map(|cell| [line(cell, CONTENT), line(cell, OTHER)]).collect();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/journeys/signatures/Verify.java");
    let jars = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bouncycastle/*");
    let verdicts = Tool::new("java").args(["-cp", jars, source]).input(lines).run().text();
    let verdicts: Vec<_> = verdicts.lines().collect();
    assert_eq!(verdicts.len(), 2 * cells.len());
    let judge = |(pair, cell): (&[&str], &Cell)| {
        assert!(pair[1].starts_with("bad"), "{} with {} is taken for any content", cell.key, cell.hash);
        pair[0] == "good"
    };
    verdicts.chunks(2).zip(cells).map(judge).collect()
}

fn table(cells: &[Cell], columns: &[(&str, Vec<bool>)]) -> String {
    let mut text = format!("{HEADER}\n| key | hash |");
    for (name, _) in columns {
        let _ = write!(text, " {name} |");
    }
    let _ = write!(text, "\n|---|---|{}", "---|".repeat(columns.len()));
    for (index, cell) in cells.iter().enumerate() {
        let _ = write!(text, "\n| {} | {} |", cell.key, cell.hash);
        for (_, verdicts) in columns {
            text.push_str(if verdicts[index] { " yes |" } else { "  |" });
        }
    }
    text + "\n"
}

/// Compares a section of the document, or writes it.
pub(crate) fn compare(heading: &str, section: &str) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _turn = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let document = fs::read_to_string(DOCUMENT).unwrap();
    let mark = format!("\n## {heading}\n");
    let begin = document.find(&mark).expect("the document has the section") + mark.len();
    let end = document[begin..].find("\n## ").map_or(document.len(), |end| begin + end);
    if std::env::var_os("CHANCERY_UPDATE").is_some() {
        fs::write(DOCUMENT, [&document[..begin], section, &document[end..]].concat()).unwrap();
    } else {
        let committed = &document[begin..end];
        assert!(committed == section, "docs/SIGNATURES.md is out of date; CHANCERY_UPDATE=1 writes it:\n{section}");
    }
}
