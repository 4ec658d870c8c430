//! The versions of its key that a profile uses.

use super::refusal::BadValue;
use crate::{Error, Result};

/// The key versions that a profile reads: from `minDecryptVersion` to `keyVersion`, which alone makes tokens, and in a
/// vault those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VersionNumbers {
    oldest: u32,
    newest: u32,
    last: u32,
}

/// Something for each of them.
pub(crate) struct Versions<C> {
    oldest: u32,
    /// From the oldest on; never empty.
    each: Box<[C]>,
    /// The place of the one that makes tokens. Those after it are only read.
    makes: usize,
}

impl<C> Versions<C> {
    /// From the oldest version on, without a gap. The last one makes tokens.
    pub(crate) fn new(oldest: u32, each: Vec<C>) -> Result<Self> {
        if each.is_empty() || oldest == 0 {
            return Err(Error::internal("a token profile has no key version"));
        }
        Ok(Self { oldest, makes: each.len() - 1, each: each.into() })
    }

    /// The same, but that this version makes tokens.
    pub(crate) fn made_with(self, version: u32) -> Result<Self> {
        let place = version.checked_sub(self.oldest).and_then(|place| usize::try_from(place).ok());
        let place = place.filter(|place| *place < self.each.len());
        let makes = place.ok_or_else(|| Error::internal("the key version that makes tokens is not there"))?;
        Ok(Self { makes, ..self })
    }

    /// The same versions of something else.
    pub(crate) fn try_map<D>(&self, make: impl FnMut(&C) -> Result<D>) -> Result<Versions<D>> {
        let each: Vec<D> = self.each.iter().map(make).collect::<Result<_>>()?;
        Ok(Versions { makes: self.makes, ..Versions::new(self.oldest, each)? })
    }

    /// The version that makes tokens.
    pub(crate) fn newest(&self) -> u32 {
        self.at(self.makes)
    }

    /// The last version that is read.
    pub(crate) fn last(&self) -> u32 {
        self.at(self.each.len() - 1)
    }

    fn at(&self, place: usize) -> u32 {
        self.oldest.saturating_add(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// Which ones there are.
    pub(crate) fn numbers(&self) -> VersionNumbers {
        VersionNumbers { oldest: self.oldest, newest: self.newest(), last: self.last() }
    }

    /// What makes tokens.
    pub(crate) fn of_newest(&self) -> &C {
        &self.each[self.makes]
    }

    /// What reads tokens of this version, if they are read.
    pub(crate) fn find(&self, version: u32) -> Option<&C> {
        self.each.get(usize::try_from(version.checked_sub(self.oldest)?).ok()?)
    }

    /// What reads the tokens of a call that do not tell their version: those of [`to_read`](VersionNumbers::to_read).
    pub(crate) fn of(&self, version: Option<u32>) -> Result<&C> {
        let found = version.map_or(Some(self.of_newest()), |version| self.find(version));
        found.ok_or_else(|| Error::internal("a version was not checked before"))
    }

    /// With the version of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &C)> {
        (self.oldest..).zip(&self.each)
    }

    /// What reads a token that tells this version, where the call may have asked for one.
    pub(crate) fn told(&self, version: u32, asked: Option<u32>) -> Result<&C, BadValue> {
        if asked.is_some_and(|asked| asked != version) {
            return Err(BadValue::OtherVersion { version });
        }
        let unread = BadValue::Version { version, oldest: self.oldest, newest: self.last() };
        self.find(version).ok_or(unread)
    }
}

impl VersionNumbers {
    /// The version that makes tokens.
    pub(crate) const fn newest(self) -> u32 {
        self.newest
    }

    /// Whether tokens of more than one version are read.
    pub(crate) const fn are_several(self) -> bool {
        self.oldest < self.newest
    }

