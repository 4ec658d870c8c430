// Audit: who did what, when, and how it ended; the newest first, with what a change changed.

import { get } from "../api.js";
import { append, h } from "../dom.js";
import { Names } from "../names.js";
import { PLACE, archives, readArchives, sinceWhen } from "../parts/archives.js";
import { field, input, select } from "../parts/form.js";
import { pageOf } from "../parts/object-page.js";
import { people } from "../parts/people.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { copyable, endOf, inZone, localOf, loginWay, moment, shortId, utcOf } from "../parts/values.js";
import { address, go } from "../router.js";
import { shown, shownText } from "../visible.js";
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
  "Provision", "Backup", "RowsAuthenticate", "RowRefuse", "JournalSearch", "JournalMiss", "JournalFail", "JournalResume", "LedgerFail", "LedgerResume", "AuditArchive", "AuditArchiveRemove", "JournalRemove", "KeyCreate", "KeyRead", "KeyChange", "KeyRotate", "KeyDisable", "KeyEnable",
  "TokenProfileCreate", "TokenProfileRead", "TokenProfileChange", "TokenProfileDelete", "TokenProfilePreview", "ControlRulesChange", "Tokenize",
  "Detokenize", "PartialDetokenize", "BatchTokenize", "BatchDetokenize", "TrackTokenize", "TrackDetokenize", "Rewrap", "TokenRead", "TokenizedRead",
  "BudgetWarn", "DetokenizeGrantRead", "DetokenizeGrantUse", "TokenDelete", "CertProfileCreate", "CertProfileChange", "CertProfileDelete", "IssuerApprovalChange", "CertificateGenerate", "CertificateRequest",
  "CertificateRenew", "CertificateRekey", "CertificateImport", "AuthorityImport", "CertificateRevoke", "CertificateRelease", "CertificateExpiry",
  "CrlSign", "ServiceDeploy", "ServiceRenew", "ServiceChange", "SigningPolicyCreate", "SigningPolicyRead", "SigningPolicyChange", "SigningRequestSubmit",
  "SigningRequestRead", "SigningRequestDownload", "SigningRequestApprove", "SigningRequestDeny", "SigningRequestWithdraw", "SigningRequestFail",
  "SigningRequestExpire", "ProposalSubmit", "ProposalRead", "ProposalApprove", "ProposalDeny", "ProposalWithdraw", "ProposalRevoke", "ProposalFail",
  "ProposalExpire",
];
/** The interface's error codes, as docs/openapi.json lists them: a test holds the two against each other. */
const OUTCOMES = [
  "Success", "ArgumentParseError", "InvalidSelection", "InvalidValue", "InvalidState", "AlreadyExists", "InvalidAuthToken", "NotAuthorized",
  "ApiAccessDisabled", "LimitExceeded", "RateLimited", "Sealed", "Unavailable", "InternalError",
];

/** @param {import("../router.js").Context} context */
export async function page({ query: asked, signal }) {
  const whole = inUtc(asked);
  const { [PLACE]: archivesAfter, ...query } = whole;
  const { action, outcome, identityUuid, objectUuid, nodeUuid, concerns, from, to, after } = query;
  const filter = { action, outcome, identityUuid, objectUuid, nodeUuid, concerns, from, to };
  const known = new Names(signal);
  const [answer, archived, newest, names, profiles] = await Promise.all([
    get("/api/v2/audit", { ...filter, after, pageSize: PAGE_SIZE }, signal),
    readArchives(archivesAfter, signal),
    get("/api/v2/audit/checkpoint", {}, signal),
    known.identities(),
    known.tokenProfiles(),
  ]);
  const objects = new Map([...profiles, ...names]);
  const content = [
    h("h1", {}, t("audit.title")),
    filters(query, names),
    (objectUuid || nodeUuid) && h("p", {}, t("audit.only"), " ", only(query, answer["items"], objects), " ", h("a", { href: address("/audit") }, t("list.all"))),
    h("p", {}, h("a", { href: address("/audit/access") }, t("access.title")), " · ", h("a", { href: address("/audit/journal") }, t("journal.title")), " · ", h("a", { href: address("/audit/targets") }, t("shipping.title")), " · ", h("a", { href: exported(filter), download: "audit.jsonl" }, t("audit.export"))),
    h("p", { class: "quiet" }, tn("audit.ledger", { records: String(newest["records"]), time: moment(newest["time"]) }), newest["witnessed"] && [" ", t("audit.witnessed", { records: newest["witnessed"].records, witnesses: newest["witnessed"].witnesses.join(", ") })]),
    sinceWhen(archived),
    list({ path: "/audit", query, caption: t("audit.title"), columns: columns(query, objects), empty: t("audit.empty"), listed: { ...answer, rows: answer["items"] } }),
    archives(archived, whole),
  ];
  return { title: t("nav.audit"), content };
}

