mod stubs;
mod uuid;
