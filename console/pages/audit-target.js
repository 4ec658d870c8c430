// One target of the audit records, or a new one: where it is, and how far it has them.

import { get, post, remove } from "../api.js";
import { h } from "../dom.js";
import { changed } from "../parts/changed.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, field, form, input, select } from "../parts/form.js";
import { showOnce } from "../parts/once.js";
import { trial } from "../parts/target-trial.js";
import { base64Of, moment, number, relative, shortId } from "../parts/values.js";
import { may } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";
import { health, where } from "./audit-targets.js";

/** @typedef {import("../api.js").Json} Json */

const KINDS = ["syslog", "webhook", "otlp", "file"];
const BODIES = ["Json", "Cef"];
const TRANSPORTS = ["Tls", "Relp"];
const SYSLOG_PORT = 6514;

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const uuid = params["uuid"];
  const crumbs = h("p", { class: "crumbs" }, h("a", { href: "#/audit" }, t("nav.audit")), " › ", h("a", { href: "#/audit/targets" }, t("shipping.title")));
  if (uuid === "new") {
    const content = [crumbs, h("h1", {}, t("targets.make")), h("p", {}, t("shipping.what")), editor(undefined)];
    return { title: t("targets.make"), content };
  }
  const path = `/api/v2/audit/targets/${uuid}`;
  const target = await get(path, undefined, signal);
  const name = target["objInfo"].name;
  const { standing, element } = trial({ path, enabled: target["enabled"], health: health(target), button: t("shipping.test"), tested: () => t("shipping.tested") });
  const content = [
    crumbs,
    h("div", { class: "head" }, h("h1", {}, shown(name)), standing),
    about(target),
    may("System:Manage") && [
      h("h2", {}, t("targets.try")), element,
      h("section", { class: "decide" }, h("h2", {}, t("targets.change")), editor(target), ending(path, name)),
    ],
  ];
  return { title: shownText(name), content };
}

/** @param {Json} target */
function about(target) {
  const { shipping, syslog } = target;
  return facts(
    fact(t("targets.where"), shown(where(target))),
    fact(t("shipping.kind"), word("shippingKind", kindOf(target))),
    syslog && fact(t("shipping.body"), word("syslogBody", syslog.body)),
    syslog && fact(t("shipping.transport"), word("syslogTransport", syslog.transport)),
    fact(t("shipping.secret"), t(target["hasSecret"] ? "yes" : "no")),
    fact(t("shipping.next"), number(shipping.nextSequence)),
    fact(t("shipping.behind"), number(shipping.behind)),
    fact(t("shipping.shipped"), number(shipping.shipped)),
    fact(t("targets.last"), moment(shipping.shippedAt)),
    shipping.error && fact(t("targets.error"), [h("strong", { class: shipping.failures > 0 ? "state bad" : "state still" }, shown(shipping.error)), " ", moment(shipping.failedAt)]),
    shipping.triedAgainAt && fact(t("targets.again"), relative(shipping.triedAgainAt)),
    fact("UUID", shortId(target["uuid"])));
}

/** @param {Json} target */
const kindOf = (target) => KINDS.find((kind) => target[kind] !== undefined) ?? "syslog";

