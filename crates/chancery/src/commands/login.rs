//! `chancery login`

use std::path::{Path, PathBuf};

use chancery_client::{Client, ClientError, Session};
use chancery_core::Clock;
use chancery_types::{IdentityProviderId, wire::login::LoginState};

use crate::{
    cli::client::Login,
    client::{
        address::Address,
        connection::{END_WAIT, Output, ServerOptions},
        exit::{Exit, exit_of, told_with, usage},
        inputs::{ask, read_text, somebody_is_there},
        servers::{self, SavedServer},
        target::{Target, api_key, refuse_fleeting_key, refuse_half_key},
    },
    failure::{Failure, While as _, describe},
    output,
    password_input::{prompt, without_line_end},
    shown::{Shown, names},
};

mod certificate;
mod directory;
mod proof;
mod workload;

/// How long a server keeps a session that waits for its second login.
const HALF_OPEN_MS: i64 = 5 * 60 * 1_000;

/// How often a person may mistype.
const TRIES: usize = 3;

pub(crate) fn run(command: &Login) -> Result<Exit, Failure> {
    let options = &command.server;
    // Before it is read, which may be possible once or take for ever.
    options.api_key_file.as_deref().map_or(Ok(()), refuse_fleeting_key)?;
    let is_otherwise = command.oidc_token.is_some() || command.client_cert.is_some() || command.ldap.is_some();
    let key = if is_otherwise { None } else { api_key(options)? };
    if key.is_some() && !command.names.is_empty() {
        let message = format!("{}: an API key is given too", command.names.join(" "));
        let next = "Leave out the names, or --api-key-file, CHANCERY_API_KEY_FILE and CHANCERY_API_KEY.";
        return Err(told_with(Exit::Usage, message, next));
    }
    let target = Target::of_profile(options).map_err(|failure| explained(failure, command))?;
    if let Some(file) = &command.oidc_token {
        return workload::log_in(target, options, file);
    }
    if let Some(files) = certificate::files(command, key.is_some(), target.saved.as_ref())? {
        return certificate::log_in(target, command, files);
    }
    let given = given(command, key.is_some())?;
    let client = target.client()?;
    let directory = command.ldap.as_deref().map(|named| directory::find(&client, named)).transpose()?;
    let (mut login, replaced) = begun(target, client, command, key.is_none())?;
    login.directory = directory;
    match key {
        Some(key) => login.by_key(&key, options.api_key_file.as_ref())?,
        None => login.by_names(given)?,
    }
    let exit = login.done(options.output)?;
    replaced.end();
    Ok(exit)
}

/// A login that goes on with a session which waits for a second one, where it may, or begins anew.
fn begun(target: Target, client: Client, command: &Login, goes_on: bool) -> Result<(Attempt, Replaced), Failure> {
    let client_of_replaced = target.client()?;
    let Target { address, ca, saved } = target;
    let (profile, known) = profile(saved, &command.server, &address)?;
    let now_ms = Clock::System.now_ms();
    let half_open = known.clone().filter(|known| goes_on && waits_for_another(known, command, now_ms));
    let replaced = Replaced::of(known.filter(|_| half_open.is_none()), &address, client_of_replaced);
    let (client, server) = match half_open {
        Some(half_open) => (client.in_session(half_open.session.clone()), SavedServer { ca, ..half_open }),
        None => (client, new_login(address, ca, now_ms)),
    };
    Ok((Attempt { client, server, profile, directory: None }, replaced))
}

/// The session that a new login takes the place of. It shall not go on for whoever has a copy of it.
struct Replaced(Option<Client>);

impl Replaced {
    fn of(known: Option<SavedServer>, address: &Address, client: Client) -> Self {
        let known = known.filter(|known| known.state.is_some() && known.server == *address);
        Self(known.map(|known| client.in_session(known.session)))
    }

    fn end(self) {
        if let Some(mut client) = self.0 {
            // It ends by itself where the server cannot be told now.
            client.set_patience(END_WAIT);
            let _ended = client.log_out();
        }
    }
}

/// The profile that is kept, and what it keeps now. Every login asks for it before it sends anything: one that could not be
/// kept would go on at the server, and nobody could end it.
fn profile(
    saved: Option<(String, SavedServer)>,
    options: &ServerOptions,
    address: &Address,
) -> Result<(String, Option<SavedServer>), Failure> {
    servers::refuse_unwritable()?;
    Ok(match saved {
        Some((name, server)) => (name, Some(server)),
        None => (servers::new_name(options.server_profile.as_deref(), address)?, None),
    })
}

