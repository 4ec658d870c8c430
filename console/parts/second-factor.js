// One's own second factor: a new secret, the code that confirms it, and its end. Each proves everything by itself, so that it
// can be done also by those who cannot log in without one.

import { fill, h } from "../dom.js";
import { secondFactor } from "../session.js";
import { t, tn } from "../words.js";
import { field, form, input } from "./form.js";
import { copyable, moment } from "./values.js";

/** @typedef {import("../session.js").Proof} Proof */

/** Where a code is typed. @param {string} label @param {string} [help] */
export const codeField = (label, help) =>
  field(label, input({ name: "totp", inputmode: "numeric", autocomplete: "one-time-code", spellcheck: "false", maxlength: 7 }), { pointer: "/totp", help });

/** What one can do with one's own. */
export function secondFactors() {
  const place = h("div", { class: "second-factor" });
  const begin = () => fill(place, h("p", {}, t("totp.what")), proving(t("totp.present"), t("totp.enrol"), enrol), proving(t("totp.code"), t("totp.remove"), remove, true));
  const say = (/** @type {string} */ text) => {
    begin();
    place.prepend(h("p", { role: "status" }, text));
  };
  const enrol = async (/** @type {Proof} */ proof) => fill(place, confirmation(proof, await secondFactor("", proof), () => say(t("totp.confirmed"))));
  const remove = async (/** @type {Proof} */ proof) => {
    await secondFactor("/remove", proof);
    say(t("totp.removed"));
  };
  begin();
  return place;
}

/**
 * Name, password and a code, and what is done with them.
 * @param {string} label @param {string} submit @param {(proof: Proof) => Promise<void>} act @param {boolean} [danger]
 */
function proving(label, submit, act, danger) {
  const name = field(t("login.name"), input({ name: "username", autocomplete: "username", autocapitalize: "off", spellcheck: "false" }), { pointer: "/username" });
  const password = field(t("login.password"), input({ type: "password", name: "password", autocomplete: "current-password" }), { pointer: "/password" });
  const code = codeField(label);
  return form({
    fields: [name, password, code], submit, danger: danger ?? false,
    act: () => act({ name: name.control.value, password: password.control.value, code: code.control.value }).finally(() => (password.control.value = code.control.value = "")),
  });
}

/** The new secret, shown this once, and the field for the code of it. @param {Proof} proof @param {import("../api.js").Json} made @param {() => void} done */
function confirmation(proof, made, done) {
  const code = codeField(t("totp.newCode"));
  const act = async () => {
    await secondFactor("/confirm", { ...proof, code: code.control.value });
    done();
  };
  return [
    h("p", {}, t("totp.secret")), h("p", {}, copyable(made["secret"])), h("p", {}, h("a", { href: made["uri"] }, t("totp.open"))),
    h("p", { class: "quiet" }, tn("totp.until", { time: moment(made["expiresAt"]) })),
    form({ fields: [code], submit: t("totp.confirm"), act }),
  ];
}