/** @param {Json | undefined} target */
function editor(target) {
  const isNew = target === undefined;
  const { syslog, webhook, otlp, file } = target ?? {};
  const name = field(t("fact.name"), input({ value: target?.["objInfo"].name ?? "", maxlength: 255 }), { pointer: "/name" });
  const kind = field(t("shipping.kind"), select(KINDS.map((one) => [one, word("shippingKind", one)])), {});
  const host = field(t("shipping.host"), input({ value: syslog?.host ?? "", maxlength: 253, spellcheck: "false" }), { pointer: "/syslog/host", help: t("shipping.hostHelp") });
  const port = field(t("shipping.port"), input({ type: "number", min: 1, max: 65_535, value: String(syslog?.port ?? SYSLOG_PORT) }), { pointer: "/syslog/port" });
  const body = field(t("shipping.body"), select(BODIES.map((one) => [one, word("syslogBody", one)]), syslog?.body ?? "Json"), { pointer: "/syslog/body" });
  const transport = field(t("shipping.transport"), select(TRANSPORTS.map((one) => [one, word("syslogTransport", one)]), syslog?.transport ?? "Tls"), { pointer: "/syslog/transport", help: t("shipping.transportHelp") });
  const named = field(t("shipping.file"), input({ value: file?.name ?? "", maxlength: 64, spellcheck: "false" }), { pointer: "/file/name", help: t("shipping.fileHelp") });
  const hook = field(t("targets.url"), input({ type: "url", value: webhook?.url ?? "", spellcheck: "false" }), { pointer: "/webhook/url", help: t("shipping.urlHelp") });
  const collector = field(t("targets.url"), input({ type: "url", value: otlp?.url ?? "", spellcheck: "false" }), { pointer: "/otlp/url", help: t("shipping.collectorHelp") });
  const secret = field(t("shipping.secret"), input({ spellcheck: "false" }), { pointer: "/secret", help: isNew ? t("shipping.secretHelp") : t("targets.secretKept") });
  let secretMade = "";
  const onclick = () => (secret.control.value = secretMade = `whsec_${base64Of(crypto.getRandomValues(new Uint8Array(32)))}`);
  const make = h("button", { type: "button", onclick }, t("targets.makeSecret"));
  secret.element.append(make);
  const all = isNew && field(t("shipping.all"), input({ type: "checkbox", checked: true }), { pointer: "/firstSequence", help: t("shipping.allHelp") });
  const enabled = target && field(t("shipping.enabled"), input({ type: "checkbox", checked: target["enabled"] }), { pointer: "/enabled", help: t("shipping.enabledHelp") });
  const chosen = () => (target ? kindOf(target) : kind.control.value);
  const hasSecret = () => chosen() === "webhook" || chosen() === "otlp";
  const choose = () => {
    for (const one of [host, port, body, transport]) one.element.hidden = chosen() !== "syslog";
    named.element.hidden = chosen() !== "file";
    hook.element.hidden = chosen() !== "webhook";
    collector.element.hidden = chosen() !== "otlp";
    secret.element.hidden = !hasSecret();
    make.hidden = chosen() !== "webhook";
  };
  kind.control.addEventListener("change", choose);
  choose();
  const place = () => {
    if (chosen() === "syslog") return { syslog: { host: host.control.value.trim(), port: Number(port.control.value), body: body.control.value, transport: transport.control.value } };
    if (chosen() === "file") return { file: { name: named.control.value.trim() } };
    return chosen() === "webhook" ? { webhook: { url: hook.control.value.trim() } } : { otlp: { url: collector.control.value.trim() } };
  };
  const key = () => {
    const given = secret.control.value.trim();
    if (given === "" || !hasSecret()) return {};
    return { secret: chosen() === "webhook" ? given.replace(/^whsec_/, "") : base64Of(new TextEncoder().encode(given)) };
  };
  const isChecked = (/** @type {{control: HTMLElement}} */ one) => /** @type {HTMLInputElement} */ (one.control).checked;
  const sent = () => ({
    name: name.control.value, ...place(), ...key(),
    ...(all && isChecked(all) ? { firstSequence: 0 } : {}),
    ...(enabled ? { enabled: isChecked(enabled) } : {}),
  });
  const path = "/api/v2/audit/targets";
  const edit = target && changed(`${path}/${target["uuid"]}`, target, sent);
  const act = async () => {
    const made = await (edit ? edit.save() : post(path, sent()));
    if (!made) return;
    // Nobody else has seen what was made here, and nobody sees it again.
    if (chosen() === "webhook" && secretMade && secret.control.value.trim() === secretMade) await showOnce(t("shipping.secret"), t("shipping.secretOnce"), secretMade);
    await done(t(target ? "targets.save" : "targets.make"), { to: `#/audit/targets/${made["uuid"]}`, more: isNew && t("targets.untried") });
  };
  const placed = [host, port, body, transport, named, hook, collector, secret, ...(all ? [all] : []), ...(enabled ? [enabled] : [])];
  return form({ fields: [name], placed: () => placed, extra: [isNew && kind.element, placed.map((one) => one.element), edit?.news], submit: t(isNew ? "targets.make" : "targets.save"), act });
}

/** @param {string} path @param {string} name */
function ending(path, name) {
  const ask = () => askSlowly({ title: t("targets.remove"), what: h("p", {}, t("shipping.removeWhat")), name, submit: t("targets.remove"), act: async () => (await remove(path), await done(t("targets.remove"), { to: "#/audit/targets" })) });
  return h("div", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: ask }, t("targets.remove")));
}
