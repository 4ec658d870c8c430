//! What the demonstration tries on itself, as a client that knows nothing but the interface.

use chancery_client::Client;
use chancery_core::Clock;
use chancery_types::{
    Base64, PolicyId, ServiceId, SigningRequestState,
    wire::signing_requests::{ApproveRequest, SigningRequest, SubmitRequest},
};
use chancery_verify::verify_detached;

use super::{
    state::{Demo, Person},
    steps::Steps,
};
use crate::failure::{Failure, While as _};

/// A card number that belongs to nobody and passes Luhn.
pub(super) const CARD: &str = "4111111111111111";

/// What is signed: any bytes would do.
const FILE: &[u8] = b"Nothing is sealed here by one person alone.\n";

/// Both administrators, one session, one bearer token.
pub(super) fn log_in(client: &Client, admins: &[Person], steps: &mut Steps) -> Result<(), Failure> {
    let step = steps.begin("log in as Admin1 and Admin2, in one session, and take a bearer token");
    let mut complete = false;
    for admin in admins {
        if complete {
            return Err("one administrator alone was fully logged in".into());
        }
        let logged_in = client.log_in(&admin.username, &admin.password);
        let hint = "quickstart.json has its password as it was made; where all were changed, use `chancery serve`";
        complete = logged_in.doing(format!("logging {} in ({hint})", admin.username))?.fully_logged_in;
    }
    if !complete {
        return Err("both administrators together were not fully logged in".into());
    }
    client.take_token()?;
    step.done()?;
    Ok(())
}

/// Everything that the demonstration shows; the administrators log out after it.
pub(super) fn all(
    client: &Client,
    other: &Client,
    demo: &Demo,
    approver: &Person,
    steps: &mut Steps,
) -> Result<(), Failure> {
    tokenize(client, demo, steps)?;
    sign(client, demo, steps)?;
    sign_what_is_approved(client, other, demo, approver, steps)?;
    Ok(client.log_out()?)
}

/// A card number there and back again.
fn tokenize(client: &Client, demo: &Demo, steps: &mut Steps) -> Result<(), Failure> {
    let step = steps.begin("tokenize a card number: ");
    let token = client.tokenize(demo.token_profile_uuid, CARD).doing("tokenizing")?;
    step.done_with(&format!("{CARD} -> {}", token.token))?;
    let step = steps.begin("detokenize it: ");
    let message = client.detokenize(demo.token_profile_uuid, token).doing("detokenizing")?.message;
    if message != CARD {
        return Err("detokenizing did not give the card number back".into());
    }
    step.done_with(&message)?;
    Ok(())
}

/// A signature, verified against the root as a relying party does.
fn sign(client: &Client, demo: &Demo, steps: &mut Steps) -> Result<(), Failure> {
    let step = steps.begin("sign a file (CMS, SHA-256)");
    let submitted = client.submit(&submission(demo.service_uuid, demo.policy_uuid)).doing("submitting")?;
    let signed = client.signing_request(submitted.uuid)?;
    expect_state(&signed, SigningRequestState::Signed)?;
    step.done()?;
    let step = steps.begin("verify the signature and its certificates: ");
    step.done_with(&verified(client, demo, &signed)?)?;
    Ok(())
}

/// What this is for: nothing is signed by those who ask for it alone.
fn sign_what_is_approved(
    client: &Client,
    other: &Client,
    demo: &Demo,
    approver: &Person,
    steps: &mut Steps,
) -> Result<(), Failure> {
    let releases = demo.releases;
    let step = steps.begin("submit a release, which waits; approve it as Approver1; verify its signature: ");
    let submitted = client.submit(&submission(releases.service_uuid, releases.policy_uuid)).doing("submitting")?;
    expect_state(&client.signing_request(submitted.uuid)?, SigningRequestState::Approval)?;
    other.log_in(&approver.username, &approver.password).doing("logging the approver in")?;
    other.take_token()?;
    other.approve(submitted.uuid, &ApproveRequest::default()).doing("approving")?;
    other.log_out()?;
    let signed = client.signing_request(submitted.uuid)?;
    expect_state(&signed, SigningRequestState::Signed)?;
    step.done_with(&verified(client, demo, &signed)?)?;
    Ok(())
}

fn submission(service_uuid: ServiceId, policy_uuid: PolicyId) -> SubmitRequest {
    SubmitRequest {
        upload_data: Some(Base64(FILE.to_vec())),
        ..SubmitRequest::new("quickstart self-check".to_owned(), service_uuid, policy_uuid)
    }
}

fn expect_state(request: &SigningRequest, state: SigningRequestState) -> Result<(), Failure> {
    if request.state == state {
        return Ok(());
    }
    Err(format!("the signing request is {} rather than {state}", request.state).into())
}

fn verified(client: &Client, demo: &Demo, signed: &SigningRequest) -> Result<String, Failure> {
    let root = client.certificate(demo.root_certificate_uuid)?.certificate.ok_or("the root was not saved")?;
    let verified = verify_detached(&signed.signature.0, FILE, &root, Clock::System.now_ms());
    let verified = verified.doing("verifying the signature")?;
    Ok(format!("by {}, {} certificates to the root", verified.signer, verified.chain_len))
}
