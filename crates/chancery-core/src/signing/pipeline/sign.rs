//! From the last approval to signatures of which the log can tell.

use super::{
    Prepared,
    items::Signatures,
    logged::{Logged, Signed},
    prepared::Work,
};
use crate::{
    Error, Result, Signing, approval,
    budgets::SignatureBudgets,
    signing::{
        credential::{Outcome, PendingSignature, unless_gone},
        service::Policy,
    },
};

/// What is prepared and approved.
pub(in crate::signing) struct Approved {
    prepared: Prepared,
    _approved: approval::Approved,
}

/// Why something can never be signed.
pub(in crate::signing) enum Failure {
    /// The key may not, or cannot: why, in a sentence.
    Key(String),
    /// The file cannot carry the signature: why, in a sentence.
    File(&'static str),
}

impl Failure {
    /// For a person who approved it.
    pub(in crate::signing) fn reason(self) -> String {
        match self {
            Self::Key(reason) => reason,
            Self::File(why) => format!("The file cannot carry its signature: {why}"),
        }
    }

    /// For whoever submits it just now.
    pub(in crate::signing) fn refusal(self) -> Error {
        match self {
            Self::Key(reason) => Error::state(reason),
            Self::File(why) => Error::value("/uploadData", why),
        }
    }
}

impl Prepared {
    pub(in crate::signing) fn approved(self, approved: approval::Approved) -> Approved {
        Approved { prepared: self, _approved: approved }
    }

    /// What its signatures are counted in.
    fn budgets(&self) -> SignatureBudgets<'_> {
        let Policy { id, name, rules, .. } = &self.target.policy;
        SignatureBudgets { policy: *id, name, windows: &rules.budgets, submitters: &self.submitters }
    }
}

impl Approved {
    /// Counts it in the policy's budgets, signs, outside of any transaction, and goes on with `then`, which stores what came of it. Where nothing
    /// else is to be done, `then` begins where the signature is made. What passes is an error, after which nothing has happened.
    pub(in crate::signing) async fn sign<T, S, F>(self, signing: &Signing, then: S) -> Result<T>
    where
        T: Send + 'static,
        S: FnOnce(Result<Logged, Failure>) -> F + Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut counted =
            signing.budgets.count_signatures(self.prepared.budgets(), self.prepared.work.signatures()).await?;
        let Prepared { target, request, work, at_ms, .. } = self.prepared;
        let choice = target.policy.choice;
        let (content, container) = match work {
            Work::One { content, container } => (content, container),
            Work::Each { items, program } => {
                let program = program.as_ref();
                let signed = match signing.sign_items(&target.signer, choice, items, program, at_ms).await? {
                    Outcome::Signed(items) => {
                        let signatures = Signatures::Each(items);
                        counted.at_most(signatures.count());
                        Ok(Signed { target, request, at_ms, signatures, counted }.logged()?)
                    }
                    Outcome::Failed(reason) => Err(Failure::Key(reason)),
                };
                return then(signed).await;
            }
        };
        let digest = content.digest;
        let pending = match target.signer.prepare(choice, content)? {
            Outcome::Signed(pending) => pending,
            Outcome::Failed(reason) => return then(Err(Failure::Key(reason))).await,
        };
        let key = target.signer.key.clone();
        let signed = move |signature| {
            let signatures = Signatures::One { digest, signature };
            Signed { target, request, at_ms, signatures, counted }
        };
        if !pending.is_stamped() && container.is_none() {
            // Whatever signs also hands over to the store.
            let stored_soon = signing.context.storage.announce();
            let then = move |made: Result<(PendingSignature, Vec<u8>)>| async move {
                let made = match unless_gone(made)? {
                    Outcome::Signed((pending, signature)) => Ok(signed(pending.finish(signature)?).logged()?),
                    Outcome::Failed(reason) => Err(Failure::Key(reason)),
                };
                drop(stored_soon);
                then(made).await
            };
            return key.sign_then(pending, then).await;
        }
        let signature = match signing.make(&key, pending).await? {
            Outcome::Signed(signature) => signature,
            Outcome::Failed(reason) => return then(Err(Failure::Key(reason))).await,
        };
        if let Some(container) = container {
            let digest = digest.as_bytes().to_vec();
            if let Err(why) = signing.embed(container, signature.clone(), digest).await? {
                return then(Err(Failure::File(why))).await;
            }
        }
        then(Ok(signed(signature).logged()?)).await
    }
}
