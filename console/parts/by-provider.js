// Logins by identity providers, a button for each, and by a client certificate, beside the form for passwords.

import { fill, h } from "../dom.js";
import { goToProvider, logInByCertificate } from "../session.js";
import { t } from "../words.js";
import { whileBusy } from "./form.js";
import { problem } from "./problem.js";

/**
 * Fills itself once it is known whether there are any; where that cannot be asked, passwords are enough.
 * @param {Promise<import("../session.js").Ways>} ways
 * @param {(state: import("../session.js").Session) => unknown} entered what follows a login that does not leave the page
 * @param {string} [note] what is to be known before one leaves for a provider
 */
export function byProvider(ways, entered, note) {
  const place = h("div", { class: "by-provider" });
  const trouble = h("div", {});
  const draw = (/** @type {import("../session.js").Ways} */ { providers, certificates }) => {
    const leaving = providers.map((one) => choice(t("login.provider", { name: one.name }), () => goToProvider(one.uuid), trouble));
    const staying = certificates && choice(t("login.certificate"), async () => entered(await logInByCertificate()), trouble);
    if (leaving.length > 0 || staying) fill(place, staying, leaving, leaving.length > 0 && note && h("p", { class: "quiet" }, note), trouble);
  };
  ways.then(draw, () => undefined);
  return place;
}

/** @param {string} label @param {() => Promise<unknown>} act @param {HTMLElement} trouble */
function choice(label, act, trouble) {
  const button = h("button", { type: "button" }, label);
  const chosen = async () => {
    fill(trouble);
    await whileBusy(button, act).catch((error) => fill(trouble, problem(error)));
  };
  button.addEventListener("click", chosen);
  return button;
}
