// One certificate: its fields, its chain, where it stands, and what can be done with it.

import { download, get } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { actions, otherIssuers } from "../parts/certificate-actions.js";
import { readContent } from "../parts/certificate-content.js";
import { authority, list } from "../parts/certificate-facts.js";
import { fact, facts } from "../parts/facts.js";
import { saveButton } from "../parts/results.js";
import { state } from "../parts/state.js";
import { later } from "../parts/table.js";
import { base64Of, copyable, digest, moment, number, period, relative, shortId } from "../parts/values.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** Longer chains than this are no chains. */
const CHAIN_MAX = 12;

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const names = new Names(signal);
  const certificate = await names.certificate(String(params["uuid"]));
  const [chain, profiles, inside] = await Promise.all([chainOf(certificate, names), names.certProfiles(), insideOf(certificate)]);
  const name = certificate["subject"] || certificate["objInfo"].name;
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/certificates" }, t("nav.certificates")), chain.slice(1).reverse().map((one) => [" › ", h("a", { href: `#/certificates/${one["uuid"]}` }, shown(one["objInfo"].name))])),
    h("div", { class: "head" }, h("h1", {}, shown(name)), h("p", {}, state(certificate["status"]))),
    facts(
      fact(t("cert.subject"), shown(certificate["subject"] || t("cert.noSubject"))),
      fact(t("cert.issuer"), certificate["issuerUuid"] === certificate["uuid"] ? t("cert.selfSigned") : h("a", { href: `#/certificates/${certificate["issuerUuid"]}` }, shown(chain[1]?.["subject"] ?? certificate["issuerUuid"]))),
      fact(t("cert.serial"), copyable(certificate["serialNumber"])),
      fact(t("cert.begins"), moment(certificate["notBefore"])),
      fact(t("cert.ends"), [moment(certificate["notAfter"]), " (", relative(certificate["notAfter"]), ")"]),
      certificate["revokedAt"] && fact(t("state.Revoked"), [moment(certificate["revokedAt"]), ", ", word("reason", certificate["revocationReason"])]),
      ...inside.facts,
      fact(t("fact.key"), `${inside.key ?? word("algorithm", certificate["keyAlgorithm"])}. ${t(certificate["keyUuid"] ? "fact.keyHere" : "fact.keyNotHere")}`),
      fact(t("cert.origin"), word("origin", certificate["origin"])),
      fact(t("cert.profile"), certificate["certProfileUuid"] ? h("a", { href: `#/certificates/profiles/${certificate["certProfileUuid"]}` }, shown(profiles.get(certificate["certProfileUuid"])?.name ?? certificate["certProfileUuid"])) : t("cert.noProfile")),
      fact(t("cert.trusted"), t(certificate["trusted"] ? "cert.willIssue" : "cert.willNotIssue")),
      certificate["approval"]?.numApprovals > 0 && fact(t("cert.approval"), [t("signing.approvals", { count: certificate["approval"].numApprovals }), certificate["approval"].requestLifetime && `, ${period(certificate["approval"].requestLifetime)}`]),
      certificate["inclusionProof"] && fact(t("health.log"), t("results.logged", { index: number(certificate["inclusionProof"].index), size: number(certificate["inclusionProof"].treeSize) })),
      fact("UUID", shortId(certificate["uuid"]))),
    await ofSameName(certificate, signal),
    h("h2", {}, t("cert.download")), downloads(certificate),
    certificate["trusted"] && h("p", {}, h("a", { href: `#/certificates?issuer=${certificate["uuid"]}` }, t("certificates.issued"))),
    await usedBy(certificate, names),
    actions(certificate, chain[1], profiles, await otherIssuers(certificate, chain[1], names)),
  ];
  return { title: shownText(name), content };
}

