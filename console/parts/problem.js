// What went wrong, in the interface's words, with the id under which the server's log has it.

import { Refusal } from "../api.js";
import { h } from "../dom.js";
import { go } from "../router.js";
import { may, session } from "../session.js";
import { serversLanguage, t, word } from "../words.js";
import { copyable, momentText, number } from "./values.js";

/** What no server says of itself, in the console's words. @type {Record<string, Parameters<typeof t>[0]>} */
const OWN = {
  Unreachable: "problem.unreachable",
  Unreadable: "problem.unreadable",
  OtherSession: "problem.other",
  // Still there after the next login, which asks for nothing but the same button again.
  SessionEnded: "problem.ended",
};

/** What somebody chose cannot be used: nobody's mistake, and nothing that a server said. */
export class Unusable extends Error {}

/** What can be tried again soon is, by itself, but no sooner than this. */
const RETRY_MIN_S = 5;
/** What can be tried again later than this is told by the clock, too. */
const MINUTE_S = 60;

/** @param {unknown} error @param {(byItself?: boolean) => void} [again] reads again what could not be read */
export function problem(error, again) {
  const soon = again && error instanceof Refusal && error.retryAfter ? Math.max(error.retryAfter, RETRY_MIN_S) : undefined;
  const box = h("div", { class: "problem", role: "alert" },
    h("p", {}, h("strong", {}, title(error)), " ", h("span", { lang: langOf(error) }, said(error)), " ", soon ? t("problem.retries", { count: soon }) : later(error)),
    requestId(error),
    again ? h("button", { type: "button", onclick: () => again() }, t("problem.again"))
      : isUnknown(error) && h("button", { type: "button", onclick: readAnew }, t("problem.anew")));
  if (again && soon) setTimeout(() => box.isConnected && again(true), soon * 1000);
  return box;
}

/** Whether nobody knows what became of the call; only the page read anew says it. @param {unknown} error */
const isUnknown = (error) => error instanceof Refusal && ["Unreachable", "Unreadable"].includes(error.code);

const readAnew = () => (session.fullyLoggedIn ? go(location.hash) : location.reload());

/** @param {unknown} error */
export const message = (error) => [said(error), later(error)].filter(Boolean).join(" ");

/** When it is worth trying again, where the server says that. @param {unknown} error */
function later(error) {
  const wait = error instanceof Refusal && error.retryAfter;
  if (!wait) return undefined;
  return wait < MINUTE_S ? t("problem.later", { count: wait }) : t("problem.laterAt", { count: number(wait), time: momentText(new Date(Date.now() + wait * 1000)) });
}

/** The language of what is said of it, where that is not the reader's: the server has one alone. @param {unknown} error */
export const langOf = (error) => (error instanceof Refusal && error.status > 0 && said(error) === error.message ? serversLanguage() : undefined);

/** @param {unknown} error */
function said(error) {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  if (error.code === "ApiAccessDisabled") return t(may("System:Manage") ? "apiAccess.offYours" : "apiAccess.offOthers");
  const own = OWN[error.code];
  return own ? t(own) : error.message;
}

/** @param {unknown} error */
function title(error) {
  if (error instanceof Unusable) return t("problem.unusable");
  return error instanceof Refusal ? word("error", error.code) : t("problem.ours");
}

/** @param {unknown} error */
function requestId(error) {
  const id = error instanceof Refusal && error.requestId;
  return id && h("p", { class: "quiet" }, t("problem.requestId"), " ", copyable(id));
}
