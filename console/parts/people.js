// Names of those who act. They are their own, so one may look like another's, or like those of two.

import { h } from "../dom.js";
import { shown, strayLetter } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */

/** A name, and which of its letters is not what it looks like. @param {string} name @param {string} [href] where it leads @returns {Child} */
export function person(name, href) {
  const stray = strayLetter(name);
  const said = stray && tn("people.letter", { letter: `${stray.letter} ${stray.number}`, script: word("script", stray.script) });
  return [href ? h("a", { href }, shown(name)) : shown(name), said && [" ", h("strong", { class: "state wait long" }, said)]];
}

/** The same in a text alone, for names that stand among others. @param {string} name */
export function marked(name) {
  const stray = strayLetter(name);
  return stray ? `${name} (${t("people.letter", { letter: `${stray.letter} ${stray.number}`, script: word("script", stray.script) })})` : name;
}

/** Those who did something together. Each stands in a frame: a name may have a plus in it, too. @param {Json[]} identities @param {(one: Json) => string} [href] @returns {Child} */
export const people = (identities, href) =>
  identities.map((one, index) => [index > 0 && " + ", h("span", { class: "person" }, person(one["name"], href?.(one)))]);
