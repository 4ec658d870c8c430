//! What `cargo xtask bench` measures the server against, behind the same TLS and nothing else: `/echo`, a bare axum route
//! that decodes a JSON body and encodes it again, and `/fpe`, which encrypts a batch of numbers with the `fpe` crate, all
//! but their last four digits, as the profile under measurement does.
//!
//! `echo ADDRESS [CHAIN.pem KEY.pem]`

use std::{env, error::Error, fs, sync::Arc};

use aes::Aes256;
use axum::{Json, Router, extract::DefaultBodyLimit, http::StatusCode, routing::post};
use fpe::ff1::{FF1, FlexibleNumeralString};
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

#[derive(Deserialize)]
struct Batch {
    messages: Vec<String>,
}

#[derive(Serialize)]
struct Tokens {
    tokens: Vec<String>,
}

fn encrypt(cipher: &FF1<Aes256>, number: &str) -> Result<String, StatusCode> {
    let (free, kept) = number.split_at_checked(number.len().saturating_sub(4)).ok_or(StatusCode::BAD_REQUEST)?;
    let digits: Vec<u16> = free.bytes().map(|byte| u16::from(byte.wrapping_sub(b'0'))).collect();
    let encrypted = cipher.encrypt(kept.as_bytes(), &FlexibleNumeralString::from(digits));
    let digits = Vec::from(encrypted.map_err(|_| StatusCode::BAD_REQUEST)?);
    Ok(digits.into_iter().filter_map(|digit| char::from_digit(digit.into(), 10)).chain(kept.chars()).collect())
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
    let cipher = Arc::new(FF1::<Aes256>::new(&[7; 32], 10)?);
    let encrypt_batch = move |Json(batch): Json<Batch>| {
        let cipher = Arc::clone(&cipher);
        async move {
            let tokens: Result<_, StatusCode> = batch.messages.iter().map(|number| encrypt(&cipher, number)).collect();
            tokens.map(|tokens| Json(Tokens { tokens }))
        }
    };
    let routes = Router::new()
        .route("/echo", post(echo))
        .route("/fpe", post(encrypt_batch))
        .layer(DefaultBodyLimit::max(32 << 20));
    let service = TowerToHyperService::new(routes);
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
