//! Who gains and who loses what by a change of rules, roles, or what something demands: the difference between what
//! identities can do without it and with it, by what the report of access goes by.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chancery_store::name_key;
use chancery_types::{
    IdentityId, IdentityKind, ObjectId, Perm, RoleId, TokenProfileId,
    wire::{
        ObjInfo,
        approval::ApprovalRules,
        reports::{AccessEffect, AccessRight, ChangedRight, HeldMask, HeldRight},
        signing_policies::ApprovalStep,
        token_profiles::ControlRule,
    },
};
use uuid::Uuid;

use super::rights::{AccessState, ByRole, by_perms, by_rules, counting, rights};
use crate::{
    Error, Meaning,
    identity::{Directory, Identity, Role, RoleRules},
};

/// Lines of gains, and of losses: more than the rules of a profile.
const LINES_MAX: usize = 1_000;

/// Identities that a line names.
const SOME: usize = 10;

/// What somebody can do, by whichever role. The order is that of the answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Right {
    right: AccessRight,
    object: Option<(String, ObjectId)>,
    perm: Option<Perm>,
    mask: Option<HeldMask>,
    num_approvals: Option<u32>,
    logins_required: u32,
}

/// Identities, of which some are named.
#[derive(Default)]
struct Who {
    count: u64,
    first: BTreeSet<(String, Uuid, String)>,
}

/// What is gained and lost so far.
#[derive(Default)]
struct Difference<'a> {
    gains: BTreeMap<&'a Right, Who>,
    loses: BTreeMap<&'a Right, Who>,
}

/// What something demands of those who submit and approve.
#[derive(Clone, Copy)]
pub(crate) struct Demands<'a> {
    /// Of which roles submitters are: anybody's where it is empty; none where nothing is submitted.
    pub(crate) submitters: Option<&'a [RoleId]>,
    pub(crate) approvals: i64,
    pub(crate) steps: &'a [ApprovalStep],
}

/// The effect of other Control Rules of a profile.
pub(crate) fn of_rules(
    directory: &Directory,
    profile: &ObjInfo<TokenProfileId>,
    before: &[ControlRule],
    after: &[ControlRule],
) -> AccessEffect {
    let given = |rules| {
        let mut all = ByRole::new();
        for held in by_rules(directory, profile, rules) {
            all.entry(held.role.uuid).or_default().push(Right::of(held));
        }
        all
    };
    let (before, after) = (given(before), given(after));
    let mut difference = Difference::default();
    for (id, identity) in directory.identities() {
        let of = |by_role| rights(directory, identity, by_role).collect();
        difference.compare(id, &identity.name, &of(&before), &of(&after));
    }
    difference.finish()
}

/// The effect of a role that becomes this one, which takes as many logins as before.
pub(crate) fn of_role(directory: &Directory, id: RoleId, next: &RoleRules) -> AccessEffect {
    let before = permitted(directory);
    let mut after = before.clone();
    let next = Role { name: String::new(), rules: next.clone() };
    after.insert(id, by_perms(id, &next).map(Right::of).collect());
    let mut difference = Difference::default();
    let holds = |identity: &Identity| identity.roles.iter().any(|(role, _)| *role == id);
    for (who, identity) in directory.identities().filter(|(_, identity)| holds(identity)) {
        let of = |by_role| rights(directory, identity, by_role).collect();
        difference.compare(who, &identity.name, &of(&before), &of(&after));
    }
    difference.finish()
}

/// The effect of other roles of one identity.
pub(crate) fn of_identity(
    directory: &Directory,
    profiles: &[(ObjInfo<TokenProfileId>, Vec<ControlRule>)],
    who: &ObjInfo<IdentityId>,
    kind: IdentityKind,
    (before, after): (&[RoleId], &[RoleId]),
) -> AccessEffect {
    if before == after {
        return AccessEffect::default();
    }
    let mut by_role = permitted(directory);
    let is_theirs = |rule: &&ControlRule| before.contains(&rule.role_uuid) || after.contains(&rule.role_uuid);
    for (info, rules) in profiles {
        for held in by_rules(directory, info, rules.iter().filter(is_theirs)) {
            by_role.entry(held.role.uuid).or_default().push(Right::of(held));
        }
    }
    let with = |roles: &[RoleId]| Identity::of_past(who.name.clone(), kind, roles.iter().copied());
    let (before, after) = (with(before), with(after));
    let of = |identity| rights(directory, identity, &by_role).collect();
    let mut difference = Difference::default();
    difference.compare(who.uuid, &who.name, &of(&before), &of(&after));
    difference.finish()
}

/// The effect of everything that made one state of another. Objects are called what they are called after it: another name
/// is no other right.
pub(crate) fn of_states(before: &AccessState, after: &AccessState) -> AccessEffect {
    let names: HashMap<_, _> = after.profiles.iter().map(|(info, _)| (info.uuid, info.name.as_str())).collect();
    let given = |state: &AccessState| {
        let mut all = permitted(&state.directory);
        for (info, rules) in &state.profiles {
            let name = names.get(&info.uuid).map_or_else(|| info.name.clone(), |name| (*name).to_owned());
            for held in by_rules(&state.directory, &ObjInfo { name, uuid: info.uuid }, rules) {
                all.entry(held.role.uuid).or_default().push(Right::of(held));
            }
        }
        all
    };
    let (given_before, given_after) = (given(before), given(after));
    let mut both: HashMap<IdentityId, [Option<&Identity>; 2]> = HashMap::new();
    for (side, state) in [before, after].into_iter().enumerate() {
        state.directory.identities().for_each(|(id, identity)| both.entry(id).or_default()[side] = Some(identity));
    }
    let mut difference = Difference::default();
    for (id, [was, is]) in both {
        let held_before = was.map(|was| rights(&before.directory, was, &given_before).collect()).unwrap_or_default();
        let held_after = is.map(|is| rights(&after.directory, is, &given_after).collect()).unwrap_or_default();
        let name = is.or(was).map_or("", |identity| identity.name.as_str());
        difference.compare(id, name, &held_before, &held_after);
    }
    difference.finish()
}

