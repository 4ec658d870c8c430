//! What records do not tell, or tell otherwise, is said to be uncertain.

use chancery_types::wire::{reports::UncertainAccess, signing_policies::ApprovalStep};

use super::*;
use crate::Host;

fn whys(uncertain: &[UncertainAccess]) -> Vec<(String, &str)> {
    let name = |one: &UncertainAccess| one.object.as_ref().map(|info| info.name.clone()).unwrap_or_default();
    uncertain.iter().map(|one| (name(one), one.why.as_str())).collect()
}

/// A rule that a record has only the hash of.
async fn long_rule(world: &World) -> ControlRule {
    let mut role_uuids = Vec::new();
    for number in 0..30 {
        let body = CreateRole {
            name: format!("approver {number}"),
            logins_required: 1,
            perms: vec![Perm::SigningApprove],
            management: false,
            second_factor: SecondFactor::None,
        };
        role_uuids.push(world.installation.chancery.identities.create_role(&world.caller, body).await.unwrap().uuid);
    }
    let approval_steps = vec![ApprovalStep { role_uuids, num_approvals: 1 }];
    ControlRule {
        operation: Operation::Detokenize,
        reveal: None,
        reveal_from: None,
        mask: None,
        approval: Some(GrantRules { num_approvals: 1, approval_steps, request_lifetime: None }),
        ..rule(&mut Draw(1), &world.roles)
    }
}

#[tokio::test]
async fn a_rule_that_was_too_long_for_a_record_is_uncertain_while_it_was_there() {
    let history = History::of(Limits::default()).await;
    let long = long_rule(&history.world).await;
    let short = ControlRule { operation: Operation::Tokenize, approval: None, ..long.clone() };
    history.rules(vec![short.clone()]).await;
    let (before, report) = (history.moment(), history.report(None).await);
    history.rules(vec![long, short.clone()]).await;
    let while_it_was_there = history.moment();
    history.rules(vec![short]).await;
    let then = history.report(Some(&before)).await;
    assert_eq!((then.results, then.uncertain), (report.results, Vec::new()));
    let then = history.report(Some(&while_it_was_there)).await;
    let [(name, why)] = &whys(&then.uncertain)[..] else { panic!("{:?}", then.uncertain) };
    assert_eq!((name.as_str(), why.contains("too long")), ("cards", true), "{why}");
    let effect = history.since(&while_it_was_there).await.unwrap();
    assert_eq!(effect.uncertain, then.uncertain);
    // What was deleted meanwhile is told by its rules all the same.
    history
        .world
        .installation
        .chancery
        .tokens
        .delete_token_profile(&history.world.caller, history.world.profile)
        .await
        .unwrap();
    let deleted = history.report(Some(&while_it_was_there)).await;
    assert_eq!((deleted.results, deleted.uncertain), (then.results, then.uncertain));
}

#[tokio::test]
async fn what_a_record_left_out_is_uncertain() {
    let lists = crate::ListLimits { audit_changes_max: 300, ..crate::ListLimits::default() };
    let history = History::of(Limits { lists, ..Limits::default() }).await;
    let before = history.moment();
    let rules = (0..6)
        .map(|number| ControlRule { operation: Operation::Tokenize, ..rule(&mut Draw(number), &history.world.roles) });
    let rules = rules.map(|rule| ControlRule { reveal: None, reveal_from: None, mask: None, approval: None, ..rule });
    history.rules(rules.collect()).await;
    let then = history.report(Some(&before)).await;
    let [(name, why)] = &whys(&then.uncertain)[..] else { panic!("{:?}", then.uncertain) };
    assert_eq!((name.as_str(), why.contains("does not have all")), ("cards", true), "{why}");
}

#[tokio::test]
async fn records_that_somebody_wrote_into_make_their_objects_uncertain() {
    let history = History::of(Limits::default()).await;
    let (world, before) = (&history.world, history.moment());
    let (chancery, caller) = (&world.installation.chancery, &world.caller);
    history.rules(Vec::new()).await;
    let body = PatchRole { name: Some("another".to_owned()), ..PatchRole::default() };
    chancery.identities.change_role(caller, world.roles[0], body).await.unwrap();
    chancery.identities.unlock_identity(caller, world.identities[0]).await.unwrap();
    history.alter("UPDATE audit SET detail = 'no' WHERE action = 'ControlRulesChange'").await;
    history
        .alter(
            "UPDATE audit SET detail = REPLACE(detail, '\"another\"', '\"yet another\"') WHERE action = 'RoleChange'",
        )
        .await;
    history.alter("UPDATE audit SET object = NULL WHERE action = 'IdentityUnlock'").await;
    let then = history.report(Some(&before)).await;
    let found = whys(&then.uncertain);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().any(|(name, why)| name == "cards" && why.contains("cannot be read")), "{found:?}");
    assert!(found.iter().any(|(name, why)| name == "role 0" && why.contains("is not what")), "{found:?}");
    assert!(then.uncertain.iter().any(|one| one.object.is_none() && one.why.contains("cannot be read")), "{found:?}");
    assert!(!then.results.is_empty(), "what is known is told");
    // What was made since was not there, whatever is not known of it.
    let made = super::super::profile(chancery, caller, "made").await;
    let text = history.moment();
    chancery.tokens.change_permissions(caller, made, PatchPermissions { control_rules: Vec::new() }).await.unwrap();
    history.alter("UPDATE audit SET detail = 'no' WHERE action = 'ControlRulesChange'").await;
    assert!(whys(&history.report(Some(&text)).await.uncertain).iter().any(|(name, _)| name == "made"));
    assert!(whys(&history.report(Some(&before)).await.uncertain).iter().all(|(name, _)| name != "made"));
}

#[tokio::test]
async fn rows_that_were_repaired_by_hand_are_uncertain() {
    let history = History::of(Limits::default()).await;
    let (world, before) = (&history.world, history.moment());
    history.alter("UPDATE roles SET name = 'by hand' WHERE name = 'role 1'").await;
    let (chancery, host) = (&world.installation.chancery, Host::running("chancery rows"));
    let foreign = chancery.foreign_rows(&host).await.unwrap();
    chancery.authenticate_rows(&host, foreign).await.unwrap();
    let found = history.report(Some(&before)).await;
    let [(name, why)] = &whys(&found.uncertain)[..] else { panic!("{:?}", found.uncertain) };
    assert_eq!((name.as_str(), why.contains("by hand")), ("by hand", true), "{why}");
}

#[tokio::test]
async fn what_cannot_be_read_now_is_uncertain() {
    let history = History::of(Limits::default()).await;
    let before = history.moment();
    history.alter("UPDATE identities SET name = 'by hand' WHERE name = 'identity 1'").await;
    let opened = history.world.installation.opened_again().await.unwrap();
    let query = AccessQuery { as_of: Some(before), ..AccessQuery::default() };
    let then = opened.reports.access_report(&history.world.caller, query).await.unwrap();
    let [only] = &then.uncertain[..] else { panic!("{:?}", then.uncertain) };
    let id = Uuid::from(history.world.identities[1]);
    assert_eq!(only.object.as_ref().map(|info| Uuid::from(info.uuid)), Some(id));
    assert!(only.why.contains("cannot be read now"), "{}", only.why);
}
