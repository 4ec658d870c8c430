//! The refusals that may come from in front of any handler, described once.

use utoipa::openapi::{
    ContentBuilder, Header, HeaderBuilder, Object, Ref, RefOr, Response, ResponseBuilder, Type,
    path::{Operation, ParameterIn},
};

/// The name that the document gives to `Envelope<ErrorResponse>`.
const REFUSED: &str = "Envelope_ErrorResponse";

/// A header and what it says.
type Told = (&'static str, &'static str);

const REQUEST_ID: Told = ("X-Request-Id", "the id of this request in the log and in the audit records");
const RETRY_AFTER: Option<Told> = Some(("Retry-After", "seconds to wait"));

/// A refusal that may come from in front of any handler.
#[derive(Clone, Copy)]
struct Refusal {
    name: &'static str,
    status: &'static str,
    description: &'static str,
    /// Which operations may answer it, by method.
    applies: fn(&str, &Operation) -> bool,
    /// What its headers tell besides.
    header: Option<Told>,
}

const REFUSALS: [Refusal; 10] = [
    Refusal {
        name: "BadRequest",
        status: "400",
        description: "ArgumentParseError: the body is not as described. InvalidSelection: a member names nothing that \
                      exists. InvalidValue: a member breaks a rule of the object.",
        applies: |_, operation| has_body(operation) || has_parameter(operation, &ParameterIn::Query),
        header: None,
    },
    Refusal {
        name: "Unauthorized",
        status: "401",
        description: "InvalidAuthToken: no token or session, or one that is incomplete, expired, revoked or forged.",
        applies: |_, _| true,
        header: Some(("WWW-Authenticate", "`Bearer`")),
    },
    Refusal {
        name: "Forbidden",
        status: "403",
        description: "NotAuthorized: no Control Rule, permission or key usage grants it. ApiAccessDisabled: API access \
                      is switched off.",
        applies: |_, _| true,
        header: None,
    },
    Refusal {
        name: "NotFound",
        status: "404",
        description: "InvalidSelection: the object in the path does not exist.",
        applies: |_, operation| has_parameter(operation, &ParameterIn::Path),
        header: None,
    },
    Refusal {
        name: "Conflict",
        status: "409",
        description: "InvalidState: the object's state does not allow this. AlreadyExists: the name is taken.",
        // Of what is read only the signed file depends on a state, and what would be signed to approve something.
        applies: |method, operation| {
            let id = operation.operation_id.as_deref().unwrap_or_default();
            method != "get" || id.ends_with("_signed_download") || id.ends_with("_approval_statement")
        },
        header: None,
    },
    Refusal {
        name: "TooLarge",
        status: "413",
        description: "LimitExceeded: the body, or a value in it, is larger than its limit.",
        applies: |_, operation| has_body(operation),
        header: None,
    },
    Refusal {
        name: "ContentType",
        status: "415",
        description: "ArgumentParseError: the content type is not application/json.",
        applies: |_, operation| has_body(operation),
        header: None,
    },
    Refusal {
        name: "RateLimited",
        status: "429",
        description: "RateLimited: too many calls or too much waiting work; try again after Retry-After.",
        applies: |_, _| true,
        header: RETRY_AFTER,
    },
    Refusal {
        name: "InternalError",
        status: "500",
        description: "InternalError: the cause is in the server's log under the request id.",
        applies: |_, _| true,
        header: None,
    },
    Refusal {
        name: "Unavailable",
        status: "503",
        description: "Sealed: the root key is not loaded. Unavailable: storage or key hardware is out of reach.",
        applies: |_, _| true,
        header: RETRY_AFTER,
    },
];

/// Every refusal by its name, for the components of the document.
pub(super) fn responses() -> impl Iterator<Item = (String, RefOr<Response>)> {
    REFUSALS.into_iter().map(|refusal| (refusal.name.to_owned(), refusal.response().into()))
}

/// Adds to an operation the refusals that may come to it and that it does not describe itself.
pub(super) fn document(method: &str, operation: &mut Operation) {
    for refusal in REFUSALS {
        if !(refusal.applies)(method, operation) {
            continue;
        }
        let response = Ref::from_response_name(refusal.name).into();
        operation.responses.responses.entry(refusal.status.to_owned()).or_insert(response);
    }
}

/// The same where there is no envelope and nobody to recognise: one sentence of plain text.
pub(super) fn document_plain(operation: &mut Operation) {
    for (status, description) in [
        ("429", "too much waiting work; try again after Retry-After"),
        ("500", "the cause is in the server's log under the request id"),
        ("503", "storage or the root key is out of reach; try again after Retry-After"),
    ] {
        let content = ContentBuilder::new().schema(Some(Object::with_type(Type::String))).build();
        let response = ResponseBuilder::new().description(description).content("text/plain", content);
        operation.responses.responses.entry(status.to_owned()).or_insert(response.build().into());
    }
}

impl Refusal {
    fn response(self) -> Response {
        let schema = Ref::from_schema_name(REFUSED);
        let content = ContentBuilder::new().schema(Some(schema)).build();
        let response = ResponseBuilder::new().description(self.description).content("application/json", content);
        let headers = [Some(REQUEST_ID), self.header].into_iter().flatten();
        headers.fold(response, |response, (name, description)| response.header(name, header(description))).build()
    }
}

fn header(description: &str) -> Header {
    HeaderBuilder::new().schema(Some(Object::with_type(Type::String))).description(Some(description)).build()
}

const fn has_body(operation: &Operation) -> bool {
    operation.request_body.is_some()
}

fn has_parameter(operation: &Operation, place: &ParameterIn) -> bool {
    let parameters = operation.parameters.iter().flatten();
    parameters
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(parameter),
            RefOr::Ref(_) => None,
        })
        .any(|parameter| parameter.parameter_in == *place)
}
