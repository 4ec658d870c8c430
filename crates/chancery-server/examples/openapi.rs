//! Prints the OpenAPI document; `cargo xtask openapi` writes it to docs/openapi.json.

fn main() {
    println!("{:#}", serde_json::json!(chancery_server::openapi()));
}
