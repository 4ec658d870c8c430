// What waits under one policy, decided on as one: rows to choose from, each with what would be signed, and the exact text of the
// decision with its hash. The server makes the same text, and decides on all of it or on nothing.

import { Refusal, get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { Names, each } from "../names.js";
import { changes } from "../parts/changes.js";
import { approved, askOnceMore, noteOn, obstacle, ours, sorted } from "../parts/decide.js";
import { done } from "../parts/done.js";
import { Decided } from "../parts/earlier.js";
import { form, now } from "../parts/form.js";
import { sha256OfText } from "../parts/hashes.js";
import { readItems } from "../parts/manifest.js";
import { problem } from "../parts/problem.js";
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
/** Files of a manifest that are read for a row. */
const ITEMS = 1000;

/** What was taken out of the choice, so that it is still out when the page is shown anew. @type {Set<string>} */
const leftOut = new Set();

/** @param {import("../router.js").Context} context */
export async function page({ params, query, signal }) {
  const names = new Names(signal);
  const news = await changes(signal, ["SigningRequest"]);
  const policy = await names.policy(String(params["uuid"]));
  const service = await names.service(policy.serviceUuid);
  const path = `/api/v2/x509/services/${policy.serviceUuid}/signing-requests`;
  const answer = await get(path, { state: "Approval", pageSize: ROWS, after: query["after"] }, signal);
  const own = answer.items.filter((/** @type {Json} */ stub) => stub.policyUuid === policy.objInfo.uuid);
  const decided = new Decided(signal);
  const rows = await each(own, async (/** @type {Json} */ stub) => {
    const request = await get(`/api/v2/x509/signing-requests/${stub.uuid}`, undefined, signal);
    return { request, service, policy, roles: await names.rolesNamed(request.nextRoleUuids), twice: await twice(request, policy, decided) };
  });
  const title = t("asOne.title", { policy: shownText(policy.objInfo.name) });
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/approvals" }, t("approvals.title"))),
    h("h1", {}, tn("asOne.title", { policy: shown(policy.objInfo.name) })), news,
    h("p", {}, t("asOne.what")),
    rows.length > 0 ? choice(rows, policy) : h("div", { class: "empty" }, t("approvals.noRequests")),
    answer.next && h("p", {}, h("a", { href: address(`/approvals/policy/${policy.objInfo.uuid}`, { after: answer.next }) }, t("list.next"))),
  ];
  return { title, content };
}

/**
 * What the request's own page warns of. Of a manifest with very many files that would take too long here, which is said instead.
 * @param {Json} request @param {Json} policy @param {Decided} decided what was decided before
 */
async function twice(request, policy, decided) {
  const { signal } = decided;
  const isLong = request["manifest"] && request["manifest"].total > ITEMS;
  const isRead = request["manifest"] && !isLong;
  const [earlier, items, changed] = await Promise.all([
    decided.ofRequest(request),
    isRead ? readItems(request["uuid"], signal, "changes") : undefined,
    isRead ? get(`/api/v2/x509/signing-requests/${request["uuid"]}`, { include: "contents" }, signal) : undefined]);
  const why = obstacle({ object: request, selfApproval: policy["selfApproval"] });
  return [...ofRequest(request, items, changed?.["manifestChanges"], earlier, why), isLong && t("asOne.manyFiles")].filter(Boolean);
}

