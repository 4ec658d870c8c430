//! Whether a client certificate leads to an authority that is trusted here, is good now, and is not revoked.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{CertificateId, Origin};
use chancery_verify::path::{Crl, CrlSettings, Link, NotTrusted, PathSettings, PolicySettings, Purpose, find_path};
use der::asn1::ObjectIdentifier;
use uuid::Uuid;

use super::{AuthorityContent, CertificateRefusal};
use crate::{Error, Identities, Result, identity::SigningIn};

/// id-kp-clientAuth (RFC 5280, 4.2.1.12).
const CLIENT_AUTH: Purpose = Purpose::Named(ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2"));

/// What the store knows of a certificate that this installation has issued.
struct Issued {
    authority: Link,
    /// The rows of the authority and of all below it, the client's own last.
    rows: Vec<Uuid>,
    /// What was shown of the latter, the client's own last.
    links: Vec<Link>,
    is_revoked: bool,
}

impl Identities {
    /// Whether the first of these leads to the authority; of what this installation has issued, what must not be revoked.
    pub(super) async fn led_to(
        &self,
        authority: AuthorityContent,
        links: Arc<[Link]>,
    ) -> Result<Result<Vec<Uuid>, CertificateRefusal>> {
        let now_ms = self.context.clock.now_ms();
        let Some(own) = authority.own else {
            return self.context.pool.run(move || led_to_elsewhere(&authority, &links, now_ms)).await?;
        };
        let Some(issued) = self.issued_here(own, Arc::clone(&links)).await? else {
            return Ok(Err(CertificateRefusal::NotIssuedHere));
        };
        if issued.is_revoked {
            return Ok(Err(CertificateRefusal::Revoked));
        }
        let Issued { authority, rows, links, .. } = issued;
        let found = self.context.pool.run(move || {
            // By what was issued here alone: anything else that was shown might lead there, too, and be revoked.
            let links: Vec<_> = links.into_iter().rev().collect();
            let path = path(&links, std::slice::from_ref(&authority), None, now_ms);
            path.map_err(|why| CertificateRefusal::of(&why, &[], now_ms))
        });
        Ok(found.await?.map(|_| rows))
    }

    /// What the store has of the certificates that were shown, from the authority down to the client's own.
    async fn issued_here(&self, authority: CertificateId, links: Arc<[Link]>) -> Result<Option<Issued>> {
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move {
                let Some(row) = tables::certificates::by_id(tx, authority.into()).await? else { return Ok(None) };
                let Some(link) = Link::read(&row.der) else { return Ok(None) };
                let (rows, is_revoked) = (vec![row.id], row.revoked_at_s.is_some());
                walked_down(tx, Issued { authority: link, rows, links: Vec::new(), is_revoked }, &links).await
            })
        });
        read.await
    }
}

/// Certificates are shown with the client's own first, each followed by its issuer (RFC 5246, 7.4.2): so they are met from the
/// last one on. The client's own was issued here: what was imported somebody else signed, such as with a stolen copy of the
/// key, and nobody was held against its names. One whose bytes were not saved logs nobody in either: what else was signed under
/// its number nobody could tell from it.
async fn walked_down(tx: &mut Tx, mut issued: Issued, links: &[Link]) -> Result<Option<Issued>> {
    for (place, link) in links.iter().enumerate().rev() {
        let Some(&issuer) = issued.rows.last() else { return Ok(None) };
        let row = tables::certificates::by_serial(tx, issuer, &link.serial_text()).await?;
        // The authority itself may be shown, too, and is no issuer of its own here.
        let row = row.filter(|row| row.id != issuer && (place > 0 || row.origin == Origin::Generated.as_str()));
        match row.filter(|row| row.der == link.der()) {
            Some(row) => {
                issued.is_revoked |= row.revoked_at_s.is_some();
                issued.rows.push(row.id);
                issued.links.push(link.clone());
            }
            None if place == 0 => return Ok(None),
            None => {}
        }
    }
    Ok(Some(issued))
}

fn led_to_elsewhere(
    authority: &AuthorityContent,
    links: &[Link],
    now_ms: i64,
) -> Result<Result<Vec<Uuid>, CertificateRefusal>> {
    let roots = authority.links()?;
    // Lists are long: they are read for those whom an authority vouches for.
    if let Err(why) = path(links, &roots, None, now_ms) {
        return Ok(Err(CertificateRefusal::of(&why, &[], now_ms)));
    }
    let lists = authority.crls()?;
    let found = path(links, &roots, Some(&lists), now_ms);
    Ok(found.map(|_| Vec::new()).map_err(|why| CertificateRefusal::of(&why, &lists, now_ms)))
}

/// By the rules of RFC 5280, section 6, as `chancery verify` has them.
fn path(links: &[Link], roots: &[Link], lists: Option<&[Crl]>, now_ms: i64) -> Result<usize, NotTrusted> {
    let settings = PathSettings {
        at_ms: now_ms,
        purpose: CLIENT_AUTH,
        allow_weak: false,
        crls: lists.map(|lists| CrlSettings { lists, now_ms }),
        policies: PolicySettings::default(),
    };
    find_path(&links[0], &links[1..], roots, &settings)
}

/// Refuses a login by certificates of which one was revoked meanwhile.
pub(in crate::identity::federation) async fn expect_unrevoked(
    tx: &mut Tx,
    issued: &[Uuid],
    refusal: fn() -> Error,
) -> Result<()> {
    let rows = tables::certificates::by_ids(tx, issued).await?;
    let are_good = rows.len() == issued.len() && rows.iter().all(|row| row.revoked_at_s.is_none());
    if are_good { Ok(()) } else { Err(refusal()) }
}
