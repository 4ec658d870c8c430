//! TLS, as a client that we did not write sees it.

use std::{fs, time::Duration};

use chancery_server::Bounds;
use chancery_testkit::{Ran, Tool, temp_dir};
use tokio::task::spawn_blocking;

use super::served::{Served, slow_router};
use crate::app::TestApp;

async fn s_client(served: &Served, arguments: &'static [&'static str], input: &'static str) -> Ran {
    let (address, ca_file) = (served.address.to_string(), served.ca_file.clone());
    let run = move || {
        Tool::new("openssl")
            .args(["s_client", "-connect", &address, "-verify_return_error", "-servername", "localhost", "-CAfile"])
            .arg(ca_file)
            .args(arguments)
            .input(input)
            .try_run()
    };
    spawn_blocking(run).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_1_2_and_1_3_and_none_older() {
    let served = Served::over_tls(TestApp::new().await.routes, Bounds::default()).await;
    for (version, name) in [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")] {
        let arguments: &[&str] = if version == "-tls1_2" { &["-tls1_2"] } else { &["-tls1_3"] };
        let ran = s_client(&served, arguments, "").await;
        assert!(ran.status.success() && ran.text().contains(name), "{version}: {}{}", ran.text(), ran.stderr);
        assert!(ran.text().contains("Verification: OK"), "{}", ran.text());
    }
    for older in [&["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"][..], &["-tls1", "-cipher", "ALL:@SECLEVEL=0"]] {
        let ran = s_client(&served, older, "").await;
        assert!(!ran.status.success(), "{older:?} was accepted: {}", ran.text());
        assert!(ran.stderr.contains("alert"), "refused by us, not by openssl itself: {older:?}: {}", ran.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn weak_ciphers_are_refused() {
    let served = Served::over_tls(TestApp::new().await.routes, Bounds::default()).await;
    for cipher in [
        &["-tls1_2", "-cipher", "AES128-SHA:@SECLEVEL=0"][..],
        &["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"],
    ] {
        let ran = s_client(&served, cipher, "").await;
        assert!(ran.stderr.contains("handshake failure"), "{cipher:?}: {}{}", ran.text(), ran.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn http_2_and_1_1_are_negotiated() {
    let served = Served::over_tls(TestApp::new().await.routes, Bounds::default()).await;
    let ran = s_client(&served, &["-alpn", "h2,http/1.1"], "").await;
    assert!(ran.text().contains("ALPN protocol: h2"), "{}", ran.text());
    let ran = s_client(&served, &["-alpn", "http/1.1"], "").await;
    assert!(ran.text().contains("ALPN protocol: http/1.1"), "{}", ran.text());
    for version in ["--http1.1", "--http2"] {
        let (url, ca_file) = (format!("https://{}/healthz", served.address), served.ca_file.clone());
        let curl = move || {
            Tool::new("curl").args(["-sS", version, "-w", " %{http_version}", "--cacert"]).arg(ca_file).arg(url).run()
        };
        let text = spawn_blocking(curl).await.unwrap().text();
        assert_eq!(text, format!("{{\"status\":\"ok\"}} {}", &version["--http".len()..]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_on_the_tls_socket_gets_nowhere() {
    let served = Served::over_tls(slow_router(Duration::ZERO), Bounds::default()).await;
    let url = format!("http://{}/slow", served.address);
    let ran = spawn_blocking(move || Tool::new("curl").args(["-sS", &url]).try_run()).await.unwrap();
    assert!(!ran.status.success(), "{}", ran.text());
}

#[test]
fn what_is_no_certificate_is_named() {
    let refusal = |chain: &[u8], key: &[u8]| chancery_server::tls_config(chain, key).err().unwrap().to_string();
    assert!(refusal(b"-----BEGIN NOTHING-----", b"").starts_with("the certificate chain cannot be read: "));
    assert!(refusal(b"-----BEGIN PRIVATE KEY-----", b"").starts_with("the certificate chain cannot be read: "));
    assert!(refusal(b"", b"").starts_with("there is no certificate in it: "));
    let folder = temp_dir();
    let made = |name: &str| {
        let file = |kind: &str| folder.path().join(format!("{name}.{kind}"));
        let made = Tool::new("openssl").args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        let made = made.args(["-nodes", "-subj", "/CN=a", "-keyout"]).arg(file("key")).arg("-out").arg(file("pem"));
        let _made = made.run();
        (fs::read(file("pem")).unwrap(), fs::read(file("key")).unwrap())
    };
    let ((chain, key), (_, other)) = (made("one"), made("other"));
    assert!(chancery_server::tls_config(&chain, &key).is_ok());
    assert_eq!(refusal(&chain, &other), "the private key is not that of the first certificate");
    assert!(refusal(&chain, &chain).starts_with("there is no private key in it: "));
    assert!(refusal(&chain, b"-----BEGIN PRIVATE KEY-----").starts_with("the private key cannot be read: "));
}