/** Where the same records are as lines of JSON. @param {Record<string, string | undefined>} filter */
function exported(filter) {
  const given = Object.entries(filter).filter(([, value]) => value);
  return `/api/v2/audit/export?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** @param {Record<string, string>} query @returns {Record<string, string>} */
const inUtc = ({ from, to, ...rest }) => ({ ...rest, ...(utcOf(from) ? { from: utcOf(from) } : {}), ...(utcOf(to) ? { to: utcOf(to) } : {}) });

/** What the records that are shown have in common: its name, where they tell one, and its id. @param {Record<string, string>} query @param {Json[]} records @param {Map<string, string>} names */
function only({ objectUuid, nodeUuid }, records, names) {
  if (!objectUuid) return [t("audit.node"), " ", shortId(nodeUuid ?? "")];
  const name = names.get(objectUuid) ?? records.map((one) => nameIn(one)).find(Boolean);
  return [name && [shown(name), " "], shortId(objectUuid)];
}

/** What a record calls its object. @param {Json} record @returns {string} */
const nameIn = ({ detail }) => detail?.name ?? detail?.subject ?? "";

/** @param {Record<string, string>} query @param {Map<string, string>} names */
function filters(query, names) {
  const choice = (/** @type {string} */ name, /** @type {string} */ label, /** @type {[string, string][]} */ options) =>
    field(label, select([["", t("list.all")], ...options], query[name], { name }));
  const words = (/** @type {"action" | "outcome"} */ group, /** @type {string[]} */ values) => values.map((one) => /** @type {[string, string]} */ ([one, one === "Success" ? word("state", one) : apart(group, one)]));
  const time = (/** @type {string} */ name, /** @type {string} */ label) => field(inZone(label), input({ type: "datetime-local", step: 1, name, value: localOf(query[name]) }));
  const named = [...names].map(([uuid, name]) => /** @type {[string, string]} */ ([uuid, shownText(name)])).sort(([, one], [, other]) => one.localeCompare(other));
  const who = query["identityUuid"];
  // Of more people than there are names for, or gone since.
  if (who && !names.has(who)) named.unshift([who, `…${who.slice(-8)}`]);
  const [from, to] = [time("from", t("audit.from")), time("to", t("audit.to"))];
  const fields = [choice("identityUuid", t("column.who"), named), choice("action", t("column.action"), words("action", ACTIONS)), choice("outcome", t("column.outcome"), words("outcome", OUTCOMES)),
    choice("concerns", t("audit.concerns"), [["Access", t("audit.access")]]), from, to];
  const { after, ...rest } = query;
  const [wasFrom, wasTo] = [from.control.value, to.control.value];
  const onsubmit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (from.control.value && to.control.value && from.control.value > to.control.value) {
      to.complain(t("audit.order"));
      to.control.focus();
      return;
    }
    const values = Object.fromEntries([...new FormData(/** @type {HTMLFormElement} */ (event.target))].map(([name, value]) => [name, String(value)]));
    // What nobody has changed stays as it is: an hour of autumn is there twice in the field.
    const times = { from: from.control.value === wasFrom ? query["from"] : utcOf(values["from"]), to: to.control.value === wasTo ? query["to"] : utcOf(values["to"]) };
    go(address("/audit", { ...rest, ...values, ...times }));
  };
  const made = h("form", { class: "controls labelled", role: "search", onsubmit, novalidate: true }, fields.map((one) => one.element), h("button", { type: "submit" }, t("list.search")));
  for (const one of made.querySelectorAll("select")) one.addEventListener("change", () => made.requestSubmit());
  return made;
}

/** @param {Record<string, string>} query @param {Map<string, string>} names of objects @returns {import("../parts/table.js").Column[]} */
function columns(query, names) {
  const { after, ...rest } = query;
  return [
    { title: t("column.action"), kind: "words", cell: (row) => [apart("action", row["action"]), row["count"] > 1 && ` × ${row["count"]}`] },
    { title: t("column.time"), kind: "time", cell: (row) => (isOfMinute(row) ? h("div", { class: "wraps" }, tn("audit.inMinuteBefore", { time: moment(row["time"]) })) : moment(row["time"], "medium")) },
    { title: t("column.who"), cell: (row) => who(row, (one) => address("/audit", { ...rest, identityUuid: one["uuid"] })) },
    { title: t("column.outcome"), kind: "words", cell: (row) => outcome(row) },
    { title: t("column.object"), kind: "links", cell: (row) => [object(row, nameIn(row) || (names.get(row["objectUuid"]) ?? "")), " ", row["objectUuid"] && h("a", { href: address("/audit", { ...rest, objectUuid: row["objectUuid"] }) }, endOf(row["objectUuid"]))] },
    { title: t("column.detail"), kind: "folded", cell: (row) => detail(row) },
  ];
}

/** Its name, which leads to its page where it has one. @param {Json} row @param {string} name */
function object(row, name) {
  const href = pageOf(row);
  return href ? h("a", { href }, name ? shown(name) : t("audit.page")) : shown(name);
}

/**
 * Whoever did it: those who are logged in, an account of the host, or Chancery in a task of its own. Only a caller of whom nothing but an
 * address is known is nobody. @param {Json} row @param {(one: Json) => string} href
 */
function who({ identities, account, source, action }, href) {
  const host = account && tn("audit.onHost", { name: shown(account.name ?? `uid ${account.uid}`), host: shown(account.host) });
  if (identities.length > 0) return [people(identities, href), host && [", ", host]];
  if (host) return host;
  const isCall = source || ["Login", "ApiCall"].includes(action);
  return isCall ? h("span", { class: "quiet" }, t("audit.nobody")) : "Chancery";
}

/** How it ended. What was sent to try a target out succeeded as a call, and may not have come there. @param {Json} row */
function outcome({ outcome, detail }) {
  if (outcome !== "Success") return h("span", { class: "state bad" }, apart("outcome", outcome));
  return detail?.delivered === false ? h("span", { class: "state bad" }, t("audit.notDelivered")) : state("Success");
}

/**
 * Whether it stands for refusals of a minute, which are written when that is over: of callers who are not known, and beyond the rate of
 * an address. Counted calls have no id; those of the data plane are of a second, and say of which session. @param {Json} row
 */
const isOfMinute = ({ requestId, outcome, detail }) => !requestId && ["InvalidAuthToken", "RateLimited"].includes(outcome) && !detail?.session;

/** What it says besides, folded, and drawn when it is first opened: of a page of records it is much. @param {Json} row */
function detail(row) {
  const changes = row["detail"]?.changes;
  const place = h("div");
  const ontoggle = (/** @type {Event} */ event) => /** @type {HTMLDetailsElement} */ (event.target).open && place.childElementCount === 0 && append(place, unfolded(row));
  return h("details", { ontoggle }, h("summary", {}, changes ? t("audit.changes", { count: changes.length }) : t("audit.more")), place);
}

/** @param {Json} row */
function unfolded(row) {
  const { changes, ...rest } = row["detail"] ?? {};
  const lines = [
    { title: t("diff.member"), cell: (/** @type {Json} */ one) => h("code", {}, one["member"]) },
    { title: t("diff.before"), cell: (/** @type {Json} */ one) => h("span", { class: "before" }, shown(text(one["before"]))) },
    { title: t("diff.after"), cell: (/** @type {Json} */ one) => h("span", { class: "after" }, shown(text(one["after"]))) },
  ];
  return [
    changes && table(lines, changes, t("column.detail")),
    h("pre", { tabindex: "0" }, shown(JSON.stringify(rest, (_, value) => value ?? undefined, 2), { lines: true })),
    row["identities"].map((/** @type {Json} */ one) => h("p", { class: "quiet" }, shown(one["name"]), ...standing(one))),
    row["account"] && h("p", { class: "quiet" }, t("audit.account"), " ", shown(`${row["account"].name ?? ""} (${row["account"].uid}), ${row["account"].host}`)),
    row["node"] && h("p", { class: "quiet" }, t("audit.node"), " ", shortId(row["node"]), " ", h("a", { href: address("/audit", { nodeUuid: row["node"] }) }, t("audit.ofNode"))),
    (row["source"] || row["requestId"]) && h("p", { class: "quiet" }, row["source"] && [t("audit.from"), " ", row["source"], " "], row["requestId"] && copyable(row["requestId"])),
  ];
}

/** As what, how and from where an identity had logged in. @param {Json} one */
function standing(one) {
  const roles = (one["roles"] ?? []).map((/** @type {Json} */ role) => role["name"]).join(", ");
  return [roles && [" · ", shown(roles)], one["login"] && [" · ", loginWay(one["login"].way)], one["source"] && [" · ", one["source"]]].filter(Boolean);
}

/** @param {unknown} value */
const text = (value) => (value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value));
