//! Files that cannot carry a signature, or only one that no verifier would accept: refused before anything is signed.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{deploy, installer, now};
use crate::{
    app::Setup,
    signing::{EC_P256, REQUESTS, Signing, approve, submission},
};

/// An installer in whose table the chain of its large stream leads back to where it begins.
fn looping() -> Vec<u8> {
    let mut file = installer();
    let u32_at = |file: &[u8], at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let sector = |number: u32| (number as usize + 1) * 512;
    let content = file.windows(512).position(|bytes| bytes == [7; 512]).unwrap();
    let large = u32::try_from(content / 512 - 1).unwrap();
    let table = u32_at(&file, 0x4c + 4 * (large as usize / 128));
    let next = sector(table) + 4 * (large as usize % 128 + 1);
    file[next..next + 4].copy_from_slice(&large.to_le_bytes());
    file
}

/// A JAR of one entry of zeros, some thousand times longer than it.
fn packed_archive() -> Vec<u8> {
    let script = "import io,sys,zipfile
file = io.BytesIO()
with zipfile.ZipFile(file, 'w', zipfile.ZIP_DEFLATED) as jar: jar.writestr('zeros', bytes(64 << 20))
sys.stdout.buffer.write(file.getvalue())";
    chancery_testkit::Tool::new("python3").args(["-c", script]).run().stdout
}

#[tokio::test]
async fn what_cannot_be_embedded_is_refused_at_submission_and_never_signed() {
    let signing = Signing::with(Setup::default()).await;
    let files = [
        ("Msi", looping()),
        ("JavaJar", packed_archive()),
        ("Powershell", b"Write-Output 1\r\n# hidden\rInvoke-Evil\r\n".to_vec()),
        ("Powershell", b"\r\n\r\n\r\n".to_vec()),
    ];
    for (number, (format, file)) in files.iter().enumerate() {
        // At once, and where people would be waited for.
        for approvals in [0, 1] {
            let change = |body: &mut serde_json::Value| body["pkisigning"]["signingFormat"] = json!(format);
            let service = signing.deploy_with(&format!("{format} {number} {approvals}"), approvals, change).await;
            let began = Instant::now();
            let reply = signing.admin.post(REQUESTS, submission(&service, file)).await;
            reply.refused(400, "InvalidValue", Some("/uploadData"));
            assert!(began.elapsed() < Duration::from_secs(30), "{format}: {:?}", began.elapsed());
        }
    }
    assert_eq!(signing.admin.get(REQUESTS).await.response()["total"], 0, "nothing was submitted, and nothing signed");
}

/// Two requests of a service that two people approve, and the payload of the first is another one by now.
async fn with_payload(signing: &Signing, payload: &[u8]) -> (String, String) {
    let change = |body: &mut serde_json::Value| body["pkisigning"]["signingFormat"] = json!("Msi");
    let service = signing.deploy_with("installers", 2, change).await;
    let (other, good) = (signing.submit(&service, &installer()).await, signing.submit(&service, &installer()).await);
    harm(signing, &other, payload);
    (other, good)
}

/// Writes another payload into the database.
fn harm(signing: &Signing, request: &str, payload: &[u8]) {
    let bytes = hex::encode(payload);
    let bytes = if signing.app.is_on_postgres() { format!("'\\x{bytes}'") } else { format!("X'{bytes}'") };
    let update = format!("UPDATE signing_payloads SET payload = {bytes} WHERE request_id = '{request}'");
    assert_eq!(signing.app.harm(&update), 1);
}

/// As of a release that read it still, and did not try a signature before people were asked.
#[tokio::test]
async fn a_file_that_cannot_carry_its_signature_fails_at_the_last_approval() {
    let signing = now().await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let (bad, good) = with_payload(&signing, &looping()).await;
    for request in [&bad, &good] {
        assert_eq!(approve(&ann, request).await.response()["state"], "Approval");
    }
    let shown = ann.get(&format!("{REQUESTS}/{bad}?include=uploadData")).await;
    shown.refused(503, "Unavailable", None);
    let last = approve(&bob, &bad).await;
    let words = ["state", "approvalState", "signature"].map(|member| last.response()[member].as_str().unwrap());
    assert_eq!(words, ["Failed", "Approved", ""]);
    let detail = signing.read(&bad).await;
    let reason = detail["reason"].as_str().unwrap();
    assert!(reason.starts_with("The file cannot carry its signature: "), "{reason}");
    assert_eq!([&detail["state"], &detail["signature"]], ["Failed", ""]);
    let download = signing.admin.get(&format!("{REQUESTS}/{bad}/signed/download")).await;
    download.refused(409, "InvalidState", None);
    assert!(download.text().contains("not signed"), "{}", download.text());
    signing.admin.post(&format!("{REQUESTS}/{bad}/repeat"), json!({})).await.refused(409, "InvalidState", None);
    let audit = signing.admin.get("/api/v2/audit?action=SigningRequestFail").await;
    assert_eq!(audit.response()["items"][0]["detail"]["reason"], reason);
    assert_eq!(approve(&bob, &good).await.response()["state"], "Signed");
}

