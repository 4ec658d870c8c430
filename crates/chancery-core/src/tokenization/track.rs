//! Payment card track data (ISO/IEC 7813): where the account number is, and the same track with another one in its
//! place.
//!
//! Track 1 is `%B<account>^<name>^<rest>?`, track 2 is `;<account>=<rest>?`; both may come in one swipe. Sentinels may
//! be missing, a check character (LRC) may follow the end sentinel, and track 2 may have the form of EMV tag 57
//! (`D` for `=`, padded with `F`). Everything but the account number and the check character is kept byte for byte.

use super::refusal::{BadTrack, BadValue};

/// ISO/IEC 7813: an account number has at most so many digits.
const ACCOUNT_MAX: usize = 19;

/// One or both tracks, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tracks<'t> {
    tracks: Vec<Track<'t>>,
}

/// One track, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Track<'t> {
    kind: &'static Kind,
    /// Start sentinel and format code, as far as they are there.
    before: &'t str,
    /// The account number as written: digits and, on track 1, perhaps spaces.
    account: &'t str,
    /// The separator and everything after it up to the end sentinel or the end.
    rest: &'t str,
    /// Whether the end sentinel is there.
    end: bool,
    /// Whether the check character is there.
    lrc: bool,
}

/// What tells the tracks apart.
#[derive(Debug, PartialEq, Eq)]
struct Kind {
    start: char,
    /// What follows the start sentinel.
    code: &'static str,
    /// Characters between start sentinel and end sentinel: those of the standard but the sentinels and the LRC.
    length_max: usize,
    /// What a whole track holds, for messages.
    track_max: usize,
    /// The character of value 0; the LRC is the exclusive or of the values of all characters.
    zero: u8,
    /// Values are below this.
    values: u8,
}

const TRACK_1: Kind = Kind { start: '%', code: "B", length_max: 76, track_max: 79, zero: b' ', values: 64 };
const TRACK_2: Kind = Kind { start: ';', code: "", length_max: 37, track_max: 40, zero: b'0', values: 16 };
const END: char = '?';

impl<'t> Tracks<'t> {
    /// Takes track data apart.
    pub(crate) fn parse(text: &'t str) -> Result<Self, BadValue> {
        Self::split(text).map_err(BadValue::Track)
    }

    fn split(text: &'t str) -> Result<Self, BadTrack> {
        if !text.is_ascii() {
            return Err(BadTrack::Character);
        }
        let (first, left) = Track::split(text)?;
        if left.is_empty() {
            return Ok(Self { tracks: vec![first] });
        }
        let (second, left) = Track::split(left)?;
        // Only track 1 before track 2, both with their sentinels: otherwise an account number might hide in the rest
        // of what looks like one track.
        let both = *first.kind == TRACK_1 && *second.kind == TRACK_2 && !second.before.is_empty();
        if !both || !left.is_empty() {
            return Err(BadTrack::Form);
        }
        if !first.digits().eq(second.digits()) {
            return Err(BadTrack::Different);
        }
        Ok(Self { tracks: vec![first, second] })
    }

    /// The digits of the account number.
    pub(crate) fn account(&self) -> String {
        self.tracks.first().into_iter().flat_map(Track::digits).collect()
    }

    /// The same track data with these digits as the account number and the check characters recomputed.
    pub(crate) fn with_account(&self, account: &str) -> Result<String, BadValue> {
        let mut text = String::new();
        for track in &self.tracks {
            track.write(account, &mut text).map_err(BadValue::Track)?;
        }
        Ok(text)
    }
}

impl<'t> Track<'t> {
    /// Takes the first track of a text apart; answers what follows it.
    fn split(text: &'t str) -> Result<(Self, &'t str), BadTrack> {
        let is_1 = text.starts_with(TRACK_1.start) || text.starts_with(TRACK_1.code);
        let kind = if is_1 { &TRACK_1 } else { &TRACK_2 };
        let inner = text.strip_prefix(kind.start).unwrap_or(text);
        let data = inner.strip_prefix(kind.code).ok_or(BadTrack::Form)?;
        let before = &text[..text.len() - data.len()];
        let (body, end, after) = match data.split_once(END) {
            Some((body, after)) => (body, true, after),
            None => (data, false, ""),
        };
        kind.check_length(kind.code.len() + body.len() - kind.padding(body))?;
        let separator = body.find(kind.separators()).ok_or(BadTrack::Form)?;
        let (account, rest) = body.split_at(separator);
        kind.check_rest(rest)?;
        kind.check_account(account)?;
        let lrc = has_lrc(after);
        let track = Self { kind, before, account, rest, end, lrc };
        if lrc && !after.starts_with(track.lrc(account)) {
            return Err(BadTrack::Lrc);
        }
        Ok((track, &after[usize::from(lrc)..]))
    }

