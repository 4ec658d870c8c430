// What waits under one policy, decided on as one: rows to choose from, each with what would be signed, and the exact text of the
// decision with its hash. The server makes the same text, and decides on all of it or on nothing.

import { get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { Names, each } from "../names.js";
import { approved, obstacle, sorted } from "../parts/decide.js";
import { field, form, select, textarea } from "../parts/form.js";
import { sha256OfText } from "../parts/hashes.js";
import { statement as partsOf } from "../parts/statement.js";
import { later, table } from "../parts/table.js";
import { base64Of, bytesOf, digest, hex, number } from "../parts/values.js";
import { ofRequest } from "../parts/warnings.js";
import { address } from "../router.js";
import { includesUs, may } from "../session.js";
import { show } from "../show.js";
import { shown, shownText } from "../visible.js";
import { t, tn } from "../words.js";
import { columnsOfRequests } from "./approvals.js";

/** @typedef {import("../api.js").Json} Json */

/** Requests of one look: of each, the detail is read, and a person reads it. */
const ROWS = 100;

/** @param {import("../router.js").Context} context */
export async function page({ params, query, signal }) {
  const names = new Names(signal);
  const policy = await names.policy(String(params["uuid"]));
  const service = await names.service(policy.serviceUuid);
  const path = `/api/v2/x509/services/${policy.serviceUuid}/signing-requests`;
  const answer = await get(path, { state: "Approval", pageSize: ROWS, after: query["after"] }, signal);
  const own = answer.items.filter((/** @type {Json} */ stub) => stub.policyUuid === policy.objInfo.uuid);
  const rows = await each(own, async (/** @type {Json} */ stub) => {
    const request = await get(`/api/v2/x509/signing-requests/${stub.uuid}`, undefined, signal);
    return { request, service, policy, roles: await names.rolesNamed(request.nextRoleUuids), twice: ofRequest(request, undefined, undefined, [], obstacle({ object: request, selfApproval: policy.selfApproval })).filter(Boolean) };
  });
  const title = t("asOne.title", { policy: shownText(policy.objInfo.name) });
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/approvals" }, t("approvals.title"))),
    h("h1", {}, tn("asOne.title", { policy: shown(policy.objInfo.name) })),
    h("p", {}, t("asOne.what")),
    rows.length > 0 ? choice(rows, policy) : h("div", { class: "empty" }, t("approvals.noRequests")),
    answer.next && h("p", {}, h("a", { href: address(`/approvals/policy/${policy.objInfo.uuid}`, { after: answer.next }) }, t("list.next"))),
  ];
  return { title, content };
}

/** The rows with their boxes, and below what is decided on those that are chosen. @param {Json[]} rows @param {Json} policy */
function choice(rows, policy) {
  const chosen = new Set(rows.filter(isOpen).map(({ request }) => request.uuid));
  const place = h("section", { class: "decide", "aria-labelledby": "decide-title" });
  const tell = () => fill(place, decision(rows.map(({ request }) => request).filter(({ uuid }) => chosen.has(uuid)), policy));
  const box = (/** @type {Json} */ { request }) => h("input", {
    type: "checkbox", checked: chosen.has(request.uuid), "aria-label": t("asOne.choose", { name: shownText(request.name) }),
    onchange: (/** @type {Event} */ event) => {
      if (/** @type {HTMLInputElement} */ (event.target).checked) chosen.add(request.uuid);
      else chosen.delete(request.uuid);
      tell();
    },
  });
  const [name, , , ...others] = columnsOfRequests();
  const columns = [{ title: t("column.request"), cell: (/** @type {Json} */ row) => [name?.cell(row), row["twice"].map((/** @type {import("../dom.js").Child} */ one) => h("div", { class: "state wait long" }, t("warn.title"), ": ", one))] },
    { title: t("asOne.chosen"), cell: box },
    { title: t("fact.digest"), cell: (/** @type {Json} */ { request }) => [digest(request.approvalDigest), whatElse(request)] },
    ...others];
  tell();
  return [table(columns, rows, t("approvals.requests")), place];
}

/**
 * Of what the reader has a part in already, the rules often let no more be decided; and what is not as it seems is not decided
 * on among others by accident. @param {Json} row
 */
const isOpen = ({ request, twice }) => twice.length === 0 && !approved(request).some((/** @type {Json} */ one) => includesUs(one.identities)) && !includesUs(request.submittedBy);

/** What is signed besides one file. @param {Json} request */
function whatElse(request) {
  if (request.manifest) return h("div", { class: "help" }, t("request.manyFiles", { count: number(request.manifest.total) }));
  if (request.approvalDigest === request.digest) return undefined;
  return [request.programName && h("div", { class: "help" }, t("fact.programName"), ": ", shown(request.programName)), partsOf(request)];
}

/** The decision on these, in its exact text. @param {Json[]} requests @param {Json} policy */
function decision(requests, policy) {
  const heading = h("h2", { id: "decide-title" }, t("decide.title"));
  if (!may("Signing:Approve")) return [heading, h("p", {}, h("strong", {}, t("decide.cannot")), " ", t("decide.noPermission"))];
  if (requests.length === 0) return [heading, h("p", {}, t("asOne.none"))];
  const what = field(t("asOne.decision"), select([["Approve", t("asOne.approve")], ["Deny", t("asOne.deny")]]), { pointer: "/decision" });
  const note = field(t("decide.note"), textarea({ rows: 2, maxlength: 4096 }), { pointer: "/note", help: t("decide.noteHelp") });
  const place = h("div", { "aria-live": "polite" });
  let made = statement("Approve", policy, requests);
  const tell = () => {
    const told = statement(what.control.value, policy, requests);
    made = told;
    // A place of its own each time, so that what is shown is what is sent, whichever was made first.
    fill(place, later(h("div", {}), async () => {
      const { text, hash } = await told;
      return [h("p", {}, t("asOne.hash", { count: requests.length }), " ", digest(hash)), h("pre", { tabindex: "0" }, text)];
    }));
  };
  what.control.addEventListener("change", tell);
  tell();
  const act = async () => {
    const { hash } = await made;
    const body = { uuids: requests.map((one) => one["uuid"]), decision: what.control.value, note: note.control.value, digest: hash };
    await post("/api/v2/x509/signing-requests/batch-approve-deny", body);
    await show();
  };
  return [heading, form({ fields: [what, note], extra: place, submit: t("asOne.submit", { count: requests.length }), act })];
}

/** As the interface describes it. @param {string} decided @param {Json} policy @param {Json[]} requests */
async function statement(decided, policy, requests) {
  const { pendingChange: _, ...state } = policy;
  const ofPolicy = hex(await sha256OfText(JSON.stringify(sorted(state))));
  const lines = requests.map((request) => `${hex(bytesOf(request["approvalDigest"]))}  ${request["uuid"]}\n`);
  const text = `chancery decisions 1\n${decided}\n${ofPolicy}  ${policy["objInfo"].uuid}\n${lines.join("")}`;
  return { text, hash: base64Of(await sha256OfText(text)) };
}
