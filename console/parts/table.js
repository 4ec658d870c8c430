// Lists: a real table of one page of what the interface has, with search and the next page in the address, so that going
// back leads to the same place. However long a list is, no more than a page of it is in the document.

import { fill, h } from "../dom.js";
import { address, go } from "../router.js";
import { t } from "../words.js";
import { problem } from "./problem.js";
import { number } from "./values.js";

/** @typedef {import("../dom.js").Child} Child */
/** @typedef {Record<string, any>} Row */
/** @typedef {{title: string, cell: (row: Row) => Child, kind?: string}} Column */
/** @typedef {{rows: Row[], next?: string | null, total?: number, totalIsAtLeast?: boolean}} Listed */

export const PAGE_SIZE = 50;

/** A table of rows. The roles are said, because a telephone shows rows as blocks. @param {Column[]} columns @param {Row[]} rows @param {string} caption */
export function table(columns, rows, caption) {
  const head = h("tr", { role: "row" }, columns.map((column) => h("th", { scope: "col", role: "columnheader", class: column.kind }, column.title)));
  const line = (/** @type {Row} */ row) => h("tr", { role: "row" }, columns.map((column, index) => {
    const attributes = { class: column.kind, "data-title": column.title };
    return index === 0 ? h("th", { scope: "row", role: "rowheader", ...attributes }, column.cell(row)) : h("td", { role: "cell", ...attributes }, column.cell(row));
  }));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { role: "table" }, h("caption", { class: "sr" }, caption), h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, rows.map(line))));
}

/**
 * A list with its search and its pages.
 * @param {{path: string, query: Record<string, string>, caption: string, columns: Column[], empty: Child,
 *   search?: string, filters?: (HTMLSelectElement | HTMLInputElement)[], listed: Listed, place?: string}} options
 *   `search`: what is searched for; `filters`: further choices, each by its name in the address; `place`: how the address calls where
 *   in the list one is, on a page that has another list, too
 */
export function list(options) {
  const { path, query, listed, place = "after" } = options;
  const isFiltered = Object.keys(query).some((name) => name !== place);
  const rows = listed.rows.length > 0 ? table(options.columns, listed.rows, options.caption)
    : h("div", { class: "empty" }, query[place] || (isFiltered && listed.next) ? t("list.nothingHere") : isFiltered ? t("list.nothingFound") : options.empty);
  return [controls(options), rows, pages(path, query, listed, place)];
}

/** @param {{path: string, query: Record<string, string>, search?: string, filters?: (HTMLSelectElement | HTMLInputElement)[]}} options */
function controls({ path, query, search, filters = [] }) {
  if (!search && filters.length === 0) return undefined;
  const box = search && h("input", { type: "search", name: "search", "aria-label": search, placeholder: search, value: query["search"] ?? "" });
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const chosen = Object.fromEntries(filters.map((filter) => [filter.name, filter.value]));
    go(address(path, { ...(box ? { search: box.value.trim() } : {}), ...chosen }));
  };
  const made = h("form", { class: "controls", role: "search", onsubmit }, box, filters, h("button", { type: "submit" }, t("list.search")));
  for (const filter of filters) filter.addEventListener("change", () => made.requestSubmit());
  return made;
}

/** Which page led to which, by their addresses: the interface tells what comes after a page, and not what was before it. @type {Map<string, string>} */
const before = new Map();

/** @param {string} path @param {Record<string, string>} query @param {Listed} listed @param {string} place */
function pages(path, query, listed, place) {
  const { [place]: after, ...rest } = query;
  const here = address(path, { ...rest, [place]: after });
  const next = listed.next && address(path, { ...rest, [place]: listed.next });
  if (next) before.set(next, here);
  const previous = before.get(here);
  const count = listed.total === undefined ? undefined
    : t(listed.totalIsAtLeast ? "list.atLeast" : "list.total", { count: number(listed.total) });
  return h("div", { class: "pages" },
    count && h("span", { class: "quiet" }, count),
    after && h("a", { href: address(path, rest) }, t("list.first")),
    previous && h("a", { href: previous, rel: "prev" }, t("list.previous")),
    next && h("a", { href: next, rel: "next" }, t("list.next")));
}

/** Fills a place when what it shows has been read; says why where it cannot be. @param {HTMLElement} place @param {() => Promise<Child>} read */
export function later(place, read) {
  const fillIn = () => read().then((content) => fill(place, content), (error) => {
    if (!(error instanceof DOMException)) fill(place, problem(error, () => void fillIn()));
  });
  void fillIn();
  return place;
}
