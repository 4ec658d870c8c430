// Why a call did not give what was asked for. All of them are a ChanceryError.

import type { ErrorCode, ItemError, SigningRequest } from "./generated/types.js";

/** The ancestor of everything that this package throws on purpose. */
export class ChanceryError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server could not be reached, did not answer in time, or is not the one that the authorities vouch for. */
export class TransportError extends ChanceryError {}

/** The answer is not as the interface describes it. */
export class UnexpectedAnswer extends ChanceryError {}

/** There is no object of this name, or several. */
export class NoSuchName extends ChanceryError {}

/** What an answer says that refuses a call. */
export interface Refusal {
  /** HTTP status. */
  status: number;
  /** The reason as a word; undefined where a public file's answer has none. */
  errorCode: Exclude<ErrorCode, "Success"> | undefined;
  /** The reason as a sentence for a person. `message` has the rest beside it. */
  reason: string;
  /** The member of the body at fault, as a JSON pointer. */
  field: string | undefined;
  /** The id under which the server's log and audit records speak of the call. */
  requestId: string | undefined;
  /** Of a batch: the values at fault, a hundred of them at most. */
  errors: ItemError[];
  /** After how long the server would have the call again. */
  retryAfterMs: number | undefined;
}

/** The server refused the call; `errorCode` says why as a word. */
export class ApiError extends ChanceryError implements Refusal {
  readonly status: number;
  readonly errorCode: Exclude<ErrorCode, "Success"> | undefined;
  readonly reason: string;
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  readonly errors: ItemError[];
  readonly retryAfterMs: number | undefined;

  constructor(refusal: Refusal) {
    const at = refusal.field === undefined ? "" : `${refusal.field}: `;
    const code = refusal.errorCode === undefined ? "" : `${refusal.errorCode}, `;
    const request = refusal.requestId === undefined ? "" : `, request ${refusal.requestId}`;
    super(`${at}${refusal.reason} (${code}status ${refusal.status}${request})`);
    this.status = refusal.status;
    this.errorCode = refusal.errorCode;
    this.reason = refusal.reason;
    this.field = refusal.field;
    this.requestId = refusal.requestId;
    this.errors = refusal.errors;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** A signing request ended without a signature: `request.state` is Denied or Failed. */
export class NotSigned extends ChanceryError {
  readonly request: SigningRequest;

  constructor(request: SigningRequest) {
    const notes = request.approvals.map((one) => one.note).filter((note) => note);
    const why = request.reason ?? notes.join("; ");
    super(`${request.name}: ${request.state}${why ? `: ${why}` : ""}`);
    this.request = request;
  }
}

/** A certificate was not issued: the proposal was denied, or failed. */
export class NotIssued extends ChanceryError {
  readonly state: string;

  constructor(state: string, reason: string | null | undefined) {
    super(`the certificate was not issued: ${state}${reason ? `: ${reason}` : ""}`);
    this.state = state;
  }
}

/** Time was over before enough people had approved. What was asked for goes on waiting under `uuid`. */
export class StillWaiting extends ChanceryError {
  readonly uuid: string;

  constructor(uuid: string, waitMs: number) {
    super(`${uuid} still waits for approvals after ${waitMs} ms; it can be waited for again`);
    this.uuid = uuid;
  }
}
