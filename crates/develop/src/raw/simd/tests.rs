//! Every operation gives the same lanes on every processor: random values and the edges.

use super::super::lanes::{Encode, Lanes, Mix, Portable};
use super::{Processor, Work};

/// Values of one run: a number that is not even a register's multiple goes through in pieces.
const COUNT: usize = 1024;

/// Numbers that repeat for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Any value, and the edges often.
    fn value(&mut self) -> i16 {
        let edges = [i16::MIN, -32767, -1, 0, 1, 2, 16383, 16384, 32766, i16::MAX];
        let n = self.next();
        if n.is_multiple_of(4) { edges[(n >> 8) as usize % edges.len()] } else { (n >> 16) as i16 }
    }
}

struct Operations {
    a: Vec<i16>,
    b: Vec<i16>,
    c: Vec<i16>,
    samples: Vec<u16>,
    encode: Encode,
    mix: Mix,
    words: Vec<Vec<i16>>,
    bytes: Vec<Vec<u8>>,
    anything: Vec<bool>,
}

impl Operations {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut values = || (0..COUNT).map(|_| random.value()).collect::<Vec<_>>();
        let (a, b, c) = (values(), values(), values());
        let samples = (0..2 * COUNT).map(|_| random.next() as u16).collect();
        let part = |random: &mut Random| (random.next() % 2001) as f32 / 1000.0 - 1.0;
        let row = |random: &mut Random| [0; 4].map(|_| part(random) * 1e-9);
        Self {
            a,
            b,
            c,
            samples,
            encode: Encode { scale: [16384.0, 9000.5], offset: [-1e7, 262_144.0] },
            mix: Mix([row(&mut random), row(&mut random), row(&mut random)]),
            words: Vec::new(),
            bytes: Vec::new(),
            anything: Vec::new(),
        }
    }
}

impl Work for Operations {
    #[inline(always)]
    fn run<L: Lanes>(&mut self) {
        let positive = |v: L| v.magnitude().max(L::splat(1));
        let mut words = vec![vec![0; COUNT]; 23];
        let mut bytes = vec![vec![0; 2 * COUNT]; 2];
        // By portable registers, so that their answers can be compared.
        let mut anything = vec![false; COUNT / 32];
        for i in (0..COUNT).step_by(L::N) {
            let (a, b, c) = (L::load(&self.a, i), L::load(&self.b, i), L::load(&self.c, i));
            let (even, odd) = L::encode(&self.samples, 2 * i, &self.encode);
            let [x, y, z] = L::index(a.magnitude(), b.magnitude(), c.magnitude(), &self.mix);
            let small = |v: L| positive(v.shr::<2>());
            let results = [
                a.add(b),
                a.sub(b),
                a.min(b),
                a.max(b),
                a.magnitude().mean(b.magnitude()),
                a.scaled(b.magnitude()),
                a.shr::<3>(),
                a.shl::<2>(),
                a.above(b),
                a.or(b),
                small(a).share(small(b)),
                small(a).share_squared(small(b)),
                even,
                odd,
                x,
                y,
                z,
                a.magnitude(),
                a.halfway(b),
                a.gap(b),
                a.towards(b, c.magnitude()),
                a.not_negative(),
                L::splat(-7),
            ];
            for (row, value) in words.iter_mut().zip(results) {
                value.store(row, i);
            }
            L::store_bytes_woven(a, b, &mut bytes[0], 2 * i);
            a.store_bytes(&mut bytes[1], i);
            let clear = L::load(&vec![0; COUNT], i);
            anything[i / 32] |= a.any() || clear.any();
        }
        self.words = words;
        self.bytes = bytes;
        self.anything = anything;
    }
}

#[test]
fn every_operation_gives_the_same_lanes_on_every_processor() {
    for seed in 1..40 {
        let mut expected = Operations::new(seed * 0x9e37_79b9);
        expected.run::<Portable>();
        for processor in Processor::available() {
            let mut found = Operations::new(seed * 0x9e37_79b9);
            processor.run(&mut found);
            for (k, (a, b)) in expected.words.iter().zip(&found.words).enumerate() {
                let first = a.iter().zip(b).position(|(a, b)| a != b);
                assert_eq!(first, None, "{processor:?}: operation {k}, from {:?}", first.map(|i| (a[i], b[i])));
            }
            assert_eq!(expected.bytes, found.bytes, "{processor:?}");
            assert_eq!(expected.anything, found.anything, "{processor:?}");
        }
    }
}

#[test]
fn nothing_is_read_or_written_beyond_a_slice() {
    struct Beyond;
    impl Work for Beyond {
        #[inline(always)]
        fn run<L: Lanes>(&mut self) {
            let mut row = vec![5; L::N + 3];
            assert!(!L::load(&row, 4).any() && !L::load(&row, usize::MAX).any());
            L::splat(1).store(&mut row, 4);
            L::splat(1).store(&mut row, usize::MAX);
            assert!(row.iter().all(|v| *v == 5));
            let mut bytes = vec![5; 2 * L::N - 1];
            L::store_bytes_woven(L::splat(1), L::splat(1), &mut bytes, 0);
            L::splat(1).store_bytes(&mut bytes, L::N);
            assert!(bytes.iter().all(|v| *v == 5));
            let none = Encode { scale: [1.0; 2], offset: [9.0; 2] };
            assert!(!L::encode(&[1; 8], 0, &none).0.any());
        }
    }
    for processor in Processor::available() {
        processor.run(&mut Beyond);
    }
}
