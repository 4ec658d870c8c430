mod approve;
mod batch_approve_deny;
mod deny;
mod list;
mod read;
mod repeat;
mod submit;
mod withdraw;
