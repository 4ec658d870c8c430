// Texts that others wrote, shown so that nothing in them can hide, move the cursor or turn the writing.

import { h } from "./dom.js";

/** The same characters as `chancery_types::hides`: a test of the console holds the two against each other. */
export const HIDDEN =
  /[\p{Cc}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{1343f}\u{13441}-\u{13442}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

/** More marks on one letter than any writing has, which would paint over other lines: those beyond are shown by their numbers. */
const MARKS_MAX = 3;
const MARK = /[\p{Mn}\p{Me}]/u;
export const PILED = /[\p{Mn}\p{Me}]{4}/u;

/**
 * A text from elsewhere, apart from the writing around it. Line feeds stay where `lines` is given.
 * @param {string} text @param {{lines?: boolean}} [options]
 */
export function shown(text, options = {}) {
  const element = h("bdi", { class: options.lines ? "foreign lines" : "foreign" });
  // As nearly always; looking at each character by itself is what a long list spends most of its time on.
  if (!HIDDEN.test(text) && !PILED.test(text) && text.trim() === text) {
    element.append(text);
    return element;
  }
  let plain = "";
  for (const [character, isHidden] of characters(text, options.lines ?? false)) {
    if (isHidden) {
      element.append(plain, escaped(character));
      plain = "";
    } else {
      plain += character;
    }
  }
  element.append(plain);
  return element;
}

/** The same for places that take no elements. @param {string} text */
export function shownText(text) {
  return characters(text, false).map(([character, isHidden]) => (isHidden ? codePoint(character) : character)).join("");
}

/**
 * Each character, and whether nobody would see it, or nothing beside it. At the ends of a text of one line blanks are among those: names that
 * differ in nothing else must not look the same.
 * @param {string} text @param {boolean} hasLines @returns {[string, boolean][]}
 */
function characters(text, hasLines) {
  const all = [...text];
  const isBlank = (/** @type {string} */ character) => character.trim() === "";
  const first = all.findIndex((one) => !isBlank(one));
  const last = all.findLastIndex((one) => !isBlank(one));
  let marks = 0;
  return all.map((one, index) => {
    const isOuter = !hasLines && isBlank(one) && (index < first || index > last);
    marks = MARK.test(one) ? marks + 1 : 0;
    return [one, isOuter || marks > MARKS_MAX || (HIDDEN.test(one) && !(hasLines && one === "\n"))];
  });
}

/** @param {string} character */
function escaped(character) {
  return h("span", { class: "escaped" }, codePoint(character));
}

/** @param {string} character */
const codePoint = (character) => `[${numberOf(character)}]`;

/** @param {string} character */
const numberOf = (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Scripts whose letters look like Latin ones. @type {[string, RegExp][]} */
const SCRIPTS = [["Cyrillic", /\p{Script=Cyrillic}/u], ["Greek", /\p{Script=Greek}/u], ["Armenian", /\p{Script=Armenian}/u], ["Cherokee", /\p{Script=Cherokee}/u]];
const LATIN = /\p{Script=Latin}/u;

/** What of a name looks like another one and is written otherwise. New identities and roles have no such names. @param {string} name */
function otherSpelling(name) {
  if (name.normalize("NFKC") === name && !name.includes("  ")) return undefined;
  const letter = [...name].find((one) => one.normalize("NFKC") !== one || MARK.test(one)) ?? " ";
  return { letter, number: numberOf(letter), script: "Spelling" };
}

/** The first letter among Latin ones that is of a script whose letters look like them, or another spelling of one. @param {string} name */
export function strayLetter(name) {
  const found = LATIN.test(name) && SCRIPTS.find(([, letters]) => letters.test(name));
  if (!found) return otherSpelling(name);
  const [script, letters] = found;
  const letter = [...name].find((one) => letters.test(one)) ?? "";
  return { letter, number: numberOf(letter), script };
}

/** What names have in common that people take for one: as the server folds them, and whatever blanks there are. @param {string} name */
export function folded(name) {
  // Lower first: the capital sharp s is its own upper case, and its lower case is written SS.
  const key = name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
  // Greek has two small sigmas, of which the server knows one.
  return key.replaceAll("\u03c2", "\u03c3").split(/\s+/u).filter(Boolean).join(" ");
}
