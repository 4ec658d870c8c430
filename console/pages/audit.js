// Audit: who did what, when, and how it ended; the newest first, with what a change changed.

import { get } from "../api.js";
import { h } from "../dom.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { copyable, moment, shortId } from "../parts/values.js";
import { address, go } from "../router.js";
import { shown } from "../visible.js";
import { apart, t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** The interface's actions, as docs/AUDIT.md lists them: a test holds the two against each other. */
const ACTIONS = [
  "Login", "Logout", "TokenMint", "ApiCall", "RoleCreate", "RoleRead", "RoleChange", "RoleDelete", "IdentityCreate", "IdentityRead", "IdentityChange",
  "IdentityDelete", "IdentityLock", "IdentityUnlock", "IdentityRecover", "PasswordChange", "TotpEnrol", "TotpConfirm", "TotpRemove", "TotpReset", "ApiKeyCreate", "ApiKeyRead", "ApiKeyChange", "ApiKeyRotate", "ApiKeyDelete", "ApiKeyExpiry", "IdentityProviderCreate", "IdentityProviderRead", "IdentityProviderChange", "IdentityProviderDelete", "IdentityBindingCreate", "IdentityBindingRead", "IdentityBindingDelete", "PasskeyEnrol", "PasskeyConfirm", "PasskeyRead", "PasskeyChange", "PasskeyDelete", "SettingsRead", "SettingsChange", "AuditRead", "AuditExport", "AccessRead", "NoticeTargetCreate",
  "NoticeTargetRead", "NoticeTargetChange", "NoticeTargetDelete", "NoticeTargetTest", "NoticeGiveUp", "MailboxSet", "MailboxRead", "MailboxConfirm", "MailboxRemove",
  "AuditTargetCreate", "AuditTargetRead", "AuditTargetChange", "AuditTargetDelete", "AuditTargetTest", "AuditTargetFail", "AuditTargetResume",
  "WitnessFail", "WitnessResume",
  "ServerStart", "ServerStop", "ClockJump",
  "Provision", "Backup", "RowsAuthenticate", "RowRefuse", "JournalSearch", "JournalMiss", "JournalFail", "JournalResume", "JournalRemove", "KeyCreate", "KeyRead", "KeyChange", "KeyRotate", "KeyDisable", "KeyEnable",
  "TokenProfileCreate", "TokenProfileRead", "TokenProfileChange", "TokenProfileDelete", "TokenProfilePreview", "ControlRulesChange", "Tokenize",
  "Detokenize", "PartialDetokenize", "BatchTokenize", "BatchDetokenize", "TrackTokenize", "TrackDetokenize", "Rewrap", "TokenRead", "TokenizedRead",
  "BudgetWarn", "DetokenizeGrantRead", "DetokenizeGrantUse", "TokenDelete", "CertProfileCreate", "CertProfileChange", "CertProfileDelete", "IssuerApprovalChange", "CertificateGenerate", "CertificateRequest",
  "CertificateRenew", "CertificateRekey", "CertificateImport", "AuthorityImport", "CertificateRevoke", "CertificateRelease", "CertificateExpiry",
  "CrlSign", "ServiceDeploy", "ServiceRenew", "ServiceChange", "SigningPolicyCreate", "SigningPolicyRead", "SigningPolicyChange", "SigningRequestSubmit",
  "SigningRequestRead", "SigningRequestDownload", "SigningRequestApprove", "SigningRequestDeny", "SigningRequestWithdraw", "SigningRequestFail",
  "SigningRequestExpire", "ProposalSubmit", "ProposalRead", "ProposalApprove", "ProposalDeny", "ProposalWithdraw", "ProposalRevoke", "ProposalFail",
  "ProposalExpire",
];
const OUTCOMES = ["Success", "NotAuthorized", "InvalidAuthToken", "InvalidState", "InvalidValue", "InvalidSelection", "RateLimited"];

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const { action, outcome, identityUuid, objectUuid, nodeUuid, concerns, after } = query;
  const filter = { action, outcome, identityUuid, objectUuid, nodeUuid, concerns, from: utc(query["from"]), to: utc(query["to"]) };
  const [answer, newest] = await Promise.all([
    get("/api/v2/audit", { ...filter, after, pageSize: PAGE_SIZE }, signal),
    get("/api/v2/audit/checkpoint", {}, signal),
  ]);
  const content = [
    h("h1", {}, t("audit.title")),
    filters(query),
    (identityUuid || objectUuid || nodeUuid) && h("p", {}, t("audit.only"), " ", shortId(identityUuid ?? objectUuid ?? nodeUuid ?? ""), " ", h("a", { href: address("/audit") }, t("list.all"))),
    h("p", {}, h("a", { href: address("/audit/access") }, t("access.title")), " · ", h("a", { href: address("/audit/journal") }, t("journal.title")), " · ", h("a", { href: address("/audit/targets") }, t("shipping.title")), " · ", h("a", { href: exported(filter), download: "audit.jsonl" }, t("audit.export"))),
    h("p", { class: "quiet" }, tn("audit.ledger", { records: String(newest["records"]), time: moment(newest["time"]) }), newest["witnessed"] && [" ", t("audit.witnessed", { records: newest["witnessed"].records, witnesses: newest["witnessed"].witnesses.join(", ") })]),
    list({ path: "/audit", query, caption: t("audit.title"), columns: columns(query), empty: t("audit.empty"), listed: { ...answer, rows: answer["items"] } }),
  ];
  return { title: t("nav.audit"), content };
}

