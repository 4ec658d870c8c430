// Certificates: the hierarchy as a tree, what is searched for as a list, and what ends soon.

import { get } from "../api.js";
import { h } from "../dom.js";
import { tree } from "../parts/certificate-tree.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { day, relative } from "../parts/values.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const STATES = ["", "Valid", "Expired", "Held", "Revoked"];
const MONTH_MS = 30 * 86_400_000;

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const isTree = Object.keys(query).length === 0;
  const content = [
    h("div", { class: "head" }, h("h1", {}, t(query["view"] === "ending" ? "certificates.ending" : "certificates.title")),
      h("p", { class: "actions" },
        !isTree && h("a", { href: "#/certificates" }, t("certificates.tree")),
        query["view"] !== "ending" && h("a", { href: "#/certificates?view=ending" }, t("certificates.ending")),
        may("CertManage:Generate") && h("a", { class: "primary", href: "#/certificates/issue" }, t("certificates.issue")))),
    isTree ? [search(query), await tree(signal)] : await found(query, signal),
  ];
  return { title: t("nav.certificates"), content };
}

/** The search alone, above the tree. @param {Record<string, string>} query */
const search = (query) => list({ path: "/certificates", query, caption: "", columns: [], empty: "", search: t("certificates.search"), filters: filters(query), listed: { rows: [] } })[0];

/** @param {Record<string, string>} query */
function filters(query) {
  return [h("select", { name: "status", "aria-label": t("column.state") },
    STATES.map((one) => h("option", { value: one, selected: one === (query["status"] ?? "") }, one ? word("state", one) : t("list.all"))))];
}

/** @param {Record<string, string>} query @param {AbortSignal} signal */
async function found(query, signal) {
  const isEnding = query["view"] === "ending";
  const asked = { search: query["search"], status: isEnding ? "Valid" : query["status"], issuer: query["issuer"], after: query["after"], pageSize: PAGE_SIZE,
    expiresBefore: isEnding ? query["before"] ?? new Date(Date.now() + 3 * MONTH_MS).toISOString() : undefined };
  const answer = await get("/api/v2/x509", asked, signal);
  // The next page is of the same question: its end must not move with the clock.
  const kept = isEnding ? { ...query, before: String(asked.expiresBefore) } : query;
  return list({ path: "/certificates", query: kept, caption: t("nav.certificates"), columns: columns(), empty: t("certificates.empty"), search: isEnding ? undefined : t("certificates.search"), filters: isEnding ? [] : filters(query), listed: { ...answer, rows: answer["results"] } });
}

/** @returns {import("../parts/table.js").Column[]} */
function columns() {
  return [
    { title: t("cert.subject"), cell: (row) => h("a", { href: `#/certificates/${row["objInfo"].uuid}` }, shown(row["subject"] || row["objInfo"].name)) },
    { title: t("column.state"), cell: (row) => state(row["status"]) },
    { title: t("fact.key"), cell: (row) => word("algorithm", row["keyAlgorithm"]) },
    { title: t("cert.ends"), kind: "time", cell: (row) => [day(row["notAfter"]), " (", relative(row["notAfter"]), ")"] },
    { title: t("cert.serial"), cell: (row) => h("code", {}, row["serialNumber"]) },
  ];
}