#[tokio::test]
async fn a_signed_file_that_cannot_be_read_any_more_is_none_to_fetch() {
    let signing = now().await;
    let service = deploy(&signing, "installers", "Msi", EC_P256).await;
    let request = signing.submit(&service, &installer()).await;
    harm(&signing, &request, &looping());
    let download = signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await;
    download.refused(409, "InvalidState", None);
    let told = signing.admin.get("/api/v2/audit?action=RowRefuse").await;
    assert_eq!(told.response()["total"], 0, "nobody is suspected");
}

#[tokio::test]
async fn a_file_that_is_another_by_now_is_not_approved_and_stops_no_other() {
    let signing = now().await;
    // As sound as the one that was submitted.
    let mut another = installer();
    let content = another.windows(512).position(|bytes| bytes == [7; 512]).unwrap();
    another[content] = 8;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let (bad, good) = with_payload(&signing, &another).await;
    for request in [&bad, &good] {
        assert_eq!(approve(&ann, request).await.response()["state"], "Approval");
    }
    approve(&bob, &bad).await.refused(503, "Unavailable", None);
    let download = signing.admin.get(&format!("{REQUESTS}/{bad}/signed/download")).await;
    assert_ne!(download.status, 200, "{}", download.text());
    assert_eq!(approve(&bob, &good).await.response()["state"], "Signed");
    assert_eq!(signing.admin.get(&format!("{REQUESTS}/{good}/signed/download")).await.status, 200);
}

/// `osslsigncode` signs the properties besides (`MsiDigitalSignatureEx`), as Windows' own tool does.
#[tokio::test]
async fn an_installer_whose_first_signature_covers_its_properties_keeps_it() {
    use chancery_formats::{Existing, Format};
    use chancery_testkit::{Tool, temp_dir};

    let signing = now().await;
    let service = deploy(&signing, "installers", "Msi", EC_P256).await;
    let folder = temp_dir();
    std::fs::write(folder.path().join("in.msi"), installer()).unwrap();
    let request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem"];
    let uses =
        ["-subj", "/CN=Other", "-addext", "extendedKeyUsage=codeSigning", "-addext", "keyUsage=digitalSignature"];
    let _made = Tool::new("openssl").args(request).args(uses).folder(folder.path()).run();
    let sign = ["sign", "-add-msi-dse", "-h", "sha256", "-certs", "cert.pem", "-key", "key.pem"];
    let files = ["-in", "in.msi", "-out", "out.msi"];
    let _signed = Tool::new("osslsigncode").args(sign).args(files).folder(folder.path()).run();
    let first = std::fs::read(folder.path().join("out.msi")).unwrap();
    let their_root = std::fs::read_to_string(folder.path().join("cert.pem")).unwrap();
    let roots = format!("{}{their_root}", signing.root_pem);
    assert!(super::osslsigncode(&roots, "x.msi", &first, 1));
    let both = super::sign(&signing, &service, Format::Msi, &first, Existing::Append).await;
    assert!(super::osslsigncode(&roots, "x.msi", &both, 2), "both are good");
    let alone = super::sign(&signing, &service, Format::Msi, &both, Existing::Replace).await;
    assert!(super::osslsigncode(&signing.root_pem, "x.msi", &alone, 1));
    // Under another hash it would not be the digest that the first signature is over.
    let other = super::deploy_with_hash(&signing, "sha384", "Msi", EC_P256, "Sha2_384").await;
    let mut body = submission(&other, &first);
    body["existingSignature"] = json!("Append");
    signing.admin.post(REQUESTS, body).await.refused(400, "InvalidValue", Some("/uploadData"));
}
