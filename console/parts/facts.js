// Lines of what is known, each with its source: computed by the server from what it will do, or claimed by whoever asked.

import { h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";

/** @typedef {import("../dom.js").Child} Child */
/** @typedef {"computed" | "claimed" | "plain"} Source */
/** @typedef {{source: Source, label: string, value: Child}} Fact */

/** @param {string} label @param {Child} value @returns {Fact} */
export const computed = (label, value) => ({ source: "computed", label, value });

/** @param {string} label @param {Child} value @returns {Fact} */
export const claimed = (label, value) => ({ source: "claimed", label, value });

/** Of pages where nothing is to be decided. @param {string} label @param {Child} value @returns {Fact} */
export const fact = (label, value) => ({ source: "plain", label, value });

/** @param {...(Fact | false | null | undefined)} lines */
export function facts(...lines) {
  return h("dl", { class: "facts" }, lines.map((line) => line && h("div", { class: line.source },
    h("dt", {}, line.label),
    h("dd", {}, line.value),
    line.source !== "plain" && h("dd", { class: `source ${line.source}` }, t(line.source === "computed" ? "source.computed" : "source.claimed")))));
}

/**
 * What somebody claims in lines of their own. However many they are, the mark that it is a claim stays in sight with them.
 * @param {string} label @param {string} text @returns {Fact}
 */
export const claimedLines = (label, text) =>
  claimed(label, h("div", { class: "claim", tabindex: "0", role: "group", "aria-label": t("source.claimed") }, shown(text, { lines: true })));
