//! A method for every operation of the interface, in files named like the sections of docs/INTERFACE.md. What is left out
//! stands at the end, with its reason: a test holds both against docs/openapi.json.

use serde::Serialize;
use serde_json::Value;

use crate::{ClientError, transport::json};

mod certificates;
mod identities;
mod identity_providers;
mod keys;
mod notices;
mod proposals;
mod server;
mod signing;
mod tokens;

/// Methods of [`Client`](crate::Client), one a line: `METHOD "path" => name(of the path) [? query] [< body] -> answer`, and
/// the list of their operations. Members of a path stand in it as the method calls them.
macro_rules! operations {
    ($list:ident: $(
        $(#[$says:meta])*
        $method:ident $path:literal => $name:ident($($part:ident: $of:ty),*)
        $([? $query:ty])? $([< $body:ty])? -> $answer:ty;
    )*) => {
        impl crate::Client {$(
            $(#[$says])*
            ///
            /// # Errors
            ///
            /// [`ClientError`](crate::ClientError), as for every call.
            pub fn $name(
                &self,
                $($part: $of,)*
                $(query: &$query,)?
                $(body: &$body,)?
            ) -> Result<$answer, crate::ClientError> {
                let path = format!($path) $(+ &crate::operations::query_of::<$query>(query)?)?;
                let body: Option<String> = None $(.or(Some(crate::transport::json::<$body>(body)?)))?;
                self.call(stringify!($method), &path, body.as_deref())
            }
        )*}

        #[cfg(feature = "async")]
        impl crate::AsyncClient {$(
            $(#[$says])*
            ///
            /// # Errors
            ///
            /// [`ClientError`](crate::ClientError), as for every call.
            pub async fn $name(
                &self,
                $($part: $of,)*
                $(query: $query,)?
                $(body: $body,)?
            ) -> Result<$answer, crate::ClientError> {
                self.call(move |client| {
                    client.$name($($part,)* $({ let query: &$query = &query; query },)? $({ let body: &$body = &body; body })?)
                })
                .await
            }
        )*}

        #[cfg(test)]
        pub(super) const $list: &[(&str, &str)] = &[$((stringify!($method), $path)),*];
    };
}

use operations;

/// A query of a path with its question mark; nothing where it asks for nothing.
fn query_of<T: Serialize>(query: &T) -> Result<String, ClientError> {
    let members: Value = serde_json::from_str(&json(query)?)
        .map_err(|error| ClientError::Unexpected { status: 0, why: error.to_string() })?;
    let mut parts = Vec::new();
    for (name, value) in members.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            // The one query with names of the caller's: metadata.NAME=VALUE.
            Value::Object(inner) => {
                parts.extend(inner.iter().map(|(key, value)| part(&format!("{name}.{key}"), value)));
            }
            value @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                parts.push(part(name, value));
            }
        }
    }
    Ok(if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) })
}

fn part(name: &str, value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    format!("{}={}", escaped(name), escaped(&text))
}

