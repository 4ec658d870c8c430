use std::collections::HashSet;

use serde_json::Value;

use crate::app::TestApp;

#[tokio::test]
async fn the_document_is_openapi_3_1() {
    let app = TestApp::new().await;
    let document = app.nobody().get("/openapi.json").await;
    assert_eq!(document.headers["content-type"], "application/json");
    assert_eq!(document.json["openapi"], "3.1.0");
    assert_eq!(document.json, serde_json::to_value(chancery_server::openapi()).unwrap());
}

#[test]
fn the_document_changes_only_on_purpose() {
    let kept: Value = serde_json::from_str(include_str!("../../../../../../docs/openapi.json")).unwrap();
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    assert!(document == kept, "docs/openapi.json is out of date: read what changed after `cargo xtask openapi`");
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let text = document.to_string();
    let references = text.split(r##""$ref":"#"##).skip(1).map(|rest| rest.split('"').next().unwrap());
    let mut followed = 0;
    for reference in references {
        assert!(document.pointer(reference).is_some(), "{reference}");
        followed += 1;
    }
    assert!(followed > 0);
}

/// Every operation with its method and path.
fn operations(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| {
        let operations = item.as_object().unwrap().iter();
        operations.map(move |(method, operation)| (format!("{method} {path}"), operation))
    })
}

#[test]
fn every_operation_has_an_id_of_its_own() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let mut seen = HashSet::new();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(seen.insert(id), "{name}: {id}");
    }
    assert!(seen.contains("post_token_profiles_uuid_tokenize") && seen.contains("get_healthz"), "{seen:?}");
}

#[test]
fn every_operation_parameter_and_answer_is_described() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let described = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    for (name, operation) in operations(&document) {
        assert!(described(&operation["summary"]), "{name}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(described(&parameter["description"]), "{name}: {parameter}");
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            assert!(described(&response["description"]) || described(&response["$ref"]), "{name}: {status}");
        }
    }
}

#[test]
fn a_body_that_may_be_left_out_is_an_object_all_the_same() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let body = &document["paths"]["/api/v2/key-types/stubs"]["post"]["requestBody"];
    assert_eq!(body["required"], Value::Null);
    assert_eq!(body["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/ListQuery");
}

#[test]
fn every_group_is_described_and_used() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let tags = document["tags"].as_array().unwrap();
    assert!(tags.iter().all(|tag| !tag["description"].as_str().unwrap().is_empty()));
    let described: HashSet<_> = tags.iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let used: HashSet<_> = operations(&document).map(|(_, operation)| operation["tags"][0].as_str().unwrap()).collect();
    assert_eq!(described, used);
    assert_eq!(document["servers"][0]["url"], "/");
}

#[test]
fn octets_are_no_numbers() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let octets = serde_json::json!({"type": "string", "format": "binary"});
    let types = [
        ("/ca/{file}", "application/pkix-cert"),
        ("/crl/{file}", "application/pkix-crl"),
        ("/ocsp/{request}", "application/ocsp-response"),
    ];
    for (path, media_type) in types {
        assert_eq!(
            document["paths"][path]["get"]["responses"]["200"]["content"][media_type]["schema"], octets,
            "{path}"
        );
    }
    let stamp = &document["paths"]["/tsa"]["post"];
    assert_eq!(stamp["requestBody"]["content"]["application/timestamp-query"]["schema"], octets);
    assert_eq!(stamp["responses"]["200"]["content"]["application/timestamp-reply"]["schema"], octets);
    assert!(!document.to_string().contains(r#""items":{"format":"u-int8""#));
}

#[tokio::test]
async fn the_examples_can_be_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let mut sent = 0;
    for (name, operation) in operations(&document) {
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        if example.is_null() {
            continue;
        }
        let (method, path) = name.split_once(' ').unwrap();
        let id = "123e4567-e89b-12d3-a456-426614174000";
        let path = path.replace("{uuid}", id).replace("{serviceUuid}", id);
        let reply = admin.json(&method.to_uppercase(), &path, example).await;
        // Their ids name nothing here.
        assert_ne!(reply.json["errorCode"], "ArgumentParseError", "{name}: {}", reply.json);
        assert_ne!(reply.json["errorCode"], "InternalError", "{name}: {}", reply.json);
        sent += 1;
    }
    assert!(sent >= 50, "{sent}");
}

#[test]
fn enumerations_are_spelled_as_on_the_wire() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let values = |name: &str| document["components"]["schemas"][name]["enum"].as_array().unwrap();
    assert!(values("Perm").contains(&"Tokenization:Manage".into()));
    assert!(values("SigningFormat").contains(&"CMS".into()));
}

#[tokio::test]
async fn the_page_needs_nothing_from_elsewhere() {
    let app = TestApp::new().await;
    let page = app.nobody().get("/docs").await;
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    let linked: Vec<_> = page.text().split(['"']).filter(|text| text.starts_with("/console/")).collect();
    assert_eq!(linked.len(), 4, "the icon, two styles and the script: {linked:?}");
    for file in linked {
        let part = app.nobody().get(file).await;
        assert_eq!(part.status, 200, "{file}");
        // The one address in a picture names what kind of XML it is.
        let text = part.text().replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://") && !text.is_empty(), "{file}: {text}");
    }
}

#[tokio::test]
async fn the_interface_is_there_in_prose() {
    let app = TestApp::new().await;
    let prose = app.nobody().get("/docs/interface.md").await;
    assert_eq!(prose.headers["content-type"], "text/markdown; charset=utf-8");
    assert_eq!(prose.text(), include_str!("../../../../../../docs/INTERFACE.md"));
}
