// What an API key is restricted to: token profiles, and signing services with all their policies, or some of those.

import { Refusal, get } from "../api.js";
import { h } from "../dom.js";
import { shownText } from "../visible.js";
import { t } from "../words.js";
import { boxes, field, input, isSet } from "./form.js";

/** @typedef {import("../api.js").Json} Json */
/** What may be chosen: the member of the scope, its title, and the names by their uuid. @typedef {{member: string, title: string, names: Map<string, string>}[]} Choices */

/** @param {AbortSignal} signal @returns {Promise<Choices>} */
export async function loadChoices(signal) {
  const [profiles, services] = await Promise.all([
    get("/api/v2/token-profiles/stubs", { pageSize: 1000 }, signal),
    get("/api/v2/x509/services", { pageSize: 1000 }, signal)]);
  const names = (/** @type {Json[]} */ objects) => new Map(objects.map((one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]));
  const signing = services["results"].filter((/** @type {Json} */ one) => one["signingPolicies"].length > 0);
  const policies = signing.flatMap((/** @type {Json} */ service) => service["signingPolicies"].map((/** @type {Json} */ policy) =>
    ({ objInfo: { uuid: policy["objInfo"].uuid, name: `${policy["objInfo"].name} (${service["objInfo"].name})` } })));
  return [
    { member: "tokenProfileUuids", title: t("scope.profiles"), names: names(profiles["results"]) },
    { member: "serviceUuids", title: t("scope.services"), names: names(signing) },
    { member: "policyUuids", title: t("scope.policies"), names: names(policies) },
  ];
}

/** What a key is for, in words. @param {Json | null | undefined} scope @param {Choices} choices */
export function scopeText(scope, choices) {
  if (!scope) return t("apiKey.whole");
  const named = choices.flatMap(({ member, names }) => (scope[member] ?? []).map((/** @type {string} */ uuid) => names.get(uuid) ?? uuid));
  return named.join(", ") || t("scope.nothing");
}

/**
 * The boxes for it, and what of a body they say: nothing where nothing was changed. Taking the last choice away makes a key good for
 * everything, so that is said in so many words, by a box of its own.
 * @param {Choices} choices @param {Json | null | undefined} scope @param {string} under where that body stands in another
 */
export function scopeFields(choices, scope, under) {
  const chosen = choices.map(({ member, title, names }) => {
    const now = scope?.[member] ?? [];
    return { member, title, now, ...boxes([...names.keys(), ...now.filter((/** @type {string} */ one) => !names.has(one))], now, (uuid) => names.get(uuid) ?? uuid, `${under}/scope/${member}`) };
  });
  const groups = chosen.filter(({ fields }) => fields.length > 0).map(({ title, fields }) => h("fieldset", {}, h("legend", {}, title), fields.map((one) => one.element)));
  const whole = field(t("scope.whole"), input({ type: "checkbox" }), { pointer: `${under}/scope` });
  const tell = () => { whole.element.hidden = !scope || chosen.some(({ picked }) => picked().length > 0); };
  tell();
  const element = h("details", { open: Boolean(scope), onchange: tell }, h("summary", {}, t("apiKey.scope")), h("p", { class: "help" }, t("scope.help")), groups, whole.element);
  const given = () => {
    if (chosen.every(({ picked, now }) => [...picked()].sort().join() === [...now].sort().join())) return {};
    const picked = chosen.map((one) => [one.member, one.picked()]).filter(([, uuids]) => uuids && uuids.length > 0);
    if (picked.length > 0) return { scope: Object.fromEntries(picked) };
    if (!isSet(whole)) throw new Refusal(0, "InvalidValue", t("scope.nothingChosen"), { field: `${under}/scope` });
    return { scope: null };
  };
  return { element, fields: [...chosen.flatMap((one) => one.fields), whole], given };
}
