//! Every route, on one screen.

use std::{
    convert::Infallible,
    ops::Deref,
    sync::{Arc, LazyLock},
};

use axum::{
    BoxError, Router,
    body::{Body, Bytes, HttpBody},
    extract::Request,
    middleware::from_fn,
    response::Response,
    routing::get,
};
use chancery_core::{Chancery, Source};
use tower::{ServiceExt as _, layer::layer_fn};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    app::App,
    fast_path::Single,
    metrics,
    middleware::{Outermost, Peer, idempotency, no_such_path, refuse_head, to_the_end},
    openapi, routes,
    shares::Share,
};

/// What anybody may ask. Every other route demands a login; a test holds the document against this list.
#[rustfmt::skip]
fn public() -> OpenApiRouter<App> {
    use routes::{ca, crl, log, ocsp, system, tsa};
    OpenApiRouter::with_openapi(openapi::frame())
        .merge(logins())
        .routes(routes!(ca::certificate))
        .routes(routes!(crl::list))
        .routes(routes!(ocsp::post))
        .routes(routes!(ocsp::get))
        .routes(routes!(tsa::default))
        .routes(routes!(tsa::one))
        .routes(routes!(log::checkpoint))
        .routes(routes!(log::vkey))
        .routes(routes!(log::tile))
        .routes(routes!(system::health::live))
        .routes(routes!(system::health::ready))
        .routes(routes!(system::metrics::metrics))
        .routes(routes!(system::openapi::document))
        .routes(routes!(system::openapi::page))
        .routes(routes!(system::openapi::prose))
}

/// What looks at a proof of whom nobody knows yet.
fn logins() -> OpenApiRouter<App> {
    use routes::home::v1::login;
    OpenApiRouter::new()
        .routes(routes!(login::login, login::state))
        .routes(routes!(login::exchange::exchange))
        .routes(routes!(login::oidc::oidc_providers, login::oidc::begin_oidc))
        .routes(routes!(login::oidc::callback::finish_oidc))
        .routes(routes!(login::passkey::passkey_challenge))
        .routes(routes!(login::password::change_password))
        .routes(routes!(login::totp::enrol))
        .routes(routes!(login::totp::confirm::confirm))
        .routes(routes!(login::totp::remove::remove))
        .route_layer(from_fn(to_the_end))
}

/// The console's files. They are no operations of the interface, so the document does not have them.
fn console() -> OpenApiRouter<App> {
    use routes::console;
    OpenApiRouter::new().route("/", get(console::start)).route("/console/{*file}", get(console::file))
}

/// What demands a login.
#[rustfmt::skip]
fn authenticated() -> OpenApiRouter<App> {
    use routes::{
        api::v2::{identities, key_types, keys, roles, system, whoami, x509},
        cuserv::v1 as cuserv, home,
    };
    OpenApiRouter::new()
        .merge(tokenization())
        .merge(proposals())
        .merge(notices())
        .merge(records())
        .merge(api_keys())
        .merge(passkeys())
        .merge(identity_providers())
        .merge(signing_policies())
        .routes(routes!(key_types::stubs::list))
        .routes(routes!(keys::create))
        .routes(routes!(keys::stubs::list))
        .routes(routes!(keys::uuid::read, keys::uuid::change))
        .routes(routes!(keys::rotate::rotate))
        .routes(routes!(keys::disable::disable))
        .routes(routes!(keys::enable::enable))
        .routes(routes!(x509::services::stubs::stubs))
        .routes(routes!(x509::services::list_services))
        .routes(routes!(x509::services::revoke::revoke_service))
        .routes(routes!(
            x509::services::issuance_policy::issuance_policy,
            x509::services::issuance_policy::change_issuance_policy
        ))
        .routes(routes!(x509::services::signing_requests::signing_requests))
        .routes(routes!(x509::services::renew::renew))
        .routes(routes!(x509::services::uuid::read_service, x509::services::uuid::change))
        .routes(routes!(x509::signing_requests::list::list, x509::signing_requests::submit::submit))
        .routes(routes!(x509::signing_requests::batch_approve_deny::batch_approve_deny))
        .routes(routes!(x509::signing_requests::read::read))
        .routes(routes!(x509::signing_requests::approve::approve))
        .routes(routes!(x509::signing_requests::deny::deny))
        .routes(routes!(x509::signing_requests::withdraw::withdraw))
        .routes(routes!(x509::signing_requests::repeat::repeat))
        .routes(routes!(x509::signing_requests::items::items))
        .routes(routes!(x509::signing_requests::signed::download::download))
        .routes(routes!(cuserv::services::deploy::deploy))
        .routes(routes!(roles::create))
        .routes(routes!(roles::stubs::stubs))
        .routes(routes!(roles::uuid::read, roles::uuid::change, roles::uuid::delete))
        .routes(routes!(identities::create))
        .routes(routes!(identities::stubs::stubs))
        .routes(routes!(identities::uuid::read, identities::uuid::change, identities::uuid::delete))
        .routes(routes!(identities::lock::lock))
        .routes(routes!(identities::unlock::unlock))
        .routes(routes!(identities::password::password))
        .routes(routes!(identities::totp::reset))
        .routes(routes!(whoami::whoami))
        .routes(routes!(system::settings::read, system::settings::change))
        .routes(routes!(home::v1::login::token::token))
        .routes(routes!(home::v1::logout::logout))
}

