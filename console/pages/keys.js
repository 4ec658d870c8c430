// Data keys: what they are for, and their versions.

import { get, patch, post } from "../api.js";
import { h } from "../dom.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, field, form, input, select } from "../parts/form.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { moment, shortId } from "../parts/values.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ params, query, signal }) {
  return params["uuid"] ? one(params["uuid"], signal) : all(query, signal);
}

/** @param {Json} parameters */
const kind = ({ keyAlgorithm, keySize, curve }) => `${word("algorithm", keyAlgorithm)} ${curve ?? keySize}`;

/** @param {string[]} usages */
const uses = (usages) => usages.map((usage) => word("keyUsage", usage)).join(", ") || "–";

/** @param {Record<string, string>} query @param {AbortSignal} signal */
async function all(query, signal) {
  const [answer, types] = await Promise.all([
    get("/api/v2/keys/stubs", { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal),
    post("/api/v2/key-types/stubs", { pageSize: 1000 })]);
  const columns = [
    { title: t("fact.key"), cell: (/** @type {Json} */ row) => h("a", { href: `#/keys/${row["objInfo"].uuid}` }, shown(row["objInfo"].name)) },
    { title: t("column.kind"), cell: (/** @type {Json} */ row) => kind(row["parameters"]) },
    { title: t("keys.uses"), cell: (/** @type {Json} */ row) => uses(row["usages"]) },
    { title: t("column.state"), cell: (/** @type {Json} */ row) => state(row["state"]) },
  ];
  const content = [
    h("h1", {}, t("keys.heading")),
    list({ path: "/keys", query, caption: t("keys.heading"), columns, empty: t("keys.empty"), search: t("keys.searchName"), listed: { ...answer, rows: answer["results"] } }),
    h("details", {}, h("summary", {}, t("keys.make")), makeForm(types["results"])),
  ];
  return { title: t("nav.keys"), content };
}

/** @param {Json[]} types */
function makeForm(types) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const choices = types.filter((one) => !one["usages"].includes("Sign"));
  const type = field(t("column.kind"), select(choices.map((one) => [one["objInfo"].uuid, one["objInfo"].name])), { pointer: "/keyTypeUuid" });
  return form({ fields: [name, type], submit: t("keys.make"), act: async () => {
    const made = await post("/api/v2/keys", { name: name.control.value, keyTypeUuid: type.control.value });
    await done(t("keys.make"), { to: `#/keys/${made["uuid"]}` });
  } });
}

/** @param {string} uuid @param {AbortSignal} signal */
async function one(uuid, signal) {
  const key = await get(`/api/v2/keys/${uuid}`, undefined, signal);
  const path = `/api/v2/keys/${uuid}`;
  const columns = [
    { title: t("keys.version"), cell: (/** @type {Json} */ row) => row["version"] },
    { title: t("keys.made"), kind: "time", cell: (/** @type {Json} */ row) => moment(row["createdAt"]) },
  ];
  const name = field(t("fact.name"), input({ value: key["objInfo"].name, maxlength: 255 }), { pointer: "/name" });
  const disable = () => askSlowly({ title: t("keys.disable"), what: h("p", {}, t("keys.disableWhat")), name: key["objInfo"].name, submit: t("keys.disable"),
    act: async () => (await post(`${path}/disable`), await done(t("keys.disable"))) });
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/keys" }, t("nav.keys"))),
    h("div", { class: "head" }, h("h1", {}, shown(key["objInfo"].name)), h("p", {}, state(key["state"]))),
    facts(
      fact(t("column.kind"), kind(key["parameters"])),
      fact(t("keys.uses"), uses(key["usages"])),
      fact(t("cert.origin"), word("origin", key["origin"])),
      key["boundAlgorithm"] && fact(t("keys.bound"), word("tokens", key["boundAlgorithm"])),
      fact("UUID", shortId(uuid))),
    h("h2", {}, t("keys.versions")), table(columns, [...key["versions"]].reverse(), t("keys.versions")),
    h("section", { class: "decide" }, h("h2", {}, t("cert.do")),
      form({ fields: [name], submit: t("keys.rename"), act: async () => (await patch(path, { name: name.control.value }), await done(t("keys.rename"))) }),
      form({ fields: [], extra: h("p", {}, t("keys.rotateWhat")), submit: t("keys.rotate"), act: async () => (await post(`${path}/rotate`), await done(t("keys.rotate"))) }),
      key["state"] === "Enabled"
        ? h("div", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: disable }, t("keys.disable")))
        : form({ fields: [], submit: t("keys.enable"), act: async () => (await post(`${path}/enable`), await done(t("keys.enable"))) })),
  ];
  return { title: shownText(key["objInfo"].name), content };
}
