//! The secret that opens the library: 256 random bits, made anew at each start.
//!
//! It travels once in the address that is printed, then as a cookie that no script can read and no other
//! site can send. Comparison takes the same time for every wrong token. It is never logged.

use std::fmt;

/// The secret of one run of the server.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Makes a token from random bytes, which come in from outside.
    pub fn from_random(bytes: [u8; 32]) -> Self {
        Self(bytes.iter().map(|b| format!("{b:02x}")).collect())
    }

    /// The 64 hexadecimal digits, for the address that is printed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `given` is this token, in a time that does not depend on where they differ.
    pub fn matches(&self, given: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), given.as_bytes());
        ours.len() == theirs.len() && ours.iter().zip(theirs).fold(0, |acc, (a, b)| acc | (a ^ b)) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_matches() {
        let token = Token::from_random([7; 32]);
        assert!(token.matches(token.as_str()));
        assert!(!token.matches(""));
        assert!(!token.matches(&token.as_str()[..63]));
        assert!(!token.matches(&format!("{}0", token.as_str())));
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
