// Begins: the language, who is logged in, and then the page that the address names.

import { sessionEnded } from "./api.js";
import * as live from "./live.js";
import { h } from "./dom.js";
import { problem } from "./parts/problem.js";
import { go } from "./router.js";
import { load, onLogOutElsewhere, refusedByProvider, session } from "./session.js";
import { frame } from "./shell.js";
import { show } from "./show.js";
import { askToLogInAgain, loginPage } from "./pages/login.js";
import * as words from "./words.js";
import { t } from "./words.js";

/** Shows what is to be seen now: the login, or the frame with a page in it. */
async function begin() {
  try {
    await load();
  } catch (error) {
    live.end();
    document.body.replaceChildren(h("main", { class: "login" }, h("h1", {}, t("page.problem")), problem(error, () => void begin())));
    return;
  }
  const refused = refusedByProvider();
  if (!session.fullyLoggedIn) {
    live.end();
    document.body.replaceChildren(loginPage(begin, refused));
    return;
  }
  live.begin();
  document.body.replaceChildren(await frame(begin));
  await show();
}

/** A link to where one is shows the page anew, of which the browser by itself makes nothing. @param {MouseEvent} event */
function anew(event) {
  const link = /** @type {Element} */ (event.target).closest('a[href^="#/"]');
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute("href") !== (location.hash || "#/")) return;
  event.preventDefault();
  go(location.hash);
}

await words.begin();
sessionEnded.addEventListener("ended", () => askToLogInAgain(begin));
onLogOutElsewhere(begin);
document.addEventListener("click", anew);
window.addEventListener("hashchange", () => void (session.fullyLoggedIn && show()));
await begin();
