//! Every operation of the document, called by the Rust client in both of its ways. What was called, and how it was
//! answered, is what the server has counted (`/metrics`), so a call that goes elsewhere or is left out is seen.
//!
//! Whoever adds an operation adds its call here, in clients/python/tests/tour.py and in clients/typescript/test/tour.ts.

use std::{collections::BTreeSet, fs};

use chancery_client::{AsyncClient, Client, ClientError};
use chancery_testkit::{IdentityProvider, temp_dir};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{process::Demo, relay::Relay};

/// Where browsers would reach the server.
const ORIGIN: &str = "https://kms.example.org";

/// Where a provider sends them back to.
const CALLBACK: &str = "https://kms.example.org/home/v1/login/oidc/callback";

/// The answer of a call that must succeed: `answer!(caller, method(parts of the path), what is sent as JSON)`.
macro_rules! answer {
    ($caller:expr, $name:ident($($part:expr),*) $(, $sent:expr)?) => {
        match &$caller.0 {
            $crate::tour::Way::Blocking(client) => {
                client.$name($($part,)* $(&$crate::tour::typed(&$sent))?)
            }
            $crate::tour::Way::Awaited(client, runtime) => {
                runtime.block_on(client.$name($($part,)* $($crate::tour::typed(&$sent))?))
            }
        }
        .unwrap_or_else(|refused| panic!("{}: {refused}", stringify!($name)))
    };
}

mod certificates;
mod examples;
mod people;
mod server;
mod signing;
mod tokens;
mod workload;

enum Way {
    Blocking(Client),
    Awaited(AsyncClient, Runtime),
}

/// A client with its session.
struct Caller(Way);

impl Caller {
    /// A call that is written by hand, which the asynchronous client hands on.
    #[track_caller]
    fn by_hand<T: Send + 'static>(&self, call: impl FnOnce(&Client) -> Result<T, ClientError> + Send + 'static) -> T {
        let outcome = match &self.0 {
            Way::Blocking(client) => call(client),
            Way::Awaited(client, runtime) => runtime.block_on(client.call(call)),
        };
        outcome.unwrap_or_else(|refused| panic!("{refused}"))
    }
}

/// What a call sends, as the type that it takes.
fn typed<T: DeserializeOwned>(sent: &Value) -> T {
    T::deserialize(sent).unwrap_or_else(|error| panic!("{error}: {sent}"))
}

/// Calls by the two administrators, with another person to approve what they ask for, and one who logs in by a provider.
struct Tour {
    demo: Demo,
    client: Caller,
    approver: Caller,
    visitor: Caller,
    relay: Relay,
    provider: IdentityProvider,
}

impl Tour {
    fn run(&self) {
        self.server();
        self.roles_and_identities();
        self.keys();
        self.token_profiles();
        self.tokens();
        self.vault();
        self.certificates();
        self.certificate_profiles();
        self.services();
        self.signing_policies();
        self.signing_requests();
        self.failed_request();
        self.proposals();
        self.passkeys();
        self.public_files();
        self.notices();
        self.audit_and_settings();
        self.approver.by_hand(Client::log_out);
    }

    fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(&self, name: &str) -> T {
        self.demo.text(&format!("/demo/{name}")).parse().unwrap()
    }
}

/// A name that nothing on the server has yet.
fn new_name() -> String {
    format!("thing {:016x}", rand::random::<u64>())
}

/// A value that docs/INTERFACE.md sends: the first member of this name, behind the first of that one, in base64 of more than
/// a hundred characters.
fn documented(member: &str, behind: &str) -> String {
    let text = include_str!("../../../../../docs/INTERFACE.md");
    let text = &text[text.find(&format!("\"{behind}\"")).unwrap()..];
    let name = format!("\"{member}\":");
    let members = text.split(&name).skip(1);
    let mut values = members.filter_map(|rest| rest.split('"').nth(1));
    values.find(|value| value.len() >= 100 && !value.contains(' ')).unwrap().to_owned()
}

/// Without the names of its parameters, which the router and the document spell differently.
fn shape(path: &str) -> String {
    path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect::<Vec<_>>().join("/")
}

/// Takes the tour, and sees that the server has answered every operation of the document, and none with a refusal.
fn takes_the_tour(way: fn(Client) -> Way) {
    let folder = temp_dir();
    let relay = Relay::listen(folder.path());
    let provider = IdentityProvider::start_for_people(folder.path(), CALLBACK);
    let authority = provider.authority().display().to_string();
    let of_provider = ["--provider-ca", &authority, "--provider-networks", "127.0.0.1", "--public-origin", ORIGIN];
    let slow = ["--limit", "provider-wait-max=20"];
    let of_relay = relay.arguments();
    let arguments = [&of_relay.each_ref().map(String::as_str)[..], &of_provider, &slow].concat();
    let demo = Demo::start_made(folder.path(), &arguments);
    let client = || Client::new(demo.text("/base"), &fs::read(demo.text("/caFile")).unwrap()).unwrap();
    let [admins, approver, visitor] = [(); 3].map(|()| Caller(way(client())));
    for (caller, person) in [(&admins, "/admins/0"), (&admins, "/admins/1"), (&approver, "/approver")] {
        let [name, password] =
            ["username", "password"].map(|member| demo.text(&format!("{person}/{member}")).to_owned());
        let _state = caller.by_hand(move |client| client.log_in(&name, &password));
    }
    admins.by_hand(Client::take_token);
    approver.by_hand(Client::take_token);
    let tour = Tour { client: admins, approver, visitor, demo, relay, provider };
    tour.run();

    let counted = tour.client.by_hand(Client::metrics);
    let answered = |is_meant: fn(&str) -> bool| -> BTreeSet<String> {
        let counts = counted.lines().filter_map(|line| line.strip_prefix("chancery_http_requests_total{"));
        let labels = counts.map(|line| line.split('"').collect::<Vec<_>>());
        labels.filter(|label| is_meant(label[5])).map(|label| format!("{} {}", label[1], shape(label[3]))).collect()
    };
    let succeeded = answered(|status| status < "400");
    let document: Value = serde_json::from_str(include_str!("../../../../../docs/openapi.json")).unwrap();
    let mut never = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let label = format!("{} {}", method.to_uppercase(), shape(path));
            if !succeeded.contains(&label) {
                never.push(operation["operationId"].as_str().unwrap());
            }
        }
    }
    assert!(never.is_empty(), "never called with success: {never:?}");
    let refused = answered(|status| status >= "400");
    assert!(refused.is_empty(), "{refused:?}");
}

#[test]
fn every_operation_succeeds() {
    takes_the_tour(Way::Blocking);
}

#[test]
fn every_operation_succeeds_where_it_is_awaited() {
    takes_the_tour(|client| Way::Awaited(AsyncClient::new(client), Runtime::new().unwrap()));
}
