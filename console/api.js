// Calls of the interface: one function for each method. A refusal is an object that says what the interface says.

/** @typedef {Record<string, any>} Json */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

/** What the server refused, and why. */
export class Refusal extends Error {
  /**
   * @param {number} status 0 where there was no answer at all
   * @param {string} code `errorCode` of the interface, or `Unreachable`, `Unreadable`, `SessionEnded` or `OtherSession`
   * @param {string} message one sentence for a person
   * @param {{field?: string, requestId?: string, retryAfter?: number}} [more]
   */
  constructor(status, code, message, more = {}) {
    super(message);
    this.status = status;
    this.code = code;
    /** JSON pointer to the member at fault. */
    this.field = more.field;
    this.requestId = more.requestId;
    /** In how many seconds it is worth trying again. */
    this.retryAfter = more.retryAfter;
  }
}

/** Told when a call finds that the session has ended. */
export const sessionEnded = new EventTarget();

let beforeChange = async () => {};

/** What is asked before anything is sent that decides or changes something; where it throws, nothing is sent. @param {() => Promise<void>} ask */
export const askBeforeChange = (ask) => void (beforeChange = ask);

/** Whether API access is off, so that all calls but those of the settings are refused; `change` is told when that becomes another. */
export const access = Object.assign(new EventTarget(), { isOff: false });

const SETTINGS = "/api/v2/system/settings";

/** @param {boolean} isOff as an answer has just said */
export function accessIs(isOff) {
  if (access.isOff === isOff) return;
  access.isOff = isOff;
  access.dispatchEvent(new Event("change"));
}

/** @param {string} path @param {Query} [query] @param {AbortSignal} [signal] @returns {Promise<Json>} */
export const get = (path, query, signal) => enveloped("GET", path + search(query), undefined, signal);

/** @param {string} path @param {Json} [body] @returns {Promise<Json>} */
export const post = (path, body = {}) => enveloped("POST", path, body);

/** @param {string} path @param {Json} body @returns {Promise<Json>} */
export const patch = (path, body) => enveloped("PATCH", path, body);

/** @param {string} path @param {Json} body @returns {Promise<Json>} */
export const put = (path, body) => enveloped("PUT", path, body);

/** @param {string} path @returns {Promise<Json>} */
export const remove = (path) => enveloped("DELETE", path);

/** A file that the interface answers without its envelope. @param {string} path @param {AbortSignal} [signal] */
export async function download(path, signal) {
  const answer = await send("GET", path, undefined, signal);
  if (!answer.ok) throw ended(refusal(answer, await json(answer)));
  return whole(answer, answer.blob());
}

/** A text that the interface answers without its envelope. @param {string} path @param {AbortSignal} [signal] */
export async function text(path, signal) {
  const answer = await send("GET", path, undefined, signal);
  if (!answer.ok) throw refusal(answer, await json(answer));
  return whole(answer, answer.text());
}

/** An answer of a path outside of the interface's envelope. @param {string} method @param {string} path @param {Json} [body] @param {AbortSignal} [signal] @returns {Promise<Json>} */
export async function plain(method, path, body, signal) {
  const answer = await send(method, path, body, signal);
  const read = await json(answer);
  if (answer.ok) return read ?? unreadable(answer);
  throw refusal(answer, read && { errorCode: read.errorCode ?? codeOf(answer.status), response: { message: read.message } });
}

/** @param {string} method @param {string} path @param {Json} [body] @param {AbortSignal} [signal] @returns {Promise<Json>} */
async function enveloped(method, path, body, signal) {
  const answer = await send(method, path, body, signal);
  const read = await json(answer);
  if (answer.ok && read?.["success"] === true) {
    accessIs(path === SETTINGS && !read["response"].apiAccess);
    return read["response"];
  }
  if (answer.ok && read?.["success"] !== false) unreadable(answer);
  throw ended(refusal(answer, read));
}

/** Who has a session is refused as unknown only when it has ended; a login that fails is another matter. @param {Refusal} refused */
function ended(refused) {
  if (refused.code === "ApiAccessDisabled") accessIs(true);
  // It may be somebody else's session by now, who may not do this.
  if (refused.status === 403) beforeChange().catch(() => undefined);
  if (refused.status !== 401) return refused;
  sessionEnded.dispatchEvent(new Event("ended"));
  return new Refusal(401, "SessionEnded", refused.message, { requestId: refused.requestId });
}

/**
 * The session's cookie is the only proof, and only this origin's pages can send it. Nothing is kept in the browser.
 * @param {string} method @param {string} path @param {Json} [body] @param {AbortSignal} [signal]
 */
async function send(method, path, body, signal) {
  if (method !== "GET") await beforeChange();
  /** @type {RequestInit} */
  const call = { method, credentials: "same-origin", cache: "no-store", redirect: "error", signal: signal ?? null };
  if (body !== undefined) {
    call.body = JSON.stringify(body);
    call.headers = { "Content-Type": "application/json" };
  }
  try {
    return await fetch(path, call);
  } catch (error) {
    throwIfLeft(error);
    throw new Refusal(0, "Unreachable", "The server cannot be reached.");
  }
}

/**
 * A text is taken as the message: paths outside of the interface say so what is wrong. Nothing where it cannot be read.
 * @param {Response} answer @returns {Promise<Json | undefined>}
 */
async function json(answer) {
  try {
    if (answer.headers.get("content-type")?.startsWith("text/plain")) return { message: (await answer.text()).trim().slice(0, TEXT_MAX) };
    const read = await answer.json();
    return typeof read === "object" && read !== null ? read : undefined;
  } catch (error) {
    throwIfLeft(error);
    return undefined;
  }
}

/** All of an answer, which may break off. @template T @param {Response} answer @param {Promise<T>} reading @returns {Promise<T>} */
function whole(answer, reading) {
  return reading.catch((error) => {
    throwIfLeft(error);
    return unreadable(answer);
  });
}

/** What was given up, since its page was left, did not go wrong. @param {unknown} error */
function throwIfLeft(error) {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
}

/** Of an answer that says it was done, but was cut off or is something else's, nobody knows what became of the call. @param {Response} answer @returns {never} */
function unreadable(answer) {
  throw new Refusal(answer.status, "Unreadable", "The answer cannot be read.", { requestId: answer.headers.get("x-request-id") ?? undefined });
}

/** @param {Response} answer @param {Json} [read] */
function refusal(answer, read = {}) {
  const response = read.response ?? {};
  const message = response.message ?? read.message ?? `The server answered with status ${answer.status}.`;
  return new Refusal(answer.status, read.errorCode ?? codeOf(answer.status), message, {
    field: response.field,
    requestId: response.requestId ?? answer.headers.get("x-request-id") ?? undefined,
    retryAfter: Number(answer.headers.get("retry-after")) || undefined,
  });
}

/** More of a text than this is no sentence for a person. */
const TEXT_MAX = 500;

/** What answers of the login mean, which have no code. */
const CODES = new Map([
  [400, "InvalidValue"], [401, "InvalidAuthToken"], [403, "NotAuthorized"], [404, "InvalidSelection"],
  [409, "InvalidState"], [413, "LimitExceeded"], [429, "RateLimited"], [503, "Unavailable"],
]);

/** @param {number} status */
function codeOf(status) {
  return CODES.get(status) ?? "InternalError";
}

/** @param {Query} [query] */
function search(query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const parameters = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
  return pairs.length > 0 ? `?${parameters}` : "";
}