/// Signing policies; a login is demanded.
fn signing_policies() -> OpenApiRouter<App> {
    use routes::api::v2::x509::{services::signing_policies as of_service, signing_policies};
    OpenApiRouter::new()
        .routes(routes!(of_service::signing_policies, of_service::create_signing_policy))
        .routes(routes!(signing_policies::uuid::read, signing_policies::uuid::change))
        .routes(routes!(signing_policies::budgets::budgets))
}

/// The API keys of identities; a login is demanded.
fn api_keys() -> OpenApiRouter<App> {
    use routes::api::v2::identities::api_keys;
    OpenApiRouter::new()
        .routes(routes!(api_keys::list, api_keys::create))
        .routes(routes!(api_keys::key_uuid::change, api_keys::key_uuid::delete))
        .routes(routes!(api_keys::rotate::rotate))
}

/// The passkeys of identities, and what they sign; a login is demanded.
fn passkeys() -> OpenApiRouter<App> {
    use routes::api::v2::{identities::passkeys, x509};
    OpenApiRouter::new()
        .routes(routes!(passkeys::list_passkeys, passkeys::enrol_passkey))
        .routes(routes!(passkeys::begin::begin_passkey))
        .routes(routes!(passkeys::passkey_uuid::rename_passkey, passkeys::passkey_uuid::delete_passkey))
        .routes(routes!(passkeys::confirm::confirm_passkey))
        .routes(routes!(x509::signing_requests::approval_statement::request_statement))
        .routes(routes!(x509::proposals::approval_statement::proposal_statement))
}

/// Identity providers, and what is bound to them; a login is demanded.
fn identity_providers() -> OpenApiRouter<App> {
    use routes::api::v2::{identity_bindings as bindings, identity_providers as providers};
    OpenApiRouter::new()
        .routes(routes!(providers::list_providers, providers::create_provider))
        .routes(routes!(
            providers::uuid::read_provider,
            providers::uuid::change_provider,
            providers::uuid::delete_provider
        ))
        .routes(routes!(bindings::list_bindings, bindings::create_binding))
        .routes(routes!(bindings::uuid::read_binding, bindings::uuid::delete_binding))
}

