//! What is said to change is held against two reports, one before the change is really made and one after it.

mod past;

use std::collections::{BTreeMap, BTreeSet};

use chancery_types::{
    IdentityKind, MaskTemplate, Operation, Perm, RevealFrom, SecondFactor,
    wire::{
        identities::{CreateIdentity, PatchIdentity},
        reports::{ChangedRight, HeldMask},
        roles::{CreateRole, PatchRole},
        token_profiles::{GrantRules, PatchPermissions},
    },
};

use super::*;
use crate::{
    Meaning,
    testing::{Installation, profile},
};

/// So many changes, of each kind as it comes.
const CHANGES: u64 = 120;

/// Permissions of roles that one person alone can hold.
const PERMS: [Perm; 4] = [Perm::KeysAdd, Perm::SigningSubmit, Perm::SigningApprove, Perm::AuditRead];

/// Numbers that look drawn and are the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// Some of them, in their order.
    fn some<T: Copy>(&mut self, of: &[T]) -> Vec<T> {
        of.iter().copied().filter(|_| self.below(2) == 0).collect()
    }
}

/// Roles, identities that hold some of them, and a profile.
struct World {
    installation: Installation,
    caller: Caller,
    roles: Vec<RoleId>,
    identities: Vec<IdentityId>,
    profile: TokenProfileId,
    draw: Draw,
}

impl World {
    async fn new() -> Self {
        Self::in_installation(Installation::new().await).await
    }

    async fn in_installation(installation: Installation) -> Self {
        let (chancery, caller) = (&installation.chancery, installation.administrators().await);
        let (mut draw, mut roles, mut identities) = (Draw(7), Vec::new(), Vec::new());
        for number in 0..6 {
            let perms = draw.some(&PERMS);
            let body = CreateRole {
                name: format!("role {number}"),
                logins_required: 1,
                perms,
                management: false,
                second_factor: SecondFactor::None,
            };
            roles.push(chancery.identities.create_role(&caller, body).await.unwrap().uuid);
        }
        for number in 0..25 {
            let mut role_uuids = draw.some(&roles);
            role_uuids.push(roles[draw.below(roles.len())]);
            let body = CreateIdentity {
                name: format!("identity {number}"),
                kind: IdentityKind::Application,
                role_uuids,
                password: None,
                one_time: false,
                api_key: None,
                networks: Vec::new(),
                hours: Vec::new(),
            };
            identities.push(chancery.identities.create_identity(&caller, body).await.unwrap().uuid);
        }
        for identity in identities.iter().step_by(7) {
            chancery.identities.lock_identity(&caller, *identity).await.unwrap();
        }
        let profile = profile(chancery, &caller, "cards").await;
        Self { caller, roles, identities, profile, draw, installation }
    }

    fn change(&mut self) -> AccessChange {
        let draw = &mut self.draw;
        match draw.below(3) {
            0 => AccessChange {
                token_profile_uuid: Some(self.profile),
                control_rules: Some(rules(draw, &self.roles)),
                ..AccessChange::default()
            },
            1 => AccessChange {
                role_uuid: Some(self.roles[draw.below(self.roles.len())]),
                perms: Some(draw.some(&PERMS)),
                ..AccessChange::default()
            },
            _ => {
                let mut roles = draw.some(&self.roles);
                roles.push(self.roles[draw.below(self.roles.len())]);
                AccessChange {
                    identity_uuid: Some(self.identities[draw.below(self.identities.len())]),
                    role_uuids: Some(roles),
                    ..AccessChange::default()
                }
            }
        }
    }

    async fn make(&self, change: AccessChange) {
        let (chancery, caller) = (&self.installation.chancery, &self.caller);
        match change {
            AccessChange { token_profile_uuid: Some(id), control_rules: Some(control_rules), .. } => {
                chancery.tokens.change_permissions(caller, id, PatchPermissions { control_rules }).await.map(drop)
            }
            AccessChange { role_uuid: Some(id), perms, .. } => {
                chancery.identities.change_role(caller, id, PatchRole { perms, ..PatchRole::default() }).await.map(drop)
            }
            AccessChange { identity_uuid: Some(id), role_uuids, .. } => {
                let body = PatchIdentity { role_uuids, ..PatchIdentity::default() };
                chancery.identities.change_identity(caller, id, body).await.map(drop)
            }
            other => panic!("{other:?}"),
        }
        .unwrap();
    }

    async fn held(&self) -> BTreeSet<(Line, String)> {
        let report =
            self.installation.chancery.reports.access_report(&self.caller, AccessQuery::default()).await.unwrap();
        let lines = report.results.into_iter().flat_map(|one| {
            let line = |held: HeldRight| Line {
                right: held.right,
                object: held.token_profile.map(|info| info.name),
                perm: held.perm,
                mask: held.mask,
                num_approvals: held.num_approvals,
                logins_required: held.logins_required,
            };
            one.rights.into_iter().map(line).map(|line| (line, one.obj_info.name.clone())).collect::<Vec<_>>()
        });
        lines.collect()
    }
}

/// What an identity can do, whatever gives it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    right: AccessRight,
    object: Option<String>,
    perm: Option<Perm>,
    mask: Option<HeldMask>,
    num_approvals: Option<u32>,
    logins_required: u32,
}

