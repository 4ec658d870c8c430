// One token profile: how values become tokens, who may do what with them, and the versions of its key.

import { get, patch, remove } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { action } from "../parts/action.js";
import { done } from "../parts/done.js";
import { fact, facts } from "../parts/facts.js";
import { askSlowly } from "../parts/form.js";
import { askForGrant, grantList, readGrants } from "../parts/grants.js";
import { formatFacts, security } from "../parts/profile-format.js";
import { rules, rulesBudgetUses } from "../parts/rules.js";
import { later } from "../parts/table.js";
import { UNKNOWN, rightsBy, tryIt } from "../parts/try-tokens.js";
import { moment, period, shortId } from "../parts/values.js";
import { address, go } from "../router.js";
import { may } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const uuid = String(params["uuid"]);
  if (!may("Tokenization:Manage")) return stubPage(uuid, signal);
  const profile = await get(`/api/v2/token-profiles/${uuid}`, undefined, signal);
  const [roles, rights] = await Promise.all([new Names(signal).roles(), rightsBy(profile.controlRules, signal)]);
  const use = using(uuid, profile, rights, signal, () => rulesBudgetUses(profile, roles, signal));
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/tokenization" }, t("tokenization.title"))),
    h("div", { class: "head" }, h("h1", {}, shown(profile.objInfo.name)),
      h("p", { class: "actions" }, h("a", { href: `#/tokenization/profile/${uuid}/edit` }, t("profile.edit")), removeButton(profile))),
    facts(
      fact(t("column.algorithm"), word("tokens", profile.algorithm)),
      ...formatFacts(profile.format),
      fact(t("format.useIv"), t(profile.useIv ? "yes" : "no")),
      profile.deterministic !== undefined && profile.deterministic !== null && fact(t("format.deterministic"), t(profile.deterministic ? "yes" : "no")),
      profile.timeToLive && fact(t("format.timeToLive"), period(profile.timeToLive)),
      profile.durability === "Durable" && fact(t("profile.durability"), t("profile.durability.Durable")),
      fact("UUID", shortId(uuid))),
    h("h2", {}, t("profile.security")), security(profile.security),
    h("h2", {}, t("rules.title")), rules(profile, roles), use.budgets,
    h("h2", {}, t("grant.title")), use.grants,
    may("Audit:Read") && h("p", {}, h("a", { href: address("/audit/journal", { profile: uuid }) }, t("journal.title"))),
    h("h2", {}, t("profile.versions")), versions(profile, signal),
    h("h2", {}, t("try.title")), use.trial,
  ];
  return { title: shownText(profile.objInfo.name), content };
}

/** For those who only use it. @param {string} uuid @param {AbortSignal} signal */
async function stubPage(uuid, signal) {
  const answer = await get("/api/v2/token-profiles/stubs", { pageSize: 1000 }, signal);
  const stub = answer.results.find((/** @type {Json} */ one) => one.objInfo.uuid === uuid);
  const name = stub?.objInfo.name ?? uuid;
  const use = using(uuid, stub ?? {}, UNKNOWN, signal);
  const content = [h("p", { class: "crumbs" }, h("a", { href: "#/tokenization" }, t("tokenization.title"))), h("h1", {}, shown(name)), h("p", {}, t("profile.onlyUse")), h("h2", {}, t("try.title")), use.trial,
    h("h2", {}, t("grant.title")), use.grants];
  return { title: shownText(name), content };
}

/**
 * What is done with it here, and what of its grants and budgets is used, which is read again after each use.
 * @param {string} uuid @param {Json} profile @param {import("../parts/try-tokens.js").Rights} rights @param {AbortSignal} signal
 * @param {() => Promise<import("../dom.js").Child>} [readBudgets]
 */
function using(uuid, profile, rights, signal, readBudgets) {
  const [budgets, given] = [h("div", {}), h("div", {})];
  const read = () => {
    if (readBudgets) later(budgets, readBudgets);
    later(given, async () => {
      const all = await readGrants(uuid, signal);
      trial.offer(all);
      return grantList(all);
    });
  };
  const trial = tryIt(uuid, profile, rights, read);
  read();
  return { budgets, grants: [given, rights.byGrant && askForGrant(uuid)], trial: trial.element };
}

