//! Where the halves of a text are in memory, as words of eight bytes.
//!
//! For a text of eight bytes or more every access is of exactly eight bytes, whatever the length: words may overlap, and
//! what they hold besides is shifted out. That keeps the loops over values free of branches.

use crate::bytes::{put_word, word};
use crate::feistel::{Shape, lanes_of};

/// Bytes in a word.
const WORD: usize = 8;

/// The layout of texts of one shape whose halves have at most 16 symbols.
pub(crate) struct Windows {
    u: usize,
    v: usize,
}

/// Up to eight consecutive symbols of a half: `length` bytes of the word at `offset`, after dropping `skip`.
#[derive(Clone, Copy)]
struct Window {
    offset: usize,
    skip: usize,
    length: usize,
}

/// The words of one half in the order of the text, right-aligned: in each the last symbol is the highest byte.
pub(crate) struct Half<const N: usize> {
    /// Only for halves of more than eight symbols.
    pub(crate) high: [u64; N],
    pub(crate) low: [u64; N],
}

impl Windows {
    /// `None` if the halves are too long.
    #[inline(always)]
    pub(crate) fn new(shape: &Shape<'_>) -> Option<Self> {
        (shape.v <= 2 * WORD).then_some(Self { u: shape.u, v: shape.v })
    }

    /// Whether halves have a high word.
    #[inline(always)]
    pub(crate) fn is_wide(&self) -> bool {
        self.v > WORD
    }

    fn length(&self) -> usize {
        self.u + self.v
    }

    /// Reads A and B of each text; bytes of a word that are not symbols of the half are those of `filling`.
    #[inline(always)]
    pub(crate) fn read<const N: usize>(&self, buffer: &[u8], starts: &[usize; N], filling: u64) -> [Half<N>; 2] {
        let (u, v, n) = (self.u, self.v, self.length());
        let texts: [&[u8]; N] = lanes_of(|k| &buffer[starts[k]..][..n]);
        let half = |high: Window, low: Window| Half {
            high: lanes_of(|k| high.read(texts[k], filling)),
            low: lanes_of(|k| low.read(texts[k], filling)),
        };
        let narrow = |low: Window| Half { high: [0; N], low: lanes_of(|k| low.read(texts[k], filling)) };
        let window = |offset, skip, length| Window { offset, skip, length };
        if self.is_wide() {
            let a = half(window(0, 0, u - WORD), window(u - WORD, 0, WORD));
            [a, half(window(u, 0, v - WORD), window(n - WORD, 0, WORD))]
        } else if n >= WORD {
            [narrow(window(0, 0, u)), narrow(window(n - WORD, WORD - v, v))]
        } else {
            let whole: [u64; N] = lanes_of(|k| word(texts[k]));
            let part = |skip, length| lanes_of(|k| window(0, skip, length).take(whole[k], filling));
            [Half { high: [0; N], low: part(0, u) }, Half { high: [0; N], low: part(u, v) }]
        }
    }

    /// Writes A and B of those texts that are to be kept.
    #[inline(always)]
    pub(crate) fn write<const N: usize>(
        &self,
        buffer: &mut [u8],
        starts: &[usize; N],
        keep: &[bool; N],
        [a, b]: &[Half<N>; 2],
    ) {
        let (u, v, n) = (self.u, self.v, self.length());
        let each = |k: &usize| keep[*k];
        if self.is_wide() {
            let first = |half: &Half<N>, length: usize| -> [u64; N] {
                let (missing, before) = (Shift::new(2 * WORD - length), Shift::new(length - WORD));
                lanes_of(|k| missing.down(half.high[k]) | before.up(half.low[k]))
            };
            let (a_first, b_first) = (first(a, u), first(b, v));
            for k in (0..N).filter(each) {
                let text = &mut buffer[starts[k]..][..n];
                put_word(&mut text[..WORD], a_first[k]);
                put_word(&mut text[u - WORD..u], a.low[k]);
                put_word(&mut text[u..u + WORD], b_first[k]);
                put_word(&mut text[n - WORD..], b.low[k]);
            }
            return;
        }
        let [before_a, before_b, length_a, length_b] = [WORD - u, WORD - v, u, v].map(Shift::new);
        let first: [u64; N] = lanes_of(|k| before_a.down(a.low[k]) | length_a.up(before_b.down(b.low[k])));
        if n >= WORD {
            let last: [u64; N] = lanes_of(|k| before_b.up(before_b.down(b.low[k])) | length_b.down(a.low[k]));
            for k in (0..N).filter(each) {
                let text = &mut buffer[starts[k]..][..n];
                put_word(&mut text[..WORD], first[k]);
                put_word(&mut text[n - WORD..], last[k]);
            }
        } else {
            for k in (0..N).filter(each) {
                put_word(&mut buffer[starts[k]..][..n], first[k]);
            }
        }
    }
}

impl Window {
    /// `text` has at least `offset` and eight bytes.
    #[inline(always)]
    fn read(&self, text: &[u8], filling: u64) -> u64 {
        self.take(word(&text[self.offset..][..WORD]), filling)
    }

    #[inline(always)]
    fn take(&self, word: u64, filling: u64) -> u64 {
        let [skip, missing, length] = [self.skip, WORD - self.length, self.length].map(Shift::new);
        missing.up(skip.down(word)) | length.down(filling)
    }
}

/// A number of bytes to move by. All words of a loop move by the same number, which must not cost a decision in each.
#[derive(Clone, Copy)]
struct Shift {
    bits: u32,
    /// Zero if nothing is left.
    mask: u64,
}

impl Shift {
    #[inline(always)]
    fn new(bytes: usize) -> Self {
        if bytes < WORD { Self { bits: 8 * bytes as u32, mask: u64::MAX } } else { Self { bits: 0, mask: 0 } }
    }

    /// Moves towards the start of the text; the bytes before it are lost.
    #[inline(always)]
    fn down(self, word: u64) -> u64 {
        word.wrapping_shr(self.bits) & self.mask
    }

    /// Moves towards the end of the text; the bytes after it are lost.
    #[inline(always)]
    fn up(self, word: u64) -> u64 {
        word.wrapping_shl(self.bits) & self.mask
    }
}
