// The system: health, the settings, and the head of the transparency log.

import { access, get, text } from "../api.js";
import { h } from "../dom.js";
import { changed } from "../parts/changed.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly, boxes, field, form, input } from "../parts/form.js";
import { health } from "../parts/health.js";
import { recovered } from "../parts/recovered.js";
import { askBeforeRemoval, removesMore, retention } from "../parts/retention.js";
import { later } from "../parts/table.js";
import { copyable } from "../parts/values.js";
import { may } from "../session.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ signal }) {
  const settings = may("System:Manage") ? await get("/api/v2/system/settings", undefined, signal) : undefined;
  const content = [
    h("h1", {}, t("system.title")), recovered(signal),
    h("h2", {}, t("home.health")), health(signal),
    h("h2", {}, t("system.log")), later(h("div"), () => head(signal)),
    settings && [h("h2", {}, t("system.settings")), change(settings, signal)],
    h("p", {}, h("a", { href: "#/notices" }, t("notices.title"))),
    h("h2", {}, t("system.interface")), h("p", {}, h("a", { href: "/docs" }, t("login.docs"))),
  ];
  return { title: t("nav.system"), content };
}

/** The checkpoint as it is signed, and the key that it is verified with. @param {AbortSignal} signal */
async function head(signal) {
  const [checkpoint = "", key = ""] = await Promise.all(["/log/checkpoint", "/log/vkey"].map((path) => text(path, signal)));
  return [
    h("pre", { tabindex: "0" }, checkpoint.trim()),
    facts(fact(t("system.logKey"), copyable(key.trim()))),
    h("p", { class: "help" }, t("system.logKeyHelp")),
  ];
}

const FRESH_FACTOR_FOR = ["Decisions", "Exports", "Access", "Custody", "Rules"];

/** @param {Json} settings @param {AbortSignal} signal */
function change(settings, signal) {
  const api = field(t("system.apiAccess"), input({ type: "checkbox", checked: settings["apiAccess"] }), { pointer: "/apiAccess", help: t("system.apiAccessHelp") });
  const fresh = boxes(FRESH_FACTOR_FOR, settings["freshFactorFor"], (one) => word("freshFactorFor", one), "/freshFactorFor");
  const records = retention(settings["auditRetention"]);
  const apiAccess = () => /** @type {HTMLInputElement} */ (api.control).checked;
  const edit = changed("/api/v2/system/settings", settings, () => ({ apiAccess: apiAccess(), freshFactorFor: fresh.picked(), auditRetention: records.value() }));
  // The box says what is, whoever switched it: the banner at the top does.
  access.addEventListener("change", () => {
    /** @type {HTMLInputElement} */ (api.control).checked = !access.isOff;
    edit.follow("apiAccess");
  }, { signal });
  const save = async () => (await edit.save()) && done(t("system.save"));
  const switchOrSave = async () => (settings["apiAccess"] && !apiAccess() ? askBeforeOff(save) : save());
  const act = async () => {
    if (!records.isRight()) return;
    await (removesMore(settings["auditRetention"], records.value()) ? askBeforeRemoval(records.value(), switchOrSave) : switchOrSave());
  };
  return [
    facts(fact(t("system.hardened"), t(settings["hardened"] ? "yes" : "no")), fact(t("system.demo"), t(settings["demo"] ? "yes" : "no"))),
    form({ fields: [api, ...fresh.fields], placed: () => records.fields, extra: [h("p", { class: "help" }, t("system.freshHelp")), records.element, edit.news], submit: t("system.save"), act }),
  ];
}

/** Whoever switches it off stops everybody's work. @param {() => Promise<unknown>} act */
function askBeforeOff(act) {
  const what = [h("p", {}, t("system.offWhat")), h("p", {}, t("system.offBack"))];
  askSlowly({ title: t("system.off"), what, name: t("system.apiAccess"), submit: t("system.off"), act });
}
