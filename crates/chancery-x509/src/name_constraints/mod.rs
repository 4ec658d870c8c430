//! Name constraints (RFC 5280, 4.2.1.10): the names that an authority may certify, or may not.
//!
//! The RFC leaves some comparisons open, and verifiers differ there. So a name must be permitted by the narrow reading and
//! must not be excluded by the wide one: whichever a relying party follows, it accepts what was issued.

mod names;
mod subtree;
mod written;

use std::fmt;

use der::{
    Decode, Sequence,
    asn1::{Any, Int, ObjectIdentifier},
    oid::AssociatedOid,
};
use x509_cert::{TbsCertificate, ext::pkix::name::GeneralName, name::Name};

use super::dn::FoundName;
use names::Named;
pub use names::{NameKey, mailbox_of_common_name, possible_host};
use subtree::Subtree;
pub use written::{EXPECTED, NoRule, Written};

/// The rule's name.
pub const RULE: &str = "nameConstraints";

/// Subtrees that a refusal lists.
const LISTED_MAX: usize = 5;

/// Characters of a foreign name that a refusal repeats.
const TEXT_MAX: usize = 255;

/// ```text
/// NameConstraints ::= SEQUENCE {
///      permittedSubtrees       [0]     GeneralSubtrees OPTIONAL,
///      excludedSubtrees        [1]     GeneralSubtrees OPTIONAL }
///
/// GeneralSubtrees ::= SEQUENCE SIZE (1..MAX) OF GeneralSubtree
/// ```
///
/// x509-cert's own type does not know every form of name, and one that is not known must not hide the others.
#[derive(Sequence)]
struct Extension {
    #[asn1(context_specific = "0", optional = "true", tag_mode = "IMPLICIT")]
    permitted: Option<Vec<GeneralSubtree>>,
    #[asn1(context_specific = "1", optional = "true", tag_mode = "IMPLICIT")]
    excluded: Option<Vec<GeneralSubtree>>,
}

/// id-ce-nameConstraints.
pub const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.30");

impl AssociatedOid for Extension {
    const OID: ObjectIdentifier = OID;
}

/// ```text
/// GeneralSubtree ::= SEQUENCE {
///      base                    GeneralName,
///      minimum         [0]     BaseDistance DEFAULT 0,
///      maximum         [1]     BaseDistance OPTIONAL }
/// ```
#[derive(Sequence)]
struct GeneralSubtree {
    base: Any,
    #[asn1(context_specific = "0", optional = "true", tag_mode = "IMPLICIT")]
    minimum: Option<Int>,
    #[asn1(context_specific = "1", optional = "true", tag_mode = "IMPLICIT")]
    maximum: Option<Int>,
}

/// What one authority of a chain constrains.
#[derive(Clone, Debug)]
pub struct NameConstraints {
    /// Its subject.
    authority: String,
    permitted: Vec<Subtree>,
    excluded: Vec<Subtree>,
}

/// Names that lie outside of what an authority may certify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The alternative name at fault; `None` where it is the subject.
    pub alt_name: Option<usize>,
    why: String,
}

impl Breach {
    /// Which name lies where, without a full stop.
    pub fn why(&self) -> &str {
        &self.why
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The certificate would break the rule {RULE}: {}.", self.why)
    }
}

impl NameConstraints {
    /// Those of a certificate, if it has any.
    pub fn of(tbs: &TbsCertificate) -> der::Result<Option<Self>> {
        let mut extensions = tbs.extensions().into_iter().flatten();
        let Some(found) = extensions.find(|extension| extension.extn_id == Extension::OID) else { return Ok(None) };
        let authority = shortened(&FoundName::from(tbs.subject()).to_string());
        Self::read(authority, found.extn_value.as_bytes()).map(Some)
    }

