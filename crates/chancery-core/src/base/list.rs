//! What all lists share: paging, checked once, and turns.

mod cursor;
mod turns;

use chancery_store::{Listed, Position, Start, name_key};
use chancery_types::wire::{Items, ListQuery, ObjInfo, Results};
use uuid::Uuid;

use crate::{Error, Limits, Result};

pub(crate) use self::{
    cursor::InOrder,
    turns::{ReadTurns, Turn},
};

/// Which part of a list is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// The page, from 1; none after a cursor.
    page: Option<u32>,
    /// A case-insensitive part of the name; empty for all.
    pub(crate) search: String,
    rows: chancery_store::Page,
}

impl Page {
    /// A page of a list by name. Without page and pageSize: everything, up to the list limit.
    pub(crate) fn of(query: &ListQuery, limits: &Limits) -> Result<Self> {
        Self::in_order(InOrder::Name, query, limits)
    }

    /// A page of a list in this order.
    pub(crate) fn in_order(order: InOrder, query: &ListQuery, limits: &Limits) -> Result<Self> {
        let ListQuery { page, page_size, after, search } = query;
        let default = if page.is_none() && page_size.is_none() { limits.list_max } else { 50 };
        if page_size.is_some_and(|size| !(1..=limits.page_size_max).contains(&size)) {
            return Err(Error::value("/pageSize", format!("pageSize is 1 to {}.", limits.page_size_max)));
        }
        let limit = page_size.unwrap_or(default);
        let (page, start) = match (page, after) {
            (Some(_), Some(_)) => {
                return Err(Error::value("/page", "A list goes on by `after` or by `page`, not by both."));
            }
            (None, Some(after)) => (None, Start::After(cursor::read(order, after)?)),
            (page, None) => {
                let page = page.unwrap_or(1);
                (Some(page), Start::Offset(offset(page, limit, limits)?))
            }
        };
        let rows =
            chancery_store::Page { limit, start, count_max: limits.lists.count_max, scan_max: limits.lists.scan_max };
        Ok(Self { page, search: search.clone().unwrap_or_default(), rows })
    }

    /// This page as the store asks for it.
    pub(crate) fn rows(&self) -> chancery_store::Page {
        self.rows.clone()
    }

    /// The term to search for, if any.
    pub(crate) fn term(&self) -> Option<String> {
        Some(self.search.clone()).filter(|term| !term.is_empty())
    }

    /// What the store answered, as stubs.
    pub(crate) fn answer<R, T>(&self, listed: Listed<R>, stub: impl FnMut(R) -> Result<T>) -> Result<Results<T>> {
        let Items { items, total, total_is_at_least, next } = items(listed, stub)?;
        let page_size = self.rows.limit;
        Ok(Results { results: items, total, total_is_at_least, page: self.page, page_size, next })
    }

    /// Cuts this page out of a list that is kept in memory: filters, orders by name, then uuid.
    pub(crate) fn cut<T, Id: Copy + Into<Uuid>>(
        &self,
        all: impl Iterator<Item = T>,
        obj_info: impl Fn(&T) -> &ObjInfo<Id>,
    ) -> Result<Results<T>> {
        let search = name_key(&self.search);
        let position = |item: &T| {
            let ObjInfo { name, uuid } = obj_info(item);
            (name_key(name), Into::<Uuid>::into(*uuid))
        };
        let mut matching: Vec<_> = all.map(|item| (position(&item), item)).collect();
        matching.retain(|((name, _), _)| name.contains(&search));
        matching.sort_by(|(one, _), (other, _)| one.cmp(other));
        let total = matching.len() as i64;
        let skipped = match &self.rows.start {
            Start::Offset(offset) => usize::try_from(*offset).unwrap_or(usize::MAX),
            Start::After(Position::Name(name, id)) => {
                matching.partition_point(|((key, uuid), _)| (key, uuid) <= (name, id))
            }
            Start::After(Position::Number(_) | Position::Newest(..)) => {
                return Err(Error::internal("a list by name was asked for in another order"));
            }
        };
        let mut rows: Vec<_> = matching.into_iter().skip(skipped).take(self.rows.limit as usize + 1).collect();
        let more = rows.len() > self.rows.limit as usize;
        rows.truncate(self.rows.limit as usize);
        let next = rows.last().filter(|_| more).map(|((name, id), _)| Position::Name(name.clone(), *id));
        self.answer(Listed { rows, total, total_is_at_least: false, next }, |(_, item)| Ok(item))
    }
}

