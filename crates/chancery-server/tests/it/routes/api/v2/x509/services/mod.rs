mod renew;
mod signing_policies;
mod signing_requests;
mod stubs;
mod uuid;