/// One segment of a path, or a value of a query: everything but unreserved characters is escaped (RFC 3986, 2.1).
#[must_use]
pub fn escaped(segment: &str) -> String {
    use std::fmt::Write as _;
    segment.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(byte.into());
        } else {
            let _infallible = write!(text, "%{byte:02X}");
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chancery_types::{SigningRequestState, wire::signing_requests::SigningRequestQuery};

    use super::*;

    /// Operations without a method, each with its reason.
    const LEFT_OUT: [(&str, &str, &str); 4] = [
        ("GET", "/docs", "a page for browsers"),
        ("GET", "/docs/interface.md", "a text for people"),
        ("GET", "/ocsp/{}", "the POST asks the same, of any length"),
        ("POST", "/tsa/{}", "StampFetcher posts to any address, this one too"),
    ];

    /// Those of methods that are written by hand.
    const BY_HAND: [(&str, &str); 20] = [
        ("GET", "/api/v2/audit/export"),
        ("GET", "/api/v2/audit/archives/download"),
        ("POST", "/home/v1/login"),
        ("GET", "/home/v1/login"),
        ("GET", "/home/v1/login/token"),
        ("POST", "/home/v1/login/exchange"),
        ("GET", "/home/v1/login/oidc"),
        ("POST", "/home/v1/login/oidc"),
        ("GET", "/home/v1/login/oidc/callback"),
        ("POST", "/home/v1/login/passkey"),
        ("POST", "/home/v1/login/password"),
        ("POST", "/home/v1/login/totp"),
        ("POST", "/home/v1/login/totp/confirm"),
        ("POST", "/home/v1/login/totp/remove"),
        ("POST", "/home/v1/logout"),
        ("GET", "/api/v2/token-profiles/template/{}"),
        ("GET", "/api/v2/x509/crls/export"),
        ("GET", "/api/v2/x509/{}/download"),
        ("GET", "/api/v2/x509/signing-requests/{}/signed/download"),
        ("POST", "/tsa"),
    ];

    /// Those that answer files or have no envelope.
    const PUBLIC: [(&str, &str); 10] = [
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("POST", "/ocsp"),
        ("GET", "/log/checkpoint"),
        ("GET", "/log/vkey"),
        ("GET", "/log/tile/{}"),
        ("GET", "/ca/{}"),
        ("GET", "/crl/{}"),
    ];

    /// A path without the names of its members.
    fn shape(path: &str) -> String {
        let mut parts = path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |path, part| path + "/" + part)
    }

    #[test]
    fn every_operation_of_the_document_has_a_method_or_a_reason() {
        let document = include_str!("../../../../docs/openapi.json");
        let document: Value = serde_json::from_str(document).expect("JSON");
        let paths = document["paths"].as_object().expect("paths");
        let described = paths.iter().flat_map(|(path, operations)| {
            let methods = operations.as_object().expect("operations").keys().filter(|key| *key != "parameters");
            methods.map(|method| (method.to_uppercase(), shape(path)))
        });
        let described: BTreeSet<_> = described.collect();
        let tables = [
            certificates::OPERATIONS,
            identities::OPERATIONS,
            identity_providers::OPERATIONS,
            keys::OPERATIONS,
            notices::OPERATIONS,
            proposals::OPERATIONS,
            signing::OPERATIONS,
            tokens::OPERATIONS,
        ];
        let all = tables.concat().into_iter().chain(BY_HAND).chain(PUBLIC);
        let all = all.chain(LEFT_OUT.map(|(method, path, _)| (method, path)));
        let covered: Vec<_> = all.map(|(method, path)| (method.to_owned(), shape(path))).collect();
        let unique: BTreeSet<_> = covered.iter().cloned().collect();
        assert_eq!(unique.len(), covered.len(), "one twice");
        let missing: Vec<_> = described.difference(&unique).collect();
        let unknown: Vec<_> = unique.difference(&described).collect();
        assert!(missing.is_empty() && unknown.is_empty(), "without a method: {missing:#?}, unknown: {unknown:#?}");
    }

    #[test]
    fn a_segment_is_escaped() {
        assert_eq!(escaped("keep 6+4/é"), "keep%206%2B4%2F%C3%A9");
    }

    #[test]
    fn a_query_has_what_is_asked_for() {
        let all = SigningRequestQuery::default();
        assert_eq!(query_of(&all).expect("a query"), "");
        let some = SigningRequestQuery {
            state: Some(SigningRequestState::Approval),
            page_size: Some(7),
            metadata: Some([("a&b".to_owned(), "c d".to_owned())].into()),
            ..all
        };
        let query = query_of(&some).expect("a query");
        let parts: BTreeSet<_> = query.trim_start_matches('?').split('&').collect();
        assert_eq!(parts, ["metadata.a%26b=c%20d", "pageSize=7", "state=Approval"].into());
    }
}