/** Others that are valid now: what was issued in its place is among them, and the interface does not tell more. @param {Json} certificate @param {AbortSignal} signal */
async function ofSameName(certificate, signal) {
  const subject = certificate["subject"];
  if (!subject) return undefined;
  const { results } = await get("/api/v2/x509", { search: subject, status: "Valid", pageSize: 50 }, signal);
  const same = results.filter((/** @type {Json} */ one) => one["subject"] === subject && one["objInfo"].uuid !== certificate["uuid"]);
  const line = (/** @type {Json} */ one) => h("li", {}, h("a", { href: `#/certificates/${one["objInfo"].uuid}` }, tn("cert.validUntil", { time: moment(one["notAfter"]) })), " ", h("code", { class: "quiet" }, `…${one["serialNumber"].slice(-8)}`));
  return same.length > 0 && [h("h2", {}, t("cert.sameName")), h("ul", { class: "notes" }, same.map(line))];
}

/** From the certificate to its root. @param {Json} certificate @param {Names} names */
async function chainOf(certificate, names) {
  const chain = [certificate];
  for (let one = certificate; one["issuerUuid"] !== one["uuid"] && chain.length < CHAIN_MAX; chain.push(one)) {
    const issuer = await names.certificate(one["issuerUuid"]).catch(() => undefined);
    if (!issuer) break;
    one = issuer;
  }
  return chain;
}

/** What the certificate itself says: what it is for, its key, and the digest by which others know it; of each, whether it can be read. @param {Json} certificate */
async function insideOf(certificate) {
  const pem = certificate["certificate"];
  if (!pem) return { facts: [] };
  const { der, key, altNames, keyUsages, extendedKeyUsages, policies, constraints } = readContent(pem);
  const sha256 = der && base64Of(new Uint8Array(await crypto.subtle.digest("SHA-256", der)));
  const unread = () => h("strong", { class: "state wait long" }, t("cert.unread"));
  // Without the extension it is good for everything (RFC 5280, 4.2.1.3 and 4.2.1.12).
  const words = (/** @type {string[] | "any" | undefined} */ usages) => (usages === "any" ? t("cert.notLimited") : usages ? list(usages.map((one) => word("usage", one))) : unread());
  const facts = [
    fact(t("cert.names"), altNames ? list(altNames) : unread()),
    fact(t("cert.ca"), constraints ? (constraints.ca ? authority(constraints) : t("cert.isNoAuthority")) : unread()),
    fact(t("cert.keyUsages"), words(keyUsages)),
    fact(t("cert.extendedKeyUsages"), words(extendedKeyUsages)),
    fact(t("cert.policies"), policies ? list(policies) : unread()),
    fact(t("cert.fingerprint"), sha256 ? digest(sha256) : unread())];
  return { facts, key };
}

/** @param {Json} certificate */
function downloads(certificate) {
  if (!certificate["certificate"]) return h("p", {}, t("cert.notKept"));
  const path = `/api/v2/x509/${certificate["uuid"]}/download`;
  /** @type {[string, import("../words.js").Key, string][]} */
  const forms = [["pem", "cert.pem", ".pem"], ["der", "cert.der", ".crt"], ["chain", "cert.chain", "-chain.pem"]];
  return h("div", { class: "actions" }, forms.map(([form, key, ending]) => saveButton(t(key), `${certificate["objInfo"].name}${ending}`, () => download(`${path}?format=${form}`))));
}

/** The services that sign with it. @param {Json} certificate @param {Names} names */
async function usedBy(certificate, names) {
  const place = h("div");
  return later(place, async () => {
    const answer = await get("/api/v2/x509/services", { pageSize: 1000 }, names.signal);
    const using = answer["results"].filter((/** @type {Json} */ one) => one["certificateUuid"] === certificate["uuid"]);
    return using.length > 0 && [h("h2", {}, t("cert.usedBy")), h("ul", { class: "lines-list" }, using.map((/** @type {Json} */ one) => h("li", {}, h("a", { href: `#/signing/service/${one["objInfo"].uuid}` }, shown(one["objInfo"].name)))))];
  });
}