    /// Reads the extension's value.
    pub fn read(authority: String, value: &[u8]) -> der::Result<Self> {
        let Extension { permitted, excluded } = Extension::from_der(value)?;
        let read = |subtrees: Option<Vec<GeneralSubtree>>| subtrees.iter().flatten().map(Subtree::read).collect();
        Ok(Self { authority, permitted: read(permitted), excluded: read(excluded) })
    }

    /// Whether they constrain nothing, which no authority may say.
    pub const fn is_empty(&self) -> bool {
        self.permitted.is_empty() && self.excluded.is_empty()
    }

    /// A subtree of a form that has an order and whose base is no name of that form.
    pub fn unreadable(&self) -> Option<String> {
        self.permitted.iter().chain(&self.excluded).find(|subtree| subtree.is_unreadable()).map(ToString::to_string)
    }

    /// The subtrees in which a subject may lie, if those of subjects are constrained.
    pub fn subjects(&self) -> impl Iterator<Item = &Name> {
        self.permitted.iter().filter_map(Subtree::directory)
    }

    /// RFC 5280, 6.1.3 (b) and (c): in one of the permitted subtrees of its form, if there are any, and in none of the
    /// excluded ones.
    fn check(&self, name: &Named) -> Result<(), String> {
        let authority = &self.authority;
        let permitted: Vec<_> = self.permitted.iter().filter(|subtree| subtree.is_for(name)).collect();
        let mut of_form = self.excluded.iter().filter(|subtree| subtree.is_for(name)).chain(permitted.iter().copied());
        if let Some(unclear) = of_form.find(|subtree| subtree.is_unclear() || name.is_unclear()) {
            return Err(format!("{name} cannot be held against {unclear}, by which {authority} limits such names"));
        }
        if let Some(excluded) = self.excluded.iter().find(|subtree| subtree.excludes(name)) {
            return Err(format!("{name} lies in what {authority} excludes: {excluded}"));
        }
        if permitted.is_empty() || permitted.iter().any(|subtree| subtree.permits(name)) {
            return Ok(());
        }
        let more = if permitted.len() > LISTED_MAX { ", and others" } else { "" };
        let listed: Vec<_> = permitted.iter().take(LISTED_MAX).map(ToString::to_string).collect();
        Err(format!("{name} lies outside of what {authority} permits: {}{more}", listed.join(", ")))
    }
}

/// Holds a certificate's names against what the authorities above it constrain.
pub fn check(
    constraints: &[NameConstraints],
    subject: &Name,
    alt_names: &[GeneralName],
    is_authority: bool,
) -> Result<(), Breach> {
    if constraints.is_empty() {
        return Ok(());
    }
    let in_subject = Named::in_subject(subject, alt_names, is_authority);
    hold(constraints, in_subject, alt_names)
}

/// The same for a certificate that is to be issued: also a common name that people take for a mailbox or an address, or that
/// a client could take for a host, lies where those must lie. Nobody is told that by a verifier, who holds no such name against constraints.
pub fn check_new(
    constraints: &[NameConstraints],
    subject: &Name,
    alt_names: &[GeneralName],
    is_authority: bool,
) -> Result<(), Breach> {
    if constraints.is_empty() {
        return Ok(());
    }
    let mut in_subject = Named::in_subject(subject, alt_names, is_authority);
    if !is_authority {
        in_subject.extend(Named::in_common_names(subject, alt_names));
    }
    hold(constraints, in_subject, alt_names)
}

fn hold(constraints: &[NameConstraints], in_subject: Vec<Named>, alt_names: &[GeneralName]) -> Result<(), Breach> {
    let in_subject = in_subject.into_iter().map(|name| (None, name));
    let beside = alt_names.iter().enumerate().map(|(index, name)| (Some(index), Named::general(name)));
    for (alt_name, name) in in_subject.chain(beside) {
        for authority in constraints {
            authority.check(&name).map_err(|why| Breach { alt_name, why })?;
        }
    }
    Ok(())
}

fn shortened(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}

#[cfg(test)]
mod tests;
