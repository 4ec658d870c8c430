//! Token profiles. Their Control Rules have a command of their own, `rule`.

use serde_json::Value;

use super::{
    super::{
        Asks, CHANGE, CREATE, DELETE, Kind, List, Loss, Member, Named, OneOf, PLAIN, Question, Resource, SHOW, Verb,
    },
    NAME, column, member,
};

const ITEM: &str = "/api/v2/token-profiles/{}";

const TEMPLATES: &str = "/api/v2/token-profiles/template/names";

/// The names as the server has them: a test compares them.
const TEMPLATE_NAMES: &str = "Its name: card number keep last 4, card number keep 6+4, card number in full, card number that \
    never passes Luhn, social security number, date, e-mail address, phone number, IBAN, UUID, free text. Without it, their \
    names";

const FORMAT: &str = "Its format, such as the member format of chancery profile template NAME --output json";

const SENDS_VERSIONS: &str = "its tokens do not tell their key version, and it will read those of several. Then every call \
    that detokenizes or rewraps has to send keyVersion, and is refused without it. Be sure that all callers do, until all \
    tokens are rewrapped and minDecryptVersion is raised; a versionPrefix, in a new profile, spares them that.";

const GIVES_UP: &str = "its tokens do not tell their key version. Those that are left of versions before minDecryptVersion \
    will not be refused, but read as other, plausible values. Be sure that all of them are rewrapped.";

const MEMBERS: &[Member] = &[
    member("name", "/objInfo/name", Kind::Text, "Its name"),
    member("algorithm", "/algorithm", Kind::Text, "Ff1, Random, AesSiv, AesGcm or Hmac"),
    member("key", "/keyUuid", Kind::Of("key"), "The key that it works with"),
    member("format", "/format", Kind::Json, FORMAT),
    member("use-iv", "/useIv", Kind::Switch, "Whether every token has an initialization vector of its own"),
    member("deterministic", "/deterministic", Kind::Switch, "Whether equal messages have equal tokens (Random)"),
    member("time-to-live", "/timeToLive", Kind::Span, "How long tokens live (Random)"),
    member("durability", "/durability", Kind::Text, "What calls wait for: Written or Durable, the disk"),
    member("key-version", "/keyVersion", Kind::Number, "The version of the key that makes tokens"),
    member("min-decrypt-version", "/minDecryptVersion", Kind::Number, "The oldest version that is read"),
];

pub(super) const RESOURCES: &[Resource] = &[Resource {
    name: "profile",
    about: "Token profiles: how values become tokens",
    one: "a token profile",
    list: Some(List { path: "/api/v2/token-profiles/stubs", example: "chancery profile list --search cards", ..PLAIN }),
    item: Some(ITEM),
    is_endless: false,
    columns: &[NAME, column("ALGORITHM", "/algorithm"), column("IV", "/useIv")],
    verbs: &[
        Verb { path: ITEM, example: "chancery profile show 'demo cards'", ..SHOW },
        Verb {
            about: "Makes one",
            path: "/api/v2/token-profiles",
            members: MEMBERS,
            needs: &["name", "key", "algorithm"],
            example: "chancery profile create --name mail --algorithm AesSiv --key mail --file mail.json",
            ..CREATE
        },
        Verb {
            about: "Changes one: what is not said stays",
            path: ITEM,
            members: MEMBERS,
            asks: Some(Asks { about: &["keyVersion", "minDecryptVersion"], what: of_versions }),
            example: "chancery profile change mail --name 'mail addresses'",
            ..CHANGE
        },
        Verb {
            name: "copy",
            about: "Makes one after another: what is said is different",
            path: "/api/v2/token-profiles/{}/copy",
            members: MEMBERS,
            example: "chancery profile copy 'demo cards' --name 'demo cards 2'",
            ..CREATE
        },
        Verb {
            path: ITEM,
            loses: Some(Loss {
                says: "a profile that is deleted cannot be had back, and with that of a vault (Random) go all its tokens \
                       and the values behind them.",
                unless: None,
            }),
            example: "chancery profile delete 'demo cards 2' --yes",
            ..DELETE
        },
        Verb {
            name: "preview",
            about: "Tries a profile out that does not exist yet",
            path: "/api/v2/token-profiles/preview",
            members: &[
                member("algorithm", "/profile/algorithm", Kind::Text, "Ff1, Random, AesSiv, AesGcm or Hmac"),
                member("format", "/profile/format", Kind::Json, FORMAT),
                member(
                    "use-iv",
                    "/profile/useIv",
                    Kind::Switch,
                    "Whether every token has an initialization vector of its own",
                ),
                member("sample", "/samples", Kind::Texts, "What to tokenize, up to 20 values; no real ones"),
            ],
            example: "chancery profile preview --algorithm Ff1 --format '{\"alphabet\": \"Decimal\", \"minLength\": 6, \"maxLength\": 19}' --sample 4111111111111111",
            ..CREATE
        },
        Verb {
            name: "templates",
            about: "Names the built-in templates",
            path: TEMPLATES,
            example: "chancery profile templates",
            ..SHOW
        },
        Verb {
            name: "template",
            about: "Shows a built-in template; without a name, the names of all",
            path: "/api/v2/token-profiles/template/{}",
            named: Named::Plain,
            one_of: Some(OneOf { path: TEMPLATES, items: "names", one: "template", help: TEMPLATE_NAMES }),
            example: "chancery profile template 'card number keep last 4'",
            ..SHOW
        },
    ],
}];

