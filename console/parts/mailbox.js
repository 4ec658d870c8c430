// Where a person has what concerns it sent: set by itself alone, confirmed by a code, and removed by itself or whoever manages identities.

import { post, put, remove } from "../api.js";
import { h } from "../dom.js";
import { includesUs } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";
import { done } from "./done.js";
import { fact, facts } from "./facts.js";
import { askSlowly, boxes, field, form, input } from "./form.js";
import { moment, number, relative } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */

/** In the order of the interface; `Test` is sent to one target alone and not kept. */
export const KINDS = ["Waiting", "Approved", "Signed", "Applied", "Denied", "Withdrawn", "Failed", "Expired", "Revoked", "CertificateEnds", "ApiKeyEnds", "RowRefused", "JournalFailed", "LedgerFailed", "ClockJumped", "BudgetLow", "AuditTargetFailed", "IdentityRecovered", "LoginChanged", "WitnessFailed"];

/** The section of one mailbox. @param {Json} found @param {Json[]} services @param {boolean} named whether it has to be said whose it is */
export function mailbox(found, services, named) {
  const { name, uuid } = found["objInfo"];
  const path = `/api/v2/identities/${uuid}/mailbox`;
  const isOwn = includesUs([found["objInfo"]]);
  const title = isOwn ? t("mailbox.mine") : t("mailbox.title");
  const isThere = found["address"] || found["pending"];
  return h("section", {},
    h("h2", {}, title, named && [": ", shown(name)]),
    !found["address"] && h("p", {}, t(isOwn ? "mailbox.none" : "mailbox.noneOfTheirs")),
    found["address"] && about(found, services),
    found["pending"] && pending(path, found["pending"], isOwn),
    isOwn && h("details", {}, h("summary", {}, t(found["address"] ? "mailbox.change" : "mailbox.set")), editor(path, found, services)),
    isThere && h("div", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: () => ending(path, name) }, t("mailbox.remove"))));
}

/** @param {Json} found @param {Json[]} services */
function about({ address, confirmedAt, kinds, serviceUuids, enabled, deliveries }, services) {
  const names = new Map(services.map((one) => [one["objInfo"].uuid, one["objInfo"].name]));
  const apart = (/** @type {Child[]} */ parts) => parts.flatMap((part, index) => [index > 0 && ", ", part]);
  return facts(
    fact(t("mailbox.address"), shown(address)),
    fact(t("mailbox.confirmed"), moment(confirmedAt)),
    fact(t("targets.enabled"), t(enabled ? "yes" : "no")),
    fact(t("mailbox.kinds"), kinds.length > 0 ? kinds.map((/** @type {string} */ one) => word("notice", one)).join(", ") : t("mailbox.allKinds")),
    fact(t("targets.services"), serviceUuids.length > 0 ? apart(serviceUuids.map((/** @type {string} */ one) => shown(names.get(one) ?? one))) : t("targets.allServices")),
    fact(t("targets.counts"), t("targets.countsText", { delivered: number(deliveries.delivered), waiting: number(deliveries.waiting), givenUp: number(deliveries.givenUp) })),
    deliveries.error && fact(t("targets.error"), [h("strong", { class: deliveries.failures > 0 ? "state bad" : "state still" }, shown(deliveries.error)), " ", moment(deliveries.failedAt)]),
    deliveries.triedAgainAt && fact(t("targets.again"), relative(deliveries.triedAgainAt)));
}

/** @param {string} path @param {Json} waits @param {boolean} isOwn */
function pending(path, { address, expiresAt, triesLeft }, isOwn) {
  const told = h("p", {}, h("strong", { class: "state wait long" }, t("mailbox.waits", { address: shownText(address) })), " ", t("mailbox.until", { count: triesLeft }), " ", relative(expiresAt));
  if (!isOwn) return told;
  const code = field(t("mailbox.code"), input({ maxlength: 32, spellcheck: "false", autocapitalize: "characters", autocomplete: "one-time-code" }), { pointer: "/code", help: t("mailbox.codeHelp") });
  return [told, form({ fields: [code], submit: t("mailbox.confirm"), act: async () => (await post(`${path}/confirm`, { code: code.control.value }), await done(t("mailbox.confirm"))) })];
}

/** @param {string} path @param {Json} found @param {Json[]} services */
function editor(path, found, services) {
  const now = found["pending"] ?? found;
  const address = field(t("mailbox.address"), input({ type: "email", value: now["address"] ?? "", maxlength: 254, spellcheck: "false", autocomplete: "email" }), { pointer: "/address", help: t("mailbox.addressHelp") });
  const enabled = field(t("targets.enabled"), input({ type: "checkbox", checked: now["address"] ? now["enabled"] : true }), { pointer: "/enabled", help: t("mailbox.enabledHelp") });
  const kinds = boxes(KINDS, now["kinds"], (one) => word("notice", one), "/kinds");
  const known = services.map((one) => one["objInfo"].uuid);
  /** @type {string[]} */
  const kept = now["serviceUuids"].filter((/** @type {string} */ one) => !known.includes(one));
  const names = new Map(services.map((one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]));
  const chosen = boxes(known, now["serviceUuids"], (one) => names.get(one) ?? one, "/serviceUuids");
  const body = () => ({
    address: address.control.value.trim(), kinds: kinds.picked(), serviceUuids: [...kept, ...chosen.picked()],
    enabled: /** @type {HTMLInputElement} */ (enabled.control).checked,
  });
  const choices = [
    h("fieldset", {}, h("legend", {}, t("mailbox.kinds")), h("p", { class: "help" }, t("mailbox.kindsHelp")), kinds.fields.map((one) => one.element)),
    known.length > 0 && h("fieldset", {}, h("legend", {}, t("targets.services")), h("p", { class: "help" }, t("mailbox.servicesHelp")), chosen.fields.map((one) => one.element)),
  ];
  const act = async () => (await put(path, body()), await done(t("mailbox.save")));
  return form({ fields: [address, enabled], placed: () => [...kinds.fields, ...chosen.fields], extra: choices, submit: t("mailbox.save"), act });
}

/** @param {string} path @param {string} name */
function ending(path, name) {
  askSlowly({ title: t("mailbox.remove"), what: h("p", {}, t("mailbox.removeWhat")), name, submit: t("mailbox.remove"), act: async () => (await remove(path), await done(t("mailbox.remove"))) });
}
