//! What is to be done with each file, before anything is submitted: which service, which policy, which digest, and where the
//! result goes.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use chancery_client::{Destination, FileError};
use chancery_types::{
    ExistingSignature, HashType, SigningFormat,
    wire::{ListQuery, service_details::Service, signing_policies::SigningPolicy},
};
use chancery_verify::{content_hash, hexadecimal};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{FILE_SHA256, FILE_SIZE};
use crate::{
    cli::client::{Format, Sign},
    client::{
        connection::{Connection, Output},
        exit::{Exit, told_with, usage},
    },
    destination,
    failure::{Failure, While as _},
    original::{Form, Original},
};

/// The first bytes of a compound file, which an installer is.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// The longest payload that the interface takes.
const UPLOAD_MAX: u64 = 64 << 20;

/// A file and what becomes of it.
pub(super) struct Job {
    pub(super) original: Original,
    /// Where the result goes, as it was named and as it was found.
    pub(super) out: PathBuf,
    pub(super) destination: Destination,
    pub(super) name: String,
    pub(super) service: Service,
    pub(super) policy: SigningPolicy,
    pub(super) form: Form,
    pub(super) digest: Vec<u8>,
    pub(super) page_hashes: Option<Vec<u8>>,
    /// What is known of the file itself, for the metadata.
    pub(super) about: Vec<(String, String)>,
}

/// What `--out` is at fault for whatever the server says.
pub(super) fn refuse_out(command: &Sign) -> Result<(), Failure> {
    let Some(out) = command.out.as_deref().filter(|out| !out.is_dir()) else { return Ok(()) };
    if command.files.len() > 1 {
        let message = format!("--out {}: there is no such folder, and several files need one", out.display());
        return Err(told_with(Exit::Usage, message, "Make it, or name another. Nothing was submitted."));
    }
    let destination = destination::find_signed(out)?;
    if destination == Destination::Standard && command.server.output == Output::Json {
        return Err(usage("--out -: with --output json standard output has the server's answers"));
    }
    Ok(())
}

pub(super) fn jobs(command: &Sign, connection: &Connection) -> Result<Vec<Job>, Failure> {
    let services = command.service.iter().map(|name| service(connection, name)).collect::<Result<Vec<_>, _>>()?;
    let is_folder = command.out.as_deref().is_some_and(Path::is_dir);
    // All files stay open; where that may not be, opening says so.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _as_before = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let jobs = command.files.iter().map(|path| job(command, path, &services, is_folder));
    let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
    refuse_overlaps(&jobs)?;
    Ok(jobs)
}

/// No result takes the place of another one, or of a file that is signed, but of its own where the signature goes into it.
fn refuse_overlaps(jobs: &[Job]) -> Result<(), Failure> {
    for (number, job) in jobs.iter().enumerate() {
        let out = job.out.display();
        if let Some(other) = jobs[..number].iter().find(|other| other.destination == job.destination) {
            let message = format!("{} and {} would both go to {out}", other.original.shown(), job.original.shown());
            return Err(told_with(Exit::Usage, message, "Sign them one after the other. Nothing was submitted."));
        }
        let Destination::Replaced(path) = &job.destination else { continue };
        let Ok(there) = fs::metadata(path) else { continue };
        let is_over = |(at, other): &(usize, &Job)| other.original.is(&there) && (*at != number || job.form.is_apart());
        if let Some((_, other)) = jobs.iter().enumerate().find(is_over) {
            let file = other.original.shown();
            let message = format!("--out {out}: the signature of {} would replace {file}", job.original.shown());
            return Err(told_with(Exit::Usage, message, "Name another place. Nothing was submitted."));
        }
    }
    Ok(())
}

