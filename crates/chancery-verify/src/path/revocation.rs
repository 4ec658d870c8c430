//! Whether a certificate is revoked, by revocation lists that are given (RFC 5280, 6.3).

use std::{mem, slice};

use x509_cert::ext::pkix::CrlReason;

use super::{
    Breach, CrlSettings, Link, PathSettings, Purpose, Search,
    crl::{ALL_REASONS, Crl, Entry, Point},
};

/// Lists whose signers' certificates are looked up in further lists.
const DEPTH_MAX: usize = 2;

/// A certificate in the path that is validated.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) link: &'a Link,
    pub(super) issuer: &'a Link,
    /// The issuer's own, where that is not the root.
    pub(super) above: Option<&'a Link>,
    pub(super) root: &'a Link,
}

/// A list that speaks of a certificate and is believed.
struct Heard<'a> {
    crl: &'a Crl,
    signer: &'a Link,
}

impl<'a> Search<'a> {
    /// Whether a certificate is not revoked (6.3.3). All lists are looked at: one that says nothing of it may be older than
    /// one that revokes it, and both be current.
    pub(super) fn standing(
        &mut self,
        place: Place<'a>,
        crls: CrlSettings<'a>,
        settings: &PathSettings<'a>,
        depth: usize,
    ) -> Result<(), Breach> {
        let link = place.link;
        let points = link.facts.crl_points.iter().map(|point| Point::of(link, point)).chain([Point::unsaid(link)]);
        let points: Vec<_> = points.collect();
        let is_current = |crl: &Crl| crl.is_current(settings.at_ms, crls.now_ms);
        let (mut covered, mut heard) = (0, Vec::new());
        for crl in crls.lists {
            let reasons = points.iter().fold(0, |reasons, point| reasons | crl.reasons_for(link, point));
            let names_it = crl.entries(link).next().is_some();
            let covers = !crl.is_delta() && is_current(crl) && (names_it || crl.would_name(link));
            if reasons == 0 || !covers && !names_it {
                continue;
            }
            // Whether it is to be believed, or what it says, cannot be told, and it may revoke the certificate.
            if names_it && crl.algorithm(settings.allow_weak).is_none() {
                return Err(Breach::Undetermined);
            }
            if let Some(signer) = self.signer_of(crl, place, settings, depth) {
                covered |= if covers { reasons } else { 0 };
                heard.push(Heard { crl, signer });
            }
        }
        // Where the bounds were met, a list that revokes may be among those that were not believed for that.
        if self.is_over() {
            return Err(Breach::Undetermined);
        }
        let is_released = |hold: &Heard<'_>| {
            heard.iter().any(|other| is_current(other.crl) && other.replaces(hold) && other.releases(link))
        };
        // Only a hold ends: with its list, or by a newer one. Everything else stays, whatever other lists leave out (5.3.1).
        let ends = |entry: &Entry, by: &Heard<'_>| {
            entry.reason == Some(CrlReason::CertificateHold) && (by.crl.is_over(settings.at_ms) || is_released(by))
        };
        let revokes = |by: &Heard<'_>| by.crl.entries(link).any(|entry| entry.revokes(settings) && !ends(entry, by));
        if heard.iter().any(revokes) {
            return Err(Breach::Revoked);
        }
        if covered == ALL_REASONS { Ok(()) } else { Err(Breach::Undetermined) }
    }

    /// Who signed a list, if it is believed: the issuer of the certificate, or somebody else of the name in it whose own
    /// certificate leads to the same root (6.3.3, f). A signer to whom its issuer left its own standing, too, is heard on
    /// that: its path is being looked at already.
    fn signer_of(
        &mut self,
        crl: &Crl,
        place: Place<'a>,
        settings: &PathSettings<'a>,
        depth: usize,
    ) -> Option<&'a Link> {
        let Place { link, issuer, root, .. } = place;
        let is_direct = link.issuer_key == crl.issuer_key;
        for near in [Some(issuer), (!is_direct).then_some(link)].into_iter().flatten() {
            if near.subject_key == crl.issuer_key && self.signed(crl, near, settings) {
                return Some(near);
            }
        }
        if depth >= DEPTH_MAX {
            return None;
        }
        let settings = PathSettings { purpose: Purpose::CrlSigning, ..settings.clone() };
        let (only_root, others) = (slice::from_ref(root), self.others);
        for signer in only_root.iter().chain(others).filter(|signer| signer.subject_key == crl.issuer_key) {
            let is_somebody_else = *signer != *issuer && *signer != *link;
            if !is_somebody_else
                || !self.signed(crl, signer, &settings)
                || is_direct && !self.is_other_key_of_issuer(signer, place)
            {
                continue;
            }
            let all_roots = mem::replace(&mut self.roots, only_root);
            let found = self.find(signer, &settings, depth + 1);
            self.roots = all_roots;
            if found.is_ok() {
                return Some(signer);
            }
        }
        None
    }

    /// Whether a certificate of the issuer's name is the issuer's other key, and not just anybody's to whom an authority below
    /// the root gave that name: the issuer certified it, or is certified by it, or both are certified by one.
    fn is_other_key_of_issuer(&mut self, signer: &Link, place: Place<'_>) -> bool {
        self.is_signed(signer, place.issuer)
            || self.is_signed(place.issuer, signer)
            || place.above.is_some_and(|above| self.is_signed(signer, above))
    }

    fn signed(&mut self, crl: &Crl, signer: &Link, settings: &PathSettings<'_>) -> bool {
        if self.signatures == 0 {
            return false;
        }
        self.signatures -= 1;
        crl.is_signed_by(signer, settings.allow_weak)
    }
}

impl Heard<'_> {
    /// Whether the same key signed it later, in the other's place.
    fn replaces(&self, other: &Heard<'_>) -> bool {
        self.signer.public_key() == other.signer.public_key() && self.crl.replaces(other.crl)
    }

    /// Whether it takes a hold back: a complete list by leaving it out, a delta by naming it; and not because the certificate
    /// has expired (5.3.1).
    fn releases(&self, link: &Link) -> bool {
        let mut entries = self.crl.entries(link).peekable();
        let speaks = !self.crl.is_delta() || entries.peek().is_some();
        speaks && self.crl.would_name(link) && entries.all(Entry::is_removal)
    }
}

impl Entry {
    pub(super) fn is_removal(&self) -> bool {
        self.reason == Some(CrlReason::RemoveFromCRL)
    }

    /// Whether the certificate is not to be trusted at the moment in question. Of when a stamp or a list was signed nobody
    /// tells but its own key: what was before counts only where the reason says that the key was not stolen (RFC 3161, 4).
    fn revokes(&self, settings: &PathSettings<'_>) -> bool {
        let is_own_witness = matches!(settings.purpose, Purpose::TimeStamping | Purpose::CrlSigning);
        let is_key_safe = matches!(
            self.reason,
            Some(
                CrlReason::Unspecified
                    | CrlReason::AffiliationChanged
                    | CrlReason::Superseded
                    | CrlReason::CessationOfOperation
            )
        );
        let has_begun = self.since_s <= settings.at_ms.div_euclid(1_000);
        !self.is_removal() && (has_begun || is_own_witness && !is_key_safe)
    }
}
