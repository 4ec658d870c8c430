// The page at /docs: the OpenAPI document operation by operation, with calls to try, and INTERFACE.md beside it.

import { plain, sessionEnded } from "../api.js";
import { fill, h } from "../dom.js";
import { load, session, sessionChanged } from "../session.js";
import { OpenApi } from "./openapi.js";
import { prose } from "./prose.js";
import { tryIt } from "./try.js";
import { shown } from "../visible.js";

/** @typedef {import("./openapi.js").Json} Json */
/** @typedef {import("./openapi.js").Operation} Operation */

/** Where the address names a chapter of INTERFACE.md: `#prose/2-login`. */
const PROSE = "#prose";

const openapi = new OpenApi(await plain("GET", "/openapi.json"));
const who = h("p", {});
const main = h("main", { id: "content", tabindex: "-1" });
document.body.replaceChildren(h("a", { class: "skip", href: "#content" }, "Skip to the content"), header(), main);
window.addEventListener("hashchange", () => void show());
sessionChanged.addEventListener("changed", anew);
sessionEnded.addEventListener("ended", anew);
await show();

function header() {
  const links = [["#", "Operations"], [PROSE, "In prose"], ["/openapi.json", "OpenAPI 3.1"], ["/", "Console"]];
  return h("header", {},
    h("p", { class: "brand" }, `${openapi.title}: the interface`),
    h("nav", { "aria-label": "This page" }, h("ul", {}, links.map(([to, text]) => h("li", {}, h("a", { href: to }, text))))));
}

/** Who is logged in has changed: answers that came before are not theirs. */
async function anew() {
  if (main.querySelector(".prose")) return;
  main.replaceChildren();
  await show();
  main.prepend(h("p", { role: "alert" }, "Somebody has logged in or out. The answers that were here are gone, and what was not sent yet was not sent."));
}

async function show() {
  const [page, chapter] = location.hash.split("/", 2);
  if (page === PROSE) {
    document.title = "Chancery: the interface in prose";
    if (!main.querySelector(".prose")) fill(main, await prose(`${PROSE}/`));
    if (chapter) document.getElementById(decodeURIComponent(chapter))?.scrollIntoView();
  } else if (page !== "#content" || !main.hasChildNodes()) {
    document.title = "Chancery: the interface";
    fill(main, await operations());
  }
}

/** All operations by group, and what narrows them down. */
async function operations() {
  await tellWho();
  const list = h("div", {});
  const search = h("input", { id: "find", type: "search", placeholder: "path, word or group", oninput: show });
  const found = h("p", { role: "status", class: "quiet" });
  show();
  return [
    h("h1", {}, "Operations"), h("p", {}, openapi.about), who,
    h("p", {}, h("label", { for: "find" }, "Find "), search), found, list,
  ];

  function show() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = openapi.groups((operation) => words.every((word) => operation.text.includes(word)));
    const count = groups.reduce((sum, group) => sum + group.operations.length, 0);
    found.textContent = `${count} ${count === 1 ? "operation" : "operations"}`;
    fill(list, groups.map((group) => h("section", {},
      h("h2", {}, group.name), h("p", { class: "quiet" }, group.about), group.operations.map(details))));
  }
}

/** Calls are tried with this browser's session: says whose that is. */
async function tellWho() {
  await load().catch(() => undefined);
  const names = session.identities.flatMap((one, index) => [index > 0 && " and ", h("strong", {}, shown(one.name))]);
  if (session.fullyLoggedIn) fill(who, "Calls that are tried here are made as ", names, ".");
  else fill(who, "To try calls that need a login, ", h("a", { href: "/" }, "log in at the console"), " first.");
}

/** One operation; what is in it is made when it is first opened. @param {Operation} operation */
function details(operation) {
  const content = h("div", {});
  const opened = () => content.firstChild ?? fill(content, inside(operation));
  return h("details", { ontoggle: opened },
    h("summary", {}, h("strong", { class: "method" }, operation.method), " ", h("code", {}, operation.path), " ", operation.summary),
    content);
}

/** @param {Operation} operation */
function inside(operation) {
  const body = operation.body;
  return [
    operation.description && h("p", {}, operation.description),
    h("p", { class: "quiet" }, operation.needsLogin ? "Needs a bearer token or a session." : "Needs no login."),
    operation.parameters.length > 0 && [h("h3", {}, "Parameters"), parameters(operation.parameters)],
    body && [h("h3", {}, `Body, ${body.type}`), pre(openapi.exampleOf(body))],
    h("h3", {}, "Answers"),
    operation.answers.map((answer) => [
      h("p", {}, h("strong", {}, answer.status), ` ${answer.about}`),
      answer.content && answer.status.startsWith("2") && pre(openapi.exampleOf(answer.content)),
    ]),
    h("h3", {}, "Try it"),
    tryIt(openapi, operation, tellWho),
  ];
}

/** @param {import("./openapi.js").Parameter[]} list */
function parameters(list) {
  const head = ["Name", "In", "Meaning"].map((text) => h("th", { scope: "col" }, text));
  const rows = list.map((one) => h("tr", {},
    h("td", {}, h("code", {}, one.name)), h("td", {}, one.place), h("td", {}, one.about, one.required ? " (required)" : "")));
  return h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
}

/** @param {unknown} value */
function pre(value) {
  return h("pre", { tabindex: 0 }, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
