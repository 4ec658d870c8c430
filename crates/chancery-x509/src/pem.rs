//! PEM files as people have them: blank lines and text around the blocks, several blocks, any end of line.

use chancery_types::{Base64, without_mark};

/// A file that begins a block and does not end it, or has something else than base64 in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a PEM block is cut off, or is not in base64")]
pub struct BadPem;

/// The contents of all blocks under one of these labels; what stands around them, and other blocks, is passed over.
///
/// # Errors
/// [`BadPem`] where such a block cannot be read.
pub fn blocks(file: &[u8], labels: &[&str]) -> Result<Vec<Vec<u8>>, BadPem> {
    let text = String::from_utf8_lossy(without_mark(file));
    let mut lines = text.lines().map(str::trim);
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let label = line.strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_suffix("-----"));
        let Some(label) = label.filter(|label| labels.contains(label)) else { continue };
        let end = format!("-----END {label}-----");
        let mut inner = String::new();
        loop {
            match lines.next().ok_or(BadPem)? {
                line if line == end => break,
                line => inner.push_str(line),
            }
        }
        found.push(Base64::decode(&inner).ok_or(BadPem)?.0);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_as_people_have_them_are_read() {
        let block = |text: &str| format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n");
        let read = |text: &str| blocks(text.as_bytes(), &["CERTIFICATE"]);
        let both = Ok(vec![b"one".to_vec(), b"two".to_vec()]);
        let (one, two) = (block("b25l"), block("dHdv"));
        assert_eq!(read(&format!("{one}{two}")), both);
        assert_eq!(read(&format!("\n\nSubject: CN=one\n{one}\n\n# two\n{two}\nend\n")), both);
        assert_eq!(read(&format!("\u{feff}\n{one}{two}").replace('\n', "\r\n")), both);
        assert_eq!(read(&format!("\u{feff}{one}{two}")), both);
        assert_eq!(read(&block("b2\n\n  5l ")), Ok(vec![b"one".to_vec()]));
        assert_eq!(read(&one.replace("CERTIFICATE", "PRIVATE KEY")), Ok(vec![]));
        assert_eq!(read(""), Ok(vec![]));
        for bad in ["-----BEGIN CERTIFICATE-----\nb25l\n", &block("b2*l"), &one.replace("END CERT", "END X")] {
            assert_eq!(read(bad), Err(BadPem), "{bad}");
        }
    }
}
