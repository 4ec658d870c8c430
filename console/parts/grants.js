// Approvals of detokenizing in full: what is asked for, what was granted before, and the form that asks.

import { get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { includesUs, may, session } from "../session.js";
import { show } from "../show.js";
import { people } from "./people.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";
import { claimed, computed, facts } from "./facts.js";
import { askSlowly, field, form, input, select, textarea } from "./form.js";
import { state } from "./state.js";
import { table } from "./table.js";
import { digest, lasting, moment, number, shortId } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {Json} grant */
const tokens = (grant) => grant["tokens"] === undefined || grant["tokens"] === null
  ? h("strong", { class: "state wait" }, t("grant.any")) : t("grant.listed", { count: number(grant["tokens"]) });

/** What approvers decide on: what the server will hold it to, and what the one who asks says. @param {Json} proposal @param {Json} said the text that is approved */
export function grantFacts(proposal, said) {
  const { grant, tokensDigest, thisMonth } = proposal["detokenizeGrant"];
  return [
    facts(
      computed(t("grant.who"), people(said["requestedBy"])),
      computed(t("column.profile"), [h("a", { href: `#/tokenization/profile/${said["tokenProfile"].uuid}` }, shown(said["tokenProfile"].name)), " ", shortId(said["tokenProfile"].uuid)]),
      computed(t("grant.tokens"), [tokens({ tokens: said["tokens"]?.count }), tokensDigest && [" ", digest(tokensDigest)]]),
      computed(t("grant.values"), t("grant.upTo", { count: number(said["maxValues"]) })),
      computed(t("grant.ends"), grant.endsAt ? moment(grant.endsAt) : tn("pre.lifetime", { time: lasting(said["lifetimeS"] * 1000) })),
      computed(t("grant.used"), t("grant.usedOf", { used: number(grant.used), count: number(grant.maxValues) })),
      claimed(t("grant.reason"), shown(said["reason"])),
      said["ticket"] && claimed(t("grant.ticket"), shown(said["ticket"]))),
    h("h2", {}, t("grant.thisMonth")),
    thisMonth.length > 0 ? grantTable(thisMonth, t("grant.thisMonth")) : h("div", { class: "empty" }, t("grant.noneThisMonth")),
  ];
}

/** @param {Json[]} grants @param {string} caption */
function grantTable(grants, caption) {
  const columns = [
    { title: t("grant.who"), cell: (/** @type {Json} */ row) => people(row["requestedBy"]) },
    { title: t("grant.reason"), cell: (/** @type {Json} */ row) => [shown(row["reason"]), row["ticket"] && [" (", shown(row["ticket"]), ")"]] },
    { title: t("column.state"), cell: (/** @type {Json} */ row) => state(row["state"]) },
    { title: t("grant.tokens"), cell: (/** @type {Json} */ row) => tokens(row) },
    { title: t("grant.used"), kind: "number", cell: (/** @type {Json} */ row) => t("grant.usedOf", { used: number(row["used"]), count: number(row["maxValues"]) }) },
    { title: t("grant.ends"), kind: "time", cell: (/** @type {Json} */ row) => row["endsAt"] ? moment(row["endsAt"]) : "–" },
    { title: t("grant.name"), cell: (/** @type {Json} */ row) => [shortId(row["uuid"]), " ", endButton(row)] },
  ];
  return table(columns, grants, caption);
}

/** @param {Json} grant */
function endButton(grant) {
  const path = `/api/v2/token-profiles/${grant["tokenProfile"].uuid}/grants/${grant["uuid"]}/revoke`;
  const mayEnd = may("Signing:Approve", "Tokenization:Manage") || includesUs(grant["requestedBy"]);
  if (!["Active", "Approval"].includes(grant["state"]) || !mayEnd) return undefined;
  const onclick = () => askSlowly({
    title: t("grant.end"), what: h("p", {}, t("grant.endWhat")), name: grant["reason"], submit: t("grant.end"),
    act: async () => {
      await post(path, {});
      await show();
    },
  });
  return h("button", { type: "button", class: "danger", onclick }, t("grant.end"));
}

/** The grants of a profile that the reader may see. @param {string} uuid @param {AbortSignal} signal @returns {Promise<Json[]>} */
export const readGrants = async (uuid, signal) => (await get(`/api/v2/token-profiles/${uuid}/grants`, { pageSize: 100 }, signal))["items"];

/** @param {Json[]} items */
export const grantList = (items) => (items.length > 0 ? grantTable(items, t("grant.title")) : h("div", { class: "empty" }, t("grant.none")));

/** Whether whoever is logged in here, together, may use it now. @param {Json} grant */
export const isOurs = (grant) => grant["state"] === "Active" && grant["used"] < grant["maxValues"]
  && grant["requestedBy"].length === session.identities.length && grant["requestedBy"].every((/** @type {Json} */ one) => includesUs([/** @type {any} */ (one)]));

/** The button that opens the form that asks for one. @param {string} uuid */
export function askForGrant(uuid) {
  const place = h("div", {});
  return [h("div", { class: "actions" }, h("button", { type: "button", onclick: () => fill(place, asking(uuid)) }, t("grant.ask"))), place];
}

/** @param {string} uuid */
function asking(uuid) {
  const reason = field(t("grant.reason"), input({ maxlength: 255 }), { pointer: "/reason", help: t("grant.reasonHelp") });
  const ticket = field(t("grant.ticket"), input({ maxlength: 255 }), { pointer: "/ticket" });
  const list = field(t("try.tokens"), textarea({ rows: 4, spellcheck: "false" }), { pointer: "/tokens", help: t("grant.tokensHelp") });
  const values = field(t("grant.values"), input({ type: "number", min: 1, max: 1_000_000, value: 1 }), { pointer: "/maxValues", help: t("grant.valuesHelp") });
  const amount = field(t("grant.lifetime"), input({ type: "number", min: 1, value: 8 }), { pointer: "/lifetime" });
  const unit = field(t("grant.unit"), select([["Minute", t("per.Minute")], ["Hour", t("per.Hour")], ["Day", t("per.Day")]], "Hour"));
  const note = field(t("fact.note"), textarea({ rows: 2 }), { pointer: "/note" });
  const act = async () => {
    const lines = list.control.value.split("\n").filter((line) => line !== "");
    await post(`/api/v2/token-profiles/${uuid}/grants`, {
      reason: reason.control.value,
      ...(ticket.control.value ? { ticket: ticket.control.value } : {}),
      ...(note.control.value ? { note: note.control.value } : {}),
      ...(lines.length > 0 ? { tokens: lines } : {}),
      maxValues: Number(values.control.value),
      lifetime: { unit: unit.control.value, amount: amount.control.value },
    });
    await show();
  };
  return form({ fields: [reason, ticket, list, values, amount, unit, note], submit: t("grant.ask"), act });
}
