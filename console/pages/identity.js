// One identity: its roles, its API keys, whether it may log in, and its password.

import { get, patch, post, remove } from "../api.js";
import { h } from "../dom.js";
import { apiKeys, load as loadKeys } from "../parts/api-keys.js";
import { bindings, loadBindings } from "../parts/bindings.js";
import { liveEffect } from "../parts/effect.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, field, form, input, textarea } from "../parts/form.js";
import { mailbox } from "../parts/mailbox.js";
import { passkeys, passkeysPath } from "../parts/passkeys.js";
import { state } from "../parts/state.js";
import { moment, shortId } from "../parts/values.js";
import { go } from "../router.js";
import { may } from "../session.js";
import { show } from "../show.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";
import { base64 } from "./identities.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const path = `/api/v2/identities/${params["uuid"]}`;
  const [identity, roles, keys] = await Promise.all([get(path, undefined, signal), get("/api/v2/roles/stubs", { pageSize: 1000 }, signal), loadKeys(path, signal)]);
  const name = identity["objInfo"].name;
  const isPerson = identity["kind"] === "Person";
  const [bound, itsMailbox, itsPasskeys, services] = await Promise.all([
    loadBindings(identity["objInfo"].uuid, signal),
    isPerson ? get(`${path}/mailbox`, undefined, signal) : undefined,
    isPerson ? get(passkeysPath(identity["objInfo"].uuid), undefined, signal) : undefined,
    isPerson ? get("/api/v2/x509/services/stubs", { pageSize: 100 }, signal) : undefined]);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/identities" }, t("nav.identities"))),
    h("div", { class: "head" }, h("h1", {}, shown(name)), h("p", {}, identity["locked"] ? h("span", { class: "state bad" }, t("identity.locked")) : state("Enabled"))),
    facts(
      fact(t("column.kind"), word("identity", identity["kind"])),
      fact(t("identity.since"), moment(identity["createdAt"])),
      identity["totp"] && fact(t("totp.title"), moment(identity["totp"].confirmedAt)),
      identity["oneTimePasswordUntil"] && fact(t("identity.onceUntil"), moment(identity["oneTimePasswordUntil"])),
      identity["passwordResetAt"] && fact(t("identity.reset"), moment(identity["passwordResetAt"])),
      fact("UUID", shortId(identity["objInfo"].uuid))),
    identity["recovery"] && recovery(path, identity["recovery"]),
    may("Audit:Read") && h("p", {}, h("a", { href: `#/audit?identityUuid=${identity["objInfo"].uuid}` }, t("identity.did"))),
    h("h2", {}, t("roles.title")), roleForm(path, identity, roles["results"]),
    apiKeys(path, keys),
    bindings(identity["objInfo"].uuid, bound),
    itsPasskeys && passkeys(identity["objInfo"].uuid, itsPasskeys["results"], "other"),
    itsMailbox && services && mailbox(itsMailbox, services["results"], false),
    h("section", { class: "decide" }, h("h2", {}, t("cert.do")), h("div", { class: "columns" }, rename(path, name), password(path, isPerson), bounds(path, identity)), ending(path, identity)),
  ];
  return { title: shownText(name), content };
}

/** @param {string} path @param {Json} identity @param {Json[]} roles */
function roleForm(path, identity, roles) {
  const boxes = roles.map((role) => {
    const uuid = role["objInfo"].uuid;
    const box = input({ type: "checkbox", checked: identity["roleUuids"].includes(uuid), value: uuid });
    return field(`${shownText(role["objInfo"].name)} (${t("role.loginCount", { count: role["loginsRequired"] })})`, box, { pointer: "/roleUuids" });
  });
  const chosen = () => boxes.map((one) => /** @type {HTMLInputElement} */ (one.control)).filter((box) => box.checked).map((box) => box.value);
  const effect = liveEffect(() => ({ identityUuid: identity["objInfo"].uuid, roleUuids: chosen() }));
  boxes.forEach((one) => one.control.addEventListener("change", effect.changed));
  return form({ fields: boxes, extra: effect.element, submit: t("identity.giveRoles"), act: async () => (await patch(path, { roleUuids: chosen() }), await show()) });
}