/// What goes on after this one in a list by name.
pub(crate) fn after<Id: Copy + Into<Uuid>>(ObjInfo { name, uuid }: &ObjInfo<Id>) -> String {
    cursor::write(&Position::Name(name_key(name), (*uuid).into()))
}

/// How many items come before a page.
fn offset(page: u32, page_size: u32, limits: &Limits) -> Result<i64> {
    let Some(before) = page.checked_sub(1) else {
        return Err(Error::value("/page", "Pages are counted from 1."));
    };
    let offset = i64::from(before) * i64::from(page_size);
    if offset > i64::from(limits.lists.offset_max) {
        let max = limits.lists.offset_max;
        let why = format!("A page begins after {max} items at most; go on with `after`, the `next` of an answer.");
        return Err(Error::value("/page", why));
    }
    Ok(offset)
}

/// What the store answered, as items.
pub(crate) fn items<R, T>(listed: Listed<R>, item: impl FnMut(R) -> Result<T>) -> Result<Items<T>> {
    let Listed { rows, total, total_is_at_least, next } = listed;
    Ok(Items {
        items: rows.into_iter().map(item).collect::<Result<_>>()?,
        total: total.unsigned_abs(),
        total_is_at_least,
        next: next.as_ref().map(cursor::write),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[test]
    fn a_page_is_cut_from_what_matches_in_order_of_names() {
        let items = ["b", "Ab", "c", "aB", "x"]
            .map(|name| ObjInfo { name: name.to_owned(), uuid: Uuid::from_u128(name.len() as u128) });
        let cut = |page, after, search: &str| {
            let query = ListQuery { page, page_size: Some(2), after, search: Some(search.to_owned()) };
            let answer = Page::of(&query, &Limits::default()).unwrap().cut(items.iter().cloned(), |item| item).unwrap();
            let names: Vec<_> = answer.results.iter().map(|item| item.name.clone()).collect();
            (names.join(" "), answer.total, answer.next)
        };
        let (names, total, next) = cut(Some(1), None, "B");
        assert_eq!((names.as_str(), total), ("Ab aB", 3));
        assert_eq!(cut(None, next, "B"), ("b".to_owned(), 3, None));
        assert_eq!(cut(Some(2), None, "B"), ("b".to_owned(), 3, None));
        assert_eq!(cut(Some(9), None, ""), (String::new(), 5, None));
    }

    #[test]
    fn pages_are_counted_from_one_and_bounded() {
        let limits = Limits::default();
        let page = |page, page_size| {
            let query = ListQuery { page, page_size, ..ListQuery::default() };
            Page::of(&query, &limits).map(|page| page.rows)
        };
        assert_eq!(page(None, None).unwrap().limit, 10_000);
        assert_eq!(page(Some(3), None).unwrap().start, Start::Offset(100));
        assert_eq!(page(Some(201), Some(1_000)).unwrap().start, Start::Offset(200_000));
        for (number, size, field) in [
            (Some(0), None, "/page"),
            (Some(202), Some(1_000), "/page"),
            (Some(u32::MAX), Some(1_000), "/page"),
            (None, Some(0), "/pageSize"),
            (None, Some(1_001), "/pageSize"),
        ] {
            let error = page(number, size).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some(field)));
        }
    }
}
