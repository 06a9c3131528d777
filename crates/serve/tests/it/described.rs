//! The API is what `openapi.json` says: methods of each address, and the shape of real answers.

use lightfast_serve::OPENAPI;
use lightfast_testkit::{Shot, TestCard, samples};
use serde_json::{Value, json};

use crate::http::{Running, import};

/// Why a value is not as its schema says; the part of JSON Schema that the description uses.
fn wrong(whole: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return wrong(whole, whole.pointer(&name[1..]).unwrap(), value, at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let tries: Vec<_> = any.iter().map(|schema| wrong(whole, schema, value, at)).collect();
        return if tries.iter().any(Vec::is_empty) { Vec::new() } else { tries.concat() };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    let fits = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(is),
        one => is(one),
    };
    let mut found = Vec::new();
    if !fits {
        found.push(format!("{at}: {value} is no {}", schema["type"]));
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        found.push(format!("{at}: {value} is none of {}", schema["enum"]));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        found.extend(values.iter().enumerate().flat_map(|(n, value)| wrong(whole, items, value, &format!("{at}/{n}"))));
    }
    if let (Some(properties), Some(fields)) = (schema["properties"].as_object(), value.as_object()) {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{at}: {name} is absent"));
            }
        }
        for (name, value) in fields {
            match properties.get(name) {
                Some(schema) => found.extend(wrong(whole, schema, value, &format!("{at}/{name}"))),
                None => found.push(format!("{at}: {name} is not described")),
            }
        }
    }
    found
}

#[test]
fn answers_are_as_described() {
    let whole: Value = serde_json::from_str(OPENAPI).unwrap();
    let shot = |seed| Shot::sized(96, 64).seeded(seed);
    let card = TestCard::new()
        .file("DCIM/100EOS5D/IMG_0001.CR2", samples::cr2(&shot(1)))
        .file("DCIM/100EOS5D/IMG_0002.JPG", samples::jpeg(&shot(2)))
        .file("DCIM/100EOS5D/MVI_0003.MOV", samples::mov(&shot(3)));
    let library = tempfile::tempdir().unwrap();
    import(card.path(), library.path());
    let server = Running::on(library);
    let id = server.get("/api/photos?rows=1").json()[0]["photo"]["id"].as_str().unwrap().to_owned();
    // Rows go by the order in which files were finished, which is not the card's.
    let all = server.get("/api/photos?rows=1-3").json();
    let clip = all.as_array().unwrap().iter().find(|p| p["photo"]["kind"] == "video").unwrap()["row"].clone();
    let card = json!({"source": card.path(), "template": "{name}", "job": null});
    let asked = [
        ("get", "/api/openapi.json", "/api/openapi.json".to_owned(), Value::Null),
        ("get", "/api/library", "/api/library".to_owned(), Value::Null),
        ("get", "/api/photos", "/api/photos?rows=1-3".to_owned(), Value::Null),
        ("get", "/api/photo/{id}", format!("/api/photo/{id}"), Value::Null),
        ("get", "/api/facets", "/api/facets?q=kind:photo".to_owned(), Value::Null),
        ("get", "/api/folders", "/api/folders".to_owned(), Value::Null),
        ("post", "/api/marks", "/api/marks".to_owned(), json!({"rows": "1-2", "rating": 3, "add_keywords": ["sea"]})),
        ("post", "/api/undo", "/api/undo".to_owned(), json!({})),
        ("post", "/api/redo", "/api/redo".to_owned(), json!({})),
        ("post", "/api/stacks", "/api/stacks".to_owned(), json!({"rows": "1-2", "do": "stack"})),
        ("post", "/api/stacks", "/api/stacks".to_owned(), json!({"rows": "2", "do": "top"})),
        ("post", "/api/stacks", "/api/stacks".to_owned(), json!({"rows": "1", "do": "unstack"})),
        ("post", "/api/stacks/bursts", "/api/stacks/bursts".to_owned(), json!({"q": "kind:photo", "seconds": 1.5})),
        ("post", "/api/albums", "/api/albums".to_owned(), json!({"name": "Sea"})),
        ("post", "/api/albums", "/api/albums".to_owned(), json!({"name": "Good", "q": "rating:3.."})),
        ("post", "/api/albums/{id}/photos", "/api/albums/1/photos".to_owned(), json!({"rows": "1-3", "put": true})),
        ("post", "/api/albums/{id}/order", "/api/albums/1/order".to_owned(), json!({"rows": "1", "before": null})),
        ("get", "/api/albums", "/api/albums".to_owned(), Value::Null),
        ("patch", "/api/albums/{id}", "/api/albums/1".to_owned(), json!({"name": "Harbour"})),
        ("delete", "/api/albums/{id}", "/api/albums/2".to_owned(), json!({})),
        ("post", "/api/conflicts", "/api/conflicts".to_owned(), json!({"rows": "1", "keep": "neither"})),
        ("post", "/api/trash", "/api/trash".to_owned(), json!({"rows": "1", "do": "put"})),
        ("post", "/api/trash/empty", "/api/trash/empty".to_owned(), json!({"last_copies": false})),
        ("post", "/api/trash", "/api/trash".to_owned(), json!({"rows": "1", "do": "restore"})),
        ("post", "/api/clips/{row}", format!("/api/clips/{clip}"), json!({})),
        ("get", "/api/cards", "/api/cards".to_owned(), Value::Null),
        ("post", "/api/import/plan", "/api/import/plan".to_owned(), card.clone()),
        ("post", "/api/import/start", "/api/import/start".to_owned(), card),
        ("post", "/api/import/stop", "/api/import/stop".to_owned(), json!({})),
        ("get", "/api/import", "/api/import".to_owned(), Value::Null),
    ];
    for (method, path, address, body) in asked {
        let operation = &whole["paths"][path][method];
        assert!(operation.is_object(), "{method} {path} is not described");
        if let Some(name) = operation["requestBody"]["content"]["application/json"]["schema"].as_object() {
            let found = wrong(&whole, &Value::Object(name.clone()), &body, "body");
            assert!(found.is_empty(), "{method} {path}: {found:?}");
        }
        let answer = match method {
            "get" => server.get(&address),
            method => server.change(&method.to_uppercase(), &address, &body.to_string()),
        };
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        let found = wrong(&whole, schema, &answer.json(), "answer");
        assert!(found.is_empty(), "{method} {path}: {found:?}");
    }
}

#[test]
fn only_the_methods_described_are_answered() {
    let whole: Value = serde_json::from_str(OPENAPI).unwrap();
    let server = Running::start();
    for (path, methods) in whole["paths"].as_object().unwrap() {
        if path == "/api/events" {
            continue;
        }
        let address = path
            .replace("{epoch}", "0")
            .replace("{row}", "1")
            .replace("{n}", "0")
            .replace("{id}", "1")
            .replace("{edge}", "1280");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let described = methods.get(method.to_lowercase()).is_some();
            let answer = server.change(method, &address, "{}");
            assert_eq!(answer.status != 405, described, "{method} {address}: {}", answer.status);
            if answer.status >= 400 && answer.status != 405 {
                let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                let found = wrong(&whole, &json!({"$ref": "#/components/schemas/Problem"}), &body, "answer");
                assert!(found.is_empty(), "{method} {address}: {} {found:?}", answer.text());
            }
        }
    }
}
