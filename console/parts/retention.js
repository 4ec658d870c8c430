// For how long audit records are at hand and kept: fields of a form, and what is asked before some are removed.

import { get } from "../api.js";
import { h } from "../dom.js";
import { may } from "../session.js";
import { t, tn } from "../words.js";
import { askSlowly, complainAt, field, input, select } from "./form.js";
import { day, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("./form.js").Field} Field */

/** As `chancery setting change --audit-retention` has them. @type {Record<string, Json>} */
const PRESETS = {
  forEver: {},
  cardData: { atHandDays: 92, keepDays: 365 },
  authorities: { atHandDays: 92, keepDays: 365, beyondAuthoritiesDays: 730 },
};
const CHOICES = /** @type {const} */ (["forEver", "cardData", "authorities", "own"]);
const MEMBERS = /** @type {const} */ (["atHandDays", "keepDays", "beyondAuthoritiesDays"]);
/** The interface's least and greatest. */
const [AT_HAND_MIN, DAYS_MAX] = [90, 36_500];
const DAY_MS = 86_400_000;

/** Which choice these days are. @param {Json} days */
const choiceOf = (days) => Object.keys(PRESETS).find((name) => MEMBERS.every((member) => PRESETS[name]?.[member] === days[member])) ?? "own";

/**
 * The choice, and the days that it stands for: whoever changes one of them has chosen days of their own. `isRight` says at its field
 * what is wrong, before anything is asked or sent.
 * @param {Json} given as the interface has it
 */
export function retention(given) {
  const options = CHOICES.map((name) => /** @type {[string, string]} */ ([name, t(`retention.${name}`)]));
  const choice = field(t("retention.choice"), select(options, choiceOf(given)), { pointer: "/auditRetention", help: t("retention.choiceHelp") });
  const days = MEMBERS.map((member) => {
    const control = input({ type: "number", min: member === "beyondAuthoritiesDays" ? 0 : AT_HAND_MIN, max: DAYS_MAX, value: given[member] });
    return field(t(`retention.${member}`), control, { pointer: `/auditRetention/${member}`, help: t(`retention.${member}Help`) });
  });
  const place = h("div", {}, days.map((one) => one.element));
  const typed = () => Object.fromEntries(MEMBERS.flatMap((member, index) => (days[index]?.control.value ? [[member, Number(days[index].control.value)]] : [])));
  const isForEver = () => choice.control.value === "forEver";
  const draw = () => (place.hidden = isForEver());
  choice.control.addEventListener("input", () => {
    const preset = isForEver() ? undefined : PRESETS[choice.control.value];
    for (const [index, one] of days.entries()) {
      one.complain("");
      if (preset) one.control.value = String(preset[MEMBERS[index] ?? ""] ?? "");
    }
    draw();
  });
  place.addEventListener("input", () => (choice.control.value = choiceOf(typed()) === "forEver" ? "own" : choiceOf(typed())));
  draw();
  const element = h("fieldset", {}, h("legend", {}, t("retention.title")), choice.element, place);
  return { fields: [choice, ...days], element, value: () => (isForEver() ? {} : typed()), isRight: () => isForEver() || isRight(days, typed()) };
}

/** @param {Field[]} days in the order of the members @param {Json} typed */
function isRight(days, typed) {
  const wrong = (/** @type {number} */ index, /** @type {string} */ text) => {
    const one = days[index];
    if (one) complainAt(one, text);
    return false;
  };
  const least = [AT_HAND_MIN, typed["atHandDays"], 0];
  for (const [index, member] of MEMBERS.entries()) {
    const [value, from] = [typed[member], least[index]];
    // A browser keeps what is no number to itself.
    const isNone = value === undefined && !days[index]?.control.validity.badInput && member !== "atHandDays";
    const isDays = Number.isInteger(value) && value >= from && value <= DAYS_MAX;
    if (!isNone && !isDays) return wrong(index, t("retention.wrong", { from: number(from), to: number(DAYS_MAX) }));
  }
  if (typed["beyondAuthoritiesDays"] !== undefined && typed["keepDays"] === undefined) return wrong(2, t("retention.beyondAlone"));
  return true;
}

/** Whether something is removed that would have stayed, or sooner. @param {Json} before @param {Json} after */
export function removesMore(before, after) {
  if (after["keepDays"] === undefined) return false;
  const isShorter = (/** @type {string} */ member, /** @type {number} */ none) => (after[member] ?? none) < (before[member] ?? none);
  return isShorter("keepDays", Infinity) || isShorter("beyondAuthoritiesDays", -1);
}

/** Says what is removed and since when, before it is. @param {Json} after @param {() => Promise<unknown>} act */
export async function askBeforeRemoval(after, act) {
  const { keepDays, beyondAuthoritiesDays: beyond } = after;
  const end = new Date(Date.now() - keepDays * DAY_MS).toISOString();
  const older = await olderThan(end);
  const what = [
    h("p", {}, tn("retention.removes", { days: number(keepDays), day: day(end) })),
    older !== undefined && h("p", {}, older ? t("retention.older", { count: number(older) }) : t("retention.noneOlder")),
    beyond !== undefined && h("p", {}, t("retention.removesBeyond", { days: number(beyond) })),
    h("p", {}, t("retention.removesForGood")),
  ];
  askSlowly({ title: t("retention.remove"), what, name: t("retention.title"), submit: t("retention.remove"), act });
}

/** How many records are from before this moment, at hand or in archives; nothing where that cannot be read. @param {string} end */
async function olderThan(end) {
  if (!may("Audit:Read")) return undefined;
  try {
    let { total: records } = await get("/api/v2/audit", { to: end, pageSize: 1 });
    for (let after; ;) {
      const { items, next } = await get("/api/v2/audit/archives", { after, pageSize: 1000 });
      for (const one of items) if (Date.parse(one["to"]) < Date.parse(end)) records += one["records"];
      if (!next) return records;
      after = next;
    }
  } catch {
    return undefined;
  }
}
