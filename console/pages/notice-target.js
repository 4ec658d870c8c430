// One target of notices, or a new one: where it is, what it hears of, and what became of it.

import { get, post, remove } from "../api.js";
import { h } from "../dom.js";
import { changed } from "../parts/changed.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, boxes, field, form, input, select } from "../parts/form.js";
import { KINDS } from "../parts/mailbox.js";
import { showOnce } from "../parts/once.js";
import { list } from "../parts/table.js";
import { sendTest, trial } from "../parts/target-trial.js";
import { base64Of, moment, number, relative, shortId } from "../parts/values.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";
import { columns, health, namesOf } from "./notices.js";

/** @typedef {import("../api.js").Json} Json */

const SHAPES = ["Chancery", "Slack", "Teams"];
const ROWS = 20;

/** @param {import("../router.js").Context} context */
export async function page({ params, query, signal }) {
  const uuid = params["uuid"];
  const services = await get("/api/v2/x509/services/stubs", { pageSize: 100 }, signal);
  const crumbs = h("p", { class: "crumbs" }, h("a", { href: "#/notices" }, t("nav.notices")));
  if (uuid === "new") {
    const content = [crumbs, h("h1", {}, t("targets.make")), h("p", {}, t("targets.what")), editor(undefined, services["results"])];
    return { title: t("targets.make"), content };
  }
  const path = `/api/v2/notice-targets/${uuid}`;
  const [target, undelivered] = await Promise.all([
    get(path, undefined, signal),
    get("/api/v2/notices/undelivered", { targetUuid: uuid, after: query["after"], pageSize: ROWS }, signal)]);
  const name = target["objInfo"].name;
  const known = await namesOf(undelivered["items"].map((/** @type {Json} */ one) => one["notice"]), signal);
  const { standing, element } = trial({ path, enabled: target["enabled"], health: health(target), button: t("targets.test"), tested: (status) => t("targets.tested", { status }) });
  const content = [
    crumbs,
    h("div", { class: "head" }, h("h1", {}, shown(name)), standing),
    about(target, services["results"]),
    h("h2", {}, t("targets.try")), element,
    h("h2", {}, t("targets.undelivered")),
    list({ path: `/notices/target/${uuid}`, query, caption: t("targets.undelivered"), columns: undeliveredColumns(known), empty: t("targets.nothingWaits"), listed: { ...undelivered, rows: undelivered["items"] } }),
    h("section", { class: "decide" }, h("h2", {}, t("targets.change")), editor(target, services["results"]), ending(path, name)),
  ];
  return { title: shownText(name), content };
}

/** @param {Json} target @param {Json[]} services */
function about(target, services) {
  const { webhook, email, deliveries, kinds, serviceUuids } = target;
  const names = new Map(services.map((one) => [one["objInfo"].uuid, one["objInfo"].name]));
  const apart = (/** @type {import("../dom.js").Child[]} */ parts) => parts.flatMap((part, index) => [index > 0 && ", ", part]);
  return facts(
    fact(t("targets.where"), shown(webhook ? webhook.url : email.address)),
    fact(t("targets.shape"), webhook ? word("shape", webhook.shape) : t("targets.email")),
    webhook && fact(t("targets.signed"), t(target["hasSecret"] ? "yes" : "no")),
    fact(t("targets.kinds"), kinds.length > 0 ? kinds.map((/** @type {string} */ one) => word("notice", one)).join(", ") : t("targets.allKinds")),
    fact(t("targets.services"), serviceUuids.length > 0 ? apart(serviceUuids.map((/** @type {string} */ one) => shown(names.get(one) ?? one))) : t("targets.allServices")),
    fact(t("targets.counts"), t("targets.countsText", { delivered: number(deliveries.delivered), waiting: number(deliveries.waiting), givenUp: number(deliveries.givenUp) })),
    fact(t("targets.last"), moment(deliveries.deliveredAt)),
    deliveries.error && fact(t("targets.error"), [h("strong", { class: deliveries.failures > 0 ? "state bad" : "state still" }, shown(deliveries.error)), " ", moment(deliveries.failedAt)]),
    deliveries.triedAgainAt && fact(t("targets.again"), relative(deliveries.triedAgainAt)),
    fact("UUID", shortId(target["uuid"])));
}

/** @param {Map<string, string>} known @returns {import("../parts/table.js").Column[]} */
function undeliveredColumns(known) {
  const of = columns(known).map((column) => ({ ...column, cell: (/** @type {Json} */ row) => column.cell(row["notice"]) }));
  return [
    ...of,
    { title: t("targets.attempts"), kind: "number", cell: (row) => number(row["attempts"]) },
    { title: t("targets.again"), kind: "time", cell: (row) => relative(row["triedAgainAt"]) },
    { title: t("targets.error"), cell: (row) => row["error"] && shown(row["error"]) },
  ];
}

