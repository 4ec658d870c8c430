//! Token profiles. Their Control Rules have a command of their own, `rule`.

use super::{
    super::{CHANGE, CREATE, DELETE, Kind, List, Loss, Member, Named, OneOf, PLAIN, Resource, SHOW, Verb},
    NAME, column, member,
};

const ITEM: &str = "/api/v2/token-profiles/{}";

const TEMPLATES: &str = "/api/v2/token-profiles/template/names";

/// The names as the server has them: a test compares them.
const TEMPLATE_NAMES: &str = "Its name: card number keep last 4, card number keep 6+4, card number in full, card number that \
    never passes Luhn, social security number, date, e-mail address, phone number, IBAN, UUID, free text. Without it, their \
    names";

const MEMBERS: &[Member] = &[
    member("name", "/objInfo/name", Kind::Text, "Its name"),
    member("algorithm", "/algorithm", Kind::Text, "Ff1, Random, AesSiv, AesGcm or Hmac"),
    member("key", "/keyUuid", Kind::Of("key"), "The key that it works with"),
    member("format", "/format", Kind::Json, "Its format, as `chancery profile template NAME` shows one"),
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
                member(
                    "format",
                    "/profile/format",
                    Kind::Json,
                    "Its format, as chancery profile template NAME shows one",
                ),
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
