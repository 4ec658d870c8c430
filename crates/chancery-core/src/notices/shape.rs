//! A notice in the forms that webhooks take.

use chancery_types::{NoticeKind, NoticeObject, WebhookShape, wire::notices::Notice};
use serde_json::json;

use crate::{Error, Result};

/// The body that is posted.
pub(super) fn body(shape: WebhookShape, notice: &Notice) -> Result<Vec<u8>> {
    let body = match shape {
        WebhookShape::Chancery => serde_json::to_vec(notice),
        WebhookShape::Slack => {
            let link = notice.url.as_ref().map_or(String::new(), |url| format!("\n{url}"));
            serde_json::to_vec(&json!({"text": format!("{}{link}", sentence(notice))}))
        }
        WebhookShape::Teams => serde_json::to_vec(&teams(notice)),
    };
    body.map_err(Error::internal)
}

/// A message with one adaptive card.
fn teams(notice: &Notice) -> serde_json::Value {
    let link = |url: &String| json!([{"type": "Action.OpenUrl", "title": "Open in Chancery", "url": url}]);
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": [{"type": "TextBlock", "wrap": true, "text": sentence(notice)}],
                "actions": notice.url.as_ref().map_or_else(|| json!([]), link),
            },
        }],
    })
}

/// A notice in words. All of them are ours.
pub(super) fn sentence(notice: &Notice) -> String {
    let id = notice.object_uuid.map_or(String::new(), |id| format!(" {id}"));
    let counted = notice.approvals.filter(|_| matches!(notice.kind, NoticeKind::Waiting | NoticeKind::Approved));
    let counted = counted.map_or(String::new(), |of| format!(" ({} of {} given)", of.given, of.required));
    format!("{}{id} {}{counted}.", object(notice), what(notice))
}

/// The same in short, of which object is left out.
pub(super) fn what_happened(notice: &Notice) -> String {
    let object = match notice.object_kind {
        Some(_) => format!("{} ", object(notice)),
        None => String::new(),
    };
    format!("{object}{}", what(notice))
}

fn object(notice: &Notice) -> &'static str {
    match notice.object_kind {
        Some(NoticeObject::SigningRequest) => "Signing request",
        Some(NoticeObject::Proposal) => "Proposal",
        Some(NoticeObject::Certificate) => "Certificate",
        Some(NoticeObject::ApiKey) => "API key",
        Some(NoticeObject::Identity) => "Identity",
        Some(NoticeObject::TokenProfile) => "Token profile",
        Some(NoticeObject::SigningPolicy) => "Signing policy",
        Some(NoticeObject::AuditTarget) => "Audit target",
        None => "Chancery",
    }
}

fn what(notice: &Notice) -> String {
    match notice.kind {
        NoticeKind::Waiting => "waits for approvals".to_owned(),
        NoticeKind::Approved => "was approved and waits for more approvals".to_owned(),
        NoticeKind::Signed => "was approved and signed".to_owned(),
        NoticeKind::Applied => "was approved and took effect".to_owned(),
        NoticeKind::Denied => "was denied".to_owned(),
        NoticeKind::Withdrawn => "was taken back by its submitter".to_owned(),
        NoticeKind::Failed => "failed".to_owned(),
        NoticeKind::Expired => "waited too long for its approvals".to_owned(),
        NoticeKind::Revoked => "was revoked".to_owned(),
        NoticeKind::CertificateEnds | NoticeKind::ApiKeyEnds => {
            let days = notice.days.unwrap_or_default();
            format!("ends within {days} {}", if days == 1 { "day" } else { "days" })
        }
        NoticeKind::RowRefused => "refused a row of its database; see the audit".to_owned(),
        NoticeKind::JournalFailed => "lost a journal or cannot keep it; see the audit".to_owned(),
        NoticeKind::LedgerFailed => "cannot extend the audit's ledger; see its log".to_owned(),
        NoticeKind::ClockJumped => "has a clock that jumped; see the audit".to_owned(),
        NoticeKind::BudgetLow => "gave out four fifths of a budget; see the audit".to_owned(),
        NoticeKind::IdentityRecovered => "was let in again on the host: acknowledge it".to_owned(),
        NoticeKind::LoginChanged => "has other ways to log in than before".to_owned(),
        NoticeKind::AuditTargetFailed => "gets no audit records any more; see the audit".to_owned(),
        NoticeKind::WitnessFailed => "gets no cosignature of a witness; see the audit".to_owned(),
        NoticeKind::Test => "sends this because somebody tries it out".to_owned(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use chancery_types::{NoticeId, ObjectId, wire::signing_requests::ApprovalCount};
    use serde_json::Value;

    use super::*;

    pub(crate) fn notice() -> Notice {
        Notice {
            uuid: NoticeId::from_random([1; 16]),
            sequence: 7,
            time: "2026-01-01T00:00:00.000Z".to_owned(),
            kind: NoticeKind::Waiting,
            object_kind: Some(NoticeObject::SigningRequest),
            object_uuid: Some(ObjectId::from_random([2; 16])),
            service_uuid: None,
            state: Some("Approval".to_owned()),
            approvals: Some(ApprovalCount { given: 1, required: 2 }),
            not_after: None,
            days: None,
            url: Some("https://kms.example.org/#/requests/x".to_owned()),
        }
    }

    #[test]
    fn slack_and_teams_get_a_sentence_and_a_link() {
        let json = |shape| serde_json::from_slice::<Value>(&body(shape, &notice()).unwrap()).unwrap();
        let id = notice().object_uuid.unwrap();
        let sentence = format!("Signing request {id} waits for approvals (1 of 2 given).");
        let slack = json(WebhookShape::Slack);
        assert_eq!(slack, json!({"text": format!("{sentence}\nhttps://kms.example.org/#/requests/x")}));
        let card = &json(WebhookShape::Teams)["attachments"][0]["content"];
        assert_eq!(card["body"][0]["text"], sentence);
        assert_eq!(card["actions"][0]["url"], "https://kms.example.org/#/requests/x");
        assert_eq!(json(WebhookShape::Chancery)["sequence"], 7);
    }
}
