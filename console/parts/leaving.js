// Leaving a page on which something was entered: it is asked first.

import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { cancel, form, isEntered, openDialog } from "./form.js";

/** Does what takes the page away, at once where nothing is lost by it. @param {() => unknown} go */
export function leaving(go) {
  if (!isEntered()) return void go();
  const dialog = h("dialog", { "aria-labelledby": "leaving-title" });
  const act = async () => {
    dialog.close();
    await go();
  };
  fill(dialog, h("h2", { id: "leaving-title" }, t("leaving.title")), h("p", {}, t("leaving.what")),
    form({ fields: [], submit: t("leaving.now"), danger: true, act, beside: cancel(dialog) }));
  openDialog(dialog);
}
