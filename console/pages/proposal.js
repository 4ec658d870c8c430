// A change, a certificate or a pre-approval that waits for approvals: what it will do, and who decides.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { changes } from "../parts/changes.js";
import { certificateToIssue } from "../parts/certificate-facts.js";
import { approved, decide, obstacle, same, who } from "../parts/decide.js";
import { diff } from "../parts/diff.js";
import { Decided } from "../parts/earlier.js";
import { effectBox } from "../parts/effect.js";
import { claimedLines, computed, facts } from "../parts/facts.js";
import { askSlowly } from "../parts/form.js";
import { grantFacts } from "../parts/grants.js";
import { sha256OfText } from "../parts/hashes.js";
import { toSign } from "../parts/passkeys.js";
import { missing, state } from "../parts/state.js";
import { verdict } from "../parts/statement.js";
import { later } from "../parts/table.js";
import { ofProposal, warnings } from "../parts/warnings.js";
import { bytesOf, digest, hex, lasting, moment, number, relative, shortId } from "../parts/values.js";
import { includesUs, may } from "../session.js";
import { show } from "../show.js";
import { people } from "../parts/people.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const news = await changes(signal, ["Proposal"], String(params["uuid"]));
  const proposal = await read(String(params["uuid"]), signal);
  const names = new Names(signal);
  const roles = await names.rolesNamed(proposal.nextRoleUuids);
  const waits = proposal.state === "Approval";
  const earlier = waits ? await new Decided(signal).ofProposal(proposal) : undefined;
  // Only of these a policy may demand it.
  const signing = ["Policy", "PreApproval"].includes(proposal.kind) ? toSign(path(proposal)) : undefined;
  const decidable = {
    object: proposal, waits, roles, selfApproval: proposal.selfApproval,
    unchanged: async () => same(proposal, await read(proposal.objInfo.uuid, signal)),
    signed: false, toSign: signing,
    approve: (/** @type {string} */ note) => {
      const send = (/** @type {Json} */ signed) => post(`${path(proposal)}/approve`, { note, digest: proposal.digest, ...signed });
      return signing ? signing.send(send) : send({});
    },
    deny: (/** @type {string} */ note) => post(`${path(proposal)}/deny`, { note }),
    withdraw: (/** @type {string} */ note) => post(`${path(proposal)}/withdraw`, { note }),
  };
  const submitted = proposal.approvals.find((/** @type {Json} */ one) => one.decision === "Submit");
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/approvals" }, t("approvals.title"))),
    h("div", { class: "head" },
      h("h1", {}, word("kind", proposal.kind), ": ", shown(proposal.objInfo.name)),
      h("p", {}, waits ? missing({ given: approved(proposal).length, required: proposal.approvalsRequired }, roles) : state(proposal.state))),
    waits && news,
    proposal.reason && h("p", { class: "problem" }, shown(proposal.reason)),
    earlier && warnings(ofProposal(proposal, saidIn(proposal), await namesOf(names), earlier, obstacle(decidable))),
    waits && h("p", { class: "consequence" }, word("consequence", proposal.kind)),
    proposal.effect && effectBox(proposal.effect, undefined, pairOf(proposal)),
    h("h2", {}, t("proposal.what")),
    await about(proposal, names),
    await effect(proposal, names),
    h("h2", {}, t("proposal.statement")),
    facts(
      computed(t("fact.statement"), [digest(proposal.digest), statement(proposal)]),
      computed(t("fact.submitted"), [people(proposal.submittedBy), ", ", moment(proposal.submittedAt), " (", relative(proposal.submittedAt), ")"])),
    submitted?.note && [h("h2", {}, tn("request.claims", { who: people(proposal.submittedBy) })), facts(claimedLines(t("fact.note"), submitted.note))],
    h("h2", {}, t("request.who")),
    who(decidable),
    proposal.certificateUuid && proposal.state === "Issued" && h("p", {}, h("a", { href: `#/certificates/${proposal.certificateUuid}` }, t("proposal.certificate"))),
    decide(decidable),
    revokeButton(proposal),
  ];
  return { title: shownText(proposal.objInfo.name), content };
}

/** @param {Json} proposal */
const path = (proposal) => `/api/v2/x509/proposals/${proposal.objInfo.uuid}`;

/** @param {string} uuid @param {AbortSignal} [signal] */
const read = (uuid, signal) => get(`/api/v2/x509/proposals/${uuid}`, undefined, signal);

/** The text that people approve; whether its SHA-256 is the digest. @param {Json} proposal */
function statement(proposal) {
  return later(h("div", {}), async () => {
    const agrees = hex(await sha256OfText(proposal.content)) === hex(bytesOf(proposal.digest));
    return [verdict(agrees), h("details", {}, h("summary", {}, t("statement.show")), h("pre", { tabindex: "0" }, shown(proposal.content, { lines: true })))];
  });
}

/** From the text that people approve, whose digest is compared below: not from what is told beside it. @param {Json} proposal @returns {Json} */
const saidIn = (proposal) => JSON.parse(proposal.content)[proposal.kind] ?? {};

/** What a change changes, before and after; nothing of what is no change. @param {Json} proposal @returns {Json | undefined} */
function pairOf(proposal) {
  const said = saidIn(proposal);
  return said["after"] ? said : proposal.policy ?? proposal.certProfile ?? proposal.issuerApproval;
}

