//! `chancery cert renew`: a certificate again, for longer; once, or whenever it is due.

mod current;
mod due;
mod files;
mod hook;
mod link;
mod marks;
mod watch;

use std::{cell::RefCell, path::Path, thread::sleep, time::Duration};

use chancery_core::Clock;
use chancery_types::{ObjectId, Perm, ProposalState, wire::x509::DownloadFormat};
use chancery_x509::time::rfc3339_ms;
use rcgen::KeyPair;
use serde_json::{Map, Value, json};

pub(super) use self::link::refuse_link_of_renewal;
use self::{due::due_ms, files::Files};
use super::{key, pkcs12};
use crate::{
    cli::cert::{CertRenew, KeyKind},
    client::{
        connection::{Answer, Connection, Output, logged_in},
        exit::{Exit, exit_of, next_of, told, told_with, usage},
        inputs::validity,
    },
    failure::{Failure, While as _, describe},
    output,
    resources::{self, names::Names, show},
    shown::Shown,
};

/// How often a hook is tried where nobody watches, and the wait before the second try.
const HOOK_TRIES: u32 = 3;
const HOOK_WAIT: Duration = Duration::from_secs(1);

pub(super) fn run(command: &CertRenew) -> Result<Exit, Failure> {
    let Some(cert) = &command.files.cert_out else { return plain(command) };
    if command.files.pkcs12.p12.is_some() && command.files.key_out.is_none() && command.files.key_in.is_none() {
        return Err(usage(
            "--p12 holds the key too: --key-out FILE for a new one, or --key-in FILE for the one that stays",
        ));
    }
    if command.files.watch {
        watch::refuse_without_key(command)?;
    }
    let renewal = Renewal::new(command, cert)?;
    if command.files.watch { watch::run(&renewal) } else { once(&renewal) }
}

/// On the server alone.
fn plain(command: &CertRenew) -> Result<Exit, Failure> {
    if command.files.pkcs12.p12.is_some() {
        return Err(usage("--p12 takes --cert-out FILE too"));
    }
    logged_in(&command.server, |connection| {
        let names = Names::new(connection);
        let kind = resources::find("cert").ok_or("there is no such kind")?;
        let uuid = names.resolve(kind, &command.name)?;
        let body = body(command, connection)?;
        let mut answer = connection.call("POST", &format!("/api/v2/x509/{uuid}/renew"), Some(&body))?;
        answer.tell_warnings();
        match connection.output {
            Output::Json => answer.print(),
            Output::Table => show::details(&answer.response, &names),
        }
    })?;
    Ok(Exit::Done)
}

fn once(renewal: &Renewal<'_>) -> Result<Exit, Failure> {
    let is_forced = renewal.command.files.before.is_none();
    let looked = logged_in(&renewal.command.server, |connection| {
        let looked = renewal.look(connection, is_forced)?;
        renewal.say(&looked, connection.output)?;
        Ok(looked)
    })?;
    if let Looked::Waits(proposal) = &looked {
        let next = "Repeat the command once it is approved; --watch waits for that.";
        return Err(told_with(
            Exit::Waiting,
            format!("the certificate waits for approvals: proposal {proposal}"),
            next,
        ));
    }
    for tried in 1..=HOOK_TRIES {
        match renewal.run_hook(&looked) {
            Ok(()) => break,
            Err(failure) if tried == HOOK_TRIES => {
                let next = "The certificate is in place. The same command runs it again; with --before nothing is renewed again.";
                return Err(told_with(Exit::HookFailed, failure, next));
            }
            Err(failure) => output::note(format_args!("chancery: {}; trying again", Shown(&failure))),
        }
        sleep(HOOK_WAIT * tried);
    }
    Ok(Exit::Done)
}

/// What a look came to.
enum Looked {
    /// Nothing is to be done before this moment.
    NotDue(i64, Made),
    Renewed(Made),
    /// People have to approve this proposal.
    Waits(String),
}

/// A certificate that is in place.
struct Made {
    uuid: String,
    not_after: String,
    answer: Answer,
}

/// A certificate that was asked for and is not in place yet. It outlasts this process, so that nothing is asked for twice.
#[derive(Clone)]
enum Pending {
    Proposal(String),
    Certificate(String),
}

/// A uuid that a server answered: what is none is not remembered, for nothing would be found by it again.
fn checked(uuid: &str) -> Result<String, Failure> {
    let id: ObjectId = uuid.parse().map_err(|_| format!("the server answered a uuid that is none: {uuid}"))?;
    Ok(id.to_string())
}

/// One command's work, over all looks.
struct Renewal<'a> {
    command: &'a CertRenew,
    files: Files,
    password: Option<String>,
    /// Where it could not be written down, on a full disk, it is known here at least.
    pending: RefCell<Option<Pending>>,
}

impl<'a> Renewal<'a> {
    fn new(command: &'a CertRenew, cert: &Path) -> Result<Self, Failure> {
        let files = Files::open(&command.files, cert)?;
        let password = pkcs12::password(&command.files.pkcs12)?;
        let pending = files.pending()?.and_then(|text| match text.split_once(' ') {
            Some(("proposal", uuid)) => checked(uuid).ok().map(Pending::Proposal),
            Some(("certificate", uuid)) => checked(uuid).ok().map(Pending::Certificate),
            // Whatever was asked for cannot be found by this.
            _ => None,
        });
        Ok(Self { command, files, password, pending: RefCell::new(pending) })
    }

