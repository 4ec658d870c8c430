// One's own codes: a new secret, the code that confirms it, and their end. Each proves everything by itself, so that it can be done
// also by those who cannot log in without one. Whoever has a confirmed passkey shows it, or a present code: else a password that
// somebody found out would make codes.

import { fill, h } from "../dom.js";
import { secondFactor, ways } from "../session.js";
import { t, tn } from "../words.js";
import { field, form, input } from "./form.js";
import { copyable, moment } from "./values.js";

/** @typedef {import("../session.js").Proof} Proof */
/** @typedef {(proof: Proof, passkey?: import("../api.js").Json) => Promise<void>} Act */

/** Where a code is typed. @param {string} label @param {string} [help] */
export const codeField = (label, help) =>
  field(label, input({ name: "totp", inputmode: "numeric", autocomplete: "one-time-code", spellcheck: "false", maxlength: 7 }), { pointer: "/totp", help });

/**
 * Whether a passkey is to be asked, besides the password; not to be seen where there are none.
 * @param {Promise<import("../session.js").Ways>} known @param {string} help @param {boolean} [checked]
 */
export function passkeyBox(known, help, checked = false) {
  const box = field(t("login.passkey"), input({ type: "checkbox", checked }), { pointer: "/passkey", help });
  box.element.hidden = true;
  known.then(({ passkeys }) => (box.element.hidden = !passkeys), () => undefined);
  return box;
}

/** What a passkey has signed, where the box is there to be seen and says so. @param {ReturnType<typeof passkeyBox>} box */
export async function shownPasskey(box) {
  if (box.element.hidden || !(/** @type {HTMLInputElement} */ (box.control).checked)) return undefined;
  // Fetched for those who have one: the first page is small.
  return (await import("./passkeys.js")).loginPasskey();
}

/** What one can do with one's own. @param {boolean} [hasPasskey] whether whoever is here is known to have a confirmed one */
export function secondFactors(hasPasskey = false) {
  const place = h("div", { class: "second-factor" });
  const begin = () => fill(place, h("p", {}, t("totp.what")), proving(t("totp.present"), t("totp.enrol"), enrol, { hasPasskey }), proving(t("totp.code"), t("totp.remove"), remove, { hasPasskey, danger: true }));
  const say = (/** @type {string} */ text) => {
    begin();
    place.prepend(h("p", { role: "status" }, text));
  };
  /** @type {Act} */
  const enrol = async (proof, passkey) => fill(place, confirmation(proof, await secondFactor("", proof, passkey), () => say(t("totp.confirmed"))));
  /** @type {Act} */
  const remove = async (proof, passkey) => {
    await secondFactor("/remove", proof, passkey);
    say(t("totp.removed"));
  };
  begin();
  return place;
}

/**
 * Name, password, a code or a passkey, and what is done with them.
 * @param {string} label @param {string} submit @param {Act} act @param {{hasPasskey: boolean, danger?: boolean}} about
 */
function proving(label, submit, act, { hasPasskey, danger = false }) {
  const name = field(t("login.name"), input({ name: "username", autocomplete: "username", autocapitalize: "off", spellcheck: "false" }), { pointer: "/username" });
  const password = field(t("login.password"), input({ type: "password", name: "password", autocomplete: "current-password" }), { pointer: "/password" });
  const code = codeField(label);
  const box = passkeyBox(ways(), t("totp.passkeyHelp"), hasPasskey);
  const prove = async () => {
    const proof = { name: name.control.value, password: password.control.value, code: code.control.value };
    const passkey = await shownPasskey(box);
    await act(proof, passkey).finally(() => (password.control.value = code.control.value = ""));
  };
  return form({ fields: [name, password, code, box], submit, danger, act: prove });
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
