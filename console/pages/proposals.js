// All proposals: a page of its own for the list beside what waits.

export { proposals as page } from "./approvals.js";
