//! One byte range of a thing of known size, as HTTP has it (RFC 9110, section 14).
//!
//! Only a single range is served; several at once are answered with the whole, which the standard allows
//! and which no player minds.

/// What a `Range` header asks of a thing of `size` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Everything.
    Whole,
    /// `length` bytes from `start`; never empty, always inside.
    Part { start: u64, length: u64 },
    /// Nothing that exists: status 416.
    Outside,
}

/// Reads a `Range` header. A header that is not understood is ignored, as the standard wants.
pub(crate) fn parse(header: Option<&str>, size: u64) -> Asked {
    let Some(spec) = header.and_then(|h| h.trim().strip_prefix("bytes=")) else { return Asked::Whole };
    let Some((first, last)) = spec.trim().split_once('-') else { return Asked::Whole };
    let number = |text: &str| -> Option<u64> {
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().unwrap_or(u64::MAX))
    };
    match (number(first), number(last), first.is_empty(), last.is_empty()) {
        (None, Some(0), true, false) => Asked::Outside,
        (None, Some(tail), true, false) if size > 0 => {
            let length = tail.min(size);
            Asked::Part { start: size - length, length }
        }
        (None, Some(_), true, false) => Asked::Outside,
        (Some(start), last, false, open) if last.is_some() || open => match last {
            Some(last) if last < start => Asked::Whole,
            _ if start >= size => Asked::Outside,
            last => {
                let end = last.unwrap_or(u64::MAX).min(size - 1);
                Asked::Part { start, length: end - start + 1 }
            }
        },
        _ => Asked::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(start: u64, length: u64) -> Asked {
        Asked::Part { start, length }
    }

    #[test]
    fn the_forms_that_browsers_send() {
        assert_eq!(parse(None, 10), Asked::Whole);
        assert_eq!(parse(Some("bytes=0-"), 10), part(0, 10));
        assert_eq!(parse(Some("bytes=2-4"), 10), part(2, 3));
        assert_eq!(parse(Some("bytes=2-99"), 10), part(2, 8));
        assert_eq!(parse(Some("bytes=-3"), 10), part(7, 3));
        assert_eq!(parse(Some("bytes=-99"), 10), part(0, 10));
    }

    #[test]
    fn nonsense_is_ignored_and_the_impossible_refused() {
        for header in
            ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=4-2", "bytes=1-2,4-5", "lines=1-2", "bytes=+1-2"]
        {
            assert_eq!(parse(Some(header), 10), Asked::Whole, "{header}");
        }
        for header in ["bytes=10-", "bytes=10-11", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(parse(Some(header), 10), Asked::Outside, "{header}");
        }
        assert_eq!(parse(Some("bytes=0-"), 0), Asked::Outside);
        assert_eq!(parse(Some("bytes=-1"), 0), Asked::Outside);
        assert_eq!(parse(Some("bytes=0-18446744073709551615"), u64::MAX), part(0, u64::MAX));
    }
}
