// All signing requests, by state, with search.

import { get } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { changes } from "../parts/changes.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { endOf, moment, shortId } from "../parts/values.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const STATES = ["", "Approval", "Signed", "Failed", "Denied"];

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const { search, after } = query;
  const news = await changes(signal, ["SigningRequest"]);
  const [answer, services] = await Promise.all([
    get("/api/v2/x509/signing-requests", { state: query["state"], search, after, pageSize: PAGE_SIZE }, signal),
    new Names(signal).services()]);
  const filter = h("select", { name: "state", "aria-label": t("column.state") },
    STATES.map((one) => h("option", { value: one, selected: one === (query["state"] ?? "") }, one ? word("state", one) : t("list.all"))));
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title"))),
    h("div", { class: "head" }, h("h1", {}, t("approvals.requests")), h("p", { class: "actions" },
      h("a", { href: "#/signing/verify" }, t("verify.title")),
      may("Signing:Submit") && h("a", { class: "primary", href: "#/signing/submit" }, t("signing.submit")))),
    news,
    list({ path: "/signing/requests", query, caption: t("approvals.requests"), columns: requestColumns(services), empty: t("requests.empty"), search: t("requests.search"), filters: [filter], listed: { ...answer, rows: answer.items } }),
  ];
  return { title: t("approvals.requests"), content };
}

/** @param {Map<string, string>} [services] names by uuid, where they are of several @returns {import("../parts/table.js").Column[]} */
export function requestColumns(services) {
  return [
    { title: t("column.request"), cell: (row) => h("a", { href: `#/approvals/request/${row["uuid"]}` }, shown(row["name"])) },
    ...(services ? [{ title: t("column.service"), cell: (/** @type {import("../parts/table.js").Row} */ row) => h("a", { href: `#/signing/service/${row["serviceUuid"]}` }, services.has(row["serviceUuid"]) ? shown(services.get(row["serviceUuid"]) ?? "") : endOf(row["serviceUuid"])) }] : []),
    { title: t("column.state"), cell: (row) => state(row["state"]) },
    { title: t("column.submitted"), kind: "time", cell: (row) => moment(row["submittedAt"]) },
    { title: t("column.claims"), cell: (row) => claims(row) },
    { title: "UUID", cell: (row) => shortId(row["uuid"]) },
  ];
}

/** What the submitter said, in a line. @param {Json} row */
function claims(row) {
  const texts = [row["note"], ...Object.entries(row["metadata"] ?? {}).map(([name, value]) => `${name}: ${value}`)].filter(Boolean);
  return texts.flatMap((text, index) => [index > 0 && " · ", shown(text.length > 80 ? `${text.slice(0, 80)}…` : text)]);
}
