mod issuance_policy;
mod renew;
mod revoke;
mod signing_policies;
mod signing_requests;
mod stubs;
mod uuid;
