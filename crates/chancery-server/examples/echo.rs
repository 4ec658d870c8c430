//! The bound that `cargo xtask bench` measures the server against: a bare axum route that decodes a JSON body and
//! encodes it again, behind the same TLS, and nothing else.
//!
//! `echo ADDRESS [CHAIN.pem KEY.pem]`

use std::{env, error::Error, fs, sync::Arc};

use axum::{Json, Router, routing::post};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

#[derive(Deserialize)]
struct Request {
    message: String,
}

#[derive(Serialize)]
struct Response {
    token: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args().skip(1).collect();
    let listener = TcpListener::bind(args.first().ok_or("ADDRESS [CHAIN.pem KEY.pem]")?).await?;
    let tls = match &args[1..] {
        [chain, key] => Some(TlsAcceptor::from(chancery_server::tls_config(&fs::read(chain)?, &fs::read(key)?)?)),
        _ => None,
    };
    let echo = |Json(request): Json<Request>| async { Json(Response { token: request.message }) };
    let service = TowerToHyperService::new(Router::new().route("/echo", post(echo)));
    let builder = Arc::new(Builder::new(TokioExecutor::new()));
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (service, builder, tls) = (service.clone(), Arc::clone(&builder), tls.clone());
        tokio::spawn(async move {
            match tls {
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        answer(&builder, stream, service).await;
                    }
                }
                None => answer(&builder, stream, service).await,
            }
        });
    }
}

async fn answer(
    builder: &Builder<TokioExecutor>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    service: TowerToHyperService<Router>,
) {
    // A client that goes away ends its connection; there is nobody to tell.
    let _gone = builder.serve_connection(TokioIo::new(stream), service).await;
}
