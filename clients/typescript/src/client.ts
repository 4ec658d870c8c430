// The client: every operation in its group, and short ways for what most programs do.

import type { CallOptions } from "./call.js";
import { allOf, pieces, shifted, takenTogether, type Messages, type Tokens } from "./batches.js";
import { ApiError, ChanceryError, NoSuchName, NotIssued, NotSigned, StillWaiting } from "./errors.js";
import { Operations } from "./generated/operations.js";
import type * as types from "./generated/types.js";
import { fromBase64, Session, sleep, toBase64, type ClientOptions } from "./session.js";

/** How long to wait for people who have to approve. */
export interface WaitOptions {
  /** By default ten minutes. A session ends after twelve hours, whatever it does: who waits for longer needs an API key. */
  waitMs?: number;
  signal?: AbortSignal;
}

/** What is to be signed, and what approvers see. */
export interface Submission {
  /** The service, by name or uuid. */
  service: string;
  /** The digest under the policy's hash. */
  digest: Uint8Array;
  name: string;
  /** By name or uuid; a service's only policy need not be given. */
  policy?: string;
  note?: string;
  metadata?: Record<string, string>;
}

/** Which certificate is to be issued. Issuer, profile and key type are given by name or uuid. */
export interface Order {
  issuer: string;
  profile: string;
  /** A PKCS#10 request, or else: */
  csr?: string;
  /** the type of a new key that the server keeps. */
  keyType?: string;
  /** Such as `CN=www.example.com,O=Example`; of a request, by default its own. */
  subject?: string;
  /** Such as `["DNS:www.example.com"]`. */
  altNames?: string[];
  validity?: types.ValidityPeriod;
}

interface Stub {
  objInfo: { name: string; uuid: string };
}

interface Page<T> {
  results?: T[];
  items?: T[];
  next?: string | null;
}

interface PageQuery {
  pageSize: number;
  after?: string;
}

const WAIT_MS = 600_000;
const POLL_MS = 2_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A session with one server. Methods of the groups (`keys`, `tokenProfiles`, …) are the operations of the interface. */
export class Client extends Operations {
  readonly #session: Session;
  readonly #known = new Map<string, string>();

  constructor(options: ClientOptions) {
    const session = new Session(options);
    super(session);
    this.#session = session;
  }

  /**
   * Logs one identity in, in the session that the login before has begun where its role takes two.
   *
   * After the last one (`fullyLoggedIn` of the answer) every call is made in the name of all of them. Passwords are not
   * kept: a session that ended needs another login. `totp` is the one-time code of who has a second factor.
   */
  login(username: string, password: string, totp?: string): Promise<types.LoginState> {
    return this.#session.login(username, password, totp);
  }

  /** Logs an application in; the key is kept for the sessions that follow when this one ends. */
  loginWithApiKey(apiKey: string): Promise<types.LoginState> {
    return this.#session.loginWithApiKey(apiKey);
  }

  /** Ends the session and everything that came of it, and forgets the API key. */
  logout(): Promise<void> {
    return this.#session.logout();
  }

  /** All items of a list, fetched page by page: `client.every((page) => client.keys.list({ search: "cards", ...page }))`. */
  async *every<T>(list: (page: PageQuery) => Promise<Page<T>>): AsyncGenerator<T> {
    const query: PageQuery = { pageSize: 1000 };
    for (;;) {
      const page = await list(query);
      yield* page.results ?? page.items ?? [];
      if (!page.next) return;
      query.after = page.next;
    }
  }

  /** The token of a message: `token`, and `iv` where the profile uses one. The profile is given by name or uuid. */
  async tokenize(profile: string, message: string, options: CallOptions = {}): Promise<types.TokenizationResponse> {
    return this.tokenProfiles.tokenize(await this.profileUuid(profile), { message }, options);
  }

  /** The message of a token, masked where the rules show only a part of it. */
  async detokenize(
    profile: string,
    token: string | Omit<types.DetokenizeRequest, "@type">,
    options: CallOptions = {},
  ): Promise<string> {
    const body = typeof token === "string" ? { token } : token;
    return (await this.tokenProfiles.detokenize(await this.profileUuid(profile), body, options)).message;
  }