    /// Renews what is due, and goes on with what was begun.
    fn look(&self, connection: &Connection, is_forced: bool) -> Result<Looked, Failure> {
        refuse_without_right(connection)?;
        let pending = self.pending.borrow().clone();
        match pending {
            Some(Pending::Certificate(uuid)) => return self.take_named(connection, &uuid),
            Some(Pending::Proposal(uuid)) => {
                if self.files.leaf()?.is_some() {
                    current::find(connection, &self.files, &self.command.name)?;
                }
                return self.decided(connection, &uuid);
            }
            None => {}
        }
        let found = current::find(connection, &self.files, &self.command.name)?;
        self.refuse_another_key(current::der_of(&found))?;
        current::refuse_revoked(&found, &self.files)?;
        let (life, jitter) = current::life_of(&found)?;
        let due = due_ms(life, self.command.files.before, jitter);
        let uuid = found.uuid.to_string();
        // Where there is no file yet, there is something to do whatever the moment.
        if !is_forced && Clock::System.now_ms() < due && self.files.leaf()?.is_some() {
            return Ok(Looked::NotDue(due, self.made(connection, &uuid)?));
        }
        self.renew(connection, &uuid)
    }

    fn renew(&self, connection: &Connection, uuid: &str) -> Result<Looked, Failure> {
        let mut body = body(self.command, connection)?;
        let what = if self.files.key.is_some() {
            let kind = self.command.files.key.or_else(|| self.files.kind()).unwrap_or(KeyKind::EcP256);
            body["csr"] = key::request(&self.files.next_key(kind)?)?.into();
            "rekey"
        } else {
            "renew"
        };
        let mut answer = connection.call("POST", &format!("/api/v2/x509/{uuid}/{what}"), Some(&body))?;
        answer.tell_warnings();
        if let Some(uuid) = answer.response["certificateUuid"].as_str() {
            let uuid = checked(uuid)?;
            self.remember(Some(Pending::Certificate(uuid.clone())));
            return self.take(connection, &uuid);
        }
        let proposal = answer.response["uuid"].as_str().ok_or("the answer has neither a certificate nor a proposal")?;
        let proposal = checked(proposal)?;
        self.remember(Some(Pending::Proposal(proposal.clone())));
        Ok(Looked::Waits(proposal))
    }

