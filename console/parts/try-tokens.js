// Tries a profile with one value, as whoever is logged in: what the Control Rules allow and what they mask is seen at once.
// And moves tokens to the newest version of the key.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { field, form, input, textarea } from "./form.js";
import { copyable } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {string} uuid @param {Json} profile */
export function tryIt(uuid, profile) {
  const path = `/api/v2/token-profiles/${uuid}`;
  return h("div", { class: "columns" },
    section(t("try.tokenize"), t("try.message"), "/message", async (message) => {
      const answer = await post(`${path}/tokenize`, { message });
      return [copyable(answer.token), answer.iv && h("p", {}, "iv ", copyable(answer.iv)), answer.keyVersion && h("p", {}, t("profile.version", { version: answer.keyVersion }))];
    }),
    profile.algorithm !== "Hmac" && section(t("try.detokenize"), t("try.token"), "/token", async (token, more) => {
      const answer = await post(`${path}/detokenize`, { token, ...more });
      return shown(answer.message);
    }, profile),
    rewrap(path));
}

/** @param {string} title @param {string} label @param {string} pointer @param {(value: string, more: Json) => Promise<import("../dom.js").Child>} act @param {Json} [profile] */
function section(title, label, pointer, act, profile) {
  const value = field(label, input({ spellcheck: "false" }), { pointer });
  const iv = profile?.["useIv"] ? field("iv", input({ spellcheck: "false" }), { pointer: "/iv" }) : undefined;
  const version = profile && profile["minDecryptVersion"] !== profile["keyVersion"] ? field(t("try.version"), input({ type: "number", min: 1 }), { pointer: "/keyVersion" }) : undefined;
  const grant = profile ? field(t("grant.name"), input({ spellcheck: "false" }), { pointer: "/grantUuid", help: t("grant.nameHelp") }) : undefined;
  const result = h("output", { class: "pair" });
  const fields = [value, iv, version, grant].filter((one) => one !== undefined);
  return h("section", {}, h("h3", {}, title), form({
    fields, extra: result, submit: title,
    act: async () => {
      fill(result);
      const more = { ...(iv?.control.value ? { iv: iv.control.value } : {}), ...(version?.control.value ? { keyVersion: Number(version.control.value) } : {}), ...(grant?.control.value ? { grantUuid: grant.control.value.trim() } : {}) };
      fill(result, await act(value.control.value, more));
    },
  }));
}

/** @param {string} path */
function rewrap(path) {
  const tokens = field(t("try.tokens"), textarea({ rows: 4, spellcheck: "false" }), { pointer: "/tokens", help: t("try.rewrapHelp") });
  const version = field(t("try.version"), input({ type: "number", min: 1 }), { pointer: "/keyVersion", help: t("try.versionHelp") });
  const result = h("output");
  return h("section", {}, h("h3", {}, t("try.rewrap")), form({
    fields: [tokens, version], extra: result, submit: t("try.rewrap"),
    act: async () => {
      const lines = tokens.control.value.split("\n").filter((line) => line !== "");
      fill(result);
      const answer = await post(`${path}/rewrap`, { tokens: lines, partial: true, ...(version.control.value ? { keyVersion: Number(version.control.value) } : {}) });
      const errors = answer.errors ?? [];
      const moved = textarea({ rows: 4, readonly: true, "aria-label": t("try.rewrapped") }, answer.tokens.map((/** @type {string | null} */ one) => one ?? "").join("\n"));
      fill(result, h("p", {}, t("try.moved", { count: lines.length - errors.length, version: answer.keyVersion })), moved,
        errors.length > 0 && h("ul", { class: "notes" }, errors.map((/** @type {Json} */ one) => h("li", {}, t("try.line", { number: one.index + 1 }), ": ", one.message))));
    },
  }));
}
