// What can be done with a certificate: renewed, issued again with another key, revoked, and released from a hold.

import { Refusal, get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { each } from "../names.js";
import { may, session } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";
import { action } from "./action.js";
import { sayPeriod } from "./cert-profile.js";
import { done } from "./done.js";
import { askSlowly, field, form, input, select, textarea } from "./form.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../names.js").Names} Names */
/** Authorities that issue here, by uuid and subject. @typedef {[string, string][]} Issuers */
/** @typedef {Awaited<ReturnType<Names["certProfiles"]>>} Profiles */

const REASONS = ["superseded", "keyCompromise", "cACompromise", "affiliationChanged", "cessationOfOperation", "privilegeWithdrawn", "unspecified", "certificateHold"];
const UNITS = ["Day", "Week", "Month", "Year"];
/** Of so many authorities it is read whether their keys are here. */
const READ_MAX = 100;

/** @param {Json} certificate */
const isSelfSigned = (certificate) => certificate["issuerUuid"] === certificate["uuid"];

/** Whether this one can issue now: it is trusted, and its key is here. @param {Json | undefined} one */
const issuesHere = (one) => Boolean(one?.["trusted"] && one["keyUuid"] && one["status"] === "Valid");

/** Whether what is revoked of this issuer is published here. @param {Json | undefined} issuer */
const publishesHere = (issuer) => Boolean(issuer?.["trusted"] && issuer["keyUuid"]);

/** What else could issue in the place of an issuer that cannot do it here; nothing where it can. @param {Json} certificate @param {Json | undefined} issuer @param {Names} names @returns {Promise<Issuers | undefined>} */
export async function otherIssuers(certificate, issuer, names) {
  if (!may("CertManage:Generate") || (isSelfSigned(certificate) ? certificate["keyUuid"] : issuesHere(issuer))) return undefined;
  const inventory = await get("/api/v2/x509", { pageSize: 1000, status: "Valid" }, names.signal);
  const trusted = inventory["results"].filter((/** @type {Json} */ one) => one["trusted"] && one["objInfo"].uuid !== certificate["uuid"]);
  // Lists do not tell where the keys are: of authorities from elsewhere they are not here.
  const found = await each(trusted.slice(0, READ_MAX), (/** @type {Json} */ one) => names.certificate(one["objInfo"].uuid));
  return [...found.filter(issuesHere), ...trusted.slice(READ_MAX)].map((one) => [one["objInfo"].uuid, shownText(one["subject"])]);
}

/** @param {Json} certificate @param {Json | undefined} issuer @param {Profiles} profiles @param {Issuers | undefined} issuers to choose from, where its own does not issue here */
export function actions(certificate, issuer, profiles, issuers) {
  if (!may("CertManage:Generate")) return undefined;
  const isOver = certificate["status"] === "Revoked";
  const isHere = Boolean(certificate["keyUuid"]);
  // An authority takes another key; what is on hold is released first, or does so too.
  const keepsItsKey = !isOver && certificate["status"] !== "Held" && !certificate["trusted"];
  const offered = { certificate, profiles };
  // A new key can sign its own certificate; one that is elsewhere cannot do it here.
  const itself = /** @type {Issuers} */ (issuers && isSelfSigned(certificate) ? [["", t("cert.selfSigned")]] : []);
  const path = `/api/v2/x509/${certificate["uuid"]}`;
  return h("section", { class: "decide", "aria-labelledby": "do-title" },
    h("h2", { id: "do-title" }, t("cert.do")),
    // What was not kept says nothing that could be said again.
    certificate["certificate"] && h("div", { class: "columns" },
      keepsItsKey && issueAgain({ ...offered, title: t("cert.renew"), what: t(isHere ? "cert.renewWhat" : "cert.renewElsewhere"), path: `${path}/renew`, issuers }),
      issueAgain({ ...offered, title: t("cert.rekey"), what: t(isHere ? "cert.rekeyWhat" : "cert.rekeyElsewhere"), path: `${path}/rekey`, issuers: issuers && [...issuers, ...itself], takesKey: !isHere })),
    h("div", { class: "actions" },
      certificate["status"] === "Held" && session.management && action(t("cert.release"), async () => (await post(`${path}/release`), await done(t("cert.release")))),
      !isOver && h("button", { type: "button", class: "danger", onclick: () => revoke(certificate, issuer) }, t("cert.revoke"))));
}

/**
 * Renew and rekey: the same names for longer. `profiles`: of which one is chosen, where the certificate has none; `takesKey`: whether
 * another key may come from elsewhere.
 * @param {{certificate: Json, title: string, what: string, path: string, profiles: Profiles, issuers: Issuers | undefined, takesKey?: boolean}} about
 */
