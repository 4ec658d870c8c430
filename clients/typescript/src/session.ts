// The session with a server: logins, tokens, and calls that are made again where that is right.

import { read, retryAfterMs, target, type Call, type CallOptions, type Caller } from "./call.js";
import { ApiError, TransportError, UnexpectedAnswer } from "./errors.js";
import { Operations } from "./generated/operations.js";
import type { AuthCredentials, AuthType, LoginState } from "./generated/types.js";

/** How often and after how long a call is made again that the server had no time for, or whose answer was lost. */
export interface Retries {
  /** So many times besides the first; 0 never. By default 4. */
  max?: number;
  /** The first wait is at most so long, each later one twice as long as the one before. By default 200. */
  firstWaitMs?: number;
  /** No wait is longer. A server that asks for a longer one has its error thrown instead. By default 30,000. */
  longestWaitMs?: number;
}

export interface ClientOptions {
  /** Such as `https://127.0.0.1:8443`; in a browser, the page's own origin where it is left out. */
  baseUrl?: string;
  /** An application's key. The client logs in with it when it is needed, and again when a session ended. */
  apiKey?: string;
  /** A bearer token from elsewhere, in the place of a login. */
  token?: string;
  /** Milliseconds that each attempt of a call may take. By default 60,000. */
  timeoutMs?: number;
  retries?: Retries;
  /** Octets that an answer may have, by default 64 MiB; a longer one is an UnexpectedAnswer, as an export may be. */
  answerMax?: number;
  /** What sends; `nodeFetch` of `@chancery/client/node` trusts authorities of one's own. */
  fetch?: typeof fetch;
  /** Whether the address may be plain http, over which everybody on the way reads passwords and values. */
  allowHttp?: boolean;
}

const TOKEN_LIFETIME_MS = 600_000;
/** The clients of Rust and Python take as many. */
const ANSWER_MAX = 64 * 1024 * 1024;

export class Session implements Caller {
  readonly #baseUrl: string;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  readonly #answerMax: number;
  readonly #retries: Required<Retries>;
  readonly #operations = new Operations(this);
  #apiKey: string | undefined;
  #token: string | undefined;
  /** The cookies by their names, where this is no browser: that keeps and sends them by itself. */
  readonly #cookies = new Map<string, string>();
  /** When a token of this session is renewed, by performance.now(); undefined for one from elsewhere. */
  #renewAt: number | undefined;
  #halfLoggedIn = false;
  /** Logins and renewals that several calls wait for at once. */
  #preparing: Promise<void> | undefined;

  constructor(options: ClientOptions) {
    this.#baseUrl = checkedBaseUrl(options);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.#answerMax = options.answerMax ?? ANSWER_MAX;
    this.#retries = { max: 4, firstWaitMs: 200, longestWaitMs: 30_000, ...options.retries };
    this.#apiKey = options.apiKey === undefined ? undefined : checkedApiKey(options.apiKey);
    this.#token = options.token;
  }

  async login(username: string, password: string, totp?: string): Promise<LoginState> {
    const credentials: AuthCredentials = { username, password: toBase64(new TextEncoder().encode(password)) };
    return this.#logIn("userpass", totp === undefined ? credentials : { ...credentials, totp });
  }

  async loginWithApiKey(apiKey: string): Promise<LoginState> {
    this.#apiKey = checkedApiKey(apiKey);
    return this.#logIn("apikey", { apiKey });
  }

  async logout(): Promise<void> {
    this.#apiKey = undefined;
    try {
      await this.#operations.session.logout();
    } finally {
      this.#forget();
    }
  }

  async #logIn(authType: AuthType, authCredentials: AuthCredentials): Promise<LoginState> {
    if (!this.#halfLoggedIn) this.#forget();
    const { response: state } = await this.#operations.session.login({ authType, authCredentials });
    if (typeof state?.fullyLoggedIn !== "boolean") throw new UnexpectedAnswer("the answer to a login has no `fullyLoggedIn`");
    this.#halfLoggedIn = !state.fullyLoggedIn;
    if (state.fullyLoggedIn) await this.#takeToken();
    return state;
  }