/** @param {string} path @param {string} name */
function rename(path, name) {
  const own = field(t("fact.name"), input({ value: name, maxlength: 255 }), { pointer: "/name" });
  return form({ fields: [own], submit: t("keys.rename"), act: async () => (await patch(path, { name: own.control.value }), await show()) });
}

/** @param {string} path @param {boolean} isPerson */
function password(path, isPerson) {
  const own = field(t("identity.newPassword"), input({ type: "password", autocomplete: "new-password" }), { pointer: "/password", help: t("identity.passwordHelp") });
  const box = input({ type: "checkbox" });
  const once = field(t("identity.oneTime"), box, { pointer: "/oneTime", help: t("identity.oneTimeHelp") });
  const body = () => ({ password: base64(own.control.value), ...(box.checked ? { oneTime: true } : {}) });
  return form({ fields: isPerson ? [own, once] : [own], submit: t("identity.setPassword"), act: async () => (await post(`${path}/password`, body()), await show()) });
}

/** From where and when it may act. @param {string} path @param {Json} identity */
function bounds(path, identity) {
  const lines = (/** @type {string} */ member) => (identity[member] ?? []).join("\n");
  const area = (/** @type {string} */ member) => textarea({ rows: 3, spellcheck: "false" }, lines(member));
  const [networks, hours] = [area("networks"), area("hours")];
  const given = (/** @type {HTMLTextAreaElement} */ one) => one.value.split("\n").map((line) => line.trim()).filter(Boolean);
  const fields = [
    field(t("identity.networks"), networks, { pointer: "/networks", help: t("identity.networksHelp") }),
    field(t("identity.hours"), hours, { pointer: "/hours", help: t("identity.hoursHelp") })];
  const act = async () => (await patch(path, { networks: given(networks), hours: given(hours) }), await show());
  return form({ fields, submit: t("identity.setBounds"), act });
}

/** How it was let in again on the host, which is an alarm until somebody says that it is known. @param {string} path @param {Json} recovery */
function recovery(path, recovery) {
  const names = recovery["identities"].map((/** @type {Json} */ one) => shownText(one["name"])).join(", ");
  const what = /** @type {const} */ ({ Two: "identity.recoveredTwo", One: "identity.recoveredOne", Host: "identity.recoveredHost" });
  const said = tn(what[/** @type {"Two" | "One" | "Host"} */ (recovery["by"])], { time: moment(recovery["recoveredAt"]), names, reason: shown(recovery["reason"] ?? "") });
  return h("section", { class: "decide recovery" }, h("h2", {}, t("identity.recovered")), h("p", {}, said), h("p", {}, t("identity.recoveredWhat")),
    form({ fields: [], submit: t("identity.acknowledge"), act: async () => (await patch(path, { recoveryAcknowledged: true }), await show()) }));
}

/** @param {string} path @param {Json} identity */
function ending(path, identity) {
  const name = identity["objInfo"].name;
  const ask = (/** @type {import("../words.js").Key} */ title, /** @type {import("../words.js").Key} */ what, /** @type {() => Promise<unknown>} */ act) =>
    h("button", { type: "button", class: "danger", onclick: () => askSlowly({ title: t(title), what: h("p", {}, t(what)), name, submit: t(title), act }) }, t(title));
  return h("div", { class: "actions" },
    identity["locked"]
      ? h("button", { type: "button", onclick: async () => (await post(`${path}/unlock`), await show()) }, t("identity.unlock"))
      : ask("identity.lock", "identity.lockWhat", async () => (await post(`${path}/lock`), await show())),
    identity["totp"] && ask("identity.resetTotp", "identity.resetTotpWhat", async () => (await remove(`${path}/totp`), await show())),
    ask("identity.remove", "identity.removeWhat", async () => (await remove(path), go("#/identities"))));
}