function issueAgain({ certificate, title, what, path, profiles, issuers, takesKey }) {
  const section = (/** @type {import("../dom.js").Child[]} */ ...content) => h("section", {}, h("h3", {}, title), content);
  if (issuers?.length === 0) return section(h("p", {}, t("cert.noIssuerHere")));
  const issuer = issuers && field(t("cert.issuer"), select(issuers), { pointer: "/issuerUuid", help: t("cert.issuerAgain") });
  const takesRequest = takesKey && (!issuers || issuers.some(([uuid]) => uuid));
  const csr = takesRequest && field(t("issue.csr"), textarea({ rows: 4, spellcheck: "false" }), { pointer: "/csr", help: t("issue.csrHelp") });
  const own = certificate["certProfileUuid"];
  const profile = !own && profiles.size > 0 && field(t("cert.profile"), select([["", t("issue.chooseProfile")], ...[...profiles].map(([uuid, { name }]) => /** @type {[string, string]} */ ([uuid, shownText(name)]))]), { pointer: "/certProfileUuid", help: t("cert.profileAgain") });
  const { amount, fields, period, news } = validity(certificate);
  const say = () => sayPeriod(amount, profiles.get(profile ? profile.control.value : own)?.validityPeriod);
  if (profile) profile.control.addEventListener("input", say);
  say();
  const act = async () => {
    if (profile && !profile.control.value) throw new Refusal(0, "InvalidValue", t("issue.noProfile"), { field: profile.pointer });
    const request = csr && csr.control.value.trim();
    if (request && issuer && !issuer.control.value) throw new Refusal(0, "InvalidValue", t("cert.requestNeedsIssuer"), { field: "/issuerUuid" });
    const answer = await post(path, {
      // Else it would be as the key of before, which is not kept: nobody would have it.
      ...(takesKey ? request ? { csr: request } : { newKey: { save: true } } : {}),
      ...(profile ? { certProfileUuid: profile.control.value } : {}),
      ...(issuer && issuer.control.value ? { issuerUuid: issuer.control.value } : {}),
      ...(period() ? { certParams: { validityPeriod: period() } } : {}),
    });
    await issued(title, answer, [t("cert.insteadOf"), ": ", h("a", { href: `#/certificates/${certificate["uuid"]}` }, shown(certificate["subject"] || certificate["objInfo"].name)), "."]);
  };
  return section(h("p", { class: "help" }, what), form({ fields: [issuer, profile, csr, ...fields].filter((one) => one !== undefined && one !== false), extra: news, submit: title, act }));
}

/** For how long, with a word where that is shorter than the certificate lasts anyway. @param {Json} certificate */
function validity(certificate) {
  const amount = field(t("cert.validity"), input({ type: "number", min: 1 }), { pointer: "/certParams/validityPeriod", help: t("cert.validityAgain") });
  const unit = field(t("cert.unit"), select(UNITS.map((one) => [one, word("unit", one)]), "Month"));
  const news = h("p", { role: "status" });
  const period = () => (amount.control.value ? { unit: unit.control.value, amount: amount.control.value } : undefined);
  const tell = () => {
    const given = period();
    const isEarlier = given && endOf(given).getTime() < Date.parse(certificate["notAfter"]);
    fill(news, isEarlier && h("span", { class: "state wait long" }, t("cert.endsEarlier")));
  };
  for (const one of [amount, unit]) one.control.addEventListener("input", tell);
  return { amount, fields: [amount, unit], period, news };
}

/** When what begins now ends. @param {{unit: string, amount: string}} period */
function endOf({ unit, amount }) {
  const end = new Date();
  const count = Number(amount);
  if (unit === "Year" || unit === "Month") end.setUTCMonth(end.getUTCMonth() + count * (unit === "Year" ? 12 : 1));
  else end.setUTCDate(end.getUTCDate() + count * (unit === "Week" ? 7 : 1));
  return end;
}

/** To the certificate, or to the proposal that has to be approved first. @param {string} what was done @param {Json} answer @param {import("../dom.js").Child} [more] */
export function issued(what, answer, more) {
  const isThere = answer["certificateUuid"] && !answer["state"];
  return done(what, { to: isThere ? `#/certificates/${answer["certificateUuid"]}` : `#/approvals/proposal/${answer["uuid"]}`, warnings: answer["warnings"], more });
}

/** @param {Json} certificate @param {Json | undefined} issuer */
function revoke(certificate, issuer) {
  const reason = field(t("cert.reason"), select(REASONS.map((one) => [one, word("reason", one)])), { pointer: "/reason" });
  const isTold = publishesHere(isSelfSigned(certificate) ? certificate : issuer);
  const told = isTold ? "cert.revokeWhat" : isSelfSigned(certificate) ? "cert.revokeSelfSigned" : "cert.revokeElsewhere";
  askSlowly({
    title: t("cert.revoke"), name: certificate["objInfo"].name, fields: [reason], submit: t("cert.revoke"),
    what: [
      h("p", {}, t("cert.serial"), ": ", h("code", {}, certificate["serialNumber"])),
      certificate["trusted"] && h("p", {}, t("cert.revokeAuthority")),
      (!certificate["trusted"] || !isTold) && h("p", {}, t(told)),
      h("p", {}, t("cert.revokeHold"))],
    act: async () => {
      await post(`/api/v2/x509/${certificate["uuid"]}/revoke`, { reason: reason.control.value });
      await done(t("cert.revoke"));
    },
  });
}
