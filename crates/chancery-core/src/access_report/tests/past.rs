//! Reports as of moments are held against those that were made then.

mod uncertain;

use chancery_store::{
    sql,
    tables::{self, roles::Row},
};
use chancery_types::{
    ErrorCode,
    wire::{
        audit_archives::{ArchiveQuery, AuditArchive},
        reports::AccessReport,
        system::{AuditRetention, PatchSettings},
        token_profiles::PatchTokenProfile,
    },
};

use super::*;
use crate::{Host, Limits, testing::START_MS, time::rfc3339_ms};

/// So many changes of all kinds.
const STEPS: u64 = 160;

/// A world that goes on, and the profiles and the number of names in it.
struct History {
    world: World,
    profiles: Vec<TokenProfileId>,
    names: u64,
}

impl History {
    async fn of(limits: Limits) -> Self {
        let world = World::in_installation(Installation::with_limits(limits).await).await;
        Self { profiles: vec![world.profile], world, names: 0 }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("name {}", self.names)
    }

    fn one<T: Copy>(draw: &mut Draw, of: &[T]) -> T {
        of[draw.below(of.len())]
    }

    /// Makes one drawn change. Whatever is refused, since somebody holds a role, changes nothing.
    async fn step(&mut self) {
        let name = self.name();
        let World { installation, caller, roles, identities, draw, .. } = &mut self.world;
        let chancery = &installation.chancery;
        let (role, identity) = (Self::one(draw, roles), Self::one(draw, identities));
        let profile = Self::one(draw, &self.profiles);
        match draw.below(14) {
            0 => {
                let perms = draw.some(&PERMS);
                let (management, second_factor) = (false, SecondFactor::None);
                let body = CreateRole { name, logins_required: 1, perms, management, second_factor };
                roles.push(chancery.identities.create_role(caller, body).await.unwrap().uuid);
            }
            1 | 2 => {
                let perms = Some(draw.some(&PERMS));
                let name = (draw.below(2) == 0).then_some(name);
                let body = PatchRole { perms, name, ..PatchRole::default() };
                chancery.identities.change_role(caller, role, body).await.unwrap();
            }
            3 => {
                let body = PatchRole { logins_required: Some(2), ..PatchRole::default() };
                let _refused_or_not = chancery.identities.change_role(caller, role, body).await;
            }
            4 if roles.len() > 4 => {
                if chancery.identities.delete_role(caller, role).await.is_ok() {
                    roles.retain(|one| *one != role);
                }
            }
            5 => {
                let (kind, mut role_uuids) = (IdentityKind::Application, draw.some(roles));
                role_uuids.push(RoleId::APPLICATION);
                let (password, one_time, api_key) = (None, false, None);
                let (networks, hours) = (Vec::new(), Vec::new());
                let body = CreateIdentity { name, kind, role_uuids, password, one_time, api_key, networks, hours };
                // An application does not hold a role for two.
                identities.extend(chancery.identities.create_identity(caller, body).await.ok().map(|made| made.uuid));
            }
            6 if identities.len() > 10 => {
                chancery.identities.delete_identity(caller, identity).await.unwrap();
                identities.retain(|one| *one != identity);
            }
            7 => drop(chancery.identities.lock_identity(caller, identity).await.unwrap()),
            8 => drop(chancery.identities.unlock_identity(caller, identity).await.unwrap()),
            9 | 10 => {
                let mut held = draw.some(roles);
                held.push(RoleId::APPLICATION);
                let name = (draw.below(2) == 0).then_some(name);
                let body = PatchIdentity { role_uuids: Some(held), name, ..PatchIdentity::default() };
                let _refused_or_not = chancery.identities.change_identity(caller, identity, body).await;
            }
            11 => {
                let control_rules = rules(draw, roles);
                chancery.tokens.change_permissions(caller, profile, PatchPermissions { control_rules }).await.unwrap();
            }
            12 => {
                let control_rules = (draw.below(2) == 0).then(|| rules(draw, roles));
                let changes = PatchTokenProfile { control_rules, ..renamed(&name) };
                if draw.below(2) == 0 {
                    chancery.tokens.change_token_profile(caller, profile, changes).await.unwrap();
                } else if let Ok(copy) = chancery.tokens.copy_token_profile(caller, profile, changes).await {
                    // The role of a rule that is copied may be gone.
                    self.profiles.push(copy.obj_info.uuid);
                }
            }
            _ if self.profiles.len() > 2 => {
                chancery.tokens.delete_token_profile(caller, profile).await.unwrap();
                self.profiles.retain(|one| *one != profile);
            }
            _ => self.profiles.push(super::profile(chancery, caller, &name).await),
        }
    }

