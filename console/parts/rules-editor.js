// Writes the Control Rules of a profile. All of them are sent at once, so what somebody else saved meanwhile would be lost, and
// so would what was entered here for a rule that there is not: neither is let happen in silence.

import { Refusal, get, patch } from "../api.js";
import { fill, h } from "../dom.js";
import { show } from "../show.js";
import { shownText } from "../visible.js";
import { t, word } from "../words.js";
import { adder } from "./adder.js";
import { budget, budgetFields } from "./budgets.js";
import { sorted } from "./decide.js";
import { liveEffect } from "./effect.js";
import { complainAt, field, form, input, select } from "./form.js";
import { mask } from "./mask.js";
import { table } from "./table.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("./form.js").Field} Field */
/** @typedef {{roleUuid: string, operation: string}} Of which rule */
/**
 * @typedef {{
 *   element: HTMLElement, fields: Field[], isEmpty: () => boolean, stray: (rules: Json[]) => Of | undefined, of: (rule: Json) => Json,
 * }} More what rules have besides; `stray`: what has no rule among these
 */

export const FULL = ["Tokenize", "Detokenize", "Batch"];
const MASKS = ["FirstSixLastFour", "LastFour", "LastTwo", "FirstSix", "FirstOne", "FirstAndLast", "EmailDomain"];
/** Where the field for it stands in the editor, whichever rule is meant. */
const MASK_CHAR = "/maskChar";
const BOUNDED = ["Tokenize", "Detokenize", "PartialDetokenize"];

/** @param {Of | Json} one @param {Of | Json} other */
const isSameRule = (one, other) => one["roleUuid"] === other["roleUuid"] && one["operation"] === other["operation"];

/**
 * @param {Json} profile as the editor begins with it @param {Map<string, string>} roles
 * @param {{cancel: () => void, anew: (profile: Json) => void}} ways out: without a change, and to another editor
 */
export function rulesEditor(profile, roles, { cancel, anew }) {
  /** @type {Json[]} */
  const began = profile.controlRules;
  const grid = fullRules(began, roles);
  const partial = partialRules(began, roles, () => effect.changed());
  const more = [demandEditor(began, roles, () => effect.changed()), budgetEditor(began, roles)];
  const bare = () => [...grid.rules(), ...partial.rules];
  const all = () => bare().map((rule) => more.reduce((made, one) => ({ ...made, ...one.of(rule) }), rule));
  const effect = liveEffect(() => ({ tokenProfileUuid: profile.objInfo.uuid, controlRules: all() }), profile.objInfo.uuid);
  grid.element.addEventListener("change", effect.changed);
  const news = h("div");
  const act = async () => {
    fill(news);
    if (![partial, ...more].every((one) => one.isEmpty()) || !haveRules(more, bare(), roles)) return;
    // The server takes no version here: of two who save in the same moment, between this and the next call, the second wins.
    const now = await get(`/api/v2/token-profiles/${profile.objInfo.uuid}`);
    if (text(now["controlRules"]) !== text(began)) {
      fill(news, meanwhile(began, now["controlRules"], roles, () => anew(now)));
      return news.scrollIntoView({ block: "nearest" });
    }
    const controlRules = all();
    await patch(`/api/v2/token-profiles/${profile.objInfo.uuid}/permissions`, { controlRules }).catch((error) => {
      throw ofMaskChar(error, controlRules, roles);
    });
    await show();
  };
  return form({
    fields: [], placed: () => [partial, ...more].flatMap((one) => one.fields), submit: t("rules.save"), act, className: "rules",
    extra: [grid.element, partial.element, more.map((one) => one.element), effect.element, news],
    beside: h("button", { type: "button", class: "plain", onclick: cancel }, t("dialog.cancel")),
  });
}

/** A refusal of a rule's character for the rest, in words that say which rule: the field has none, since rules are added by it. @param {unknown} error @param {Json[]} rules @param {Map<string, string>} roles */
function ofMaskChar(error, rules, roles) {
  const rule = error instanceof Refusal && rules[Number(/^\/controlRules\/(\d+)\/maskChar$/.exec(error.field ?? "")?.[1])];
  return rule ? new Refusal(error.status, error.code, t("rules.maskCharRefused", { rule: inWords(rule, roles), takeAway: t("rules.takeAway") }), { field: MASK_CHAR, requestId: error.requestId }) : error;
}

/** Rules in one order, which means nothing. @param {Json[]} rules */
const text = (rules) => rules.map((one) => JSON.stringify(sorted(one))).sort().join();