  #forget(): void {
    this.#token = this.#renewAt = undefined;
    this.#cookies.clear();
    this.#halfLoggedIn = false;
  }

  async #takeToken(): Promise<void> {
    try {
      const { token } = (await this.#operations.session.token()) ?? {};
      if (typeof token !== "string") throw new UnexpectedAnswer("the answer has no `token`");
      this.#token = token;
      this.#renewAt = performance.now() + 0.8 * lifetimeMs(token);
    } catch (error) {
      if (!isRefusal(error, "ApiAccessDisabled")) throw error;
      // The settings can still be read and changed, with the cookie.
      this.#token = this.#renewAt = undefined;
    }
  }

  /** Takes or renews the token that the next call carries, where that has to be; once for all calls that wait for it. */
  async #prepare(): Promise<void> {
    const isMissing = this.#token === undefined && this.#apiKey !== undefined;
    const isOld = this.#renewAt !== undefined && performance.now() > this.#renewAt;
    if (!isMissing && !isOld) return;
    this.#preparing ??= (isMissing ? this.#logInAgain() : this.#renew()).finally(() => (this.#preparing = undefined));
    await this.#preparing;
  }

  async #renew(): Promise<void> {
    try {
      await this.#takeToken();
    } catch (error) {
      if (!isRefusal(error, "InvalidAuthToken") || this.#apiKey === undefined) throw error;
      await this.#logInAgain();
    }
  }

  async #logInAgain(): Promise<void> {
    this.#forget();
    await this.#logIn("apikey", { apiKey: this.#apiKey as string });
  }

  async call(call: Call, options: CallOptions = {}): Promise<unknown> {
    if (call.isPublic) return read(call, await this.#send(call, undefined, options));
    if (call.byCookie) {
      // A token that is asked for with a token lives no longer than that one; with the cookie it has its full time.
      const token = this.#cookies.size === 0 && this.#renewAt === undefined ? this.#token : undefined;
      return read(call, await this.#send(call, token, options));
    }
    await this.#prepare();
    const token = this.#token;
    // One key for all that is sent of this call, also after another login: it may have been made although its answer was
    // lost.
    const key = call.keyed ? randomKey() : undefined;
    try {
      return await read(call, await this.#send(call, token, options, key));
    } catch (error) {
      if (!isRefusal(error, "InvalidAuthToken") || this.#apiKey === undefined) throw error;
    }
    // The session ended early, as by a restart of the server.
    if (this.#token === token) this.#token = this.#renewAt = undefined;
    await this.#prepare();
    return read(call, await this.#send(call, this.#token, options, key));
  }

  async #send(call: Call, token: string | undefined, options: CallOptions, key?: string): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(call, token, key, options);
      let wait: number | undefined;
      if (outcome instanceof TransportError) {
        const mayRepeat = ((call.repeatable || call.keyed) && !isAboutTrust(outcome.cause)) || wasNeverSent(outcome.cause);
        if (mayRepeat) wait = this.#waitMs(attempt, 0);
        if (wait === undefined) throw outcome;
      } else {
        this.#keepCookies(outcome);
        // What ends a login is good for one answer, whatever that is.
        const askedFor = call.kind === "redirect" ? undefined : retryAfterMs(outcome);
        if ([429, 503].includes(outcome.status) && askedFor !== undefined) wait = this.#waitMs(attempt, askedFor);
        if (wait === undefined) return outcome;
        await outcome.body?.cancel();
      }
      await sleep(wait, options.signal);
    }
  }

  async #attempt(
    call: Call,
    token: string | undefined,
    key: string | undefined,
    options: CallOptions,
  ): Promise<Response | TransportError> {
    const headers = new Headers();
    for (const [name, value] of Object.entries(call.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    if (key !== undefined) headers.set("Idempotency-Key", key);
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    else if (this.#cookies.size > 0 && !call.isPublic) {
      headers.set("Cookie", [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const body = call.octets ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    if (body !== undefined) headers.set("Content-Type", call.mediaType ?? "application/json");
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(new TransportError(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const stop = () => ending.abort(options.signal?.reason);
    options.signal?.addEventListener("abort", stop);
    try {
      options.signal?.throwIfAborted();
      const response = await this.#fetch(this.#baseUrl + target(call), {
        method: call.method,
        headers,
        body: (body ?? null) as BodyInit | null,
        credentials: "same-origin",
        redirect: call.kind === "redirect" ? "manual" : "error",
        signal: ending.signal,
      });
      // It has neither a status nor a body.
      if (response.type === "opaqueredirect") return response;
      // Read to its end while the clock runs: an answer that stops halfway is none.
      const octets = await this.#wholeOf(response);
      const content = [204, 205, 304].includes(response.status) ? null : octets;
      return new Response(content as BodyInit | null, { status: response.status, statusText: response.statusText, headers: response.headers });
    } catch (error) {
      if (options.signal?.aborted || error instanceof UnexpectedAnswer) throw error;
      return new TransportError(`${call.method} ${call.path}: ${causeOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", stop);
    }
  }

  /** All that an answer says, up to a bound. */
  async #wholeOf(response: Response): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const reader = response.body?.getReader();
    for (;;) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) break;
      length += value.length;
      if (length > this.#answerMax) {
        await reader?.cancel();
        throw new UnexpectedAnswer(`the answer has more than ${this.#answerMax} octets`);
      }
      pieces.push(value);
    }
    const octets = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      octets.set(piece, at);
      at += piece.length;
    }
    return octets;
  }

  #keepCookies(response: Response): void {
    for (const set of response.headers.getSetCookie?.() ?? []) {
      const [, name = "", value = ""] = /^([^=;]*)=([^;]*)/.exec(set) ?? [];
      if (/;\s*Max-Age=0/i.test(set)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  /** How long to wait after this attempt (from 0); undefined where there is to be no other. */
  #waitMs(attempt: number, askedFor: number): number | undefined {
    const { max, firstWaitMs, longestWaitMs } = this.#retries;
    if (attempt >= max || askedFor > longestWaitMs) return undefined;
    // Not all callers come back at the same moment.
    return askedFor + Math.random() * Math.min(firstWaitMs * 2 ** attempt, longestWaitMs);
  }
}

export function isRefusal(error: unknown, code: ApiError["errorCode"]): error is ApiError {
  return error instanceof ApiError && error.errorCode === code;
}

function checkedBaseUrl(options: ClientOptions): string {
  const baseUrl = options.baseUrl ?? globalThis.location?.origin;
  if (baseUrl === undefined) throw new TypeError("baseUrl is needed: there is no page whose origin it could be");
  const { protocol } = new URL(baseUrl);
  if (protocol !== "https:" && !(protocol === "http:" && options.allowHttp === true)) {
    throw new TypeError(`${baseUrl} is no https:// address; for plain http say allowHttp: true`);
  }
  return baseUrl.replace(/\/+$/, "");
}

/**
 * What stands in another file than was meant, or a password, goes to nobody. Keys of former releases have no prefix. A file of a
 * key ends with a line feed.
 */
function checkedApiKey(given: string): string {
  const apiKey = given.replace(/[\r\n]+$/, "");
  if (/^(chk_)?[A-Za-z0-9_-]{43}$/.test(apiKey)) return apiKey;
  throw new TypeError("this is no API key, which is chk_ and 43 letters, digits, - and _; nothing was sent");
}

/** Fetch says "fetch failed", and its cause says why. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** Whether the server's certificate is at fault: another attempt would find the same. */
function isAboutTrust(error: unknown): boolean {
  return codesOf(error).some((code) => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/.test(code));
}

/** Whether the server cannot have seen the call. Browsers do not tell. */
function wasNeverSent(error: unknown): boolean {
  return codesOf(error).some((code) => ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(code));
}

/** What Node says of an error and of its causes, as a word each. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let one = error; one instanceof Error; one = one.cause) {
    if ("code" in one) codes.push(String(one.code));
  }
  return codes;
}

/** Waits; a signal ends it with its own reason. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** How long a token lives, by its own times: clocks of two machines may differ, their pace does not. */
function lifetimeMs(token: string): number {
  try {
    const payload = (token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    const { iat, exp } = JSON.parse(atob(payload)) as { iat: number; exp: number };
    return Number.isFinite(exp - iat) ? (exp - iat) * 1000 : TOKEN_LIFETIME_MS;
  } catch {
    return TOKEN_LIFETIME_MS;
  }
}

/**
 * Differs from the sender's other keys, which is all that is asked of it: it counts for the sender alone. Node 18 has no
 * `crypto` here, and pages without TLS have no `crypto.randomUUID`.
 */
function randomKey(): string {
  const octets = new Uint8Array(16);
  if (globalThis.crypto) globalThis.crypto.getRandomValues(octets);
  else octets.forEach((_, at) => (octets[at] = Math.floor(Math.random() * 256)));
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
}

export function toBase64(octets: Uint8Array): string {
  return btoa(Array.from(octets, (octet) => String.fromCharCode(octet)).join(""));
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
