//! What all lists share: paging, checked once.

use chancery_types::wire::ListQuery;

use crate::{Error, Limits, Result};

/// Which part of a list is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The page, from 1.
    pub(crate) page: u32,
    /// Items a page.
    pub(crate) page_size: u32,
    /// A case-insensitive part of the name; empty for all.
    pub(crate) search: String,
}

impl Page {
    /// Without page and pageSize: everything, up to the list limit.
    pub(crate) fn of(query: &ListQuery, limits: &Limits) -> Result<Self> {
        let search = query.search.clone().unwrap_or_default();
        if query.page.is_none() && query.page_size.is_none() {
            return Ok(Self { page: 1, page_size: limits.list_max, search });
        }
        let page = query.page.unwrap_or(1);
        if page == 0 {
            return Err(Error::value("/page", "Pages are counted from 1."));
        }
        let page_size = query.page_size.unwrap_or(50);
        if !(1..=limits.page_size_max).contains(&page_size) {
            return Err(Error::value("/pageSize", format!("pageSize is 1 to {}.", limits.page_size_max)));
        }
        Ok(Self { page, page_size, search })
    }

    /// How many items come before this page.
    pub(crate) fn offset(&self) -> i64 {
        i64::from(self.page - 1) * i64::from(self.page_size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[test]
    fn pages_are_counted_from_one_and_bounded() {
        let limits = Limits::default();
        let page = |page, page_size| Page::of(&ListQuery { page, page_size, search: None }, &limits);
        assert_eq!(page(None, None).unwrap().page_size, 10_000);
        assert_eq!(page(Some(3), None).unwrap().offset(), 100);
        assert_eq!(page(Some(u32::MAX), Some(1_000)).unwrap().offset(), 4_294_967_294_000);
        for (number, size, field) in
            [(Some(0), None, "/page"), (None, Some(0), "/pageSize"), (None, Some(1_001), "/pageSize")]
        {
            let error = page(number, size).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some(field)));
        }
    }
}
