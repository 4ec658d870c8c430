// The API keys of an identity: by which programs act in its name, until when, and from where.

import { get, patch, post, remove } from "../api.js";
import { fill, h } from "../dom.js";
import { show } from "../show.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { askSlowly, cancel, field, form, input, openDialog } from "./form.js";
import { table } from "./table.js";
import { moment } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {string} path of the identity @param {AbortSignal} signal */
export const load = async (path, signal) => (await get(`${path}/api-keys`, undefined, signal))["results"];

/** @param {string} path of the identity @param {Json[]} keys */
export function apiKeys(path, keys) {
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ key) => shown(key["objInfo"].name) },
    { title: t("apiKey.ends"), cell: (/** @type {Json} */ key) => moment(key["expiresAt"]) },
    { title: t("apiKey.used"), cell: (/** @type {Json} */ key) => moment(key["lastUsedAt"]) },
    { title: t("apiKey.previous"), cell: (/** @type {Json} */ key) => moment(key["previous"]?.until) },
    { title: t("apiKey.networks"), cell: (/** @type {Json} */ key) => key["networks"].length > 0 ? key["networks"].join(" ") : t("apiKey.everywhere") },
    { title: t("apiKey.scope"), cell: (/** @type {Json} */ key) => t(key["scope"] ? "apiKey.restricted" : "apiKey.whole") },
    { title: t("cert.do"), cell: (/** @type {Json} */ key) => actions(`${path}/api-keys/${key["objInfo"].uuid}`, key) },
  ];
  return [
    h("h2", {}, t("apiKey.title")),
    keys.length > 0 ? table(columns, keys, t("apiKey.title")) : h("p", { class: "quiet" }, t("apiKey.none")),
    h("details", {}, h("summary", {}, t("apiKey.make")), makeForm(path)),
  ];
}

/** When a key ends and from where it may be used, as fields and as members of a body. @param {Json} [key] @param {string} [under] where that body stands in another */
function bounds(key, under = "") {
  const end = field(t("apiKey.ends"), input({ type: "date", value: key?.["expiresAt"]?.slice(0, 10) ?? "" }), { pointer: `${under}/expiresAt`, help: t("apiKey.endsHelp") });
  const networks = field(t("apiKey.networks"), input({ value: key?.["networks"].join(" ") ?? "", spellcheck: "false" }), { pointer: `${under}/networks`, help: t("apiKey.networksHelp") });
  const body = () => ({
    expiresAt: end.control.value ? `${end.control.value}T00:00:00Z` : null,
    networks: networks.control.value.split(/[\s,]+/).filter(Boolean),
  });
  return { fields: [end, networks], body };
}

/** The same for the key that an application is made with: what is not said is absent. */
export function firstKey() {
  const { fields, body } = bounds(undefined, "/apiKey");
  const element = h("fieldset", {}, h("legend", {}, t("apiKey.first")), fields.map((one) => one.element));
  const given = () => {
    const { expiresAt, networks } = body();
    return { ...(expiresAt ? { expiresAt } : {}), networks };
  };
  return { element, fields, given };
}

/** The same with the key's name. @param {Json} [key] */
function terms(key) {
  const name = field(t("fact.name"), input({ maxlength: 255, value: key?.["objInfo"].name ?? "" }), { pointer: "/name" });
  const { fields, body } = bounds(key);
  return { fields: [name, ...fields], body: () => ({ name: name.control.value, ...body() }) };
}

/** @param {string} path */
function makeForm(path) {
  const { fields, body } = terms();
  return form({ fields, submit: t("apiKey.make"), act: async () => {
    const { expiresAt, ...rest } = body();
    tellOnce(await post(`${path}/api-keys`, { ...rest, ...(expiresAt ? { expiresAt } : {}) }));
  } });
}

/** @param {string} path of the key @param {Json} key */
function actions(path, key) {
  const name = key["objInfo"].name;
  return h("div", { class: "actions" },
    h("button", { type: "button", onclick: () => change(path, key) }, t("apiKey.change")),
    h("button", { type: "button", onclick: () => rotate(path, name) }, t("apiKey.rotate")),
    h("button", { type: "button", class: "danger", onclick: () => askSlowly({ title: t("apiKey.remove"), what: h("p", {}, t("apiKey.removeWhat")), name, submit: t("apiKey.remove"), act: async () => (await remove(path), await show()) }) }, t("apiKey.remove")));
}

/** @param {string} path @param {Json} key */
function change(path, key) {
  const { fields, body } = terms(key);
  ask(t("apiKey.change"), fields, t("apiKey.save"), async () => {
    const changed = body();
    // The day alone is shown: an end that nobody touched stays to the second.
    const { expiresAt, ...rest } = changed;
    const isSame = (expiresAt ?? "").slice(0, 10) === (key["expiresAt"] ?? "").slice(0, 10);
    await patch(path, isSame ? rest : changed);
    await show();
  });
}

/** @param {string} path @param {string} name */
function rotate(path, name) {
  const hours = field(t("apiKey.overlap"), input({ type: "number", min: "0", max: "720", value: "24" }), { pointer: "/overlapSeconds", help: t("apiKey.overlapHelp", { name }) });
  ask(t("apiKey.rotate"), [hours], t("apiKey.rotateNow"), async () => tellOnce(await post(`${path}/rotate`, { overlapSeconds: Math.round(Number(hours.control.value) * 3600) })));
}

/** @param {string} title @param {import("./form.js").Field[]} fields @param {string} submit @param {() => Promise<unknown>} act */
function ask(title, fields, submit, act) {
  const dialog = h("dialog", { "aria-label": title });
  fill(dialog, h("h2", {}, title), form({ fields, submit, extra: cancel(dialog), act: async () => (await act(), dialog.close()) }));
  openDialog(dialog);
}

/** Shows a secret, and what there is without it once that is closed. @param {Json} made */
function tellOnce(made) {
  const dialog = h("dialog", { "aria-label": t("apiKey.secret") });
  const close = h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, t("apiKey.kept"));
  fill(dialog, h("h2", {}, t("apiKey.secret")), h("p", {}, t("apiKey.secretOnce")), h("p", {}, h("code", {}, made["apiKey"])), h("div", { class: "actions" }, close));
  dialog.addEventListener("close", () => void show());
  openDialog(dialog);
}
