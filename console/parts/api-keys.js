// The API keys of an identity: by which programs act in its name, until when, from where, and for what.

import { get, post, remove } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { changed } from "./changed.js";
import { done } from "./done.js";
import { askSlowly, cancel, field, form, input, now, openDialog } from "./form.js";
import { loadChoices, scopeFields, scopeText } from "./key-scope.js";
import { showOnce } from "./once.js";
import { state } from "./state.js";
import { table } from "./table.js";
import { moment } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("./key-scope.js").Choices} Choices */

/** The keys of an identity, and what keys can be for. @param {string} path of the identity @param {AbortSignal} signal */
export async function load(path, signal) {
  const [answer, choices] = await Promise.all([get(`${path}/api-keys`, undefined, signal), loadChoices(signal)]);
  return { keys: answer["results"], choices };
}

/** @param {string} path of the identity @param {{keys: Json[], choices: Choices}} loaded */
export function apiKeys(path, { keys, choices }) {
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ key) => shown(key["objInfo"].name) },
    { title: t("apiKey.ends"), cell: (/** @type {Json} */ key) => [moment(key["expiresAt"]), Date.parse(key["expiresAt"]) <= Date.now() && [" ", state("Expired")]] },
    { title: t("apiKey.used"), cell: (/** @type {Json} */ key) => moment(key["lastUsedAt"]) },
    { title: t("apiKey.previous"), cell: (/** @type {Json} */ key) => moment(key["previous"]?.until) },
    { title: t("apiKey.networks"), cell: (/** @type {Json} */ key) => key["networks"].length > 0 ? key["networks"].join(" ") : t("apiKey.everywhere") },
    { title: t("apiKey.scope"), cell: (/** @type {Json} */ key) => scopeText(key["scope"], choices) },
    { title: t("cert.do"), cell: (/** @type {Json} */ key) => actions(`${path}/api-keys/${key["objInfo"].uuid}`, key, choices) },
  ];
  return [
    h("h2", {}, t("apiKey.title")),
    keys.length > 0 ? table(columns, keys, t("apiKey.title")) : h("p", { class: "quiet" }, t("apiKey.none")),
    h("details", {}, h("summary", {}, t("apiKey.make")), makeForm(path, choices)),
  ];
}

/** When a key ends, from where it may be used and for what, as fields and as members of a body. @param {Choices} choices @param {Json} [key] @param {string} [under] where that body stands in another */
function bounds(choices, key, under = "") {
  const end = field(t("apiKey.ends"), input({ type: "date", value: key?.["expiresAt"]?.slice(0, 10) ?? "" }), { pointer: `${under}/expiresAt`, help: t("apiKey.endsHelp") });
  const networks = field(t("apiKey.networks"), input({ value: key?.["networks"].join(" ") ?? "", spellcheck: "false" }), { pointer: `${under}/networks`, help: t("apiKey.networksHelp") });
  const scope = scopeFields(choices, key?.["scope"], under);
  const body = () => ({
    ...scope.given(),
    expiresAt: end.control.value ? `${end.control.value}T00:00:00Z` : null,
    networks: networks.control.value.split(/[\s,]+/).filter(Boolean),
  });
  return { fields: [end, networks], scope, body };
}

/** The same for the key that an application is made with: what is not said is absent. @param {Choices} choices */
export function firstKey(choices) {
  const { fields, scope, body } = bounds(choices, undefined, "/apiKey");
  const element = h("fieldset", {}, h("legend", {}, t("apiKey.first")), fields.map((one) => one.element), scope.element);
  const given = () => {
    const { expiresAt, ...rest } = body();
    return { ...(expiresAt ? { expiresAt } : {}), ...rest };
  };
  return { element, fields: [...fields, ...scope.fields], given };
}

/** The same with the key's name. @param {Choices} choices @param {Json} [key] */
function terms(choices, key) {
  const name = field(t("fact.name"), input({ maxlength: 255, value: key?.["objInfo"].name ?? "" }), { pointer: "/name" });
  const { fields, scope, body } = bounds(choices, key);
  return { fields: [name, ...fields], scope, body: () => ({ name: name.control.value, ...body() }) };
}

/** @param {string} path @param {Choices} choices */
function makeForm(path, choices) {
  const { fields, scope, body } = terms(choices);
  return form({ fields, placed: () => scope.fields, extra: scope.element, submit: t("apiKey.make"), act: async () => {
    const { expiresAt, ...rest } = body();
    const { apiKey } = await post(`${path}/api-keys`, { ...rest, ...(expiresAt ? { expiresAt } : {}) });
    tellOnce(apiKey, () => done(t("apiKey.make")));
  } });
}

/** @param {string} path of the key @param {Json} key @param {Choices} choices */
function actions(path, key, choices) {
  const name = key["objInfo"].name;
  return h("div", { class: "actions" },
    h("button", { type: "button", onclick: () => change(path, key, choices) }, t("apiKey.change")),
    h("button", { type: "button", onclick: () => rotate(path, name) }, t("apiKey.rotate")),
    h("button", { type: "button", class: "danger", onclick: () => askSlowly({ title: t("apiKey.remove"), what: h("p", {}, t("apiKey.removeWhat")), name, submit: t("apiKey.remove"), act: async () => (await remove(path), await done(t("apiKey.remove"))) }) }, t("apiKey.remove")));
}

/** @param {string} path @param {Json} key @param {Choices} choices */
function change(path, key, choices) {
  const { fields, scope, body } = terms(choices, key);
  const uuid = key["objInfo"].uuid;
  // No call reads one key alone.
  const read = async () => {
    const { results } = await get(path.replace(`/${uuid}`, ""));
    return results.find((/** @type {Json} */ one) => one["objInfo"].uuid === uuid) ?? { objInfo: {} };
  };
  const name = (/** @type {string} */ uuid) => choices.find(({ names }) => names.has(uuid))?.names.get(uuid) ?? uuid;
  const edit = changed(path, key, body, { read, name });
  ask({ title: t("apiKey.change"), fields, scope, submit: t("apiKey.save"), news: edit.news }, async () => {
    if (!(await edit.save())) return false;
    return done(t("apiKey.change"));
  });
}

/** @param {string} path @param {string} name */
function rotate(path, name) {
  const hours = field(t("apiKey.overlap"), input({ type: "number", min: "0", max: "720", value: "24" }), { pointer: "/overlapSeconds", help: t("apiKey.overlapHelp", { name }) });
  ask({ title: t("apiKey.rotate"), fields: [hours], submit: t("apiKey.rotateNow") }, async () => {
    const { apiKey } = await post(`${path}/rotate`, { overlapSeconds: Math.round(Number(hours.control.value) * 3600) });
    tellOnce(apiKey, () => done(t("apiKey.rotate")));
  });
}

/**
 * @param {{title: string, fields: import("./form.js").Field[], scope?: ReturnType<typeof scopeFields>, submit: string, news?: HTMLElement}} about
 * @param {() => Promise<unknown>} act false where it was not done, and the dialog stays
 */
function ask({ title, fields, scope, submit, news }, act) {
  const dialog = h("dialog", { "aria-label": now(title) });
  const extra = [scope?.element, news];
  fill(dialog, h("h2", {}, now(title)), form({ fields, placed: () => scope?.fields ?? [], submit, extra, beside: cancel(dialog), act: async () => void ((await act()) !== false && dialog.close()) }));
  openDialog(dialog);
}

/** Shows a secret, and goes on once that is kept. @param {string} secret @param {() => unknown} next */
export const tellOnce = (secret, next) => void showOnce(t("apiKey.secret"), t("apiKey.secretOnce"), secret).then(next);
