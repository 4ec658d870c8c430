// The files of a manifest: all their names, what is new since the last manifest, and whether they give the digest that
// people approve.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t, tn, word } from "../words.js";
import { sha256OfText } from "./hashes.js";
import { state } from "./state.js";
import { verdict } from "./statement.js";
import { later, table } from "./table.js";
import { bytesOf, digest, hex, moment, number, shortId } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

const PAGE = 1000;
/** Names that stand in the document at a time: more are shown when asked for. */
const WINDOW = 200;

/** All items, page after page. @param {string} uuid @param {AbortSignal} [signal] @param {"changes"} [include] what is told of each besides @returns {Promise<Json[]>} */
export async function readItems(uuid, signal, include) {
  /** @type {Json[]} */
  const items = [];
  for (let page = 1; ; page += 1) {
    const answer = await get(`/api/v2/x509/signing-requests/${uuid}/items`, { page, pageSize: PAGE, include }, signal);
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

/** What is new comes first. @type {Record<string, number>} */
const RANKS = { Added: 0, Changed: 1, Same: 2 };
/** @type {Record<string, string>} */
const SHAPES = { Added: "wait", Changed: "wait" };

/** The names with their digests, and a search among them. @param {Json[]} inOrder @param {Json} request @param {Json} [changes] */
export function manifest(inOrder, request, changes) {
  const rank = (/** @type {Json} */ item) => RANKS[item.change] ?? 0;
  const items = [...inOrder].sort((one, other) => rank(one) - rank(other));
  const place = h("div");
  const count = h("p", { class: "quiet", role: "status" });
  let room = WINDOW;
  const search = h("input", { type: "search", "aria-label": t("manifest.search"), placeholder: t("manifest.search") });
  const more = h("button", { type: "button" }, t("manifest.more"));
  const draw = () => {
    const words = search.value.toLowerCase();
    const found = items.filter((item) => item.name.toLowerCase().includes(words));
    fill(place, table(columns(changes?.since), found.slice(0, room), t("manifest.search")));
    count.textContent = t("manifest.count", { shown: number(Math.min(room, found.length)), found: number(found.length), total: number(items.length) });
    more.hidden = found.length <= room;
  };
  search.addEventListener("input", () => ((room = WINDOW), draw()));
  more.addEventListener("click", () => ((room += WINDOW), draw()));
  draw();
  return [h("h2", {}, t("manifest.title", { count: number(request.manifest.total) })), changes && changed(changes), h("div", { class: "controls" }, search), place, count, more];
}

/** What is new since the last manifest that was signed under the policy. @param {Json} changes */
function changed({ since, sinceSignedAt, added, changed: other, same, gone, goneNames }) {
  if (!since) return h("p", {}, t("manifest.first"));
  const last = h("a", { href: `#/approvals/request/${since.uuid}` }, shown(since.name), " ", shortId(since.uuid));
  const counts = { added: number(added), changed: number(other), same: number(same), gone: number(gone) };
  return [
    h("p", {}, tn("manifest.since", { last, when: moment(sinceSignedAt) }), " ", h("strong", {}, t("manifest.changes", counts))),
    gone > 0 && h("details", {}, h("summary", {}, t("manifest.gone", { count: number(gone) })),
      h("ul", {}, goneNames.map((/** @type {string} */ name) => h("li", {}, shown(name)))),
      gone > goneNames.length && h("p", { class: "help" }, t("manifest.moreGone", { count: number(gone - goneNames.length) }))),
  ];
}

/** @param {Json} [since] @returns {import("./table.js").Column[]} */
const columns = (since) => [
  { title: t("column.file"), cell: (item) => shown(item["name"]) },
  ...(since ? [{ title: t("column.change"), cell: change }] : []),
  { title: t("fact.digest"), cell: (item) => digest(item["digest"]) },
  { title: t("column.state"), cell: (item) => state(item["state"]) },
];

/** @param {import("./table.js").Row} item */
const change = (item) => h("span", { class: `state ${SHAPES[item["change"]] ?? "still"}` }, word("itemChange", item["change"]));
