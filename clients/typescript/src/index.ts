export type { Messages, Tokens } from "./batches.js";
export type { CallOptions } from "./call.js";
export { Client, type Order, type Submission, type WaitOptions } from "./client.js";
export * from "./errors.js";
export type * as types from "./generated/types.js";
export type { ClientOptions, Retries } from "./session.js";
