//! The rules that a whole path must keep (RFC 5280, 6.1.3 to 6.1.5).

use chancery_x509::{certificate::TIME_STAMPING, name_constraints};
use x509_cert::ext::pkix::KeyUsages;

use super::{Breach, Link, NotTrusted, PathSettings, Purpose, policy::Policies};

/// A certificate that is trusted itself: nothing stands above it.
pub(super) fn check_alone(link: &Link, settings: &PathSettings<'_>) -> Result<(), NotTrusted> {
    check_life(link, settings)?;
    let broken = |breach| NotTrusted::broken(link, breach);
    if let Some(extension) = link.fault {
        return Err(broken(Breach::Extension(extension)));
    }
    if link.has_anyones_key() {
        return Err(broken(Breach::WeakKey));
    }
    if !is_for(link, settings.purpose) {
        return Err(broken(Breach::Purpose));
    }
    Ok(())
}

/// A path, its subject first, and the root above it.
pub(super) fn check(path: &[&Link], root: &Link, settings: &PathSettings<'_>) -> Result<(), NotTrusted> {
    check_life(root, settings)?;
    check_authority(root, settings).map_err(|breach| NotTrusted::broken(root, breach))?;
    let mut constraints: Vec<_> = root.facts.constraints.iter().cloned().collect();
    let mut left = root.facts.path_len.map_or(path.len(), usize::from);
    let mut policies = Policies::new(&settings.policies, path.len());
    for (above, link) in path.iter().rev().enumerate() {
        let is_last = above + 1 == path.len();
        let broken = |breach| NotTrusted::broken(link, breach);
        check_life(link, settings)?;
        check_form(link, settings).map_err(broken)?;
        // What follows a change of key within one authority may bear its name, whatever that is.
        if is_last || !link.is_self_issued() {
            let (subject, names) = (link.subject(), &link.facts.alt_names);
            name_constraints::check(&constraints, subject, names, link.facts.is_authority)
                .map_err(|_| broken(Breach::Names))?;
        }
        if !policies.take(link, is_last) {
            return Err(broken(Breach::Policy));
        }
        if is_last {
            break;
        }
        if !policies.prepare(link) {
            return Err(broken(Breach::PolicyMapping));
        }
        constraints.extend(link.facts.constraints.iter().cloned());
        check_authority(link, settings).map_err(broken)?;
        if !link.is_self_issued() {
            left = left.checked_sub(1).ok_or_else(|| broken(Breach::PathLength))?;
        }
        left = link.facts.path_len.map_or(left, |own| left.min(usize::from(own)));
    }
    let Some(leaf) = path.first() else { return Err(NotTrusted::NoPath) };
    if !policies.finish(leaf, &settings.policies) {
        return Err(NotTrusted::broken(leaf, Breach::Policy));
    }
    if is_for(leaf, settings.purpose) { Ok(()) } else { Err(NotTrusted::broken(leaf, Breach::Purpose)) }
}

fn check_life(link: &Link, settings: &PathSettings<'_>) -> Result<(), NotTrusted> {
    if link.is_valid_at(settings.at_ms) { Ok(()) } else { Err(NotTrusted::Validity) }
}

/// What holds for every certificate below the root.
fn check_form(link: &Link, settings: &PathSettings<'_>) -> Result<(), Breach> {
    if let Some(extension) = link.fault {
        return Err(Breach::Extension(extension));
    }
    if !settings.allow_weak && link.is_weakly_signed() {
        return Err(Breach::WeakHash);
    }
    check_key(link, settings)?;
    Ok(())
}

/// Short keys count for whoever says so; a key that is everybody's never does.
fn check_key(link: &Link, settings: &PathSettings<'_>) -> Result<(), Breach> {
    let is_refused = link.has_anyones_key() || !settings.allow_weak && link.has_weak_key();
    if is_refused { Err(Breach::WeakKey) } else { Ok(()) }
}

/// What holds for every certificate that issued another, the root too.
fn check_authority(link: &Link, settings: &PathSettings<'_>) -> Result<(), Breach> {
    if let Some(extension) = link.fault {
        return Err(Breach::Extension(extension));
    }
    if !link.is_version_3() || !link.facts.is_authority {
        return Err(Breach::NoAuthority);
    }
    if link.facts.usage.is_some_and(|usage| !usage.0.contains(KeyUsages::KeyCertSign)) {
        return Err(Breach::KeyUsage);
    }
    check_key(link, settings)?;
    let fits = match settings.purpose {
        Purpose::Any | Purpose::CrlSigning => true,
        Purpose::Named(purpose) => link.issues_for(purpose),
        Purpose::TimeStamping => link.issues_for(TIME_STAMPING),
    };
    if fits { Ok(()) } else { Err(Breach::Purpose) }
}

/// Whether the certificate at the end may be used so.
pub(super) fn is_for(link: &Link, purpose: Purpose) -> bool {
    let allows = |wanted: &[KeyUsages]| {
        link.facts.usage.is_none_or(|usage| wanted.iter().any(|wanted| usage.0.contains(*wanted)))
    };
    let signs = || allows(&[KeyUsages::DigitalSignature, KeyUsages::NonRepudiation]);
    let purposes = link.facts.purposes.as_ref();
    match purpose {
        Purpose::Any => true,
        Purpose::Named(wanted) => signs() && purposes.is_some_and(|(_, named)| named.contains(&wanted)),
        Purpose::TimeStamping => {
            signs() && purposes.is_some_and(|(critical, named)| *critical && *named == [TIME_STAMPING])
        }
        // An authority that says nothing of its key's usage may sign lists; anybody else must be said to.
        Purpose::CrlSigning => {
            link.facts.usage.map_or(link.facts.is_authority, |usage| usage.0.contains(KeyUsages::CRLSign))
        }
    }
}