/** Which versions of the key the profile makes and reads, and how to move on. @param {Json} profile @param {AbortSignal} signal */
function versions(profile, signal) {
  const place = h("div", {});
  return later(place, async () => {
    const key = may("Keys:Add") ? await get(`/api/v2/keys/${profile.keyUuid}`, undefined, signal) : undefined;
    const moveOn = () => move(profile, t("profile.moveOn", { version: key?.["currentVersion"] }), { keyVersion: key?.["currentVersion"] }, movesOn(profile, key?.["currentVersion"]));
    const readNewest = () => move(profile, t("profile.readOnly", { version: profile.keyVersion }), { minDecryptVersion: profile.keyVersion, ...(isSilent(profile) ? { giveUpTokens: true } : {}) }, givesUp(profile));
    const isBehind = key && key["currentVersion"] > profile.keyVersion;
    return [
      facts(
        fact(t("fact.key"), key ? h("a", { href: `#/keys/${key["uuid"]}` }, shown(key["objInfo"].name)) : shortId(profile.keyUuid)),
        fact(t("profile.makes"), t("profile.version", { version: profile.keyVersion })),
        fact(t("profile.reads"), profile.minDecryptVersion === profile.keyVersion ? t("profile.version", { version: profile.keyVersion }) : t("profile.versionsFromTo", { from: profile.minDecryptVersion, to: profile.keyVersion })),
        key && fact(t("profile.newest"), [t("profile.version", { version: key["currentVersion"] }), ", ", moment(key["versions"].at(-1)?.createdAt)])),
      h("div", { class: "actions" },
        isBehind && action(t("profile.moveOn", { version: key["currentVersion"] }), moveOn),
        profile.minDecryptVersion < profile.keyVersion && h("button", { type: "button", onclick: readNewest }, `${t("profile.readOnly", { version: profile.keyVersion })} …`)),
    ];
  });
}

/** Tokens of AesSiv and AesGcm tell their version, the vault knows that of its tokens, and Ff1 may put it in front. @param {Json} profile */
const tellsVersion = ({ algorithm, format }) => ["AesSiv", "AesGcm", "Random"].includes(algorithm) || Boolean(format.versionPrefix);

/** Whether a token of a version that is read no more gives another, plausible value: the server wants to hear that it is meant. @param {Json} profile */
const isSilent = (profile) => !tellsVersion(profile) && profile.algorithm !== "Hmac";

/** What becomes of tokens with a new version, where that has to be known beforehand. @param {Json} profile @param {number} to */
function movesOn(profile, to) {
  if (tellsVersion(profile)) return undefined;
  const places = { from: profile.keyVersion, to };
  if (profile.algorithm === "Hmac") return [h("p", {}, t("profile.moveOnHmac", places)), h("p", {}, t("profile.moveOnNever", places))];
  return [h("p", {}, t("profile.moveOnWhat", places)), h("p", {}, t("profile.moveOnRewrap", places)), h("p", {}, t("profile.moveOnNever", places))];
}

/** What becomes of older tokens that are read no more. @param {Json} profile */
function givesUp(profile) {
  return [h("p", {}, t(isSilent(profile) ? "profile.givenUpWrong" : "profile.givenUpRefused", { version: profile.keyVersion })), h("p", {}, t("profile.givenUpBack"))];
}

/** Changes the versions, after asking where there is something to know. @param {Json} profile @param {string} title @param {Json} change @param {import("../dom.js").Child} what */
async function move(profile, title, change, what) {
  const act = async () => {
    const { warnings } = await patch(`/api/v2/token-profiles/${profile.objInfo.uuid}`, change);
    await done(title, { warnings });
  };
  if (!what) return act();
  askSlowly({ title, what, name: profile.objInfo.name, submit: title, act });
}

/** @param {Json} profile */
function removeButton(profile) {
  const ask = () => askSlowly({
    title: t("profile.remove"), what: h("p", {}, t("profile.removeWhat")), name: profile.objInfo.name, submit: t("profile.remove"),
    act: async () => {
      await remove(`/api/v2/token-profiles/${profile.objInfo.uuid}`);
      go("#/tokenization");
    },
  });
  return h("button", { type: "button", class: "danger", onclick: ask }, t("profile.remove"));
}