/** Whether everything that was entered is of a rule; says at the field where it is not. @param {More[]} more @param {Json[]} rules @param {Map<string, string>} roles */
function haveRules(more, rules, roles) {
  for (const { stray, fields: [first] } of more) {
    const one = stray(rules);
    if (!one || !first) continue;
    complainAt(first, t("rules.stray", { role: nameOf(roles, one.roleUuid), operation: word("operation", one.operation), takeAway: t("rules.takeAway") }));
    return false;
  }
  return true;
}

/** What somebody else saved since the editor was opened. @param {Json[]} before @param {Json[]} now @param {Map<string, string>} roles @param {() => void} anew */
function meanwhile(before, now, roles, anew) {
  const [old, present] = [before, now].map((list) => list.map((rule) => inWords(rule, roles)));
  const line = (/** @type {import("../words.js").Key} */ key, /** @type {string} */ kind) => (/** @type {string} */ rule) => h("li", {}, t(key), " ", h("span", { class: kind }, rule));
  return h("div", { class: "problem", role: "alert" },
    h("p", {}, h("strong", {}, t("rules.meanwhile")), " ", t("rules.meanwhileWhat")),
    h("ul", { class: "notes" },
      old?.filter((one) => !present?.includes(one)).map(line("rules.gone", "before")),
      present?.filter((one) => !old?.includes(one)).map(line("rules.come", "after"))),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: anew }, t("rules.anew"))));
}

/** @param {Json} rule @param {Map<string, string>} roles */
function inWords(rule, roles) {
  const more = [
    rule["operation"] === "PartialDetokenize" && mask(rule),
    rule["approval"] && t("rules.asked", { count: rule["approval"].numApprovals }),
    ...(rule["budgets"] ?? []).map(budget)];
  return [`${nameOf(roles, rule["roleUuid"])}: ${word("operation", rule["operation"])}`, ...more.filter(Boolean)].join(", ");
}

/** @param {Map<string, string>} roles @param {string} uuid */
const nameOf = (roles, uuid) => shownText(roles.get(uuid) ?? uuid);

/** @param {Map<string, string>} roles */
const roleField = (roles) => field(t("column.role"), select([...roles.keys()].map((uuid) => [uuid, nameOf(roles, uuid)])));

/** A box for each role and operation; also for roles of rules that are not among the first thousand. @param {Json[]} began @param {Map<string, string>} roles */
function fullRules(began, roles) {
  /** @type {[Of, HTMLInputElement][]} */
  const boxes = [];
  const box = (/** @type {string} */ roleUuid, /** @type {string} */ operation) => {
    const rule = { roleUuid, operation };
    const made = h("input", { type: "checkbox", checked: began.some((one) => isSameRule(one, rule)), "aria-label": `${nameOf(roles, roleUuid)}: ${word("operation", operation)}` });
    boxes.push([rule, made]);
    return made;
  };
  const columns = [
    { title: t("column.role"), cell: (/** @type {Json} */ row) => nameOf(roles, row["role"]) },
    ...FULL.map((operation) => ({ title: word("operation", operation), cell: (/** @type {Json} */ row) => box(row["role"], operation) })),
  ];
  const rows = [...new Set([...roles.keys(), ...began.map((one) => one["roleUuid"])])].map((role) => ({ role }));
  const element = table(columns, rows, t("rules.title"));
  return { element, rules: () => boxes.filter(([, made]) => made.checked).map(([rule]) => rule) };
}

/** @param {Json[]} began @param {Map<string, string>} roles @param {() => void} changed */
function partialRules(began, roles, changed) {
  const rules = began.filter((rule) => rule["operation"] === "PartialDetokenize");
  const lines = h("ul", { class: "lines-list" });
  /** @returns {void} */
  const draw = () => fill(lines, rules.map((rule, index) => h("li", {}, `${nameOf(roles, rule["roleUuid"])}: ${mask(rule)}`,
    h("button", { type: "button", onclick: () => (rules.splice(index, 1), draw(), changed()) }, t("rules.takeAway")))));
  const role = roleField(roles);
  const choices = /** @type {[string, string][]} */ ([...MASKS.map((one) => [one, word("mask", one)]), ["", t("rules.byNumber")]]);
  const named = field(t("rules.mask"), select(choices));
  const reveal = field(t("rules.reveal"), input({ type: "number", min: 0, max: 512, value: 4, required: true }));
  const from = field(t("rules.from"), select([["End", t("rules.end")], ["Start", t("rules.start")]]));
  const drawNumber = () => [reveal, from].forEach((one) => { one.element.hidden = named.control.value !== ""; });
  named.control.addEventListener("change", drawNumber);
  drawNumber();
  const char = field(t("rules.maskChar"), input({ maxlength: 2, value: "*" }), { pointer: MASK_CHAR });
  const fields = [role, named, reveal, from, char];
  const adding = adder(fields, t("rules.add"), () => {
    if ([...char.control.value].length !== 1) {
      complainAt(char, t("rules.maskCharOne"));
      return false;
    }
    const shows = named.control.value ? { mask: named.control.value } : { reveal: Number(reveal.control.value), revealFrom: from.control.value };
    rules.push({ roleUuid: role.control.value, operation: "PartialDetokenize", ...shows, maskChar: char.control.value });
    draw();
    changed();
    return true;
  });
  draw();
  const element = h("fieldset", {}, h("legend", {}, word("operation", "PartialDetokenize")), lines, adding.element);
  return { element, fields, isEmpty: adding.isEmpty, rules };
}

