// Deploys a service: one that signs, with its certificate and its first policy; or one that stamps the time.

import { Refusal, get, post } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { done } from "../parts/done.js";
import { field, form, input, isSet, select } from "../parts/form.js";
import { hashFields, policyFields } from "../parts/policy-fields.js";
import { shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const FORMATS = ["CMS", "Authenticode", "Msi", "Powershell", "JavaJar", "Raw"];
const STAMPING = "Time Stamping";
const PAGE = 1000;

/** @param {import("../router.js").Context} context */
export async function page({ signal }) {
  const [types, inventory, roles] = await Promise.all([
    post("/api/v2/key-types/stubs", { pageSize: PAGE }),
    get("/api/v2/x509", { pageSize: PAGE, status: "Valid" }, signal),
    new Names(signal).roles()]);
  const keyTypes = types["results"].filter((/** @type {Json} */ one) => one["usages"].includes("Sign")).map((/** @type {Json} */ one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]);
  const issuers = inventory["results"].filter((/** @type {Json} */ one) => one["trusted"]).map((/** @type {Json} */ one) => [one["objInfo"].uuid, shownText(one["subject"])]);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title"))),
    h("h1", {}, t("deploy.title")),
    issuers.length > 0 ? deployForm(keyTypes, issuers, roles) : h("p", {}, t("deploy.noIssuer"), " ", h("a", { href: "#/certificates/issue" }, t("certificates.issue"))),
  ];
  return { title: t("deploy.title"), content };
}

/** @param {[string, string][]} keyTypes @param {[string, string][]} issuers @param {Map<string, string>} roles */
function deployForm(keyTypes, issuers, roles) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const format = field(t("fact.format"), select([...FORMATS.map((one) => /** @type {[string, string]} */ ([one, word("format", one)])), [STAMPING, t("signing.stamps")]]), { pointer: "/pkisigning/signingFormat" });
  const issuer = field(t("cert.issuer"), select(issuers), { pointer: "/issuerUuid" });
  const subject = field(t("cert.subject"), input({ placeholder: "CN=Releases,O=Example", spellcheck: "false" }), { pointer: "/subjectOneline" });
  const type = field(t("issue.keyType"), select(keyTypes), { pointer: "/newKey/keyTypeUuid" });
  const amount = field(t("cert.validity"), input({ type: "number", min: 1, value: 1 }), { pointer: "/certParams/validityPeriod" });
  const unit = field(t("cert.unit"), select(["Day", "Week", "Month", "Year"].map((one) => [one, word("unit", one)]), "Year"));
  const isPublic = field(t("deploy.public"), input({ type: "checkbox", checked: true }), { pointer: "/log", help: t("deploy.publicHelp") });
  const hash = hashFields("/pkisigning");
  const demands = policyFields(undefined, roles, "/pkisigning");
  const certificate = [issuer, subject, type, amount];
  const ofSigning = h("fieldset", {}, h("legend", {}, t("deploy.policy")), [...hash.fields, ...demands.fields].map((one) => one.element), demands.more);
  const stamps = () => format.control.value === STAMPING;
  format.control.addEventListener("change", () => (ofSigning.hidden = stamps()));
  const act = async () => {
    const member = stamps() ? "timestamping" : "pkisigning";
    // The members of the certificate stand below the template's own.
    for (const one of certificate) one.pointer = `/${member}/newCert${one.pointer.replace(/^.*\/newCert/, "")}`;
    // The server calls it the name, which is another field here.
    if (!subject.control.value.trim()) throw new Refusal(0, "InvalidValue", t("deploy.noSubject"), { field: subject.pointer });
    const newCert = {
      issuerUuid: issuer.control.value, subjectOneline: subject.control.value, newKey: { keyTypeUuid: type.control.value, save: true },
      certParams: { validityPeriod: { unit: unit.control.value, amount: amount.control.value } },
    };
    const answer = await post("/cuserv/v1/services/deploy", {
      template: stamps() ? STAMPING : "PKI Signing", name: name.control.value, log: isSet(isPublic) ? "Public" : "Internal",
      [member]: stamps() ? { newCert } : { newCert, signingFormat: format.control.value, ...hash.body(), ...demands.body() },
    });
    const next = answer["pendingCertificate"] ? `#/approvals/proposal/${answer["pendingCertificate"].uuid}` : `#/signing/service/${answer["serviceUuid"]}`;
    await done(t("deploy.make"), { to: next, warnings: answer["warnings"] });
  };
  return form({
    fields: [name, format, ...certificate, unit, isPublic], placed: () => [...hash.fields, ...demands.fields, ...demands.placed],
    extra: ofSigning, submit: t("deploy.make"), act,
  });
}