/** The names of what stands there by uuid. @param {Names} names */
async function namesOf(names) {
  const roles = await names.roles();
  return (/** @type {string} */ text) => roles.get(text) ?? text;
}

/** What it does, by its kind. @param {Json} proposal @param {Names} names */
async function effect(proposal, names) {
  const name = await namesOf(names);
  const said = saidIn(proposal);
  switch (proposal.kind) {
    case "Policy": return change(said.after ? said : proposal.policy, name, "proposal.newPolicy");
    case "CertProfile": return change(said.after ? said : proposal.certProfile, name, "proposal.changed");
    case "Issuer": return [await issuerLine(proposal, names), change(said.after ? said : proposal.issuerApproval, name, "proposal.changed")];
    case "Certificate": return facts(...(await certificateLines(said.certificate ?? proposal.certificate, names)));
    case "PreApproval": return preApproval(proposal, said, names);
    case "DetokenizeGrant": return grantFacts(proposal, said);
    default: return h("p", {}, t("proposal.unknown"));
  }
}

/**
 * The service and the policy that a change or a pre-approval is about: policies of two services may have one name.
 * @param {Json} proposal @param {Names} names
 */
async function about(proposal, names) {
  if (!proposal.serviceUuid) return undefined;
  const service = await names.service(proposal.serviceUuid);
  const { certificate } = service;
  const policy = service.signingPolicies.find((/** @type {Json} */ one) => one.objInfo.uuid === proposal.policyUuid);
  return facts(
    computed(t("fact.service"), [h("a", { href: `#/signing/service/${proposal.serviceUuid}` }, shown(service.objInfo.name)), " ", shortId(proposal.serviceUuid)]),
    certificate && computed(t("fact.certificate"), [h("a", { href: `#/certificates/${certificate.objInfo.uuid}` }, shown(certificate.subject)), " ", state(certificate.status)]),
    proposal.policyUuid && computed(t("fact.policy"), [policy && [h("a", { href: `#/signing/policy/${proposal.policyUuid}` }, shown(policy.objInfo.name)), " "], shortId(proposal.policyUuid)]));
}

/** @param {Json} pair @param {(text: string) => string} name @param {import("../words.js").Key} isNew */
const change = (pair, name, isNew) => [!pair.before && h("p", {}, t(isNew)), facts(computed(t("proposal.change"), diff(pair.before, pair.after, name)))];

/** @param {Json} proposal @param {Names} names */
async function issuerLine(proposal, names) {
  const issuer = await names.certificate(proposal.issuerUuid);
  return h("p", {}, tn("proposal.issuer", { issuer: h("a", { href: `#/certificates/${proposal.issuerUuid}` }, shown(issuer.subject)) }));
}

/** @param {Json} certificate @param {Names} names */
async function certificateLines(certificate, names) {
  const issuer = certificate.issuerUuid ? (await names.certificate(certificate.issuerUuid)).subject : "";
  const types = await post("/api/v2/key-types/stubs", { pageSize: 1000 });
  const type = types.results.find((/** @type {Json} */ one) => one.objInfo.uuid === certificate.keyTypeUuid);
  return certificateToIssue(certificate, issuer, type?.objInfo.name ?? certificate.keyTypeUuid);
}

/** @param {Json} proposal @param {Json} said @param {Names} names */
async function preApproval(proposal, said, names) {
  const { maxRequests, uses, submitterUuid, endsAt, usedDigests } = proposal.preApproval;
  const policy = await names.policy(proposal.policyUuid);
  const submitter = submitterUuid && (await names.identities()).get(submitterUuid);
  /** @type {string[]} */
  const digests = said.digests ?? [];
  return facts(
    computed(t("fact.policy"), h("a", { href: `#/signing/policy/${proposal.policyUuid}` }, shown(policy.objInfo.name))),
    computed(t("pre.kind"), submitterUuid ? h("strong", { class: "state wait" }, t("pre.window", { count: number(maxRequests) })) : t("pre.digests", { count: number(maxRequests) })),
    submitterUuid && computed(t("pre.submitter"), shown(submitter ?? submitterUuid)),
    digests.length > 0 && computed(t("pre.list"), h("details", { open: digests.length <= 10 }, h("summary", {}, t("pre.digests", { count: number(digests.length) })), h("ul", {}, digests.map((one) => h("li", {}, digest(one)))))),
    computed(t("pre.ends"), endsAt ? moment(endsAt) : said.lifetimeMs ? tn("pre.lifetime", { time: lasting(said.lifetimeMs) }) : t("pre.noEnd")),
    computed(t("pre.used"), t("pre.usedCount", { count: number(uses) })),
    usedDigests.length > 0 && computed(t("pre.requests"), usedDigests.map((/** @type {Json} */ one) => h("div", {}, h("a", { href: `#/approvals/request/${one.requestUuid}` }, digest(one.digest))))));
}

/** @param {Json} proposal */
function revokeButton(proposal) {
  if (proposal.state !== "Active" || !(may("Signing:Approve") || includesUs(proposal.submittedBy))) return undefined;
  const onclick = () => askSlowly({
    title: t("pre.revoke"), what: h("p", {}, t(proposal.kind === "DetokenizeGrant" ? "grant.endWhat" : "pre.revokeWhat")), name: proposal.objInfo.name, submit: t("pre.revoke"),
    act: async () => {
      await post(`${path(proposal)}/revoke`, {});
      await show();
    },
  });
  return h("p", {}, h("button", { type: "button", class: "danger", onclick }, t("pre.revoke")));
}
