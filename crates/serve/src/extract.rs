//! What is read out of a request, with refusals in the one shape of this server.

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// Parts of the path.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

/// The parameters after the question mark.
#[derive(Debug)]
pub(crate) struct Parameters<T>(pub(crate) T);

/// A body of JSON.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        found.map(|axum::extract::Path(value)| Self(value)).map_err(|e| Problem::new(e.status(), e.body_text()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        found.map(|axum::extract::Query(value)| Self(value)).map_err(|e| Problem::new(e.status(), e.body_text()))
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let found: Result<axum::Json<T>, JsonRejection> = axum::Json::from_request(request, state).await;
        found.map(|axum::Json(value)| Self(value)).map_err(|e| Problem::new(e.status(), e.body_text()))
    }
}