/// The effect of what something demands of those who submit and approve; before there is such a thing, nobody does.
pub(crate) fn of_demands(
    directory: &Directory,
    object: &ObjInfo<ObjectId>,
    before: Option<Demands<'_>>,
    after: Demands<'_>,
) -> AccessEffect {
    let right = |right, perm, logins_required| Right {
        right,
        object: Some((object.name.clone(), object.uuid)),
        perm: Some(perm),
        mask: None,
        num_approvals: None,
        logins_required,
    };
    let both = [(AccessRight::Sign, Perm::SigningSubmit), (AccessRight::Approve, Perm::SigningApprove)];
    let all: Vec<_> = [1, 2].into_iter().flat_map(|n| both.map(|(what, perm)| right(what, perm, n))).collect();
    let mut difference = Difference::default();
    for (id, identity) in directory.identities() {
        let ids: Vec<_> = counting(directory, identity).collect();
        // Only persons approve.
        let is_person = identity.kind == IdentityKind::Person;
        let holds = |right: &&Right| {
            let gives = |role: &Role| {
                role.rules.logins_required == right.logins_required
                    && right.perm.is_some_and(|perm| role.rules.perms.contains_key(&perm))
            };
            let may = is_person || right.right != AccessRight::Approve;
            may && ids.iter().filter_map(|role| directory.role(*role)).any(gives)
        };
        let held: Vec<_> = all.iter().filter(holds).collect();
        let under = |demands: Option<Demands<'_>>| -> HashSet<&Right> {
            let lets = |right: &&&Right| demands.is_some_and(|demands| demands.let_through(right.right, &ids));
            held.iter().filter(lets).copied().collect()
        };
        difference.compare(id, &identity.name, &under(before), &under(Some(after)));
    }
    difference.finish()
}

/// The effect of what a certificate profile or an authority demands before it issues something.
pub(crate) fn of_approval(
    directory: &Directory,
    object: &ObjInfo<ObjectId>,
    before: &ApprovalRules,
    after: &ApprovalRules,
) -> AccessEffect {
    fn demands(rules: &ApprovalRules) -> Demands<'_> {
        Demands { submitters: None, approvals: rules.num_approvals, steps: &rules.approval_steps }
    }
    of_demands(directory, object, Some(demands(before)), demands(after))
}

/// An object that a body names by this member and that is not there.
pub(crate) fn named(refusal: Error, member: &'static str) -> Error {
    if refusal.meaning() == Meaning::NotFound {
        return Error::selection(member, refusal.message().to_owned());
    }
    refusal
}

/// What all roles permit.
fn permitted(directory: &Directory) -> ByRole<Right> {
    directory.roles().map(|(id, role)| (id, by_perms(id, role).map(Right::of).collect())).collect()
}

impl Demands<'_> {
    /// Whether they let somebody with these roles do what a permission lets them do.
    fn let_through(&self, right: AccessRight, roles: &[RoleId]) -> bool {
        let has_one = |of: &[RoleId]| of.iter().any(|role| roles.contains(role));
        match right {
            AccessRight::Sign => self.submitters.is_some_and(|of| of.is_empty() || has_one(of)),
            AccessRight::Approve => {
                let in_steps: i64 = self.steps.iter().map(|step| i64::from(step.num_approvals)).sum();
                in_steps < self.approvals || self.steps.iter().any(|step| has_one(&step.role_uuids))
            }
            AccessRight::Tokenize | AccessRight::Detokenize | AccessRight::Administer => false,
        }
    }
}

impl Right {
    fn of(held: HeldRight) -> Self {
        let HeldRight { right, role: _, logins_required, perm, token_profile, mask, num_approvals } = held;
        let object = token_profile.map(|info| (info.name, Uuid::from(info.uuid).into()));
        Self { right, object, perm, mask, num_approvals, logins_required }
    }
}

impl<'a> Difference<'a> {
    fn compare(&mut self, id: IdentityId, name: &str, before: &HashSet<&'a Right>, after: &HashSet<&'a Right>) {
        for (more, less, changed) in [(after, before, &mut self.gains), (before, after, &mut self.loses)] {
            for right in more.difference(less) {
                changed.entry(right).or_default().count(id, name);
            }
        }
    }

    fn finish(self) -> AccessEffect {
        let mut left_out = 0;
        let mut lines = |changed: BTreeMap<&Right, Who>| {
            left_out += changed.len().saturating_sub(LINES_MAX) as u64;
            changed.into_iter().take(LINES_MAX).map(|(right, who)| who.line(right)).collect()
        };
        let (gains, loses) = (lines(self.gains), lines(self.loses));
        AccessEffect { gains, loses, left_out, ..AccessEffect::default() }
    }
}

impl Who {
    fn count(&mut self, id: IdentityId, name: &str) {
        self.count += 1;
        self.first.insert((name_key(name), id.into(), name.to_owned()));
        if self.first.len() > SOME {
            self.first.pop_last();
        }
    }

    fn line(self, right: &Right) -> ChangedRight {
        let Right { right, object, perm, mask, num_approvals, logins_required } = right.clone();
        ChangedRight {
            right,
            perm,
            object: object.map(|(name, uuid)| ObjInfo { name, uuid }),
            mask,
            num_approvals,
            logins_required,
            identities: self.count,
            some: self.first.into_iter().map(|(_, id, name)| ObjInfo { name, uuid: id.into() }).collect(),
        }
    }
}
