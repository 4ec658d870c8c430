// What a change changes: each member that differs, before and after.

import { h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { table } from "./table.js";
import { endOf } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** Members that say what an object is called inside, and mean nothing to whoever decides. */
const LEFT_OUT = ["pendingChange"];

/**
 * @param {Json | null | undefined} before nothing where the object is new
 * @param {Json} after
 * @param {(text: string) => string} name names of what stands there by uuid
 */
export function diff(before, after, name) {
  const [old, now] = [flat(before ?? {}), flat(after)];
  const members = [...new Set([...old.keys(), ...now.keys()])].sort();
  const changed = members.filter((member) => old.get(member) !== now.get(member));
  const rows = (/** @type {string[]} */ pointers) => table([
    { title: t("diff.member"), cell: ({ member }) => h("code", {}, member) },
    { title: t("diff.before"), cell: ({ member }) => value(old.get(member), "before", name) },
    { title: t("diff.after"), cell: ({ member }) => value(now.get(member), "after", name) },
  ], pointers.map((member) => ({ member })), t("diff.member"));
  const rest = members.filter((member) => !changed.includes(member));
  return [
    changed.length > 0 ? rows(changed) : h("p", {}, t("diff.nothing")),
    rest.length > 0 && h("details", {}, h("summary", {}, t("diff.unchanged", { count: rest.length })), rows(rest)),
  ];
}

/** @param {string | undefined} text @param {string} kind @param {(text: string) => string} name */
function value(text, kind, name) {
  if (text === undefined) return h("span", { class: "quiet" }, t("diff.none"));
  const named = name(text);
  return h("span", { class: kind }, shown(named), named !== text && h("span", { class: "quiet" }, " ", endOf(text)));
}

/** Every value by its JSON pointer; what is empty demands nothing and is left out. @param {any} value @param {string} pointer @param {Map<string, string>} found */
function flat(value, pointer = "", found = new Map()) {
  if (value !== null && typeof value === "object" && Object.keys(value).length > 0) {
    for (const [member, inner] of Object.entries(value)) {
      if (!LEFT_OUT.includes(member)) flat(inner, `${pointer}/${member}`, found);
    }
  } else if (value !== null && typeof value !== "object" && value !== undefined && pointer) {
    found.set(pointer, String(value));
  }
  return found;
}
