//! What all lists have in common.

use serde::{Deserialize, Serialize};

/// An object's name and id. `id` is one of the typed ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ObjInfo<Id> {
    /// The name that people gave it.
    pub name: String,
    /// Its id.
    pub uuid: Id,
}

/// Paging and filter: query members of a GET, body members of a POST.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct ListQuery {
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1), schema(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000), schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
    /// A case-insensitive part of the name.
    pub search: Option<String>,
}

impl ListQuery {
    /// What has this in its name, in any letter case.
    #[must_use]
    pub fn search(part_of_name: &str) -> Self {
        Self { search: Some(part_of_name.to_owned()), ..Self::default() }
    }
}

/// A list of stubs: `results`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Results<T> {
    /// This page's items, ordered by name, then uuid.
    pub results: Vec<T>,
    /// How many items the filter matches on all pages.
    pub total: u64,
    /// Whether there may be more than `total`: where no index helps, or there are very many, not all are counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub total_is_at_least: bool,
    /// The page answered, from 1; absent after a cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Items a page.
    pub page_size: u32,
    /// What `after` shall be for the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A list of signing policies, signing requests or audit records: `items`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Items<T> {
    /// This page's items.
    pub items: Vec<T>,
    /// How many items the filter matches on all pages.
    pub total: u64,
    /// Whether there may be more than `total`: where no index helps, or there are very many, not all are counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub total_is_at_least: bool,
    /// What `after` shall be for the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