/// A server that is not known yet is what a first login is about.
fn explained(failure: Failure, command: &Login) -> Failure {
    let is_first = servers::all().is_ok_and(|known| known.is_empty());
    if is_first && command.server.server.is_none() && command.server.server_profile.is_none() {
        return usage(
            "--server URL is needed, and the first time --ca FILE too where the system does not know the authority",
        );
    }
    failure
}

/// Whether a first login of a few minutes ago waits for the second.
fn waits_for_another(known: &SavedServer, command: &Login, now_ms: i64) -> bool {
    known.state.is_some()
        && !known.is_logged_in()
        && now_ms - known.logged_in_at_ms < HALF_OPEN_MS
        && !command.names.iter().any(|name| known.names.contains(name))
}

fn new_login(server: Address, ca: String, now_ms: i64) -> SavedServer {
    SavedServer {
        server,
        ca,
        names: Vec::new(),
        api_key_file: None,
        client_certificate: None,
        state: None,
        logged_in_at_ms: now_ms,
        session: Session::default(),
    }
}

/// Somebody who is named, and the password that a file has for them.
struct Named {
    name: String,
    password: Option<Secret>,
    /// A one-time code that was given.
    totp: Option<String>,
}

/// A password, and what to say where it is not right.
struct Secret {
    password: String,
    hint: String,
}

/// Who is named, with what the files have. All of them are read before anybody is logged in; somebody has to be named where
/// nobody can be asked and there is no key.
fn given(command: &Login, has_key: bool) -> Result<Vec<Named>, Failure> {
    let (names, files) = (&command.names, &command.password_file);
    let pairs: Vec<_> = names.iter().zip(files).map(|(name, file)| format!("{name}: {}", file.display())).collect();
    let pairs = if pairs.is_empty() { "nobody is named".to_owned() } else { pairs.join(", ") };
    if let Some(left) = files.get(names.len()) {
        let message = format!("--password-file {}: there are more files than names ({pairs})", left.display());
        return Err(told_with(
            Exit::Usage,
            message,
            "Name who logs in, in the order of the files: chancery login NAME NAME",
        ));
    }
    if names.is_empty() && !has_key && !somebody_is_there() {
        let next = "Name who logs in, with --password-file FILE for each; or give --api-key-file FILE; or run this at a \
                    terminal.";
        return Err(told_with(Exit::Usage, "nobody is there to ask for the name", next));
    }
    if let Some(without) = names.get(files.len()).filter(|_| !somebody_is_there()) {
        let files = if files.is_empty() { String::new() } else { format!("; the others have theirs ({pairs})") };
        let message = format!("there is no password for {without}{files}");
        return Err(told_with(
            Exit::Usage,
            message,
            "Give --password-file FILE for each name, or run this at a terminal.",
        ));
    }
    if let Some(code) = command.totp.get(names.len()) {
        let message = format!("--totp {code}: there are more codes than names");
        return Err(told_with(Exit::Usage, message, "Name who logs in, in the order of the codes."));
    }
    let swapped = if files.len() > 1 { " Are two files swapped?" } else { "" };
    let hint = format!("Files belong to names in their order ({pairs}).{swapped}");
    let read = |(number, name): (usize, &String)| {
        let file = files.get(number);
        let password = file.map(|file| Ok::<_, Failure>(Secret { password: read(file)?, hint: hint.clone() }));
        Ok(Named { name: name.clone(), password: password.transpose()?, totp: command.totp.get(number).cloned() })
    };
    names.iter().enumerate().map(read).collect()
}

fn read(path: &Path) -> Result<String, Failure> {
    let text = read_text("--password-file", path)?;
    let password = without_line_end(&text);
    if password.is_empty() {
        return Err(usage(format!("--password-file {}: it is empty", path.display())));
    }
    Ok(password.to_owned())
}

/// A password from a file, or from a person at a terminal.
pub(super) fn password_of(name: &str, file: Option<&Path>) -> Result<String, Failure> {
    match file {
        Some(file) => read(file),
        None if somebody_is_there() => prompt(&format!("Password of {}: ", Shown(name))),
        None => {
            Err(usage(format!("there is no password for {name}: give --password-file FILE, or run this at a terminal")))
        }
    }
}

/// A login under way.
struct Attempt {
    client: Client,
    server: SavedServer,
    profile: String,
    /// By whose passwords, where they are none of the server's own.
    directory: Option<IdentityProviderId>,
}

impl Attempt {
    fn by_key(&mut self, key: &str, file: Option<&PathBuf>) -> Result<(), Failure> {
        let state = self.client.log_in_by_key(key).doing("logging in by the API key")?;
        refuse_half_key(&state)?;
        self.server.state = Some(state);
        self.server.api_key_file = file.map(std::path::absolute).transpose()?;
        Ok(())
    }

