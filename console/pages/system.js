// The system: health, the settings, and the head of the transparency log.

import { get, patch } from "../api.js";
import { h } from "../dom.js";
import { fact, facts } from "../parts/facts.js";
import { boxes, field, form, input } from "../parts/form.js";
import { later } from "../parts/table.js";
import { copyable } from "../parts/values.js";
import { may } from "../session.js";
import { show } from "../show.js";
import { t, word } from "../words.js";
import { health } from "./home.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ signal }) {
  const settings = may("System:Manage") ? await get("/api/v2/system/settings", undefined, signal) : undefined;
  const content = [
    h("h1", {}, t("system.title")),
    h("h2", {}, t("home.health")), later(h("div"), () => health(signal)),
    h("h2", {}, t("system.log")), later(h("div"), () => head(signal)),
    settings && [h("h2", {}, t("system.settings")), change(settings)],
    h("p", {}, h("a", { href: "#/notices" }, t("notices.title"))),
    h("h2", {}, t("system.interface")), h("p", {}, h("a", { href: "/docs" }, t("login.docs"))),
  ];
  return { title: t("nav.system"), content };
}

/** The checkpoint as it is signed, and the key that it is verified with. @param {AbortSignal} signal */
async function head(signal) {
  const [checkpoint, key] = await Promise.all(["/log/checkpoint", "/log/vkey"].map(async (path) => {
    const answer = await fetch(path, { signal, cache: "no-store" });
    return answer.ok ? (await answer.text()).trim() : "";
  }));
  return [
    h("pre", { tabindex: "0" }, checkpoint || t("health.noLog")),
    facts(fact(t("system.logKey"), key ? copyable(key) : "–")),
    h("p", { class: "help" }, t("system.logKeyHelp")),
  ];
}

const FRESH_FACTOR_FOR = ["Decisions", "Exports", "Access", "Custody", "Rules"];

/** @param {Json} settings */
function change(settings) {
  const access = field(t("system.apiAccess"), input({ type: "checkbox", checked: settings["apiAccess"] }), { pointer: "/apiAccess", help: t("system.apiAccessHelp") });
  const fresh = boxes(FRESH_FACTOR_FOR, settings["freshFactorFor"], (one) => word("freshFactorFor", one), "/freshFactorFor");
  const act = async () => {
    const picked = fresh.picked();
    // Only what changes takes a second factor.
    const demanded = picked.join() === settings["freshFactorFor"].join() ? {} : { freshFactorFor: picked };
    await patch("/api/v2/system/settings", { apiAccess: /** @type {HTMLInputElement} */ (access.control).checked, ...demanded });
    await show();
  };
  return [
    facts(fact(t("system.hardened"), t(settings["hardened"] ? "yes" : "no")), fact(t("system.demo"), t(settings["demo"] ? "yes" : "no"))),
    form({ fields: [access, ...fresh.fields], extra: h("p", { class: "help" }, t("system.freshHelp")), submit: t("system.save"), act }),
  ];
}
