//! POST /api/v2/x509/generate: which names are issued.

use serde_json::json;

use crate::{
    app::TestApp,
    certificates::{body, root, with},
};

const PATH: &str = "/api/v2/x509/generate";

#[tokio::test]
async fn what_cannot_be_seen_stands_in_no_subject_and_no_name() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = with(body(&client, "TLS Client").await, json!({"issuerUuid": root}));
    for hidden in ["\u{200b}", "\u{202e}", "\u{2066}", "\u{ad}", "\u{e0041}", "\u{3164}", "\u{feff}", "\u{2028}"] {
        for subject in
            [format!("CN=Admin{hidden}"), format!("O={hidden}Example,CN=a"), format!("1.2.3.4=a{hidden}b,CN=a")]
        {
            let body = with(leaf.clone(), json!({"subjectOneline": subject}));
            client.post(PATH, body).await.refused(400, "InvalidValue", Some("/subjectOneline"));
        }
        let names = json!({"certParams": {"subjectAltNames": [format!("UPN:ann{hidden}@corp.example")]}});
        let reply = client.post(PATH, with(leaf.clone(), names)).await;
        reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/0"));
    }
}
