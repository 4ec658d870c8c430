mod approve;
mod batch_approve_deny;
mod deny;
mod list;
mod read;
mod submit;
mod withdraw;
