//! Keys, token profiles and what they do.

use chancery_types::{TokenProfileId, wire::token_profiles::TokenizationResponse};
use serde_json::{Value, json};

use super::{Tour, new_name};

const CARD: &str = "4111111111111111";

impl Tour {
    /// The key type of this name.
    pub(super) fn key_type(&self, name: &str) -> Value {
        let found = answer!(self.client, key_types(), json!({"search": name}));
        let found = found.results.into_iter().find(|found| found.obj_info.name == name).unwrap();
        json!(found.obj_info.uuid)
    }

    pub(super) fn keys(&self) {
        let client = &self.client;
        let sent = json!({"name": new_name(), "keyTypeUuid": self.key_type("AES-256 Tokenization")});
        let key = answer!(client, create_key(), sent).uuid;
        assert_eq!(answer!(client, rotate_key(key), json!({})).current_version, 2);
        assert_eq!(answer!(client, change_key(key), json!({"usages": ["Tokenize"]})).usages.len(), 1);
        assert_eq!(answer!(client, disable_key(key), json!({})).state.to_string(), "Disabled");
        assert_eq!(answer!(client, enable_key(key), json!({})).state.to_string(), "Enabled");
        assert_eq!(answer!(client, key(key)).versions.len(), 2);
        assert_eq!(answer!(client, keys(), json!({"search": "thing"})).results.len(), 1);
    }

    fn new_profile(&self, algorithm: &str) -> TokenProfileId {
        let client = &self.client;
        let key = json!({"name": new_name(), "keyTypeUuid": self.key_type("AES-256 Tokenization")});
        let key = answer!(client, create_key(), key).uuid;
        let roles = answer!(client, roles(), json!({"search": "Administrator"})).results;
        let role = roles.into_iter().find(|role| role.obj_info.name == "Administrator").unwrap().obj_info.uuid;
        let rules = ["Tokenize", "Detokenize", "Batch"].map(|one| json!({"roleUuid": role, "operation": one}));
        let sent = json!({
            "objInfo": {"name": new_name()},
            "algorithm": algorithm,
            "keyUuid": key,
            "format": {"alphabet": "Decimal", "minLength": 6, "maxLength": 19},
            "controlRules": rules,
        });
        answer!(client, create_token_profile(), sent).obj_info.uuid
    }

    pub(super) fn token_profiles(&self) {
        let client = &self.client;
        let uuid = self.new_profile("Ff1");
        let changed = answer!(client, change_token_profile(uuid), json!({"format": {"maxLength": 20}}));
        assert_eq!(changed.format.max_length, 20);
        // What was read can be written back.
        let read = answer!(client, token_profile(uuid));
        let _same = answer!(client, change_token_profile(uuid), json!(read));
        assert_eq!(answer!(client, change_control_rules(uuid), json!({"controlRules": []})).control_rules, []);
        assert_eq!(answer!(client, token_budgets(uuid)).budgets, []);
        self.grants(self.new_profile("Ff1"));
        let copy = answer!(client, copy_token_profile(uuid), json!({"objInfo": {"name": new_name()}}));
        let _gone = answer!(client, delete_token_profile(copy.obj_info.uuid));
        let name = answer!(client, token_profile_templates()).names.remove(0);
        let expected = name.clone();
        assert_eq!(client.by_hand(move |client| client.token_profile_template(&name)).obj_info.name, expected);
        let tried = json!({"profile": {"algorithm": "AesSiv"}, "samples": ["a sample"]});
        assert_eq!(answer!(client, preview_token_profile(), tried).tokens.len(), 1);
        assert_eq!(answer!(client, token_profiles(), json!({"search": "thing"})).results.len(), 1);
    }

    fn grants(&self, profile: TokenProfileId) {
        let client = &self.client;
        let rules = answer!(client, token_profile(profile)).control_rules;
        let role = rules.first().map(|rule| rule.role_uuid);
        let rule = json!({"roleUuid": role, "operation": "Detokenize", "approval": {"numApprovals": 1}});
        let _rules = answer!(client, change_control_rules(profile), json!({"controlRules": [rule]}));
        let lifetime = json!({"unit": "Hour", "amount": "1"});
        let asked = json!({"reason": "chargeback", "maxValues": 2, "lifetime": lifetime});
        let id = answer!(client, request_grant(profile), asked).uuid;
        assert_eq!(answer!(self.approver, approve_proposal(id), json!({})).state.to_string(), "Active");
        let sent = json!({"token": "123456", "grantUuid": id});
        assert_eq!(answer!(client, detokenize_value(profile), sent).message.len(), 6);
        assert_eq!(answer!(client, grant(profile, id)).used, 1);
        assert_eq!(answer!(client, grants(profile), json!({})).items.len(), 1);
        assert_eq!(answer!(client, revoke_grant(profile, id), json!({})).state.to_string(), "Revoked");
        let _gone = answer!(client, delete_token_profile(profile));
    }

    pub(super) fn tokens(&self) {
        let client = &self.client;
        let uuid: TokenProfileId = self.id("tokenProfileUuid");
        let made: TokenizationResponse = client.by_hand(move |client| client.tokenize(uuid, CARD));
        let token = made.token.clone();
        assert_ne!(token, CARD);
        assert_eq!(client.by_hand(move |client| client.detokenize(uuid, made)).message, CARD);
        let tokens = answer!(client, batch_tokenize(uuid), json!({"messages": [CARD]}));
        assert_eq!(json!(tokens)["tokens"], json!([token]));
        let messages = answer!(client, batch_detokenize(uuid), json!({"tokens": [token]}));
        assert_eq!(json!(messages)["messages"], json!([CARD]));
        assert_eq!(json!(answer!(client, rewrap(uuid), json!({"tokens": [token]})))["tokens"], json!([token]));
        let track = format!(";{CARD}=25121010000012345678?");
        let tokenized = answer!(client, track_tokenize(uuid), json!({"track": track}));
        assert_ne!(tokenized.track, track);
        let detokenized = answer!(client, track_detokenize(uuid), json!({"track": tokenized.track}));
        assert_eq!(detokenized.track, track);
    }

    pub(super) fn vault(&self) {
        let client = &self.client;
        let uuid = self.new_profile("Random");
        let metadata = json!({"source": "tour"});
        let token = answer!(client, tokenize_value(uuid), json!({"message": CARD, "metadata": metadata})).token;
        let kept = answer!(client, read_token(uuid), json!({"token": token}));
        assert_eq!(json!(kept.metadata), metadata);
        assert!(answer!(client, tokenized(uuid), json!({"message": CARD})).tokenized);
        let _gone = answer!(client, delete_token(uuid), json!({"token": token}));
        assert!(!answer!(client, tokenized(uuid), json!({"message": CARD})).tokenized);
    }
}
