//! How the compiled state of all domains follows the store.

use chancery_types::{CertProfileId, CertificateId, KeyId, ServiceId, TokenProfileId};
use futures::future::BoxFuture;

use crate::{
    Chancery, Result,
    context::{
        changes::{Change, ChangeKind, Compiled, FollowingChanges},
        rows::Watching,
    },
};

impl Chancery {
    /// Brings one part of the compiled state up to date with the store.
    async fn apply_change(&self, by: &FollowingChanges, change: Change) -> Result<()> {
        match (change.kind, change.object) {
            (ChangeKind::Settings, _) => self.apply_settings(by).await,
            (ChangeKind::Role, Some(id)) => self.identities.apply_role(by, id).await,
            (ChangeKind::Identity, Some(id)) => self.identities.apply_identity(by, id).await,
            (ChangeKind::Session, Some(id)) => self.identities.apply_session(by, id).await,
            (ChangeKind::ApiKeys, Some(id)) => self.identities.apply_api_keys(by, id).await,
            (ChangeKind::Role | ChangeKind::Identity | ChangeKind::ApiKeys, None) => {
                self.identities.reload_directory(by).await
            }
            (ChangeKind::Session, None) => self.identities.reload_sessions(by).await,
            (ChangeKind::Key, id) => {
                let id = id.map(KeyId::from);
                self.custody.close(id);
                self.pki.authorities.forget(|_, authority| authority.has_key(id));
                self.signing.targets.forget(|_, target| target.has_key(id));
                self.pki.ocsp_answers.forget(None);
                self.tokens.reload_token_profiles_of(by, id).await
            }
            (ChangeKind::Revocation, id) => {
                self.pki.ocsp_answers.forget(id);
                self.pki.kept_lists.look_again();
                let id = id.map(CertificateId::from);
                self.pki.authorities.forget(|_, authority| authority.rests_on(id));
                self.signing.targets.forget(|_, target| target.rests_on(id));
                Ok(())
            }
            (ChangeKind::SigningService, id) => {
                let id = id.map(ServiceId::from);
                self.signing.targets.forget(|(service, _), _| id.is_none_or(|id| id == *service));
                Ok(())
            }
            (ChangeKind::CertProfile, id) => {
                let id = id.map(CertProfileId::from);
                self.pki.cert_profiles.forget(|known, _| id.is_none_or(|id| id == *known));
                Ok(())
            }
            (ChangeKind::TokenProfile, id) => self.tokens.reload_token_profile(by, id.map(TokenProfileId::from)).await,
        }
    }
}

impl Compiled for Chancery {
    fn apply<'a>(&'a self, by: &'a FollowingChanges, change: Change) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.apply_change(by, change))
    }

    fn close(&self, change: Change) {
        match (change.kind, change.object) {
            (ChangeKind::Role, Some(id)) => self.identities.forget_role(id.into()),
            (ChangeKind::Identity, Some(id)) => self.identities.forget_identity(id.into()),
            (ChangeKind::ApiKeys, Some(id)) => self.identities.forget_api_keys(id.into()),
            (ChangeKind::Session, Some(id)) => self.identities.state.sessions.remove(id),
            (ChangeKind::TokenProfile, Some(id)) => self.tokens.token_profiles.close(id.into()),
            (
                ChangeKind::Settings
                | ChangeKind::Role
                | ChangeKind::Identity
                | ChangeKind::ApiKeys
                | ChangeKind::Session
                | ChangeKind::TokenProfile,
                _,
            ) => {}
            // Of these the compiled state holds what was read earlier, if anything, and has forgotten it.
            (ChangeKind::Key | ChangeKind::Revocation | ChangeKind::CertProfile | ChangeKind::SigningService, _) => {}
        }
    }

    fn reload<'a>(&'a self, by: &'a Watching) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.apply_settings(by).await?;
            self.identities.reload_directory(by).await?;
            self.tokens.load_token_profiles(by).await
        })
    }
}