fn service(connection: &Connection, name: &str) -> Result<Service, Failure> {
    if let Ok(id) = name.parse() {
        return Ok(connection.client.service(id)?);
    }
    let found = connection.client.services(&ListQuery::search(name))?.results;
    let names: Vec<_> = found.iter().map(|service| service.obj_info.name.clone()).collect();
    let is_it = |service: &Service| service.obj_info.name.to_lowercase() == name.to_lowercase();
    let mut exact: Vec<_> = found.into_iter().filter(is_it).collect();
    match (exact.pop(), exact.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => {
            let next = "Say which, by its uuid: chancery service list";
            Err(told_with(Exit::Usage, format!("--service {name}: there are several of this name"), next))
        }
        (None, _) => {
            let similar =
                if names.is_empty() { "chancery service list shows all.".to_owned() } else { names.join(", ") };
            Err(told_with(Exit::Usage, format!("--service {name}: there is no such service"), similar))
        }
    }
}

fn job(command: &Sign, path: &Path, services: &[Service], is_folder: bool) -> Result<Job, Failure> {
    let original = Original::open(path)?;
    let shown = original.shown();
    let format_of_file = kind(&original).doing(shown.clone())?;
    let (service, format) = suitable(command, &shown, format_of_file, services)?;
    let policy = policy(command, service)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let existing = if command.append { ExistingSignature::Append } else { ExistingSignature::Replace };
    let form = Form { format, hash: policy.hash_algorithm, existing };
    if command.out.is_none() && ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder)) {
        return Err(usage(format!("{shown}: nothing is written beside it; add --out FILE")));
    }
    let out = out(command, path, format, is_folder);
    let destination = destination::find_signed(&out)?;
    let digest = digest(command, &original, form)?;
    let wants_pages = command.page_hashes && !command.upload && !form.is_apart();
    let pages = wants_pages.then(|| original.page_hashes(form)).transpose().map_err(|error| unfit(&shown, error))?;
    // Approvers of a manifest see its items, and nothing of each file besides.
    let about = if command.manifest { Vec::new() } else { about(&original, &policy).doing(shown)? };
    // All of this is of one content.
    original.refuse_changed()?;
    let service = service.clone();
    Ok(Job { original, out, destination, name, service, policy, form, digest, page_hashes: pages, about })
}

/// What is signed. Of a file that is sent anyway every hash can be made.
pub(super) fn digest(command: &Sign, original: &Original, form: Form) -> Result<Vec<u8>, Failure> {
    if command.upload && form.is_apart() {
        return Ok(content_hash(form.hash, &upload(original)?));
    }
    let shown = original.shown();
    match original.digest(form) {
        Err(FileError::Unfit(why)) if form.is_apart() => {
            Err(told_with(Exit::Usage, format!("{shown}: {why}"), "--upload sends the file itself, up to 64 MiB."))
        }
        digest => digest.map_err(|error| unfit(&shown, error)),
    }
}

/// The file itself.
pub(super) fn upload(original: &Original) -> Result<Vec<u8>, Failure> {
    if original.len() > UPLOAD_MAX {
        return Err(usage(format!("{}: --upload takes files up to 64 MiB", original.shown())));
    }
    original.first(UPLOAD_MAX).doing(original.shown())
}

pub(super) fn unfit(shown: &str, error: FileError) -> Failure {
    match error {
        FileError::Unfit(why) => usage(format!("{shown}: {why}")),
        FileError::Io(error) => {
            let failed: Result<(), _> = Err(error);
            failed.doing(shown).err().unwrap_or_else(|| "unreadable".into())
        }
    }
}

/// What approvers compare with what they have: what `sha256sum` and `stat` say.
fn about(original: &Original, policy: &SigningPolicy) -> Result<Vec<(String, String)>, Failure> {
    let mut about = vec![(FILE_SIZE.to_owned(), original.len().to_string())];
    // Where nobody approves nobody looks, and a large file is read once less.
    if policy.num_approvals > 0 {
        about.push((FILE_SHA256.to_owned(), hexadecimal(&original.plain_digest(HashType::Sha2_256)?)));
    }
    Ok(about)
}

