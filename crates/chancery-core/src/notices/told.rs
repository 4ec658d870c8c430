//! `/api/v2/notices` behind the door: what was told, for whoever may see what it is about.

use chancery_store::tables::{
    self,
    notices::{Sight, Whose},
};
use chancery_types::{
    Perm,
    wire::{
        Items, ListQuery,
        notices::{Notice, NoticeQuery},
    },
};
use uuid::Uuid;

use crate::{
    Caller, Notices, Result,
    base::list::{InOrder, Page, items},
};

impl Notices {
    /// The notices that the caller may see, the newest first.
    pub async fn notices(&self, caller: &Caller, query: NoticeQuery) -> Result<Items<Notice>> {
        let grant = self.context.grant_to_all(caller);
        let NoticeQuery { kind, page, page_size, after } = query;
        let query = ListQuery { page, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Newest, &query, &self.context.limits)?.rows();
        let sight = sight(caller);
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                let kind = kind.map(|kind| kind.as_str());
                Ok(tables::notices::list(tx, &sight, kind, &rows).await?)
            })
        });
        items(listed.await?, |row| super::shown(self.context.outbound.console(), row))
    }
}

/// Which notices a caller sees: those about what it may read. Whoever administers the server sees all, as it may send all
/// of them to a target.
pub(super) fn sight(caller: &Caller) -> Sight {
    let own: Vec<_> = caller.members().iter().map(|member| member.id.into()).collect();
    // A key that is restricted is for some requests, and hears of none.
    sight_of(&own, |perm| caller.restricted_by().is_none() && caller.has(perm))
}

/// Whoever holds one of these sees what the server tells of itself.
const SERVER: [Perm; 2] = [Perm::SystemManage, Perm::AuditRead];

/// The same of these identities, by what they may.
pub(super) fn sight_of(own: &[Uuid], may: impl Fn(Perm) -> bool) -> Sight {
    let has = |perms: &[Perm]| perms.iter().any(|perm| may(*perm));
    let own = || Whose::Of(own.to_vec());
    let whose = |all: &[Perm], some: &[Perm]| match (has(all), has(some)) {
        (true, _) => Whose::All,
        (false, true) => own(),
        (false, false) => Whose::Nobody,
    };
    let submits = [Perm::SigningSubmit, Perm::CertManageGenerate, Perm::CertManageManage];
    Sight {
        requests: whose(&[Perm::SystemManage, Perm::SigningApprove], &[Perm::SigningSubmit]),
        proposals: whose(&[Perm::SystemManage, Perm::SigningApprove, Perm::ServicesDeploy], &submits),
        identities: if has(&SERVER) { Whose::All } else { own() },
        server: has(&SERVER),
    }
}
