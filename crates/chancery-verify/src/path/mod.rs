//! Paths of certificates (RFC 5280, 6): found among certificates in any order, and validated in full.
//!
//! What a caller trusts are certificates. What those say binds too (RFC 5937): their validity, basicConstraints, keyUsage
//! and name constraints.

mod crl;
mod early_times;
mod link;
mod policy;
mod revocation;
mod rules;

use der::asn1::ObjectIdentifier;

pub use crl::Crl;
pub use link::Link;
pub use policy::PolicySettings;
use revocation::Place;

/// Certificates from the subject to the root, both included. More than any path has.
pub const PATH_MAX: usize = 12;

/// Certificates that a search may step on, and signatures that it may verify: whoever sends certificates that all point at
/// each other gets a refusal, not hours.
const STEPS_MAX: usize = 2_000;
const SIGNATURES_MAX: usize = 400;

/// Whole paths that a search may hold against the rules.
const PATHS_MAX: usize = 32;

/// What the certificate at the end of a path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Whatever it says.
    Any,
    /// This extended key usage, which must be named.
    Named(ObjectIdentifier),
    /// Time stamps, and nothing else (RFC 3161, 2.3).
    TimeStamping,
    /// Revocation lists.
    CrlSigning,
}

/// What a path is held against.
#[derive(Clone, Debug)]
pub struct PathSettings<'a> {
    /// The moment, in milliseconds since the epoch.
    pub at_ms: i64,
    /// What the certificate is for.
    pub purpose: Purpose,
    /// Whether signatures over MD5, RIPEMD-160 and SHA-1, and RSA keys below 2048 bits, count.
    pub allow_weak: bool,
    /// Where they are given, every certificate below the root must be covered by them, and not be revoked.
    pub crls: Option<CrlSettings<'a>>,
    /// With what policies begin.
    pub policies: PolicySettings,
}

/// What is known of revocation.
#[derive(Clone, Copy, Debug)]
pub struct CrlSettings<'a> {
    /// The lists.
    pub lists: &'a [Crl],
    /// The moment at which they are looked at, in milliseconds since the epoch: what calls itself younger covers nothing.
    pub now_ms: i64,
}

/// What a certificate breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each says what it is")]
pub enum Breach {
    #[error("has an extension that cannot be read, or is critical and not known here: {0}")]
    Extension(ObjectIdentifier),
    #[error("is signed over a broken hash (MD5, RIPEMD-160 or SHA-1)")]
    WeakHash,
    #[error("has an RSA key of less than 2048 bits, or a key with which everybody can sign")]
    WeakKey,
    #[error("is no certificate authority (basicConstraints)")]
    NoAuthority,
    #[error("may not sign certificates (keyUsage)")]
    KeyUsage,
    #[error("stands on a path that is longer than an authority above it allows (pathLenConstraint)")]
    PathLength,
    #[error("has a name that an authority above it may not certify (nameConstraints)")]
    Names,
    #[error("is under none of the certificate policies that are demanded")]
    Policy,
    #[error("maps from or to anyPolicy, or has too many policies")]
    PolicyMapping,
    #[error("is not for this purpose (extendedKeyUsage, keyUsage)")]
    Purpose,
    #[error("is revoked")]
    Revoked,
    #[error("has no revocation list among those given that is current, trusted, and says whether it is revoked")]
    Undetermined,
}

/// Why a certificate is not trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTrusted {
    /// No issuers lead from it to a root.
    #[error("the certificate does not lead to a trusted root")]
    NoPath,
    /// They do, but one of them is over, or was not valid yet.
    #[error("a certificate from the signer up to the trusted root has expired, or was not valid yet")]
    Validity,
    /// One of them breaks a rule.
    #[error("the certificate of {subject} {breach}")]
    Broken {
        /// Whose.
        subject: String,
        /// Which.
        breach: Breach,
    },
    /// How one of them is signed is not known here.
    #[error(
        "the certificate of {subject} is not checked: {algorithm} is not supported here, or its parameters are not"
    )]
    Unsupported {
        /// Whose.
        subject: String,
        /// The algorithm of its signature, or the kind of its issuer's key.
        algorithm: ObjectIdentifier,
    },
    /// There are too many ways to try.
    #[error("there are too many certificates or revocation lists to try")]
    TooComplex,
}

