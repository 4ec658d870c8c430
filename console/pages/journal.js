// Who has made or read a token: asked of this server's journal, part after part. The token is in no address: it goes in a body.

import { get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { field, form, input, select, whileBusy } from "../parts/form.js";
import { problem } from "../parts/problem.js";
import { state } from "../parts/state.js";
import { table } from "../parts/table.js";
import { copyable, endOf, inZone, moment, number, shortId } from "../parts/values.js";
import { address } from "../router.js";
import { shown } from "../visible.js";
import { apart, t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const PATH = "/api/v2/audit/journal/search";

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const stubs = await get("/api/v2/token-profiles/stubs", { pageSize: 1000 }, signal);
  const names = new Map(stubs["results"].map((/** @type {Json} */ one) => [one["objInfo"].uuid, one["objInfo"].name]));
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/audit" }, t("nav.audit"))),
    h("h1", {}, t("journal.title")),
    h("p", {}, t("journal.about")),
    asking(names, query["profile"]),
  ];
  return { title: t("journal.title"), content };
}

/** The form, and below it what was found. @param {Map<string, string>} names of the profiles that there are @param {string | undefined} chosen */
function asking(names, chosen) {
  const options = /** @type {[string, string][]} */ ([...names, ["", t("journal.deleted")]]);
  const profile = field(t("journal.profile"), select(options, chosen), { pointer: "/tokenProfileUuid" });
  const deleted = field(t("journal.deletedUuid"), input({ spellcheck: "false" }), { pointer: "/tokenProfileUuid", help: t("journal.deletedHelp") });
  const token = field(t("try.token"), input({ spellcheck: "false" }), { pointer: "/token", help: t("journal.tokenHelp") });
  const from = field(inZone(t("audit.from")), input({ type: "datetime-local", step: 1 }), { pointer: "/from" });
  const to = field(inZone(t("audit.to")), input({ type: "datetime-local", step: 1 }), { pointer: "/to" });
  const isDeleted = () => (deleted.element.hidden = profile.control.value !== "");
  profile.control.addEventListener("input", isDeleted);
  isDeleted();
  const found = h("output", { class: "found" });
  const act = async () => {
    fill(found);
    if (from.control.value && to.control.value && from.control.value > to.control.value) {
      to.complain(t("audit.order"));
      to.control.focus();
      return;
    }
    const question = {
      tokenProfileUuid: profile.control.value || deleted.control.value.trim(), token: token.control.value,
      ...moments({ from: from.control.value, to: to.control.value }),
    };
    const answer = await post(PATH, question);
    fill(found, ...results(found, question, answer, [], names));
  };
  return [form({ fields: [profile, deleted, token, from, to], submit: t("journal.ask"), passing: true, act }), found];
}

/** Moments as fields have them, in the zone of the reader. @param {Record<string, string>} local */
const moments = (local) => Object.fromEntries(Object.entries(local).filter(([, value]) => value).map(([name, value]) => [name, new Date(value).toISOString()]));

/** What was found so far, and what can be done for more. @param {HTMLElement} place @param {Json} question @param {Json} answer @param {Json[]} before @param {Map<string, string>} names */
function results(place, question, answer, before, names) {
  const calls = [...before, ...answer["items"]];
  const more = h("button", { type: "button" }, t("journal.more"));
  more.addEventListener("click", () => whileBusy(more, async () => {
    const next = await post(PATH, { ...question, after: answer["next"] });
    next["journals"].forEach((/** @type {Json} */ one) => add(one, answer["journals"]));
    fill(place, ...results(place, question, next, calls, names));
  }).catch((error) => more.after(problem(error))));
  return [
    h("h2", {}, t("journal.found", { count: number(calls.length) })),
    verdict(answer, calls.length),
    h("p", { class: "quiet" }, tn("journal.refused", { audit: h("a", { href: address("/audit", { outcome: "NotAuthorized", objectUuid: question["tokenProfileUuid"] }) }, t("nav.audit")) })),
    calls.length > 0 && table(columns(names), calls, t("journal.title")),
    answer["next"] && h("p", { class: "actions" }, more),
    h("h2", {}, t("journal.journals")),
    table(journals(), answer["journals"], t("journal.journals")),
  ];
}

