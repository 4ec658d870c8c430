//! `chancery quickstart`: a demonstration that sets itself up, tries itself out as a client, and serves.
//!
//! A start goes: move the last start's `quickstart.json` aside, open the installation (or make it), serve, make the demo
//! objects if they are missing, try everything over HTTPS, put `quickstart.json` in place, print curl lines. Whoever sees
//! the file sees a server that works.

mod curl;
mod demo;
mod self_check;
mod state;
mod steps;

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use chancery_client::Client;
use chancery_core::{Chancery, FirstIdentity, Host, Provision, create_root_key};
use chancery_types::RoleId;
use state::{Person, Progress, State, state_file};
use steps::Steps;
use tokio::task::spawn_blocking;

use crate::{
    cli::Serve,
    data_lock::DataLock,
    failure::{Failure, While as _, describe},
    installation, logging, output,
    own_tls::{OwnFiles, host_of},
    serving::{Reload, Serving, Sockets, outlive_hang_ups},
    settings::Settings,
    shown::{Shown, ShownName, names},
};

pub(crate) use state::state_files;

const HOST: Host = Host::running("chancery quickstart");

pub(crate) async fn run(command: Serve) -> Result<(), Failure> {
    outlive_hang_ups()?;
    let mut options = command.options;
    // The steps are told on the terminal; besides, only what is wrong.
    options.log_level_default = Some("warn");
    let settings = options.clone().resolve()?;
    if settings.tls.is_some() {
        return Err("quickstart makes its own TLS certificate; `chancery serve` takes --tls-cert".into());
    }
    let log = logging::start(&settings)?;
    output::line(
        "chancery quickstart: a DEMONSTRATION. One file holds both halves of dual control: never for production.\n",
    )?;

    let mut steps = Steps::default();
    installation::make_data_folder(&settings.data)?;
    // Before anything is touched that a running demonstration has there.
    let mut lock = DataLock::take(&settings)?;
    let sockets = Sockets::bind(&settings).await?;
    lock.serves_at(&format!("https://{}", sockets.address()?))?;
    let opened = open(&settings, &mut steps).await?;
    // A new one was made just now.
    lock.lock_database()?;
    let mut serving = Serving::start((opened.chancery, &HOST), sockets, &settings, Reload { options, log }).await?;
    let address = serving.address;
    let tried_out = tokio::select! {
        tried_out = try_out(&settings, opened.progress, address, steps) => tried_out.and_then(|state| {
            announce(&state, &settings.data)
        }),
        () = serving.told_to_stop() => Err("stopped before it was ready".into()),
    };
    match tried_out {
        Ok(()) => serving.until_told_to_stop().await,
        Err(_) => serving.stop().await,
    }
    tried_out
}

/// Tells scripts and people that it is ready.
fn announce(state: &State, data: &Path) -> Result<(), Failure> {
    state.publish(data)?;
    output::line(format_args!("\n{}", curl::lines(state, &state_file(data))))?;
    output::line(in_a_browser(state, &state_file(data)))?;
    output::line(format_args!("Serving at {} until Ctrl-C.", state.base))
}

/// What most people try first.
fn in_a_browser(state: &State, state_file: &Path) -> String {
    let State { base, ca_file, admins, approver, .. } = state;
    let admins = names(admins.iter().map(|admin| admin.username.as_str()), " and ");
    format!(
        "Try first, in a browser: {base}/ is the web console. Log in as {}, one after the other: that makes one session.\n\
         In another browser, or a private window, {} approves what they submit. Passwords: {}\n\
         The browser warns of the certificate until it trusts {}\n",
        admins,
        ShownName(&approver.username),
        state_file.display(),
        ca_file.display()
    )
}

struct Opened {
    chancery: Arc<Chancery>,
    progress: Progress,
}

/// Opens the demonstration in the data folder, or makes one.
async fn open(settings: &Settings, steps: &mut Steps) -> Result<Opened, Failure> {
    let progress = state::withdraw(&settings.data)?;
    let root_key = settings.root_key.clone().unwrap_or_else(|| settings.data.join("root.key"));
    if !root_key.exists() {
        refuse_lost_root_key(settings)?;
        create_root_key(&root_key)?;
    }
    let mut step = steps.begin("open the installation");
    let chancery = installation::open_to_serve(settings, &root_key).await?;
    if chancery.identities.is_new(&HOST).await? {
        step.rename("make the installation");
        provision(&chancery, &progress).await?;
    } else if !chancery.host_settings(&HOST).demo {
        let data = settings.data.display();
        return Err(format!("{data} holds an installation that is no demonstration; use `chancery serve`").into());
    }
    step.done()?;
    Ok(Opened { chancery, progress })
}

