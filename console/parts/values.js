// Values as people read them: times, digests, ids, sizes, numbers.

import { h } from "../dom.js";
import { region, t, word } from "../words.js";

/** Formatters cost a hundred times more to make than to use, and lists use them in each row. @type {Map<string, any>} */
const formatters = new Map();

/**
 * @template {Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat} F @template O
 * @param {new (region: string, options: O) => F} kind @param {O} options @returns {F}
 */
function formatter(kind, options) {
  const key = `${kind.name} ${region} ${JSON.stringify(options)}`;
  const known = formatters.get(key) ?? new kind(region, options);
  formatters.set(key, known);
  return known;
}

/**
 * A moment in the reader's zone; UTC when pointed at.
 * @param {string | null | undefined} time @param {"short" | "medium"} [timeStyle] `medium`: with its seconds
 */
export function moment(time, timeStyle = "short") {
  if (!time) return h("span", { class: "quiet" }, "–");
  const date = new Date(time);
  const text = formatter(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle }).format(date);
  return h("time", { datetime: time, title: utc(date) }, text);
}

/** The same as a text. @param {Date} date */
export const momentText = (date) => formatter(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "short" }).format(date);

/** A label of a time that is typed, which is one of the reader's zone. @param {string} label */
export const inZone = (label) => `${label} (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`;

/** A moment in UTC, so that an address shows everybody the same; one without a zone is of the reader's, and what is no moment is left out. @param {string | undefined} time */
export const utcOf = (time) => (time && !Number.isNaN(Date.parse(time)) ? new Date(time).toISOString().replace(".000Z", "Z") : "");

/** The same as a field of a form has it, in the zone of the reader. @param {string | undefined} time */
export function localOf(time) {
  if (!time) return "";
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** A day; the moment in UTC when pointed at. @param {string} time */
export function day(time) {
  const date = new Date(time);
  const text = formatter(Intl.DateTimeFormat, { dateStyle: "medium" }).format(date);
  return h("time", { datetime: time, title: utc(date) }, text);
}

/** The month of a moment, in UTC. @param {string} time */
export const month = (time) => formatter(Intl.DateTimeFormat, { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(time));

/** @param {Date} date */
const utc = (date) => `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [["year", 31_556_952], ["month", 2_629_746], ["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]];

/** So near to a whole number of its unit it is that: a year less a minute is no eleven months. */
const NEAR = 0.03;

/** How long ago, or how soon. @param {string} time */
export function relative(time) {
  const date = new Date(time);
  const seconds = (date.getTime() - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length * (1 - NEAR)) ?? ["second", 1];
  const [exact, nearest] = [seconds / length, Math.round(seconds / length)];
  const count = Math.abs(nearest - exact) <= NEAR * Math.abs(nearest) ? nearest : Math.trunc(exact);
  // "Next year" would be said of what is fifteen months away.
  const numeric = ["year", "month"].includes(unit) ? "always" : "auto";
  const text = formatter(Intl.RelativeTimeFormat, { numeric }).format(count, unit);
  return h("time", { datetime: time, title: utc(date) }, text);
}

/** @param {string} base64 */
export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} bytes */
export function base64Of(bytes) {
  const characters = [];
  for (let start = 0; start < bytes.length; start += 8192) {
    characters.push(String.fromCharCode(...bytes.subarray(start, start + 8192)));
  }
  return btoa(characters.join(""));
}

/** A digest in groups, copied whole as the tools print it. @param {string} base64 */
export function digest(base64) {
  const text = hex(bytesOf(base64));
  return grouped(text, /.{1,8}/g, { "data-digest": text });
}

/** A secret that somebody types off the screen, in groups of four. @param {string} text */
export const secret = (text) => grouped(text, /.{1,4}/g);

/** @param {string} text @param {RegExp} groups @param {Record<string, string>} [attributes] */
function grouped(text, groups, attributes = {}) {
  const parts = text.match(groups) ?? [];
  return h("span", { class: "digest" }, h("code", attributes, parts.map((part) => h("span", {}, part))), copyButton(text));
}

/** A text that copies whole. @param {string} text */
export function copyable(text) {
  return h("span", { class: "copyable" }, h("code", {}, text), copyButton(text));
}

/** An id in its short form, to be copied whole. @param {string} uuid */
export function shortId(uuid) {
  return h("span", { class: "copyable" }, endOf(uuid), copyButton(uuid, `…${uuid.slice(-8)}`));
}

/** The end of an id: its beginning is a time, which all of a day have in common. @param {string} uuid */
export const endOf = (uuid) => h("code", { class: "id", title: uuid }, `…${uuid.slice(-8)}`);

/** How long a button says what became of it. */
const COPIED_MS = 1500;

/** @param {string} text @param {string} [name] what to call it */
export function copyButton(text, name = text.slice(0, 12)) {
  const button = h("button", { type: "button", class: "copy", "aria-label": t("copy.label", { text: name }) }, t("copy.word"));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = t("copy.done");
    } catch {
      button.textContent = t("copy.failed");
    }
    setTimeout(() => (button.textContent = t("copy.word")), COPIED_MS);
  });
  return button;
}

/** @param {number} bytes */
export function size(bytes) {
  const exact = t("size.bytes", { count: number(bytes) });
  const steps = ["KiB", "MiB", "GiB", "TiB"];
  let [rounded, unit] = [bytes, ""];
  while (rounded >= 1024 && steps.length > 0) [rounded, unit] = [rounded / 1024, steps.shift() ?? ""];
  return unit ? `${formatter(Intl.NumberFormat, { maximumFractionDigits: 1 }).format(rounded)} ${unit} (${exact})` : exact;
}

/** @param {number | bigint} value */
export const number = (value) => formatter(Intl.NumberFormat, {}).format(value);

/** A span of time in the largest unit that it fills. @param {number} milliseconds */
export function lasting(milliseconds) {
  const seconds = milliseconds / 1000;
  const [unit, length] = UNITS.find(([, length]) => seconds >= length && seconds % length === 0) ?? ["second", 1];
  return formatter(Intl.NumberFormat, { style: "unit", unit, unitDisplay: "long" }).format(seconds / length);
}

/** `{unit, amount}` in words. @param {{unit: string, amount: string} | null | undefined} period */
export function period(period) {
  if (!period) return "–";
  const unit = period.unit.toLowerCase();
  return formatter(Intl.NumberFormat, { style: "unit", unit, unitDisplay: "long" }).format(Number(period.amount));
}

/** How somebody has logged in, which has several parts where more than one thing was shown. @param {string} way */
export const loginWay = (way) => way.split("+").map((one) => word("way", one)).join(" + ");
