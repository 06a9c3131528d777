//! The processor's own instructions for [`Lanes`], and the choice among them at run time.
//!
//! This is the one module of the crate that may use `unsafe`. Two reasons occur and
//! no other: an instruction set that the compiler may not assume (every entry goes
//! through [`Processor::run`], which asked the processor first), and loads and
//! stores through pointers, each made from a slice that was just found long enough.
//! The register types are private to the crate and made only inside such a run.
#![allow(unsafe_code)]

use super::lanes::Portable;

/// Which instructions the renderer's inner loops use. All give the same pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    /// Plain Rust, as the compiler vectorises it for the target.
    Portable,
    /// 256-bit integer and floating-point instructions of x86-64.
    Avx2,
    /// 512-bit instructions of x86-64 (F and BW).
    Avx512,
}

/// Work written once over [`Lanes`](super::lanes::Lanes).
pub(crate) trait Work {
    /// Does the work with the given lanes; must be `#[inline(always)]`, like all it calls.
    fn run<L: super::lanes::Lanes>(&mut self);
}

impl Processor {
    /// Every choice that this machine can run, slowest first.
    pub fn available() -> Vec<Self> {
        let mut found = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2") {
                found.push(Self::Avx2);
            }
            if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512bw") {
                found.push(Self::Avx512);
            }
        }
        found
    }

    /// The fastest choice of this machine.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// Runs the work; a choice that this machine lacks becomes the portable one.
    pub(crate) fn run(self, work: &mut impl Work) {
        if !Self::available().contains(&self) {
            return work.run::<Portable>();
        }
        match self {
            Self::Portable => work.run::<Portable>(),
            // SAFETY: `available` saw that the processor has AVX2.
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => unsafe { x86::run_avx2(work) },
            // SAFETY: `available` saw that the processor has AVX-512 F and BW.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => unsafe { x86::run_avx512(work) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => work.run::<Portable>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Work;
    use crate::raw::lanes::{Encode, INDEX_HIGH, INDEX_LOW, INDEX_SHIFT, Lanes, Mix};

    #[target_feature(enable = "avx2")]
    pub(super) fn run_avx2(work: &mut impl Work) {
        work.run::<Avx2>();
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw")]
    pub(super) fn run_avx512(work: &mut impl Work) {
        work.run::<Avx512>();
    }

    /// Sixteen lanes in a 256-bit register.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(__m256i);

    /// Thirty-two lanes in a 512-bit register.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(__m512i);

    /// Calls instructions. SAFETY of every use: a register type of this module exists
    /// only inside `run_avx2` or `run_avx512`, which [`super::Processor::run`] enters after
    /// it has asked the processor; instructions without a pointer need nothing else.
    macro_rules! op {
        ($($code:tt)*) => {
            // SAFETY: see the macro's own comment.
            unsafe { $($code)* }
        };
    }

    /// The lower and upper eight lanes as floats.
    #[inline(always)]
    fn floats(v: __m256i) -> [__m256; 2] {
        op! { [
            _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm256_castsi256_si128(v))),
            _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(v))),
        ] }
    }

    /// Sixteen 32-bit lanes, in order, saturated to 16 bits.
    #[inline(always)]
    fn narrow(low: __m256i, high: __m256i) -> __m256i {
        op! { _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high)) }
    }

    #[inline(always)]
    fn share(a: __m256, b: __m256) -> __m256i {
        op! { _mm256_cvttps_epi32(_mm256_mul_ps(
            _mm256_div_ps(a, _mm256_add_ps(a, b)),
            _mm256_set1_ps(32767.0),
        )) }
    }

    #[inline(always)]
    fn root(samples: __m256i, (scale, offset): (f32, f32)) -> __m256i {
        op! {
            let scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(samples), _mm256_set1_ps(scale));
            let value = _mm256_add_ps(scaled, _mm256_set1_ps(offset));
            _mm256_cvtps_epi32(_mm256_sqrt_ps(_mm256_max_ps(value, _mm256_setzero_ps())))
        }
    }

    #[inline(always)]
    fn squares(v: __m256i) -> [__m256; 2] {
        let [low, high] = floats(v);
        op! { [_mm256_mul_ps(low, low), _mm256_mul_ps(high, high)] }
    }

    /// Index of a mixed channel.
    #[inline(always)]
    fn mixed(of: [__m256; 3], by: [f32; 4]) -> __m256i {
        op! {
            let sum = _mm256_add_ps(
                _mm256_mul_ps(of[0], _mm256_set1_ps(by[0])),
                _mm256_mul_ps(of[1], _mm256_set1_ps(by[1])),
            );
            let sum = _mm256_add_ps(sum, _mm256_mul_ps(of[2], _mm256_set1_ps(by[2])));
            let sum = _mm256_add_ps(sum, _mm256_set1_ps(by[3]));
            let sum = _mm256_max_ps(sum, _mm256_set1_ps(INDEX_LOW));
            let sum = _mm256_min_ps(sum, _mm256_set1_ps(INDEX_HIGH));
            let bits = _mm256_srli_epi32::<{ INDEX_SHIFT as i32 }>(_mm256_castps_si256(sum));
            _mm256_sub_epi32(bits, _mm256_set1_epi32((INDEX_LOW.to_bits() >> INDEX_SHIFT) as i32))
        }
    }

    /// Rounded from 6 bits of fraction and clamped to a byte.
    #[inline(always)]
    fn bytes(v: __m256i) -> __m256i {
        op! {
            let rounded = _mm256_srai_epi16::<6>(_mm256_adds_epi16(v, _mm256_set1_epi16(32)));
            _mm256_max_epi16(_mm256_min_epi16(rounded, _mm256_set1_epi16(255)), _mm256_setzero_si256())
        }
    }

    impl Lanes for Avx2 {
        const N: usize = 16;
        #[inline(always)]
        fn splat(value: i16) -> Self {
            op! { Self(_mm256_set1_epi16(value)) }
        }
        #[inline(always)]
        fn load(row: &[i16], at: usize) -> Self {
            match row.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
                // SAFETY: the chunk is 32 readable bytes; the load needs no alignment.
                Some(lanes) => unsafe { Self(_mm256_loadu_si256(lanes.as_ptr().cast())) },
                None => Self::splat(0),
            }
        }
        #[inline(always)]
        fn store(self, row: &mut [i16], at: usize) {
            if let Some(lanes) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<16>()) {
                // SAFETY: the chunk is 32 writable bytes; the store needs no alignment.
                unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0) }
            }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            op! { Self(_mm256_adds_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            op! { Self(_mm256_subs_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            op! { Self(_mm256_min_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            op! { Self(_mm256_max_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn mean(self, other: Self) -> Self {
            op! { Self(_mm256_avg_epu16(self.0, other.0)) }
        }
        #[inline(always)]
        fn scaled(self, weight: Self) -> Self {
            op! { Self(_mm256_mulhrs_epi16(self.0, weight.0)) }
        }
        #[inline(always)]
        fn shr<const BITS: i32>(self) -> Self {
            op! { Self(_mm256_srai_epi16::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn shl<const BITS: i32>(self) -> Self {
            op! { Self(_mm256_slli_epi16::<BITS>(self.0)) }
        }
        #[inline(always)]
        fn above(self, other: Self) -> Self {
            op! { Self(_mm256_cmpgt_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            op! { Self(_mm256_or_si256(self.0, other.0)) }
        }
        #[inline(always)]
        fn any(self) -> bool {
            op! { _mm256_testz_si256(self.0, self.0) == 0 }
        }
        #[inline(always)]
        fn share(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (floats(self.0), floats(other.0));
            Self(narrow(share(a, c), share(b, d)))
        }
        #[inline(always)]
        fn share_squared(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (floats(self.0), floats(other.0));
            op! { Self(narrow(
                share(_mm256_mul_ps(a, a), _mm256_mul_ps(c, c)),
                share(_mm256_mul_ps(b, b), _mm256_mul_ps(d, d)),
            )) }
        }
        #[inline(always)]
        fn encode(samples: &[u16], at: usize, by: &Encode) -> (Self, Self) {
            let Some(samples) = samples.get(at..).and_then(|rest| rest.first_chunk::<32>()) else {
                return (Self::splat(0), Self::splat(0));
            };
            // SAFETY: the chunk is 64 readable bytes, read as two unaligned halves.
            let (low, high) = unsafe {
                let from = samples.as_ptr().cast::<__m256i>();
                (_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1)))
            };
            // A pair of samples is one 32-bit lane: its lower half is the even one.
            op! {
                let mask = _mm256_set1_epi32(0xffff);
                let (even, odd) = ((by.scale[0], by.offset[0]), (by.scale[1], by.offset[1]));
                let even = narrow(root(_mm256_and_si256(low, mask), even), root(_mm256_and_si256(high, mask), even));
                let odd = narrow(root(_mm256_srli_epi32::<16>(low), odd), root(_mm256_srli_epi32::<16>(high), odd));
                (Self(even), Self(odd))
            }
        }
        #[inline(always)]
        fn index(red: Self, green: Self, blue: Self, by: &Mix) -> [Self; 3] {
            let (red, green, blue) = (squares(red.0), squares(green.0), squares(blue.0));
            let low = [red[0], green[0], blue[0]];
            let high = [red[1], green[1], blue[1]];
            [
                Self(narrow(mixed(low, by.0[0]), mixed(high, by.0[0]))),
                Self(narrow(mixed(low, by.0[1]), mixed(high, by.0[1]))),
                Self(narrow(mixed(low, by.0[2]), mixed(high, by.0[2]))),
            ]
        }
        #[inline(always)]
        fn store_bytes_woven(even: Self, odd: Self, row: &mut [u8], at: usize) {
            if let Some(place) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<32>()) {
                op! {
                    let woven = _mm256_or_si256(bytes(even.0), _mm256_slli_epi16::<8>(bytes(odd.0)));
                    // The chunk is 32 writable bytes; the store needs no alignment.
                    _mm256_storeu_si256(place.as_mut_ptr().cast(), woven);
                }
            }
        }
        #[inline(always)]
        fn store_bytes(self, row: &mut [u8], at: usize) {
            if let Some(place) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<16>()) {
                op! {
                    let round = bytes(self.0);
                    let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(round, round));
                    // The chunk is 16 writable bytes; the store needs no alignment.
                    _mm_storeu_si128(place.as_mut_ptr().cast(), _mm256_castsi256_si128(packed));
                }
            }
        }
    }

    /// The lower and upper sixteen lanes as floats.
    #[inline(always)]
    fn wide_floats(v: __m512i) -> [__m512; 2] {
        op! { [
            _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_castsi512_si256(v))),
            _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(v))),
        ] }
    }

    /// Thirty-two 32-bit lanes, in order, saturated to 16 bits.
    #[inline(always)]
    fn wide_narrow(low: __m512i, high: __m512i) -> __m512i {
        op! {
            let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
            _mm512_permutexvar_epi64(order, _mm512_packs_epi32(low, high))
        }
    }

    #[inline(always)]
    fn wide_share(a: __m512, b: __m512) -> __m512i {
        op! { _mm512_cvttps_epi32(_mm512_mul_ps(
            _mm512_div_ps(a, _mm512_add_ps(a, b)),
            _mm512_set1_ps(32767.0),
        )) }
    }

    #[inline(always)]
    fn wide_root(samples: __m512i, (scale, offset): (f32, f32)) -> __m512i {
        op! {
            let scaled = _mm512_mul_ps(_mm512_cvtepi32_ps(samples), _mm512_set1_ps(scale));
            let value = _mm512_add_ps(scaled, _mm512_set1_ps(offset));
            _mm512_cvtps_epi32(_mm512_sqrt_ps(_mm512_max_ps(value, _mm512_setzero_ps())))
        }
    }

    #[inline(always)]
    fn wide_squares(v: __m512i) -> [__m512; 2] {
        let [low, high] = wide_floats(v);
        op! { [_mm512_mul_ps(low, low), _mm512_mul_ps(high, high)] }
    }

    /// Index of a mixed channel.
    #[inline(always)]
    fn wide_mixed(of: [__m512; 3], by: [f32; 4]) -> __m512i {
        op! {
            let sum = _mm512_add_ps(
                _mm512_mul_ps(of[0], _mm512_set1_ps(by[0])),
                _mm512_mul_ps(of[1], _mm512_set1_ps(by[1])),
            );
            let sum = _mm512_add_ps(sum, _mm512_mul_ps(of[2], _mm512_set1_ps(by[2])));
            let sum = _mm512_add_ps(sum, _mm512_set1_ps(by[3]));
            let sum = _mm512_max_ps(sum, _mm512_set1_ps(INDEX_LOW));
            let sum = _mm512_min_ps(sum, _mm512_set1_ps(INDEX_HIGH));
            let bits = _mm512_srli_epi32::<{ INDEX_SHIFT }>(_mm512_castps_si512(sum));
            _mm512_sub_epi32(bits, _mm512_set1_epi32((INDEX_LOW.to_bits() >> INDEX_SHIFT) as i32))
        }
    }

    /// Rounded from 6 bits of fraction and clamped to a byte.
    #[inline(always)]
    fn wide_bytes(v: __m512i) -> __m512i {
        op! {
            let rounded = _mm512_srai_epi16::<6>(_mm512_adds_epi16(v, _mm512_set1_epi16(32)));
            _mm512_max_epi16(_mm512_min_epi16(rounded, _mm512_set1_epi16(255)), _mm512_setzero_si512())
        }
    }

    impl Lanes for Avx512 {
        const N: usize = 32;
        #[inline(always)]
        fn splat(value: i16) -> Self {
            op! { Self(_mm512_set1_epi16(value)) }
        }
        #[inline(always)]
        fn load(row: &[i16], at: usize) -> Self {
            match row.get(at..).and_then(|rest| rest.first_chunk::<32>()) {
                // SAFETY: the chunk is 64 readable bytes; the load needs no alignment.
                Some(lanes) => unsafe { Self(_mm512_loadu_si512(lanes.as_ptr().cast())) },
                None => Self::splat(0),
            }
        }
        #[inline(always)]
        fn store(self, row: &mut [i16], at: usize) {
            if let Some(lanes) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<32>()) {
                // SAFETY: the chunk is 64 writable bytes; the store needs no alignment.
                unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) }
            }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            op! { Self(_mm512_adds_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            op! { Self(_mm512_subs_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            op! { Self(_mm512_min_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            op! { Self(_mm512_max_epi16(self.0, other.0)) }
        }
        #[inline(always)]
        fn mean(self, other: Self) -> Self {
            op! { Self(_mm512_avg_epu16(self.0, other.0)) }
        }
        #[inline(always)]
        fn scaled(self, weight: Self) -> Self {
            op! { Self(_mm512_mulhrs_epi16(self.0, weight.0)) }
        }
        #[inline(always)]
        fn shr<const BITS: i32>(self) -> Self {
            op! { Self(_mm512_sra_epi16(self.0, _mm_cvtsi32_si128(BITS))) }
        }
        #[inline(always)]
        fn shl<const BITS: i32>(self) -> Self {
            op! { Self(_mm512_sll_epi16(self.0, _mm_cvtsi32_si128(BITS))) }
        }
        #[inline(always)]
        fn above(self, other: Self) -> Self {
            op! { Self(_mm512_maskz_set1_epi16(_mm512_cmpgt_epi16_mask(self.0, other.0), -1)) }
        }
        #[inline(always)]
        fn or(self, other: Self) -> Self {
            op! { Self(_mm512_or_si512(self.0, other.0)) }
        }
        #[inline(always)]
        fn any(self) -> bool {
            op! { _mm512_test_epi16_mask(self.0, self.0) != 0 }
        }
        #[inline(always)]
        fn share(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (wide_floats(self.0), wide_floats(other.0));
            Self(wide_narrow(wide_share(a, c), wide_share(b, d)))
        }
        #[inline(always)]
        fn share_squared(self, other: Self) -> Self {
            let ([a, b], [c, d]) = (wide_floats(self.0), wide_floats(other.0));
            op! { Self(wide_narrow(
                wide_share(_mm512_mul_ps(a, a), _mm512_mul_ps(c, c)),
                wide_share(_mm512_mul_ps(b, b), _mm512_mul_ps(d, d)),
            )) }
        }
        #[inline(always)]
        fn encode(samples: &[u16], at: usize, by: &Encode) -> (Self, Self) {
            let Some(samples) = samples.get(at..).and_then(|rest| rest.first_chunk::<64>()) else {
                return (Self::splat(0), Self::splat(0));
            };
            // SAFETY: the chunk is 128 readable bytes, read as two unaligned halves.
            let (low, high) = unsafe {
                let from = samples.as_ptr().cast::<__m512i>();
                (_mm512_loadu_si512(from), _mm512_loadu_si512(from.add(1)))
            };
            op! {
                let mask = _mm512_set1_epi32(0xffff);
                let (even, odd) = ((by.scale[0], by.offset[0]), (by.scale[1], by.offset[1]));
                let even = wide_narrow(
                    wide_root(_mm512_and_si512(low, mask), even),
                    wide_root(_mm512_and_si512(high, mask), even),
                );
                let odd = wide_narrow(
                    wide_root(_mm512_srli_epi32::<16>(low), odd),
                    wide_root(_mm512_srli_epi32::<16>(high), odd),
                );
                (Self(even), Self(odd))
            }
        }
        #[inline(always)]
        fn index(red: Self, green: Self, blue: Self, by: &Mix) -> [Self; 3] {
            let (red, green, blue) = (wide_squares(red.0), wide_squares(green.0), wide_squares(blue.0));
            let low = [red[0], green[0], blue[0]];
            let high = [red[1], green[1], blue[1]];
            [
                Self(wide_narrow(wide_mixed(low, by.0[0]), wide_mixed(high, by.0[0]))),
                Self(wide_narrow(wide_mixed(low, by.0[1]), wide_mixed(high, by.0[1]))),
                Self(wide_narrow(wide_mixed(low, by.0[2]), wide_mixed(high, by.0[2]))),
            ]
        }
        #[inline(always)]
        fn store_bytes_woven(even: Self, odd: Self, row: &mut [u8], at: usize) {
            if let Some(place) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<64>()) {
                op! {
                    let woven = _mm512_or_si512(wide_bytes(even.0), _mm512_slli_epi16::<8>(wide_bytes(odd.0)));
                    // The chunk is 64 writable bytes; the store needs no alignment.
                    _mm512_storeu_si512(place.as_mut_ptr().cast(), woven);
                }
            }
        }
        #[inline(always)]
        fn store_bytes(self, row: &mut [u8], at: usize) {
            if let Some(place) = row.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<32>()) {
                op! {
                    let clamped = wide_bytes(self.0);
                    // The chunk is 32 writable bytes; the store needs no alignment.
                    _mm256_storeu_si256(place.as_mut_ptr().cast(), _mm512_cvtusepi16_epi8(clamped));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
