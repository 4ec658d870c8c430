// Begins: the language, who is logged in, and then the page that the address names.

import { sessionEnded } from "./api.js";
import * as live from "./live.js";
import { fill, h } from "./dom.js";
import { openDialog } from "./parts/form.js";
import { message, problem } from "./parts/problem.js";
import { go } from "./router.js";
import { load, refusedByProvider, session, sessionChanged } from "./session.js";
import { frame, people } from "./shell.js";
import { show } from "./show.js";
import { askToLogInAgain, isAskedAgain, loginPage } from "./pages/login.js";
import * as words from "./words.js";
import { t, tn } from "./words.js";

/** How often it has begun: whoever began later knows better. */
let turn = 0;

/** Shows what is to be seen now: the login, or the frame with a page in it. @param {import("./api.js").Refusal} [told] what has to be said first */
async function begin(told) {
  const mine = (turn += 1);
  try {
    await load();
  } catch (error) {
    if (mine !== turn) return;
    live.end();
    document.body.replaceChildren(h("main", { class: "login" }, h("h1", {}, t("page.problem")), problem(error, () => void begin(told))));
    return;
  }
  if (mine !== turn) return;
  const refused = refusedByProvider() ?? told;
  if (!session.fullyLoggedIn) {
    live.end();
    document.body.replaceChildren(loginPage(() => begin(), refused));
    return;
  }
  live.begin();
  const made = await frame(() => begin());
  if (mine !== turn) return;
  document.body.replaceChildren(made);
  await show();
  if (told && mine === turn) sayOther(told);
}

/** Says whose page this is now, which was somebody else's. @param {import("./api.js").Refusal} told */
function sayOther(told) {
  const dialog = h("dialog", { "aria-labelledby": "other-title" });
  fill(dialog, h("h2", { id: "other-title" }, tn("other.title", { names: h("span", {}, people()) })), h("p", {}, message(told)),
    h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, t("dialog.close")));
  openDialog(dialog);
}

/** A link to where one is shows the page anew, of which the browser by itself makes nothing. @param {MouseEvent} event */
function anew(event) {
  const link = /** @type {Element} */ (event.target).closest('a[href^="#/"]');
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute("href") !== (location.hash || "#/")) return;
  event.preventDefault();
  go(location.hash);
}

await words.begin();
sessionEnded.addEventListener("ended", () => askToLogInAgain(() => begin()));
sessionChanged.addEventListener("changed", (event) => isAskedAgain() || void begin(/** @type {CustomEvent} */ (event).detail ?? undefined));
document.addEventListener("click", anew);
window.addEventListener("hashchange", () => void (session.fullyLoggedIn && show()));
await begin();
