// Issues a certificate: with a key that is made here, or of a request (PKCS#10) that somebody brings.

import { Refusal, get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { each } from "../names.js";
import { profileFacts, sayPeriod } from "../parts/cert-profile.js";
import { issued } from "../parts/certificate-actions.js";
import { facts } from "../parts/facts.js";
import { field, form, input, isSet, select, textarea } from "../parts/form.js";
import { may } from "../session.js";
import { shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const PAGE = 1000;
/** The profile that came with Chancery whose certificates nobody issues but they themselves. */
const ROOT = "00000000-0000-0000-6370-000000000001";

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const [profiles, types, inventory] = await Promise.all([
    get("/api/v2/x509/cert-profiles/stubs", { pageSize: PAGE }, signal),
    post("/api/v2/key-types/stubs", { pageSize: PAGE }),
    get("/api/v2/x509", { pageSize: PAGE, status: "Valid" }, signal)]);
  /** @type {[string, string][]} */
  const profileChoices = profiles["results"].map((/** @type {Json} */ one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]);
  const inFull = await read(profileChoices.map(([uuid]) => uuid), signal);
  const keyTypes = types["results"].filter((/** @type {Json} */ one) => one["usages"].includes("Sign")).map((/** @type {Json} */ one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]);
  const issuers = inventory["results"].filter((/** @type {Json} */ one) => one["trusted"]).map((/** @type {Json} */ one) => [one["objInfo"].uuid, shownText(one["subject"])]);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/certificates" }, t("nav.certificates"))),
    h("h1", {}, t("issue.title")),
    h("div", { class: "columns" },
      h("section", {}, h("h2", {}, t("issue.generate")), generate(profileChoices, inFull, keyTypes, issuers, query["issuer"])),
      h("section", {}, h("h2", {}, t("issue.request")), fromRequest(profileChoices, inFull, issuers, query["issuer"]))),
    may("CertManage:Manage") && h("p", {}, h("a", { href: "#/certificates/import" }, t("certificates.import"))),
  ];
  return { title: t("issue.title"), content };
}

/** Certificate profiles in full, by uuid. @typedef {Map<string, Json>} InFull */

/** @param {string[]} uuids @param {AbortSignal} signal @returns {Promise<InFull>} */
async function read(uuids, signal) {
  return new Map(await each(uuids, async (uuid) => /** @type {[string, Json]} */ ([uuid, await get(`/api/v2/x509/cert-profiles/${uuid}`, undefined, signal)])));
}

/** What both ways have in common. @param {[string, string][]} profiles @param {InFull} inFull */
function common(profiles, inFull) {
  const profile = field(t("cert.profile"), select([["", t("issue.chooseProfile")], ...profiles]), { pointer: "/certProfileUuid" });
  const subject = field(t("cert.subject"), input({ placeholder: "CN=host.example,O=Example" }), { pointer: "/subjectOneline", help: t("issue.subjectHelp") });
  const names = field(t("cert.names"), textarea({ rows: 2, spellcheck: "false" }), { pointer: "/certParams/subjectAltNames", help: t("issue.namesHelp") });
  const amount = field(t("cert.validity"), input({ type: "number", min: 1 }), { pointer: "/certParams/validityPeriod" });
  const unit = field(t("cert.unit"), select(["Day", "Week", "Month", "Year"].map((one) => [one, word("unit", one)]), "Month"));
  const said = h("div", {});
  const say = () => {
    const own = inFull.get(profile.control.value);
    fill(said, own && facts(...profileFacts(own)));
    sayPeriod(amount, own?.["validityPeriod"]);
  };
  profile.element.append(said);
  profile.control.addEventListener("input", say);
  say();
  const body = () => {
    if (!profile.control.value) throw new Refusal(0, "InvalidValue", t("issue.noProfile"), { field: profile.pointer });
    const subjectAltNames = names.control.value.split("\n").map((one) => one.trim()).filter(Boolean);
    const certParams = {
      ...(subjectAltNames.length > 0 ? { subjectAltNames } : {}),
      ...(amount.control.value ? { validityPeriod: { unit: unit.control.value, amount: amount.control.value } } : {}),
    };
    return {
      certProfileUuid: profile.control.value,
      ...(subject.control.value ? { subjectOneline: subject.control.value } : {}),
      ...(Object.keys(certParams).length > 0 ? { certParams } : {}),
    };
  };
  return { profile, fields: [subject, names, amount, unit], body };
}

/** @param {[string, string][]} profiles @param {InFull} inFull @param {[string, string][]} keyTypes @param {[string, string][]} issuers @param {string | undefined} chosen */
function generate(profiles, inFull, keyTypes, issuers, chosen) {
  const { profile, fields, body } = common(profiles, inFull);
  const issuer = field(t("cert.issuer"), select([["", t("cert.selfSigned")], ...issuers], chosen ?? issuers[0]?.[0]), { pointer: "/issuerUuid" });
  const type = field(t("issue.keyType"), select(keyTypes), { pointer: "/newKey/keyTypeUuid" });
  // Of what is no authority it says nothing.
  const trust = field(t("issue.trust"), input({ type: "checkbox", checked: true }), { pointer: "/trustCert", help: t("issue.trustHelp") });
  const isAuthority = () => Boolean(inFull.get(profile.control.value)?.["basicConstraints"].ca);
  const offerTrust = () => (trust.element.hidden = !isAuthority());
  let before = issuer.control.value;
  // A root has no issuer but itself; whoever chooses another profile finds the one of before.
  const follow = () => {
    offerTrust();
    const isRoot = profile.control.value === ROOT;
    if (!issuer.control.disabled) before = issuer.control.value;
    issuer.control.disabled = isRoot;
    issuer.control.value = isRoot ? "" : before;
    issuer.complain("");
  };
  profile.control.addEventListener("input", follow);
  offerTrust();
  return form({
    fields: [profile, trust, issuer, ...fields, type], extra: h("p", { class: "help" }, t("issue.ownKey")), submit: t("issue.generateSubmit"),
    act: async () => issued(t("issue.generateSubmit"), await post("/api/v2/x509/generate", {
      ...body(), ...(issuer.control.value ? { issuerUuid: issuer.control.value } : {}),
      newKey: { keyTypeUuid: type.control.value, save: true }, trustCert: isAuthority() && isSet(trust),
    })),
  });
}

/** @param {[string, string][]} profiles @param {InFull} inFull @param {[string, string][]} issuers @param {string | undefined} chosen */
function fromRequest(profiles, inFull, issuers, chosen) {
  const { profile, fields, body } = common(profiles.filter(([uuid]) => uuid !== ROOT), inFull);
  const issuer = field(t("cert.issuer"), select(issuers, chosen), { pointer: "/serviceOrIssuerUuid" });
  const csr = field(t("issue.csr"), textarea({ rows: 8, spellcheck: "false" }), { pointer: "/csr", help: t("issue.csrHelp") });
  return form({
    fields: [csr, profile, issuer, ...fields], submit: t("issue.requestSubmit"),
    act: async () => issued(t("issue.requestSubmit"), await post("/api/v2/x509/requests", { ...body(), serviceOrIssuerUuid: issuer.control.value, csr: csr.control.value })),
  });
}
