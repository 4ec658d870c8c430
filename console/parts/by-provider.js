// Logins by identity providers: a button for each, beside the form for passwords.

import { fill, h } from "../dom.js";
import { goToProvider, providers } from "../session.js";
import { t } from "../words.js";
import { whileBusy } from "./form.js";
import { problem } from "./problem.js";

/** Fills itself once it is known whether there are any; where that cannot be asked, passwords are enough. @param {string} [note] */
export function byProvider(note) {
  const place = h("div", { class: "by-provider" });
  const trouble = h("div", {});
  const draw = (/** @type {import("../session.js").ObjInfo[]} */ known) => {
    if (known.length > 0) fill(place, known.map((one) => choice(one, trouble)), note && h("p", { class: "quiet" }, note), trouble);
  };
  providers().then(draw, () => undefined);
  return place;
}

/** @param {import("../session.js").ObjInfo} provider @param {HTMLElement} trouble */
function choice(provider, trouble) {
  const button = h("button", { type: "button" }, t("login.provider", { name: provider.name }));
  const leave = async () => {
    fill(trouble);
    await whileBusy(button, () => goToProvider(provider.uuid)).catch((error) => fill(trouble, problem(error)));
  };
  button.addEventListener("click", leave);
  return button;
}