fn refuse_lost_root_key(settings: &Settings) -> Result<(), Failure> {
    if settings.store.path().is_some_and(Path::exists) {
        return Err(format!("{} holds an installation, but its root key is gone", settings.data.display()).into());
    }
    Ok(())
}

async fn provision(chancery: &Chancery, progress: &Progress) -> Result<(), Failure> {
    let first = |who: &Person, roles: &[RoleId]| FirstIdentity::new(&who.username, &*who.password, roles);
    let administrators =
        progress.admins.iter().map(|who| first(who, &[RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER]));
    // Everybody whose password is in the file: `serve` demands that each of them was changed.
    let identities = administrators.chain([first(&progress.approver, &[RoleId::APPROVER])]).collect();
    let provision = Provision { identities, api_access: true, demo: true };
    chancery.identities.provision(&HOST, provision).await.doing("making the administrators and the approver")?;
    Ok(())
}

/// Everything that a client does, over HTTPS and against the certificate authority that clients are told to trust.
async fn try_out(settings: &Settings, progress: Progress, address: SocketAddr, steps: Steps) -> Result<State, Failure> {
    let data = fs::canonicalize(&settings.data)?;
    let ca_file = OwnFiles::under(&data).authority;
    let base = format!("https://{}", reachable(&settings.listen, address));
    spawn_blocking(move || as_client(progress, &data, base, ca_file, steps)).await?
}

fn as_client(
    mut progress: Progress,
    data: &Path,
    base: String,
    ca_file: PathBuf,
    mut steps: Steps,
) -> Result<State, Failure> {
    let clients = || Ok::<_, Failure>(Client::new(&base, &fs::read(&ca_file)?)?);
    let (client, approver) = (clients()?, clients()?);
    let demo = match progress.demo {
        Some(demo) => {
            let checked = self_check::log_in(&client, &progress.admins, &mut steps)
                .and_then(|()| self_check::all(&client, &approver, &demo, &progress.approver, &mut steps));
            // Whoever tries things out may change any of it, and mends it on a server that serves.
            if let Err(failure) = checked {
                output::line(format_args!("\n{}", no_more_as_made(&failure)))?;
            }
            demo
        }
        None => {
            self_check::log_in(&client, &progress.admins, &mut steps)?;
            let demo = demo::make(&client, &mut steps)?;
            progress.demo = Some(demo);
            progress.save(data)?;
            self_check::all(&client, &approver, &demo, &progress.approver, &mut steps)?;
            demo
        }
    };
    let Progress { admins, approver, demo: _ } = progress;
    Ok(State { base, ca_file, admins, approver, demo })
}

/// What is said of a demonstration in which somebody has changed what it shows.
fn no_more_as_made(failure: &Failure) -> String {
    format!(
        "NOT AS IT WAS MADE: {}\nIt serves all the same; what is printed below may be refused. Mend it as whoever changed it, \
         or try anew in another folder: --data FOLDER.",
        Shown(&describe(failure.as_ref()))
    )
}

/// Host and port as a client on this host reaches them: as listened, or by loopback where that is "any address".
fn reachable(listen: &str, address: SocketAddr) -> String {
    let port = address.port();
    if address.ip().is_unspecified() {
        return if address.is_ipv4() { format!("127.0.0.1:{port}") } else { format!("[::1]:{port}") };
    }
    let host = host_of(listen);
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_what_a_client_can_reach() {
        for (listen, address, base) in [
            ("127.0.0.1:0", "127.0.0.1:4711", "127.0.0.1:4711"),
            ("localhost:8443", "127.0.0.1:8443", "localhost:8443"),
            ("0.0.0.0:8443", "0.0.0.0:8443", "127.0.0.1:8443"),
            ("[::]:8443", "[::]:8443", "[::1]:8443"),
            ("[::1]:8443", "[::1]:8443", "[::1]:8443"),
        ] {
            assert_eq!(reachable(listen, address.parse().unwrap()), base);
        }
    }
}
