// What calls look like, and how their answers are read. Nothing here waits or sends.

import { ApiError, UnexpectedAnswer } from "./errors.js";
import type { ErrorCode, ItemError } from "./generated/types.js";

/** One call of an operation. */
export interface Call {
  method: string;
  path: string;
  /** How the answer is read: the `response` of the envelope, any JSON, octets, text, or where it redirects to. */
  kind: "envelope" | "json" | "bytes" | "text" | "redirect";
  query?: object;
  headers?: Record<string, string | undefined>;
  body?: object;
  octets?: Uint8Array;
  mediaType?: string;
  /** Whether it is for everybody, so that no token goes along. */
  isPublic: boolean;
  /** Whether it is about the session, so that its cookie goes along and no token. */
  byCookie: boolean;
  /** Whether it may be sent again when an answer was lost. */
  repeatable: boolean;
  /** Whether it is sent with a key, under which it is made once however often it is sent. */
  keyed?: boolean;
}

/** What one call has of its own. */
export interface CallOptions {
  /** Ends the call, its waits included. */
  signal?: AbortSignal;
  /** Milliseconds that each attempt may take, in the place of the client's. */
  timeoutMs?: number;
}

/** What the groups of operations call through. */
export interface Caller {
  call(call: Call, options?: CallOptions): Promise<unknown>;
}

/** A part of a path. */
export function segment(value: string): string {
  return encodeURIComponent(value);
}

/** The path and query of a call; what is undefined is left out, the members of an object are `name.member`. */
export function target(call: Call): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (typeof value === "object" && value !== null) {
      for (const [member, one] of Object.entries(value)) query.append(`${name}.${member}`, String(one));
    } else if (value !== undefined && value !== null) {
      query.append(name, String(value));
    }
  }
  const text = query.toString();
  return text === "" ? call.path : `${call.path}?${text}`;
}

/** What an answer says; throws what it refuses with. */
export async function read(call: Call, response: Response): Promise<unknown> {
  if (response.status === 304 && call.headers !== undefined) return null;
  if (call.kind === "redirect") {
    // A browser tells no more than that there is a redirect.
    if (response.type === "opaqueredirect") return null;
    if (response.status === 303) return response.headers.get("Location");
  }
  if (response.status !== 200 || call.kind === "redirect") throw await refusal(response);
  if (call.kind === "bytes") return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  if (call.kind === "text") return text;
  const answer = parsed(text, response.status);
  if (call.kind === "json") return answer;
  if (!isObject(answer) || !("response" in answer)) {
    throw new UnexpectedAnswer(`${call.method} ${call.path}: the answer has no envelope`);
  }
  return answer["response"];
}

function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnexpectedAnswer(`the answer (status ${status}) is not JSON: ${String(error)}`, { cause: error });
  }
}

/** The error of an answer: in the envelope, as /home/v1 and /readyz have it, or as text. */
async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text();
  let answer: Record<string, unknown>;
  try {
    const found: unknown = JSON.parse(text);
    answer = isObject(found) ? found : {};
  } catch {
    answer = { message: text.trim() };
  }
  const inner = isObject(answer["response"]) ? answer["response"] : {};
  // A 401 of /home/v1 means this without saying it.
  const code = words(answer, "errorCode") ?? (response.status === 401 ? "InvalidAuthToken" : undefined);
  return new ApiError({
    status: response.status,
    errorCode: code as Exclude<ErrorCode, "Success"> | undefined,
    reason: words(inner, "message") ?? words(answer, "message") ?? response.statusText,
    field: words(inner, "field"),
    requestId: words(inner, "requestId") ?? response.headers.get("X-Request-Id") ?? undefined,
    errors: Array.isArray(inner["errors"]) ? (inner["errors"] as ItemError[]) : [],
    retryAfterMs: retryAfterMs(response),
  });
}

/** A member that is a text; whoever answers in the server's place may have put anything there. */
function words(answer: Record<string, unknown>, name: string): string | undefined {
  const found = answer[name];
  return typeof found === "string" ? found : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How long a server with too much to do asks to wait. */
export function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get("Retry-After");
  if (header === null) return undefined;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
