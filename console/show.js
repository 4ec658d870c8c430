// Shows the page of the address, and says so to screen readers: the heading gets the focus.

import { fill, h } from "./dom.js";
import { problem } from "./parts/problem.js";
import { find, parse } from "./router.js";
import { t } from "./words.js";

/** Longer than this, and a page says that it is being read. */
const PATIENCE_MS = 300;

let leaving = new AbortController();
let isFirst = true;

/** Shows the page that the address names, and leaves the one that was there. */
export async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const main = document.querySelector("main");
  if (!main) return;
  const { path, query } = parse(location.hash);
  mark(path);
  // At the very first, the reader begins at the top of the document as everywhere.
  const takesFocus = !isFirst;
  isFirst = false;
  const waiting = setTimeout(() => fill(main, h("p", { class: "quiet", role: "status" }, t("page.reading"))), PATIENCE_MS);
  try {
    const found = find(path);
    const shown = found ? await (await found.load()).page({ params: found.params, query, signal }) : notFound();
    if (signal.aborted) return;
    document.title = `${shown.title} · Chancery`;
    fill(main, shown.content);
  } catch (error) {
    if (signal.aborted) return;
    document.title = `${t("page.problem")} · Chancery`;
    fill(main, h("h1", {}, t("page.problem")), problem(error, () => void show()));
  } finally {
    clearTimeout(waiting);
  }
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  if (takesFocus) {
    heading?.focus({ preventScroll: true });
    scrollTo(0, 0);
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
