//! One line of `strace` output, as a value.
//!
//! Lines come from `strace -f -y -T -ttt -s 32 -a 1`. What is understood is a finished call, a call cut in two by
//! another thread (joined here), and the end of a process. Anything else is [`Line::Other`]: a line that cannot be
//! read is never a reason to stop, it is counted by the caller.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// A finished system call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// The thread that made it.
    pub thread: u32,
    /// When it began, microseconds since the epoch.
    pub at: u64,
    /// How long it took, microseconds; 0 where not told.
    pub took: u64,
    /// Its name.
    pub name: String,
    /// Its arguments as they were printed.
    pub args: Vec<String>,
    /// What it returned; `None` for `?`, where it never did.
    pub result: Option<i64>,
    /// The path behind a returned descriptor.
    pub result_path: Option<PathBuf>,
    /// The name of its error, as `EXDEV`.
    pub error: Option<String>,
}

/// What one line said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Line {
    /// A call ended.
    Call(Box<Call>),
    /// A thread ended at this time.
    Ended {
        /// The thread.
        thread: u32,
        /// Microseconds since the epoch.
        at: u64,
    },
    /// The first half of a call, a signal, or a remark.
    Other,
    /// Not understood.
    Unknown,
}

/// Reads lines one by one; remembers the halves of calls that were cut in two.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    unfinished: HashMap<u32, (u64, String)>,
}

impl Parser {
    /// Reads one line.
    pub(crate) fn line(&mut self, line: &str) -> Line {
        let Some((thread, at, rest)) = prefix(line) else { return Line::Unknown };
        if rest.starts_with("+++") {
            self.unfinished.remove(&thread);
            return Line::Ended { thread, at };
        }
        if rest.starts_with("---") {
            return Line::Other;
        }
        if let Some(first) = rest.strip_suffix("<unfinished ...>") {
            self.unfinished.insert(thread, (at, first.trim_end().to_owned()));
            return Line::Other;
        }
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let Some((_, second)) = resumed.split_once(" resumed>") else { return Line::Unknown };
            let Some((began, mut whole)) = self.unfinished.remove(&thread) else { return Line::Other };
            whole.push_str(second);
            return call(thread, began, &whole);
        }
        call(thread, at, rest)
    }
}

/// `PID SECONDS.MICROSECONDS REST`.
fn prefix(line: &str) -> Option<(u32, u64, &str)> {
    let (thread, rest) = line.trim_start().split_once(' ')?;
    let thread = thread.parse().ok()?;
    let (time, rest) = rest.trim_start().split_once(' ')?;
    let (seconds, micros) = time.split_once('.')?;
    let at = seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micros.parse().ok()?)?;
    Some((thread, at, rest.trim_start()))
}

fn call(thread: u32, at: u64, text: &str) -> Line {
    let Some((name, rest)) = text.split_once('(') else { return Line::Unknown };
    let Some((args, after)) = split_args(rest) else { return Line::Unknown };
    let Some(value) = after.trim_start().strip_prefix('=') else { return Line::Unknown };
    let (value, took) = duration(value.trim());
    let (word, tail) = value.split_once(' ').unwrap_or((value, ""));
    let (number, result_path) = match word.split_once('<') {
        // A path may hold blanks, so it is taken from the whole value.
        Some((number, _)) => (number, descriptor_path(value)),
        None => (word, None),
    };
    let result = number.strip_prefix("0x").map_or_else(|| number.parse().ok(), |hex| i64::from_str_radix(hex, 16).ok());
    let error = (result == Some(-1)).then(|| tail.split(' ').next().unwrap_or_default().to_owned());
    let args = args.into_iter().map(str::to_owned).collect();
    Line::Call(Box::new(Call { thread, at, took, name: name.to_owned(), args, result, result_path, error }))
}

/// Splits off the ` <0.000012>` at the end.
fn duration(value: &str) -> (&str, u64) {
    let cut = value.strip_suffix('>').and_then(|v| v.rsplit_once(" <"));
    match cut.and_then(|(rest, seconds)| Some((rest, seconds.parse::<f64>().ok()?))) {
        Some((rest, seconds)) if seconds >= 0.0 => (rest.trim_end(), (seconds * 1e6).round() as u64),
        _ => (value, 0),
    }
}

/// Splits the text after `name(` into its arguments and what follows the closing parenthesis. Quotes, nested
/// brackets and descriptor paths are whole.
fn split_args(text: &str) -> Option<(Vec<&str>, &str)> {
    let bytes = text.as_bytes();
    let (mut args, mut depth, mut from, mut at) = (Vec::new(), 0usize, 0usize, 0usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = skip(bytes, at + 1, b'"')?,
            // `3</path>` and `AT_FDCWD</path>`, but not `21<<MAP_HUGE_SHIFT`.
            b'<' if bytes.get(at + 1) == Some(&b'<') => at += 1,
            b'<' => at = skip(bytes, at + 1, b'>')?,
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                let last = text.get(from..at)?.trim();
                if !last.is_empty() || !args.is_empty() {
                    args.push(last);
                }
                return Some((args, text.get(at + 1..)?));
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                args.push(text.get(from..at)?.trim());
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The index of the next `end` that no backslash precedes.
fn skip(bytes: &[u8], mut at: usize, end: u8) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == end => return Some(at),
            _ => at += 1,
        }
    }
}

