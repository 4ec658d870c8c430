//! /api/v2/token-profiles/template.

mod name;
mod names;
