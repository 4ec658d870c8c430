//! Serial numbers: which group a certificate joins, and how it is found by its number.
//!
//! Serial numbers are random, so an index of them alone is written all over: among millions, each new certificate changes
//! a page that no other one changes, which is read and written for it alone. So certificates are in groups, and the index
//! begins with the group: what is issued now changes the pages of the newest group only, some thousands that stay in
//! memory. Who looks a number up asks one group after the other, the newest first: some three hundred among twenty million.
//!
//! The rule: a certificate joins the newest group, and every 65,536th opens the next one. Which one does is left to chance,
//! so that nobody counts and nobody waits for a turn. Groups are numbered without gaps; nodes that open one at once open the
//! same one. The chance is the last bits of the certificate's id, which is always made here: the serial number of an
//! imported certificate may be whatever somebody likes.
//!
//! Within a group no issuer gives a number twice, whatever the program thinks. Across groups that rests on the numbers
//! being random, and for what is imported on [`super::by_serial`], asked in turns.

use uuid::Uuid;

/// Whether a certificate opens a group: so does one of 65,536.
pub(super) fn opens_group(id: Uuid) -> bool {
    let [.., high, low] = *id.as_bytes();
    [high, low] == [0, 0]
}

/// The group of a new certificate, given 1 where it opens one and else 0.
macro_rules! group_of_new {
    ($opens:literal) => {
        concat!("(SELECT COALESCE(MAX(serial_group), 0) FROM certificates) + ", $opens)
    };
}

/// Those with a serial number, from the newest group to the oldest: one look into the index for each. The index begins
/// with the group and the number.
macro_rules! select_by_serial {
    ($columns:expr, $serial:literal, $rest:literal) => {
        concat!(
            "WITH RECURSIVE serial_groups (n) AS (SELECT MAX(serial_group) FROM certificates \
             UNION ALL SELECT n - 1 FROM serial_groups WHERE n > 0) SELECT ",
            $columns,
            " FROM serial_groups CROSS JOIN certificates WHERE serial_group = n AND serial = ",
            $serial,
            $rest
        )
    };
}

pub(super) use {group_of_new, select_by_serial};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_65536_opens_a_group() {
        let id = |low: u128| Uuid::from_u128(0x0192_5e0a_7c00_7000_8000_0000_0000_0000 | low);
        assert_eq!((0..0x3_0000).filter(|low| opens_group(id(*low))).count(), 3);
    }
}
