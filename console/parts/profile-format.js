// The format of a token profile in words, and what to know of its safety.

import { h } from "../dom.js";
import { shown } from "../visible.js";
import { serversLanguage, t, word } from "../words.js";
import { fact } from "./facts.js";
import { number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** As the form has it: one of those that have a name, or the characters themselves. @param {string | null | undefined} text */
export const alphabet = (text) => (text ? shown(word("alphabet", text.length > 40 ? `${text.slice(0, 40)}…` : text)) : undefined);

/** @param {Json} format */
function kept({ keepLeading: leading = 0, keepTrailing: trailing = 0 }) {
  if (!leading) return t("format.keptTrailing", { count: trailing });
  return trailing ? t("format.kept", { leading, trailing }) : t("format.keptLeading", { count: leading });
}

/** @param {Json} format */
export function formatFacts(format) {
  return [
    format.pattern ? fact(t("format.pattern"), h("code", {}, shown(format.pattern))) : fact(t("format.alphabet"), alphabet(format.alphabet) ?? t("format.noAlphabet")),
    fact(t("format.length"), t("format.lengths", { from: number(format.minLength), to: number(format.maxLength) })),
    (format.keepLeading > 0 || format.keepTrailing > 0) && fact(t("format.keep"), kept(format)),
    format.passThrough && fact(t("format.passThrough"), h("code", {}, [...format.passThrough].map((one) => (one === " " ? t("format.space") : one)).join(" "))),
    format.luhn && format.luhn !== "Ignore" && fact(t("format.luhn"), word("luhn", format.luhn)),
    format.tokenLength && fact(t("format.tokenLength"), number(format.tokenLength)),
    format.versionPrefix && fact(t("format.versionPrefix"), number(format.versionPrefix)),
  ];
}

/** A number in a note, which is written as its language does. @param {bigint} value */
const inNote = (value) => (serversLanguage() ? value.toLocaleString(serversLanguage()) : number(value));

/** How many values there are is told once, and numbers are written as everywhere. @param {Json} security */
export function security({ domainSize, notes }) {
  const isNoted = notes.some((/** @type {string} */ note) => note.split(/\D+/).includes(domainSize));
  const written = (/** @type {string} */ note) => note.replace(/\b\d{4,}\b/g, (digits) => inNote(BigInt(digits)));
  return [
    domainSize && !isNoted && h("p", {}, t("format.domain", { size: number(BigInt(domainSize)) })),
    notes.length > 0 && h("ul", { class: "notes", lang: serversLanguage() }, notes.map((/** @type {string} */ note) => h("li", {}, written(note)))),
  ];
}
