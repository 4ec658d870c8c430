//! What a kernel needs to know to take over decimal texts from reading to writing.

use crate::feistel::Shape;
use crate::item::Item;
use crate::mac::Mac;
use crate::{Direction, batch::Run};

/// Texts of 8 to 16 decimal digits, the tweaks of which lie within the last block of Q.
pub(crate) struct Decimals<'a> {
    pub(crate) shape: &'a Shape<'a>,
    pub(crate) direction: Direction,
    /// What all texts have in the last block.
    pub(crate) shared: u128,
    /// Where in the last block the tweaks start.
    tweak_offset: usize,
    pub(crate) tweak_length: usize,
    pub(crate) tweaks: &'a [u8],
    /// In bounds, and all of the same lengths.
    pub(crate) items: &'a [Item],
}

/// Where bytes come from: each entry is an index, or [`NONE`] for a zero.
pub(crate) struct Places {
    /// For the two halves, each of eight bytes and right-aligned, in the first eight and the last eight bytes of a text.
    pub(crate) read: [u8; 16],
    /// For the first eight and the last eight bytes of a text in the two halves.
    pub(crate) write: [u8; 16],
    /// For a block in the tweak.
    pub(crate) tweak: [u8; 16],
}

/// No index: it makes a shuffle give a zero.
const NONE: u8 = 0x80;
/// Bytes in a word, of which a text is two, which may overlap.
const WORD: usize = 8;

impl<'a> Decimals<'a> {
    /// `None` if the texts are of another kind. `start` is the CBC-MAC of what all texts have before their tweaks.
    #[inline(always)]
    pub(crate) fn new(run: &Run<'a>, shape: &'a Shape<'a>, start: Mac<1>) -> Option<Self> {
        let fits = shape.length() >= WORD && shape.v <= WORD;
        let tweak_offset = start.place_in_last_block(run.tweak_length, shape.b)?;
        fits.then_some(Self {
            shape,
            direction: run.direction,
            shared: start.states[0],
            tweak_offset,
            tweak_length: run.tweak_length,
            tweaks: run.tweaks,
            items: run.items,
        })
    }

    pub(crate) fn places(&self) -> Places {
        let Shape { u, v, .. } = *self.shape;
        let (mut read, mut write, mut tweak) = ([NONE; 16], [NONE; 16], [NONE; 16]);
        for digit in 0..u + v {
            let half = if digit < u { WORD - u + digit } else { 2 * WORD - v + digit - u };
            if let Some(place) = digit.checked_sub(u + v - WORD) {
                (read[half], write[WORD + place]) = ((WORD + place) as u8, half as u8);
            }
            if digit < WORD {
                (read[half], write[digit]) = (digit as u8, half as u8);
            }
        }
        for k in 0..self.tweak_length {
            tweak[self.tweak_offset + k] = k as u8;
        }
        Places { read, write, tweak }
    }
}
