//! Random asks, approvals, uses and ends of grants against a small model.

use super::*;

/// What a grant is, as simply as it can be said.
#[derive(Default)]
struct Model {
    id: String,
    max: u64,
    used: u64,
    approved_by: Vec<usize>,
    /// When it ends, in minutes.
    ends: Option<u64>,
    is_over: bool,
}

/// Numbers that look drawn and are the same in each run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[tokio::test]
async fn whatever_is_asked_approved_used_and_ended_nobody_gets_more_than_a_small_model_says() {
    let World { bench, profile, clerk, token, .. } = World::new().await;
    let (app, path) = (&bench.app, format!("{PROFILES}/{profile}"));
    let names = ["ann", "bob", "cid"];
    for name in names {
        app.person(name, &[APPROVER.parse().unwrap()]).await;
    }
    let (mut draw, mut all, mut minutes) = (Draw(11), Vec::<Model>::new(), 0);
    let (mut clerk, mut approvers) = (clerk, Vec::new());
    let mut seen = [0; 6];
    for step in 0..400 {
        if step % 25 == 0 {
            minutes += 20;
            app.clock.advance_ms(20 * 60_000);
            clerk = app.logged_in(&[("clerk", PASSWORD)]).await;
            approvers.clear();
            for name in names {
                approvers.push(app.logged_in(&[(name, PASSWORD)]).await);
            }
        }
        if all.is_empty() || draw.below(12) == 0 {
            let max = draw.below(9) + 1;
            let body = json!({"reason": "any", "maxValues": max, "lifetime": hours("1")});
            let id = uuid(&clerk.post(&format!("{path}/grants"), body).await);
            all.push(Model { id, max, ..Model::default() });
            continue;
        }
        let at = usize::try_from(draw.below(all.len() as u64)).unwrap();
        let grant = &mut all[at];
        let is_active = !grant.is_over && grant.ends.is_some_and(|end| end > minutes) && grant.used < grant.max;
        match draw.below(10) {
            0..4 => {
                let who = usize::try_from(draw.below(3)).unwrap();
                let counts = !grant.is_over && grant.ends.is_none() && !grant.approved_by.contains(&who);
                let reply = approve(&approvers[who], &grant.id).await;
                assert_eq!(reply.status.as_u16() == 200, counts, "step {step}: {}", reply.text());
                if counts {
                    grant.approved_by.push(who);
                    seen[0] += 1;
                }
                if grant.approved_by.len() == 2 && grant.ends.is_none() {
                    grant.ends = Some(minutes + 60);
                }
            }
            4..9 => {
                let count = if draw.below(2) == 0 { 1 } else { draw.below(4) + 1 };
                let fits = is_active && grant.used + count <= grant.max;
                let reply = if count == 1 {
                    clerk.post(&format!("{path}/detokenize"), sent(&token, Some(&grant.id))).await
                } else {
                    let tokens = vec![token.clone(); usize::try_from(count).unwrap()];
                    let body = json!({"tokens": tokens, "grantUuid": grant.id});
                    clerk.post(&format!("{path}/batch-detokenize"), body).await
                };
                assert_eq!(reply.status.as_u16() == 200, fits, "step {step}: {}", reply.text());
                seen[if fits { 1 } else { 2 }] += 1;
                grant.used += if fits { count } else { 0 };
            }
            _ => {
                let ends = !grant.is_over && (grant.ends.is_none() || is_active);
                let reply = clerk.post(&format!("{path}/grants/{}/revoke", grant.id), json!({})).await;
                assert_eq!(reply.status.as_u16() == 200, ends, "step {step}: {}", reply.text());
                grant.is_over |= ends;
                seen[3] += u32::from(ends);
            }
        }
    }
    for grant in &all {
        let told = clerk.get(&format!("{path}/grants/{}", grant.id)).await;
        assert_eq!((told.response()["used"].as_u64(), grant.used <= grant.max), (Some(grant.used), true));
    }
    assert!(seen[..4].iter().all(|count| *count > 5), "each of them happened: {seen:?}");
}
