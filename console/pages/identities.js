// Identities and roles: who may log in, and what for.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { firstKey } from "../parts/api-keys.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { shortId } from "../parts/values.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";
import { field, form, input, select } from "../parts/form.js";
import { go } from "../router.js";
import { may } from "../session.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const [answer, roles] = await Promise.all([
    get("/api/v2/identities/stubs", { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal),
    get("/api/v2/roles/stubs", { pageSize: 1000 }, signal)]);
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ row) => h("a", { href: `#/identities/${row["objInfo"].uuid}` }, shown(row["objInfo"].name)) },
    { title: t("column.kind"), cell: (/** @type {Json} */ row) => word("identity", row["kind"]) },
    { title: t("column.state"), cell: (/** @type {Json} */ row) => row["locked"] ? h("span", { class: "state bad" }, t("identity.locked")) : state("Enabled") },
    { title: "UUID", cell: (/** @type {Json} */ row) => shortId(row["objInfo"].uuid) },
  ];
  const roleColumns = [
    { title: t("column.role"), cell: (/** @type {Json} */ row) => h("a", { href: `#/identities/role/${row["objInfo"].uuid}` }, shown(row["objInfo"].name)) },
    { title: t("role.logins"), cell: (/** @type {Json} */ row) => t("role.loginCount", { count: row["loginsRequired"] }) },
    { title: t("role.origin"), cell: (/** @type {Json} */ row) => t(row["system"] ? "role.builtIn" : "role.own") },
  ];
  const content = [
    h("h1", {}, t("identities.title")),
    list({ path: "/identities", query, caption: t("nav.identities"), columns, empty: t("list.nothingFound"), search: t("identities.search"), listed: { ...answer, rows: answer["results"] } }),
    may("Identity:Manage") && h("details", {}, h("summary", {}, t("identities.make")), makeForm(roles["results"])),
    may("Identity:Manage") && h("p", {}, h("a", { href: "#/identities/providers" }, t("provider.title"))),
    h("h2", {}, t("roles.title")), table(roleColumns, roles["results"], t("roles.title")),
    may("Identity:Manage") && h("p", {}, h("a", { href: "#/identities/role/new" }, t("roles.make"))),
  ];
  return { title: t("nav.identities"), content };
}

/** @param {Json[]} roles */
function makeForm(roles) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const kind = field(t("column.kind"), select(["Person", "Application"].map((one) => [one, word("identity", one)])), { pointer: "/kind" });
  const role = field(t("column.role"), select(roles.map((one) => [one["objInfo"].uuid, `${one["objInfo"].name} (${t("role.loginCount", { count: one["loginsRequired"] })})`])), { pointer: "/roleUuids" });
  const password = field(t("login.password"), input({ type: "password", autocomplete: "new-password" }), { pointer: "/password", help: t("identities.passwordHelp") });
  const key = firstKey();
  const takesKey = () => kind.control.value === "Application" && !password.control.value;
  const showKey = () => { key.element.hidden = !takesKey(); };
  for (const one of [kind, password]) one.control.addEventListener("input", showKey);
  showKey();
  const result = h("output");
  return form({ fields: [name, kind, role, password], placed: () => key.fields, extra: [key.element, result], submit: t("identities.make"), act: async () => {
    const given = password.control.value;
    const made = await post("/api/v2/identities", { name: name.control.value, kind: kind.control.value, roleUuids: [role.control.value], ...(given ? { password: base64(given) } : {}), ...(takesKey() ? { apiKey: key.given() } : {}) });
    if (made["apiKey"]) result.replaceChildren(h("p", {}, h("strong", {}, t("identities.apiKey"))), h("code", {}, made["apiKey"]));
    else go(`#/identities/${made["uuid"]}`);
  } });
}

/** As the interface takes passwords. @param {string} text */
export const base64 = (text) => btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
