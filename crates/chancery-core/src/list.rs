//! What all lists share: paging, checked once.

use chancery_store::name_key;
use chancery_types::wire::{ListQuery, ObjInfo, Results};

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

    /// This page as the store asks for it.
    pub(crate) fn rows(&self) -> chancery_store::Page {
        chancery_store::Page { limit: self.page_size, offset: self.offset() }
    }

    /// This page's items and what the filter matches on all pages.
    pub(crate) fn answer<T>(&self, results: Vec<T>, total: i64) -> Results<T> {
        Results { results, total: total.unsigned_abs(), page: self.page, page_size: self.page_size }
    }

    /// Cuts this page out of a list that is kept in memory: filters, orders by name, then uuid.
    pub(crate) fn cut<T, Id: Ord>(
        &self,
        all: impl Iterator<Item = T>,
        obj_info: impl Fn(&T) -> &ObjInfo<Id>,
    ) -> Results<T> {
        let search = name_key(&self.search);
        let mut matching: Vec<T> = all.filter(|item| name_key(&obj_info(item).name).contains(&search)).collect();
        matching.sort_by(|one, other| {
            let (one, other) = (obj_info(one), obj_info(other));
            (name_key(&one.name), &one.uuid).cmp(&(name_key(&other.name), &other.uuid))
        });
        let total = matching.len() as i64;
        let offset = usize::try_from(self.offset()).unwrap_or(usize::MAX);
        let results = matching.into_iter().skip(offset).take(self.page_size as usize).collect();
        self.answer(results, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[test]
    fn a_page_is_cut_from_what_matches_in_order_of_names() {
        let items = ["b", "Ab", "c", "aB", "x"].map(|name| ObjInfo { name: name.to_owned(), uuid: name.len() });
        let page = |page, search: &str| Page { page, page_size: 2, search: search.to_owned() };
        let names = |answer: &Results<ObjInfo<usize>>| {
            let names: Vec<_> = answer.results.iter().map(|item| item.name.clone()).collect();
            (names.join(" "), answer.total)
        };
        let cut = |page: Page| names(&page.cut(items.iter().cloned(), |item| item));
        assert_eq!(cut(page(1, "B")), ("Ab aB".to_owned(), 3));
        assert_eq!(cut(page(2, "B")), ("b".to_owned(), 3));
        assert_eq!(cut(page(9, "")), (String::new(), 5));
    }

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
