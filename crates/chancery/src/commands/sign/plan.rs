//! What is to be done with each file, before anything is submitted: which service, which policy, which digest, and where the
//! result goes.

use std::{
    ffi::OsString,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use chancery_client::{File, FileError, file_digest};
use chancery_types::{
    ExistingSignature, HashType, SigningFormat,
    wire::{service_details::Service, signing_policies::SigningPolicy},
};
use chancery_verify::{content_hash, hexadecimal};

use super::{FILE_SHA256, FILE_SIZE};
use crate::{
    cli::client::{Format, Sign},
    client::{
        connection::Connection,
        exit::{Exit, told_with, usage},
    },
    failure::{Failure, While as _},
};

/// The first bytes of a compound file, which an installer is.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// A file and what becomes of it.
pub(super) struct Job {
    pub(super) path: PathBuf,
    pub(super) out: PathBuf,
    pub(super) name: String,
    pub(super) service: Service,
    pub(super) policy: SigningPolicy,
    /// Where the signature goes into it.
    pub(super) file: Option<File>,
    pub(super) digest: Vec<u8>,
    pub(super) page_hashes: Option<Vec<u8>>,
    /// What is known of the file itself, for the metadata.
    pub(super) about: Vec<(String, String)>,
}

pub(super) fn jobs(command: &Sign, connection: &Connection) -> Result<Vec<Job>, Failure> {
    let services = command.service.iter().map(|name| service(connection, name)).collect::<Result<Vec<_>, _>>()?;
    let is_folder = command.files.len() > 1 || command.out.as_deref().is_some_and(Path::is_dir);
    command.files.iter().map(|path| job(command, path, &services, is_folder)).collect()
}

fn service(connection: &Connection, name: &str) -> Result<Service, Failure> {
    if let Ok(id) = name.parse() {
        return Ok(connection.client.service(id)?);
    }
    let found = connection.client.services(name)?.results;
    let names: Vec<_> = found.iter().map(|service| service.obj_info.name.clone()).collect();
    let mut exact: Vec<_> = found.into_iter().filter(|service| service.obj_info.name == name).collect();
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
    let shown = path.display().to_string();
    let format_of_file = kind(path).doing(shown.clone())?;
    let (service, format) = suitable(command, &shown, format_of_file, services)?;
    let policy = policy(command, service)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_apart = matches!(format, SigningFormat::Cms | SigningFormat::Raw);
    let out = out(command, path, format, is_folder)?;
    let about = about(path, &policy).doing(shown.clone())?;
    let (file, digest, page_hashes) = if is_apart {
        let digest =
            if command.upload { uploaded_digest(path, policy.hash_algorithm)? } else { digest_apart(path, &policy)? };
        (None, digest, None)
    } else {
        let existing = if command.append { ExistingSignature::Append } else { ExistingSignature::Replace };
        let mut file =
            File::open(path, format, policy.hash_algorithm, existing).map_err(|error| unfit(&shown, error))?;
        let digest = file.digest().map_err(|error| unfit(&shown, error))?;
        let hashes = command.page_hashes && !command.upload;
        let hashes = hashes.then(|| file.page_hashes()).transpose().map_err(|error| unfit(&shown, error))?;
        (Some(file), digest, hashes)
    };
    Ok(Job { path: path.to_owned(), out, name, service: service.clone(), policy, file, digest, page_hashes, about })
}

fn unfit(shown: &str, error: FileError) -> Failure {
    match error {
        FileError::Unfit(why) => usage(format!("{shown}: {why}")),
        FileError::Io(error) => {
            let failed: Result<(), _> = Err(error);
            failed.doing(shown).err().unwrap_or_else(|| "unreadable".into())
        }
    }
}

fn digest_apart(path: &Path, policy: &SigningPolicy) -> Result<Vec<u8>, Failure> {
    let shown = path.display().to_string();
    match file_digest(path, policy.hash_algorithm) {
        Err(FileError::Unfit(why)) => {
            Err(told_with(Exit::Usage, format!("{shown}: {why}"), "--upload sends the file itself, up to 64 MiB."))
        }
        digest => digest.map_err(|error| unfit(&shown, error)),
    }
}

/// Of a file that is sent anyway every hash can be made.
fn uploaded_digest(path: &Path, hash: HashType) -> Result<Vec<u8>, Failure> {
    Ok(content_hash(hash, &super::upload(path)?.0))
}

/// What approvers compare with what they have: what `sha256sum` and `stat` say.
fn about(path: &Path, policy: &SigningPolicy) -> Result<Vec<(String, String)>, Failure> {
    let size = fs::metadata(path)?.len();
    let mut about = vec![(FILE_SIZE.to_owned(), size.to_string())];
    // Where nobody approves nobody looks, and a large file is read once less.
    if policy.num_approvals > 0 {
        about.push((FILE_SHA256.to_owned(), hexadecimal(&file_digest(path, HashType::Sha2_256)?)));
    }
    Ok(about)
}

/// The form that a file's own signatures have, by its content; scripts by their name.
fn kind(path: &Path) -> Result<Option<SigningFormat>, Failure> {
    let mut head = Vec::new();
    fs::File::open(path)?.take(8).read_to_end(&mut head)?;
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
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
fn out(command: &Sign, path: &Path, format: SigningFormat, is_folder: bool) -> Result<PathBuf, Failure> {
    let suffix = match format {
        SigningFormat::Cms => ".p7s",
        SigningFormat::Raw => ".sig",
        SigningFormat::Authenticode | SigningFormat::Msi | SigningFormat::Powershell | SigningFormat::JavaJar => "",
    };
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    let out = match &command.out {
        Some(out) if is_folder => out.join(name),
        Some(out) => out.clone(),
        None => path.with_file_name(name),
    };
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() {
        return Ok(out);
    }
    let message = format!("--out {}: there is no such folder", folder.display());
    Err(told_with(Exit::Usage, message, "Make it, or name another; nothing was submitted."))
}
