// Begins: the language, who is logged in, and then the page that the address names.

import { sessionEnded } from "./api.js";
import * as live from "./live.js";
import { load, refusedByProvider, session } from "./session.js";
import { frame } from "./shell.js";
import { show } from "./show.js";
import { askToLogInAgain, loginPage } from "./pages/login.js";
import * as words from "./words.js";

/** Shows what is to be seen now: the login, or the frame with a page in it. */
async function begin() {
  await load();
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

await words.begin();
sessionEnded.addEventListener("ended", () => askToLogInAgain(begin));
window.addEventListener("hashchange", () => void (session.fullyLoggedIn && show()));
await begin();
