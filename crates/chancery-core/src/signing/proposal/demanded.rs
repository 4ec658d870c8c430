//! What a proposal takes now, whatever it took when it was made.

use chancery_store::{Tx, tables};
use chancery_types::{CertificateId, SelfApproval, SigningRequestState, wire::approval::ApprovalRules};

use super::content::{Content, NewCertificate};
use crate::{
    Error, Result,
    pki::{StoredCertificate, cert_profile},
    signing::{
        demand::Demand,
        rules,
        service::{Policy, Service},
    },
};

/// A pre-approval takes what the policy takes, of people who did not ask for it; a policy the highest count of the
/// service, and its own steps; a certificate what profile and issuer demand together; a change of what they demand, what
/// they demand still.
pub(super) async fn demanded(tx: &mut Tx, row: &tables::proposals::Row, content: &Content) -> Result<Demand> {
    let waits = row.state == SigningRequestState::Approval.as_str();
    match content {
        Content::PreApproval(_) => {
            let policies = policies(tx, row).await?;
            let own = policies.iter().find(|policy| Some(policy.id.into()) == row.policy_id);
            let own = own.ok_or_else(|| Error::internal("a pre-approval's policy is not there"))?;
            Ok(Demand::new(own.num_approvals, rules::steps(&own.rules), SelfApproval::Never))
        }
        // What took effect may have changed what is asked for.
        Content::Policy(_) | Content::Certificate(_) | Content::CertProfile(_) | Content::Issuer(..) if !waits => {
            Ok(as_submitted(row))
        }
        Content::Policy(_) => {
            let policies = policies(tx, row).await?;
            let own = policies.iter().find(|policy| Some(policy.id.into()) == row.policy_id);
            let never = policies.iter().any(|policy| policy.self_approval == SelfApproval::Never);
            Ok(Demand::new(
                policies.iter().map(|policy| policy.num_approvals).max().unwrap_or(0),
                own.map(|policy| rules::steps(&policy.rules)).unwrap_or_default(),
                if never { SelfApproval::Never } else { SelfApproval::DualControl },
            ))
        }
        Content::Certificate(new) => {
            let NewCertificate { request, certificate } = new.as_ref();
            let issuer = of_authority(tx, certificate.issuer_uuid).await?;
            let inherited = of_authority(tx, request.instead_of()).await?;
            let profile = match cert_profile::built_in(certificate.cert_profile_uuid) {
                Some(_) => None,
                None => match cert_profile::approval_of(tx, certificate.cert_profile_uuid).await? {
                    Some(rules) => Some(rules),
                    // Without its profile it can only fail.
                    None => return Ok(as_submitted(row)),
                },
            };
            Ok(Demand::all([issuer, inherited, profile].iter().flatten()))
        }
        Content::CertProfile(new) => Ok(match cert_profile::approval_of(tx, new.after.obj_info.uuid).await? {
            Some(rules) => Demand::all([&rules]),
            None => as_submitted(row),
        }),
        Content::Issuer(id, _) => Ok(Demand::all(of_authority(tx, Some(*id)).await?.iter())),
    }
}

fn as_submitted(row: &tables::proposals::Row) -> Demand {
    Demand::new(row.required_at_submission, Vec::new(), SelfApproval::Never)
}

async fn of_authority(tx: &mut Tx, id: Option<CertificateId>) -> Result<Option<ApprovalRules>> {
    match id {
        Some(id) => Ok(StoredCertificate::load(tx, id).await?.approval),
        None => Ok(None),
    }
}

async fn policies(tx: &mut Tx, row: &tables::proposals::Row) -> Result<Vec<Policy>> {
    let missing = || Error::internal("a proposal's service is not there");
    let id = row.service_id.ok_or_else(missing)?;
    let service = Service::load(tx, id.into()).await?.ok_or_else(missing)?;
    let rows = tables::signing_policies::of_service(tx, id).await?;
    rows.into_iter().map(|row| Policy::from_row(row, &service)).collect()
}
