// Who gains and who loses what by a change: of rules, of a role, of an identity's roles, or of what waits for approvals.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t, tn, word } from "../words.js";
import { mask } from "./mask.js";
import { message } from "./problem.js";
import { number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */

const ASK_AFTER_MS = 500;

/** Of one identity, and of several. */
const KEYS = /** @type {const} */ ({ gains: ["effect.gains.one", "effect.gains"], loses: ["effect.loses.one", "effect.loses"] });

/** A box with all of it; what is gained is marked. @param {Json} effect @param {string} [about] the object that the page is of, which need not be named */
export function effectBox(effect, about) {
  const gains = effect["gains"].map((/** @type {Json} */ one) => h("li", { class: "state wait long" }, effectLine("gains", one, about)));
  const loses = effect["loses"].map((/** @type {Json} */ one) => h("li", { class: "state still long" }, effectLine("loses", one, about)));
  return h("section", { class: gains.length > 0 ? "effect widens" : "effect" },
    h("h2", {}, t(gains.length > 0 ? "effect.widens" : "effect.title")),
    gains.length + loses.length > 0 ? h("ul", {}, gains, loses) : h("p", {}, t(about ? "effect.nobodyOfRules" : "effect.nobody")),
    effect["leftOut"] > 0 && h("p", { class: "quiet" }, t("effect.leftOut", { count: number(effect["leftOut"]) })));
}

/** "42 identities gain Detokenize in full: Ann, Ben, …" @param {"gains" | "loses"} side @param {Json} one @param {string} [about] */
export function effectLine(side, one, about) {
  /** @type {Json[]} */
  const some = one["some"];
  const names = [some.map((who, index) => [index > 0 && ", ", shown(who["name"])]), one["identities"] > some.length && ", …"];
  const [single, several] = KEYS[side];
  return tn(one["identities"] === 1 ? single : several, { count: h("strong", {}, number(one["identities"])), right: h("strong", {}, right(one, about)), names });
}

/** What it is that they can do. @param {Json} one @param {string} [about] @returns {Child} */
function right(one, about) {
  const { object, perm, loginsRequired, numApprovals } = one;
  const what = perm ? word("perm", perm) : one["mask"] ? t("effect.part", { operation: word("operation", "Detokenize"), mask: mask(one["mask"]) })
    : one["right"] === "Detokenize" ? t("effect.full", { operation: word("operation", "Detokenize") }) : word("operation", one["right"]);
  const under = object && object.uuid !== about && tn("effect.under", { name: shown(object.name) });
  return [what, numApprovals && [", ", t("effect.asked", { count: number(numApprovals) })], under && [" ", under], loginsRequired > 1 && ` (${t("role.loginCount", { count: loginsRequired })})`];
}

/**
 * Asks what a change would do, a moment after the last edit. What it would be refused for stands there in its place.
 * @param {() => Json} change the body of the question @param {string} [about]
 */
export function liveEffect(change, about) {
  const element = h("div", { "aria-live": "polite" });
  let [timer, last] = [0, 0];
  const ask = async () => {
    const own = ++last;
    /** @type {Child} */
    let told;
    try {
      told = effectBox(await post("/api/v2/reports/access/effect", change()), about);
    } catch (error) {
      told = h("p", { class: "quiet" }, message(error));
    }
    if (own === last) fill(element, told);
  };
  const changed = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => element.isConnected && void ask(), ASK_AFTER_MS);
  };
  return { element, changed };
}
