// Control Rules as a table: a line for each role, a column for each operation, and the mask of what is shown in part.

import { fill, h } from "../dom.js";
import { shownText } from "../visible.js";
import { t, word } from "../words.js";
import { budget, budgetUses } from "./budgets.js";
import { mask } from "./mask.js";
import { FULL, rulesEditor } from "./rules-editor.js";
import { table } from "./table.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {Json} profile @param {Map<string, string>} roles */
export function rules(profile, roles) {
  const place = h("div", {});
  const draw = (/** @type {Json} */ present) => fill(place, shownRules(present.controlRules, roles),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => edit(present) }, t("rules.change"))));
  const edit = (/** @type {Json} */ present) => fill(place, rulesEditor(present, roles, { cancel: () => draw(present), anew: edit }));
  draw(profile);
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

/** What of the budgets is used now; nothing where there are none. @param {Json} profile @param {Map<string, string>} roles @param {AbortSignal} signal */
export async function rulesBudgetUses(profile, roles, signal) {
  if (!profile.controlRules.some((/** @type {Json} */ rule) => (rule.budgets ?? []).length > 0)) return undefined;
  const role = { title: t("column.role"), cell: (/** @type {Json} */ row) => shownText(roles.get(row["roleUuid"]) ?? row["roleUuid"]) };
  const what = (/** @type {Json} */ row) => `${word("operation", row["operation"])}: ${budget(row)}`;
  return budgetUses(`/api/v2/token-profiles/${profile.objInfo.uuid}/budgets`, [role], what, signal);
}
