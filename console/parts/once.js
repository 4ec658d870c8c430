// A secret that is shown once: it stays until whoever reads it says that it is kept.

import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { copyable } from "./values.js";

/** @param {string} title @param {string} what where it belongs @param {string} secret @returns {Promise<void>} */
export function showOnce(title, what, secret) {
  const from = location.hash;
  const dialog = h("dialog", { "aria-label": title });
  const close = h("button", { type: "button", class: "primary" }, t("apiKey.kept"));
  fill(dialog, h("h2", {}, title), h("p", {}, what), h("p", {}, copyable(secret)), h("div", { class: "actions" }, close));
  // Nobody leaves it by a key that was pressed too soon; browsers let that be prevented once, and then close it.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.addEventListener("close", () => dialog.isConnected && dialog.showModal());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => close.addEventListener("click", () => {
    dialog.remove();
    // Going back does not take it away, so what comes next is said where it belongs.
    if (location.hash !== from) history.pushState(null, "", from || "#/");
    resolve();
  }));
}