/** The rows with their boxes, and below what is decided on those that are chosen. @param {Json[]} rows @param {Json} policy */
function choice(rows, policy) {
  const chosen = new Set(rows.filter(isOpen).map(({ request }) => request.uuid).filter((uuid) => !leftOut.has(ours(uuid))));
  const { element, tell } = decision(() => rows.map(({ request }) => request).filter(({ uuid }) => chosen.has(uuid)), policy);
  const box = (/** @type {Json} */ { request: { uuid, name } }) => h("input", {
    type: "checkbox", checked: chosen.has(uuid), "aria-label": t("asOne.choose", { name: shownText(name) }),
    onchange: (/** @type {Event} */ event) => {
      const isChosen = /** @type {HTMLInputElement} */ (event.target).checked;
      chosen[isChosen ? "add" : "delete"](uuid);
      leftOut[isChosen ? "delete" : "add"](ours(uuid));
      tell();
    },
  });
  const [name, , , ...others] = columnsOfRequests();
  const columns = [{ title: t("column.request"), cell: (/** @type {Json} */ row) => [name?.cell(row), row["twice"].map((/** @type {import("../dom.js").Child} */ one) => h("div", { class: "state wait long" }, t("warn.title"), ": ", one))] },
    { title: t("asOne.chosen"), cell: box },
    { title: t("fact.digest"), cell: (/** @type {Json} */ { request }) => [digest(request.approvalDigest), whatElse(request)] },
    ...others];
  return [table(columns, rows, t("approvals.requests")), element];
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

/**
 * The decision on what is chosen, in its exact text. It is made once: whatever is chosen, the note stays, and each button is for
 * one decision and says on how many.
 * @param {() => Json[]} chosen @param {Json} policy
 */
function decision(chosen, policy) {
  const heading = h("h2", { id: "decide-title" }, t("decide.title"));
  const section = (/** @type {import("../dom.js").Child[]} */ ...content) => h("section", { class: "decide", "aria-labelledby": "decide-title" }, heading, content);
  if (!may("Signing:Approve")) return { element: section(h("p", {}, h("strong", {}, t("decide.cannot")), " ", t("decide.noPermission"))), tell: () => {} };
  const { area, note, forget } = noteOn(policy["objInfo"].uuid);
  const [place, news, approve] = [h("div", { "aria-live": "polite" }), h("div"), h("span")];
  const deny = h("button", { type: "button", class: "danger", onclick: () => askToDeny(told("Deny", policy, chosen()), area.value, forget) });
  let approval = told("Approve", policy, []);
  const act = () => send(approval, area.value, forget, news);
  const buttons = h("div", {}, form({ fields: [note], extra: [place, news], submit: approve, act, className: "form approve", passing: true }), h("div", { class: "actions" }, deny));
  const none = h("p", {}, t("asOne.none"));
  const tell = () => {
    const requests = chosen();
    [none.hidden, buttons.hidden] = [requests.length > 0, requests.length === 0];
    approval = told("Approve", policy, requests);
    fill(place, approval.element);
    fill(news);
    fill(approve, t("asOne.approve", { count: requests.length }));
    fill(deny, t("asOne.deny", { count: requests.length }));
  };
  tell();
  return { element: section(none, buttons), tell };
}

/** One denial ends a request, so it is asked once more, in the exact text of that decision. @param {Told} denial @param {string} note @param {() => void} forget */
function askToDeny(denial, note, forget) {
  const count = denial.requests.length;
  const news = h("div");
  const names = denial.requests.map((one) => h("li", {}, shown(one["name"])));
  const what = [h("p", {}, t("asOne.denyWhat")), h("ul", { class: "notes" }, names), denial.element];
  const act = (/** @type {() => void} */ close) => send(denial, note, () => (forget(), close()), news);
  askOnceMore({ title: t("asOne.denyTitle", { count }), what, note, extra: news, submit: t("asOne.denyNow", { count }), act });
}

/** @typedef {{decision: string, requests: Json[], made: Promise<{text: string, hash: string}>, element: HTMLElement}} Told */

/** A decision on these as it is shown: what is shown is what is sent. @param {string} decision @param {Json} policy @param {Json[]} requests @returns {Told} */
function told(decision, policy, requests) {
  const made = statement(decision, policy, requests);
  const element = later(h("div", {}), async () => {
    const { text, hash } = await made;
    return [h("p", {}, t("asOne.hash", { count: requests.length }), " ", digest(hash)), h("pre", { tabindex: "0" }, text)];
  });
  return { decision, requests, made, element };
}

/** @param {Told} told @param {string} note @param {() => void} after @param {HTMLElement} news where a refusal is told, and how to go on */
async function send({ decision, requests, made }, note, after, news) {
  fill(news);
  const body = { uuids: requests.map((one) => one["uuid"]), decision, note, digest: (await made).hash };
  try {
    await post("/api/v2/x509/signing-requests/batch-approve-deny", body);
  } catch (error) {
    const onclick = () => (news.closest("dialog")?.close(), void show());
    fill(news, problem(byName(error, requests)), h("p", {}, h("button", { type: "button", onclick }, t("asOne.anew"))));
    return news.scrollIntoView({ block: "nearest" });
  }
  after();
  await done(now(t(decision === "Approve" ? "asOne.approve" : "asOne.deny", { count: requests.length })));
}

/** A refusal that names the request at fault as its row does. @param {unknown} error @param {Json[]} requests */
function byName(error, requests) {
  const one = error instanceof Refusal && requests.find(({ uuid }) => error.message.includes(uuid));
  if (!one) return error;
  const { status, code, message, requestId, retryAfter } = error;
  return new Refusal(status, code, message.replace(one["uuid"], () => `“${shownText(one["name"])}”`), { requestId, retryAfter });
}

/** As the interface describes it. @param {string} decided @param {Json} policy @param {Json[]} requests */
async function statement(decided, policy, requests) {
  const { pendingChange: _, ...state } = policy;
  const ofPolicy = hex(await sha256OfText(JSON.stringify(sorted(state))));
  const lines = requests.map((request) => `${hex(bytesOf(request["approvalDigest"]))}  ${request["uuid"]}\n`);
  const text = `chancery decisions 1\n${decided}\n${ofPolicy}  ${policy["objInfo"].uuid}\n${lines.join("")}`;
  return { text, hash: base64Of(await sha256OfText(text)) };
}