/// The form that a file's own signatures have, by its content; scripts by their name.
fn kind(original: &Original) -> Result<Option<SigningFormat>, Failure> {
    let head = original.first(COMPOUND.len() as u64)?;
    let extension = original.path().extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    Ok(match extension.as_str() {
        _ if head.starts_with(b"MZ") => Some(SigningFormat::Authenticode),
        _ if head == COMPOUND => Some(SigningFormat::Msi),
        "jar" | "war" | "ear" | "aar" if head.starts_with(b"PK") => Some(SigningFormat::JavaJar),
        "ps1" | "psm1" | "psd1" | "ps1xml" | "psc1" | "cdxml" => Some(SigningFormat::Powershell),
        _ => None,
    })
}

/// The first of the services whose format fits the file: that of the file itself, or one that stands apart from any.
fn suitable<'s>(
    command: &Sign,
    shown: &str,
    of_file: Option<SigningFormat>,
    services: &'s [Service],
) -> Result<(&'s Service, SigningFormat), Failure> {
    let wanted = command.format.map(|format| match format {
        Format::Cms => SigningFormat::Cms,
        Format::Raw => SigningFormat::Raw,
        Format::Authenticode => SigningFormat::Authenticode,
        Format::Msi => SigningFormat::Msi,
        Format::Powershell => SigningFormat::Powershell,
        Format::Jar => SigningFormat::JavaJar,
    });
    let apart = [SigningFormat::Cms, SigningFormat::Raw];
    let fits = |format: SigningFormat| match wanted {
        Some(wanted) => format == wanted,
        None => apart.contains(&format) || Some(format) == of_file,
    };
    let of = |service: &'s Service| Some((service, service.signing_format?));
    // What goes into the file comes before what stands apart from it, whatever the order.
    let inside = services.iter().filter_map(of).find(|(_, format)| Some(*format) == of_file && fits(*format));
    let found = inside.or_else(|| services.iter().filter_map(of).find(|(_, format)| fits(*format)));
    found.ok_or_else(|| {
        let wanted = wanted
            .or(of_file)
            .map_or_else(|| "a file of no format with signatures inside".to_owned(), |format| format.to_string());
        let have: Vec<_> = services
            .iter()
            .filter_map(of)
            .map(|(service, format)| format!("{} signs {format}", service.obj_info.name))
            .collect();
        let have =
            if have.is_empty() { "a time-stamping authority signs no files".to_owned() } else { have.join(", ") };
        let next = "chancery service list shows the formats of all; --format says which one you mean.";
        told_with(Exit::Usage, format!("{shown} is {wanted}, and {have}"), next)
    })
}

fn policy(command: &Sign, service: &Service) -> Result<SigningPolicy, Failure> {
    let policies = &service.signing_policies;
    let all = || policies.iter().map(|policy| policy.obj_info.name.clone()).collect::<Vec<_>>().join(", ");
    let Some(named) = &command.policy else {
        return match policies.as_slice() {
            [only] => Ok(only.clone()),
            _ => {
                let message =
                    format!("{} has {} policies: --policy NAME is needed", service.obj_info.name, policies.len());
                Err(told_with(Exit::Usage, message, format!("They are: {}", all())))
            }
        };
    };
    let is_it = |policy: &&SigningPolicy| {
        let full = format!("{}/{}", service.obj_info.name, policy.obj_info.name);
        policy.obj_info.name == *named || full == *named || policy.obj_info.uuid.to_string().eq_ignore_ascii_case(named)
    };
    policies.iter().find(is_it).cloned().ok_or_else(|| {
        let message = format!("--policy {named}: {} has no such policy", service.obj_info.name);
        told_with(Exit::Usage, message, format!("It has: {}", all()))
    })
}

/// Where the result goes: in the place of the file, or beside it, or as told.
fn out(command: &Sign, path: &Path, format: SigningFormat, is_folder: bool) -> PathBuf {
    let suffix = match format {
        SigningFormat::Cms => ".p7s",
        SigningFormat::Raw => ".sig",
        SigningFormat::Authenticode | SigningFormat::Msi | SigningFormat::Powershell | SigningFormat::JavaJar => "",
    };
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    match &command.out {
        Some(out) if is_folder => out.join(name),
        Some(out) => out.clone(),
        None => path.with_file_name(name),
    }
}
