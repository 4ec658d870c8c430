// What surrounds every page: the navigation, who is logged in, the language, the keys, and what kind of installation this is.

import { Refusal, access, get, plain } from "./api.js";
import { fill, h } from "./dom.js";
import { cancel, form, isEntered, openDialog, whileBusy } from "./parts/form.js";
import { leaving } from "./parts/leaving.js";
import { problem } from "./parts/problem.js";
import { go } from "./router.js";
import { logOut, may, session } from "./session.js";
import { people as named } from "./parts/people.js";
import { LANGUAGES, choose, language, t, tn } from "./words.js";

/** @typedef {import("./words.js").Key} Key */

/** The sections: address, text, key after `g`, and who sees them. @type {[string, Key, string, () => boolean][]} */
const SECTIONS = [
  ["#/", "nav.home", "h", () => true],
  ["#/approvals", "nav.approvals", "a", () => may("Signing:Approve", "Services:Deploy", "Signing:Submit", "CertManage:Generate", "CertManage:Manage")],
  ["#/signing", "nav.signing", "s", () => true],
  ["#/tokenization", "nav.tokenization", "t", () => true],
  ["#/certificates", "nav.certificates", "c", () => true],
  ["#/keys", "nav.keys", "k", () => may("Keys:Add")],
  ["#/identities", "nav.identities", "i", () => may("Identity:Manage")],
  ["#/notices", "nav.notices", "n", () => true],
  ["#/audit", "nav.audit", "l", () => may("Audit:Read")],
  ["#/system", "nav.system", "y", () => true],
];

const visible = () => SECTIONS.filter(([, , , isSeen]) => isSeen());

/** @param {() => Promise<void>} begin begins anew: after a logout, in another language */
export async function frame(begin) {
  const demo = h("p", { class: "demo", hidden: true }, h("strong", {}, t("demo.word")), " ", t("demo.what"));
  // The settings say whether API access is off, too, of which whoever may switch it on hears everywhere.
  const settings = may("System:Manage") ? get("/api/v2/system/settings", undefined, AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined) : undefined;
  await sayDemo(demo);
  if ((await settings)?.["demo"]) demo.hidden = false;
  const links = visible().map(([href, key, letter]) =>
    h("li", {}, h("a", { href, title: t("keys.go", { letter }) }, t(key))));
  document.onkeydown = keys;
  return h("div", { class: "frame" },
    h("a", { class: "skip", href: "#main", onclick: skip }, t("nav.skip")),
    h("header", { class: "top" },
      h("a", { class: "brand", href: "#/" }, h("img", { src: "/console/icon.svg", alt: "", width: 22, height: 22 }), "Chancery"),
      demo,
      h("div", { class: "who" }, who(), languages(begin), logOutButton(t("nav.logOut"), begin)),
      accessOff()),
    h("nav", { "aria-label": t("nav.label"), onclick: leave }, h("ul", {}, links)),
    h("main", { id: "main" }),
    helpDialog());
}

const ASK_AGAIN_MS = 5_000;
/** What says nothing for so long is not waited for. */
const PATIENCE_MS = 5_000;

/** Says what kind of installation this is as soon as the server does: while it is not ready, it does not. @param {HTMLElement} place */
async function sayDemo(place) {
  try {
    place.hidden = !(await plain("GET", "/readyz", undefined, AbortSignal.timeout(PATIENCE_MS)))["demo"];
  } catch {
    setTimeout(() => place.isConnected && void sayDemo(place), ASK_AGAIN_MS);
  }
}

/** What everybody has to know while nothing works. */
function accessOff() {
  const mine = may("System:Manage");
  return h("p", { class: "off", role: "status" }, access.isOff && [h("strong", {}, t("apiAccess.off")), " ",
    mine ? tn("apiAccess.offHere", { system: h("a", { href: "#/system" }, t("nav.system")) }) : t("apiAccess.offOthers")]);
}

