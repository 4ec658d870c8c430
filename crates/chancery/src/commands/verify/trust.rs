//! Whom and what the one who verifies trusts: the options beside the evidence.

use std::path::Path;

use chancery_core::Clock;
use chancery_verify::{
    Trust,
    path::{Crl, CrlSettings, Link, Purpose},
    read_crls, read_links, read_purpose,
};

use super::{Trouble, read, unreadable};
use crate::cli::Verify;

/// What signers' certificates are for, where nobody says otherwise.
const PURPOSE: &str = "codeSigning";

/// What the options name, read.
pub(super) struct Trusted {
    roots: Vec<Link>,
    stamping_roots: Option<Vec<Link>>,
    crls: Option<Vec<Crl>>,
    purpose: Purpose,
    allow_weak: bool,
}

impl Trusted {
    /// `None` without `--root`: then nobody is trusted, and signatures are not looked at.
    pub(super) fn read(command: &Verify) -> Result<Option<Self>, Trouble> {
        let Some(roots) = &command.root else { return Ok(None) };
        let purpose = read_purpose(command.purpose.as_deref().unwrap_or(PURPOSE)).ok_or_else(|| {
            unreadable("--purpose: codeSigning, another purpose, an object identifier or any is expected")
        })?;
        let crls =
            command.crl.as_ref().map(|paths| paths.iter().map(|path| lists(path)).collect::<Result<Vec<_>, _>>());
        Ok(Some(Self {
            roots: links("--root", roots)?,
            stamping_roots: command.tsa_root.as_deref().map(|path| links("--tsa-root", path)).transpose()?,
            crls: crls.transpose()?.map(|crls| crls.into_iter().flatten().collect()),
            purpose,
            allow_weak: command.allow_weak,
        }))
    }

    /// As of this moment, where no time stamp says another.
    pub(super) fn at(&self, at_ms: i64) -> Trust<'_> {
        Trust {
            roots: &self.roots,
            stamping_roots: self.stamping_roots.as_deref(),
            at_ms,
            purpose: self.purpose,
            allow_weak: self.allow_weak,
            crls: self.crls.as_deref().map(|lists| CrlSettings { lists, now_ms: Clock::System.now_ms() }),
        }
    }
}

fn links(option: &str, path: &Path) -> Result<Vec<Link>, Trouble> {
    let none = |_| unreadable(&format!("{option} {}: no certificate, in PEM or DER", path.display()));
    read_links(&read(path)?).map_err(none)
}

fn lists(path: &Path) -> Result<Vec<Crl>, Trouble> {
    let none = |_| unreadable(&format!("--crl {}: no revocation list, in PEM or DER", path.display()));
    read_crls(&read(path)?).map_err(none)
}
