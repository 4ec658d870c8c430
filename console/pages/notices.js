// Notices: what was told, and to whom Chancery tells it.

import { get } from "../api.js";
import { h } from "../dom.js";
import { Names, each } from "../names.js";
import { KINDS, mailbox } from "../parts/mailbox.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { endOf, moment, number, relative } from "../parts/values.js";
import { address } from "../router.js";
import { includesUs, may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** Where the page of an object is. @type {Record<string, string>} */
const FOLDERS = { SigningRequest: "approvals/request", Proposal: "approvals/proposal", Certificate: "certificates", Identity: "identities", TokenProfile: "tokenization/profile", SigningPolicy: "signing/policy", AuditTarget: "audit/targets" };
/** Where the interface tells one object with its name. @type {Record<string, string>} */
const PATHS = { SigningRequest: "/api/v2/x509/signing-requests", Proposal: "/api/v2/x509/proposals", Certificate: "/api/v2/x509", SigningPolicy: "/api/v2/x509/signing-policies", AuditTarget: "/api/v2/audit/targets" };
/** Names of objects by their uuid. @typedef {Map<string, string>} Known */
/** Reads of objects that are under way at once. */
const AT_ONCE = 25;

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const { kind, after } = query;
  const { identities } = await get("/api/v2/whoami", undefined, signal);
  /** @type {Json[]} */
  const persons = identities.filter((/** @type {Json} */ one) => one["kind"] === "Person");
  const [told, targets, services, ...mailboxes] = await Promise.all([
    get("/api/v2/notices", { kind, after, pageSize: PAGE_SIZE }, signal),
    may("System:Manage") ? get("/api/v2/notice-targets", undefined, signal) : undefined,
    get("/api/v2/x509/services/stubs", { pageSize: 100 }, signal),
    ...persons.map((one) => get(`/api/v2/identities/${one["uuid"]}/mailbox`, undefined, signal)),
  ]);
  const filter = h("select", { name: "kind", "aria-label": t("column.notice") },
    ["", ...KINDS].map((one) => h("option", { value: one, selected: one === (kind ?? "") }, one ? word("notice", one) : t("list.all"))));
  const content = [
    h("div", { class: "head" }, h("h1", {}, t("notices.title")),
      targets && h("a", { class: "primary", href: "#/notices/target/new" }, t("targets.make"))),
    targets && [h("h2", {}, t("targets.title")), targetsOf(targets["results"])],
    h("h2", {}, t("notices.told")),
    list({ path: "/notices", query, caption: t("notices.told"), columns: columns(await namesOf(told["items"], signal)), empty: t("notices.empty"), filters: [filter], listed: { ...told, rows: told["items"] } }),
    mailboxes.map((one) => mailbox(one, services["results"], mailboxes.length > 1)),
  ];
  return { title: t("nav.notices"), content };
}

/** What the objects of these notices are called, as far as whoever asks may know. @param {Json[]} notices @param {AbortSignal} signal @returns {Promise<Known>} */
export async function namesOf(notices, signal) {
  const isAbout = (/** @type {string} */ kind) => notices.some((one) => one["objectKind"] === kind);
  const names = new Names(signal);
  const ofBudgets = notices.filter((one) => one["kind"] === "BudgetLow" && one["objectUuid"]);
  const profiles = ofBudgets.length > 0 ? await names.tokenProfiles() : new Map();
  // A budget is of a token profile or of a signing policy, and the notice does not say of which.
  for (const one of ofBudgets) one["objectKind"] = profiles.has(one["objectUuid"]) ? "TokenProfile" : "SigningPolicy";
  for (const one of notices) if (one["kind"] === "AuditTargetFailed" && one["objectUuid"]) one["objectKind"] = "AuditTarget";
  const known = new Map([...profiles, ...(isAbout("Identity") ? await names.identities() : [])]);
  const asked = new Map(notices.filter((one) => PATHS[one["objectKind"]]).map((one) => [one["objectUuid"], PATHS[one["objectKind"]]]));
  await each([...asked], async ([uuid, path]) => {
    // One that is gone, or is none of ours, stays without a name.
    const object = await get(`${path}/${uuid}`, undefined, signal).catch(() => undefined);
    if (object) known.set(uuid, object["subject"] || object["objInfo"].name);
  }, AT_ONCE);
  return known;
}

/** @param {Known} known @returns {import("../parts/table.js").Column[]} */
export function columns(known) {
  return [
    { title: t("column.notice"), cell: (row) => word("notice", row["kind"]) },
    { title: t("column.about"), cell: (row) => about(row, known) },
    { title: t("column.state"), cell: (row) => standing(row) },
    { title: t("column.time"), kind: "time", cell: (row) => moment(row["time"]) },
  ];
}

/** The object by its kind and its name, or by the end of its id where the name is not known. @param {Json} notice @param {Known} known */
function about({ objectKind, objectUuid }, known) {
  if (!objectUuid) return t("notices.server");
  const name = known.get(objectUuid);
  const named = [word("noticeObject", objectKind), " ", name === undefined ? endOf(objectUuid) : shown(name)];
  const to = pageOf(objectKind, objectUuid);
  return to ? h("a", { href: to }, named) : named;
}

/** The page of an object, where whoever reads has one: one's own login, and for administrators that of everybody. @param {string} kind @param {string} uuid */
function pageOf(kind, uuid) {
  if (kind === "Identity" && !may("Identity:Manage")) return includesUs([{ name: "", uuid }]) ? "#/me" : undefined;
  return FOLDERS[kind] && `#/${FOLDERS[kind]}/${uuid}`;
}

/** @param {Json} notice */
function standing({ state: value, approvals, days, kind, objectUuid }) {
  if (kind === "LoginChanged") return [t("notices.loginChanged"), may("Audit:Read") && [" ", h("a", { href: address("/audit", { objectUuid }) }, t("notices.records"))]];
  if (kind === "CertificateEnds" || kind === "ApiKeyEnds") return t("notices.days", { count: days });
  return [value && state(value), approvals && [" ", t("notices.approvals", approvals)]];
}

/** @param {Json[]} targets */
function targetsOf(targets) {
  if (targets.length === 0) return h("div", { class: "empty" }, t("targets.empty"));
  return table([
    { title: t("fact.name"), cell: (row) => h("a", { href: `#/notices/target/${row["uuid"]}` }, shown(row["objInfo"].name)) },
    { title: t("targets.where"), cell: (row) => shown(row["webhook"]?.url ?? row["email"].address) },
    { title: t("column.state"), cell: (row) => health(row) },
    { title: t("targets.delivered"), kind: "number", cell: (row) => number(row["deliveries"].delivered) },
    { title: t("targets.last"), kind: "time", cell: (row) => row["deliveries"].deliveredAt ? relative(row["deliveries"].deliveredAt) : "–" },
  ], targets, t("targets.title"));
}

/** How a target's deliveries stand, in words. @param {Json} target */
export function health({ enabled, deliveries }) {
  const { failures, waiting, delivered, deliveredAt } = deliveries;
  if (!enabled) return state("Disabled");
  if (failures > 0) return h("span", { class: "state bad long" }, t("targets.failing", { count: failures, waiting: number(waiting) }));
  if (waiting > 0) return h("span", { class: "state wait long" }, t("targets.waiting", { count: number(waiting) }));
  if (!delivered && !deliveredAt) return h("span", { class: "state still long" }, t("targets.nothingYet"));
  return h("span", { class: "state good" }, t("targets.allTaken"));
}
