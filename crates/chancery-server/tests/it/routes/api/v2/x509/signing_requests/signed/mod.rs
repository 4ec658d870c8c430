//! /api/v2/x509/signing-requests/{uuid}/signed.

mod download;
