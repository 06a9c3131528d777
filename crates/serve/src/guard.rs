//! The door: every request passes here before anything looks at it, and every answer on its way out.
//!
//! In this order: the `Host` must be ours (DNS rebinding), the request must not come from another site, the
//! token must be there (cookie, header, or once in the address), and what changes something must say that it
//! comes from our own page or carry the token in a header, which no form of another site can do. Answers carry
//! a policy that lets the page load from here and from nowhere else. Nothing of the library is touched before.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};

use crate::listen::Connection;
use crate::origin::Names;
use crate::problem::{Problem, escaped};
use crate::token::Token;

/// The header in which a program, rather than a page, sends the token.
pub const TOKEN_HEADER: &str = "x-lightfast-token";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    media-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// What the door knows.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) names: Names,
    /// Cookies are shared by all ports of a host, so that the name carries the port.
    pub(crate) cookie: String,
}

impl Guard {
    pub(crate) fn new(token: Token, names: Names, port: u16) -> Self {
        Self { token, names, cookie: format!("lightfast-{port}") }
    }
}

/// Lets a request in or refuses it.
pub(crate) async fn watch(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let for_a_person = asks_for_a_page(request.headers());
    let mut response = match judge(&guard, &request) {
        Verdict::Enter => {
            if let Some(connection) = request.extensions().get::<Arc<Connection>>() {
                connection.prove();
            }
            next.run(request).await
        }
        Verdict::Welcome { to, from_elsewhere } => welcome(&guard, &to, from_elsewhere),
        Verdict::Refuse(problem) if for_a_person => problem.into_page(),
        Verdict::Refuse(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=(), interest-cohort=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

enum Verdict {
    Enter,
    /// The token was right and in the address: it becomes a cookie, and the address loses it.
    Welcome {
        to: String,
        /// A link on another site's page was followed.
        from_elsewhere: bool,
    },
    Refuse(Problem),
}

fn judge(guard: &Guard, request: &Request) -> Verdict {
    let (headers, uri, method) = (request.headers(), request.uri(), request.method());
    let host = match one(headers, HOST) {
        Ok(Some(host)) if uri.authority().is_none_or(|a| a.as_str().eq_ignore_ascii_case(host)) => host,
        _ => return refuse(StatusCode::BAD_REQUEST, "the request does not name one host", None),
    };
    if !guard.names.host_is_ours(host) {
        let hint = "open the address that `lightfast serve` printed";
        return refuse(StatusCode::MISDIRECTED_REQUEST, "this server does not answer to that name", Some(hint));
    }
    let foreign = matches!(
        headers.get("sec-fetch-site").map(HeaderValue::as_bytes),
        Some(site) if site != b"same-origin" && site != b"none"
    );
    let opens = method == Method::GET && uri.path() == "/";
    if opens && token_in(uri).is_some_and(|token| guard.token.matches(token)) {
        return Verdict::Welcome { to: without_token(uri), from_elsewhere: foreign };
    }
    let origin = match one(headers, ORIGIN) {
        Ok(origin) => origin,
        Err(()) => return refuse(StatusCode::BAD_REQUEST, "the request names two origins", None),
    };
    let own_origin = origin.is_some_and(|origin| guard.names.origin_is_ours(origin, host));
    if foreign || (origin.is_some() && !own_origin) {
        return refuse(StatusCode::FORBIDDEN, "a page of another site may not ask here", None);
    }
    let by_header = headers.get(TOKEN_HEADER).and_then(|v| v.to_str().ok()).is_some_and(|t| guard.token.matches(t));
    if by_header {
        return Verdict::Enter;
    }
    if !cookies(headers, &guard.cookie).any(|t| guard.token.matches(t)) {
        return refuse(
            StatusCode::UNAUTHORIZED,
            "the token of this library is missing or old",
            Some("open the address that `lightfast serve` printed, with its token"),
        );
    }
    let reads = method == Method::GET || method == Method::HEAD;
    if !reads && !own_origin {
        return refuse(StatusCode::FORBIDDEN, "a change must come from the app's own page", None);
    }
    Verdict::Enter
}

fn refuse(status: StatusCode, what: &str, hint: Option<&str>) -> Verdict {
    let problem = Problem::new(status, what);
    Verdict::Refuse(match hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    })
}

/// The one value of a header: none is `Ok(None)`, two or an unreadable one an error.
fn one(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().map(|v| v.to_str()).transpose().map_err(|_| ())?;
    if values.next().is_some() { Err(()) } else { Ok(first) }
}

/// Whether someone typed the address or followed a link, rather than a script asking.
fn asks_for_a_page(headers: &HeaderMap) -> bool {
    let accepts = headers.get(ACCEPT).and_then(|v| v.to_str().ok()).is_some_and(|a| a.contains("text/html"));
    let navigates = headers.get("sec-fetch-mode").is_none_or(|mode| mode.as_bytes() == b"navigate");
    accepts && navigates
}

fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|v| v.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(move |pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

fn token_in(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn without_token(uri: &Uri) -> String {
    let rest: Vec<&str> =
        uri.query().unwrap_or_default().split('&').filter(|p| !p.is_empty() && !p.starts_with("token=")).collect();
    if rest.is_empty() { "/".to_owned() } else { format!("/?{}", rest.join("&")) }
}

/// A browser sends the new cookie with what the page itself asks for next, but not with a redirect that began at
/// another site's link; from there a page of ours goes on by itself.
fn welcome(guard: &Guard, to: &str, from_elsewhere: bool) -> Response {
    let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", guard.cookie, guard.token.as_str());
    let mut response = if from_elsewhere {
        Html(format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={}\">", escaped(to))).into_response()
    } else {
        StatusCode::SEE_OTHER.into_response()
    };
    if let (Ok(to), Ok(cookie)) = (HeaderValue::try_from(to), HeaderValue::try_from(cookie)) {
        if !from_elsewhere {
            response.headers_mut().insert(LOCATION, to);
        }
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_loses_its_token_and_nothing_else() {
        let without = |uri: &str| without_token(&uri.parse().unwrap());
        assert_eq!(without("/?token=ab"), "/");
        assert_eq!(without("/?q=a&token=ab&view=loupe"), "/?q=a&view=loupe");
        assert_eq!(without("/?q=//evil.example&token=ab"), "/?q=//evil.example");
    }

    #[test]
    fn a_cookie_is_found_among_others_and_only_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("a=1; lightfast-1=x;lightfast-11=y"));
        headers.append(COOKIE, HeaderValue::from_static("lightfast-1=z"));
        assert_eq!(cookies(&headers, "lightfast-1").collect::<Vec<_>>(), ["x", "z"]);
    }
}
