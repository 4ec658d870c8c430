//! /api/v2/notices.

mod undelivered;