impl NotTrusted {
    fn broken(link: &Link, breach: Breach) -> Self {
        Self::Broken { subject: link.subject_text(), breach }
    }
}

/// Finds a path from a certificate to one of the roots, through some of the others, that breaks no rule; answers how many
/// certificates it has, both ends included.
///
/// # Errors
///
/// [`NotTrusted`] says what the first path that leads to a root breaks, or why there is none.
pub fn find_path<'a>(
    leaf: &'a Link,
    others: &'a [Link],
    roots: &'a [Link],
    settings: &PathSettings<'a>,
) -> Result<usize, NotTrusted> {
    Search::new(others, roots).find(leaf, settings, 0)
}

/// Holds a path that somebody else put together against the rules: its subject first, its root last. Signatures and
/// revocation are theirs to look at.
///
/// # Errors
///
/// [`NotTrusted`] says what the path breaks.
pub fn check_path(path: &[&Link], settings: &PathSettings<'_>) -> Result<(), NotTrusted> {
    let Some((root, below)) = path.split_last() else { return Err(NotTrusted::NoPath) };
    rules::check(below, root, settings)
}

/// A search, with what is left of its bounds: those of the paths of revocation lists count too.
struct Search<'a> {
    others: &'a [Link],
    roots: &'a [Link],
    steps: usize,
    signatures: usize,
    paths: usize,
}

impl<'a> Search<'a> {
    const fn new(others: &'a [Link], roots: &'a [Link]) -> Self {
        Self { others, roots, steps: STEPS_MAX, signatures: SIGNATURES_MAX, paths: PATHS_MAX }
    }

    /// `depth` counts how often a list needed the path of whoever signed it.
    fn find(&mut self, leaf: &'a Link, settings: &PathSettings<'a>, depth: usize) -> Result<usize, NotTrusted> {
        if let Some(root) = self.roots.iter().find(|root| *root == leaf) {
            return rules::check_alone(root, settings).map(|()| 1);
        }
        let (mut path, mut why) = (vec![leaf], None);
        match self.extend(&mut path, settings, depth, &mut why) {
            Some(len) => Ok(len),
            None if self.is_over() => Err(NotTrusted::TooComplex),
            None => Err(why.unwrap_or(NotTrusted::NoPath)),
        }
    }

    const fn is_over(&self) -> bool {
        self.steps == 0 || self.signatures == 0 || self.paths == 0
    }

