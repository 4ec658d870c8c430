// Shows the page of the address, and says so to screen readers: the heading gets the focus.

import { Refusal, plain } from "./api.js";
import { fill, h } from "./dom.js";
import { problem } from "./parts/problem.js";
import { find, parse } from "./router.js";
import { t } from "./words.js";

/** Longer than this, and a page says that it is being read. */
const PATIENCE_MS = 300;
/** After this long it is asked whether to go on waiting. */
const LONG_MS = 10_000;

let leaving = new AbortController();
let isFirst = true;
let shownHash = "";

// Where a page was left stands in the browser's history, beside its address: going back leads to the same place.
const NOTED_AFTER_MS = 100;
let noting = 0;
const note = () => history.replaceState({ top: scrollY }, "");
history.scrollRestoration = "manual";
addEventListener("scroll", () => (clearTimeout(noting), (noting = setTimeout(note, NOTED_AFTER_MS))), { passive: true });
addEventListener("click", note, { capture: true });

/** Shows the page that the address names, and leaves the one that was there. @param {boolean} [byItself] nobody has asked for it just now */
export async function show(byItself = false) {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const main = document.querySelector("main");
  if (!main) return;
  signal.addEventListener("abort", () => (clearTimeout(waiting), clearTimeout(waitingLong)));
  const { path, query } = parse(location.hash);
  mark(path);
  clearTimeout(noting);
  // What is shown anew, after something was done, begins at its top.
  const top = location.hash === shownHash ? 0 : Number(history.state?.top ?? 0);
  shownHash = location.hash;
  // At the very first, the reader begins at the top of the document as everywhere.
  const takesFocus = !isFirst && (!byItself || main.contains(document.activeElement));
  isFirst = false;
  const waiting = setTimeout(() => fill(main, h("p", { class: "quiet", role: "status" }, t("page.reading"))), PATIENCE_MS);
  const waitingLong = setTimeout(() => fill(main, h("p", { role: "status" }, t("page.long")), h("button", { type: "button", onclick: () => void show() }, t("problem.again"))), LONG_MS);
  try {
    const found = find(path);
    const shown = found ? await (await code(found.load)).page({ params: found.params, query, signal }) : notFound();
    if (signal.aborted) return;
    document.title = `${shown.title} · Chancery`;
    fill(main, shown.content);
  } catch (error) {
    if (signal.aborted) return;
    document.title = `${t("page.problem")} · Chancery`;
    // What the browser could not take as a page's code it may not ask for again.
    const again = (/** @type {boolean | undefined} */ isByItself) => (error instanceof Refusal ? void show(isByItself) : location.reload());
    fill(main, h("h1", {}, t("page.problem")), problem(error, again));
  } finally {
    clearTimeout(waiting);
    clearTimeout(waitingLong);
  }
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  if (takesFocus) heading?.focus({ preventScroll: true });
  scrollTo(0, top);
}

/**
 * The code of a page. Where it does not come the browser does not say why, so whether the server answers at all is asked.
 * @template T @param {() => Promise<T>} load @returns {Promise<T>}
 */
async function code(load) {
  try {
    return await load();
  } catch (error) {
    await plain("GET", "/healthz");
    throw error;
  }
}

/** Marks where in the navigation this is. @param {string} path */
function mark(path) {
  const section = `#/${path.split("/")[1] ?? ""}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") !== section) {
      link.removeAttribute("aria-current");
    } else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "page");
      // On a telephone the sections are a strip that is wider than the screen.
      link.scrollIntoView({ block: "nearest", inline: "center" });
    }
  }
}

function notFound() {
  const content = [h("h1", {}, t("page.notFound")), h("p", {}, h("a", { href: "#/" }, t("page.toHome")))];
  return { title: t("page.notFound"), content };
}