/** How many approvals it takes before a role detokenizes in full. Steps that are there stay. @param {Json[]} began @param {Map<string, string>} roles @param {() => void} changed @returns {More} */
function demandEditor(began, roles, changed) {
  /** @type {Map<string, Json>} */
  const kept = new Map(began.filter((rule) => rule["approval"]).map((rule) => [rule["roleUuid"], rule["approval"]]));
  const lines = h("ul", { class: "lines-list" });
  /** @returns {void} */
  const draw = () => fill(lines, [...kept].map(([uuid, one]) => h("li", {}, `${nameOf(roles, uuid)}: ${t("rules.asked", { count: one["numApprovals"] })} `,
    h("button", { type: "button", onclick: () => (kept.delete(uuid), draw(), changed()) }, t("rules.takeAway")))));
  const role = roleField(roles);
  const count = field(t("rules.approvals"), input({ type: "number", min: 1, max: 64, value: 2, required: true }));
  const fields = [role, count];
  const adding = adder(fields, t("rules.add"), () => {
    kept.set(role.control.value, { ...kept.get(role.control.value), numApprovals: Number(count.control.value) });
    draw();
    changed();
  });
  draw();
  const element = h("fieldset", {}, h("legend", {}, t("rules.demands")), h("p", { class: "quiet" }, t("rules.demandsHelp")), lines, adding.element);
  const stray = (/** @type {Json[]} */ rules) => [...kept.keys()].map((roleUuid) => ({ roleUuid, operation: "Detokenize" })).find((one) => !rules.some((rule) => isSameRule(rule, one)));
  const of = (/** @type {Json} */ rule) => {
    const approval = rule["operation"] === "Detokenize" ? kept.get(rule["roleUuid"]) : undefined;
    return approval ? { approval } : {};
  };
  return { element, fields, isEmpty: adding.isEmpty, stray, of };
}

/** The budgets of all rules, by role and operation. @param {Json[]} began @param {Map<string, string>} roles @returns {More} */
function budgetEditor(began, roles) {
  /** @type {(Of & {budget: Json})[]} */
  const kept = began.flatMap((rule) => (rule["budgets"] ?? []).map((/** @type {Json} */ one) => ({ roleUuid: rule["roleUuid"], operation: rule["operation"], budget: one })));
  const lines = h("ul", { class: "lines-list" });
  /** @returns {void} */
  const draw = () => fill(lines, kept.map((one, index) => h("li", {}, `${nameOf(roles, one.roleUuid)}, ${word("operation", one.operation)}: ${budget(one.budget)} `,
    h("button", { type: "button", onclick: () => (kept.splice(index, 1), draw()) }, t("rules.takeAway")))));
  const role = roleField(roles);
  const operation = field(t("rules.operation"), select(BOUNDED.map((one) => [one, word("operation", one)])));
  const { fields: bounds, value } = budgetFields(t("rules.count"));
  const fields = [role, operation, ...bounds];
  const adding = adder(fields, t("rules.add"), () => {
    kept.push({ roleUuid: role.control.value, operation: operation.control.value, budget: value() });
    draw();
  });
  draw();
  const element = h("fieldset", {}, h("legend", {}, t("rules.budgets")), h("p", { class: "quiet" }, t("rules.budgetsHelp")), lines, adding.element);
  const stray = (/** @type {Json[]} */ rules) => kept.find((one) => !rules.some((rule) => isSameRule(rule, one)));
  const of = (/** @type {Json} */ rule) => ({ budgets: kept.filter((one) => isSameRule(one, rule)).map((one) => one.budget) });
  return { element, fields, isEmpty: adding.isEmpty, stray, of };
}
