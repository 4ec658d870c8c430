//! The OpenAPI document: what the routes say of themselves, and what is true of all of them.

mod about;
mod examples;
mod refusals;

use chancery_types::{
    Concern, PasskeyId,
    wire::{Envelope, ErrorResponse},
};
use serde_json::json;
use utoipa::{
    OpenApi as _,
    openapi::{
        Components, Content, KnownFormat, Object, OpenApi, PathItem, RefOr, Schema, SchemaFormat, Type,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use self::examples::Example;
use crate::{middleware::idempotency, router, session_cookie};

const JSON: &str = "application/json";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Chancery",
        description = "A key-management server: tokenization, certificates, and code signing under approvals.",
        license(name = "Apache-2.0 OR MIT", identifier = "Apache-2.0 OR MIT"),
    ),
    components(schemas(Envelope<ErrorResponse>, Concern, PasskeyId)),
)]
struct Frame;

/// The frame that the routes are put into.
pub(crate) fn frame() -> OpenApi {
    Frame::openapi()
}

/// The document as `/openapi.json` answers it.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut document = router::all().into_openapi();
    document.servers = Some(about::servers());
    document.tags = Some(about::tags());
    let components = document.components.get_or_insert_with(Components::new);
    components.security_schemes.extend(security_schemes().map(|(name, scheme)| (name.to_owned(), scheme.into())));
    components.responses.extend(refusals::responses());
    let mut examples = examples::all();
    let paths = std::mem::take(&mut document.paths.paths);
    document.paths.paths = paths.into_iter().map(|(path, item)| (documented_path(&path), item)).collect();
    for (path, item) in &mut document.paths.paths {
        let enveloped = path.starts_with("/api/v2/") || path.starts_with("/cuserv/v1/");
        for (method, operation) in operations(item) {
            operation.operation_id = Some(operation_id(method, path));
            complete(operation, examples.remove(&format!("{method} {path}")).unwrap_or_default());
            if enveloped {
                refusals::document(method, operation);
                operation.security = Some(either_credential());
                if method == "post" && !idempotency::needs_no_key(path) {
                    operation.parameters.get_or_insert_default().push(idempotency_key().into());
                }
            } else if is_for_relying_parties(path) {
                refusals::document_plain(operation);
            }
        }
    }
    document
}

/// Certificates, lists, status and time stamps: what fails here is said in plain text.
fn is_for_relying_parties(path: &str) -> bool {
    ["/ca/", "/crl/", "/ocsp", "/tsa"].iter().any(|root| path.starts_with(root))
}

/// OpenAPI has no word for the router's `{*rest}`, which takes slashes too.
fn documented_path(path: &str) -> String {
    path.replace("{*", "{")
}

/// Unlike the name of a handler, method and path are unique: `post_token_profiles_uuid_tokenize`.
fn operation_id(method: &str, path: &str) -> String {
    let path = path.strip_prefix("/api/v2").unwrap_or(path);
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(method.to_owned(), |id, word| id + "_" + word)
}

/// What the attributes cannot say.
fn complete(operation: &mut Operation, example: Example) {
    let Example { request, mut answer } = example;
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if response.description.is_empty() {
            response.description = "done".to_owned();
        }
        for (media_type, content) in &mut response.content {
            octets_as_such(media_type, content);
            if let RefOr::T(content) = content
                && (status.as_str(), media_type.as_str()) == ("200", JSON)
            {
                content.example = answer.take();
            }
        }
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        for (media_type, content) in &mut body.content {
            octets_as_such(media_type, content);
            if let RefOr::T(content) = content {
                content.schema = content.schema.take().map(without_null);
                if media_type == JSON {
                    // What the document of the interface sends no body to takes an empty one.
                    content.example = Some(request.clone().unwrap_or_else(|| json!({})));
                }
            }
        }
    }
}

/// Bytes are written as an array of numbers only in JSON, which nothing here does: elsewhere they are the body itself.
fn octets_as_such(media_type: &str, content: &mut RefOr<Content>) {
    if let RefOr::T(content) = content
        && media_type != JSON
        && matches!(content.schema, Some(RefOr::T(Schema::Array(_))))
    {
        let mut octets = Object::with_type(Type::String);
        octets.format = Some(SchemaFormat::KnownFormat(KnownFormat::Binary));
        content.schema = Some(octets.into());
    }
}

/// A body that may be left out is still an object where it is sent, never `null`.
fn without_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::OneOf(either)) = &schema else { return schema };
    let object = either.items.iter().find(|item| matches!(item, RefOr::Ref(_))).cloned();
    object.unwrap_or(schema)
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, options, head, patch, trace, query, .. } = item;
    [
        ("get", get),
        ("put", put),
        ("post", post),
        ("delete", delete),
        ("options", options),
        ("head", head),
        ("patch", patch),
        ("trace", trace),
        ("query", query),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn idempotency_key() -> Parameter {
    let description = "Chosen by the sender, such as a random UUID: the call is made once, and whoever repeats it within \
                       24 hours gets the same answer.";
    let mut key = Object::with_type(Type::String);
    (key.min_length, key.max_length) = (Some(1), Some(idempotency::KEY_MAX));
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .description(Some(description))
        .schema(Some(key))
        .build()
}

const BEARER: &str = "bearer";
const SESSION: &str = "session";

fn security_schemes() -> [(&'static str, SecurityScheme); 2] {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some(
            "The token of GET /home/v1/login/token, or an API key (`chk_…`). Where it is sent it alone decides.",
        ))
        .build();
    let cookie = ApiKey::Cookie(ApiKeyValue::with_description(
        session_cookie::NAME,
        "The cookie of POST /home/v1/login. A changing call with the cookie alone must be same-origin.",
    ));
    [(BEARER, SecurityScheme::Http(bearer)), (SESSION, SecurityScheme::ApiKey(cookie))]
}

fn either_credential() -> Vec<SecurityRequirement> {
    [BEARER, SESSION].map(|scheme| SecurityRequirement::new(scheme, [""; 0])).into()
}
