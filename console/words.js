// The texts of the console in the reader's language. All English ones are in text/en.js, and other languages beside it.

import en from "./text/en.js";
import { append, h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {keyof typeof en} Key */

/** The languages there are, each in its own words. */
export const LANGUAGES = { en: "English", de: "Deutsch" };

const KEPT = "chancery.language";

/** Parts of the interface's names that are written in capitals. */
const SHORT = ["Api", "Crl", "Totp"];

/** @type {Record<string, string>} */
let texts = en;
export let language = "en";
/** How times and numbers are written: as the browser's region does, where it has the language. */
export let region = "en";

/** Takes the language that was chosen here before, or that the browser asks for. */
export async function begin() {
  const asked = localStorage.getItem(KEPT) ?? navigator.language.slice(0, 2);
  await use(asked in LANGUAGES ? asked : "en");
}

/** @param {string} name */
export async function choose(name) {
  localStorage.setItem(KEPT, name);
  await use(name);
}

/** @param {string} name */
async function use(name) {
  texts = name === "de" ? (await import("./text/de.js")).default : en;
  language = name;
  region = navigator.languages.find((one) => one.startsWith(name)) ?? name;
  document.documentElement.lang = name;
}

/** The language of what the server says in sentences, where the reader's is another: screen readers read it out as that. */
export const serversLanguage = () => (language === "en" ? undefined : "en");

/** A text with its places filled. @param {Key} key @param {Record<string, string | number>} [places] */
export function t(key, places = {}) {
  return text(singular(key, places["count"])).replace(/\{(\w+)\}/g, (whole, name) => String(places[name] ?? whole));
}

/** `KEY.one`, where there is such a text and there is one of what it counts. @param {string} key @param {unknown} count */
function singular(key, count) {
  const one = `${key}.one`;
  return String(count) === "1" && (one in texts || one in en) ? one : key;
}

/** A text whose places are elements. @param {Key} key @param {Record<string, Child>} places */
export function tn(key, places) {
  const whole = h("span");
  for (const part of text(key).split(/(\{\w+\})/)) {
    append(whole, [part.startsWith("{") ? places[part.slice(1, -1)] : part]);
  }
  return whole;
}

/** A word of the interface in the reader's language, itself where there is none. @param {string} group @param {string} word */
export function word(group, word) {
  return texts[`${group}.${word}`] ?? word;
}

/** A name of the interface that is written as one word: in the reader's language, or else as several words. @param {"action" | "outcome"} group @param {string} name */
export const apart = (group, name) => texts[`${group}.${name}`] ?? sentence(name);

/** `TotpEnrol` as `TOTP enrol`. @param {string} name */
function sentence(name) {
  const [first = "", ...others] = name.split(/(?=[A-Z])/);
  const short = (/** @type {string} */ part) => (SHORT.includes(part) ? part.toUpperCase() : undefined);
  return [short(first) ?? first, ...others.map((part) => short(part) ?? part.toLowerCase())].join(" ");
}

/** @param {string} key */
function text(key) {
  return texts[key] ?? /** @type {Record<string, string>} */ (en)[key] ?? key;
}