/** Where the same records are as lines of JSON. @param {Record<string, string | undefined>} filter */
function exported(filter) {
  const given = Object.entries(filter).filter(([, value]) => value);
  return `/api/v2/audit/export?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** A moment as a field of a form has it, in the zone of the reader. @param {string | undefined} local */
const utc = (local) => (local ? new Date(local).toISOString() : undefined);

/** @param {Record<string, string>} query */
function filters(query) {
  const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {string[]} */ values) =>
    h("select", { name, "aria-label": label }, h("option", { value: "" }, `${label}: ${t("list.all")}`), values.map((one) => h("option", { value: one, selected: one === query[name] }, one === "Success" ? word("state", one) : apart(one))));
  const time = (/** @type {string} */ name, /** @type {string} */ label) => h("input", { type: "datetime-local", name, "aria-label": label, title: label, value: query[name] ?? "" });
  const { after, ...rest } = query;
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(/** @type {HTMLFormElement} */ (event.target))].map(([name, value]) => [name, String(value)]));
    go(address("/audit", { ...rest, ...values }));
  };
  const made = h("form", { class: "controls", role: "search", onsubmit },
    choice("action", t("column.action"), ACTIONS), choice("outcome", t("column.outcome"), OUTCOMES),
    h("select", { name: "concerns", "aria-label": t("audit.concerns") }, h("option", { value: "" }, `${t("audit.concerns")}: ${t("list.all")}`), h("option", { value: "Access", selected: query["concerns"] === "Access" }, t("audit.access"))),
    time("from", t("audit.from")), time("to", t("audit.to")), h("button", { type: "submit" }, t("list.search")));
  for (const one of made.querySelectorAll("select")) one.addEventListener("change", () => made.requestSubmit());
  return made;
}

/** @param {Record<string, string>} query @returns {import("../parts/table.js").Column[]} */
function columns(query) {
  const { after, ...rest } = query;
  return [
    { title: t("column.action"), cell: (row) => [apart(row["action"]), row["count"] > 1 && ` × ${row["count"]}`] },
    { title: t("column.time"), kind: "time", cell: (row) => moment(row["time"]) },
    { title: t("column.who"), cell: (row) => row["identities"].length === 0 ? h("span", { class: "quiet" }, t("audit.nobody")) : row["identities"].flatMap((/** @type {Json} */ one, /** @type {number} */ index) =>
      [index > 0 && " + ", h("a", { href: address("/audit", { ...rest, identityUuid: one["uuid"] }) }, shown(one["name"]))]) },
    { title: t("column.outcome"), cell: (row) => row["outcome"] === "Success" ? state("Success") : h("span", { class: "state bad" }, apart(row["outcome"])) },
    { title: t("column.object"), cell: (row) => [shown(row["detail"]?.name ?? row["detail"]?.subject ?? ""), " ", row["objectUuid"] && h("a", { href: address("/audit", { ...rest, objectUuid: row["objectUuid"] }) }, h("code", {}, row["objectUuid"].slice(0, 8)))] },
    { title: t("column.detail"), cell: (row) => detail(row) },
  ];
}

/** What it says besides, folded. @param {Json} row */
function detail(row) {
  const { changes, ...rest } = row["detail"] ?? {};
  const lines = [
    { title: t("diff.member"), cell: (/** @type {Json} */ one) => h("code", {}, one["member"]) },
    { title: t("diff.before"), cell: (/** @type {Json} */ one) => h("span", { class: "before" }, shown(text(one["before"]))) },
    { title: t("diff.after"), cell: (/** @type {Json} */ one) => h("span", { class: "after" }, shown(text(one["after"]))) },
  ];
  return h("details", { open: Boolean(changes) }, h("summary", {}, changes ? t("audit.changes", { count: changes.length }) : t("audit.more")),
    changes && table(lines, changes, t("column.detail")),
    h("pre", { tabindex: "0" }, shown(JSON.stringify(rest, null, 2), { lines: true })),
    row["identities"].map((/** @type {Json} */ one) => h("p", { class: "quiet" }, shown(one["name"]), ...standing(one))),
    row["account"] && h("p", { class: "quiet" }, t("audit.account"), " ", shown(`${row["account"].name ?? ""} (${row["account"].uid}), ${row["account"].host}`)),
    row["node"] && h("p", { class: "quiet" }, t("audit.node"), " ", shortId(row["node"]), " ", h("a", { href: address("/audit", { nodeUuid: row["node"] }) }, t("audit.ofNode"))),
    (row["source"] || row["requestId"]) && h("p", { class: "quiet" }, row["source"] && [t("audit.from"), " ", row["source"], " "], row["requestId"] && copyable(row["requestId"])));
}

/** As what, how and from where an identity had logged in. @param {Json} one */
function standing(one) {
  const roles = (one["roles"] ?? []).map((/** @type {Json} */ role) => role["name"]).join(", ");
  return [roles && [" · ", shown(roles)], one["login"] && [" · ", apart(one["login"].way)], one["source"] && [" · ", one["source"]]].filter(Boolean);
}

/** @param {unknown} value */
const text = (value) => (value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value));
