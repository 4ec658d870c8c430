// What a form changes of something that is there: only that is sent, so that nothing is taken back that somebody else changed
// since the page was read. Lists are sent whole: where somebody else changed the same one, nothing is saved, and that is said.

import { get, patch } from "../api.js";
import { fill, h } from "../dom.js";
import { show } from "../show.js";
import { t } from "../words.js";
import { sorted } from "./decide.js";
import { diff } from "./diff.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {{news: HTMLElement, save: (send?: (sent: Json) => Promise<Json>) => Promise<Json | undefined>, follow: (member: string) => void}} Changed */

/**
 * @param {string} path where it is changed @param {Json} before as the page has read it
 * @param {() => Json} body what the form says now, as the interface takes it
 * @param {{read?: () => Promise<Json>, name?: (text: string) => string}} [more] `read`: reads it again, where that is not at its path; `name`: names by uuid
 * @returns {Changed}
 */
export function changed(path, before, body, { read = () => get(path), name = (text) => text } = {}) {
  const news = h("div");
  const began = texts(body());
  /** Sends what was changed here, and answers what it is then; nothing where somebody else changed the same. */
  const save = async (send = (/** @type {Json} */ sent) => patch(path, sent)) => {
    fill(news);
    const sent = Object.fromEntries(Object.entries(body()).filter(([member, value]) => text(value) !== began.get(member)));
    const members = Object.keys(sent);
    if (members.length === 0) return before;
    // The server takes no version here: of two who save in the same moment, between this and the next call, the second wins.
    const now = await read();
    const others = members.filter((member) => text(of(before, member)) !== text(of(now, member)));
    if (others.length === 0) return send(sent);
    const [old, present] = [before, now].map((one) => Object.fromEntries(others.map((member) => [member, inOneLine(of(one, member), name)])));
    fill(news, meanwhile(old, present ?? {}, name));
    news.scrollIntoView({ block: "nearest" });
    return undefined;
  };
  /** A field that shows what is, whoever changed it. @param {string} member */
  const follow = (member) => {
    before[member] = body()[member];
    began.set(member, text(before[member]));
  };
  return { news, save, follow };
}

/** @param {Json} body @returns {Map<string, string>} */
const texts = (body) => new Map(Object.entries(body).map(([member, value]) => [member, text(value)]));

/** A value as one text, which is the same for the same value. @param {unknown} value */
const text = (value) => JSON.stringify(sorted(value)) ?? "";

/** A member of the interface's object: its name stands deeper than where it is changed. @param {Json} object @param {string} member */
const of = (object, member) => (member === "name" ? object["objInfo"].name : object[member]);

/** Lists of texts in one line: what is gone from the middle would else move all after it. @param {any} value @param {(text: string) => string} name @returns {any} */
function inOneLine(value, name) {
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.length > 0 ? value.map(name).sort().join(", ") : null;
  if (Array.isArray(value)) return value.map((one) => inOneLine(one, name));
  return value !== null && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, inOneLine(inner, name)])) : value;
}

/** What somebody else saved since the page was read. @param {Json | undefined} before @param {Json} now @param {(text: string) => string} name */
function meanwhile(before, now, name) {
  const anew = (/** @type {Event} */ event) => {
    /** @type {HTMLElement} */ (event.target).closest("dialog")?.close();
    void show();
  };
  return h("div", { class: "problem", role: "alert" },
    h("p", {}, h("strong", {}, t("changed.meanwhile")), " ", t("rules.meanwhileWhat")),
    diff(before, now, name),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: anew }, t("changed.anew"))));
}
