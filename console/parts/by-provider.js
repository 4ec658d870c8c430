// Logins by identity providers, a button for each, and by a client certificate, beside the form for passwords; and whose passwords
// that form takes.

import { fill, h } from "../dom.js";
import { goToProvider, logInByCertificate } from "../session.js";
import { t } from "../words.js";
import { field, select, whileBusy } from "./form.js";
import { problem } from "./problem.js";

/**
 * Fills itself once it is known whether there are any; where that cannot be asked, passwords are enough.
 * @param {Promise<import("../session.js").Ways>} known
 * @param {(state: import("../session.js").Session) => unknown} entered what follows a login that does not leave the page
 * @param {string} [note] what is to be known before one leaves for a provider
 */
export function byProvider(known, entered, note) {
  const place = h("div", { class: "by-provider" });
  const trouble = h("div", {});
  const draw = (/** @type {import("../session.js").Ways} */ { providers, certificates }) => {
    const leaving = providers.map((one) => choice(t("login.provider", { name: one.name }), () => goToProvider(one.uuid), trouble));
    const staying = certificates && choice(t("login.certificate"), async () => entered(await logInByCertificate()), trouble);
    if (leaving.length > 0 || staying) fill(place, staying, leaving, leaving.length > 0 && note && h("p", { class: "quiet" }, note), trouble);
  };
  known.then(draw, () => undefined);
  return place;
}

/** Whose password is typed: this installation's, or that of a directory; not to be seen where there is none. @param {Promise<import("../session.js").Ways>} known */
export function accountField(known) {
  const account = field(t("login.account"), select([["", t("login.accountHere")]]), { help: t("login.accountHelp") });
  account.element.hidden = true;
  known.then(({ directories }) => {
    account.control.append(...directories.map((one) => h("option", { value: one.uuid }, one.name)));
    account.element.hidden = directories.length === 0;
  }, () => undefined);
  return account;
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
