//! Whatever somebody else has made is read up to a bound.

use std::io::{self, Read};

/// All of it; longer than `max` bytes it is refused.
///
/// # Errors
///
/// Why it could not be read, or that it is longer.
pub fn read_bounded(from: impl Read, max: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    // One more: what is too long must not look like a whole.
    from.take(max.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > max {
        return Err(io::Error::other(format!("it is longer than {max} bytes")));
    }
    Ok(content)
}
