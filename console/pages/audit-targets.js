// To whom the audit records are shipped, and how far each has them.

import { get } from "../api.js";
import { h } from "../dom.js";
import { state } from "../parts/state.js";
import { table } from "../parts/table.js";
import { number, relative } from "../parts/values.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ signal }) {
  const { results } = await get("/api/v2/audit/targets", undefined, signal);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/audit" }, t("nav.audit"))),
    h("div", { class: "head" }, h("h1", {}, t("shipping.title")),
      may("System:Manage") && h("a", { class: "primary", href: "#/audit/targets/new" }, t("targets.make"))),
    results.length === 0 ? h("div", { class: "empty" }, t("shipping.empty")) : table(columns(), results, t("shipping.title")),
  ];
  return { title: t("shipping.title"), content };
}

/** @returns {import("../parts/table.js").Column[]} */
function columns() {
  return [
    { title: t("fact.name"), cell: (row) => h("a", { href: `#/audit/targets/${row["uuid"]}` }, shown(row["objInfo"].name)) },
    { title: t("targets.where"), cell: (row) => h("div", { class: "address" }, shown(where(row))) },
    { title: t("column.state"), cell: (row) => health(row) },
    { title: t("shipping.behind"), kind: "number", cell: (row) => number(row["shipping"].behind) },
    { title: t("targets.last"), kind: "time", cell: (row) => row["shipping"].shippedAt ? relative(row["shipping"].shippedAt) : "–" },
  ];
}

/** Where a target is. @param {Json} target @returns {string} */
export function where({ syslog, webhook, otlp, file }) {
  if (file) return `${file.name}.jsonl`;
  return syslog ? `syslog ${syslog.host}:${syslog.port}` : (webhook ?? otlp).url;
}

/** How a target stands, in words. @param {Json} target */
export function health({ enabled, shipping }) {
  const { failures, behind, shipped, shippedAt } = shipping;
  if (!enabled) return state("Disabled");
  if (failures > 0) return h("span", { class: "state bad long" }, t("shipping.failing", { count: failures, behind: number(behind) }));
  if (behind > 0) return h("span", { class: "state wait long" }, t("shipping.waiting", { count: number(behind) }));
  if (!shipped && !shippedAt) return h("span", { class: "state still long" }, t("targets.nothingYet"));
  return h("span", { class: "state good" }, t("shipping.hasAll"));
}
