//! `GET /api/openapi.json`: what this API is, for programs and for whoever writes one.
//!
//! Written by hand, because it is a promise; tests hold the server to it, address by address and answer by answer.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

/// The description as it is sent.
pub const OPENAPI: &str = include_str!("../openapi.json");

pub(crate) async fn description() -> Response {
    ([(CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::OPENAPI;

    #[test]
    fn every_address_is_described_and_every_description_is_an_address() {
        let described: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        let described: BTreeSet<&str> = described["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let api = crate::server::api();
        let served: BTreeSet<&str> = api.iter().map(|(path, _)| *path).collect();
        assert_eq!(described, served);
    }
}
