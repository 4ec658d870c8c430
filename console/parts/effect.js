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

/**
 * A box with all of it; what is gained is marked. How many approvals it takes is no right, and is told where it becomes fewer.
 * @param {Json} effect @param {string} [about] the object that the page is of, which need not be named
 * @param {Json} [change] what is changed, of which approvals may be demanded: before and after
 */
export function effectBox(effect, about, change) {
  const { gains, loses, kept } = sides(effect);
  const isWider = gains.length > 0 || kept.some(isLaxer);
  const [before, after] = [demanded(change?.["before"]), demanded(change?.["after"])];
  const isFewer = after < before;
  const lines = [
    isFewer && h("li", { class: "state wait long" }, t("effect.fewer", { before: number(before), after: number(after) })),
    ...gains.map((one) => h("li", { class: "state wait long" }, effectLine("gains", one, about))),
    ...kept.map((pair) => h("li", { class: `state ${isLaxer(pair) ? "wait" : "still"} long` }, keptLine(pair, about))),
    ...loses.map((one) => h("li", { class: "state still long" }, effectLine("loses", one, about))),
  ].filter(Boolean);
  return h("section", { class: isWider || isFewer ? "effect widens" : "effect" },
    h("h2", {}, t(isWider ? "effect.widens" : "effect.title")),
    lines.length > 0 ? h("ul", {}, lines) : h("p", {}, t(about ? "effect.nobodyOfRules" : change ? "effect.nobodyOfDemands" : "effect.nobody")),
    effect["leftOut"] > 0 && h("p", { class: "quiet" }, t("effect.leftOut", { count: number(effect["leftOut"]) })));
}

/** What has been gained and lost since a moment. @param {Json} effect */
export function sinceBox(effect) {
  const lines = (/** @type {"gains" | "loses"} */ side) => effect[side].map((/** @type {Json} */ one) => h("li", { class: `state ${side === "gains" ? "wait" : "still"} long` }, effectLine(side, one)));
  const all = [...lines("gains"), ...lines("loses")];
  return h("section", { class: effect["gains"].length > 0 ? "effect widens" : "effect" },
    h("h2", {}, t("access.since")),
    all.length > 0 ? h("ul", {}, all) : h("p", {}, t("access.sinceNothing")),
    effect["leftOut"] > 0 && h("p", { class: "quiet" }, t("effect.leftOut", { count: number(effect["leftOut"]) })));
}

/** How many approvals a policy, a profile or an authority demands. @param {Json | null | undefined} what @returns {number} */
const demanded = (what) => what?.["numApprovals"] ?? what?.["approval"]?.numApprovals ?? 0;

/** @typedef {{lost: Json, gained: Json}} Kept a right that the same identities keep, with other approvals than before */

/**
 * Who gains, who loses, and who keeps a right that takes other approvals than before: for the server, that is one right lost and
 * another gained. Only where all of them are named it is known that they are the same.
 * @param {Json} effect
 */
function sides(effect) {
  /** @type {Json[]} */
  const loses = [...effect["loses"]];
  /** @type {Kept[]} */
  const kept = [];
  const gains = effect["gains"].filter((/** @type {Json} */ gained) => {
    const index = loses.findIndex((lost) => gained["identities"] === gained["some"].length && butForApprovals(lost) === butForApprovals(gained));
    if (index >= 0) kept.push({ lost: /** @type {Json} */ (loses.splice(index, 1)[0]), gained });
    return index < 0;
  });
  return { gains: /** @type {Json[]} */ (gains), loses, kept };
}

/** @param {Json} one */
const butForApprovals = ({ right, object, perm, mask, loginsRequired, identities, some }) =>
  JSON.stringify([right, object?.uuid, perm, mask, loginsRequired, identities, some.map((/** @type {Json} */ who) => who["uuid"]).sort()]);

/** @param {Kept} pair */
const isLaxer = ({ lost, gained }) => (gained["numApprovals"] ?? 0) < (lost["numApprovals"] ?? 0);

/** "Ann and Ben detokenize, from now on with 2 approvals instead of none". @param {Kept} pair @param {string} [about] */
function keptLine({ lost, gained }, about) {
  const bare = { ...gained, numApprovals: undefined };
  return tn("effect.kept", { right: h("strong", {}, right(bare, about)), after: asked(gained), before: asked(lost), names: named(gained) });
}

/** @param {Json} one */
const asked = ({ numApprovals }) => (numApprovals ? t("effect.asked", { count: number(numApprovals) }) : t("effect.unasked"));

/** The first of those whom it is about. @param {Json} one @returns {Child} */
function named({ some, identities }) {
  // Each in a box: one's name may look like several.
  return [some.map((/** @type {Json} */ who, /** @type {number} */ index) => [index > 0 && ", ", h("span", { class: "person" }, shown(who["name"]))]), identities > some.length && ", …"];
}

/** "42 identities gain Detokenize in full: Ann, Ben, …" @param {"gains" | "loses"} side @param {Json} one @param {string} [about] */
export function effectLine(side, one, about) {
  const [single, several] = KEYS[side];
  return tn(one["identities"] === 1 ? single : several, { count: h("strong", {}, number(one["identities"])), right: h("strong", {}, right(one, about)), names: named(one) });
}

/** What it is that they can do. @param {Json} one @param {string} [about] @returns {Child} */
function right(one, about) {
  const { object, perm, loginsRequired, numApprovals } = one;
  const what = perm ? word("perm", perm) : one["mask"] ? t("effect.part", { operation: word("operation", "Detokenize"), mask: mask(one["mask"]) })
    : one["right"] === "Detokenize" ? t("effect.full", { operation: word("operation", "Detokenize") }) : word("operation", one["right"]);
  const under = object && object.uuid !== about && tn("effect.under", { name: shown(object.name) });
  return [what, numApprovals && [", ", asked(one)], under && [" ", under], loginsRequired > 1 && ` (${t("role.loginCount", { count: loginsRequired })})`];
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
