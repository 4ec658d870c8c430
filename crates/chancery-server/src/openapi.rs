//! The OpenAPI document: what the routes say of themselves, and what is true of all of them.

use chancery_types::wire::{Envelope, ErrorResponse};
use utoipa::{
    OpenApi as _,
    openapi::{
        Components, ContentBuilder, OpenApi, PathItem, Ref, Response, ResponseBuilder,
        path::Operation,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

use crate::{router, session_cookie};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Chancery",
        description = "A key-management server: tokenization, certificates, and code signing under approvals.",
        license(name = "Apache-2.0 OR MIT", identifier = "Apache-2.0 OR MIT"),
    ),
    components(schemas(Envelope<ErrorResponse>)),
)]
struct Frame;

/// The name that the document gives to `Envelope<ErrorResponse>`.
const REFUSED: &str = "Envelope_ErrorResponse";

/// The frame that the routes are put into.
pub(crate) fn frame() -> OpenApi {
    Frame::openapi()
}

/// The document as `/openapi.json` answers it.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut document = router::all().into_openapi();
    let components = document.components.get_or_insert_with(Components::new);
    components.security_schemes.extend(security_schemes().map(|(name, scheme)| (name.to_owned(), scheme.into())));
    components.responses.extend(REFUSALS.map(|refusal| (refusal.name.to_owned(), refusal.response().into())));
    for (path, item) in &mut document.paths.paths {
        if path.starts_with("/api/v2/") || path.starts_with("/cuserv/v1/") {
            for operation in operations(item) {
                document_refusals(operation);
                operation.security = Some(either_credential());
            }
        }
    }
    document
}

/// A refusal that may come from in front of any handler.
#[derive(Clone, Copy)]
struct Refusal {
    name: &'static str,
    status: &'static str,
    description: &'static str,
    /// Which operations may answer it.
    applies: fn(&Operation) -> bool,
}

const REFUSALS: [Refusal; 10] = [
    Refusal {
        name: "BadRequest",
        status: "400",
        description: "ArgumentParseError: the body is not as described. InvalidSelection: a member names nothing that \
                      exists. InvalidValue: a member breaks a rule of the object.",
        applies: |operation| has_body(operation) || has_parameters(operation),
    },
    Refusal {
        name: "Unauthorized",
        status: "401",
        description: "InvalidAuthToken: no token or session, or one that is incomplete, expired, revoked or forged.",
        applies: |_| true,
    },
    Refusal {
        name: "Forbidden",
        status: "403",
        description: "NotAuthorized: no Control Rule, permission or key usage grants it. ApiAccessDisabled: API access \
                      is switched off.",
        applies: |_| true,
    },
    Refusal {
        name: "NotFound",
        status: "404",
        description: "InvalidSelection: the object in the path does not exist.",
        applies: has_parameters,
    },
    Refusal {
        name: "Conflict",
        status: "409",
        description: "InvalidState: the object's state does not allow this. AlreadyExists: the name is taken.",
        applies: |operation| has_body(operation) || has_parameters(operation),
    },
    Refusal {
        name: "TooLarge",
        status: "413",
        description: "LimitExceeded: the body, or a value in it, is larger than its limit.",
        applies: has_body,
    },
    Refusal {
        name: "ContentType",
        status: "415",
        description: "ArgumentParseError: the content type is not application/json.",
        applies: has_body,
    },
    Refusal {
        name: "RateLimited",
        status: "429",
        description: "RateLimited: too many calls or too much waiting work; try again after Retry-After.",
        applies: |_| true,
    },
    Refusal {
        name: "InternalError",
        status: "500",
        description: "InternalError: the cause is in the server's log under the request id.",
        applies: |_| true,
    },
    Refusal {
        name: "Unavailable",
        status: "503",
        description: "Sealed: the root key is not loaded. Unavailable: storage or key hardware is out of reach.",
        applies: |_| true,
    },
];

impl Refusal {
    fn response(self) -> Response {
        let schema = Ref::from_schema_name(REFUSED);
        let content = ContentBuilder::new().schema(Some(schema)).build();
        ResponseBuilder::new().description(self.description).content("application/json", content).build()
    }
}

fn document_refusals(operation: &mut Operation) {
    for refusal in REFUSALS {
        if !(refusal.applies)(operation) {
            continue;
        }
        let response = Ref::from_response_name(refusal.name).into();
        operation.responses.responses.entry(refusal.status.to_owned()).or_insert(response);
    }
}

const fn has_body(operation: &Operation) -> bool {
    operation.request_body.is_some()
}

fn has_parameters(operation: &Operation) -> bool {
    operation.parameters.as_ref().is_some_and(|parameters| !parameters.is_empty())
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, options, head, patch, trace, query, .. } = item;
    [get, put, post, delete, options, head, patch, trace, query].into_iter().flatten()
}

const BEARER: &str = "bearer";
const SESSION: &str = "session";

fn security_schemes() -> [(&'static str, SecurityScheme); 2] {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("The token of GET /home/v1/login/token. Where it is sent it alone decides."))
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
