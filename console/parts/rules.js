// Control Rules as a table: a line for each role, a column for each operation, and the mask of what is shown in part.

import { patch } from "../api.js";
import { fill, h } from "../dom.js";
import { shownText } from "../visible.js";
import { show } from "../show.js";
import { t, word } from "../words.js";
import { budget, budgetFields, budgetUses } from "./budgets.js";
import { liveEffect } from "./effect.js";
import { field, form, input, select } from "./form.js";
import { mask } from "./mask.js";
import { table } from "./table.js";

/** @typedef {import("../api.js").Json} Json */

const FULL = ["Tokenize", "Detokenize", "Batch"];
const MASKS = ["FirstSixLastFour", "LastFour", "LastTwo", "FirstSix", "FirstOne", "FirstAndLast", "EmailDomain"];

/** @param {Json} profile @param {Map<string, string>} roles */
export function rules(profile, roles) {
  const place = h("div", {});
  const draw = () => fill(place, shownRules(profile.controlRules, roles),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => fill(place, editor(profile, roles, draw)) }, t("rules.change"))));
  draw();
  return place;
}

/** @param {Json[]} all @param {Map<string, string>} roles */
function shownRules(all, roles) {
  if (all.length === 0) return h("div", { class: "empty" }, t("rules.none"));
  const held = [...new Set(all.map((rule) => rule.roleUuid))];
  const has = (/** @type {string} */ role, /** @type {string} */ operation) => all.some((rule) => rule.roleUuid === role && rule.operation === operation);
  const columns = [
    { title: t("column.role"), cell: (/** @type {Json} */ row) => shownText(roles.get(row.role) ?? row.role) },
    ...FULL.map((operation) => ({ title: word("operation", operation), cell: (/** @type {Json} */ row) => has(row.role, operation) ? h("span", { class: "state good" }, t("rules.may"), asked(all, row.role, operation)) : h("span", { class: "quiet" }, "–") })),
    { title: word("operation", "PartialDetokenize"), cell: (/** @type {Json} */ row) => {
      const masks = all.filter((rule) => rule.roleUuid === row.role && rule.operation === "PartialDetokenize").map(mask);
      return masks.length > 0 ? masks.join("; ") : h("span", { class: "quiet" }, "–");
    } },
    { title: t("rules.budgets"), cell: (/** @type {Json} */ row) => {
      const bounded = all.filter((rule) => rule.roleUuid === row.role && (rule.budgets ?? []).length > 0);
      return bounded.length > 0 ? bounded.map((rule) => h("div", {}, `${word("operation", rule.operation)}: ${rule.budgets.map(budget).join(", ")}`)) : h("span", { class: "quiet" }, "–");
    } },
  ];
  return table(columns, held.map((role) => ({ role })), t("rules.title"));
}

/** How many approvals it takes before. @param {Json[]} all @param {string} role @param {string} operation */
function asked(all, role, operation) {
  const rule = all.find((one) => one["roleUuid"] === role && one["operation"] === operation);
  const count = rule?.["approval"]?.numApprovals;
  return count && `, ${t("rules.asked", { count })}`;
}

/** What of the budgets is used now; nothing where there are none. @param {Json} profile @param {Map<string, string>} roles @param {AbortSignal} [signal] */
export async function rulesBudgetUses(profile, roles, signal) {
  if (!profile.controlRules.some((/** @type {Json} */ rule) => (rule.budgets ?? []).length > 0)) return undefined;
  const role = { title: t("column.role"), cell: (/** @type {Json} */ row) => shownText(roles.get(row["roleUuid"]) ?? row["roleUuid"]) };
  const what = (/** @type {Json} */ row) => `${word("operation", row["operation"])}: ${budget(row)}`;
  return budgetUses(`/api/v2/token-profiles/${profile.objInfo.uuid}/budgets`, [role], what, signal);
}