    /// Goes on from the last certificate of a path. `why` keeps what the first whole path breaks, or why it is none.
    fn extend(
        &mut self,
        path: &mut Vec<&'a Link>,
        settings: &PathSettings<'a>,
        depth: usize,
        why: &mut Option<NotTrusted>,
    ) -> Option<usize> {
        let last = *path.last()?;
        for root in self.roots.iter().filter(|root| last.issuer_key == root.subject_key) {
            if !self.is_signed(last, root) {
                *why = why.take().or_else(|| last.unsupported_under(root));
                continue;
            }
            self.paths = self.paths.saturating_sub(1);
            match self.validate(path, root, settings, depth) {
                Ok(()) => return Some(path.len() + 1),
                Err(broken) => *why = why.take().or(Some(broken)),
            }
        }
        if path.len() + 1 >= PATH_MAX {
            return None;
        }
        for issuer in self.others.iter().filter(|issuer| last.issuer_key == issuer.subject_key) {
            if self.is_over() {
                return None;
            }
            self.steps -= 1;
            if path.contains(&issuer) || self.roots.contains(issuer) {
                continue;
            }
            if !self.is_signed(last, issuer) {
                *why = why.take().or_else(|| last.unsupported_under(issuer));
                continue;
            }
            path.push(issuer);
            let found = self.extend(path, settings, depth, why);
            path.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn is_signed(&mut self, link: &Link, issuer: &Link) -> bool {
        if self.signatures == 0 {
            return false;
        }
        self.signatures -= 1;
        link.is_signed_by(issuer)
    }

    /// Holds a path, its subject first, and the root above it against everything.
    fn validate(
        &mut self,
        path: &[&'a Link],
        root: &'a Link,
        settings: &PathSettings<'a>,
        depth: usize,
    ) -> Result<(), NotTrusted> {
        rules::check(path, root, settings)?;
        if let Some(crls) = settings.crls {
            for (index, link) in path.iter().enumerate() {
                let mut above = path[index + 1..].iter().copied().chain([root]);
                let place = Place { link, issuer: above.next().unwrap_or(root), above: above.next(), root };
                let breach = self.standing(place, crls, settings, depth);
                breach.map_err(|breach| NotTrusted::broken(link, breach))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Instant};

    use chancery_testkit::{Tool, temp_dir};

    use super::*;
    use crate::{read_links, testing::now_ms};

    fn settings(allow_weak: bool) -> PathSettings<'static> {
        PathSettings {
            at_ms: now_ms(),
            purpose: Purpose::Any,
            allow_weak,
            crls: None,
            policies: PolicySettings::default(),
        }
    }

    /// Whoever issued it, and whoever allows short keys: the point of order 1 is a key with which everybody signs.
    #[test]
    fn a_key_of_everybody_stands_in_no_path() {
        let folder = temp_dir();
        let openssl = |arguments: &str| {
            let _ran = Tool::new("openssl").args(arguments.split_whitespace()).folder(folder.path()).run();
        };
        openssl(
            "req -x509 -newkey ed25519 -nodes -config /dev/null -days 9 -keyout root.key -out root.pem -subj /CN=Root \
             -addext basicConstraints=critical,CA:true",
        );
        openssl("req -newkey ed25519 -nodes -config /dev/null -keyout a.key -out a.csr -subj /CN=A");
        openssl("pkey -in a.key -pubout -outform DER -out own.der");
        let own = fs::read(folder.path().join("own.der")).unwrap();
        fs::write(folder.path().join("weak.der"), [&own[..12], &[1], &[0; 31]].concat()).unwrap();
        let links = |name: &str| read_links(&fs::read(folder.path().join(name)).unwrap()).unwrap();
        let roots = links("root.pem");
        for (key, is_anyones) in [("own", false), ("weak", true)] {
            openssl(&format!(
                "x509 -req -in a.csr -CA root.pem -CAkey root.key -days 5 -force_pubkey {key}.der -keyform DER -out {key}.pem"
            ));
            let leaf = &links(&format!("{key}.pem"))[0];
            for (roots, allow_weak) in [(&roots, false), (&roots, true), (&vec![leaf.clone()], true)] {
                let found = find_path(leaf, &[], roots, &settings(allow_weak));
                if is_anyones {
                    let why = found.unwrap_err();
                    assert!(matches!(why, NotTrusted::Broken { breach: Breach::WeakKey, .. }), "{why}");
                } else {
                    found.unwrap();
                }
            }
        }
    }

    /// Thirty authorities of one name and one key, each of which may have issued each other: as many paths as there are
    /// orders of them, and none to the root.
    #[test]
    fn certificates_that_all_point_at_each_other_end_in_a_refusal() {
        let folder = temp_dir();
        let openssl = |arguments: &str| {
            let _ran = Tool::new("openssl").args(arguments.split_whitespace()).folder(folder.path()).run();
        };
        let made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null -days 9";
        let authority = "-addext basicConstraints=critical,CA:true";
        openssl(&format!("{made} -keyout root.key -out root.pem -subj /CN=Root {authority}"));
        openssl(&format!("{made} -keyout a.key -out a.pem -subj /CN=A {authority}"));
        let links = |name: &str| read_links(&fs::read(folder.path().join(name)).unwrap()).unwrap();
        let mut others = Vec::new();
        for _ in 0..30 {
            openssl(&format!("req -x509 -key a.key -config /dev/null -days 9 -out b.pem -subj /CN=A {authority}"));
            others.extend(links("b.pem"));
        }
        let settings = settings(false);
        let start = Instant::now();
        let found = find_path(&links("a.pem")[0], &others, &links("root.pem"), &settings);
        assert_eq!(found, Err(NotTrusted::TooComplex));
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