fn rule(draw: &mut Draw, roles: &[RoleId]) -> ControlRule {
    let operation = Operation::ALL[draw.below(Operation::ALL.len())];
    let is_partial = operation == Operation::PartialDetokenize;
    let mask = (is_partial && draw.below(2) == 0).then_some(MaskTemplate::LastFour);
    let is_counted = is_partial && mask.is_none();
    let asks = operation == Operation::Detokenize && draw.below(2) == 0;
    let approval = asks.then(|| GrantRules {
        num_approvals: i64::try_from(draw.below(2)).unwrap() + 1,
        approval_steps: Vec::new(),
        request_lifetime: None,
    });
    ControlRule {
        role_uuid: roles[draw.below(roles.len())],
        operation,
        reveal: is_counted.then_some(2),
        reveal_from: is_counted.then_some(RevealFrom::End),
        mask_char: None,
        mask,
        budgets: Vec::new(),
        approval,
    }
}

/// Some rules; of those that demand approvals one for each role.
fn rules(draw: &mut Draw, roles: &[RoleId]) -> Vec<ControlRule> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<_> = (0..draw.below(10)).map(|_| rule(draw, roles)).collect();
    all.retain(|rule| rule.operation != Operation::Detokenize || seen.insert(rule.role_uuid));
    all
}

/// How many of whom gain something, and the first ten of them.
type Told = BTreeMap<Line, (u64, Vec<String>)>;

fn told(lines: Vec<ChangedRight>) -> Told {
    let line = |one: ChangedRight| {
        let ChangedRight { right, perm, object, mask, logins_required, identities, some, num_approvals } = one;
        let object = object.map(|info| info.name);
        let names = some.into_iter().map(|info| info.name).collect();
        (Line { right, object, perm, mask, num_approvals, logins_required }, (identities, names))
    };
    lines.into_iter().map(line).collect()
}

fn expected(more: &BTreeSet<(Line, String)>, less: &BTreeSet<(Line, String)>) -> Told {
    let mut all = BTreeMap::<Line, (u64, Vec<String>)>::new();
    for (line, name) in more.difference(less) {
        let (count, names) = all.entry(line.clone()).or_default();
        *count += 1;
        names.push(name.clone());
        names.truncate(10);
    }
    all
}

#[tokio::test]
async fn an_effect_is_the_difference_of_two_reports() {
    let mut world = World::new().await;
    let (mut before, mut several) = (world.held().await, 0);
    for number in 0..CHANGES {
        let change = world.change();
        let effect = world.installation.chancery.reports.access_effect(&world.caller, change.clone()).await.unwrap();
        assert_eq!(world.held().await, before, "nothing is changed by asking");
        world.make(change.clone()).await;
        let after = world.held().await;
        several += usize::from(effect.gains.iter().any(|one| one.identities > 10));
        assert_eq!(effect.left_out, 0);
        assert_eq!(told(effect.gains), expected(&after, &before), "{number}: {change:?}");
        assert_eq!(told(effect.loses), expected(&before, &after), "{number}: {change:?}");
        before = after;
    }
    assert!(several > 0, "changes of many identities were among them: {several}");
}

#[tokio::test]
async fn only_one_whole_change_is_looked_at() {
    let world = World::new().await;
    let refused = async |change: AccessChange| {
        let error = world.installation.chancery.reports.access_effect(&world.caller, change).await.unwrap_err();
        (error.meaning(), error.field().unwrap_or_default().to_owned())
    };
    let none = AccessChange::default;
    let rules = || AccessChange { control_rules: Some(Vec::new()), ..none() };
    let whole = AccessChange { token_profile_uuid: Some(world.profile), ..rules() };
    let role = AccessChange { role_uuid: Some(world.roles[0]), perms: Some(Vec::new()), ..none() };
    let unknown = AccessChange { token_profile_uuid: Some(TokenProfileId::from_u128(1)), ..rules() };
    for (change, meaning, field) in [
        (none(), Meaning::Malformed, "/tokenProfileUuid"),
        (rules(), Meaning::Malformed, "/tokenProfileUuid"),
        (AccessChange { role_uuid: Some(world.roles[0]), ..none() }, Meaning::Malformed, "/perms"),
        (AccessChange { role_uuid: role.role_uuid, perms: role.perms.clone(), ..whole }, Meaning::Value, "/roleUuid"),
        (unknown, Meaning::Selection, "/tokenProfileUuid"),
        (AccessChange { role_uuid: Some(RoleId::from_u128(9)), ..role.clone() }, Meaning::Selection, "/roleUuid"),
        (AccessChange { role_uuid: Some(RoleId::AUDITOR), ..role.clone() }, Meaning::State, ""),
        (AccessChange { perms: Some(vec![Perm::SystemManage]), ..role }, Meaning::Value, "/loginsRequired"),
    ] {
        assert_eq!(refused(change.clone()).await, (meaning, field.to_owned()), "{change:?}");
    }
    let identity = |id, roles| AccessChange { identity_uuid: Some(id), role_uuids: Some(roles), ..none() };
    let (known, role) = (world.identities[0], world.roles[0]);
    for (change, meaning, field) in [
        (identity(IdentityId::from_u128(1), vec![role]), Meaning::Selection, "/identityUuid"),
        (identity(known, vec![role, RoleId::from_u128(9)]), Meaning::Selection, "/roleUuids/1"),
        (identity(known, Vec::new()), Meaning::Value, "/roleUuids"),
        (identity(known, vec![RoleId::ADMINISTRATOR]), Meaning::Value, "/roleUuids/0"),
    ] {
        assert_eq!(refused(change.clone()).await, (meaning, field.to_owned()), "{change:?}");
    }
}
