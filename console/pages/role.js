// One role, or a new one: how many logins it takes and what its holders may do.

import { Refusal, get, post, remove } from "../api.js";
import { h } from "../dom.js";
import { each } from "../names.js";
import { changed } from "../parts/changed.js";
import { liveEffect } from "../parts/effect.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, field, form, input, select } from "../parts/form.js";
import { person } from "../parts/people.js";
import { later, table } from "../parts/table.js";
import { number, shortId } from "../parts/values.js";
import { go } from "../router.js";
import { session } from "../session.js";
import { show } from "../show.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

const PERMS = ["Tokenization:Manage", "Keys:Add", "CertManage:Generate", "CertManage:Manage", "CertManage:Export", "Services:Deploy", "Signing:Submit", "Signing:Approve", "Identity:Manage", "Audit:Read", "System:Manage"];

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const uuid = params["uuid"];
  const role = uuid === "new" ? undefined : await get(`/api/v2/roles/${uuid}`, undefined, signal);
  const title = role ? role["objInfo"].name : t("roles.make");
  const perms = role?.["perms"] ?? [];
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/identities" }, t("nav.identities"))),
    h("h1", {}, shown(title)),
    role && facts(
      fact(t("role.logins"), t("role.loginCount", { count: role["loginsRequired"] })),
      fact(t("role.factor"), factorText(role["secondFactor"])),
      fact(t("role.management"), t(role["management"] ? "yes" : "no")),
      fact(t("role.perms"), perms.length > 0 ? h("ul", { class: "notes" }, perms.map((/** @type {string} */ one) => h("li", {}, word("perm", one), " ", h("code", { class: "quiet" }, one)))) : t("role.noPerms")),
      fact(t("role.origin"), t(role["system"] ? "role.builtIn" : "role.own")),
      fact("UUID", shortId(role["objInfo"].uuid))),
    role && [h("h2", {}, t("role.holders")), later(h("div", {}), () => holders(role["objInfo"].uuid, signal))],
    !role?.["system"] && editor(role),
  ];
  return { title: shownText(title), content };
}

/** So many identities are asked for their roles, which no list tells. */
const IDENTITIES = 200;

/** @param {string} uuid @param {AbortSignal} signal */
async function holders(uuid, signal) {
  const { results, total } = await get("/api/v2/identities/stubs", { pageSize: IDENTITIES }, signal);
  const all = await each(results, (/** @type {Json} */ one) => get(`/api/v2/identities/${one["objInfo"].uuid}`, undefined, signal));
  const own = all.filter((one) => one["roleUuids"].includes(uuid));
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ row) => [person(row["objInfo"].name, `#/identities/${row["objInfo"].uuid}`), " ", row["locked"] && h("span", { class: "state bad" }, t("identity.locked"))] },
    { title: t("column.kind"), cell: (/** @type {Json} */ row) => word("identity", row["kind"]) },
  ];
  return [
    own.length > 0 ? table(columns, own, t("role.holders")) : h("div", { class: "empty" }, t("role.noHolders")),
    total > results.length && h("p", { class: "quiet" }, t("role.holdersOf", { count: number(results.length), total: number(total) })),
  ];
}

const FACTORS = ["None", "Totp", "WebAuthn"];

/** @param {string} factor */
const factorText = (factor) => t(factor === "WebAuthn" ? "role.factorWebAuthn" : factor === "Totp" ? "role.factorTotp" : "role.factorNone");

/** @param {Json | undefined} role */
function editor(role) {
  const name = field(t("fact.name"), input({ value: role?.["objInfo"].name ?? "", maxlength: 255 }), { pointer: "/name" });
  const logins = field(t("role.logins"), select([["1", t("role.loginCount", { count: 1 })], ["2", t("role.loginCount", { count: 2 })]], String(role?.["loginsRequired"] ?? 1)), { pointer: "/loginsRequired", help: t("role.loginsHelp") });
  const factor = field(t("role.factor"), select(FACTORS.map((one) => [one, factorText(one)]), role?.["secondFactor"] ?? "None"), { pointer: "/secondFactor", help: t("role.factorHelp") });
  const perms = PERMS.map((perm) => field(word("perm", perm), input({ type: "checkbox", value: perm, checked: role?.["perms"].includes(perm), disabled: !session.perms.includes(perm) }), { pointer: "/perms" }));
  const body = () => ({
    name: name.control.value, loginsRequired: Number(logins.control.value), secondFactor: factor.control.value,
    perms: perms.map((one) => /** @type {HTMLInputElement} */ (one.control)).filter((box) => box.checked).map((box) => box.value),
  });
  const effect = role && liveEffect(() => ({ roleUuid: role["objInfo"].uuid, perms: body().perms }));
  perms.forEach((one) => effect && one.control.addEventListener("change", effect.changed));
  const path = `/api/v2/roles/${role?.["objInfo"].uuid}`;
  const edit = role && changed(path, role, body, { name: (perm) => word("perm", perm) });
  const act = async () => {
    const made = await (edit ? edit.save() : post("/api/v2/roles", body())).catch((error) => { throw inOwnWords(error, body()); });
    if (!made) return;
    if (role) await show();
    else go(`#/identities/role/${made["uuid"]}`);
  };
  const ask = () => askSlowly({ title: t("role.remove"), what: h("p", {}, t("role.removeWhat")), name: role?.["objInfo"].name, submit: t("role.remove"), act: async () => (await remove(path), go("#/identities")) });
  const permitted = h("fieldset", {}, h("legend", {}, t("role.perms")), perms.map((one) => one.element));
  return h("section", { class: "decide" }, role && h("h2", {}, t("profile.edit")),
    form({ fields: [name, logins, factor], placed: () => perms, extra: [permitted, effect?.element, edit?.news], submit: t(role ? "role.save" : "roles.make"), act }),
    role && h("div", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: ask }, t("role.remove"))));
}

/** What the server says of one login too few, in the words of this page. @param {unknown} error @param {{loginsRequired: number, perms: string[]}} sent */
function inOwnWords(error, sent) {
  if (!(error instanceof Refusal) || error.field !== "/loginsRequired" || error.code !== "InvalidValue") return error;
  const perm = sent.perms.find((one) => error.message.includes(one));
  return perm ? new Refusal(error.status, error.code, t("role.takesTwo", { perm: word("perm", perm), logins: t("role.loginCount", { count: 2 }) }), { field: error.field }) : error;
}