/// The path in `3</path>` or `AT_FDCWD</path>`; `None` for a pipe, a socket or a bare number.
pub(crate) fn descriptor_path(arg: &str) -> Option<PathBuf> {
    let start = arg.find('<')? + 1;
    let end = skip(arg.as_bytes(), start, b'>')?;
    let path = unescape(arg.get(start..end)?);
    path.to_str().is_none_or(|p| p.starts_with('/')).then_some(path)
}

/// Whether the descriptor's file had been deleted by then.
pub(crate) fn is_deleted(arg: &str) -> bool {
    arg.ends_with("(deleted)")
}

/// The path in `"…"`.
pub(crate) fn quoted_path(arg: &str) -> Option<PathBuf> {
    let inner = arg.strip_prefix('"')?;
    let end = skip(inner.as_bytes(), 0, b'"')?;
    Some(unescape(inner.get(..end)?))
}

/// The printed form of the first bytes of a buffer, where they are long enough to be told from others. An argument
/// of a vector call holds several buffers: the first one counts.
pub(crate) fn head(arg: &str) -> Option<&str> {
    let start = arg.find('"')? + 1;
    let end = skip(arg.as_bytes(), start, b'"')?;
    let text = arg.get(start..end)?;
    // Runs of one byte (zeros, mostly) say nothing about which file they are of.
    let distinct = text.as_bytes().windows(2).filter(|w| w.first() != w.last()).count();
    (text.len() >= 24 && distinct >= 12 && !text.starts_with("\\0\\0\\0\\0\\0\\0\\0\\0")).then_some(text)
}

/// Octal and letter escapes back to bytes.
fn unescape(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&next) = bytes.get(at) else { break };
        at += 1;
        match next {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'v' => out.push(0x0b),
            b'f' => out.push(0x0c),
            b'0'..=b'7' => {
                let mut value = u32::from(next - b'0');
                for _ in 0..2 {
                    match bytes.get(at) {
                        Some(&digit @ b'0'..=b'7') => {
                            value = value * 8 + u32::from(digit - b'0');
                            at += 1;
                        }
                        _ => break,
                    }
                }
                out.push(u8::try_from(value).unwrap_or(b'?'));
            }
            other => out.push(other),
        }
    }
    PathBuf::from(OsString::from_vec(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::OsStrExt as _;

    fn parse(line: &str) -> Call {
        match Parser::default().line(line) {
            Line::Call(call) => *call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_read_has_its_file_its_bytes_and_its_time() {
        let call = parse(r#"10 1796066869.869883 read(3</card/f, 9.dng>, "II*\0"..., 262144) = 262144 <0.000021>"#);
        assert_eq!((call.thread, call.at, call.took), (10, 1_796_066_869_869_883, 21));
        assert_eq!((call.name.as_str(), call.result), ("read", Some(262_144)));
        assert_eq!(descriptor_path(&call.args[0]), Some(PathBuf::from("/card/f, 9.dng")));
    }

    #[test]
    fn a_call_that_another_thread_cut_in_two_is_one_call() {
        let mut parser = Parser::default();
        assert_eq!(parser.line("7 1.000001 fsync(4</d/a> <unfinished ...>"), Line::Other);
        assert!(matches!(parser.line(r#"8 1.000002 read(3</x>, "", 9) = 0 <0.000001>"#), Line::Call(_)));
        let Line::Call(call) = parser.line("7 1.000900 <... fsync resumed>) = 0 <0.000899>") else { panic!() };
        assert_eq!((call.at, call.took, call.args.len()), (1_000_001, 899, 1));
    }

    #[test]
    fn names_with_quotes_brackets_and_odd_bytes_survive() {
        let call = parse(r#"1 1.000000 openat(AT_FDCWD</w>, "a\"),\377 (1).CR2", O_RDONLY) = 3</w/a"),\377 (1).CR2>"#);
        assert_eq!(quoted_path(&call.args[1]).unwrap().as_os_str().as_bytes(), b"a\"),\xff (1).CR2");
        assert_eq!(call.result_path.unwrap().as_os_str().as_bytes(), b"/w/a\"),\xff (1).CR2");
        assert_eq!(call.result, Some(3));
    }

    #[test]
    fn an_error_is_told_by_name() {
        let call = parse(r#"1 1.000000 rename("/tmp/a", "/lib/a") = -1 EXDEV (Invalid cross-device link) <0.000010>"#);
        assert_eq!(call.error.as_deref(), Some("EXDEV"));
    }

    #[test]
    fn a_shifted_flag_is_not_taken_for_a_path() {
        let call =
            parse("1 1.000000 mmap(NULL, 8192, PROT_READ, MAP_HUGETLB|21<<MAP_HUGE_SHIFT, -1, 0) = 0x7f0e5b09d000");
        assert_eq!(call.args.len(), 6);
        assert!(call.result.is_some_and(|r| r > 0));
    }

    #[test]
    fn pipes_have_no_path_and_zeros_no_head() {
        assert_eq!(descriptor_path("3<pipe:[123]>"), None);
        assert_eq!(head(r#""\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"..."#), None);
        assert!(head(r#"[{iov_base="\215a\1qzlk\301\7opqwer\200\201xyzabcdefgh"..., iov_len=9}]"#).is_some());
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "\\PC*") {
            let _ = Parser::default().line(&line);
            let _ = Parser::default().line(&format!("1 1.000001 {line}"));
            let _ = Parser::default().line(&format!("1 1.000001 read({line}"));
            let _ = (descriptor_path(&line), quoted_path(&line), head(&line));
        }
    }
}
