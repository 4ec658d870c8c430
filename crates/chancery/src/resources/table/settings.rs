//! The settings of an installation.

use serde_json::Value;

use super::{
    super::{Answered, Asks, CHANGE, Kind, Question, Resource, SHOW, Verb},
    member,
};

const RETENTION: &str = "For how long audit records are at hand, and then kept in archives: card-data (92 days and 365), authorities \
    (92 days, and two years beyond the last certificate of an authority), forever, or AT-HAND[,KEEP[,BEYOND]] in days";

const REMOVES: &str = "audit records that are older than these days are removed for good, within minutes or, after a start, hours. First export what is to stay \
    (chancery audit export --ledger true).";

pub(super) const RESOURCES: &[Resource] = &[Resource {
    name: "setting",
    about: "The installation's settings",
    one: "a setting",
    list: None,
    item: None,
    is_endless: false,
    columns: &[],
    verbs: &[
        Verb {
            about: "Shows them",
            path: "/api/v2/system/settings",
            answer: Answered::Object,
            example: "chancery setting show",
            ..SHOW
        },
        Verb {
            about: "Changes them",
            path: "/api/v2/system/settings",
            members: &[
                member("api-access", "/apiAccess", Kind::Switch, "Whether programs may call the interface"),
                member(
                    "fresh-factor-for",
                    "/freshFactorFor",
                    Kind::Words,
                    "What takes a second factor of the last ten minutes: Decisions, Exports, Access, Custody, Rules; several by commas, or none",
                ),
                member("audit-retention", "/auditRetention", Kind::Retention, RETENTION),
            ],
            asks: Some(Asks { about: &["auditRetention"], what: of_retention }),
            example: "chancery setting change --api-access true",
            ..CHANGE
        },
    ],
}];

/// Whether records are removed that would have stayed, or sooner.
fn of_retention(present: &Value, body: &Value) -> Vec<Question> {
    let days = |settings: &Value, member: &str| settings["auditRetention"][member].as_u64();
    let keep = |settings: &Value| days(settings, "keepDays");
    // None is for ever for the one. For the other it is less than 0, for which authorities count.
    let beyond = |settings: &Value| days(settings, "beyondAuthoritiesDays");
    let is_kept_shorter = keep(body).is_some_and(|days| keep(present).is_none_or(|before| days < before));
    let removes_more = is_kept_shorter || (keep(body).is_some() && beyond(body) < beyond(present));
    removes_more.then_some(Question { says: REMOVES, agrees: None }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_has_records_removed_sooner_is_asked() {
        let settings = |retention: Value| json!({"auditRetention": retention});
        let days =
            |keep: u32, beyond: u32| json!({"atHandDays": 92, "keepDays": keep, "beyondAuthoritiesDays": beyond});
        let asked = |before, after| !of_retention(&settings(before), &settings(after)).is_empty();
        for (before, after) in [
            (json!({}), json!({"atHandDays": 92, "keepDays": 365})),
            (json!({"atHandDays": 92}), days(36_500, 730)),
            (days(365, 730), days(364, 730)),
            (days(365, 730), days(365, 729)),
            (days(365, 1), json!({"atHandDays": 92, "keepDays": 365})),
            (days(365, 0), json!({"atHandDays": 92, "keepDays": 365})),
            (days(365, 1), days(365, 0)),
        ] {
            assert!(asked(before.clone(), after.clone()), "{before} to {after}");
            assert!(!asked(after.clone(), before.clone()), "{after} to {before}");
            assert!(!asked(after.clone(), after.clone()), "{after} stays");
        }
        assert!(!asked(json!({}), json!({"atHandDays": 92})), "what moves into archives is not lost");
    }
}