  /**
   * The tokens of any number of messages, in their order, batch by batch.
   *
   * With `partial` a message that the format refuses has the token null, and `errors` says why; without it, it is an error
   * of all of them.
   */
  async tokenizeMany(profile: string, messages: string[], options: CallOptions & { partial?: boolean } = {}): Promise<Tokens> {
    const uuid = await this.profileUuid(profile);
    const { partial = false, ...others } = options;
    const answers: [number, types.BatchTokenizationResponse][] = [];
    for (const [start, piece] of pieces(messages)) {
      try {
        const answer = await this.tokenProfiles.batchTokenize(uuid, { messages: piece, partial }, others);
        allOf(answer.ivs ?? allOf(answer.tokens, piece), piece);
        answers.push([start, answer]);
      } catch (error) {
        throw error instanceof ApiError ? shifted(error, start) : error;
      }
    }
    return takenTogether(answers);
  }

  /** The messages of any number of tokens. `ivs` and `keyVersion` are those that `tokenizeMany` answered, if it did. */
  async detokenizeMany(
    profile: string,
    tokens: string[],
    options: CallOptions & { ivs?: string[]; keyVersion?: number; partial?: boolean } = {},
  ): Promise<Messages> {
    const uuid = await this.profileUuid(profile);
    const { ivs, keyVersion = null, partial = false, ...others } = options;
    const found: Messages = { messages: [], errors: [] };
    for (const [start, piece] of pieces(tokens)) {
      const ivsOfPiece = ivs === undefined ? null : ivs.slice(start, start + piece.length);
      try {
        const body = { tokens: piece, ivs: ivsOfPiece, keyVersion, partial };
        const answer = await this.tokenProfiles.batchDetokenize(uuid, body, others);
        found.messages.push(...allOf(answer.messages, piece));
        found.errors.push(...(answer.errors ?? []).map((one) => ({ ...one, index: one.index + start })));
      } catch (error) {
        throw error instanceof ApiError ? shifted(error, start) : error;
      }
    }
    return found;
  }

  /** The signature of a digest: submits it, and waits until enough people have approved. */
  async signDigest(submission: Submission, options: WaitOptions = {}): Promise<Uint8Array> {
    return this.waitForSignature(await this.submitDigest(submission), options);
  }

  /** Submits a digest and answers the uuid of the signing request, for `waitForSignature`. */
  async submitDigest(submission: Submission): Promise<string> {
    const serviceUuid = await this.serviceUuid(submission.service);
    const policy = await this.#policy(serviceUuid, submission.policy);
    const submitted = await this.signingRequests.submit({
      name: submission.name,
      serviceUuid,
      policyUuid: policy.objInfo.uuid,
      digest: toBase64(submission.digest),
      note: submission.note ?? null,
      metadata: submission.metadata ?? null,
    });
    return submitted.uuid;
  }

