// The files of a manifest: all their names, and whether they give the digest that people approve.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { sha256OfText } from "./hashes.js";
import { state } from "./state.js";
import { verdict } from "./statement.js";
import { later, table } from "./table.js";
import { bytesOf, digest, hex, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

const PAGE = 1000;
/** Names that stand in the document at a time: more are shown when asked for. */
const WINDOW = 200;

/** All items, page after page. @param {string} uuid @param {AbortSignal} [signal] @returns {Promise<Json[]>} */
export async function readItems(uuid, signal) {
  /** @type {Json[]} */
  const items = [];
  for (let page = 1; ; page += 1) {
    const answer = await get(`/api/v2/x509/signing-requests/${uuid}/items`, { page, pageSize: PAGE }, signal);
    items.push(...answer.items);
    if (answer.items.length < PAGE || items.length >= answer.total) return items;
  }
}

/** Whether the items' lines give the digest. @param {Json} request @param {Json[]} items */
export function manifestDigest(request, items) {
  return later(h("div", {}), async () => {
    const lines = items.map((item) => `${hex(bytesOf(item.digest))}  ${item.name}\n`).join("");
    return verdict(hex(await sha256OfText(lines)) === hex(bytesOf(request.digest)));
  });
}

/** The names with their digests, and a search among them. @param {Json[]} items @param {Json} request */
export function manifest(items, request) {
  const place = h("div");
  const count = h("p", { class: "quiet", role: "status" });
  let room = WINDOW;
  const search = h("input", { type: "search", "aria-label": t("manifest.search"), placeholder: t("manifest.search") });
  const more = h("button", { type: "button" }, t("manifest.more"));
  const draw = () => {
    const words = search.value.toLowerCase();
    const found = items.filter((item) => item.name.toLowerCase().includes(words));
    fill(place, table(columns(), found.slice(0, room), t("manifest.search")));
    count.textContent = t("manifest.count", { shown: number(Math.min(room, found.length)), found: number(found.length), total: number(items.length) });
    more.hidden = found.length <= room;
  };
  search.addEventListener("input", () => ((room = WINDOW), draw()));
  more.addEventListener("click", () => ((room += WINDOW), draw()));
  draw();
  return [h("h2", {}, t("manifest.title", { count: number(request.manifest.total) })), h("div", { class: "controls" }, search), place, count, more];
}

/** @returns {import("./table.js").Column[]} */
const columns = () => [
  { title: t("column.file"), cell: (item) => shown(item["name"]) },
  { title: t("fact.digest"), cell: (item) => digest(item["digest"]) },
  { title: t("column.state"), cell: (item) => state(item["state"]) },
];
