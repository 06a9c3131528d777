//! Reads a query: words and conditions side by side are joined by AND, which binds tighter than OR; parentheses
//! group; `-` and `not:` stand before what they deny.

use jiff::civil::Date;

use super::token::{At, Token, tokens};
use super::{Expr, QueryError, Term, fields};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 40;

/// Most conditions that are read.
const MAX_TERMS: usize = 500;

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<At>>,
    today: Date,
    end: usize,
    terms: usize,
}

/// Reads a query; `None` is the empty one.
pub(super) fn parse(text: &str, today: Date) -> Result<Option<Expr>, QueryError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let end = text.chars().count() + 1;
    let mut parser = Parser { tokens: tokens.into_iter().peekable(), today, end, terms: 0 };
    let expr = parser.any(0)?;
    match parser.tokens.next() {
        None => Ok(Some(expr)),
        Some(at) => Err(wrong(at.position, "this parenthesis was never opened")),
    }
}

impl Parser {
    fn position(&mut self) -> usize {
        self.tokens.peek().map_or(self.end, |at| at.position)
    }

    fn next_is(&mut self, wanted: &Token) -> bool {
        self.tokens.peek().is_some_and(|at| at.token == *wanted)
    }

    /// Parts joined by OR.
    fn any(&mut self, depth: usize) -> Result<Expr, QueryError> {
        if depth > MAX_DEPTH {
            return Err(wrong(self.position(), "parentheses are nested too deeply"));
        }
        let mut parts = vec![self.all(depth)?];
        while self.next_is(&Token::Or) {
            self.tokens.next();
            parts.push(self.all(depth)?);
        }
        Ok(join(parts, Expr::Or))
    }

    /// Parts joined by AND, written or not.
    fn all(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut parts = vec![self.one(depth)?];
        loop {
            match self.tokens.peek().map(|at| &at.token) {
                None | Some(Token::Or | Token::Close) => return Ok(join(parts, Expr::And)),
                Some(Token::And) => {
                    self.tokens.next();
                }
                Some(_) => {}
            }
            parts.push(self.one(depth)?);
        }
    }

    fn one(&mut self, depth: usize) -> Result<Expr, QueryError> {
        let mut denied = false;
        while self.next_is(&Token::Not) {
            self.tokens.next();
            denied = !denied;
        }
        let end = self.end;
        let Some(at) = self.tokens.next() else {
            return Err(wrong(end, "it ends where something to search for was expected"));
        };
        let expr = match at.token {
            Token::Open => {
                if self.next_is(&Token::Close) {
                    return Err(wrong(at.position, "these parentheses are empty"));
                }
                let inner = self.any(depth + 1)?;
                if !self.next_is(&Token::Close) {
                    return Err(wrong(at.position, "this parenthesis is not closed"));
                }
                self.tokens.next();
                inner
            }
            Token::Words { text, exact } => Expr::Term(Term::Words { text, exact }),
            Token::Field { name, value, quoted, value_at } => {
                let places = fields::Places { field: at.position, value: value_at };
                Expr::Term(fields::term(&name, &value, quoted, places, self.today)?)
            }
            Token::Close => {
                return Err(wrong(at.position, "this parenthesis closes nothing that could be searched for"));
            }
            Token::Or | Token::And | Token::Not => {
                return Err(wrong(
                    at.position,
                    "something to search for was expected before this word; to search for the word itself, put it in quotes",
                ));
            }
        };
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(wrong(at.position, "it has too many conditions"));
        }
        Ok(if denied { Expr::Not(Box::new(expr)) } else { expr })
    }
}

/// Several parts as one.
fn join(mut parts: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            make(parts)
        }
    }
}

fn wrong(position: usize, problem: &str) -> QueryError {
    QueryError { position, problem: problem.to_owned() }
}
