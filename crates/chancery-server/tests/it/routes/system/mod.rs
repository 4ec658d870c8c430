mod health;
mod metrics;
mod openapi;
