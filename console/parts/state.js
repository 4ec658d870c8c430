// States in words, then in shape, then in colour; the same words everywhere, and each the interface's own.

import { h } from "../dom.js";
import { t, word } from "../words.js";

/** @type {Record<string, string>} */
const SHAPES = {
  Signed: "good", Applied: "good", Issued: "good", Active: "good", Valid: "good", Enabled: "good", Success: "good", Approved: "good",
  Approval: "wait", Pending: "wait", Held: "wait",
  Failed: "bad", Denied: "bad", Revoked: "bad", Expired: "bad", Disabled: "bad",
};

/** @param {string} value a word of the interface */
export function state(value) {
  return h("span", { class: `state ${SHAPES[value] ?? "still"}` }, word("state", value));
}

/** How many approvals are still missing, and of whom. @param {{given: number, required: number}} count @param {string[]} [roles] names */
export function missing({ given, required }, roles = []) {
  const count = Math.max(0, required - given);
  const text = roles.length > 0
    ? t("approvals.missingOf", { count, required, roles: roles.join(", ") })
    : t("approvals.missing", { count, required });
  return h("span", { class: roles.length > 0 ? "state wait long" : "state wait" }, text);
}
