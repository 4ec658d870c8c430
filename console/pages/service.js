// One signing service: its certificate, its policies, and what was asked of it last.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { field, form, input, select } from "../parts/form.js";
import { state } from "../parts/state.js";
import { list } from "../parts/table.js";
import { day, shortId } from "../parts/values.js";
import { may } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";
import { requestColumns } from "./requests.js";

/** @typedef {import("../api.js").Json} Json */

/** A new certificate and a new key of the same kind. @param {Json} service */
function renewal(service) {
  const amount = field(t("cert.validity"), input({ type: "number", min: 1, placeholder: t("service.asNow") }), { pointer: "/validityPeriod" });
  const unit = field(t("cert.unit"), select(["Day", "Week", "Month", "Year"].map((one) => [one, word("unit", one)]), "Year"));
  const act = async () => {
    const body = amount.control.value ? { validityPeriod: { unit: unit.control.value, amount: amount.control.value } } : {};
    const answer = await post(`/api/v2/x509/services/${service["objInfo"].uuid}/renew`, body);
    const waits = answer["pendingCertificate"];
    await done(t("service.renew"), { to: waits ? `#/approvals/proposal/${waits.uuid}` : undefined, warnings: answer["warnings"] });
  };
  return h("details", {}, h("summary", {}, t("service.renew")), h("p", {}, t("service.renewWhat")), form({ fields: [amount, unit], submit: t("service.renew"), act }));
}

const ROWS = 20;

/** @param {import("../router.js").Context} context */
export async function page({ params, query, signal }) {
  const uuid = String(params["uuid"]);
  const sees = may("Signing:Submit", "Signing:Approve");
  const [service, requests] = await Promise.all([
    get(`/api/v2/x509/services/${uuid}`, undefined, signal),
    sees ? get(`/api/v2/x509/services/${uuid}/signing-requests`, { search: query["search"], after: query["after"], pageSize: ROWS }, signal) : undefined,
  ]);
  const { certificate, signingPolicies } = service;
  const policy = (/** @type {Json} */ one) => h("li", {},
    h("a", { href: `#/signing/policy/${one.objInfo.uuid}` }, shown(one.objInfo.name)),
    h("span", {}, word("hash", one.hashAlgorithm), ", ", t("signing.approvals", { count: one.numApprovals })));
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title"))),
    h("div", { class: "head" }, h("h1", {}, shown(service.objInfo.name)),
      may("Signing:Submit") && signingPolicies.length > 0 && h("a", { class: "primary", href: `#/signing/submit?service=${uuid}` }, t("signing.submit"))),
    facts(
      fact(t("fact.format"), service.signingFormat ? word("format", service.signingFormat) : t("signing.stamps")),
      fact(t("fact.certificate"), certificate
        ? [h("a", { href: `#/certificates/${certificate.objInfo.uuid}` }, shown(certificate.subject)), ", ", t("fact.ends"), " ", day(certificate.notAfter), " ", state(certificate.status)]
        : t("fact.noCertificate")),
      fact("UUID", shortId(uuid))),
    h("h2", {}, t("signing.policies")),
    signingPolicies.length > 0 ? h("ul", { class: "lines-list" }, signingPolicies.map(policy)) : h("p", {}, t("signing.noPolicies")),
    may("Services:Deploy") && signingPolicies.length > 0 && h("p", {}, h("a", { href: `#/signing/service/${uuid}/policy` }, t("policy.newTitle"))),
    may("Services:Deploy") && certificate && renewal(service),
    requests && [h("h2", {}, t("approvals.requests")),
      list({ path: `/signing/service/${uuid}`, query, caption: t("approvals.requests"), columns: requestColumns(), empty: t("requests.empty"), search: t("requests.search"), listed: { ...requests, rows: requests.items } })],
  ];
  return { title: shownText(service.objInfo.name), content };
}
