// What waits for approvals: signing requests and proposals, with who asked, what is missing, and since when.

import { get } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { changes } from "../parts/changes.js";
import { missing, state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { relative } from "../parts/values.js";
import { address } from "../router.js";
import { includesUs, may } from "../session.js";
import { people } from "../parts/people.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";
import { approved, waitingProposals, waitingRequests } from "./waiting.js";

/** @typedef {import("../api.js").Json} Json */

/** Rows of one page: of each, the detail is read, since the lists tell neither who asked nor how many approvals there are. */
const ROWS = 25;

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const names = new Names(signal);
  const news = await changes(signal, ["SigningRequest", "Proposal"]);
  const [requests, proposals] = await Promise.all([
    may("Signing:Approve", "Signing:Submit") ? waitingRequests(names, query["after"], ROWS) : undefined,
    waitingProposals(names, undefined, ROWS),
  ]);
  const content = [
    h("h1", {}, t("approvals.title")), news,
    requests && [h("h2", {}, t("approvals.requests")),
      list({ path: "/approvals", query, caption: t("approvals.requests"), columns: columnsOfRequests(), empty: t("approvals.noRequests"), listed: requests }), may("Signing:Approve") && asOne(requests.rows)],
    h("h2", {}, t("approvals.proposals")),
    proposals.rows.length > 0 ? table(columnsOfProposals(), proposals.rows, t("approvals.proposals")) : h("div", { class: "empty" }, t("approvals.noProposals")),
    h("p", {}, h("a", { href: "#/proposals" }, t("approvals.allProposals"))),
  ];
  return { title: t("approvals.title"), content };
}

/** Where all that waits under one policy is decided on at once. @param {Json[]} rows */
function asOne(rows) {
  const policies = new Map(rows.map(({ policy }) => [policy.objInfo.uuid, policy.objInfo.name]));
  const link = (/** @type {[string, string]} */ [uuid, name]) => h("li", {}, h("a", { href: `#/approvals/policy/${uuid}` }, shown(name)));
  return policies.size > 0 && [h("p", {}, t("asOne.open")), h("ul", { class: "notes" }, [...policies].map(link))];
}

/** @param {Json} decided @param {string[]} roles */
const missingOf = (decided, roles) => missing({ given: approved(decided).length, required: decided.approvalsRequired }, roles);

/** What the reader has to do with it. @param {Json} decided */
export function ours(decided) {
  if (approved(decided).some((/** @type {Json} */ one) => includesUs(one.identities))) return t("approvals.youApproved");
  if (includesUs(decided.submittedBy)) return t("approvals.youSubmitted");
  return decided.mayApprove ? h("strong", {}, t("approvals.yourTurn")) : t("approvals.youLook");
}

/** @param {Json} decided */
const submitters = (decided) => people(decided.submittedBy);

/** @returns {import("../parts/table.js").Column[]} */
export function columnsOfRequests() {
  return [
    { title: t("column.request"), cell: ({ request }) => h("a", { href: `#/approvals/request/${request.uuid}` }, shown(request.name)) },
    { title: t("column.service"), cell: ({ service }) => shown(service.objInfo.name) },
    { title: t("column.policy"), cell: ({ policy }) => shown(policy.objInfo.name) },
    { title: t("column.submitter"), cell: ({ request }) => submitters(request) },
    { title: t("column.missing"), cell: ({ request, roles }) => missingOf(request, roles) },
    { title: t("column.waits"), kind: "time", cell: ({ request }) => relative(request.submittedAt) },
    { title: t("column.you"), cell: ({ request }) => ours(request) },
  ];
}

/** @returns {import("../parts/table.js").Column[]} */
function columnsOfProposals() {
  return [
    { title: t("column.proposal"), cell: ({ proposal }) => h("a", { href: `#/approvals/proposal/${proposal.objInfo.uuid}` }, shown(proposal.objInfo.name)) },
    { title: t("column.kind"), cell: ({ proposal }) => word("kind", proposal.kind) },
    { title: t("column.about"), cell: ({ about }) => shown(about) },
    { title: t("column.submitter"), cell: ({ proposal }) => submitters(proposal) },
    { title: t("column.missing"), cell: ({ proposal, roles }) => missingOf(proposal, roles) },
    { title: t("column.waits"), kind: "time", cell: ({ proposal }) => relative(proposal.submittedAt) },
    { title: t("column.you"), cell: ({ proposal }) => ours(proposal) },
  ];
}

/** All proposals, also decided ones: what the list of them itself tells. @param {import("../router.js").Context} context */
export async function proposals({ query, signal }) {
  const { kind, search, after } = query;
  const answer = await get("/api/v2/x509/proposals", { kind, search, after, pageSize: PAGE_SIZE }, signal);
  const kinds = ["", "PreApproval", "Policy", "Certificate", "CertProfile", "Issuer", "DetokenizeGrant"];
  const filter = h("select", { name: "kind", "aria-label": t("column.kind") },
    kinds.map((one) => h("option", { value: one, selected: one === (kind ?? "") }, one ? word("kind", one) : t("list.all"))));
  const columns = [
    { title: t("column.proposal"), cell: (/** @type {Json} */ row) => h("a", { href: `#/approvals/proposal/${row.objInfo.uuid}` }, shown(row.objInfo.name)) },
    { title: t("column.kind"), cell: (/** @type {Json} */ row) => word("kind", row.kind) },
    { title: t("column.state"), cell: (/** @type {Json} */ row) => state(row.state) },
    { title: t("column.submitted"), kind: "time", cell: (/** @type {Json} */ row) => relative(row.submittedAt) },
  ];
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: address("/approvals") }, t("approvals.title"))),
    h("h1", {}, t("proposals.title")),
    list({ path: "/proposals", query, caption: t("proposals.title"), columns, empty: t("approvals.noProposals"), search: t("proposals.search"), filters: [filter], listed: { ...answer, rows: answer.items } }),
  ];
  return { title: t("proposals.title"), content };
}