    /// The next moment: by it all is over that was done before.
    fn moment(&self) -> String {
        let clock = &self.world.installation.clock;
        let moment = rfc3339_ms(clock.now_ms());
        clock.advance_ms(7);
        moment
    }

    /// Lets the time pass after which all of it is archived, and removed after so many days.
    async fn archive(&mut self, keep_days: Option<u32>) {
        let World { installation, caller, .. } = &mut self.world;
        let (chancery, host) = (&installation.chancery, Host::running("test"));
        let retention = AuditRetention { at_hand_days: Some(90), keep_days, ..AuditRetention::default() };
        let patch = PatchSettings { audit_retention: Some(retention), ..PatchSettings::default() };
        chancery.change_host_settings(&host, patch).await.unwrap();
        installation.clock.advance_ms(92 * 86_400_000);
        chancery.audit.keep_archives_now(&host).await.unwrap();
        *caller = installation.administrators().await;
    }

    async fn archives(&self) -> Vec<AuditArchive> {
        let World { installation, caller, .. } = &self.world;
        installation.chancery.audit.audit_archives(caller, ArchiveQuery::default()).await.unwrap().items
    }

    async fn asked(&self, as_of: Option<&str>) -> Result<AccessReport> {
        let query = AccessQuery { as_of: as_of.map(str::to_owned), ..AccessQuery::default() };
        self.world.installation.chancery.reports.access_report(&self.world.caller, query).await
    }

    async fn report(&self, as_of: Option<&str>) -> AccessReport {
        let mut report = self.asked(as_of).await.unwrap();
        // By which rule somebody holds it first says nothing.
        report.results.iter_mut().for_each(|one| one.rights.sort_by_key(|held| format!("{held:?}")));
        report
    }

    async fn since(&self, since: &str) -> Result<AccessEffect> {
        let change = AccessChange { since: Some(since.to_owned()), ..AccessChange::default() };
        self.world.installation.chancery.reports.access_effect(&self.world.caller, change).await
    }

    async fn rules(&self, control_rules: Vec<ControlRule>) {
        let World { installation, caller, profile, .. } = &self.world;
        let body = PatchPermissions { control_rules };
        installation.chancery.tokens.change_permissions(caller, *profile, body).await.unwrap();
    }

    /// Writes into the database, as somebody else.
    async fn alter(&self, statement: &'static str) {
        let store = self.world.installation.chancery.storage.store();
        let written = store.write(move |tx| Box::pin(async move { Ok::<_, Error>(sql(statement).execute(tx).await?) }));
        written.await.unwrap();
    }
}

fn renamed(name: &str) -> PatchTokenProfile {
    serde_json::from_value(serde_json::json!({"objInfo": {"name": name}})).unwrap()
}

/// Who holds what, by ids.
fn by_ids(report: &AccessReport) -> BTreeSet<(Line, String)> {
    let lines = report.results.iter().flat_map(|one| {
        let line = |held: &HeldRight| Line {
            right: held.right,
            object: held.token_profile.as_ref().map(|info| info.uuid.to_string()),
            perm: held.perm,
            mask: held.mask.clone(),
            num_approvals: held.num_approvals,
            logins_required: held.logins_required,
        };
        one.rights.iter().map(move |held| (line(held), one.obj_info.uuid.to_string()))
    });
    lines.collect()
}

fn counts(more: &BTreeSet<(Line, String)>, less: &BTreeSet<(Line, String)>) -> BTreeMap<Line, u64> {
    let mut all = BTreeMap::new();
    more.difference(less).for_each(|(line, _)| *all.entry(line.clone()).or_default() += 1);
    all
}

fn told_counts(lines: Vec<ChangedRight>) -> BTreeMap<Line, u64> {
    let line = |one: ChangedRight| {
        let object = one.object.map(|info| info.uuid.to_string());
        let ChangedRight { right, perm, mask, num_approvals, logins_required, identities, .. } = one;
        (Line { right, object, perm, mask, num_approvals, logins_required }, identities)
    };
    lines.into_iter().map(line).collect()
}

