//! Random values of a given shape: what vaulted profiles give out.

use super::{Layout, Pattern, Taken};

impl Pattern {
    /// Appends a value of the same shape as `message`, which is laid out as said: what is kept stays, what is encrypted is
    /// drawn anew, every value as likely as any other. `random` answers 64 random bits.
    pub(crate) fn draw(
        &self,
        message: &str,
        taken: &mut Taken,
        layout: &Layout,
        mut random: impl FnMut() -> u64,
        out: &mut String,
    ) {
        for place in &mut taken.places[layout.places.clone()] {
            place.value = below(place.radix, &mut random);
        }
        self.put(message, taken, layout, out);
    }
}

/// A number below `limit`, each as likely: of the 2⁶⁴ draws those beyond the last multiple of `limit` do not count.
fn below(limit: u32, random: &mut impl FnMut() -> u64) -> u32 {
    let limit = u64::from(limit);
    let beyond = u64::MAX - u64::MAX % limit;
    loop {
        let drawn = random();
        if drawn < beyond {
            return u32::try_from(drawn % limit).expect("below a limit of 32 bits");
        }
    }
}
