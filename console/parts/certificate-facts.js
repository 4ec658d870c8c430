// A certificate that is to be issued, as the server will issue it.

import { h } from "../dom.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";
import { computed } from "./facts.js";
import { digest, period, shortId } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */

/** The lines of an approval page. @param {Json} certificate @param {string} issuer @param {string} keyType */
export function certificateToIssue(certificate, issuer, keyType) {
  const { basicConstraints, nameConstraints } = certificate;
  return [
    computed(t("cert.subject"), shown(certificate.subject || t("cert.noSubject"))),
    computed(t("cert.ca"), basicConstraints.ca ? h("strong", { class: "state wait" }, authority(basicConstraints)) : t("cert.isNoAuthority")),
    computed(t("cert.names"), list(certificate.subjectAltNames)),
    computed(t("cert.validity"), period(certificate.validityPeriod)),
    computed(t("cert.keyUsages"), list(certificate.keyUsages.map((/** @type {string} */ one) => word("usage", one)))),
    computed(t("cert.extendedKeyUsages"), list(certificate.extendedKeyUsages.map((/** @type {string} */ one) => word("usage", one)))),
    computed(t("cert.issuer"), issuer ? [shown(issuer), certificate.issuerSha256 && h("div", { class: "help" }, t("cert.issuerSha256"), " ", digest(certificate.issuerSha256))] : t("cert.selfSigned")),
    computed(t("cert.hash"), word("hash", certificate.hashAlgorithm)),
    computed(t("cert.profile"), shown(certificate.certProfile)),
    computed(t("cert.policies"), list(certificate.policies)),
    computed(t("cert.crlUrls"), addresses(certificate.crlUrls)),
    computed(t("cert.ocspUrls"), addresses(certificate.ocspUrls)),
    computed(t("cert.issuerUrls"), addresses(certificate.issuerUrls)),
    computed(t("fact.key"), certificate.publicKeySha256 ? [t("cert.keyGiven"), " ", digest(certificate.publicKeySha256)] : t("cert.keyMade", { type: keyType })),
    certificate.publicKeySha256 ? computed(t("cert.keyKind"), shown(keyType)) : computed(t("cert.privateKey"), certificate.saveKey ? t("cert.keyKept") : h("strong", { class: "state bad" }, t("cert.keyLost"))),
    computed(t("cert.trusted"), certificate.trustCert ? h("strong", {}, t("cert.willIssue")) : t("cert.willNotIssue")),
    nameConstraints && computed(t("cert.permitted"), list(nameConstraints.permitted ?? [])),
    nameConstraints && computed(t("cert.excluded"), list(nameConstraints.excluded ?? [])),
    certificate.insteadOf && computed(t("cert.insteadOf"), h("a", { href: `#/certificates/${certificate.insteadOf}` }, shortId(certificate.insteadOf))),
  ];
}

/** @param {Json} constraints */
export function authority({ pathLength }) {
  if (pathLength === null || pathLength === undefined) return t("cert.isAuthority");
  return pathLength === 0 ? t("cert.isAuthorityOfNone") : pathLength === 1 ? t("cert.isAuthorityOfOne") : t("cert.isAuthorityOf", { depth: pathLength });
}

/** Where something about it is looked up: named ones, none, or those of this server. @param {string[] | null | undefined} urls */
const addresses = (urls) => (urls ? list(urls) : t("cert.ownUrls"));

/** @param {string[]} texts @returns {Child} */
export function list(texts) {
  if (texts.length === 0) return h("span", { class: "quiet" }, t("cert.none"));
  // Each in a frame of its own: one may have a comma in it, and look like two.
  return texts.flatMap((text, index) => [index > 0 && " ", h("span", { class: "person" }, shown(text))]);
}
