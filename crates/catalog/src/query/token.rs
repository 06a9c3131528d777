//! Cuts a query into tokens, each with the character where it begins.

use super::QueryError;

/// Longest query that is read, in bytes.
pub(super) const MAX_BYTES: usize = 10_000;

/// A piece of a query.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Open,
    Close,
    Or,
    And,
    Not,
    /// A word, or a phrase in quotes.
    Words {
        text: String,
        exact: bool,
    },
    /// `name:value`; where the value begins.
    Field {
        name: String,
        value: String,
        quoted: bool,
        value_at: usize,
    },
}

/// A token and the character where it begins, from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct At {
    pub(super) token: Token,
    pub(super) position: usize,
}

struct Reader<'a> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Chars<'a>>>,
    length: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, c)| *c)
    }

    fn position(&mut self) -> usize {
        let length = self.length;
        self.rest.peek().map_or(length, |(i, _)| *i) + 1
    }

    /// A phrase whose opening quote is next; `\"` and `\\` stand for themselves.
    fn quoted(&mut self) -> Result<String, QueryError> {
        let position = self.position();
        self.rest.next();
        let mut text = String::new();
        while let Some((_, c)) = self.rest.next() {
            match c {
                '"' => return Ok(text),
                '\\' => match self.rest.next() {
                    Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                    Some((_, other)) => text.extend(['\\', other]),
                    None => text.push('\\'),
                },
                other => text.push(other),
            }
        }
        Err(QueryError { position, problem: "the quote is not closed".to_owned() })
    }

    fn bare(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            if c.is_whitespace() || matches!(c, '(' | ')' | '"') {
                break;
            }
            text.push(c);
            self.rest.next();
            if c == ':' && is_name(text.trim_end_matches(':')) {
                break;
            }
        }
        text
    }
}

/// Whether a text can be the name of a field.
fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic()) && letters.all(|c| c.is_ascii_alphabetic() || c == '-')
}

/// All tokens of a query.
pub(super) fn tokens(text: &str) -> Result<Vec<At>, QueryError> {
    if text.len() > MAX_BYTES {
        let problem = format!("it is longer than {MAX_BYTES} bytes");
        return Err(QueryError { position: 1, problem });
    }
    let mut reader = Reader { rest: text.chars().enumerate().peekable(), length: text.chars().count() };
    let mut found = Vec::new();
    while let Some(c) = reader.peek() {
        let position = reader.position();
        let token = match c {
            c if c.is_whitespace() => {
                reader.rest.next();
                continue;
            }
            '(' => {
                reader.rest.next();
                Token::Open
            }
            ')' => {
                reader.rest.next();
                Token::Close
            }
            '"' => Token::Words { text: reader.quoted()?, exact: true },
            '-' => {
                reader.rest.next();
                if reader.peek().is_none_or(|next| next.is_whitespace() || next == ')') {
                    Token::Words { text: "-".to_owned(), exact: false }
                } else {
                    Token::Not
                }
            }
            _ => word(&mut reader)?,
        };
        found.push(At { token, position });
    }
    Ok(found)
}

fn word(reader: &mut Reader<'_>) -> Result<Token, QueryError> {
    let text = reader.bare();
    if let Some(name) = text.strip_suffix(':').filter(|name| is_name(name)) {
        if name.eq_ignore_ascii_case("not") {
            return Ok(Token::Not);
        }
        let name = name.to_ascii_lowercase();
        let value_at = reader.position();
        if reader.peek() == Some('"') {
            return Ok(Token::Field { name, value: reader.quoted()?, quoted: true, value_at });
        }
        let mut value = String::new();
        while let Some(c) = reader.peek() {
            if c.is_whitespace() || matches!(c, '(' | ')' | '"') {
                break;
            }
            value.push(c);
            reader.rest.next();
        }
        return Ok(Token::Field { name, value, quoted: false, value_at });
    }
    Ok(match text.as_str() {
        "OR" => Token::Or,
        "AND" => Token::And,
        "NOT" => Token::Not,
        _ => Token::Words { text, exact: false },
    })
}