    /// What became of a proposal.
    fn decided(&self, connection: &Connection, uuid: &str) -> Result<Looked, Failure> {
        let proposal = connection.get(&format!("/api/v2/x509/proposals/{uuid}"))?;
        if let Some(uuid) = proposal["certificateUuid"].as_str() {
            return self.take_named(connection, uuid);
        }
        let state = proposal["state"].as_str().unwrap_or_default();
        if state == ProposalState::Approval.to_string() {
            return Ok(Looked::Waits(uuid.to_owned()));
        }
        self.remember(None);
        let reason = proposal["reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
        let message = format!("the certificate is not issued: proposal {uuid} is {state}{reason}");
        let next = "Nothing was changed here. The same command asks again.";
        Err(told_with(if state == "Denied" { Exit::Denied } else { Exit::Refused }, message, next))
    }

    /// Before anything is asked for: a certificate would be issued, and could not be put in place.
    fn refuse_another_key(&self, leaf: Option<Vec<u8>>) -> Result<(), Failure> {
        let (Some(path), Some(leaf)) = (&self.command.files.key_in, leaf) else { return Ok(()) };
        key::refuse_another("--key-in", path, &key::read("--key-in", path)?, &leaf)
    }

    /// Puts a certificate in place that an earlier command had asked for, if it is the one that is named now.
    fn take_named(&self, connection: &Connection, uuid: &str) -> Result<Looked, Failure> {
        let found = current::at(connection, uuid)?;
        current::refuse_another(connection, &self.files, &found, &self.command.name)?;
        self.take(connection, uuid)
    }

    /// Fetches a certificate that was issued, and puts it in place.
    fn take(&self, connection: &Connection, uuid: &str) -> Result<Looked, Failure> {
        self.put(connection, uuid).map_err(|failure| {
            let first = next_of(&failure).map(|next| next + "\n").unwrap_or_default();
            let mended = if exit_of(&failure) == Exit::Usage { "once that is mended the" } else { "the same" };
            let next = format!("{first}It is issued ({uuid}); {mended} command puts it in place.");
            told_with(exit_of(&failure), describe(failure.as_ref()), next)
        })?;
        self.remember(None);
        Ok(Looked::Renewed(self.made(connection, uuid)?))
    }

    fn put(&self, connection: &Connection, uuid: &str) -> Result<(), Failure> {
        let id: ObjectId = uuid.parse().doing("the certificate's uuid")?;
        if self.files.key.is_some() && self.files.take_up(id)? {
            return Ok(());
        }
        let chain = connection.client.download_certificate(uuid.parse()?, DownloadFormat::Chain)?;
        let own = self.own_key()?;
        if let Some(own) = &own {
            let leaf = chancery_verify::read_certificates(&chain)?.into_iter().next().unwrap_or_default();
            match &self.command.files.key_in {
                Some(path) => key::refuse_another("--key-in", path, own, &leaf)?,
                None if key::is_of(own, &leaf)? => {}
                None => return Err(told(Exit::Failed, "the certificate is of another key; nothing was replaced")),
            }
        }
        let p12 = match (&own, &self.password) {
            (Some(own), Some(password)) => Some(pkcs12::made(own, &chain, password)?),
            _ => None,
        };
        // Before the files change: whoever is ended in between has the hook run once too often rather than not at all.
        if self.command.files.hook.is_some() {
            self.files.set_hook_due(true)?;
        }
        match self.files.key {
            Some(_) => self.files.put_pair(id, &chain, p12.as_deref()),
            None => self.files.put_certificate(&chain, p12.as_deref()),
        }
    }

    /// The key that the new certificate is for, where it is known here.
    fn own_key(&self) -> Result<Option<KeyPair>, Failure> {
        match (&self.files.key, &self.command.files.key_in) {
            (Some(_), _) => self.files.pending_key().map(Some),
            (None, Some(path)) => key::read("--key-in", path).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn remember(&self, pending: Option<Pending>) {
        let text = pending.as_ref().map(|pending| match pending {
            Pending::Proposal(uuid) => format!("proposal {uuid}"),
            Pending::Certificate(uuid) => format!("certificate {uuid}"),
        });
        self.pending.replace(pending);
        if let Err(failure) = self.files.set_pending(text.as_deref()) {
            output::note(format_args!("chancery: {}", describe(failure.as_ref())));
        }
    }

    fn made(&self, connection: &Connection, uuid: &str) -> Result<Made, Failure> {
        let answer = connection.call("GET", &format!("/api/v2/x509/{uuid}"), None)?;
        let not_after = answer.response["notAfter"].as_str().unwrap_or_default().to_owned();
        Ok(Made { uuid: uuid.to_owned(), not_after, answer })
    }

    fn say(&self, looked: &Looked, output: Output) -> Result<(), Failure> {
        let cert = self.files.cert.display();
        match (looked, output) {
            (Looked::Waits(_), _) => Ok(()),
            (Looked::Renewed(made) | Looked::NotDue(_, made), Output::Json) => made.answer.print(),
            (Looked::Renewed(Made { uuid, not_after, .. }), Output::Table) => {
                output::line(Shown(&format!("renewed {uuid}: {cert}, until {not_after}")))
            }
            (Looked::NotDue(due, Made { not_after, .. }), Output::Table) => {
                let due = rfc3339_ms(*due);
                output::line(Shown(&format!("{cert}: valid until {not_after}, not due before {due}")))
            }
        }
    }

    /// Runs the hook where that is still to be done.
    fn run_hook(&self, looked: &Looked) -> Result<(), String> {
        let (Looked::Renewed(made) | Looked::NotDue(_, made)) = looked else { return Ok(()) };
        let Some(line) = self.command.files.hook.as_deref().filter(|_| self.files.hook_is_due()) else { return Ok(()) };
        let about = hook::About {
            uuid: &made.uuid,
            not_after: &made.not_after,
            cert: &self.files.cert,
            key: self.files.key.as_deref().or(self.command.files.key_in.as_deref()),
            p12: self.files.p12.as_deref(),
        };
        hook::run(line, &about)?;
        self.files.set_hook_due(false).map_err(|failure| describe(failure.as_ref()))
    }
}

/// Said at once, and not only when the certificate is due: by then nobody may look.
fn refuse_without_right(connection: &Connection) -> Result<(), Failure> {
    // What a login of today may. One of earlier may have got more since, and a refusal of the server tells.
    let Some(state) = &connection.state else { return Ok(()) };
    if state.perms.contains(&Perm::CertManageGenerate) {
        return Ok(());
    }
    let message = format!("this API key may not renew certificates: {} is missing", Perm::CertManageGenerate);
    Err(told_with(Exit::Refused, message, "Give the application a role that has it: chancery role change"))
}

fn body(command: &CertRenew, connection: &Connection) -> Result<Value, Failure> {
    let names = Names::new(connection);
    let resolve = |kind: &str, name: &str| names.resolve(resources::find(kind).ok_or("there is no such kind")?, name);
    let (mut body, mut params) = (json!({}), Map::new());
    if let Some(issuer) = &command.issuer {
        body["issuerUuid"] = resolve("ca", issuer)?.into();
    }
    if let Some(profile) = &command.profile {
        body["certProfileUuid"] = resolve("cert-profile", profile)?.into();
    }
    if let Some(span) = &command.validity {
        params.insert("validityPeriod".to_owned(), validity(span)?);
    }
    if let Some(hash) = &command.hash {
        params.insert("hashAlgorithm".to_owned(), hash.as_str().into());
    }
    if !params.is_empty() {
        body["certParams"] = params.into();
    }
    Ok(body)
}