    /// Refuses a call of tokenize that names another version than the one that makes tokens.
    pub(crate) fn check_made(self, named: Option<u32>) -> Result<()> {
        match named {
            Some(version) if version != self.newest => {
                let message = format!("Tokens are made with key version {}; leave keyVersion out.", self.newest);
                Err(Error::value(FIELD, message))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The version that a call of detokenize shall read; `None` where each token tells its own. Versions are never
    /// tried: under FF1 every wrong one gives a plausible answer.
    pub(crate) fn to_read(self, named: Option<u32>, told: bool) -> Result<Option<u32>> {
        let Self { oldest, newest, last } = self;
        match named {
            Some(version) if !(oldest..=last).contains(&version) => {
                let message = format!("The profile reads tokens of the key versions {oldest} to {last}.");
                Err(Error::value(FIELD, message))
            }
            Some(version) => Ok(Some(version)),
            None if told => Ok(None),
            None if self.are_several() => {
                let message = format!(
                    "The profile reads tokens of the key versions {oldest} to {newest} and they do not tell theirs: \
                     keyVersion is needed."
                );
                Err(Error::malformed(FIELD, message))
            }
            None => Ok(Some(newest)),
        }
    }
}

const FIELD: &str = "/keyVersion";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    fn meaning<T>(answer: Result<T>) -> Meaning {
        let error = answer.err().unwrap();
        assert_eq!(error.field(), Some("/keyVersion"), "{error}");
        error.meaning()
    }

    #[test]
    fn tokens_are_made_with_the_newest_version_only() {
        let versions = Versions::new(2, vec!["two", "three"]).unwrap();
        assert_eq!((versions.oldest, versions.newest(), *versions.of_newest()), (2, 3, "three"));
        assert!(versions.numbers().check_made(None).is_ok());
        assert!(versions.numbers().check_made(Some(3)).is_ok());
        for other in [0, 2, 4, u32::MAX] {
            assert_eq!(meaning(versions.numbers().check_made(Some(other))), Meaning::Value);
        }
        assert!(Versions::new(1, Vec::<u8>::new()).is_err());
    }

    #[test]
    fn versions_after_the_one_that_makes_tokens_are_read() {
        let versions = Versions::new(2, vec!["two", "three", "four"]).unwrap().made_with(3).unwrap();
        let lengths = versions.try_map(|text| Ok(text.len())).unwrap();
        assert_eq!((*versions.of_newest(), *lengths.of_newest()), ("three", 5));
        assert_eq!((lengths.newest(), lengths.last()), (3, 4));
        assert_eq!((lengths.told(4, None), lengths.told(3, Some(3))), (Ok(&4), Ok(&5)));
        assert_eq!(lengths.told(5, None), Err(BadValue::Version { version: 5, oldest: 2, newest: 4 }));
        assert_eq!(lengths.numbers().to_read(Some(4), true).unwrap(), Some(4));
        assert_eq!(meaning(lengths.numbers().to_read(Some(5), true)), Meaning::Value);
        assert_eq!(meaning(lengths.numbers().check_made(Some(4))), Meaning::Value);
        for other in [1, 5] {
            assert!(Versions::new(2, vec!["two", "three", "four"]).unwrap().made_with(other).is_err());
        }
    }

    #[test]
    fn the_version_to_read_is_told_by_the_token_or_the_call_never_tried() {
        let several = Versions::new(2, vec!["two", "three"]).unwrap();
        for (named, told, version) in [(Some(2), false, Some(2)), (Some(3), true, Some(3)), (None, true, None)] {
            assert_eq!(several.numbers().to_read(named, told).unwrap(), version);
        }
        assert_eq!(meaning(several.numbers().to_read(None, false)), Meaning::Malformed);
        for named in [0, 1, 4, u32::MAX] {
            assert_eq!(meaning(several.numbers().to_read(Some(named), true)), Meaning::Value);
            assert_eq!(meaning(several.numbers().to_read(Some(named), false)), Meaning::Value);
        }
        let one = Versions::new(7, vec!["seven"]).unwrap();
        assert_eq!(one.numbers().to_read(None, false).unwrap(), Some(7));
        let found: Vec<_> = [1, 2, 3, 4].map(|version| several.find(version).copied()).into();
        assert_eq!(found, [None, Some("two"), Some("three"), None]);
    }
}
