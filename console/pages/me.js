// Who is logged in here, how they proved it, and their second factors.

import { Refusal, get } from "../api.js";
import { h } from "../dom.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { ownPassword } from "../parts/own-password.js";
import { passkeys, passkeysPath } from "../parts/passkeys.js";
import { secondFactors } from "../parts/second-factor.js";
import { loginWay, moment } from "../parts/values.js";
import { ways } from "../session.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** Where it is not known, the form is there, and the server says it. */
const canHavePasskeys = () => ways().then((known) => known.passkeys, () => true);

/** Whoever logged in as a program does makes no passkeys. @param {unknown} error @returns {Json} */
function noneForPrograms(error) {
  if (error instanceof Refusal && error.status === 403) return {};
  throw error;
}

/** @param {import("../router.js").Context} context */
export async function page({ signal }) {
  const [who, hasPasskeys] = await Promise.all([get("/api/v2/whoami", undefined, signal), canHavePasskeys()]);
  const people = who["identities"].filter((/** @type {Json} */ one) => one["kind"] === "Person");
  const own = await Promise.all(people.map(async (/** @type {Json} */ one) =>
    ({ one, ...(await get(passkeysPath(one["uuid"]), undefined, signal).catch(noneForPrograms)) })));
  /** @type {string[]} */
  const names = people.map((/** @type {Json} */ one) => one["name"]);
  const hasCodes = people.some((/** @type {Json} */ one) => one["totp"]);
  const hasPasskey = own.some(({ results }) => (results ?? []).some((/** @type {Json} */ passkey) => passkey["confirmedAt"]));
  const content = [
    h("h1", {}, t("me.title")),
    who["identities"].map((/** @type {Json} */ one) => [
      h("h2", {}, shown(one["name"])),
      facts(
        one["login"] && fact(t("me.way"), loginWay(one["login"].way)),
        one["source"] && fact(t("audit.from"), one["source"]),
        fact(t("totp.title"), one["totp"] ? tn("totp.since", { time: moment(one["totp"].confirmedAt) }) : t("totp.none")))]),
    own.map(({ one, results }) => results && [own.length > 1 && h("h2", {}, shown(one["name"])), passkeys(one["uuid"], results, hasPasskeys ? "own" : "none")]),
    names.length > 0 && h("section", { class: "decide" }, h("h2", {}, t("totp.title")), secondFactors({ names, hasPasskey, hasCodes, confirmed: (text) => done(t("totp.enrol"), { more: text }) })),
    names.length > 0 && h("section", { class: "decide" }, h("h2", {}, t("own.title")), ownPassword(names)),
  ];
  return { title: t("me.title"), content };
}