/// Token profiles and what is done with them; a login is demanded.
#[rustfmt::skip]
fn tokenization() -> OpenApiRouter<App> {
    use routes::api::v2::token_profiles;
    OpenApiRouter::new()
        .routes(routes!(token_profiles::stubs::stubs))
        .routes(routes!(token_profiles::create))
        .routes(routes!(token_profiles::template::names::names))
        .routes(routes!(token_profiles::template::name::read))
        .routes(routes!(token_profiles::uuid::read, token_profiles::uuid::change, token_profiles::uuid::delete))
        .routes(routes!(token_profiles::permissions::permissions))
        .routes(routes!(token_profiles::budgets::budgets))
        .routes(routes!(token_profiles::copy::copy))
        .routes(routes!(token_profiles::preview::preview))
        .routes(routes!(token_profiles::tokenize::tokenize))
        .routes(routes!(token_profiles::detokenize::detokenize))
        .routes(routes!(token_profiles::batch_tokenize::batch_tokenize))
        .routes(routes!(token_profiles::batch_detokenize::batch_detokenize))
        .routes(routes!(token_profiles::rewrap::rewrap))
        .routes(routes!(token_profiles::track_tokenize::track_tokenize))
        .routes(routes!(token_profiles::track_detokenize::track_detokenize))
        .routes(routes!(token_profiles::tokens::read::read_token))
        .routes(routes!(token_profiles::tokens::delete::delete_token))
        .routes(routes!(token_profiles::tokenized::tokenized))
        .routes(routes!(token_profiles::grants::request_grant, token_profiles::grants::list_grants))
        .routes(routes!(token_profiles::grants::grant_uuid::read_grant))
        .routes(routes!(token_profiles::grants::revoke::revoke_grant))
}

/// What takes effect once it is approved; demands a login.
#[rustfmt::skip]
fn proposals() -> OpenApiRouter<App> {
    use routes::api::v2::x509;
    OpenApiRouter::new()
        .routes(routes!(x509::pre_approvals::create_pre_approval))
        .routes(routes!(x509::proposals::list::list_proposals))
        .routes(routes!(x509::proposals::batch_approve_deny::batch_decide_proposals))
        .routes(routes!(x509::proposals::read::read_proposal))
        .routes(routes!(x509::proposals::approve::approve_proposal))
        .routes(routes!(x509::proposals::deny::deny_proposal))
        .routes(routes!(x509::proposals::withdraw::withdraw_proposal))
        .routes(routes!(x509::proposals::revoke::revoke_proposal))
}

/// Who did what, how much is done, and who can do what; demands a login.
#[rustfmt::skip]
fn records() -> OpenApiRouter<App> {
    use routes::api::v2::{activity, audit, reports};
    OpenApiRouter::new()
        .routes(routes!(activity::activity))
        .routes(routes!(audit::audit))
        .routes(routes!(audit::export::export_audit))
        .routes(routes!(audit::checkpoint::audit_checkpoint))
        .routes(routes!(audit::archives::audit_archives))
        .routes(routes!(audit::archives::download::download_audit_archive))
        .routes(routes!(audit::journal::search::search_journal))
        .routes(routes!(audit::targets::list_audit_targets, audit::targets::create_audit_target))
        .routes(routes!(
            audit::targets::uuid::read_audit_target,
            audit::targets::uuid::change_audit_target,
            audit::targets::uuid::delete_audit_target
        ))
        .routes(routes!(audit::targets::test::test_audit_target))
        .routes(routes!(reports::access::access))
        .routes(routes!(reports::effect::effect))
}

/// Who hears of what happens; demands a login.
#[rustfmt::skip]
fn notices() -> OpenApiRouter<App> {
    use routes::api::v2::{identities::mailbox, notice_targets, notices};
    OpenApiRouter::new()
        .routes(routes!(notice_targets::list_targets, notice_targets::create_target))
        .routes(routes!(
            notice_targets::uuid::read_target,
            notice_targets::uuid::change_target,
            notice_targets::uuid::delete_target
        ))
        .routes(routes!(notice_targets::test::test_target))
        .routes(routes!(notices::list_notices))
        .routes(routes!(notices::undelivered::undelivered))
        .routes(routes!(mailbox::read_mailbox, mailbox::set_mailbox, mailbox::remove_mailbox))
        .routes(routes!(mailbox::confirm::confirm_mailbox))
}

/// Certificates and their profiles; demands a login.
#[rustfmt::skip]
fn certificates() -> OpenApiRouter<App> {
    use routes::api::v2::x509;
    OpenApiRouter::new()
        .routes(routes!(x509::list))
        .routes(routes!(x509::cert_profiles::create))
        .routes(routes!(x509::cert_profiles::stubs::list))
        .routes(routes!(
            x509::cert_profiles::uuid::read,
            x509::cert_profiles::uuid::change,
            x509::cert_profiles::uuid::delete
        ))
        .routes(routes!(x509::generate::generate))
        .routes(routes!(x509::requests::request))
        .routes(routes!(x509::requests::approve::approve_request))
        .routes(routes!(x509::crls::export::export))
        .routes(routes!(x509::import::import))
        .routes(routes!(x509::import_key::import_key))
        .routes(routes!(x509::uuid::read))
        .routes(routes!(x509::approval::demand))
        .routes(routes!(x509::renew::renew))
        .routes(routes!(x509::rekey::rekey))
        .routes(routes!(x509::download::download))
        .routes(routes!(x509::revoke::revoke))
        .routes(routes!(x509::release::release))
}

