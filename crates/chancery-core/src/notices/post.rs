//! One notice on its way to one webhook or mailbox.

use chancery_types::{WebhookShape, wire::notices::Notice};

use super::{
    mail, shape,
    stored_target::{Access, StoredTarget},
};
use crate::{
    Error, Mail, Notices, Post, Result,
    outbound::{Attempt, Secrets, attempt, signed},
};

impl Notices {
    /// Posts a notice to a target, and answers what came of it. An error is ours: there is no room, or no transport.
    pub(super) async fn post_notice(&self, target: &StoredTarget, notice: &Notice) -> Result<Attempt> {
        let wait = self.context.limits.notices.wait_max;
        let webhook = match (&target.content.webhook, &target.content.email) {
            (Some(webhook), _) => webhook,
            (None, Some(mailbox)) => {
                return self.send_mail(mail::of(&mailbox.address, notice, wait)?).await;
            }
            (None, None) => return Err(Error::internal("a target is nowhere")),
        };
        let access = self.open_access(target)?;
        let shape = webhook.shape;
        let body = shape::body(shape, notice)?;
        let id = notice.uuid.to_string();
        let mut headers = Vec::new();
        if let Some(secret) = &access.secret {
            headers = signed(secret, &id, self.context.clock.now_ms().div_euclid(1_000), &body);
        } else if shape == WebhookShape::Chancery {
            return Err(Error::internal("a webhook of this shape has a secret"));
        }
        let secrets = access.secrets(shape);
        let Access { url, .. } = access;
        let limits = &self.context.limits.notices;
        let post = Post { url, headers, body, answer_max: limits.answer_max, wait };
        let transport = self.context.outbound.transport()?;
        Ok(attempt(self.state.pool.run(move || transport.post(post)).await?, &secrets))
    }

    /// Hands a mail to the relay, and answers what came of it.
    pub(super) async fn send_mail(&self, mail: Mail) -> Result<Attempt> {
        let transport = self.context.outbound.transport()?;
        Ok(attempt(self.state.mails.run(move || transport.mail(mail)).await?, &Secrets::default()))
    }
}
