//! Lists that are long to read, over many connections of one caller, and everybody else.

use std::time::{Duration, Instant};

use chancery_server::Bounds;
use chancery_types::RoleId;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::watch,
    time::timeout,
};

use super::served::Served;
use crate::{
    app::Setup,
    certificates::key_type,
    signing::{REQUESTS, Signing},
};

/// Requests that a search looks at where no index helps it.
const ROWS: usize = 120_000;

/// A connection that is used again and again.
struct Connection {
    stream: TcpStream,
    bearer: String,
}

impl Connection {
    async fn new(served: &Served, bearer: &str) -> Self {
        Self { stream: TcpStream::connect(served.address).await.unwrap(), bearer: bearer.to_owned() }
    }

    /// The status of one call, its body, and how long it took.
    async fn call(&mut self, method: &str, path: &str, body: &str) -> (u16, String, Duration) {
        let begun = Instant::now();
        let Self { stream, bearer } = self;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let (mut said, mut part) = (Vec::new(), vec![0; 65_536]);
        loop {
            let read = timeout(Duration::from_secs(20), stream.read(&mut part)).await.expect("an answer").unwrap();
            assert!(read > 0, "closed: {}", String::from_utf8_lossy(&said));
            said.extend_from_slice(&part[..read]);
            let text = String::from_utf8_lossy(&said);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.to_lowercase();
            let length = length.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap();
            if body.len() == length.parse::<usize>().unwrap() {
                return (head[9..12].parse().unwrap(), body.to_owned(), begun.elapsed());
            }
        }
    }
}

/// Copies of the only request, which no interface makes so many of in a test's time.
fn copy_request(signing: &Signing) {
    let columns = "service_id, policy_id, name, name_key, state, digest, required_at_submission, submitted_at_ms, \
                   submitters_id, version, mac";
    let (id, numbers) = if signing.app.is_on_postgres() {
        ("lpad(n::text, 32, '0')::uuid::text", format!("generate_series(1, {ROWS}) AS numbers (n)"))
    } else {
        (
            "printf('00000000-0000-0000-0000-%012d', n)",
            format!(
                "(WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {ROWS}) SELECT n FROM c)"
            ),
        )
    };
    signing.app.harm(&format!(
        "INSERT INTO signing_requests (id, {columns}) SELECT {id}, {columns} FROM signing_requests, {numbers}"
    ));
}

/// The path of a vault's profile that applications use.
async fn vault(signing: &Signing) -> String {
    let rule = |role: &RoleId, operation: &str| json!({"roleUuid": role, "operation": operation});
    let key = json!({"name": "of the vault", "keyTypeUuid": key_type(&signing.admin, "AES-256 Tokenization").await});
    let key = signing.admin.post("/api/v2/keys", key).await;
    let body = json!({
        "objInfo": {"name": "random"}, "algorithm": "Random", "keyUuid": key.response()["uuid"],
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 4, "luhn": "Ignore"},
        "controlRules": [rule(&RoleId::APPLICATION, "Tokenize"), rule(&RoleId::APPLICATION, "Detokenize")],
    });
    let made = signing.admin.post("/api/v2/token-profiles", body).await;
    format!("/api/v2/token-profiles/{}", made.response()["objInfo"]["uuid"].as_str().unwrap())
}

/// An installation in which a search reads all of so many requests.
async fn with_requests() -> Signing {
    let mut setup = Setup::default();
    setup.limits.lists.scan_max = u32::try_from(2 * ROWS).unwrap();
    // On a busy machine none is refused because its turn came late.
    setup.limits.lists.wait_max = Duration::from_secs(20);
    let signing = Signing::with(setup).await;
    let service = signing.deploy("builds", 1).await;
    signing.submit(&service, b"content").await;
    copy_request(&signing);
    signing
}

/// Searches again and again until the end; answers how long each took.
async fn search(mut connection: Connection, ending: watch::Receiver<bool>) -> Vec<Duration> {
    let mut took = Vec::new();
    while !*ending.borrow() {
        let (status, body, time) = connection.call("GET", &format!("{REQUESTS}?search=nothing+has+it"), "").await;
        assert_eq!(status, 200, "{body}");
        took.push(time);
    }
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_connections_of_one_caller_that_read_lists_delay_nobody_else() {
    let signing = with_requests().await;
    let vault = vault(&signing).await;
    let served = Served::plain(signing.app.routes.clone(), Bounds::default()).await;
    let greedy = signing.approver("greedy").await.bearer.unwrap();
    let other = signing.app.person("other", &[RoleId::APPLICATION]).await.bearer.unwrap();
    let colleague = signing.approver("colleague").await.bearer.unwrap();
    for round in 1.. {
        let [of_vault, of_lists, of_searches] = medians(&served, &vault, [&greedy, &other, &colleague]).await;
        // Only who asks for so much waits behind it. Times on a busy machine are compared with each other.
        if of_vault * 5 < of_searches && of_lists * 2 < of_searches {
            break;
        }
        assert!(
            round < 3,
            "{of_vault:?} for a call of the vault, {of_lists:?} for another's list, {of_searches:?} for one of ten \
             searches"
        );
    }
}

/// How long calls of the vault, short lists and searches take that three callers make at the same time.
async fn medians(served: &Served, vault: &str, [greedy, other, colleague]: [&str; 3]) -> [Duration; 3] {
    let (end, ending) = watch::channel(false);
    let mut searches = Vec::new();
    for _ in 0..10 {
        searches.push(tokio::spawn(search(Connection::new(served, greedy).await, ending.clone())));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (mut calls, mut reads) = (Connection::new(served, other).await, Connection::new(served, colleague).await);
    let (mut of_vault, mut of_lists) = (Vec::new(), Vec::new());
    for number in 0..20 {
        let made = json!({"message": (4_111_111_111_111_111_u64 + number).to_string()}).to_string();
        let (status, body, _) = calls.call("POST", &format!("{vault}/tokenize"), &made).await;
        assert_eq!(status, 200, "{body}");
        let token: serde_json::Value = serde_json::from_str(&body).unwrap();
        let asked = json!({"token": token["response"]["token"]}).to_string();
        let (status, body, took) = calls.call("POST", &format!("{vault}/detokenize"), &asked).await;
        assert_eq!(status, 200, "{body}");
        of_vault.push(took);
        let (status, body, took) = reads.call("GET", &format!("{REQUESTS}?pageSize=1"), "").await;
        assert_eq!(status, 200, "{body}");
        of_lists.push(took);
    }
    end.send(true).unwrap();
    let mut of_searches = Vec::new();
    for search in searches {
        of_searches.extend(search.await.unwrap());
    }
    [median(of_vault), median(of_lists), median(of_searches)]
}