/** Replaces all rules at once, as the interface does. @param {Json} profile @param {Map<string, string>} roles @param {() => void} done */
function editor(profile, roles, done) {
  /** @type {Json[]} */
  const partial = profile.controlRules.filter((/** @type {Json} */ rule) => rule.operation === "PartialDetokenize");
  /** @type {[string, string, HTMLInputElement][]} */
  const boxes = [];
  const box = (/** @type {string} */ role, /** @type {string} */ operation) => {
    const isSet = profile.controlRules.some((/** @type {Json} */ rule) => rule.roleUuid === role && rule.operation === operation);
    const made = h("input", { type: "checkbox", checked: isSet, "aria-label": `${roles.get(role)}: ${word("operation", operation)}` });
    boxes.push([role, operation, made]);
    return made;
  };
  const names = [...roles].map(([role, name]) => ({ role, name }));
  const columns = [
    { title: t("column.role"), cell: (/** @type {Json} */ row) => shownText(row.name) },
    ...FULL.map((operation) => ({ title: word("operation", operation), cell: (/** @type {Json} */ row) => box(row.role, operation) })),
  ];
  const grid = table(columns, names, t("rules.title"));
  const bounds = budgetEditor(profile, roles);
  const demands = demandEditor(profile, roles, () => effect.changed());
  const masks = h("ul", { class: "lines-list" });
  /** @returns {Json[]} */
  const all = () => {
    const full = boxes.filter(([, , made]) => made.checked).map(([roleUuid, operation]) => ({ roleUuid, operation }));
    return [...full, ...partial].map((rule) => ({ ...rule, budgets: bounds.of(rule), ...demands.of(rule) }));
  };
  const effect = liveEffect(() => ({ tokenProfileUuid: profile.objInfo.uuid, controlRules: all() }), profile.objInfo.uuid);
  /** @returns {void} */
  const drawMasks = () => fill(masks, partial.map((rule, index) => h("li", {}, `${shownText(roles.get(rule.roleUuid) ?? rule.roleUuid)}: ${mask(rule)}`,
    h("button", { type: "button", onclick: () => (partial.splice(index, 1), drawMasks(), effect.changed()) }, t("rules.takeAway")))));
  const role = field(t("column.role"), select([...roles].map(([uuid, name]) => [uuid, shownText(name)])));
  const choices = /** @type {[string, string][]} */ ([...MASKS.map((one) => [one, word("mask", one)]), ["", t("rules.byNumber")]]);
  const named = field(t("rules.mask"), select(choices));
  const reveal = field(t("rules.reveal"), input({ type: "number", min: 0, max: 512, value: 4 }));
  const from = field(t("rules.from"), select([["End", t("rules.end")], ["Start", t("rules.start")]]));
  const drawNumber = () => [reveal, from].forEach((one) => { one.element.hidden = named.control.value !== ""; });
  named.control.addEventListener("change", drawNumber);
  drawNumber();
  const char = field(t("rules.maskChar"), input({ maxlength: 2, value: "*" }));
  const add = () => {
    const shows = named.control.value ? { mask: named.control.value } : { reveal: Number(reveal.control.value), revealFrom: from.control.value };
    partial.push({ roleUuid: role.control.value, operation: "PartialDetokenize", ...shows, maskChar: char.control.value });
    drawMasks();
    effect.changed();
  };
  drawMasks();
  const act = async () => {
    await patch(`/api/v2/token-profiles/${profile.objInfo.uuid}/permissions`, { controlRules: all() });
    await show();
  };
  grid.addEventListener("change", effect.changed);
  return form({ fields: [], submit: t("rules.save"), act, className: "rules", extra: [grid,
    h("fieldset", {}, h("legend", {}, word("operation", "PartialDetokenize")), masks, h("div", { class: "columns" }, [role, named, reveal, from, char].map((one) => one.element)), h("button", { type: "button", onclick: add }, t("rules.add"))),
    demands.element, bounds.element, effect.element,
    h("button", { type: "button", class: "plain", onclick: done }, t("dialog.cancel"))] });
}

/** How many approvals it takes before a role detokenizes in full. Steps that are there stay. @param {Json} profile @param {Map<string, string>} roles @param {() => void} changed */
function demandEditor(profile, roles, changed) {
  /** @type {Map<string, Json>} */
  const kept = new Map(profile.controlRules.filter((/** @type {Json} */ rule) => rule.approval).map((/** @type {Json} */ rule) => [rule.roleUuid, rule.approval]));
  const lines = h("ul", { class: "lines-list" });
  /** @returns {void} */
  const draw = () => fill(lines, [...kept].map(([uuid, one]) => h("li", {}, `${shownText(roles.get(uuid) ?? uuid)}: ${t("rules.asked", { count: one["numApprovals"] })} `,
    h("button", { type: "button", onclick: () => (kept.delete(uuid), draw(), changed()) }, t("rules.takeAway")))));
  const role = field(t("column.role"), select([...roles].map(([uuid, name]) => [uuid, shownText(name)])));
  const count = field(t("rules.approvals"), input({ type: "number", min: 1, max: 64, value: 2 }));
  const add = () => {
    const numApprovals = Number(count.control.value);
    kept.set(role.control.value, { ...kept.get(role.control.value), numApprovals });
    draw();
    changed();
  };
  draw();
  const element = h("fieldset", {}, h("legend", {}, t("rules.demands")), h("p", { class: "quiet" }, t("rules.demandsHelp")), lines,
    h("div", { class: "columns" }, [role, count].map((one) => one.element)), h("button", { type: "button", onclick: add }, t("rules.add")));
  const of = (/** @type {Json} */ rule) => {
    const approval = rule["operation"] === "Detokenize" ? kept.get(rule["roleUuid"]) : undefined;
    return approval ? { approval } : {};
  };
  return { element, of };
}

const BOUNDED = ["Tokenize", "Detokenize", "PartialDetokenize"];

/** The budgets of all rules, by role and operation. @param {Json} profile @param {Map<string, string>} roles */
function budgetEditor(profile, roles) {
  /** @type {{roleUuid: string, operation: string, budget: Json}[]} */
  const kept = profile.controlRules.flatMap((/** @type {Json} */ rule) => (rule.budgets ?? []).map((/** @type {Json} */ one) => ({ roleUuid: rule.roleUuid, operation: rule.operation, budget: one })));
  const lines = h("ul", { class: "lines-list" });
  /** @returns {void} */
  const draw = () => fill(lines, kept.map((one, index) => h("li", {}, `${shownText(roles.get(one.roleUuid) ?? one.roleUuid)}, ${word("operation", one.operation)}: ${budget(one.budget)} `,
    h("button", { type: "button", onclick: () => (kept.splice(index, 1), draw()) }, t("rules.takeAway")))));
  const role = field(t("column.role"), select([...roles].map(([uuid, name]) => [uuid, shownText(name)])));
  const operation = field(t("rules.operation"), select(BOUNDED.map((one) => [one, word("operation", one)])));
  const { fields, value } = budgetFields(t("rules.count"));
  const add = () => {
    kept.push({ roleUuid: role.control.value, operation: operation.control.value, budget: value() });
    draw();
  };
  draw();
  const element = h("fieldset", {}, h("legend", {}, t("rules.budgets")), h("p", { class: "quiet" }, t("rules.budgetsHelp")), lines,
    h("div", { class: "columns" }, [role, operation, ...fields].map((one) => one.element)), h("button", { type: "button", onclick: add }, t("rules.add")));
  const of = (/** @type {Json} */ rule) => kept.filter((one) => one.roleUuid === rule.roleUuid && one.operation === rule.operation).map((one) => one.budget);
  return { element, of };
}
