// Tries a profile with one value, as whoever is logged in: what the Control Rules allow and what they mask is seen at once.
// And moves tokens to the newest version of the key.

import { Refusal, get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { shown, shownText } from "../visible.js";
import { serversLanguage, t } from "../words.js";
import { field, form, input, select, textarea } from "./form.js";
import { isOurs } from "./grants.js";
import { copyable, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {{tokenize: boolean, detokenize: boolean, byGrant: boolean, rewrap: boolean}} Rights `byGrant`: in full, after approvals */

/** Of somebody to whom no rules are told: the server says of each call whether it may be. @type {Rights} */
export const UNKNOWN = { tokenize: true, detokenize: true, byGrant: true, rewrap: true };

/** What these rules let those do who are logged in. @param {Json[]} rules @param {AbortSignal} signal @returns {Promise<Rights>} */
export async function rightsBy(rules, signal) {
  const { identities } = await get("/api/v2/whoami", undefined, signal);
  /** @type {string[]} */
  const roles = identities.flatMap((/** @type {Json} */ one) => one["roles"].map((/** @type {Json} */ role) => role["uuid"]));
  const own = rules.filter((rule) => roles.includes(rule["roleUuid"]));
  const has = (/** @type {string} */ operation) => own.some((rule) => rule["operation"] === operation && !rule["approval"]);
  const [tokenize, inFull] = [has("Tokenize"), has("Detokenize")];
  return {
    tokenize, detokenize: inFull || has("PartialDetokenize"), byGrant: !inFull && own.some((rule) => rule["approval"]),
    rewrap: tokenize && inFull && has("Batch"),
  };
}

/**
 * What may be tried. `offer` says which grants there are.
 * @param {string} uuid @param {Json} profile @param {Rights} rights @param {() => void} used told after each call: also a refused one may count
 */
export function tryIt(uuid, profile, rights, used) {
  const path = `/api/v2/token-profiles/${uuid}`;
  const grant = field(t("grant.name"), select([]), { pointer: "/grantUuid", help: t("grant.nameHelp") });
  const tokenize = () => section(t("try.tokenize"), t("try.message"), "/message", [], used, async (message) => {
    const answer = await post(`${path}/tokenize`, { message });
    return [copyable(answer["token"]), answer["iv"] && h("p", {}, "iv ", copyable(answer["iv"])), answer["keyVersion"] && h("p", {}, t("profile.version", { version: answer["keyVersion"] }))];
  });
  const elements = [
    rights.tokenize && tokenize(),
    (rights.detokenize || rights.byGrant) && profile["algorithm"] !== "Hmac" && detokenize(path, profile, grant, used),
    rights.rewrap && rewrap(path, used),
  ].filter(Boolean);
  const element = elements.length > 0 ? h("div", { class: "columns" }, elements) : h("p", { class: "quiet" }, t("try.nothing"));
  return { element, offer: (/** @type {Json[]} */ grants) => offer(grant, grants) };
}

/** The grants that may be used now; the chosen one stays chosen. @param {import("./form.js").Field} grant @param {Json[]} grants */
function offer({ element, control }, grants) {
  const own = grants.filter(isOurs);
  const chosen = control.value;
  const name = (/** @type {Json} */ one) => `${shownText(one["reason"])} (${t("grant.usedOf", { used: number(one["used"]), count: number(one["maxValues"]) })})`;
  fill(control, [["", t("grant.without")], ...own.map((one) => [one["uuid"], name(one)])].map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  element.hidden = own.length === 0;
}

/** @param {string} path @param {Json} profile @param {import("./form.js").Field} grant @param {() => void} used */
function detokenize(path, profile, grant, used) {
  const iv = profile["useIv"] ? field("iv", input({ spellcheck: "false" }), { pointer: "/iv" }) : undefined;
  const [oldest, newest] = [profile["minDecryptVersion"], profile["keyVersion"]];
  const several = oldest !== newest;
  const version = field(t("try.version"), input({ type: "number", min: 1 }), { pointer: "/keyVersion", help: t(several ? "try.versionFromTo" : "try.versionHelp", { from: oldest, to: newest }) });
  version.element.hidden = !several;
  offer(grant, []);
  const more = [iv, version, grant].filter((one) => one !== undefined);
  return section(t("try.detokenize"), t("try.token"), "/token", more, used, async (token) => {
    const named = version.control.value;
    const body = { token, ...(iv?.control.value ? { iv: iv.control.value } : {}), ...(named ? { keyVersion: Number(named) } : {}), ...(grant.control.value ? { grantUuid: grant.control.value } : {}) };
    const answer = await post(`${path}/detokenize`, body).catch((error) => {
      // Since this page was opened others may have moved the profile on.
      if (error instanceof Refusal && error.field === version.pointer) version.element.hidden = false;
      throw inOwnWords(error, grant.control.value);
    });
    return [shown(answer["message"]), named && h("p", { class: "quiet" }, t("profile.version", { version: named }))];
  });
}

/** Where the server tells of a call that asks for approvals, this page has a button. @param {unknown} error @param {string} grant the one that was sent */
function inOwnWords(error, grant) {
  if (error instanceof Refusal && error.field === "/keyVersion" && error.code === "ArgumentParseError") return new Refusal(error.status, error.code, t("try.needsVersion"), { field: error.field });
  if (!(error instanceof Refusal) || error.field !== "/grantUuid" || grant) return error;
  return new Refusal(error.status, error.code, t("try.needsGrant", { ask: t("grant.ask") }));
}

/**
 * @param {string} title @param {string} label @param {string} pointer @param {import("./form.js").Field[]} more @param {() => void} used
 * @param {(value: string) => Promise<import("../dom.js").Child>} act
 */
function section(title, label, pointer, more, used, act) {
  const value = field(label, input({ spellcheck: "false" }), { pointer });
  const result = h("output", { class: "pair" });
  return h("section", {}, h("h3", {}, title), form({
    fields: [value, ...more], extra: result, submit: title, passing: true,
    act: async () => {
      fill(result);
      fill(result, await act(value.control.value).finally(used));
    },
  }));
}

/** @param {string} path @param {() => void} used */
function rewrap(path, used) {
  const tokens = field(t("try.tokens"), textarea({ rows: 4, spellcheck: "false" }), { pointer: "/tokens", help: t("try.rewrapHelp") });
  const version = field(t("try.version"), input({ type: "number", min: 1 }), { pointer: "/keyVersion", help: t("try.versionHelp") });
  const result = h("output");
  return h("section", {}, h("h3", {}, t("try.rewrap")), form({
    fields: [tokens, version], extra: result, submit: t("try.rewrap"), passing: true,
    act: async () => {
      const lines = tokens.control.value.split("\n").filter((line) => line !== "");
      fill(result);
      const answer = await post(`${path}/rewrap`, { tokens: lines, partial: true, ...(version.control.value ? { keyVersion: Number(version.control.value) } : {}) }).finally(used);
      const errors = answer["errors"] ?? [];
      const moved = textarea({ rows: 4, readonly: true, "aria-label": t("try.rewrapped") }, answer["tokens"].map((/** @type {string | null} */ one) => one ?? "").join("\n"));
      fill(result, h("p", {}, t("try.moved", { count: lines.length - errors.length, version: answer["keyVersion"] })), moved,
        errors.length > 0 && h("ul", { class: "notes" }, errors.map((/** @type {Json} */ one) => h("li", {}, t("try.line", { number: one["index"] + 1 }), ": ", h("span", { lang: serversLanguage() }, one["message"])))));
    },
  }));
}
