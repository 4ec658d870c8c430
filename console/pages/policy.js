// One signing policy: what it demands before its service signs.

import { get } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { budget, budgetUses } from "../parts/budgets.js";
import { list } from "../parts/certificate-facts.js";
import { fact, facts } from "../parts/facts.js";
import { later } from "../parts/table.js";
import { number, period, shortId, size } from "../parts/values.js";
import { may } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const names = new Names(signal);
  const policy = await get(`/api/v2/x509/signing-policies/${params["uuid"]}`, undefined, signal);
  const service = await names.service(policy.serviceUuid);
  const { rules, pendingChange } = policy;
  /** @type {Json[]} */
  const budgets = rules.budgets ?? [];
  const submitters = await names.rolesNamed(rules.submitterRoleUuids);
  const steps = await Promise.all(rules.approvalSteps.map(async (/** @type {Json} */ step) =>
    h("li", {}, t("policy.step", { count: step.numApprovals, roles: (await names.rolesNamed(step.roleUuids)).map(shownText).join(", ") }))));
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title")), " › ", h("a", { href: `#/signing/service/${policy.serviceUuid}` }, shown(service.objInfo.name))),
    h("div", { class: "head" }, h("h1", {}, shown(policy.objInfo.name)),
      may("Services:Deploy") && h("a", { href: `#/signing/policy/${policy.objInfo.uuid}/edit` }, t("policy.change"))),
    pendingChange && h("p", { class: "half" }, h("a", { href: `#/approvals/proposal/${pendingChange.uuid}` }, t("policy.pending"))),
    facts(
      fact(t("policy.approvals"), t("signing.approvals", { count: policy.numApprovals })),
      fact(t("policy.steps"), steps.length > 0 ? h("ol", { class: "notes" }, steps) : t("policy.anyApprover")),
      fact(t("policy.selfApproval"), word("selfApproval", policy.selfApproval)),
      rules.signedApprovals && fact(t("policy.signedApprovals"), t("policy.signed")),
      fact(t("fact.format"), `${word("format", policy.signingFormat)}, ${word("hash", policy.hashAlgorithm)}${policy.rsaPss ? ", RSASSA-PSS" : ""}`),
      fact(t("fact.timeStamp"), policy.timeStamp ? t("fact.stamped") : t("fact.notStamped")),
      fact(t("policy.submitters"), submitters.length > 0 ? list(submitters) : t("policy.anySubmitter")),
      fact(t("policy.fileNames"), rules.fileNames.length > 0 ? list(rules.fileNames) : t("policy.anyName")),
      fact(t("policy.maxSize"), rules.maxSize ? size(rules.maxSize) : t("policy.noLimit")),
      fact(t("policy.rates"), rates(rules)),
      budgets.length > 0 && fact(t("rules.budgets"), list(budgets.map(budget))),
      fact(t("fact.provenance"), provenance(rules)),
      fact(t("policy.lifetime"), rules.requestLifetime ? period(rules.requestLifetime) : t("policy.forEver")),
      fact("UUID", shortId(policy.objInfo.uuid))),
    budgets.length > 0 && may("Services:Deploy") && later(h("div", {}), () => budgetUses(`/api/v2/x509/signing-policies/${policy.objInfo.uuid}/budgets`, [], budget, signal)),
  ];
  return { title: shownText(policy.objInfo.name), content };
}

/** Whose word on where content comes from counts, and whether there has to be any. @param {Json} rules */
function provenance({ provenanceRequired, provenanceIssuers }) {
  /** @type {Json[]} */
  const issuers = provenanceIssuers ?? [];
  if (issuers.length === 0) return t("policy.noProvenance");
  return [t(provenanceRequired ? "policy.provenanceRequired" : "policy.provenanceTaken"), " ", list(issuers.map((one) => one["name"]))];
}

/** @param {Json} rules */
function rates({ signaturesPerHour, signaturesPerDay }) {
  const parts = [signaturesPerHour && t("policy.perHour", { count: number(signaturesPerHour) }), signaturesPerDay && t("policy.perDay", { count: number(signaturesPerDay) })].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : t("policy.noLimit");
}
