// Texts that others wrote, shown so that nothing in them can hide, move the cursor or turn the writing.

import { h } from "./dom.js";

/** The same characters as `chancery_types::hides`: a test of the console holds the two against each other. */
export const HIDDEN =
  /[\p{Cc}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;

/**
 * A text from elsewhere, apart from the writing around it. Line feeds stay where `lines` is given.
 * @param {string} text @param {{lines?: boolean}} [options]
 */
export function shown(text, options = {}) {
  const element = h("bdi", { class: options.lines ? "foreign lines" : "foreign" });
  let plain = "";
  for (const character of text) {
    if (HIDDEN.test(character) && !(options.lines && character === "\n")) {
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
  return [...text].map((character) => (HIDDEN.test(character) ? codePoint(character) : character)).join("");
}

/** @param {string} character */
function escaped(character) {
  return h("span", { class: "escaped" }, codePoint(character));
}

/** @param {string} character */
function codePoint(character) {
  const number = character.codePointAt(0) ?? 0;
  return `[U+${number.toString(16).toUpperCase().padStart(4, "0")}]`;
}
