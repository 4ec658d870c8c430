//! The files of a certificate that is renewed, and what is remembered beside them.
//!
//! A key and its certificate are two files, and no call replaces two files at once. So with a new key both names are links
//! through one link, which is replaced: `www.pem` and `www.key` lead to `.www.pem.renewal/current/…`, and `current` leads to
//! the folder of one pair. At every moment, also after a crash, both names lead to the same pair.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, fchown, symlink},
    path::{Path, PathBuf},
};

use chancery_client::Destination;
use chancery_types::ObjectId;
use chancery_verify::read_certificates;
use rcgen::KeyPair;

use super::super::key;
use crate::{
    bounded,
    cli::cert::{KeyKind, RenewFiles},
    client::exit::{Exit, told_with, usage},
    destination,
    failure::{Failure, While as _},
    shown::path_word,
};

/// Names within the folder of a pair.
const CERT: &str = "certificate.pem";
const KEY: &str = "key.pem";
const P12: &str = "store.p12";

/// Names within the folder of a renewal: the link to the pair that counts, and the pair that is being made.
pub(super) const CURRENT: &str = "current";
const NEXT: &str = "next";
const LOCK: &str = "lock";

/// What a folder is called that has the files that were there before the first renewal.
const ADOPTED: &str = "adopted";

/// Where the results of renewals go.
pub(super) struct Files {
    pub(super) cert: PathBuf,
    pub(super) key: Option<PathBuf>,
    pub(super) p12: Option<PathBuf>,
    /// Beside the certificate.
    pub(super) folder: PathBuf,
    /// Held as long as this: two renewals of one file would take each other's key away.
    _lock: File,
}

impl Drop for Files {
    /// A renewal that left nothing leaves no folder. The lock is still held.
    fn drop(&mut self) {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
        if names.eq([LOCK]) {
            let _gone = remove(&self.folder.join(LOCK)).and_then(|()| fs::remove_dir(&self.folder));
        }
    }
}

