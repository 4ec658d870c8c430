// One's own codes: a new secret, the code that confirms it, and their end. Each proves everything by itself, so that it can be done
// also by those who cannot log in without one. Whoever has a confirmed passkey shows it, or a present code: else a password that
// somebody found out would make codes.

import { Refusal } from "../api.js";
import { fill, h, svg } from "../dom.js";
import { secondFactor, ways } from "../session.js";
import { t, tn } from "../words.js";
import { field, form, input, select } from "./form.js";
import { moment, secret } from "./values.js";

/** @typedef {import("../session.js").Proof} Proof */
/** @typedef {(proof: Proof, passkey?: import("../api.js").Json) => Promise<void>} Act */

/** Whose login it is: whoever is logged in does not type it again. @param {string[]} names of those who are */
export function nameField(names) {
  const attributes = { name: "username", autocomplete: "username", autocapitalize: "off", spellcheck: "false" };
  const control = names.length > 1 ? select(names.map((one) => [one, one]), names[0], { name: "username" }) : input({ ...attributes, value: names[0] ?? "" });
  return field(t("login.name"), control, { pointer: "/username" });
}

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

/**
 * What one can do with one's own.
 * @param {{names?: string[], hasPasskey?: boolean, hasCodes?: boolean, confirmed?: (text: string) => Promise<void>}} [known] of whoever is here: who that is, and whether one of them has a
 *   confirmed passkey, or codes; `confirmed`: says that codes were confirmed, where the page tells of them
 */
export function secondFactors({ names = [], hasPasskey = false, hasCodes = true, confirmed } = {}) {
  const place = h("div", { class: "second-factor" });
  const part = (/** @type {string} */ title, /** @type {HTMLElement} */ inside) => h("fieldset", {}, h("legend", {}, title), inside);
  const begin = () => fill(place, h("p", {}, t("totp.what")),
    part(t("totp.enrol"), proving(t("totp.present"), t("totp.enrol"), enrol, { names, hasPasskey })),
    hasCodes && part(t("totp.remove"), proving(t("totp.code"), t("totp.remove"), remove, { names, hasPasskey, danger: true })));
  const say = (/** @type {string} */ text) => {
    begin();
    place.prepend(h("p", { role: "status" }, text));
  };
  /** @type {Act} */
  const enrol = async (proof, passkey) => fill(place, confirmation(proof, await secondFactor("", proof, passkey), () => {
    hasCodes = true;
    return confirmed ? confirmed(t("totp.confirmed")) : say(t("totp.confirmed"));
  }));
  /** @type {Act} */
  const remove = async (proof, passkey) => {
    await secondFactor("/remove", proof, passkey);
    say(t("totp.removed"));
  };
  begin();
  return place;
}

/** Says that the proof was refused: whoever gives one beside a login may be logged in all the while. @param {unknown} error @returns {never} */
export function notProven(error) {
  if (!(error instanceof Refusal) || error.status !== 401) throw error;
  throw new Refusal(400, "Refused", t("totp.refused"), { requestId: error.requestId, retryAfter: error.retryAfter });
}

/**
 * Name, password, a code or a passkey, and what is done with them.
 * @param {string} label @param {string} submit @param {Act} act @param {{names: string[], hasPasskey: boolean, danger?: boolean}} about
 */
function proving(label, submit, act, { names, hasPasskey, danger = false }) {
  const name = nameField(names);
  const password = field(t("login.password"), input({ type: "password", name: "password", autocomplete: "current-password" }), { pointer: "/password" });
  const code = codeField(label);
  const box = passkeyBox(ways(), t("totp.passkeyHelp"), hasPasskey);
  const prove = async () => {
    const proof = { name: name.control.value, password: password.control.value, code: code.control.value };
    const passkey = await shownPasskey(box);
    await act(proof, passkey).catch(notProven).finally(() => (password.control.value = code.control.value = ""));
  };
  return form({ fields: [name, password, code, box], submit, danger, passing: true, act: prove });
}

/** How light it is around a QR code, in modules (ISO/IEC 18004). */
const MARGIN = 4;

/** What an authenticator scans. @param {string[]} rows `1` where one is dark */
function qrCode(rows) {
  if (rows.length === 0) return undefined;
  const size = rows.length + 2 * MARGIN;
  const dark = rows.flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x + MARGIN} ${y + MARGIN}h1v1h-1z` : ""))).join("");
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": t("totp.scan"), "shape-rendering": "crispEdges" }, svg("path", { d: dark }));
}

/** The new secret, shown this once, and the field for the code of it. @param {Proof} proof @param {import("../api.js").Json} made @param {() => unknown} done */
function confirmation(proof, made, done) {
  const code = codeField(t("totp.newCode"));
  const act = async () => {
    await secondFactor("/confirm", { ...proof, code: code.control.value }).catch((error) => {
      // The rest of the proof was good a moment ago: that is how the secret came.
      if (error instanceof Refusal && error.status === 401) throw new Refusal(400, "InvalidValue", t("totp.wrong"), { field: "/totp", requestId: error.requestId });
      throw error;
    });
    await done();
  };
  return [
    h("p", {}, t("totp.secret")), qrCode(made["qrCode"] ?? []), h("p", {}, secret(made["secret"])), h("p", {}, h("a", { href: made["uri"] }, t("totp.open"))),
    h("p", { class: "quiet" }, tn("totp.until", { time: moment(made["expiresAt"]) })),
    form({ fields: [code], submit: t("totp.confirm"), passing: true, act }),
  ];
}