  /**
   * The signature of a request, as soon as it is signed.
   *
   * Throws NotSigned where it is denied or fails, and StillWaiting where that takes longer; then it can be waited for
   * again.
   */
  waitForSignature(uuid: string, options: WaitOptions = {}): Promise<Uint8Array> {
    return this.#wait(uuid, options, async () => {
      const request = await this.signingRequests.get(uuid, {}, options);
      if (request.state === "Signed") return fromBase64(request.signature);
      if (request.state === "Denied" || request.state === "Failed") throw new NotSigned(request);
      return undefined;
    });
  }

  /**
   * A new certificate: for the key of a PKCS#10 request, or for a new key that the server keeps.
   *
   * Where profile or issuer demand approvals, waits for them; throws NotIssued where they are denied, and StillWaiting
   * where it takes longer.
   */
  async issueCertificate(order: Order, options: WaitOptions = {}): Promise<types.Certificate> {
    const { csr, keyType } = order;
    const issuerUuid = await this.issuerUuid(order.issuer);
    const certParams: types.CertParams = {};
    if (order.altNames !== undefined) certParams.subjectAltNames = order.altNames;
    if (order.validity !== undefined) certParams.validityPeriod = order.validity;
    const certProfileUuid = await this.certProfileUuid(order.profile);
    const wanted = { certProfileUuid, subjectOneline: order.subject ?? null, certParams };
    let issued: types.Issued;
    if (csr !== undefined && keyType === undefined) {
      issued = await this.certificates.request({ ...wanted, serviceOrIssuerUuid: issuerUuid, csr }, options);
    } else if (keyType !== undefined && csr === undefined) {
      const newKey = { keyTypeUuid: await this.keyTypeUuid(keyType) };
      issued = await this.certificates.generate({ ...wanted, issuerUuid, newKey }, options);
    } else {
      throw new TypeError("either csr or keyType is needed, and not both");
    }
    if ("serialNumber" in issued) return this.certificates.get(issued.certificateUuid, options);
    return this.waitForCertificate(issued.uuid, options);
  }

  /** The certificate of a proposal, as soon as it is issued; see `issueCertificate`. */
  waitForCertificate(proposalUuid: string, options: WaitOptions = {}): Promise<types.Certificate> {
    return this.#wait(proposalUuid, options, async () => {
      const proposal = await this.proposals.get(proposalUuid, options);
      if (proposal.state === "Approval") return undefined;
      const uuid = proposal.certificateUuid;
      if (proposal.state !== "Issued" || !uuid) throw new NotIssued(proposal.state, proposal.reason);
      return this.certificates.get(uuid, options);
    });
  }

  /** The uuid of the token profile with this name; a uuid is answered as it is. */
  profileUuid(name: string): Promise<string> {
    return this.#uuid("token profile", name, (page) => this.tokenProfiles.list({ ...page, search: name }));
  }

  /** The uuid of the service with this name; a uuid is answered as it is. */
  serviceUuid(name: string): Promise<string> {
    return this.#uuid("service", name, (page) => this.services.listStubs({ ...page, search: name }));
  }

  /** The uuid of the certificate profile with this name; a uuid is answered as it is. */
  certProfileUuid(name: string): Promise<string> {
    return this.#uuid("certificate profile", name, (page) => this.certProfiles.list({ ...page, search: name }));
  }

  /** The uuid of the key type with this name; a uuid is answered as it is. */
  keyTypeUuid(name: string): Promise<string> {
    return this.#uuid("key type", name, (page) => this.keyTypes.list({ ...page, search: name }));
  }

  /** The uuid of the trusted authority with this name that is valid; a uuid is answered as it is. */
  async issuerUuid(name: string): Promise<string> {
    if (UUID.test(name)) return name;
    const found: types.CertificateStub[] = [];
    for await (const one of this.every((page) => this.certificates.list({ ...page, name, status: "Valid" }))) {
      if (one.trusted) found.push(one);
    }
    return only("authority", name, found);
  }

  async #uuid(kind: string, name: string, list: (page: PageQuery) => Promise<Page<Stub>>): Promise<string> {
    if (UUID.test(name)) return name;
    const known = this.#known.get(`${kind} ${name}`);
    if (known !== undefined) return known;
    const found: Stub[] = [];
    for await (const one of this.every(list)) found.push(one);
    const uuid = only(kind, name, found);
    this.#known.set(`${kind} ${name}`, uuid);
    return uuid;
  }

  /** The policy by its name or uuid, or the only one. */
  async #policy(serviceUuid: string, policy: string | undefined): Promise<types.SigningPolicy> {
    const { items } = await this.signingPolicies.list(serviceUuid);
    if (policy === undefined) {
      const [first, ...others] = items;
      if (first !== undefined && others.length === 0) return first;
      const names = items.map((one) => one.objInfo.name).join(", ");
      throw new ChanceryError(`say which policy of the service is meant: it has ${items.length} (${names})`);
    }
    const uuid = UUID.test(policy) ? policy.toLowerCase() : only("signing policy", policy, items);
    const found = items.find((one) => one.objInfo.uuid === uuid);
    if (found === undefined) throw new NoSuchName(`the service has no signing policy ${policy}`);
    return found;
  }

  /** Looks again and again until there is something. */
  async #wait<T>(uuid: string, options: WaitOptions, look: () => Promise<T | undefined>): Promise<T> {
    const waitMs = options.waitMs ?? WAIT_MS;
    const overAt = performance.now() + waitMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const left = overAt - performance.now();
      if (left <= 0) throw new StillWaiting(uuid, waitMs);
      await sleep(Math.min(POLL_MS, left), options.signal);
    }
  }
}

/** The one of these that has exactly this name, without regard to letter case. */
function only(kind: string, name: string, stubs: Stub[]): string {
  const found = stubs.filter((one) => one.objInfo.name.toLowerCase() === name.toLowerCase());
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new NoSuchName(`there are ${found.length} objects of the kind ${kind} with the name "${name}"; name it by its uuid`);
  }
  return first.objInfo.uuid;
}
