//! `chancery login --client-cert`: by a client certificate, alone or as one of two logins.

use chancery_client::{CertificateFiles, Client};
use chancery_core::Clock;

use super::{Attempt, begun, waits_for_another};
use crate::{
    cli::client::Login,
    client::{exit::Exit, inputs::read_text, servers::SavedServer, target::Target},
    failure::{Failure, While as _},
    output,
};

/// The files that are given, or those of the last login, where it was by a certificate, has ended, and nobody is named. Later
/// logins find them from any folder.
pub(super) fn files(
    command: &Login,
    has_key: bool,
    saved: Option<&(String, SavedServer)>,
) -> Result<Option<CertificateFiles>, Failure> {
    if let (Some(certificate), Some(key)) = (&command.client_cert, &command.client_key) {
        let (certificate, key) = (std::path::absolute(certificate)?, std::path::absolute(key)?);
        return Ok(Some(CertificateFiles { certificate, key }));
    }
    let says_nobody = command.names.is_empty() && command.password_file.is_empty() && !has_key;
    let ended = saved
        .map(|(_, server)| server)
        .filter(|server| says_nobody && !waits_for_another(server, command, Clock::System.now_ms()));
    Ok(ended.and_then(|server| server.client_certificate.clone()))
}

pub(super) fn log_in(target: Target, command: &Login, files: CertificateFiles) -> Result<Exit, Failure> {
    let certificate = read_text("--client-cert", &files.certificate)?;
    let key = read_text("--client-key", &files.key)?;
    let Target { address, ca, .. } = &target;
    let client = Client::with_certificate(&address.to_string(), ca.as_bytes(), certificate.as_bytes(), key.as_bytes())?;
    let (mut login, replaced) = begun(target, client, command, true)?;
    login.by_certificate(files)?;
    let exit = login.done(command.server.output)?;
    replaced.end();
    Ok(exit)
}

impl Attempt {
    /// The server says for whom the certificate stands.
    fn by_certificate(&mut self, files: CertificateFiles) -> Result<(), Failure> {
        let logged_in = self.client.log_in_by_certificate().doing("logging in by the client certificate");
        let state = logged_in.inspect_err(|_| self.say_who_stays())?;
        let there = self.client.session_state().doing("asking who is logged in")?;
        self.server.names = there.identities.into_iter().map(|identity| identity.name).collect();
        self.server.client_certificate = Some(files);
        if !state.fully_logged_in {
            output::note("The role takes two logins: somebody else has to log in too.");
        }
        self.server.state = Some(state);
        self.keep()
    }
}
