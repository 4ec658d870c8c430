// Audit records that are not at hand any more: their archives, each to download, and since when records are at hand.

import { download, get } from "../api.js";
import { h } from "../dom.js";
import { t, tn } from "../words.js";
import { saveButton } from "./results.js";
import { PAGE_SIZE, list } from "./table.js";
import { copyButton, moment, number, size } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

const PATH = "/api/v2/audit/archives";

/** Where in the address it stands which page of them is shown: the page has another list, too. */
export const PLACE = "archives";

/** Whether it was their page that was turned: then the reader stays with them. */
let isTurned = false;

/** A page of them, the oldest first, and of when the newest record in any is. @param {string | undefined} after @param {AbortSignal} signal */
export async function readArchives(after, signal) {
  const listed = await get(PATH, { after, pageSize: PAGE_SIZE }, signal);
  const newest = async () => (await get("/api/v2/audit", { action: "AuditArchive", pageSize: 1 }, signal))["items"][0]?.detail;
  const last = listed["next"] ? await newest() : listed["items"].at(-1);
  return { ...listed, newestAt: last?.["to"] };
}

/** Since when records are at hand, where older ones are in archives. @param {Json} archives as they were read */
export function sinceWhen({ total, newestAt }) {
  if (!total) return undefined;
  return h("p", { class: "quiet" }, newestAt && [tn("archives.since", { time: moment(newestAt) }), " "], t("archives.older"));
}

/** The archives, where there are any. @param {Json} read as readArchives does @param {Record<string, string>} query */
export function archives(read, query) {
  if (!read["total"]) return undefined;
  const onclick = (/** @type {MouseEvent} */ event) => {
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    isTurned = !isElsewhere && event.target instanceof Element && event.target.closest(".pages a") !== null;
  };
  const section = h("section", { onclick },
    h("h2", {}, t("archives.title")), h("p", { class: "help" }, t("archives.help")),
    list({ path: "/audit", query, place: PLACE, caption: t("archives.title"), columns: columns(), empty: t("list.nothingHere"), listed: { ...read, rows: read["items"] } }));
  // Not before the page is in the document, which begins at its top.
  if (isTurned) setTimeout(() => section.scrollIntoView());
  isTurned = false;
  return section;
}

/** @returns {import("./table.js").Column[]} */
const columns = () => [
  { title: t("archives.firstLeaf"), cell: (row) => t("archives.leaf", { number: number(row["firstLeaf"]) }) },
  { title: t("archives.records"), kind: "number", cell: (row) => number(row["records"]) },
  { title: t("archives.from"), kind: "time", cell: (row) => moment(row["from"]) },
  { title: t("archives.to"), kind: "time", cell: (row) => moment(row["to"]) },
  { title: t("archives.size"), cell: (row) => size(row["bytes"]) },
  { title: t("hash.Sha2_256"), cell: (row) => h("span", { class: "copyable" }, h("code", { class: "id", title: row["sha256"] }, `${row["sha256"].slice(0, 12)}…`), copyButton(row["sha256"])) },
  { title: t("archives.file"), cell: (row) => saveButton(t("cert.download"), `audit-${row["firstLeaf"]}.jsonl`, () => download(`${PATH}/download?firstLeaf=${row["firstLeaf"]}`)) },
];
