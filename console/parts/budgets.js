// Budgets, of Control Rules and of signing policies: in words, as fields of a form, and what of them is used.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { Names } from "../names.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";
import { adder } from "./adder.js";
import { field, input, select } from "./form.js";
import { table } from "./table.js";
import { moment, number, shortId } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("./table.js").Column} Column */

const PERIODS = ["Minute", "Hour", "Day", "Month"];

/** @param {Json} one */
export const budget = (one) => t(one["each"] ? "rules.budgetEach" : "rules.budget", { count: number(one["count"]), per: word("per", one["per"]) });

/** How much in which window. @param {string} label of the number @param {string} [pointer] where the budgets stand in the body */
export function budgetFields(label, pointer) {
  const count = field(label, input({ type: "number", min: 1, max: 1_000_000_000_000, value: 1000, required: true }), pointer ? { pointer } : {});
  const per = field(t("rules.per"), select(PERIODS.map((one) => [one, word("per", one)])));
  const each = field(t("rules.each"), input({ type: "checkbox" }));
  const value = () => {
    const isEach = /** @type {HTMLInputElement} */ (each.control).checked;
    return { count: Number(count.control.value), per: per.control.value, ...(isEach ? { each: true } : {}) };
  };
  return { fields: [count, per, each], count, value };
}

/** The budgets of a policy. @param {Json[]} given @param {string} pointer where they stand in the body */
export function policyBudgets(given, pointer) {
  const kept = [...given];
  const lines = h("ul", { class: "lines-list" });
  const { fields, count, value } = budgetFields(t("policy.signatures"), pointer);
  /** @returns {void} */
  const draw = () => fill(lines, kept.map((one, index) => h("li", {}, `${budget(one)} `,
    h("button", { type: "button", onclick: () => (kept.splice(index, 1), draw()) }, t("rules.takeAway")))));
  const add = () => {
    kept.push(value());
    draw();
  };
  draw();
  const adding = adder(fields, t("policy.addBudget"), add);
  const element = h("fieldset", {}, h("legend", {}, t("rules.budgets")), h("p", { class: "help" }, t("policy.budgetsHelp")), lines, adding.element);
  const all = () => {
    adding.demandEmpty(pointer);
    return kept;
  };
  return { element, count, value: all };
}

/**
 * What of them is used now.
 * @param {string} path where it is asked @param {Column[]} before columns that say whose they are @param {(row: Json) => string} what a budget in words @param {AbortSignal} signal
 */
export async function budgetUses(path, before, what, signal) {
  const { budgets } = await get(path, undefined, signal);
  const readsNames = may("Identity:Manage") && budgets.some((/** @type {Json} */ one) => one["identityUuid"]);
  const names = readsNames ? await new Names(signal).identities() : new Map();
  const who = (/** @type {string} */ uuid) => (names.has(uuid) ? h("a", { href: `#/identities/${uuid}` }, shown(names.get(uuid))) : shortId(uuid));
  const columns = [
    ...before,
    { title: t("rules.budgets"), cell: what },
    { title: t("column.who"), cell: (/** @type {Json} */ row) => row["identityUuid"] ? who(row["identityUuid"]) : t("list.all") },
    { title: t("rules.used"), kind: "number", cell: (/** @type {Json} */ row) => number(row["used"]) },
    { title: t("rules.left"), kind: "number", cell: (/** @type {Json} */ row) => number(row["left"]) },
    { title: t("rules.until"), kind: "time", cell: (/** @type {Json} */ row) => moment(row["endsAt"]) },
  ];
  return [h("h2", {}, t("rules.budgetsUsed")), budgets.length > 0 ? table(columns, budgets, t("rules.budgetsUsed")) : h("div", { class: "empty" }, t("rules.unused"))];
}
