//! Time stamps for our own signatures, so that they outlive the certificate: of the own authority where there is one,
//! without a way over the network, else of one elsewhere.

use chancery_keys::hash;
use chancery_types::HashType;
use tracing::warn;

use super::{
    Stamping,
    authority::{Authority, NoStamp, Wanted},
    outside::unreachable,
    request::MessageImprint,
};
use crate::{Error, Result, Signing};

/// After this long it makes sense to try again where there is only the own authority.
const AGAIN_MS: i64 = 1_000;

impl Signing {
    /// A stamp over a signature that was made with this hash. Unavailable where no authority gives one.
    pub(in crate::signing) async fn stamp_signature(&self, signature: &[u8], with: HashType) -> Result<Vec<u8>> {
        // What every authority takes, and as strong as the signature where that says something.
        let with = if matches!(with, HashType::Sha2_384 | HashType::Sha2_512) { with } else { HashType::Sha2_256 };
        let imprint = MessageImprint::of(&hash(with, signature)).map_err(Error::internal)?;
        if let Some(own) =
            self.context.storage.read(&Stamping(()), move |tx| Box::pin(Authority::find(tx, None))).await?
        {
            let wanted = Wanted { imprint: imprint.clone(), nonce: None, with_certificates: true };
            match self.make_stamp(own, wanted).await {
                Ok(token) => return Ok(token),
                Err(NoStamp::Rejected(rejection)) => warn!(%rejection, "the own time-stamping authority gave no stamp"),
                Err(NoStamp::Failed(error)) => {
                    warn!(error = &error as &dyn std::error::Error, "the own time-stamping authority gave no stamp");
                }
            }
        }
        match &self.outside_stamps {
            Some(outside) => outside.stamp(imprint, &self.context.clock).await,
            None => Err(unreachable(AGAIN_MS)),
        }
    }

    /// Whether there is any authority that signatures could be stamped by.
    pub(in crate::signing) async fn can_stamp(&self) -> Result<bool> {
        let own = self.context.storage.read(&Stamping(()), move |tx| Box::pin(Authority::find(tx, None))).await?;
        Ok(own.is_some() || self.outside_stamps.is_some())
    }
}
