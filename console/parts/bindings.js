// Whose tokens of identity providers stand for an identity.

import { get, post, remove } from "../api.js";
import { h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { done } from "./done.js";
import { askSlowly, field, form, input, select, textarea } from "./form.js";
import { table } from "./table.js";

/** @typedef {import("../api.js").Json} Json */

const PATH = "/api/v2/identity-bindings";

/** The bindings of an identity, and all providers. @param {string} identityUuid @param {AbortSignal} signal */
export async function loadBindings(identityUuid, signal) {
  const [bound, providers] = await Promise.all([
    get(PATH, { identityUuid, pageSize: 1000 }, signal),
    get("/api/v2/identity-providers", { pageSize: 100 }, signal)]);
  return { bound: bound["results"], providers: providers["results"] };
}

/** @param {string} identityUuid @param {{bound: Json[], providers: Json[]}} loaded */
export function bindings(identityUuid, { bound, providers }) {
  const named = (/** @type {string} */ uuid) => providers.find((one) => one["objInfo"].uuid === uuid)?.["objInfo"].name ?? uuid;
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ row) => shown(row["objInfo"].name) },
    { title: t("binding.provider"), cell: (/** @type {Json} */ row) => shown(named(row["providerUuid"])) },
    { title: t("binding.subject"), cell: (/** @type {Json} */ row) => row["subject"] ? shown(row["subject"]) : t("binding.any") },
    { title: t("binding.claims"), cell: (/** @type {Json} */ row) => Object.entries(row["claims"]).map(([name, value]) => h("div", {}, shown(`${name}=${value}`))) },
    { title: t("cert.do"), cell: (/** @type {Json} */ row) => removal(row) },
  ];
  return [
    h("h2", {}, t("binding.title")),
    bound.length > 0 ? table(columns, bound, t("binding.title")) : h("p", { class: "quiet" }, t("binding.none")),
    h("p", {}, h("a", { href: "#/identities/providers" }, t("provider.title"))),
    providers.length > 0 && h("details", {}, h("summary", {}, t("binding.make")), makeForm(identityUuid, providers)),
  ];
}

/** @param {Json} binding */
function removal(binding) {
  const { name, uuid } = binding["objInfo"];
  const act = async () => (await remove(`${PATH}/${uuid}`), await done(t("apiKey.remove")));
  return h("button", { type: "button", class: "danger", onclick: () => askSlowly({ title: t("apiKey.remove"), what: h("p", {}, t("binding.removeWhat")), name, submit: t("apiKey.remove"), act }) }, t("apiKey.remove"));
}

/** @param {string} identityUuid @param {Json[]} providers */
function makeForm(identityUuid, providers) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const provider = field(t("binding.provider"), select(providers.map((one) => [one["objInfo"].uuid, one["objInfo"].name])), { pointer: "/providerUuid" });
  const subject = field(t("binding.subject"), input({ spellcheck: "false" }), { pointer: "/subject", help: t("binding.subjectHelp") });
  const claims = field(t("binding.claims"), textarea({ rows: 3, spellcheck: "false" }), { pointer: "/claims", help: t("binding.claimsHelp") });
  return form({ fields: [name, provider, subject, claims], submit: t("binding.make"), act: async () => {
    const lines = claims.control.value.split("\n").map((line) => line.trim()).filter(Boolean);
    const pairs = lines.map((line) => [line.split("=", 1)[0], line.split("=").slice(1).join("=")]);
    const asks = { claims: Object.fromEntries(pairs), ...(subject.control.value ? { subject: subject.control.value } : {}) };
    await post(PATH, { name: name.control.value, identityUuid, providerUuid: provider.control.value, ...asks });
    await done(t("binding.make"));
  } });
}
