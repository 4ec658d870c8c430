// One role, or a new one: how many logins it takes and what its holders may do.

import { get, patch, post, remove } from "../api.js";
import { h } from "../dom.js";
import { liveEffect } from "../parts/effect.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, field, form, input, select } from "../parts/form.js";
import { shortId } from "../parts/values.js";
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
    !role?.["system"] && editor(role),
  ];
  return { title: shownText(title), content };
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
  const act = async () => {
    if (role) return void (await patch(path, body()), await show());
    const made = await post("/api/v2/roles", body());
    go(`#/identities/role/${made["uuid"]}`);
  };
  const ask = () => askSlowly({ title: t("role.remove"), what: h("p", {}, t("role.removeWhat")), name: role?.["objInfo"].name, submit: t("role.remove"), act: async () => (await remove(path), go("#/identities")) });
  return h("section", { class: "decide" }, h("h2", {}, role ? t("profile.edit") : t("roles.make")),
    form({ fields: [name, logins, factor, ...perms], extra: effect?.element, submit: t(role ? "role.save" : "roles.make"), act }),
    role && h("div", { class: "actions" }, h("button", { type: "button", class: "danger", onclick: ask }, t("role.remove"))));
}
