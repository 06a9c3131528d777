//! A set of positions, one bit each.

/// A set of positions below a length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    words: Vec<u64>,
    length: usize,
}

impl Bits {
    /// None of them.
    pub(super) fn none(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(64)], length }
    }

    /// Those for which a column's value passes.
    pub(super) fn of<T: Copy>(column: &[T], passes: impl Fn(T) -> bool) -> Self {
        let word = |values: &[T]| {
            values.iter().enumerate().fold(0u64, |word, (i, value)| word | (u64::from(passes(*value)) << i))
        };
        Self { words: column.chunks(64).map(word).collect(), length: column.len() }
    }

    pub(super) fn insert(&mut self, at: usize) {
        if let Some(word) = self.words.get_mut(at / 64).filter(|_| at < self.length) {
            *word |= 1 << (at % 64);
        }
    }

    pub(super) fn contains(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| (word >> (at % 64)) & 1 == 1)
    }

    pub(super) fn and(mut self, other: &Self) -> Self {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a &= b;
        }
        self
    }

    pub(super) fn or(mut self, other: &Self) -> Self {
        for (a, b) in self.words.iter_mut().zip(&other.words) {
            *a |= b;
        }
        self
    }

    pub(super) fn not(mut self) -> Self {
        for word in &mut self.words {
            *word = !*word;
        }
        let rest = self.length % 64;
        if let (Some(last), 1..) = (self.words.last_mut(), rest) {
            *last &= (1 << rest) - 1;
        }
        self
    }

    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The positions, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(n, word)| {
            let mut word = *word;
            std::iter::from_fn(move || {
                let low = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(n * 64 + low)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn sets_are_joined_and_denied_within_their_length() {
        for length in [0, 1, 63, 64, 65, 200] {
            let column: Vec<usize> = (0..length).collect();
            let even = Bits::of(&column, |n| n % 2 == 0);
            let third = Bits::of(&column, |n| n % 3 == 0);
            let found: Vec<usize> = even.clone().and(&third).iter().collect();
            assert_eq!(found, column.iter().copied().filter(|n| n % 6 == 0).collect::<Vec<_>>());
            assert_eq!(even.clone().not().count() + even.count(), length);
            assert_eq!(even.clone().or(&even.clone().not()).iter().collect::<Vec<_>>(), column);
            assert!(!even.contains(length) && !even.contains(length + 64));
        }
    }
}
