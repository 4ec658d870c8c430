// Certificate profiles, to read: what is issued under which, for how long, and what for.

import { get } from "../api.js";
import { h } from "../dom.js";
import { profileFacts } from "../parts/cert-profile.js";
import { fact, facts } from "../parts/facts.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { period, shortId } from "../parts/values.js";
import { shown, shownText } from "../visible.js";
import { t } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ params, query, signal }) {
  return params["uuid"] ? one(params["uuid"], signal) : all(query, signal);
}

/** @param {Record<string, string>} query @param {AbortSignal} signal */
async function all(query, signal) {
  const answer = await get("/api/v2/x509/cert-profiles/stubs", { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal);
  const columns = [
    { title: t("cert.profile"), cell: (/** @type {Json} */ row) => h("a", { href: `#/certificates/profiles/${row["objInfo"].uuid}` }, shown(row["objInfo"].name)) },
    { title: t("cert.validity"), cell: (/** @type {Json} */ row) => period(row["validityPeriod"]) },
    { title: "UUID", cell: (/** @type {Json} */ row) => shortId(row["objInfo"].uuid) },
  ];
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/certificates" }, t("nav.certificates"))),
    h("h1", {}, t("certProfiles.title")),
    list({ path: "/certificates/profiles", query, caption: t("certProfiles.title"), columns, empty: t("certProfiles.empty"), search: t("certProfiles.search"), listed: { ...answer, rows: answer["results"] } }),
  ];
  return { title: t("certProfiles.title"), content };
}

/** @param {string} uuid @param {AbortSignal} signal */
async function one(uuid, signal) {
  const profile = await get(`/api/v2/x509/cert-profiles/${uuid}`, undefined, signal);
  const { objInfo, approval, enabled } = profile;
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/certificates" }, t("nav.certificates")), " › ", h("a", { href: "#/certificates/profiles" }, t("certProfiles.title"))),
    h("div", { class: "head" }, h("h1", {}, shown(objInfo.name)), h("p", {}, state(enabled ? "Enabled" : "Disabled"))),
    facts(
      ...profileFacts(profile),
      approval.numApprovals > 0 && fact(t("cert.approval"), t("signing.approvals", { count: approval.numApprovals })),
      fact("UUID", shortId(uuid))),
  ];
  return { title: shownText(objInfo.name), content };
}
