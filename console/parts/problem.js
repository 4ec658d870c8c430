// What went wrong, in the interface's words, with the id under which the server's log has it.

import { Refusal } from "../api.js";
import { h } from "../dom.js";
import { t, word } from "../words.js";
import { copyable } from "./values.js";

/** What no server says of itself, in the console's words. @type {Record<string, Parameters<typeof t>[0]>} */
const OWN = {
  Unreachable: "problem.unreachable",
  // Still there after the next login, which asks for nothing but the same button again.
  SessionEnded: "problem.ended",
};

/** @param {unknown} error @param {() => void} [again] */
export function problem(error, again) {
  return h("div", { class: "problem", role: "alert" },
    h("p", {}, h("strong", {}, title(error)), " ", message(error)),
    requestId(error),
    again && h("button", { type: "button", onclick: again }, t("problem.again")));
}

/** @param {unknown} error */
export function message(error) {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  const later = error.retryAfter ? ` ${t("problem.later", { seconds: error.retryAfter })}` : "";
  const own = OWN[error.code];
  return (own ? t(own) : error.message) + later;
}

/** @param {unknown} error */
function title(error) {
  return error instanceof Refusal ? word("error", error.code) : t("problem.ours");
}

/** @param {unknown} error */
function requestId(error) {
  const id = error instanceof Refusal && error.requestId;
  return id && h("p", { class: "quiet" }, t("problem.requestId"), " ", copyable(id));
}