#[tokio::test]
async fn a_report_as_of_a_moment_is_the_report_of_that_moment() {
    let mut history = History::of(Limits::default()).await;
    let mut kept = Vec::new();
    for _ in 0..STEPS {
        history.step().await;
        let report = history.report(None).await;
        kept.push((history.moment(), report));
    }
    let now = history.report(None).await;
    let different: BTreeSet<_> = kept.iter().map(|(_, report)| format!("{:?}", report.results)).collect();
    assert!(different.len() > 60, "they were not all the same: {}", different.len());
    for (number, (moment, report)) in kept.iter().enumerate() {
        let then = history.report(Some(moment)).await;
        assert_eq!((then.as_of.as_deref(), then.uncertain.as_slice()), (Some(moment.as_str()), &[][..]), "{number}");
        assert_eq!((then.results, then.total), (report.results.clone(), report.total), "{number}");
        let effect = history.since(moment).await.unwrap();
        assert_eq!((effect.left_out, effect.uncertain.len()), (0, 0));
        assert_eq!(told_counts(effect.gains), counts(&by_ids(&now), &by_ids(report)), "{number}");
        assert_eq!(told_counts(effect.loses), counts(&by_ids(report), &by_ids(&now)), "{number}");
    }
}

/// Some of what was done is in archives, and at last the first of these are gone.
#[tokio::test]
async fn what_was_archived_is_read_back_and_what_was_removed_is_not() {
    let mut history = History::of(Limits::default()).await;
    let mut kept = Vec::new();
    for step in 1..=90 {
        history.step().await;
        let report = history.report(None).await;
        kept.push((history.moment(), report));
        if step % 25 == 0 {
            history.archive(None).await;
        }
    }
    let made = history.archives().await;
    assert!(made.len() > 2, "{made:?}");
    for (number, (moment, report)) in kept.iter().enumerate() {
        let then = history.report(Some(moment)).await;
        assert_eq!((then.uncertain.as_slice(), &then.results), (&[][..], &report.results), "{number}");
    }
    history.archive(Some(300)).await;
    let left = history.archives().await;
    assert!(left.len() < made.len() + 1, "{left:?}");
    let first = &left.iter().min_by_key(|archive| archive.first_leaf).unwrap().to;
    let (gone, here): (Vec<_>, Vec<_>) = kept.iter().partition(|(moment, _)| moment < first);
    assert!(!gone.is_empty() && !here.is_empty(), "{first}");
    for (moment, _) in gone {
        let refused = history.asked(Some(moment)).await.unwrap_err();
        assert!(refused.message().contains("do not go back"), "{}", refused.message());
    }
    for (moment, report) in here {
        assert_eq!(history.report(Some(moment)).await.results, report.results, "{moment}");
    }
    // What somebody changed says nothing, and that is told.
    history.alter("UPDATE audit_archives SET bytes = bytes + 1").await;
    let doubted = history.report(Some(first)).await.uncertain;
    assert!(doubted.iter().any(|one| one.object.is_none() && one.why.contains("cannot be read")), "{doubted:?}");
}

