//! A close that waits for what the client still sends.
//!
//! A call may be answered before its body was read: by 401, say. To close a socket that has unread bytes, or gets more, is
//! to reset it, and a reset takes from the client what it has not read yet: it sees a broken pipe in the place of its
//! answer. So the sending half is closed first, and what comes is thrown away until the client closes, too (RFC 9112, 9.6).

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

use super::connection::ConnectionState;

/// How long the client may send nothing before the rest is taken not to come. All of it takes no longer than a connection
/// may be idle: then nobody awaits more.
const QUIET_MAX: Duration = Duration::from_secs(5);

/// What is thrown away behind an answer: more than any body that is taken.
pub(super) const THROWN_AWAY_MAX: u64 = 64 << 20;

/// A stream whose shutdown waits as long as its connection awaits bytes that nobody will read.
pub(super) struct LingeringClose<IO> {
    io: IO,
    state: Arc<ConnectionState>,
    /// Until when the client may be quiet, once the sending half is closed.
    quiet: Option<Pin<Box<Sleep>>>,
    thrown_away: u64,
}

impl<IO> LingeringClose<IO> {
    pub(super) const fn new(io: IO, state: Arc<ConnectionState>) -> Self {
        Self { io, state, quiet: None, thrown_away: 0 }
    }
}

impl<IO: AsyncRead + Unpin> LingeringClose<IO> {
    /// Throws away what comes, until the client closes or is quiet.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let quiet = self.quiet.get_or_insert_with(|| Box::pin(sleep(QUIET_MAX)));
        let mut bytes = [0; 4096];
        while self.state.awaits_unread() && self.thrown_away <= THROWN_AWAY_MAX {
            let mut buffer = ReadBuf::new(&mut bytes);
            match Pin::new(&mut self.io).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    self.thrown_away += buffer.filled().len() as u64;
                    quiet.as_mut().reset(Instant::now() + QUIET_MAX);
                }
                Poll::Ready(_) => break,
                Poll::Pending => return quiet.as_mut().poll(cx),
            }
        }
        Poll::Ready(())
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for LingeringClose<IO> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringClose<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.quiet.is_none() {
            ready!(Pin::new(&mut self.io).poll_shutdown(cx))?;
        }
        self.poll_linger(cx).map(Ok)
    }
}
