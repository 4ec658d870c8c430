// Certificates: the hierarchy as a tree, what is searched for as a list, and what ends soon.

import { get } from "../api.js";
import { h } from "../dom.js";
import { tree } from "../parts/certificate-tree.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { day, month, number, relative } from "../parts/values.js";
import { address } from "../router.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const STATES = ["", "Valid", "Expired", "Held", "Revoked"];
/** How many months are looked ahead, this one and twelve more, and how many certificates one look reads. */
const MONTHS = 13;
const LOOK = 1000;

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const isTree = Object.keys(query).length === 0;
  const content = [
    h("div", { class: "head" }, h("h1", {}, t(query["view"] === "ending" ? "certificates.ending" : "certificates.title")),
      h("p", { class: "actions" },
        !isTree && h("a", { href: "#/certificates" }, t("certificates.tree")),
        query["view"] !== "ending" && h("a", { href: "#/certificates?view=ending" }, t("certificates.ending")),
        h("a", { href: "#/certificates/profiles" }, t("certProfiles.title")),
        may("CertManage:Generate") && may("CertManage:Manage") && h("a", { href: "#/certificates/import" }, t("certificates.import")),
        may("CertManage:Generate") && h("a", { class: "primary", href: "#/certificates/issue" }, t("certificates.issue")))),
    isTree ? [search(query), await tree(signal)] : query["view"] === "ending" ? await ending(query, signal) : await found(query, signal),
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
  const { search, status, issuer, after } = query;
  const answer = await get("/api/v2/x509", { search, status, issuer, after, pageSize: PAGE_SIZE }, signal);
  return list({ path: "/certificates", query, caption: t("nav.certificates"), columns: columns(), empty: t("certificates.empty"), search: t("certificates.search"), filters: filters(query), listed: { ...answer, rows: answer["results"] } });
}

/** What ends soon, month by month. @param {Record<string, string>} query @param {AbortSignal} signal */
async function ending(query, signal) {
  const now = new Date();
  const starts = Array.from({ length: MONTHS }, (_, index) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + index)).toISOString());
  // The next page is of the same question: its end must not move with the clock.
  const before = query["before"] ?? new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + MONTHS)).toISOString();
  const answer = await get("/api/v2/x509", { status: "Valid", expiresBefore: before, after: query["after"], pageSize: LOOK }, signal);
  /** @type {Map<string, Json[]>} */
  const byMonth = Map.groupBy(answer["results"], (/** @type {Json} */ one) => one["notAfter"].slice(0, 7));
  const sections = starts.map((start) => ofMonth(month(start), byMonth.get(start.slice(0, 7)) ?? []));
  const next = answer["next"] && h("p", {}, t("certificates.moreEnd", { count: number(LOOK) }), " ", h("a", { href: address("/certificates", { view: "ending", before, after: answer["next"] }) }, t("list.next")));
  return [sections, next];
}

/** @param {string} title @param {Json[]} rows */
function ofMonth(title, rows) {
  const heading = h("h2", {}, t("certificates.inMonth", { month: title, count: number(rows.length) }));
  return h("section", {}, heading, rows.length > 0 && table(columns(), rows, title));
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