/// What relying parties fetch over plain HTTP: lists, certificates, stamps and a log, which are signed themselves.
#[rustfmt::skip]
fn relying_parties() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(routes::ca::certificate))
        .routes(routes!(routes::crl::list))
        .routes(routes!(routes::ocsp::post))
        .routes(routes!(routes::ocsp::get))
        .routes(routes!(routes::tsa::default))
        .routes(routes!(routes::tsa::one))
        .routes(routes!(routes::log::checkpoint))
        .routes(routes!(routes::log::vkey))
        .routes(routes!(routes::log::tile))
        .routes(routes!(routes::system::health::live))
}

pub(crate) fn all() -> OpenApiRouter<App> {
    public().merge(console()).merge(authenticated()).merge(certificates())
}

/// All routes, for TLS and for loopback.
pub fn router(chancery: Arc<Chancery>) -> Routes {
    // What routes say of themselves takes longer to make than all else here.
    static ALL: LazyLock<Router<App>> = LazyLock::new(|| all().split_for_parts().0);
    let app = App::new(chancery);
    Routes { router: finish(ALL.clone(), app.clone()), fast_path: Some(app) }
}

/// The public routes alone, for plain HTTP.
pub fn public_router(chancery: Arc<Chancery>) -> Routes {
    finish(relying_parties().split_for_parts().0, App::new(chancery)).into()
}

/// Installs the one layer: each would allocate for every request.
fn finish(router: Router<App>, app: App) -> Router {
    metrics::install();
    router.fallback(no_such_path).layer(layer_fn(Outermost)).with_state(app)
}

/// What a site serves.
#[derive(Clone)]
pub struct Routes {
    router: Router,
    /// For the calls that take no router.
    fast_path: Option<App>,
}

impl From<Router> for Routes {
    fn from(router: Router) -> Self {
        Self { router, fast_path: None }
    }
}

impl Routes {
    /// Says from now on that the server is not ready.
    pub fn drain(&self) {
        if let Some(app) = &self.fast_path {
            app.drain();
        }
    }

    /// Room for bytes of somebody who is not known yet; none is kept account of where nothing but files is served.
    pub(crate) fn visitor_bytes(&self, source: Source) -> Option<Share<Source>> {
        self.fast_path.as_ref().map(|app| app.visitor_bytes(source))
    }

    /// Answers a request from this peer, or from this address.
    ///
    /// Each connection has room for this future, which a call fills anew: it is kept as small as the calls are that
    /// take no router. They work on the request where it is; all others are in a box.
    pub fn answer<B>(
        routes: impl Deref<Target = Self> + Send,
        request: Request<B>,
        peer: impl Into<Peer>,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let (head, mut body) = request.into_parts();
        let peer = peer.into();
        async move {
            if let Some(fault) = peer.fault {
                return Ok(refuse_head(&head, peer.source, fault));
            }
            if let Some(app) = &routes.fast_path
                && let Some(single) = Single::of(&head)
            {
                return Ok(single.answer(app, &head, &mut body, &peer).await);
            }
            Box::pin(routes.route(Request::from_parts(head, Body::new(body)), peer)).await
        }
    }

    async fn route(&self, mut request: Request, peer: Peer) -> Result<Response, Infallible> {
        request.extensions_mut().insert(peer.clone());
        let Some(app) = &self.fast_path else { return self.router.clone().oneshot(request).await };
        let answer = if idempotency::is_repeatable(&request) {
            Box::pin(idempotency::answer(app, self.router.clone(), request, &peer)).await
        } else {
            self.router.clone().oneshot(request).await?
        };
        // Only now: what was made is kept for who repeats the call, also where there is no room for the answer.
        Ok(app.let_through(answer))
    }
}
