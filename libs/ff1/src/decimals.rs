//! What a kernel needs to know to take over decimal texts from reading to writing.

use crate::Direction;
use crate::batch::Run;
use crate::feistel::Shape;
use crate::item::Item;
use crate::mac::Mac;

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

/// Where the bytes of 16 come from: each entry is an index, or [`NONE`] for a zero.
pub(crate) type Places = [u8; 16];

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

    /// For the two halves, each of eight bytes and right-aligned, in the first eight and the last eight bytes of a text;
    /// and the other way round.
    #[inline(always)]
    pub(crate) fn places(&self) -> &'static [Places; 2] {
        &HALVES[self.shape.length() - WORD]
    }

    /// For the last block of Q in the bytes of a tweak.
    #[inline(always)]
    pub(crate) fn tweak_places(&self) -> &'static Places {
        &TWEAKS[self.tweak_offset]
    }
}

/// For lengths from 8 to 16.
static HALVES: [[Places; 2]; WORD + 1] = {
    let mut all = [[[NONE; 16]; 2]; WORD + 1];
    let mut length = WORD;
    while length <= 2 * WORD {
        let [read, write] = &mut all[length - WORD];
        let u = length / 2;
        let mut digit = 0;
        while digit < length {
            let half = if digit < u { WORD - u + digit } else { WORD + WORD - length + digit };
            if digit >= length - WORD {
                let place = WORD + digit - (length - WORD);
                (read[half], write[place]) = (place as u8, half as u8);
            }
            if digit < WORD {
                (read[half], write[digit]) = (digit as u8, half as u8);
            }
            digit += 1;
        }
        length += 1;
    }
    all
};

/// For tweaks that start at 0 to 15 in the block.
static TWEAKS: [Places; 16] = {
    let mut all = [[NONE; 16]; 16];
    let mut offset = 0;
    while offset < 16 {
        let mut k = 0;
        while offset + k < 16 {
            all[offset][offset + k] = k as u8;
            k += 1;
        }
        offset += 1;
    }
    all
};
