// Login on one page: the first person, then, where their role takes two, the second.

import { Refusal } from "../api.js";
import { fill, h } from "../dom.js";
import * as live from "../live.js";
import { accountField, byProvider } from "../parts/by-provider.js";
import { field, form, input, openDialog } from "../parts/form.js";
import { problem } from "../parts/problem.js";
import { codeField, passkeyBox, secondFactors, shownPasskey } from "../parts/second-factor.js";
import { forget, load, logIn, session, sessionChanged, ways, whose } from "../session.js";
import { languages, logOutButton } from "../shell.js";
import { show } from "../show.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";

/** @param {() => Promise<void>} begin @param {import("../api.js").Refusal} [refused] what a provider's answer came to */
export function loginPage(begin, refused) {
  document.title = `${t("login.title")} · Chancery`;
  const own = ownPassword();
  return h("main", { class: "login" },
    h("p", { class: "brand" }, h("img", { src: "/console/icon.svg", alt: "", width: 28, height: 28 }), "Chancery"),
    h("h1", {}, t("login.title")),
    refused && problem(refused),
    loginForm(begin, begin, { forOneUse: own.show }),
    ownCodes(), own.element,
    h("footer", {}, languages(begin), h("a", { href: "/docs" }, t("login.docs"))));
}

/** One-time codes are set up here too: a role may demand them of whoever logs in. */
function ownCodes() {
  const place = h("div", {});
  const ontoggle = (/** @type {Event} */ event) => fill(place, /** @type {HTMLDetailsElement} */ (event.target).open && secondFactors());
  return h("details", { ontoggle }, h("summary", {}, t("totp.title")), place);
}

/** What was refused of a login with a password for one use is settled once there is another password. */
const forgetRefusal = () => document.querySelector(".login-form .trouble")?.replaceChildren();

/** One's own password is set here too: some are for nothing else. It is fetched for those who open it: the first page is small. */
function ownPassword() {
  const place = h("div", {});
  const element = h("details", {}, h("summary", {}, t("own.title")), place);
  let name = "";
  const draw = async () => {
    fill(place, element.open && (await import("../parts/own-password.js")).ownPassword(name ? [name] : [], forgetRefusal));
    if (name) /** @type {HTMLElement | null} */ (place.querySelector("input[type=password]"))?.focus();
  };
  element.addEventListener("toggle", draw);
  /** For whoever has just typed a password that is for nothing else. @param {string} who */
  const show = (who) => {
    name = who;
    if (element.open) void draw();
    else element.open = true;
  };
  return { element, show };
}

/**
 * The form, which stays where it is until everybody whom it takes has logged in.
 * @param {() => unknown} done what follows a complete login @param {() => unknown} left what follows a half-open one that was given up
 * @param {{note?: string, forOneUse?: (name: string) => void}} [about] `note`: what is to be known before one leaves for a
 *   provider; `forOneUse`: where a password for one use is changed
 */
function loginForm(done, left, { note, forOneUse } = {}) {
  const place = h("div", { class: "login-form" });
  const known = ways();
  const draw = () => fill(place, session.identities.length > 0 && !session.fullyLoggedIn ? missing(left) : h("p", { class: "quiet" }, t("login.first")), fields(), byProvider(known, entered, note));
  const entered = (/** @type {import("../session.js").Session} */ state) => {
    if (state.fullyLoggedIn) return done();
    draw();
    place.querySelector("input")?.focus();
  };
  const fields = () => {
    const account = accountField(known);
    const name = field(t("login.name"), input({ name: "username", autocomplete: "username", autocapitalize: "off", spellcheck: "false", required: true }));
    const password = field(t("login.password"), input({ type: "password", name: "password", autocomplete: "current-password", required: true }));
    const code = codeField(t("totp.code"), t("totp.codeHelp"));
    const box = passkeyBox(known, t("login.passkeyHelp"));
    const act = async () => {
      const proof = { directory: account.control.value, name: name.control.value, password: password.control.value, code: code.control.value };
      // It goes with passwords of this installation, and not with those of a directory.
      const passkey = account.control.value === "" ? await shownPasskey(box) : undefined;
      // A code is good once, and a wrong one is not mended by a second try.
      return entered(await logIn(proof, passkey).finally(() => (password.control.value = code.control.value = "")).catch(async (error) => {
        // The password is right, and for one use: it sets another one.
        if (error instanceof Refusal && error.code === "InvalidState") setTimeout(() => forOneUse?.(proof.name));
        throw error;
      }));
    };
    return form({ fields: [account, name, password, code, box], submit: t("login.submit"), act });
  };
  draw();
  return place;
}

/** Who is here already, and what is still missing. @param {() => unknown} left */
function missing(left) {
  const names = session.identities.flatMap((one, index) => [index > 0 && ", ", h("strong", {}, shown(one.name))]);
  return h("div", { class: "half", role: "status" },
    h("p", {}, tn("login.half", { names: h("span", {}, names) })),
    h("p", {}, t("login.second")),
    logOutButton(t("login.giveUp"), left));
}

/** Whether the login is asked for over a page. */
export const isAskedAgain = () => document.querySelector("dialog.again") !== null;

/**
 * Asks for the login again, over the page as it is: what was typed there stays. The page is hidden meanwhile, and gone where nobody
 * logs in: what stands on it is for those alone who were here before.
 * @param {() => Promise<void>} begin
 */
export function askToLogInAgain(begin) {
  if (isAskedAgain() || !session.fullyLoggedIn) return;
  const [before, address] = [whose(session), location.hash];
  forget();
  const dialog = h("dialog", { class: "again", "aria-labelledby": "again-title" });
  const left = new AbortController();
  const done = async () => {
    left.abort();
    dialog.close();
    // The page was made for those who were here before; others get their own.
    if (whose(session) !== before) return begin();
    live.goOn();
    // In the place of a page that could not be read, or that was left meanwhile, there is nothing that was typed.
    if (location.hash !== address || document.querySelector("main > .problem")) await show();
  };
  /** @type {(told?: import("../api.js").Refusal) => void} */
  const draw = (told) => fill(dialog, h("h2", { id: "again-title" }, t("login.ended")), h("p", {}, t("login.kept")),
    told && problem(told), loginForm(done, () => draw(), { note: t("login.providerLeaves") }));
  // Somebody has logged in or out in another tab. Who has logged out leaves nothing here either.
  const elsewhere = async (/** @type {any} */ { detail }) => {
    if ((await load()).fullyLoggedIn) return done();
    return detail ? draw(detail) : dialog.close();
  };
  sessionChanged.addEventListener("changed", elsewhere, { signal: left.signal });
  dialog.addEventListener("close", () => left.signal.aborted || (left.abort(), void begin()));
  draw();
  openDialog(dialog);
}
