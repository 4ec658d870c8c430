// A secret that is shown once: it stays until whoever reads it says that it is kept.

import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { openDialog } from "./form.js";
import { copyable } from "./values.js";

/** @param {string} title @param {string} what where it belongs @param {string} secret @returns {Promise<void>} */
export function showOnce(title, what, secret) {
  const dialog = h("dialog", { "aria-label": title });
  const close = h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, t("apiKey.kept"));
  fill(dialog, h("h2", {}, title), h("p", {}, what), h("p", {}, copyable(secret)), h("div", { class: "actions" }, close));
  // Nobody leaves it by a key that was pressed too soon.
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  openDialog(dialog);
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve()));
}
