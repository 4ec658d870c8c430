// One's own password, by the present one. It proves everything by itself, so that it can be done also by those who are not logged
// in: whoever has one for one use, and whose roles take two logins.

import { fill, h } from "../dom.js";
import { changePassword, ways } from "../session.js";
import { t } from "../words.js";
import { complainAt, field, form, input } from "./form.js";
import { codeField, nameField, notProven, passkeyBox, shownPasskey } from "./second-factor.js";

/** The form for it. @param {string[]} [names] of those who are logged in here @param {() => void} [changed] told when the password is another one */
export function ownPassword(names = [], changed = () => {}) {
  const said = h("div", { role: "status" });
  const secret = (/** @type {string} */ autocomplete) => input({ type: "password", autocomplete });
  const name = nameField(names);
  const present = field(t("own.present"), secret("current-password"), { pointer: "/password" });
  const code = codeField(t("totp.code"), t("totp.codeHelp"));
  const box = passkeyBox(ways(), t("totp.passkeyHelp"));
  const next = field(t("own.new"), secret("new-password"), { pointer: "/newPassword" });
  const again = field(t("own.again"), secret("new-password"));
  const act = async () => {
    fill(said);
    const missing = [name, present, next].find((one) => one.control.value === "");
    if (missing) return complainAt(missing, t("own.nothing"));
    if (next.control.value !== again.control.value) {
      again.complain(t("own.differ"));
      again.control.focus();
      return;
    }
    const proof = { name: name.control.value, password: present.control.value, code: code.control.value };
    const passkey = await shownPasskey(box);
    await changePassword(proof, next.control.value, passkey).catch(notProven).finally(() => (code.control.value = ""));
    for (const one of [present, next, again]) one.control.value = "";
    fill(said, h("p", {}, t("own.done")));
    changed();
  };
  return h("div", {}, said, h("p", {}, t("own.what")), form({ fields: [name, present, code, box, next, again], submit: t("own.set"), act, className: "form own-password", passing: true }));
}