    fn digits(&self) -> impl Iterator<Item = char> {
        self.account.chars().filter(char::is_ascii_digit)
    }

    /// Appends the track with another account number.
    fn write(&self, digits: &str, text: &mut String) -> Result<(), BadTrack> {
        let account = self.account_with(digits)?;
        self.kind.check_account(&account)?;
        self.kind
            .check_length(self.kind.code.len() + account.len() + self.rest.len() - self.kind.padding(self.rest))?;
        text.push_str(self.before);
        text.push_str(&account);
        text.push_str(self.rest);
        text.extend(self.end.then_some(END));
        text.extend(self.lrc.then(|| self.lrc(&account)));
        Ok(())
    }

    /// Digits in the places of digits; spaces stay where they are, so they need as many digits as before.
    fn account_with(&self, digits: &str) -> Result<String, BadTrack> {
        if !self.account.contains(' ') {
            return Ok(digits.to_owned());
        }
        if self.digits().count() != digits.chars().count() {
            return Err(BadTrack::Spaces);
        }
        let mut digits = digits.chars();
        Ok(self.account.chars().filter_map(|was| if was == ' ' { Some(was) } else { digits.next() }).collect())
    }

    /// The check character of the track with this account number.
    fn lrc(&self, account: &str) -> char {
        let value = |character: char| u8::try_from(character).unwrap_or_default().wrapping_sub(self.kind.zero);
        let characters = self.before.chars().chain(account.chars()).chain(self.rest.chars()).chain([END]);
        char::from(self.kind.zero + characters.fold(0, |lrc, character| lrc ^ value(character)) % self.kind.values)
    }
}

impl Kind {
    /// What ends the account number.
    fn separators(&self) -> &'static [char] {
        if *self == TRACK_1 { &['^'] } else { &['=', 'D'] }
    }

    /// How much of a body is padding of EMV tag 57.
    fn padding(&self, body: &str) -> usize {
        usize::from(*self == TRACK_2 && body.ends_with('F'))
    }

    fn check_length(&self, length: usize) -> Result<(), BadTrack> {
        if length > self.length_max { Err(BadTrack::TooLong { max: self.track_max }) } else { Ok(()) }
    }

    fn check_account(&self, account: &str) -> Result<(), BadTrack> {
        let digits = account.bytes().filter(u8::is_ascii_digit).count();
        let spaces = if *self == TRACK_1 { account.matches(' ').count() } else { 0 };
        if digits + spaces != account.len() || !(1..=ACCOUNT_MAX).contains(&digits) {
            return Err(BadTrack::AccountNumber);
        }
        Ok(())
    }

    /// What may follow the account number, from the separator on.
    fn check_rest(&self, rest: &str) -> Result<(), BadTrack> {
        if *self == TRACK_1 {
            // Name and the rest are each introduced by a separator. Sentinels of either track are no data.
            let data = |byte: u8| (b' '..=b'_').contains(&byte) && !b"%;=?".contains(&byte);
            return match rest.matches('^').count() {
                _ if !rest.bytes().all(data) => Err(BadTrack::Character),
                0 | 1 => Err(BadTrack::Form),
                _ => Ok(()),
            };
        }
        let emv = rest.starts_with('D');
        let digits = if emv { rest[1..].strip_suffix('F').unwrap_or(&rest[1..]) } else { &rest[1..] };
        let data = |byte: u8| byte.is_ascii_digit() || (!emv && byte == b'=');
        if digits.bytes().all(data) { Ok(()) } else { Err(BadTrack::Character) }
    }
}

/// Whether what follows an end sentinel begins with a check character. It may be `;` itself, so the start of another
/// track is told by the digit after its sentinel.
fn has_lrc(after: &str) -> bool {
    let mut characters = after.chars();
    match (characters.next(), characters.next()) {
        (None, _) => false,
        (Some(start), Some(digit)) => !(start == TRACK_2.start && digit.is_ascii_digit()),
        (Some(_), None) => true,
    }
}

#[cfg(test)]
mod tests;
