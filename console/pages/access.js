// Who can do what now, or could at a moment: each identity with what it can do, by which role, and how much of a value it sees.

import { Refusal, get, post } from "../api.js";
import { h } from "../dom.js";
import { sinceBox } from "../parts/effect.js";
import { field, input } from "../parts/form.js";
import { mask as maskText } from "../parts/mask.js";
import { message } from "../parts/problem.js";
import { PAGE_SIZE, later, list } from "../parts/table.js";
import { inZone, localOf, moment, number, utcOf } from "../parts/values.js";
import { address, go } from "../router.js";
import { shown } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const RIGHTS = ["Tokenize", "Detokenize", "Sign", "Approve", "Administer"];

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const { right, search, identityUuid, objectUuid, after } = query;
  const asOf = utcOf(query["asOf"]);
  const form = asked(query, asOf);
  const heading = [h("p", { class: "crumbs" }, h("a", { href: "#/audit" }, t("nav.audit"))), h("h1", {}, t("access.title"))];
  /** @type {Json} */
  let answer;
  try {
    answer = await get("/api/v2/reports/access", { right, search, identityUuid, objectUuid, after, asOf, pageSize: PAGE_SIZE }, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || error.field !== "/asOf") throw error;
    // The reader goes on from the moment that cannot be had.
    form.when.complain(message(error));
    return { title: t("access.title"), content: [heading, form.element] };
  }
  const filter = h("select", { name: "right", "aria-label": t("access.right") }, h("option", { value: "" }, `${t("access.right")}: ${t("list.all")}`),
    RIGHTS.map((one) => h("option", { value: one, selected: one === right }, word("right", one))));
  const rows = answer["results"].flatMap((/** @type {Json} */ one) => one["rights"].map((/** @type {Json} */ held, /** @type {number} */ index) => ({ ...held, identity: one, first: index === 0 })));
  const content = [
    heading,
    h("p", {}, asOf ? tn("access.then", { time: moment(asOf, "medium") }) : t("access.now"), " ", h("a", { href: address("/audit", { concerns: "Access", from: asOf }) }, t("access.changes"))),
    form.element,
    uncertain(answer),
    asOf && later(h("div", {}), async () => sinceBox(await post("/api/v2/reports/access/effect", { since: asOf }))),
    list({ path: "/audit/access", query, caption: t("access.title"), columns: columns(), empty: t("access.empty"), search: t("access.search"), filters: [filter, form.carried], listed: { rows, next: answer["next"] } }),
    // Of each identity there are several rows.
    h("p", { class: "quiet" }, t("access.total", { count: number(answer["total"]) })),
  ];
  return { title: t("access.title"), content };
}

/**
 * Asks for a moment; without one it is now. Whoever searches instead asks for the moment that is entered: `carried` has it.
 * @param {Record<string, string>} query @param {string} asOf
 */
function asked(query, asOf) {
  const when = field(inZone(t("access.asOf")), input({ type: "datetime-local", step: 1, name: "asOf", value: localOf(asOf), max: localOf(new Date().toISOString()) }));
  const carried = h("input", { type: "hidden", name: "asOf", value: asOf });
  when.control.addEventListener("input", () => (carried.value = utcOf(when.control.value)));
  const { after, ...rest } = query;
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    go(address("/audit/access", { ...rest, asOf: utcOf(when.control.value) }));
  };
  const element = h("form", { class: "controls labelled", onsubmit }, when.element, h("button", { type: "submit" }, t("access.ask")));
  return { element, when, carried };
}

/** What cannot be known of that moment; in the server's words. @param {Json} answer */
function uncertain({ uncertain: found = [], uncertainLeftOut }) {
  if (found.length === 0) return undefined;
  const line = (/** @type {Json} */ { object, why }) => h("li", { class: "state wait long" }, object && [h("strong", {}, object.name ? shown(object.name) : `…${object.uuid.slice(-8)}`), ": "], h("span", { lang: "en" }, why));
  return h("section", { class: "effect widens" }, h("h2", {}, t("access.uncertain")), h("p", {}, t("access.uncertainWhy")), h("ul", {}, found.map(line)),
    uncertainLeftOut > 0 && h("p", { class: "quiet" }, t("access.uncertainMore", { count: number(uncertainLeftOut) })));
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
