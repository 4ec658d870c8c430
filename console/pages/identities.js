// Identities and roles: who may log in, and what for.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { each } from "../names.js";
import { firstKey, tellOnce } from "../parts/api-keys.js";
import { done } from "../parts/done.js";
import { field, form, input, isSet, select } from "../parts/form.js";
import { loadChoices } from "../parts/key-scope.js";
import { person } from "../parts/people.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list, table } from "../parts/table.js";
import { may } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** Reads of identities that are under way at once, for a page of the list. */
const AT_ONCE = 25;

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const isManager = may("Identity:Manage");
  const [answer, roles, choices] = await Promise.all([
    get("/api/v2/identities/stubs", { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal),
    get("/api/v2/roles/stubs", { pageSize: 1000 }, signal),
    isManager ? loadChoices(signal) : []]);
  // The list tells neither roles nor alarms.
  const rows = isManager ? await each(answer["results"], (/** @type {Json} */ one) => whole(one, signal), AT_ONCE) : answer["results"];
  const roleColumns = [
    { title: t("column.role"), cell: (/** @type {Json} */ row) => person(row["objInfo"].name, `#/identities/role/${row["objInfo"].uuid}`) },
    { title: t("role.logins"), cell: (/** @type {Json} */ row) => t("role.loginCount", { count: row["loginsRequired"] }) },
    { title: t("role.origin"), cell: (/** @type {Json} */ row) => t(row["system"] ? "role.builtIn" : "role.own") },
  ];
  const content = [
    h("h1", {}, t("identities.title")),
    list({ path: "/identities", query, caption: t("nav.identities"), columns: columns(roles["results"], isManager), empty: t("list.nothingFound"), search: t("identities.search"), listed: { ...answer, rows } }),
    isManager && h("details", {}, h("summary", {}, t("identities.make")), makeForm(roles["results"], choices)),
    isManager && h("p", {}, h("a", { href: "#/identities/providers" }, t("provider.title"))),
    h("h2", {}, t("roles.title")), table(roleColumns, roles["results"], t("roles.title")),
    isManager && h("p", {}, h("a", { href: "#/identities/role/new" }, t("roles.make"))),
  ];
  return { title: t("nav.identities"), content };
}

/** All that is known of an identity of the list; no more than the list has where it is gone meanwhile. @param {Json} stub @param {AbortSignal} signal @returns {Promise<Json>} */
async function whole(stub, signal) {
  return get(`/api/v2/identities/${stub["objInfo"].uuid}`, undefined, signal).catch((error) => {
    if (signal.aborted) throw error;
    return stub;
  });
}

/** @param {Json[]} roles @param {boolean} isManager */
function columns(roles, isManager) {
  const names = new Map(roles.map((one) => [one["objInfo"].uuid, one["objInfo"].name]));
  const named = (/** @type {Json} */ row) => (row["roleUuids"] ?? []).map((/** @type {string} */ uuid, /** @type {number} */ index) => [index > 0 && ", ", shown(names.get(uuid) ?? uuid)]);
  return [
    { title: t("fact.name"), cell: (/** @type {Json} */ row) => person(row["objInfo"].name, `#/identities/${row["objInfo"].uuid}`) },
    { title: t("column.kind"), cell: (/** @type {Json} */ row) => word("identity", row["kind"]) },
    ...(isManager ? [{ title: t("roles.title"), cell: named }] : []),
    { title: t("column.state"), cell: (/** @type {Json} */ row) => [
      row["locked"] ? h("span", { class: "state bad" }, t("identity.locked")) : state("Enabled"),
      row["recovery"] && h("div", { class: "state wait long" }, t("identities.recovered"))] },
  ];
}

/** @param {Json[]} roles @param {import("../parts/key-scope.js").Choices} choices */
function makeForm(roles, choices) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const kind = field(t("column.kind"), select(["Person", "Application"].map((one) => [one, word("identity", one)])), { pointer: "/kind" });
  const role = field(t("column.role"), select([["", t("identities.chooseRole")], ...roles.map((one) => /** @type {[string, string]} */ ([one["objInfo"].uuid, `${shownText(one["objInfo"].name)} (${t("role.loginCount", { count: one["loginsRequired"] })})`]))]), { pointer: "/roleUuids" });
  const password = field(t("login.password"), input({ type: "password", autocomplete: "new-password" }), { pointer: "/password", help: t("identities.passwordHelp") });
  const once = field(t("identity.oneTime"), input({ type: "checkbox", checked: true }), { pointer: "/oneTime", help: t("identity.oneTimeHelp") });
  const key = firstKey(choices);
  const isPerson = () => kind.control.value === "Person";
  const takesKey = () => !isPerson() && !password.control.value;
  const offer = () => {
    key.element.hidden = !takesKey();
    once.element.hidden = !isPerson();
  };
  for (const one of [kind, password]) one.control.addEventListener("input", offer);
  offer();
  const act = async () => {
    const given = password.control.value ? base64(password.control.value) : undefined;
    const made = await post("/api/v2/identities", {
      name: name.control.value, kind: kind.control.value, roleUuids: role.control.value ? [role.control.value] : [],
      ...(given ? { password: given } : {}), ...(isPerson() && isSet(once) ? { oneTime: true } : {}), ...(takesKey() ? { apiKey: key.given() } : {}) });
    const to = `#/identities/${made["uuid"]}`;
    if (made["apiKey"]) return tellOnce(made["apiKey"], () => done(t("identities.make"), { more: h("a", { href: to }, shown(name.control.value)) }));
    return done(t("identities.make"), { to });
  };
  return form({ fields: [name, kind, role, password, once], placed: () => key.fields, extra: key.element, submit: t("identities.make"), act });
}

/** As the interface takes passwords. @param {string} text */
export const base64 = (text) => btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