impl Files {
    pub(super) fn open(named: &RenewFiles, cert: &Path) -> Result<Self, Failure> {
        let (key, p12) = (named.key_out.clone(), named.pkcs12.p12.clone());
        refuse_places(cert, key.as_deref(), p12.as_deref())?;
        let mut name = std::ffi::OsString::from(".");
        name.push(cert.file_name().ok_or_else(|| usage(format!("--cert-out {}: a file is expected", cert.display())))?);
        name.push(".renewal");
        let folder = parent(cert).canonicalize().doing(cert.display().to_string())?.join(name);
        let doing = || folder.display().to_string();
        // Whoever reads the certificate goes through it; the key has a mode of its own.
        fs::DirBuilder::new().recursive(true).mode(0o755).create(&folder).doing(doing())?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(folder.join(LOCK));
        let lock = lock.doing(doing())?;
        match lock.try_lock() {
            // One that ended meanwhile may have taken the folder away.
            Ok(()) if lock.metadata().doing(doing())?.nlink() > 0 => {}
            Ok(()) | Err(TryLockError::WouldBlock) => {
                return Err(usage(format!(
                    "--cert-out {}: another chancery cert renew is at work on it",
                    cert.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(error).doing(doing()),
        }
        let files = Self { cert: cert.to_owned(), key, p12, folder, _lock: lock };
        files.refuse_foreign()?;
        files.refuse_to_leave_out()?;
        Ok(files)
    }

    /// The certificate that is there (DER), without its issuers.
    pub(super) fn leaf(&self) -> Result<Option<Vec<u8>>, Failure> {
        let doing = || format!("--cert-out {}", self.cert.display());
        match bounded::open(&self.cert) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            read => {
                let file = read.doing(doing())?;
                let found = read_certificates(&file).map_err(|_| usage(doing() + ": there is no certificate in it"))?;
                Ok(found.into_iter().next())
            }
        }
    }

    /// Where there is a key under its name, it is the certificate's: another one is not replaced.
    fn refuse_foreign(&self) -> Result<(), Failure> {
        let Some(path) = &self.key else { return Ok(()) };
        for (final_name, member) in self.members() {
            if final_name.is_symlink() && !self.is_ours(final_name, member) {
                let message = format!("{}: it is a link; name the file that it leads to", final_name.display());
                return Err(usage(message));
            }
        }
        if !path.exists() {
            return Ok(());
        }
        let found = key::read("--key-out", path)?;
        match self.leaf()? {
            Some(leaf) => key::refuse_another("--key-out", path, &found, &leaf),
            None => {
                let cert = self.cert.display();
                Err(usage(format!("--key-out {}: there is a key, and no certificate in {cert}", path.display())))
            }
        }
    }

    /// Names lead to the pair that counts, also one that is not named here: without what it leads to, its users would find
    /// nothing.
    fn refuse_to_leave_out(&self) -> Result<(), Failure> {
        let linked = self.folder.join(CURRENT).join(P12);
        let apart = self.p12_apart()?;
        let Some(made) = [Some(linked), apart].into_iter().flatten().find(|made| self.p12.is_none() && made.exists())
        else {
            return Ok(());
        };
        let message = format!("--cert-out {}: a PKCS#12 file goes with it, and --p12 is missing", self.cert.display());
        let next = format!(
            "Name it: --p12 FILE, with --key-out or --key-in. Where nobody reads it any more, remove {}, and what leads to it.",
            made.display()
        );
        Err(told_with(Exit::Usage, message, next))
    }

    /// What has to go before others can have these names.
    pub(super) fn to_remove(&self) -> String {
        let names = self.members().map(|(name, _)| name).chain([self.folder.as_path()]);
        let names = names.filter(|name| name.symlink_metadata().is_ok());
        names.map(path_word).collect::<Vec<_>>().join(" ")
    }

    /// The kind of the key that is there.
    pub(super) fn kind(&self) -> Option<KeyKind> {
        let path = self.key.as_deref().filter(|path| path.exists())?;
        key::kind_of(&key::read("--key-out", path).ok()?)
    }

    /// The key for the next certificate: on the disk before anything is issued for it. One that was not used yet is taken up.
    pub(super) fn next_key(&self, kind: KeyKind) -> Result<KeyPair, Failure> {
        let next = self.folder.join(NEXT);
        let path = next.join(KEY);
        if let Some(found) = key::read("the next key", &path).ok().filter(|key| key::kind_of(key) == Some(kind)) {
            return Ok(found);
        }
        remove(&next).doing(next.display().to_string())?;
        fs::create_dir(&next).doing(next.display().to_string())?;
        let made = key::new_key(kind).doing("making a key")?;
        key::keep(&path, &made.serialize_pem())?;
        sync(&next)?;
        Ok(made)
    }

    /// The key that the pending certificate is for.
    pub(super) fn pending_key(&self) -> Result<KeyPair, Failure> {
        key::read("the next key", &self.folder.join(NEXT).join(KEY))
    }

    /// Puts a certificate in place that is of the key that stays.
    pub(super) fn put_certificate(&self, chain: &[u8], p12: Option<&[u8]>) -> Result<(), Failure> {
        // Both are of the same key as what was there, so that no order is wrong.
        if let (Some(path), Some(content)) = (&self.p12, p12) {
            self.set_p12_apart(path)?;
            super::super::pkcs12::write(path, content)?;
        }
        let written = Destination::find(&self.cert).and_then(|place| place.write(chain));
        written.doing(format!("--cert-out {}", self.cert.display()))
    }

    /// Puts a certificate in place together with the next key. `id` is the certificate's.
    pub(super) fn put_pair(&self, id: ObjectId, chain: &[u8], p12: Option<&[u8]>) -> Result<(), Failure> {
        let doing = || self.folder.display().to_string();
        self.adopt().doing(doing())?;
        // From here on all names are links to what they were, or are not there.
        let next = self.folder.join(NEXT);
        self.fill(&next, chain, p12).doing(doing())?;
        let pair = self.folder.join(id.to_string());
        remove(&pair).and_then(|()| fs::rename(&next, &pair)).doing(doing())?;
        // From here on the pair is whole; whoever is ended now goes on with it.
        self.activate(id).doing(doing())
    }

    /// Goes on with a pair that was whole when the command was ended; whether there is one.
    pub(super) fn take_up(&self, id: ObjectId) -> Result<bool, Failure> {
        let is_there = self.folder.join(id.to_string()).is_dir();
        if is_there {
            self.activate(id).doing(self.folder.display().to_string())?;
        }
        Ok(is_there)
    }

    fn activate(&self, id: ObjectId) -> io::Result<()> {
        let id = PathBuf::from(id.to_string());
        let before = fs::read_link(self.folder.join(CURRENT)).ok().filter(|before| *before != id);
        self.point(&id)?;
        // From here on all names are the new pair.
        self.members().try_for_each(|(name, member)| self.link(name, member))?;
        // Where it was the current one already, what was before it is not known any more: nothing is removed.
        if before.is_some() { self.prune(&[Some(id), before]) } else { Ok(()) }
    }

    fn members(&self) -> impl Iterator<Item = (&Path, &'static str)> {
        let all = [(Some(&self.cert), CERT), (self.key.as_ref(), KEY), (self.p12.as_ref(), P12)];
        all.into_iter().filter_map(|(path, member)| Some((path?.as_path(), member)))
    }

    /// Whether a name is a link of ours.
    fn is_ours(&self, name: &Path, member: &str) -> bool {
        fs::read_link(name).is_ok_and(|target| {
            let target = parent(name).join(target);
            let folder = target.parent().and_then(Path::parent).and_then(|folder| folder.canonicalize().ok());
            folder.as_ref() == Some(&self.folder) && target.ends_with(Path::new(CURRENT).join(member))
        })
    }

    /// Makes links of names that are files: each leads to the same content as before.
    fn adopt(&self) -> io::Result<()> {
        let is_file = |(name, member): (&Path, &str)| name.exists() && !self.is_ours(name, member);
        if !self.members().any(is_file) {
            return Ok(());
        }
        let name = format!("{ADOPTED}-{:016x}", rand::random::<u64>());
        let folder = self.folder.join(&name);
        fs::create_dir(&folder)?;
        for (from, member) in self.members().filter(|(from, _)| from.exists()) {
            let to = folder.join(member);
            // A link of the file system where that can be: owner and mode stay.
            let from = from.canonicalize()?;
            if fs::hard_link(&from, &to).is_err() {
                let mut file = made_like(&to, Some(&fs::metadata(&from)?), 0o600)?;
                file.write_all(&bounded::open(&from)?)?;
                file.sync_all()?;
            }
        }
        sync(&folder)?;
        self.point(Path::new(&name))?;
        self.members().try_for_each(|(name, member)| self.link(name, member))
    }

    /// Writes what belongs to the next key beside it, each readable for whoever could read its predecessor.
    fn fill(&self, next: &Path, chain: &[u8], p12: Option<&[u8]>) -> io::Result<()> {
        for (name, member) in self.members() {
            let before = fs::metadata(name).ok();
            let (content, mode) = match member {
                CERT => (chain, 0o644),
                P12 => (p12.unwrap_or_default(), 0o600),
                _ => {
                    take_after(&File::open(next.join(member))?, before.as_ref())?;
                    continue;
                }
            };
            let path = next.join(member);
            if path.exists() {
                fs::remove_file(&path)?;
            }
            let mut file = made_like(&path, before.as_ref(), mode)?;
            file.write_all(content)?;
            file.sync_all()?;
        }
        sync(next)
    }

    /// Lets all names lead to another folder: in one step.
    fn point(&self, to: &Path) -> io::Result<()> {
        put_link(to, &self.folder.join(CURRENT))
    }

    fn link(&self, name: &Path, member: &str) -> io::Result<()> {
        if self.is_ours(name, member) {
            return Ok(());
        }
        let folder = parent(name).canonicalize()?;
        let beside = self.folder.parent() == Some(&folder);
        let begin = if beside { self.folder.file_name().map(PathBuf::from) } else { Some(self.folder.clone()) };
        put_link(
            &begin.unwrap_or_default().join(CURRENT).join(member),
            &folder.join(name.file_name().unwrap_or_default()),
        )
    }

    /// Removes older pairs. The last one stays for programs that have its name still.
    fn prune(&self, keep: &[Option<PathBuf>]) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_pair =
                name.to_str().is_some_and(|name| name.parse::<ObjectId>().is_ok() || name.starts_with(ADOPTED));
            if is_pair && !keep.iter().flatten().any(|kept| kept.as_os_str() == name) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Each result has a place of its own.
fn refuse_places(cert: &Path, key: Option<&Path>, p12: Option<&Path>) -> Result<(), Failure> {
    let mut seen = Vec::new();
    for (option, path) in [("--cert-out", Some(cert)), ("--key-out", key), ("--p12", p12)] {
        let Some(path) = path else { continue };
        let place = destination::place(option, path)?;
        if !matches!(place, Destination::Replaced(_)) {
            return Err(usage(format!("{option} {}: a file is expected", path.display())));
        }
        if seen.contains(&place) {
            return Err(usage(format!("{option} {}: something else would go to the same file", path.display())));
        }
        seen.push(place);
    }
    Ok(())
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file with the mode and the owner of the one whose place it takes.
fn made_like(path: &Path, before: Option<&fs::Metadata>, mode: u32) -> io::Result<File> {
    // Nobody else reads it before it has its owner.
    let mode = if before.is_some() { 0o600 } else { mode };
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    take_after(&file, before)?;
    Ok(file)
}

fn take_after(file: &File, before: Option<&fs::Metadata>) -> io::Result<()> {
    let Some(before) = before else { return Ok(()) };
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (before.uid(), before.gid()) {
        fchown(file, Some(before.uid()), Some(before.gid()))?;
    }
    file.set_permissions(before.permissions())
}

/// Puts a link in the place of whatever is there: in one step.
fn put_link(target: &Path, path: &Path) -> io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    let fresh = path.with_file_name(name);
    remove(&fresh)?;
    symlink(target, &fresh)?;
    fs::rename(&fresh, path)?;
    sync(parent(path))
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Removes a file or a folder, where it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        _ => fs::remove_file(path),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}