access.addEventListener("change", () => document.querySelector(".off")?.replaceWith(accessOff()));

/** A section is gone to when what was entered may be lost. @param {MouseEvent} event */
function leave(event) {
  const href = /** @type {Element} */ (event.target).closest("a")?.getAttribute("href");
  if (!href || event.ctrlKey || event.metaKey || event.shiftKey || !isEntered()) return;
  event.preventDefault();
  leaving(() => go(href));
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.querySelector("h1")?.focus();
}

/** Those who are logged in here. */
export const people = () => named(session.identities);

const who = () => h("a", { class: "names", href: "#/me", title: t("me.title") }, h("span", { class: "sr" }, t("nav.loggedIn")), people());

/** @param {() => Promise<void>} begin */
export function languages(begin) {
  const options = Object.entries(LANGUAGES).map(([name, title]) =>
    h("option", { value: name, selected: name === language, lang: name }, title));
  const onchange = (/** @type {Event} */ event) => {
    const list = /** @type {HTMLSelectElement} */ (event.target);
    const chosen = list.value;
    // Until it is sure that nothing is kept of this page.
    list.value = language;
    leaving(async () => {
      list.value = chosen;
      await choose(chosen);
      await begin();
    });
  };
  return h("select", { "aria-label": t("nav.language"), onchange }, options);
}

/** Logs out, or says that it did not. @param {string} text @param {() => unknown} left what follows */
export function logOutButton(text, left) {
  const button = h("button", { type: "button", class: "plain" }, text);
  button.addEventListener("click", async () => {
    try {
      await whileBusy(button, logOut);
    } catch (error) {
      // Where somebody else has logged in, this page is gone.
      return button.isConnected && !isOther(error) && askToLogOutAgain(error, left);
    }
    await left();
  });
  return button;
}

/** @param {unknown} error */
const isOther = (error) => error instanceof Refusal && error.code === "OtherSession";

/** Whoever leaves the screen has to know that the next person there would be them. @param {unknown} error @param {() => unknown} left */
function askToLogOutAgain(error, left) {
  const dialog = h("dialog", { class: "danger", "aria-labelledby": "still-title" });
  const first = h("div", {}, problem(error));
  const act = async () => {
    first.remove();
    await logOut();
    dialog.close();
    await left();
  };
  fill(dialog,
    h("h2", { id: "still-title" }, t("logOut.failed")), h("p", {}, t("logOut.still")), first,
    form({ fields: [], submit: t("logOut.again"), danger: true, act, beside: cancel(dialog) }));
  openDialog(dialog);
}

let isGoing = false;

/** `g` and a letter go to a section, `/` searches, `?` shows the list. @param {KeyboardEvent} event */
function keys(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyping = target.matches("input, textarea, select, [contenteditable]") || document.querySelector("dialog[open]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const section = isGoing && visible().find(([, , letter]) => letter === event.key);
  isGoing = event.key === "g";
  if (section) {
    leaving(() => go(section[0]));
  } else if (event.key === "/") {
    const search = document.querySelector("main input[type=search]");
    if (search instanceof HTMLElement) search.focus();
    else return;
  } else if (event.key === "?") {
    const dialog = document.querySelector("#keys");
    if (dialog instanceof HTMLDialogElement) dialog.showModal();
  } else {
    return;
  }
  event.preventDefault();
}

function helpDialog() {
  const row = (/** @type {string} */ key, /** @type {string} */ what) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what));
  const dialog = h("dialog", { id: "keys", "aria-labelledby": "keys-title" });
  fill(dialog,
    h("h2", { id: "keys-title" }, t("keys.title")),
    h("dl", { class: "keys" },
      visible().map(([, key, letter]) => row(`g ${letter}`, t(key))),
      row("/", t("keys.search")), row("?", t("keys.list"))),
    h("button", { type: "button", onclick: () => dialog.close() }, t("dialog.close")));
  return dialog;
}

