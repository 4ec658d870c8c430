//! `chancery cert request` and `chancery cert renew`: certificates whose keys are made here and stay here. What else there is
//! to do with certificates is in the table of `resources/`.

mod key;
mod pkcs12;
mod renew;
mod request;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::{
    cli::cert::{CertRenew, CertRequest},
    client::exit::Exit,
    failure::Failure,
};

const REQUEST: &str = "Has a certificate issued for a key that is made here and stays here, or for a PKCS#10 request";

const REQUEST_EXAMPLE: &str = "Example:\n  chancery cert request --issuer 'Chancery Demo Root' --profile 'TLS Server' --subject CN=www.example.org --san DNS:www.example.org --key-out www.key --out www.pem";

const RENEW: &str = "Issues it again for longer, with the same key, or for a new one that is made here; once, or whenever it is \
    due";

const RENEW_EXAMPLE: &str = "As a service, with an API key: chancery cert renew www.example.org --cert-out www.pem --key-out www.key --watch --hook 'systemctl reload nginx'\n\nExample:\n  chancery cert renew www.example.org --cert-out www.pem --key-out www.key --hook 'echo new: $CHANCERY_CERT_FILE'";

/// Adds both to the commands that the table makes of certificates.
pub(super) fn added(command: Command) -> Command {
    let request = CertRequest::augment_args(Command::new("request")).about(REQUEST).after_help(REQUEST_EXAMPLE);
    let renew = CertRenew::augment_args(Command::new("renew")).about(RENEW).after_help(RENEW_EXAMPLE);
    command.subcommand(request).subcommand(renew)
}

/// One of both, where the line has one.
pub(super) fn run(matches: &ArgMatches) -> Option<Result<Exit, Failure>> {
    Some(match matches.subcommand()? {
        ("request", below) => {
            CertRequest::from_arg_matches(below).map_err(Failure::from).and_then(|command| request::run(&command))
        }
        ("renew", below) => {
            CertRenew::from_arg_matches(below).map_err(Failure::from).and_then(|command| renew::run(&command))
        }
        _ => return None,
    })
}