/** @param {Json | undefined} target @param {Json[]} services */
function editor(target, services) {
  const isNew = target === undefined;
  const name = field(t("fact.name"), input({ value: target?.["objInfo"].name ?? "", maxlength: 255 }), { pointer: "/name" });
  const { webhook, email } = target ?? {};
  const way = field(t("targets.way"), select([["webhook", t("targets.webhook")], ["email", t("targets.email")]]), {});
  const address = field(t("targets.address"), input({ type: "email", value: email?.address ?? "", maxlength: 254, spellcheck: "false" }), { pointer: "/email/address", help: t("targets.addressHelp") });
  const url = field(t("targets.url"), input({ type: "url", spellcheck: "false" }), { pointer: "/webhook/url", help: isNew ? t("targets.urlHelp") : t("targets.urlKept") });
  const shape = field(t("targets.shape"), select(SHAPES.map((one) => [one, word("shape", one)]), webhook?.shape ?? "Chancery"), { pointer: "/webhook/shape" });
  const secret = field(t("targets.secret"), input({ spellcheck: "false" }), { pointer: "/secret", help: isNew ? t("targets.secretHelp") : t("targets.secretKept") });
  let secretMade = "";
  const onclick = () => (secret.control.value = secretMade = `whsec_${base64Of(crypto.getRandomValues(new Uint8Array(32)))}`);
  const make = h("button", { type: "button", onclick }, t("targets.makeSecret"));
  secret.element.append(make);
  const kinds = boxes(KINDS, target?.["kinds"] ?? [], (one) => word("notice", one), "/kinds");
  const known = services.map((one) => one["objInfo"].uuid);
  /** @type {string[]} */
  const kept = (target?.["serviceUuids"] ?? []).filter((/** @type {string} */ one) => !known.includes(one));
  const names = new Map(services.map((one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]));
  const chosen = boxes(known, target?.["serviceUuids"] ?? [], (one) => names.get(one) ?? one, "/serviceUuids");
  const enabled = target && field(t("targets.enabled"), input({ type: "checkbox", checked: target["enabled"] }), { pointer: "/enabled", help: t("targets.enabledHelp") });
  const isMail = () => (isNew ? way.control.value === "email" : Boolean(email));
  const ofWebhook = h("div", {}, url.element, shape.element, secret.element);
  const choose = () => {
    ofWebhook.hidden = isMail();
    address.element.hidden = !isMail();
  };
  way.control.addEventListener("change", choose);
  choose();
  const where = () => {
    if (isMail()) return { email: { address: address.control.value.trim() } };
    const key = secret.control.value.trim().replace(/^whsec_/, "");
    return { webhook: { url: url.control.value.trim(), shape: shape.control.value }, ...(key ? { secret: key } : {}) };
  };
  const body = () => ({
    name: name.control.value, ...where(),
    kinds: kinds.picked(), serviceUuids: [...kept, ...chosen.picked()],
    ...(enabled ? { enabled: /** @type {HTMLInputElement} */ (enabled.control).checked } : {}),
  });
  const path = "/api/v2/notice-targets";
  const edit = target && changed(`${path}/${target["uuid"]}`, target, body, { name: (uuid) => names.get(uuid) ?? uuid });
  const act = async () => {
    const made = await (edit ? edit.save() : post(path, body()));
    if (!made) return;
    // Nobody else has seen what was made here, and nobody sees it again.
    if (!isMail() && secretMade && secret.control.value.trim() === secretMade) await showOnce(t("targets.secret"), t("targets.secretOnce"), secretMade);
    const tried = isNew && (isMail() ? await firstMail(`${path}/${made["uuid"]}`) : { more: t("targets.untried") });
    await done(t(target ? "targets.save" : "targets.make"), { to: `#/notices/target/${made["uuid"]}`, ...tried });
  };
  const choices = [
    isNew && way.element, address.element, ofWebhook,
    enabled && enabled.element,
    h("fieldset", {}, h("legend", {}, t("targets.kinds")), h("p", { class: "help" }, t("targets.kindsHelp")), kinds.fields.map((one) => one.element)),
    known.length > 0 && h("fieldset", {}, h("legend", {}, t("targets.services")), h("p", { class: "help" }, t("targets.servicesHelp")), chosen.fields.map((one) => one.element)),
    edit?.news,
  ];
  const placed = [address, url, shape, secret, ...(enabled ? [enabled] : []), ...kinds.fields, ...chosen.fields];
  return form({ fields: [name], placed: () => placed, extra: choices, submit: t(isNew ? "targets.make" : "targets.save"), act });
}

/** Whether mails come there: the interface does not tell whether the server sends any, so one is sent. @param {string} path */
async function firstMail(path) {
  const tried = await sendTest(path).catch(() => undefined);
  if (!tried) return { more: t("targets.untried") };
  if (tried["delivered"]) return { more: t("targets.mailTaken") };
  return { open: t("targets.mailFailed"), more: h("q", {}, shown(tried["answer"] || String(tried["status"] ?? ""))) };
}

/** @param {string} path @param {string} name */
function ending(path, name) {
  const ask = () => askSlowly({ title: t("targets.remove"), what: h("p", {}, t("targets.removeWhat")), name, submit: t("targets.remove"), act: async () => (await remove(path), await done(t("targets.remove"), { to: "#/notices" })) });
  return h("div", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: ask }, t("targets.remove")));
}
