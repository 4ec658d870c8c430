// What happens while a page is open, as the server tells it: server-sent events, read by fetch, since EventSource says
// nothing of why it was refused. A connection that is lost is made again, and goes on after the last event that came.

import { access, accessIs, sessionEnded } from "./api.js";

/** @typedef {import("./api.js").Json} Json */
/** @typedef {{notice?: (notice: Json) => void, gap?: () => void, connected: (is: boolean) => void}} Listener */

/** How long it waits before it connects again: at first, and at most. */
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 30_000;
/** The same where it is refused, which is an audit record each time. */
const WAIT_REFUSED_MS = 300_000;

/** Ids that are remembered, so that what comes twice is told once. */
const KNOWN_MAX = 2_000;

/** @type {Set<Listener>} */
const listeners = new Set();
/** @type {Set<string>} */
const known = new Set();
let isConnected = false;
let lastId = "";
let running = new AbortController();
running.abort();

/** Begins to listen, for whoever is logged in now. */
export function begin() {
  end();
  running = new AbortController();
  lastId = "";
  known.clear();
  void keepOn(running.signal);
}

/** Goes on where it was when the session ended: the same people have logged in again. */
export function goOn() {
  if (isConnected) return;
  running.abort();
  running = new AbortController();
  void keepOn(running.signal);
}

/** Listens no more: nobody is logged in. */
export function end() {
  running.abort();
  tell(false);
}

/** Tells what happens until the page is left. @param {Listener} listener @param {AbortSignal} signal */
export function listen(listener, signal) {
  if (signal.aborted) return;
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
  listener.connected(isConnected);
}

/** @param {boolean} is */
function tell(is) {
  isConnected = is;
  for (const one of listeners) one.connected(is);
}

/** @param {AbortSignal} signal */
async function keepOn(signal) {
  let wait = WAIT_MIN_MS;
  while (!signal.aborted) {
    const status = await once(signal).catch(() => 0);
    if (signal.aborted) return;
    // Of a connection that stood it is not yet known that there will be no other.
    if (status !== 200) tell(false);
    // A session that ended begins anew with a login, and then so does this. Until then what it showed is nobody's to read.
    if (status === 401) return void sessionEnded.dispatchEvent(new Event("ended"));
    wait = status === 200 ? WAIT_MIN_MS : Math.min(2 * wait, WAIT_MAX_MS);
    await rest(status === 403 ? WAIT_REFUSED_MS : wait);
  }
}

/** Waits, at most until API access is switched on. @param {number} ms */
function rest(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    access.addEventListener("change", resolve, { once: true });
  });
}

/** One connection to its end; the status of the answer. @param {AbortSignal} signal */
async function once(signal) {
  const headers = { Accept: "text/event-stream", ...(lastId ? { "Last-Event-ID": lastId } : {}) };
  const answer = await fetch("/api/v2/notices", { headers, credentials: "same-origin", cache: "no-store", redirect: "error", signal });
  if (!answer.ok || !answer.body) {
    const refused = await answer.json().catch(() => ({}));
    if (refused.errorCode === "ApiAccessDisabled") accessIs(true);
    return answer.status;
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return answer.status;
    text += value;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    frames.forEach(take);
  }
}

/** @param {string} frame */
function take(frame) {
  const field = (/** @type {string} */ name) => frame.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [event, id] = [field("event"), field("id")];
  if (id) lastId = id;
  if (event === "begun") {
    accessIs(false);
    tell(true);
  }
  if (event === "gap") for (const one of listeners) one.gap?.();
  if (event !== "notice") return;
  const notice = JSON.parse(field("data") ?? "{}");
  if (known.has(notice.uuid)) return;
  known.add(notice.uuid);
  for (const oldest of known) {
    if (known.size <= KNOWN_MAX) break;
    known.delete(oldest);
  }
  for (const one of listeners) one.notice?.(notice);
}