#[tokio::test]
async fn a_report_as_of_a_moment_is_filtered_and_paged_like_that_of_now() {
    let history = History::of(Limits::default()).await;
    let before = history.moment();
    let (chancery, caller) = (&history.world.installation.chancery, &history.world.caller);
    chancery.identities.delete_identity(caller, history.world.identities[3]).await.unwrap();
    let ask = async |after: Option<String>| {
        let query = AccessQuery {
            page_size: Some(3),
            after,
            right: Some(AccessRight::Administer),
            search: Some("IDENTITY".to_owned()),
            as_of: Some(before.clone()),
            ..AccessQuery::default()
        };
        chancery.reports.access_report(caller, query).await.unwrap()
    };
    let whole = history.report(Some(&before)).await.results;
    let administers = |one: &Access| one.rights.iter().any(|held| held.right == AccessRight::Administer);
    let expected = whole.iter().filter(|one| administers(one) && one.obj_info.name.starts_with("identity"));
    let (mut found, mut next) = (Vec::new(), None);
    loop {
        let page = ask(next).await;
        found.extend(page.results.into_iter().map(|one| one.obj_info.name));
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    assert_eq!(found, expected.map(|one| one.obj_info.name.clone()).collect::<Vec<_>>());
}

#[tokio::test]
async fn before_the_first_identities_nobody_could_do_anything() {
    let history = History::of(Limits::default()).await;
    history.world.installation.clock.advance_ms(1_000);
    assert!(!history.report(Some(&rfc3339_ms(START_MS + 5))).await.results.is_empty());
    // There is an earlier record, of something else.
    history.alter("UPDATE audit SET seq = 1000000, at_ms = at_ms + 10 WHERE action = 'Provision'").await;
    let then = history.report(Some(&rfc3339_ms(START_MS + 5))).await;
    assert_eq!((then.results, then.uncertain), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn moments_of_which_nothing_is_known_are_refused() {
    let history = History::of(Limits { lists: small_lists(3), ..Limits::default() }).await;
    let (before, now) = (history.moment(), rfc3339_ms(history.world.installation.clock.now_ms()));
    for rules in [vec![], vec![rule(&mut Draw(1), &history.world.roles)], vec![]] {
        history.rules(rules).await;
    }
    assert!(history.asked(Some(&before)).await.is_ok(), "as many records as there may be");
    history.rules(vec![rule(&mut Draw(1), &history.world.roles)]).await;
    let (future, past) = (rfc3339_ms(START_MS + 3_600_000), rfc3339_ms(START_MS - 1));
    for (moment, says) in [
        (before.as_str(), "More than 3 changes"),
        (&future, "still to come"),
        (&past, "do not go back"),
        ("x", "RFC 3339"),
    ] {
        let of_report = history.asked(Some(moment)).await.unwrap_err();
        let of_effect = history.since(moment).await.unwrap_err();
        assert_eq!((of_report.meaning(), of_report.field()), (Meaning::Value, Some("/asOf")), "{moment}");
        assert_eq!((of_effect.meaning(), of_effect.field()), (Meaning::Value, Some("/since")), "{moment}");
        assert!(of_report.message().contains(says), "{}", of_report.message());
    }
    assert!(history.asked(Some(&now)).await.is_ok());
}

fn small_lists(access_records_max: u32) -> crate::ListLimits {
    crate::ListLimits { access_records_max, ..crate::ListLimits::default() }
}

/// What a release makes of built-in roles is recorded, since nothing else says what they were.
#[tokio::test]
async fn built_in_roles_of_another_release_are_what_they_were() {
    let history = History::of(Limits::default()).await;
    let installation = &history.world.installation;
    let written = installation.chancery.storage.store().write(|tx| {
        Box::pin(async move {
            let stored = tables::roles::by_id(tx, RoleId::AUDITOR.into()).await?.expect("it is built in");
            let older =
                Row { name: "Reader".to_owned(), name_key: "reader".to_owned(), perms: "{}".to_owned(), ..stored };
            tables::roles::update(tx, &older).await?;
            Ok::<_, Error>(tables::roles::delete(tx, RoleId::APPLICATION.into()).await?)
        })
    });
    written.await.unwrap();
    let before = history.moment();
    let opened = installation.opened_again().await.unwrap();
    let after = history.moment();
    for identity in [history.world.identities[0], history.world.identities[1]] {
        let body = PatchIdentity { role_uuids: Some(vec![RoleId::AUDITOR]), ..PatchIdentity::default() };
        opened.identities.change_identity(&history.world.caller, identity, body).await.unwrap();
    }
    let facts = async |moment: &str| {
        let grant = opened.grant(&history.world.caller, Perm::AuditRead, Action::AccessRead, None).await.unwrap();
        let (past, _) =
            opened.reports.access_past(&history.world.caller, &grant, "/asOf", moment.to_owned()).await.unwrap();
        assert_eq!(past.uncertain, []);
        let auditor = past.state.directory.role(RoleId::AUDITOR).unwrap();
        let is_there = past.state.directory.role(RoleId::APPLICATION).is_some();
        (auditor.name.clone(), auditor.rules.perms.len(), is_there)
    };
    assert_eq!(facts(&before).await, ("Reader".to_owned(), 0, false));
    assert_eq!(facts(&after).await, ("Auditor".to_owned(), 1, true));
    let told = "SELECT COUNT(*) FROM audit WHERE request_id = 'migration' AND action LIKE 'Role%' AND outcome = $1";
    let store = opened.storage.store();
    let told = store.read(move |tx| Box::pin(sql(told).bind(ErrorCode::Success.as_str()).one::<i64>(tx)));
    assert_eq!(told.await.map_err(Error::from).unwrap(), 2, "a new installation has no such record");
}
