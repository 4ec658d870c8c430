// One identity: its roles, its API keys, whether it may log in, and its password.

import { get, patch, post, remove } from "../api.js";
import { h } from "../dom.js";
import { action } from "../parts/action.js";
import { apiKeys, load as loadKeys } from "../parts/api-keys.js";
import { bindings, loadBindings } from "../parts/bindings.js";
import { changed } from "../parts/changed.js";
import { done } from "../parts/done.js";
import { liveEffect } from "../parts/effect.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, field, form, input, isSet, textarea } from "../parts/form.js";
import { mailbox } from "../parts/mailbox.js";
import { passkeys, passkeysPath } from "../parts/passkeys.js";
import { person } from "../parts/people.js";
import { state } from "../parts/state.js";
import { moment, shortId } from "../parts/values.js";
import { may } from "../session.js";
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
    h("div", { class: "head" }, h("h1", {}, person(name)), h("p", {}, identity["locked"] ? h("span", { class: "state bad" }, t("identity.locked")) : state("Enabled"))),
    identity["recovery"] && recovery(path, name, identity["recovery"]),
    facts(
      fact(t("column.kind"), word("identity", identity["kind"])),
      fact(t("identity.since"), moment(identity["createdAt"])),
      identity["totp"] && fact(t("totp.title"), moment(identity["totp"].confirmedAt)),
      identity["oneTimePasswordUntil"] && fact(t("identity.onceUntil"), moment(identity["oneTimePasswordUntil"])),
      identity["passwordResetAt"] && fact(t("identity.reset"), moment(identity["passwordResetAt"])),
      fact("UUID", shortId(identity["objInfo"].uuid))),
    may("Audit:Read") && h("p", {}, h("a", { href: `#/audit?identityUuid=${identity["objInfo"].uuid}` }, t(isPerson ? "identity.theyDid" : "identity.did"))),
    h("h2", {}, t("roles.title")), roleForm(path, identity, roles["results"]),
    apiKeys(path, keys),
    bindings(identity["objInfo"].uuid, bound),
    itsPasskeys && passkeys(identity["objInfo"].uuid, itsPasskeys["results"], "other"),
    itsMailbox && services && mailbox(itsMailbox, services["results"], false),
    h("section", { class: "decide" }, h("h2", {}, t("cert.do")), h("div", { class: "columns" }, rename(path, identity), bounds(path, identity)), ending(path, identity, keys.keys.length)),
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
  const names = new Map(roles.map((role) => [role["objInfo"].uuid, role["objInfo"].name]));
  const edit = changed(path, identity, () => ({ roleUuids: chosen() }), { name: (uuid) => names.get(uuid) ?? uuid });
  return changing(edit, boxes, t("identity.giveRoles"), effect.element);
}

/** A form that changes it. @param {import("../parts/changed.js").Changed} edit @param {import("../parts/form.js").Field[]} fields @param {string} what @param {HTMLElement} [more] */
function changing(edit, fields, what, more) {
  return form({ fields, extra: [more, edit.news], submit: what, act: async () => (await edit.save()) && done(what) });
}

/** @param {string} path @param {Json} identity */
function rename(path, identity) {
  const own = field(t("fact.name"), input({ value: identity["objInfo"].name, maxlength: 255 }), { pointer: "/name" });
  return changing(changed(path, identity, () => ({ name: own.control.value })), [own], t("keys.rename"));
}

/** Asks for another password, and says what ends with the one before. @param {string} path @param {Json} identity @param {number} keys how many API keys it has */
function password(path, identity, keys) {
  const isPerson = identity["kind"] === "Person";
  const own = field(t("identity.newPassword"), input({ type: "password", autocomplete: "new-password" }), { pointer: "/password", help: t("identity.passwordHelp") });
  const once = field(t("identity.oneTime"), input({ type: "checkbox", checked: true }), { pointer: "/oneTime", help: t("identity.oneTimeHelp") });
  const body = () => ({ password: base64(own.control.value), ...(isPerson && isSet(once) ? { oneTime: true } : {}) });
  askSlowly({
    title: t("identity.setPassword"), name: identity["objInfo"].name, fields: isPerson ? [own, once] : [own], submit: t("identity.passwordSet"),
    what: h("p", {}, keys > 0 ? t("identity.passwordKeys", { count: keys }) : t("identity.passwordWhat")),
    act: async () => (await post(`${path}/password`, body()), await done(t("identity.passwordSet"))),
  });
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
  return changing(changed(path, identity, () => ({ networks: given(networks), hours: given(hours) })), fields, t("identity.setBounds"));
}

/** How it was let in again on the host, which is an alarm until somebody says that it is known. @param {string} path @param {string} name @param {Json} recovery */
function recovery(path, name, recovery) {
  const names = recovery["identities"].map((/** @type {Json} */ one) => shownText(one["name"])).join(", ");
  const what = /** @type {const} */ ({ Two: "identity.recoveredTwo", One: "identity.recoveredOne", Host: "identity.recoveredHost" });
  const said = tn(what[/** @type {"Two" | "One" | "Host"} */ (recovery["by"])], { time: moment(recovery["recoveredAt"]), names, reason: shown(recovery["reason"] ?? "") });
  const act = async () => (await patch(path, { recoveryAcknowledged: true }), await done(t("identity.acknowledge")));
  const ask = () => askSlowly({ title: t("identity.acknowledge"), what: h("p", {}, t("identity.acknowledgeWhat")), name, submit: t("identity.acknowledge"), act });
  return h("section", { class: "warnings", "aria-labelledby": "recovered" }, h("h2", { id: "recovered" }, t("identity.recovered")), h("p", {}, said), h("p", {}, t("identity.recoveredWhat")),
    may("Identity:Manage") && h("div", { class: "actions" }, h("button", { type: "button", onclick: ask }, t("identity.acknowledge"))));
}

/** @param {string} path @param {Json} identity @param {number} keys */
function ending(path, identity, keys) {
  const name = identity["objInfo"].name;
  const ask = (/** @type {import("../words.js").Key} */ title, /** @type {import("../words.js").Key} */ what, /** @type {() => Promise<unknown>} */ act) =>
    h("button", { type: "button", class: "danger", onclick: () => askSlowly({ title: t(title), what: h("p", {}, t(what)), name, submit: t(title), act }) }, t(title));
  return h("div", { class: "actions" },
    h("button", { type: "button", class: "danger", onclick: () => password(path, identity, keys) }, t("identity.setPassword")),
    identity["locked"]
      ? action(t("identity.unlock"), async () => (await post(`${path}/unlock`), await done(t("identity.unlock"))))
      : ask("identity.lock", "identity.lockWhat", async () => (await post(`${path}/lock`), await done(t("identity.lock")))),
    identity["totp"] && ask("identity.resetTotp", "identity.resetTotpWhat", async () => (await remove(`${path}/totp`), await done(t("identity.resetTotp")))),
    ask("identity.remove", "identity.removeWhat", async () => (await remove(path), await done(t("identity.remove"), { to: "#/identities" }))));
}
