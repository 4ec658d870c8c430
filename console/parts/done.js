// Says that something was done, on the page that shows what came of it: below the heading, where the reader is taken.

import { fill, h } from "../dom.js";
import { show } from "../show.js";
import { shown } from "../visible.js";
import { serversLanguage, t } from "../words.js";
import { hasLeft, now } from "./form.js";

/**
 * Shows the page anew, or another one, and says on it what was done. Whoever went elsewhere meanwhile is left alone there.
 * @param {string} what as the button has it
 * @param {{to?: string, warnings?: string[] | null, more?: import("../dom.js").Child, open?: string}} [about] `to`: an address with its `#`;
 *   `warnings`: of the server; `open`: what has to follow, or it is of no use
 */
export async function done(what, { to, warnings, more, open } = {}) {
  if (hasLeft()) return;
  // Not by the address: whoever waits for this wants the page to be there.
  if (to !== undefined && to !== location.hash) history.pushState(null, "", to);
  await show();
  const place = h("div", { class: "done", role: "status" });
  const heading = document.querySelector("main h1");
  (heading?.closest(".head") ?? heading)?.after(place);
  const notes = warnings && warnings.length > 0 && [h("p", {}, h("strong", {}, t("done.warnings"))), h("ul", { class: "notes", lang: serversLanguage() }, warnings.map((one) => h("li", {}, shown(one))))];
  // Screen readers tell what comes into a place that is there already.
  requestAnimationFrame(() => fill(place, h("p", {}, h("span", { class: `state ${open ? "wait" : "good"} long` }, open ?? t("done.what", { what: now(what) })), more && [" ", more]), notes));
}
