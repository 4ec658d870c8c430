//! hyper's own refusals of what it cannot read as a request, put into the interface's form.
//!
//! A head that breaks HTTP, has more than a hundred fields, or is twice as large as ours may be, never becomes a request:
//! hyper answers by itself, with a status and nothing else. It cannot be told otherwise, so its words are exchanged on
//! their way out. All our own answers have a request id; hyper's have none.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::ConnectionState;
use crate::middleware;

/// What every answer of hyper's own begins with.
const REFUSED: &[u8] = b"HTTP/1.1 4";
const ID: &[u8] = b"\r\nx-request-id: ";

/// A connection whose refusals are told in our words.
pub(super) struct RewriteRefusals<IO> {
    io: IO,
    head_bytes_max: u32,
    state: Arc<ConnectionState>,
    /// Our words, which are being written in the place of hyper's.
    told: Option<Vec<u8>>,
}

impl<IO: AsyncWrite + Unpin> RewriteRefusals<IO> {
    pub(super) const fn new(io: IO, head_bytes_max: u32, state: Arc<ConnectionState>) -> Self {
        Self { io, head_bytes_max, state, told: None }
    }

    /// Writes our words; `bytes` of hyper's are done with them.
    fn tell(&mut self, cx: &mut Context<'_>, bytes: usize) -> Poll<io::Result<usize>> {
        while let Some(told) = self.told.as_mut().filter(|told| !told.is_empty()) {
            let written = ready!(Pin::new(&mut self.io).poll_write(cx, told))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            told.drain(..written);
        }
        self.told = None;
        Poll::Ready(Ok(bytes))
    }
}

/// Whether this is one of hyper's own: a short head without our id, and no body.
fn is_hypers(bytes: &[u8]) -> bool {
    bytes.starts_with(REFUSED)
        && bytes.len() < 256
        && bytes.ends_with(b"\r\n\r\n")
        && !bytes.windows(ID.len()).any(|part| part == ID)
}

impl<IO: AsyncRead + Unpin> AsyncRead for RewriteRefusals<IO> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for RewriteRefusals<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.told.is_none() && is_hypers(bytes) {
            // Whatever else it sends, nobody will read.
            self.state.await_unread(true);
            self.told = Some(middleware::refuse_unread(bytes, self.head_bytes_max));
        }
        if self.told.is_some() {
            return self.tell(cx, bytes.len());
        }
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match slices.first() {
            Some(first) if self.told.is_some() || is_hypers(first) => self.poll_write(cx, first),
            Some(_) | None => Pin::new(&mut self.io).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
