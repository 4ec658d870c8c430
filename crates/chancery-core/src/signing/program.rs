//! Checks and reads back what Windows shows of a signed program when it asks whether to run it: a name and an address (`SpcSpOpusInfo`). A part of
//! what is signed, for every form of signature that Windows reads. Kept with the request, so that approvers see it.

use chancery_store::tables;
use chancery_types::SigningFormat;

use super::stored_request::StoredRequest;
use crate::{Error, Grant, Limits, Result, Signing, base::text::check_name};

pub(crate) use chancery_x509::authenticode::Program;

/// As a submission says it; none where it says nothing.
pub(super) fn program(
    format: SigningFormat,
    name: Option<String>,
    url: Option<String>,
    limits: &Limits,
) -> Result<Option<Program>> {
    let field = match (&name, &url) {
        (None, None) => return Ok(None),
        (Some(_), _) => "/programName",
        (None, Some(_)) => "/programUrl",
    };
    if !shows(format) {
        let message = "Only signatures that Windows reads have a program's name and address: those of Authenticode, Msi \
                           and Powershell.";
        return Err(Error::value(field, message));
    }
    if let Some(name) = &name {
        check_name("/programName", name, limits)?;
    }
    if let Some(url) = &url {
        check_url(url, limits)?;
    }
    Ok(Some(Program { name, url }))
}

/// Whether signatures of this form have a place for it.
const fn shows(format: SigningFormat) -> bool {
    match format {
        SigningFormat::Authenticode | SigningFormat::Powershell | SigningFormat::Msi => true,
        SigningFormat::Raw | SigningFormat::Cms | SigningFormat::JavaJar => false,
    }
}

/// An address that somebody may follow: of the web, with a host, in the characters that addresses are written in.
fn check_url(url: &str, limits: &Limits) -> Result<()> {
    const FIELD: &str = "/programUrl";
    if url.len() > limits.program_url_max {
        return Err(Error::value(FIELD, format!("An address has at most {} characters.", limits.program_url_max)));
    }
    let host = ["http://", "https://"].iter().find_map(|scheme| url.strip_prefix(scheme)).unwrap_or_default();
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = !host.is_empty() && !host.starts_with(':') && !host.contains('@');
    let written = url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    if is_host && written {
        return Ok(());
    }
    let message =
        "An address begins with http:// or https:// and a host, and has no spaces and no letters beyond ASCII.";
    Err(Error::value(FIELD, message))
}

impl Signing {
    /// What is kept with a request.
    pub(super) async fn stored_program(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<Program>> {
        if !shows(stored.policy.choice.format) {
            return Ok(None);
        }
        let id = stored.row.id;
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::signing_requests::program(tx, id).await?) })
        });
        Ok(read.await?.map(|(name, url)| Program { name, url }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(format: SigningFormat, name: Option<&str>, url: Option<&str>) -> Option<String> {
        let of = program(format, name.map(str::to_owned), url.map(str::to_owned), &Limits::default());
        of.err().and_then(|error| error.field().map(str::to_owned))
    }

    #[test]
    fn names_and_addresses_of_programs() {
        let pe = SigningFormat::Authenticode;
        assert_eq!(program(pe, None, None, &Limits::default()).unwrap(), None);
        let longest = format!("https://example.org/{}", "x".repeat(2_048 - 20));
        for url in ["https://example.org", "http://192.0.2.1:8080/a?b#c", "https://[2001:db8::1]/", &longest] {
            assert_eq!(refused(pe, Some("Grüße 👋"), Some(url)), None, "{url}");
        }
        let longer = format!("{longest}x");
        for url in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https:///x",
            "https://:80/",
            "https://a b/",
            "https://ü.example/",
            "https://user@example.org/",
            "javascript:alert(1)",
            "https://example.org/\u{202e}",
            "https://a\n",
            &longer,
        ] {
            assert_eq!(refused(pe, None, Some(url)).as_deref(), Some("/programUrl"), "{url}");
        }
        for name in ["", "a\nb", &"x".repeat(256)] {
            assert_eq!(refused(SigningFormat::Msi, Some(name), None).as_deref(), Some("/programName"));
        }
        for format in [SigningFormat::Raw, SigningFormat::Cms, SigningFormat::JavaJar] {
            assert_eq!(refused(format, Some("x"), None).as_deref(), Some("/programName"));
            assert_eq!(refused(format, None, Some("https://example.org")).as_deref(), Some("/programUrl"));
        }
    }
}