    /// One person after the other, until the session is whole or nobody is left.
    fn by_names(&mut self, given: Vec<Named>) -> Result<(), Failure> {
        let mut given = given.into_iter();
        while !self.server.is_logged_in() {
            let Named { name, password, totp } = match given.next() {
                Some(named) => named,
                None if somebody_is_there() => Named { name: ask(self.question())?, password: None, totp: None },
                None => break,
            };
            let state = self.one(&name, password, totp.as_deref()).inspect_err(|_| self.say_who_stays())?;
            self.server.names.push(name.clone());
            if !state.fully_logged_in {
                output::note(format_args!(
                    "{} is logged in. The role takes two logins: somebody else has to log in too.",
                    Shown(&name)
                ));
            }
            self.server.state = Some(state);
            // Whatever becomes of the second one, the first one is logged in.
            self.keep()?;
        }
        if let Some(Named { name, .. }) = given.next() {
            output::note(format_args!("The session is whole without {}, who was not logged in.", Shown(&name)));
        }
        Ok(())
    }

    /// A second person who did not get in takes nothing from the first.
    fn say_who_stays(&self) {
        if let [first, ..] = self.server.names.as_slice() {
            output::note(format_args!("{} stays logged in. {}", Shown(first), self.how_to_go_on()));
        }
    }

    fn how_to_go_on(&self) -> String {
        format!("Within five minutes: chancery login --server-profile {} NAME", self.profile)
    }

    /// Keeps the session as it is now.
    fn keep(&mut self) -> Result<(), Failure> {
        self.server.session = self.client.session();
        servers::save(&self.profile, &self.server).map_err(|failure| {
            self.client.set_patience(END_WAIT);
            let next = match self.client.log_out() {
                Ok(()) => "The login could not be kept, and was ended at the server.",
                Err(_) => "The login could not be kept, nor ended at the server, where it ends by itself.",
            };
            told_with(exit_of(&failure), describe(failure.as_ref()), next)
        })
    }

    const fn question(&self) -> &'static str {
        if self.server.names.is_empty() { "Name: " } else { "Name of the second person: " }
    }

    /// One person, who may mistype at a terminal. A file has one password, and it is tried once; with a code besides, where
    /// somebody is there who has one.
    fn one(&self, name: &str, given: Option<Secret>, totp: Option<&str>) -> Result<LoginState, Failure> {
        if let Some(Secret { password, hint }) = given {
            return match self.with_code(name, &password, totp)? {
                Err(refused @ ClientError::NotLoggedIn { status: 401, .. }) => {
                    let failed: Result<LoginState, Failure> = Err(refused.into());
                    let message = failed.doing(format!("logging {name} in"));
                    message.map_err(|failure| told_with(Exit::NotLoggedIn, describe(failure.as_ref()), hint))
                }
                outcome => outcome.doing(format!("logging {name} in")),
            };
        }
        let mut tries = TRIES;
        loop {
            tries -= 1;
            let password = prompt(&format!("Password of {}: ", Shown(name)))?;
            match self.with_code(name, &password, totp)? {
                Err(ClientError::NotLoggedIn { status: 401, message, .. }) if tries > 0 => {
                    // Whoever was asked for a code was told why.
                    let why = if totp.is_some() { format!("{} ", Shown(&message)) } else { String::new() };
                    output::note(format_args!("{why}Once more:"));
                }
                outcome => return outcome.doing(format!("logging {name} in")),
            }
        }
    }

    /// Keeps what there is, and says what is missing.
    fn done(mut self, output: Output) -> Result<Exit, Failure> {
        let is_whole = self.server.is_logged_in();
        if is_whole {
            self.client.take_token().doing("taking a bearer token")?;
        }
        self.keep()?;
        if !is_whole {
            let who = names(self.server.names.iter().map(String::as_str), ", ");
            let message =
                format!("{who} alone is logged in; a second login is missing, of somebody else with such a role");
            return Err(told_with(Exit::NotLoggedIn, message, self.how_to_go_on()));
        }
        self.say(output)?;
        Ok(Exit::Done)
    }

    fn say(&self, output: Output) -> Result<(), Failure> {
        match (output, &self.server.state) {
            (Output::Json, Some(state)) => output::line(serde_json::to_string(state)?)?,
            (Output::Json, None) | (Output::Table, _) => {
                let who = if self.server.names.is_empty() {
                    "an application".to_owned()
                } else {
                    names(self.server.names.iter().map(String::as_str), " and ")
                };
                output::line(format!("Logged in at {} as {}.", self.server.server, Shown(&who)))?;
            }
        }
        Ok(())
    }
}

/// Six digits; blanks between them are for people.
fn is_code(text: &str) -> bool {
    let digits: Vec<_> = text.bytes().filter(|byte| *byte != b' ').collect();
    digits.len() == 6 && digits.iter().all(u8::is_ascii_digit)
}
