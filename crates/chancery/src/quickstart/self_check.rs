//! What the demonstration tries on itself, as a client that knows nothing but the interface.

use chancery_client::Client;
use chancery_core::Clock;
use chancery_types::{Base64, SigningRequestState, wire::signing_requests::SubmitRequest};
use chancery_verify::verify_detached;

use super::{
    state::{Admin, Demo},
    steps::Steps,
};
use crate::failure::{Failure, While as _};

/// A card number that belongs to nobody and passes Luhn.
pub(super) const CARD: &str = "4111111111111111";

/// What is signed: any bytes would do.
const FILE: &[u8] = b"Nothing is sealed here by one person alone.\n";

/// Both administrators, one session, one bearer token.
pub(super) fn log_in(client: &mut Client, admins: &[Admin], steps: &mut Steps) -> Result<(), Failure> {
    let step = steps.begin("log in as Admin1 and Admin2, in one session, and take a bearer token");
    let mut complete = false;
    for admin in admins {
        if complete {
            return Err("one administrator alone was fully logged in".into());
        }
        let logged_in = client.log_in(&admin.username, &admin.password);
        let hint = "quickstart.json has its password; where it was changed, use `chancery serve`";
        complete = logged_in.doing(format!("logging {} in ({hint})", admin.username))?.fully_logged_in;
    }
    if !complete {
        return Err("both administrators together were not fully logged in".into());
    }
    client.take_token()?;
    step.done();
    Ok(())
}

/// A card number there and back again.
pub(super) fn tokenize(client: &Client, demo: &Demo, steps: &mut Steps) -> Result<(), Failure> {
    let step = steps.begin("tokenize a card number: ");
    let token = client.tokenize(demo.token_profile_uuid, CARD).doing("tokenizing")?;
    step.done_with(&format!("{CARD} -> {}", token.token));
    let step = steps.begin("detokenize it: ");
    let message = client.detokenize(demo.token_profile_uuid, token).doing("detokenizing")?.message;
    if message != CARD {
        return Err("detokenizing did not give the card number back".into());
    }
    step.done_with(&message);
    Ok(())
}

/// A signature, verified against the root as a relying party does.
pub(super) fn sign(client: &Client, demo: &Demo, steps: &mut Steps) -> Result<(), Failure> {
    let step = steps.begin("sign a file (CMS, SHA-256)");
    let request = SubmitRequest {
        name: "quickstart self-check".to_owned(),
        service_uuid: demo.service_uuid,
        policy_uuid: demo.policy_uuid,
        upload_data: Some(Base64(FILE.to_vec())),
        digest: None,
        items: None,
        existing_signature: None,
        with_page_hashes: false,
        page_hashes: None,
        program_name: None,
        program_url: None,
        note: None,
        metadata: None,
    };
    let submitted = client.submit(&request).doing("submitting a signing request")?;
    let signed = client.signing_request(submitted.uuid)?;
    if signed.state != SigningRequestState::Signed {
        return Err(format!("the signing request is {} rather than Signed", signed.state).into());
    }
    step.done();
    let step = steps.begin("verify the signature and its certificates: ");
    let root = client.certificate(demo.root_certificate_uuid)?.certificate.ok_or("the root was not saved")?;
    let verified = verify_detached(&signed.signature.0, FILE, &root, Clock::System.now_ms());
    let verified = verified.doing("verifying the signature")?;
    step.done_with(&format!("by {}, {} certificates to the root", verified.signer, verified.chain_len));
    Ok(())
}
