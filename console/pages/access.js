// Who can do what now: each identity with what it can do, by which role, and how much of a value it sees.

import { get } from "../api.js";
import { h } from "../dom.js";
import { mask as maskText } from "../parts/mask.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { number } from "../parts/values.js";
import { address } from "../router.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const RIGHTS = ["Tokenize", "Detokenize", "Sign", "Approve", "Administer"];

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const { right, search, identityUuid, objectUuid, after } = query;
  const answer = await get("/api/v2/reports/access", { right, search, identityUuid, objectUuid, after, pageSize: PAGE_SIZE }, signal);
  const filter = h("select", { name: "right", "aria-label": t("access.right") }, h("option", { value: "" }, `${t("access.right")}: ${t("list.all")}`),
    RIGHTS.map((one) => h("option", { value: one, selected: one === right }, word("right", one))));
  const rows = answer["results"].flatMap((/** @type {Json} */ one) => one["rights"].map((/** @type {Json} */ held, /** @type {number} */ index) => ({ ...held, identity: one, first: index === 0 })));
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/audit" }, t("nav.audit"))),
    h("h1", {}, t("access.title")),
    h("p", {}, t("access.now"), " ", h("a", { href: address("/audit", { concerns: "Access" }) }, t("access.changes"))),
    list({ path: "/audit/access", query, caption: t("access.title"), columns: columns(), empty: t("access.empty"), search: t("access.search"), filters: [filter], listed: { rows, next: answer["next"] } }),
    // Of each identity there are several rows.
    h("p", { class: "quiet" }, t("access.total", { count: number(answer["total"]) })),
  ];
  return { title: t("access.title"), content };
}

/** @returns {import("../parts/table.js").Column[]} */
const columns = () => [
  { title: t("column.who"), cell: ({ identity }) => [h("a", { href: address("/audit", { identityUuid: identity.objInfo.uuid }) }, shown(identity.objInfo.name)), " ", identity.locked && h("span", { class: "state bad" }, t("identity.locked"))] },
  { title: t("access.right"), cell: (row) => word("right", row["right"]) },
  { title: t("column.object"), cell: (row) => row["tokenProfile"] ? h("a", { href: `#/tokenization/profile/${row["tokenProfile"].uuid}` }, shown(row["tokenProfile"].name)) : word("perm", row["perm"]) },
  { title: t("access.sees"), cell: (row) => sees(row) },
  { title: t("access.role"), cell: (row) => [shown(row["role"].name), row["loginsRequired"] > 1 && ` (${t("role.loginCount", { count: row["loginsRequired"] })})`] },
];

/** @param {import("../parts/table.js").Row} row */
function sees({ right, mask, numApprovals }) {
  if (mask) return maskText(mask);
  if (numApprovals) return t("access.asked", { count: numApprovals });
  return right === "Detokenize" ? t("access.all") : "";
}
