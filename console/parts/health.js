// How the server is, as it says itself. It is read again and again: what was well once is not called well for long.

import { Refusal, access, plain, text } from "../api.js";
import { fill, h } from "../dom.js";
import { listen } from "../live.js";
import { t } from "../words.js";
import { fact, facts } from "./facts.js";
import { KINDS, NOTHING, failingLines, readFailing } from "./targets-health.js";
import { number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */
/** @typedef {import("../words.js").Key} Key */
/** What was read last: why the server is not ready, what it says where it is, and its log's checkpoint. @typedef {{error?: unknown, ready?: Json, checkpoint?: string}} Read */

const AGAIN_MS = 15_000;
/** The same while it is not well. */
const AGAIN_SOON_MS = 5_000;
/** A server that says nothing for so long is not there. */
const PATIENCE_MS = 10_000;
/** A connection is made again at once, mostly. */
const GRACE_MS = 3_000;
const NOTICED_MS = 1_000;
/** The log's name, and how many entries it has. */
const CHECKPOINT = /^(\S+)\n(\d+)\n/;

/** Which part the text of a server that is not ready is about. @type {[RegExp, Key][]} */
const PARTS = [[/audit record/i, "nav.audit"], [/journal/i, "health.journal"], [/storage/i, "health.store"], [/seal|root key/i, "health.custody"]];

/** The lines, which follow what happens until the page is left. @param {AbortSignal} signal */
export function health(signal) {
  const place = h("div", { "aria-live": "polite" }, h("p", { class: "quiet" }, t("page.reading")));
  /** @type {{read?: Read, failing: import("./targets-health.js").Failing, isLost: boolean}} */
  const state = { failing: NOTHING, isLost: false };
  const draw = () => {
    if (!state.read || signal.aborted) return;
    const made = h("div", {}, lines(state.read, state.isLost && !access.isOff), failingLines(state.failing), again(state.read));
    // What is the same stays, with the focus and what is selected in it.
    if (made.textContent !== place.firstChild?.textContent) fill(place, made);
  };
  let [clock, turn] = [0, 0];
  const look = async () => {
    clearTimeout(clock);
    const mine = (turn += 1);
    const now = await read(signal);
    // Whoever asked later knows better.
    if (mine !== turn) return;
    // What fails may have changed with it; where the server does not tell any more, it is not said on.
    if (!state.read || !state.read.ready !== !now.ready) void lookAtFailing();
    state.read = now;
    try {
      draw();
    } finally {
      // Whatever the answer was, it is not the last.
      if (!signal.aborted && !document.hidden) clock = setTimeout(look, now.error === undefined ? AGAIN_MS : AGAIN_SOON_MS);
    }
  };
  const again = (/** @type {Read} */ { error }) => error !== undefined && h("p", { class: "actions" }, h("button", { type: "button", onclick: look }, t("problem.again")));
  const lookAtFailing = async () => {
    state.failing = await readFailing(signal);
    draw();
  };
  let soon = 0;
  const onNotice = (/** @type {Json} */ notice) => {
    if (KINDS.includes(notice["kind"])) void lookAtFailing();
    // Of many that come together one is enough.
    soon ||= setTimeout(() => ((soon = 0), void look()), NOTICED_MS);
  };
  const onShown = () => !document.hidden && void look();
  document.addEventListener("visibilitychange", onShown);
  signal.addEventListener("abort", () => (clearTimeout(clock), document.removeEventListener("visibilitychange", onShown)));
  let late = 0;
  const connected = (/** @type {boolean} */ is) => {
    if (is) {
      clearTimeout(late);
      [late, state.isLost] = [0, false];
    } else late ||= setTimeout(() => ((state.isLost = true), draw()), GRACE_MS);
    void look();
  };
  listen({ connected, notice: onNotice }, signal);
  return place;
}

/** Asked without the session, which would not end as long as a page asks by it. @param {AbortSignal} left @returns {Promise<Read>} */
async function read(left) {
  const signal = AbortSignal.any([left, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const ready = await plain("GET", "/readyz", undefined, signal);
    // What stands in front of the server may answer in its place.
    if (ready["status"] !== "ok") throw new Refusal(200, "Unreadable", "The answer is none of a server that is ready.");
    return { ready, checkpoint: await text("/log/checkpoint", signal).catch(() => "") };
  } catch (error) {
    return { error };
  }
}

const good = (/** @type {string} */ told) => h("span", { class: "state good" }, told);
const bad = (/** @type {Child} */ told) => h("span", { class: "state bad" }, told);

/** @param {Read} read @param {boolean} isLost whether nothing is announced just now */
function lines({ error, ready, checkpoint = "" }, isLost) {
  const live = isLost && fact(t("health.live"), h("span", { class: "state wait" }, t("health.liveLost")));
  if (!ready) return facts(fact(t(part(error)), bad(reason(error) ?? t("health.away"))), live);
  const [, origin = "", size] = CHECKPOINT.exec(checkpoint) ?? [];
  return facts(
    // Only a server that has all of this says that it is ready.
    fact(t("health.store"), good(t("health.storeAnswers"))),
    fact(t("health.custody"), good(t("health.custodyLoaded"))),
    fact(t("health.log"), size ? good(t("health.logSize", { size: number(BigInt(size)) })) : bad(t("health.noLog"))),
    size !== undefined && fact(t("health.logName"), h("code", {}, origin)),
    ready["unreadable"] > 0 && fact(t("health.unreadable"), bad(number(ready["unreadable"]))),
    ready["refusedRows"] > 0 && fact(t("health.refused"), bad(number(ready["refusedRows"]))),
    live);
}

/** What the server says itself, where it says anything. @param {unknown} error */
function reason(error) {
  if (!(error instanceof Refusal) || error.status === 0) return undefined;
  return error.code === "Unreadable" ? t("health.odd") : error.message;
}

/** @param {unknown} error @returns {Key} */
const part = (error) => PARTS.find(([words]) => words.test(reason(error) ?? ""))?.[1] ?? "health.server";
