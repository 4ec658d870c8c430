// Who is logged in, as the server says it. The browser keeps the session's cookie, which no script can read.

import { Refusal, askBeforeChange, plain, sessionEnded } from "./api.js";

/** @typedef {{name: string, uuid: string}} ObjInfo */
/** @typedef {{fullyLoggedIn: boolean, hardened: boolean, management: boolean, perms: string[], identities: ObjInfo[]}} Session */

/** @type {Session} */
const NOBODY = { fullyLoggedIn: false, hardened: false, management: false, perms: [], identities: [] };

/** @type {Session} */
export let session = NOBODY;

/** A server that says nothing for so long is not there. */
const PATIENCE_MS = 10_000;

/** The tabs of a browser have one session, and tell each other of it. */
const tabs = new BroadcastChannel("chancery.session");

/** Told when the session is another one than this tab shows. Its `detail` says so; there is none where somebody has only logged out. */
export const sessionChanged = new EventTarget();

/** Whose a session is, to be compared. @param {Session} one */
export const whose = ({ fullyLoggedIn, identities }) => [fullyLoggedIn, ...identities.map(({ uuid }) => uuid).sort()].join();

/** Who is logged in, as the server says now; that does not prolong the session. @returns {Promise<Session>} */
async function ask() {
  try {
    const { response } = await plain("GET", "/home/v1/login", undefined, AbortSignal.timeout(PATIENCE_MS));
    if (!Array.isArray(response?.identities)) throw new Refusal(200, "Unreadable", "The answer cannot be read.");
    return response;
  } catch (error) {
    if (/** @type {any} */ (error).status !== 401) throw error;
    return NOBODY;
  }
}

/** @param {Session} now */
function become(now) {
  session = now;
  tabs.postMessage({ whose: whose(now) });
}

/** Asks the server who is logged in here: that is who this tab shows from now on. */
export async function load() {
  become(await ask());
  return session;
}

/** Nobody is logged in any more, as the server has just said. */
export const forget = () => void (session = NOBODY);

/** Sees to it that the session is still the one that this tab shows: nobody acts in the name of somebody else without knowing it. */
export async function compare() {
  const now = await ask();
  if (whose(now) === whose(session)) return;
  if (session.fullyLoggedIn && now.identities.length === 0) {
    sessionEnded.dispatchEvent(new Event("ended"));
    throw new Refusal(401, "SessionEnded", "The session has ended.");
  }
  const refused = new Refusal(409, "OtherSession", "Another session has begun in this browser.");
  sessionChanged.dispatchEvent(new CustomEvent("changed", { detail: refused }));
  throw refused;
}

askBeforeChange(compare);

/** What a person proves who they are with, as calls have it; a code only where one was typed. @typedef {{name: string, password: string, code: string}} Proof */

/** @typedef {Proof & {directory: string}} Login whose password it is: of a directory, or with nothing of this installation */
/** @typedef {{providers: ObjInfo[], certificates: boolean, directories: ObjInfo[], passkeys: boolean}} Ways */

/** @param {Proof} proof */
function credentials({ name, password, code }) {
  return { username: name, password: encoded(password), ...(code.trim() ? { totp: code.trim() } : {}) };
}

/** As the interface takes passwords. @param {string} password */
const encoded = (password) => btoa(Array.from(new TextEncoder().encode(password), (byte) => String.fromCharCode(byte)).join(""));

/**
 * Logs one person in, on the session of this browser.
 * @param {Login} proof @param {import("./api.js").Json} [passkey] what a passkey has signed of a challenge
 */
export async function logIn({ directory, ...proof }, passkey) {
  const authCredentials = { ...credentials(proof), ...(directory ? { providerUuid: directory } : {}), ...(passkey ? { passkey } : {}) };
  await plain("POST", "/home/v1/login", { authType: directory ? "ldap" : "userpass", authCredentials });
  return load();
}

/**
 * The providers and directories by which people log in here, whether this socket asked the browser for a client certificate, and
 * whether people log in with passkeys.
 * @returns {Promise<Ways>}
 */
export const ways = async () => /** @type {any} */ (await plain("GET", "/home/v1/login/oidc"));

/** Logs one person in by what the browser has shown when it connected, on the session of this browser. */
export async function logInByCertificate() {
  await plain("POST", "/home/v1/login", { authType: "certificate", authCredentials: {} });
  return load();
}

/** Leaves for a provider, which sends the browser back. @param {string} providerUuid */
export async function goToProvider(providerUuid) {
  const { authorizationUrl } = await plain("POST", "/home/v1/login/oidc", { providerUuid });
  if (new URL(authorizationUrl).protocol !== "https:") throw new Error(authorizationUrl);
  location.assign(authorizationUrl);
}

/** What the server refused of a login by a provider, whose page it was that had called: told once. */
export function refusedByProvider() {
  const told = document.querySelector('meta[name="refusal"]');
  if (!told) return undefined;
  told.remove();
  // The code is spent, and is no address to come back to.
  history.replaceState(null, "", "/");
  return read(told.getAttribute("content") ?? "");
}

/** @param {string} content */
function read(content) {
  const { status, errorCode, message, requestId, retryAfter } = JSON.parse(content);
  return new Refusal(status, errorCode, message, { requestId, retryAfter: retryAfter ?? undefined });
}

/**
 * Enrols a second factor, confirms it, or takes it away; nobody has to be logged in for that.
 * @param {"" | "/confirm" | "/remove"} what @param {Proof} proof @param {import("./api.js").Json} [passkey] what a passkey has signed of a challenge
 */
export const secondFactor = (what, proof, passkey) =>
  plain("POST", `/home/v1/login/totp${what}`, { ...credentials(proof), ...(passkey ? { passkey } : {}) });

/**
 * Sets one's own password; nobody has to be logged in for that.
 * @param {Proof} proof @param {string} newPassword @param {import("./api.js").Json} [passkey] what a passkey has signed of a challenge
 */
export const changePassword = (proof, newPassword, passkey) =>
  plain("POST", "/home/v1/login/password", { ...credentials(proof), ...(passkey ? { passkey } : {}), newPassword: encoded(newPassword) });

/** Ends the session, also for the server and in other tabs. Where that fails, whoever is logged in still is. */
export async function logOut() {
  const { fullyLoggedIn } = session;
  try {
    await plain("POST", "/home/v1/logout", {});
  } catch (error) {
    // A session that has ended already is what was asked for.
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
  }
  session = NOBODY;
  tabs.postMessage({ whose: whose(session), loggedOut: fullyLoggedIn });
}

tabs.addEventListener("message", ({ data }) => {
  if (data.loggedOut) {
    // What that session showed goes at once.
    session = NOBODY;
    sessionChanged.dispatchEvent(new CustomEvent("changed"));
  } else if (data.whose !== whose(session)) look();
});

/** Looks whether this tab still shows the session that there is. */
const look = () => void compare().catch(() => undefined);

document.addEventListener("visibilitychange", () => document.hidden || look());

/** Whether the session holds one of these permissions. @param {...string} perms */
export const may = (...perms) => perms.some((perm) => session.perms.includes(perm));

/** Whether one of these is in the session. @param {ObjInfo[]} identities */
export const includesUs = (identities) =>
  identities.some((one) => session.identities.some((own) => own.uuid === one.uuid));