/// What a change of key versions means where tokens do not tell theirs: whoever reads them has to, and what is not read any
/// more reads as something else.
fn of_versions(present: &Value, body: &Value) -> Vec<Question> {
    let next = |member: &str| body.get(member).filter(|value| !value.is_null()).unwrap_or(&present[member]);
    let prefix = body.pointer("/format/versionPrefix").unwrap_or(&present["format"]["versionPrefix"]);
    if next("algorithm") != "Ff1" || !prefix.is_null() || next("keyUuid") != &present["keyUuid"] {
        return Vec::new();
    }
    let versions =
        |oldest: &Value, newest: &Value| (oldest.as_u64().unwrap_or_default(), newest.as_u64().unwrap_or_default());
    let (oldest, newest) = versions(next("minDecryptVersion"), next("keyVersion"));
    let (oldest_before, newest_before) = versions(&present["minDecryptVersion"], &present["keyVersion"]);
    let mut questions = Vec::new();
    if oldest < newest && (newest != newest_before || oldest_before == newest_before) {
        questions.push(Question { says: SENDS_VERSIONS, agrees: None });
    }
    if oldest > oldest_before {
        questions.push(Question { says: GIVES_UP, agrees: Some("giveUpTokens") });
    }
    questions
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_version_that_tokens_do_not_tell_is_asked_about() {
        let profile = |algorithm: &str, prefix: Value| {
            json!({"algorithm": algorithm, "keyUuid": "k", "keyVersion": 2, "minDecryptVersion": 1,
                "format": {"versionPrefix": prefix}})
        };
        let silent = profile("Ff1", Value::Null);
        let asked = |present: &Value, body: Value| -> Vec<_> {
            of_versions(present, &body).iter().map(|question| question.says).collect()
        };
        assert_eq!(asked(&silent, json!({"keyVersion": 3})), [SENDS_VERSIONS]);
        assert_eq!(asked(&silent, json!({"minDecryptVersion": 2})), [GIVES_UP]);
        assert_eq!(asked(&silent, json!({"keyVersion": 4, "minDecryptVersion": 3})), [SENDS_VERSIONS, GIVES_UP]);
        assert_eq!(asked(&silent, json!({"keyVersion": 3, "minDecryptVersion": 3})), [GIVES_UP]);
        // Back to one version: nobody has to send one any more.
        assert!(asked(&silent, json!({"keyVersion": 1})).is_empty());
        for tells in [profile("Ff1", json!(2)), profile("AesSiv", Value::Null), profile("Random", Value::Null)] {
            assert!(asked(&tells, json!({"keyVersion": 3, "minDecryptVersion": 3})).is_empty(), "{tells}");
        }
    }
}