/** What earlier answers said of the same journal counts, too. @param {Json} journal @param {Json[]} before */
function add(journal, before) {
  const same = before.find((one) => one["uuid"] === journal["uuid"]);
  if (journal["records"] !== undefined) journal["records"] += same?.["records"] ?? 0;
  journal["faults"] = [...(same?.["faults"] ?? []), ...(journal["faults"] ?? [])];
}

/** Whether that is all. @param {Json} answer @param {number} count */
function verdict({ complete, next, journals: all }, count) {
  if (complete) return h("p", { class: "state good long" }, count > 0 ? t("journal.complete") : t("journal.nobody"));
  if (next) return h("p", { class: "state wait long" }, t("journal.soFar"));
  const removed = all.map((/** @type {Json} */ one) => one["removedBefore"]).find(Boolean);
  return h("p", { class: "state bad long" }, t("journal.incomplete"), removed && [" ", t("journal.removed"), " ", moment(removed), "."]);
}

/** @param {Map<string, string>} names @returns {import("../parts/table.js").Column[]} */
const columns = (names) => [
  { title: t("column.action"), kind: "words", cell: (row) => [apart("action", row["action"]), row["tokenProfileUuid"] && h("span", { class: "quiet" }, " ", names.has(row["tokenProfileUuid"]) ? shown(names.get(row["tokenProfileUuid"]) ?? "") : endOf(row["tokenProfileUuid"])), row["keyVersion"] && h("span", { class: "quiet" }, ", ", t("profile.version", { version: row["keyVersion"] }))] },
  { title: t("column.time"), kind: "time", cell: (row) => moment(row["time"], "medium") },
  { title: t("column.who"), cell: (row) => row["identities"].flatMap((/** @type {Json} */ one, /** @type {number} */ index) =>
    [index > 0 && " + ", h("a", { href: address("/audit", { identityUuid: one["uuid"] }) }, one["name"] ? shown(one["name"]) : endOf(one["uuid"]))]) },
  { title: t("column.outcome"), kind: "words", cell: (row) => row["outcome"] === "Success" ? state("Success") : h("span", { class: "state bad" }, apart("outcome", row["outcome"])) },
  { title: t("access.sees"), kind: "words", cell: (row) => word("journalView", row["view"]) },
  { title: t("journal.places"), kind: "words", cell: (row) => t("journal.placesOf", { places: places(row), values: number(row["values"]) }) },
  { title: t("column.detail"), cell: (row) => h("span", { class: "quiet" }, t("audit.from"), " ", row["source"], " ", copyable(row["requestId"])) },
];

/** The first places of the token among the values of a call, counted from 1. @param {import("../parts/table.js").Row} row */
function places({ indexes, matches }) {
  const some = indexes.slice(0, 5).map((/** @type {number} */ index) => number(index + 1)).join(", ");
  return matches > 5 ? `${some}, …` : some;
}

/** @returns {import("../parts/table.js").Column[]} */
const journals = () => [
  { title: t("journal.host"), cell: (row) => [shown(row["host"]), " ", shortId(row["uuid"])] },
  { title: t("column.state"), cell: (row) => h("span", { class: `state ${{ Searched: "good", Elsewhere: "wait" }[/** @type {string} */ (row["standing"])] ?? "bad"}` }, word("journalStanding", row["standing"])) },
  { title: t("journal.records"), kind: "number", cell: (row) => (row["records"] === undefined ? "–" : number(row["records"])) },
  { title: t("journal.since"), kind: "time", cell: (row) => moment(row["removedBefore"] ?? row["beganAt"]) },
  { title: t("journal.heard"), kind: "time", cell: (row) => moment(row["writtenAt"]) },
  { title: t("journal.faults"), cell: (row) => (row["faults"] ?? []).length === 0 ? "–" : h("ul", { class: "notes" }, row["faults"].map((/** @type {string} */ one) => h("li", {}, one))) },
];
