// Signing: the services, each with its policies and its certificate.

import { get } from "../api.js";
import { h } from "../dom.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { day } from "../parts/values.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const answer = await get("/api/v2/x509/services", { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal);
  const columns = [
    { title: t("column.service"), cell: (/** @type {Json} */ row) => h("a", { href: `#/signing/service/${row.objInfo.uuid}` }, shown(row.objInfo.name)) },
    { title: t("column.format"), cell: (/** @type {Json} */ row) => row.signingFormat ? word("format", row.signingFormat) : t("signing.stamps") },
    { title: t("column.policies"), cell: (/** @type {Json} */ row) => row.signingPolicies.flatMap((/** @type {Json} */ one, /** @type {number} */ index) =>
      [index > 0 && ", ", h("a", { href: `#/signing/policy/${one.objInfo.uuid}` }, shown(one.objInfo.name)), ` (${t("signing.approvals", { count: one.numApprovals })})`]) },
    { title: t("fact.certificate"), cell: (/** @type {Json} */ row) => row.certificate ? [state(row.certificate.status), ", ", t("fact.ends"), " ", day(row.certificate.notAfter)] : t("fact.noCertificate") },
  ];
  const content = [
    h("div", { class: "head" }, h("h1", {}, t("signing.title")), h("p", { class: "actions" },
      may("Signing:Submit", "Signing:Approve") && h("a", { href: "#/signing/requests" }, t("signing.requests")),
      h("a", { href: "#/signing/verify" }, t("verify.title")),
      may("Services:Deploy") && h("a", { href: "#/signing/new" }, t("deploy.title")),
      may("Signing:Submit") && h("a", { class: "primary", href: "#/signing/submit" }, t("signing.submit")))),
    list({ path: "/signing", query, caption: t("signing.title"), columns, empty: t("signing.empty"), search: t("signing.search"), listed: { ...answer, rows: answer.results } }),
  ];
  return { title: t("nav.signing"), content };
}
