//! Which names this server answers to.
//!
//! A page of another site can make a browser ask us (cross-site requests) or can point its own name at
//! 127.0.0.1 (DNS rebinding). Against the second the `Host` must be a name that no one else can own:
//! `localhost`, the address we are bound to, or, where we are bound to every address, any literal IP.

use std::net::{IpAddr, SocketAddr};

/// The names that reach this server, with its port.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    bound: SocketAddr,
}

impl Names {
    /// The names of a server bound to `bound`.
    pub(crate) fn of(bound: SocketAddr) -> Self {
        Self { bound }
    }

    /// Whether a `Host` header names us.
    pub(crate) fn host_is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = split_port(host) else { return false };
        if port.unwrap_or(80) != self.bound.port() {
            return false;
        }
        let loopback = self.bound.ip().is_loopback() || self.bound.ip().is_unspecified();
        if name.eq_ignore_ascii_case("localhost") {
            return loopback;
        }
        match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(ip) => ip == self.bound.ip() || self.bound.ip().is_unspecified() || (loopback && ip.is_loopback()),
            Err(_) => false,
        }
    }

    /// Whether an `Origin` header is a page of ours: plain HTTP, and the same host as the request's.
    pub(crate) fn origin_is_ours(&self, origin: &str, host: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|name| name.eq_ignore_ascii_case(host)) && self.host_is_ours(host)
    }
}

/// Splits `name:port` and `[v6]:port`; `None` for anything that is not a host.
fn split_port(host: &str) -> Option<(&str, Option<u16>)> {
    let end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, rest) = (host.get(..end)?, host.get(end..)?);
    match rest.strip_prefix(':') {
        _ if name.is_empty() => None,
        Some(port) if port.bytes().all(|b| b.is_ascii_digit()) => Some((name, Some(port.parse().ok()?))),
        None if rest.is_empty() => Some((name, None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bound: &str) -> Names {
        Names::of(bound.parse().unwrap())
    }

    #[test]
    fn a_name_that_someone_else_may_own_is_not_ours() {
        let ours = names("127.0.0.1:4807");
        for host in ["127.0.0.1:4807", "localhost:4807", "LOCALHOST:4807", "[::1]:4807"] {
            assert!(ours.host_is_ours(host), "{host}");
        }
        for host in [
            "",
            ":4807",
            "evil.example:4807",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:4807.evil.example",
            "127.0.0.1:+4807",
            "localhost.evil.example:4807",
            "192.168.0.2:4807",
            "127.0.0.1:4807@evil.example",
            "[::1:4807",
            "2130706433:4807",
        ] {
            assert!(!ours.host_is_ours(host), "{host}");
        }
    }

    #[test]
    fn bound_to_every_address_it_answers_to_literal_addresses_only() {
        let ours = names("0.0.0.0:4807");
        assert!(ours.host_is_ours("192.168.0.2:4807"));
        assert!(!ours.host_is_ours("studio.example:4807"));
        assert!(!names("192.168.0.2:4807").host_is_ours("localhost:4807"));
    }

    #[test]
    fn an_origin_is_ours_only_with_the_very_host_of_the_request() {
        let ours = names("127.0.0.1:4807");
        assert!(ours.origin_is_ours("http://127.0.0.1:4807", "127.0.0.1:4807"));
        for origin in ["null", "https://127.0.0.1:4807", "http://127.0.0.1:3000", "http://evil.example"] {
            assert!(!ours.origin_is_ours(origin, "127.0.0.1:4807"), "{origin}");
        }
    }
}
