// Made from docs/openapi.json by `python3 clients/generate`; changes belong there.

import type { Call, CallOptions, Caller } from "../call.js";
import { segment } from "../call.js";
import type * as types from "./types.js";

export class Reports {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * How much all servers together have tokenized, detokenized, signed and issued in each hour of the last day. Needs a login.
   *
   * `GET /api/v2/activity`
   */
  activity(
    options: CallOptions = {},
  ): Promise<types.Activity> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/activity",
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Activity>;
  }

  /**
   * Who can tokenize, detokenize, sign, approve and administer now, by identity: with the role that lets them, and the mask. With
   * `asOf` as it was at that moment, made of the audit records since. Needs Audit:Read.
   *
   * `GET /api/v2/reports/access`
   *
   * `pageSize`: Identities a page, 1 to 1,000; a page may have fewer, where they can do very much.
   *
   * `after`: The `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the identities' names.
   *
   * `identityUuid`: Only this identity.
   *
   * `objectUuid`: Only what concerns this token profile.
   *
   * `right`: Only this right.
   *
   * `asOf`: As it was at this moment (RFC 3339), up to now and not before the first audit record; absent is now.
   */
  access(
    query: { pageSize?: number; after?: string; search?: string; identityUuid?: types.IdentityId; objectUuid?: types.ObjectId; right?: types.AccessRight; asOf?: string } = {},
    options: CallOptions = {},
  ): Promise<types.AccessReport> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/reports/access",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AccessReport>;
  }

  /**
   * Who would gain and who would lose what by a change that is not made yet, in the words of the call that makes it. Nothing is
   * changed; what the change would be refused for is refused here. Needs what the change needs, or Audit:Read. With `since`, who
   * has gained and lost what by everything that changed since a moment; needs Audit:Read.
   *
   * `POST /api/v2/reports/access/effect`
   */
  accessEffect(
    body: types.AccessChange,
    options: CallOptions = {},
  ): Promise<types.AccessEffect> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/reports/access/effect",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AccessEffect>;
  }
}

export class Audit {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The audit records, the newest first. Needs Audit:Read.
   *
   * `GET /api/v2/audit`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` the newest 10,000 are answered.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `from`: Not before this moment (RFC 3339).
   *
   * `to`: Before this moment (RFC 3339).
   *
   * `action`: What was done or tried.
   *
   * `outcome`: How it ended.
   *
   * `identityUuid`: In whose name.
   *
   * `objectUuid`: On which object.
   *
   * `nodeUuid`: Written by which node.
   *
   * `concerns`: About what: the actions that have to do with it.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; from?: string; to?: string; action?: types.Action; outcome?: types.ErrorCode; identityUuid?: types.IdentityId; objectUuid?: types.ObjectId; nodeUuid?: types.ObjectId; concerns?: types.Concern } = {},
    options: CallOptions = {},
  ): Promise<types.AuditRecordItems> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/audit",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditRecordItems>;
  }

  /**
   * The archives of audit records that are not at hand any more, the oldest first. Needs Audit:Read.
   *
   * `GET /api/v2/audit/archives`
   *
   * `pageSize`: Items a page, 1 to 1,000. Without it the first 10,000 are answered.
   *
   * `after`: The `next` of an answer.
   */
  archives(
    query: { pageSize?: number; after?: string } = {},
    options: CallOptions = {},
  ): Promise<types.AuditArchiveItems> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/audit/archives",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditArchiveItems>;
  }

  /**
   * The records of an archive as lines of an export of the ledger, each with its `leaf`: for a place of one's own, and for
   * `chancery audit verify --archive` once it was removed here. Needs Audit:Read, and is recorded. The answer has no envelope.
   *
   * `GET /api/v2/audit/archives/download`
   *
   * `firstLeaf`: The one that begins with this leaf; without it the oldest one, if there is one.
   */
  downloadArchive(
    query: { firstLeaf?: number } = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/audit/archives/download",
      kind: "bytes",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * The newest checkpoint of the audit ledger, signed, and the key that it is verified with. Needs Audit:Read.
   *
   * `GET /api/v2/audit/checkpoint`
   */
  checkpoint(
    options: CallOptions = {},
  ): Promise<types.AuditCheckpoint> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/audit/checkpoint",
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditCheckpoint>;
  }

  /**
   * The audit records up to this call, the newest first, a line of JSON each; with `ledger` all of them, the oldest first, and
   * what proves that none was changed. Needs Audit:Read, and is recorded. The answer has no envelope; where it cannot be
   * finished, the connection breaks off.
   *
   * `GET /api/v2/audit/export`
   *
   * `from`: Not before this moment (RFC 3339).
   *
   * `to`: Before this moment (RFC 3339).
   *
   * `action`: What was done or tried.
   *
   * `outcome`: How it ended.
   *
   * `identityUuid`: In whose name.
   *
   * `objectUuid`: On which object.
   *
   * `nodeUuid`: Written by which node.
   *
   * `concerns`: About what: the actions that have to do with it.
   *
   * `ledger`: With true the whole ledger, for `chancery audit verify`: all records by their numbers, each with its `leaf`, then the
   * hashes of the leaves, the checkpoints and the key. No filter may be with it.
   */
  export(
    query: { from?: string; to?: string; action?: types.Action; outcome?: types.ErrorCode; identityUuid?: types.IdentityId; objectUuid?: types.ObjectId; nodeUuid?: types.ObjectId; concerns?: types.Concern; ledger?: boolean } = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/audit/export",
      kind: "bytes",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * Who has made or read a token: the calls that had it, the oldest first, from the journal of the server that is asked, and
   * which other journals there are. Each question is recorded. Needs Audit:Read.
   *
   * `POST /api/v2/audit/journal/search`
   */
  searchJournal(
    body: types.SearchJournal,
    options: CallOptions = {},
  ): Promise<types.JournalCalls> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/audit/journal/search",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.JournalCalls>;
  }
}

export class AuditTargets {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The targets that the audit records are shipped to, and how far each has them. Needs Audit:Read or System:Manage.
   *
   * `GET /api/v2/audit/targets`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.AuditTargetResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/audit/targets",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditTargetResults>;
  }

  /**
   * Makes a target of the audit records. Two persons have to be logged in.
   *
   * `POST /api/v2/audit/targets`
   */
  create(
    body: types.CreateAuditTarget,
    options: CallOptions = {},
  ): Promise<types.AuditTarget> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/audit/targets",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditTarget>;
  }

  /**
   * A target of the audit records, and how far it has them; its secret is never answered. Needs Audit:Read or
   * System:Manage.
   *
   * `GET /api/v2/audit/targets/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.AuditTarget> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/audit/targets/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditTarget>;
  }

  /**
   * Changes a target of the audit records. Two persons have to be logged in. It is tried again at once, and goes on where it
   * was.
   *
   * `PATCH /api/v2/audit/targets/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchAuditTarget,
    options: CallOptions = {},
  ): Promise<types.AuditTarget> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/audit/targets/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.AuditTarget>;
  }

  /**
   * Removes a target of the audit records, and how far it has them. Two persons have to be logged in.
   *
   * `DELETE /api/v2/audit/targets/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/audit/targets/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Sends the target something that is no record, and answers what came back. It is not sent again. Two persons have to be
   * logged in.
   *
   * `POST /api/v2/audit/targets/{uuid}/test`
   */
  test(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.AuditTargetTested> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/audit/targets/${segment(uuid)}/test`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.AuditTargetTested>;
  }
}

export class Identities {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Makes a person or an application. Needs Identity:Manage, and every permission of the roles given.
   *
   * `POST /api/v2/identities`
   */
  create(
    body: types.CreateIdentity,
    options: CallOptions = {},
  ): Promise<types.IdentityCreated> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/identities",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityCreated>;
  }

  /**
   * The identities that there are.
   *
   * `GET /api/v2/identities/stubs`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.IdentityStubResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/identities/stubs",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityStubResults>;
  }

  /**
   * An identity. Needs Identity:Manage.
   *
   * `GET /api/v2/identities/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Identity> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/identities/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Identity>;
  }

  /**
   * Renames an identity or replaces its roles. Needs Identity:Manage, and every permission of the roles added. What is
   * withdrawn ends at once, also in live sessions; what is added needs a new login.
   *
   * `PATCH /api/v2/identities/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchIdentity,
    options: CallOptions = {},
  ): Promise<types.Identity> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/identities/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Identity>;
  }

  /**
   * Deletes an identity and ends its sessions. Needs Identity:Manage.
   *
   * `DELETE /api/v2/identities/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identities/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Locks an identity: its sessions end, and it cannot log in. Needs Identity:Manage.
   *
   * `POST /api/v2/identities/{uuid}/lock`
   */
  lock(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Identity> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/lock`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Identity>;
  }

  /**
   * Sets an identity's password and ends its sessions. A session of this identity alone may set its own; others need
   * Identity:Manage, and every permission that the identity holds. With `oneTime` it logs nobody in, and sets another one.
   *
   * `POST /api/v2/identities/{uuid}/password`
   */
  setPassword(
    uuid: string,
    body: types.NewPassword,
    options: CallOptions = {},
  ): Promise<types.Identity> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/password`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Identity>;
  }

  /**
   * Takes an identity's second factor away, for somebody who has lost it, and ends its sessions. Needs Identity:Manage, and
   * every permission that the identity holds.
   *
   * `DELETE /api/v2/identities/{uuid}/totp`
   */
  resetTotp(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Identity> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identities/${segment(uuid)}/totp`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Identity>;
  }

  /**
   * Unlocks an identity and forgives its wrong passwords. Needs Identity:Manage.
   *
   * `POST /api/v2/identities/{uuid}/unlock`
   */
  unlock(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Identity> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/unlock`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Identity>;
  }

  /**
   * Who makes the call: identities, roles, permissions, how they logged in, and when the session ends. Needs a login.
   *
   * `GET /api/v2/whoami`
   */
  whoami(
    options: CallOptions = {},
  ): Promise<types.WhoAmI> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/whoami",
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.WhoAmI>;
  }
}

export class ApiKeys {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * All API keys of an identity, by name. A session of this identity alone that no key began may ask for its own; others
   * need Identity:Manage.
   *
   * `GET /api/v2/identities/{uuid}/api-keys`
   */
  list(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.ApiKeys> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/identities/${segment(uuid)}/api-keys`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.ApiKeys>;
  }

  /**
   * Makes an API key; its secret is answered this once. A session of one person alone that began with a password may make
   * its own; others need Identity:Manage, and every permission that the identity holds.
   *
   * `POST /api/v2/identities/{uuid}/api-keys`
   */
  create(
    uuid: string,
    body: types.CreateApiKey,
    options: CallOptions = {},
  ): Promise<types.ApiKeyCreated> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/api-keys`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.ApiKeyCreated>;
  }

  /**
   * Changes an API key's name, end, networks or scope. A session of one person alone that began with a password may change
   * its own; others need Identity:Manage, and every permission that the identity holds.
   *
   * `PATCH /api/v2/identities/{uuid}/api-keys/{keyUuid}`
   */
  update(
    uuid: string,
    keyUuid: string,
    body: types.PatchApiKey,
    options: CallOptions = {},
  ): Promise<types.ApiKey> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/identities/${segment(uuid)}/api-keys/${segment(keyUuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.ApiKey>;
  }

  /**
   * Deletes an API key, and ends the sessions that it began. Whoever shows the key as the bearer of this call may delete it,
   * and so may a session of one person alone that began with a password, its own; others need Identity:Manage.
   *
   * `DELETE /api/v2/identities/{uuid}/api-keys/{keyUuid}`
   */
  delete(
    uuid: string,
    keyUuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identities/${segment(uuid)}/api-keys/${segment(keyUuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Gives an API key a new secret, which is answered this once. The one of before goes on for a set time. Whoever shows the
   * key as the bearer of this call may rotate it, and so may a session of one person alone that began with a password, its
   * own; others need Identity:Manage, and every permission that the identity holds.
   *
   * `POST /api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate`
   */
  rotate(
    uuid: string,
    keyUuid: string,
    body: types.RotateApiKey = {},
    options: CallOptions = {},
  ): Promise<types.ApiKeyCreated> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/api-keys/${segment(keyUuid)}/rotate`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.ApiKeyCreated>;
  }
}

export class Mailboxes {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Where an identity has what concerns it sent by e-mail; nowhere, while there is no address. A person that sits in the session may ask for its own; others
   * need Identity:Manage.
   *
   * `GET /api/v2/identities/{uuid}/mailbox`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.PersonalMailbox> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/identities/${segment(uuid)}/mailbox`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.PersonalMailbox>;
  }

  /**
   * Sets where one's own notices go. To another address than the confirmed one a code is mailed, and it counts once that was
   * entered; until then all stays as it is. Only a person that sits in the session, logged in by a password, and nobody for
   * another. One code a minute, and five an hour.
   *
   * `PUT /api/v2/identities/{uuid}/mailbox`
   */
  set(
    uuid: string,
    body: types.SetMailbox,
    options: CallOptions = {},
  ): Promise<types.PersonalMailbox> {
    const call: Call = {
      method: "PUT",
      path: `/api/v2/identities/${segment(uuid)}/mailbox`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.PersonalMailbox>;
  }

  /**
   * Removes a mailbox, and what waits for it. A person that sits in the session may remove its own; others need
   * Identity:Manage.
   *
   * `DELETE /api/v2/identities/{uuid}/mailbox`
   */
  remove(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identities/${segment(uuid)}/mailbox`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Confirms a new address by the code that was mailed to it: from now on notices go there. A code is good for 15 minutes
   * and five tries. Only the person whose mailbox it is, logged in by a password.
   *
   * `POST /api/v2/identities/{uuid}/mailbox/confirm`
   */
  confirm(
    uuid: string,
    body: types.ConfirmMailbox,
    options: CallOptions = {},
  ): Promise<types.PersonalMailbox> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/mailbox/confirm`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.PersonalMailbox>;
  }
}

export class Passkeys {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * All passkeys of an identity, by name. A person that sits in the session may ask for its own; others need Identity:Manage.
   *
   * `GET /api/v2/identities/{uuid}/passkeys`
   */
  list(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Passkeys> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/identities/${segment(uuid)}/passkeys`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Passkeys>;
  }

  /**
   * Enrols a passkey that the browser has made. It signs nothing before a second person has confirmed it. Only a person that
   * sits in the session, logged in by no program, and nobody for another.
   *
   * `POST /api/v2/identities/{uuid}/passkeys`
   */
  enrol(
    uuid: string,
    body: types.EnrolPasskey,
    options: CallOptions = {},
  ): Promise<types.Passkey> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/passkeys`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Passkey>;
  }

  /**
   * What the browser is to be asked for, so that it makes a passkey. Nothing is kept of it. Only a person that sits in the
   * session, logged in by no program, and nobody for another. The server has to know the DNS name by which browsers reach it
   * (`--public-origin`).
   *
   * `POST /api/v2/identities/{uuid}/passkeys/begin`
   */
  begin(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.PasskeyBegun> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/passkeys/begin`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.PasskeyBegun>;
  }

  /**
   * Renames a passkey. A person that sits in the session may rename its own; others need Identity:Manage.
   *
   * `PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}`
   */
  update(
    uuid: string,
    passkeyUuid: string,
    body: types.PatchPasskey,
    options: CallOptions = {},
  ): Promise<types.Passkey> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/identities/${segment(uuid)}/passkeys/${segment(passkeyUuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Passkey>;
  }

  /**
   * Deletes a passkey. What it signed stays. A person that sits in the session may delete its own; others need
   * Identity:Manage.
   *
   * `DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}`
   */
  delete(
    uuid: string,
    passkeyUuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identities/${segment(uuid)}/passkeys/${segment(passkeyUuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Confirms a passkey, so that it signs. Needs Identity:Manage, and every permission that the identity holds; in the session is a
   * person who had no part in the enrolment, and has held Identity:Manage since before it.
   *
   * `POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm`
   */
  confirm(
    uuid: string,
    passkeyUuid: string,
    body: types.ConfirmPasskey,
    options: CallOptions = {},
  ): Promise<types.Passkey> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/identities/${segment(uuid)}/passkeys/${segment(passkeyUuid)}/confirm`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Passkey>;
  }
}

export class IdentityBindings {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Whose tokens of identity providers stand for which identities. Needs Identity:Manage.
   *
   * `GET /api/v2/identity-bindings`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   *
   * `identityUuid`: Those of this identity.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string; identityUuid?: types.IdentityId } = {},
    options: CallOptions = {},
  ): Promise<types.IdentityBindingResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/identity-bindings",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityBindingResults>;
  }

  /**
   * Has tokens of an identity provider stand for an identity. Needs Identity:Manage, and every permission that the identity
   * holds.
   *
   * `POST /api/v2/identity-bindings`
   */
  create(
    body: types.CreateIdentityBinding,
    options: CallOptions = {},
  ): Promise<types.IdentityBinding> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/identity-bindings",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityBinding>;
  }

  /**
   * A binding of an identity to tokens of a provider. Needs Identity:Manage.
   *
   * `GET /api/v2/identity-bindings/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.IdentityBinding> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/identity-bindings/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityBinding>;
  }

  /**
   * Removes a binding, and ends the sessions of its identity. Needs Identity:Manage.
   *
   * `DELETE /api/v2/identity-bindings/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identity-bindings/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }
}

export class IdentityProviders {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The identity providers whose tokens are taken. Needs Identity:Manage.
   *
   * `GET /api/v2/identity-providers`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.IdentityProviderResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/identity-providers",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityProviderResults>;
  }

  /**
   * Has the tokens of an identity provider taken, once identities are bound to some of them. Needs Identity:Manage, which
   * takes two persons.
   *
   * `POST /api/v2/identity-providers`
   */
  create(
    body: types.CreateIdentityProvider,
    options: CallOptions = {},
  ): Promise<types.IdentityProvider> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/identity-providers",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityProvider>;
  }

  /**
   * An identity provider. Needs Identity:Manage.
   *
   * `GET /api/v2/identity-providers/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.IdentityProvider> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/identity-providers/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityProvider>;
  }

  /**
   * Changes an identity provider, and ends the sessions of all identities that are bound to it, unless only its name changes.
   * Needs Identity:Manage, and every permission of these identities.
   *
   * `PATCH /api/v2/identity-providers/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchIdentityProvider,
    options: CallOptions = {},
  ): Promise<types.IdentityProvider> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/identity-providers/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.IdentityProvider>;
  }

  /**
   * Removes an identity provider that no identity is bound to. Needs Identity:Manage.
   *
   * `DELETE /api/v2/identity-providers/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/identity-providers/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }
}

export class KeyTypes {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The key types, by name; page and filter are members of the body, which may be empty.
   *
   * `POST /api/v2/key-types/stubs`
   */
  list(
    body: types.ListQuery = {},
    options: CallOptions = {},
  ): Promise<types.KeyTypeStubResults> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/key-types/stubs",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.KeyTypeStubResults>;
  }
}

export class Keys {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Makes a data key.
   *
   * `POST /api/v2/keys`
   */
  create(
    body: types.CreateKey,
    options: CallOptions = {},
  ): Promise<types.Key> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/keys",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Key>;
  }

  /**
   * The keys, by name.
   *
   * `GET /api/v2/keys/stubs`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.KeyStubResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/keys/stubs",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.KeyStubResults>;
  }

  /**
   * A key; its secret is never answered.
   *
   * `GET /api/v2/keys/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Key> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/keys/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Key>;
  }

  /**
   * Renames a key, or changes what it may be used for.
   *
   * `PATCH /api/v2/keys/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchKey,
    options: CallOptions = {},
  ): Promise<types.Key> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/keys/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Key>;
  }

  /**
   * Switches a key off: nothing uses it until it is enabled again.
   *
   * `POST /api/v2/keys/{uuid}/disable`
   */
  disable(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Key> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/keys/${segment(uuid)}/disable`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Key>;
  }

  /**
   * Switches a key on again.
   *
   * `POST /api/v2/keys/{uuid}/enable`
   */
  enable(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Key> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/keys/${segment(uuid)}/enable`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Key>;
  }

  /**
   * Adds a version to a data key. A token profile that uses it goes on with the version that it names, until its
   * keyVersion is changed.
   *
   * `POST /api/v2/keys/{uuid}/rotate`
   */
  rotate(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Key> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/keys/${segment(uuid)}/rotate`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Key>;
  }
}

export class NoticeTargets {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The targets of notices, with what became of their notices.
   *
   * `GET /api/v2/notice-targets`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.NoticeTargetResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/notice-targets",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.NoticeTargetResults>;
  }

  /**
   * Makes a target of notices. Two persons have to be logged in.
   *
   * `POST /api/v2/notice-targets`
   */
  create(
    body: types.CreateNoticeTarget,
    options: CallOptions = {},
  ): Promise<types.NoticeTarget> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/notice-targets",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.NoticeTarget>;
  }

  /**
   * A target of notices; its secret is never answered.
   *
   * `GET /api/v2/notice-targets/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.NoticeTarget> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/notice-targets/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.NoticeTarget>;
  }

  /**
   * Changes a target of notices. Two persons have to be logged in. It is tried again at once.
   *
   * `PATCH /api/v2/notice-targets/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchNoticeTarget,
    options: CallOptions = {},
  ): Promise<types.NoticeTarget> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/notice-targets/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.NoticeTarget>;
  }

  /**
   * Removes a target of notices, and what waits for it. Two persons have to be logged in.
   *
   * `DELETE /api/v2/notice-targets/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/notice-targets/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Sends a notice of the kind `Test` to the target at once, and answers what came back. It is not stored, and not sent
   * again. Two persons have to be logged in.
   *
   * `POST /api/v2/notice-targets/{uuid}/test`
   */
  test(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.NoticeTested> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/notice-targets/${segment(uuid)}/test`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.NoticeTested>;
  }
}

export class Notices {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * What happened, the newest first, as far as the caller may see what it is about: approvers see all of requests and
   * proposals, submitters the own ones, everybody certificates, and who administers the server everything.
   *
   * `GET /api/v2/notices`
   *
   * `kind`: Only those of this kind.
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   */
  list(
    query: { kind?: types.NoticeKind; page?: number; pageSize?: number; after?: string } = {},
    options: CallOptions = {},
  ): Promise<types.NoticeItems> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/notices",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.NoticeItems>;
  }

  /**
   * Notices that wait for their targets, the newest first, with why they failed the last time.
   *
   * `GET /api/v2/notices/undelivered`
   *
   * `targetUuid`: Only those to this target, or to the mailbox of this identity.
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   */
  undelivered(
    query: { targetUuid?: types.NoticeTargetId; page?: number; pageSize?: number; after?: string } = {},
    options: CallOptions = {},
  ): Promise<types.UndeliveredNoticeItems> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/notices/undelivered",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.UndeliveredNoticeItems>;
  }
}

export class Roles {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Makes a role. Needs Identity:Manage, and every permission that the role shall have.
   *
   * `POST /api/v2/roles`
   */
  create(
    body: types.CreateRole,
    options: CallOptions = {},
  ): Promise<types.RoleCreated> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/roles",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.RoleCreated>;
  }

  /**
   * The roles that there are.
   *
   * `GET /api/v2/roles/stubs`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.RoleStubResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/roles/stubs",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.RoleStubResults>;
  }

  /**
   * A role. Needs Identity:Manage.
   *
   * `GET /api/v2/roles/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Role> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/roles/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Role>;
  }

  /**
   * Changes a role of one's own making. Needs Identity:Manage, and every permission that is added.
   *
   * `PATCH /api/v2/roles/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchRole,
    options: CallOptions = {},
  ): Promise<types.Role> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/roles/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Role>;
  }

  /**
   * Deletes a role that nobody holds. Needs Identity:Manage.
   *
   * `DELETE /api/v2/roles/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/roles/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }
}

export class Settings {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The settings of the installation. Needs System:Manage; by a cookie session also while API access is off.
   *
   * `GET /api/v2/system/settings`
   */
  get(
    options: CallOptions = {},
  ): Promise<types.Settings> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/system/settings",
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Settings>;
  }

  /**
   * Changes settings. Needs System:Manage; by a cookie session also while API access is off.
   *
   * `PATCH /api/v2/system/settings`
   */
  update(
    body: types.PatchSettings,
    options: CallOptions = {},
  ): Promise<types.Settings> {
    const call: Call = {
      method: "PATCH",
      path: "/api/v2/system/settings",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Settings>;
  }
}

export class TokenProfiles {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Makes a token profile. Needs Tokenization:Manage.
   *
   * `POST /api/v2/token-profiles`
   */
  create(
    body: types.CreateTokenProfile,
    options: CallOptions = {},
  ): Promise<types.TokenProfile> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/token-profiles",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfile>;
  }

  /**
   * Tokenizes up to 20 samples as a profile of this draft would, under a key that is thrown away. Samples are neither
   * logged nor stored. Needs Tokenization:Manage.
   *
   * `POST /api/v2/token-profiles/preview`
   */
  preview(
    body: types.PreviewRequest,
    options: CallOptions = {},
  ): Promise<types.PreviewAnswer> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/token-profiles/preview",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.PreviewAnswer>;
  }

  /**
   * The token profiles that there are, by name.
   *
   * `GET /api/v2/token-profiles/stubs`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.TokenProfileStubResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/token-profiles/stubs",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfileStubResults>;
  }

  /**
   * The names of the built-in templates.
   *
   * `GET /api/v2/token-profiles/template/names`
   */
  templateNames(
    options: CallOptions = {},
  ): Promise<types.TemplateNames> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/token-profiles/template/names",
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TemplateNames>;
  }

  /**
   * A built-in template: what to send to create a profile, but for the key and the rules.
   *
   * `GET /api/v2/token-profiles/template/{name}`
   */
  template(
    name: string,
    options: CallOptions = {},
  ): Promise<types.TokenProfileTemplate> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/token-profiles/template/${segment(name)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfileTemplate>;
  }

  /**
   * A token profile in full; what is read can be written back. Needs Tokenization:Manage.
   *
   * `GET /api/v2/token-profiles/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.TokenProfile> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/token-profiles/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfile>;
  }

  /**
   * Changes the members that are sent and checks the whole as create does. Once the profile has made tokens, what would
   * make them unreadable is refused. Needs Tokenization:Manage.
   *
   * `PATCH /api/v2/token-profiles/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchTokenProfile,
    options: CallOptions = {},
  ): Promise<types.TokenProfile> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/token-profiles/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfile>;
  }

  /**
   * Removes a token profile; nothing can read its tokens any more. Needs Tokenization:Manage.
   *
   * `DELETE /api/v2/token-profiles/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/token-profiles/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Turns tokens back into their messages, in the same order. Needs rules for Detokenize (or PartialDetokenize) and for
   * Batch.
   *
   * `POST /api/v2/token-profiles/{uuid}/batch-detokenize`
   */
  batchDetokenize(
    uuid: string,
    body: types.BatchDetokenizeRequest,
    options: CallOptions = {},
  ): Promise<types.BatchDetokenizationResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/batch-detokenize`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.BatchDetokenizationResponse>;
  }

  /**
   * Turns messages into their tokens, in the same order. Needs rules for Tokenize and for Batch.
   *
   * `POST /api/v2/token-profiles/{uuid}/batch-tokenize`
   */
  batchTokenize(
    uuid: string,
    body: types.BatchTokenizeRequest,
    options: CallOptions = {},
  ): Promise<types.BatchTokenizationResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/batch-tokenize`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.BatchTokenizationResponse>;
  }

  /**
   * What of the budgets of the profile's Control Rules is used in the windows that are open now. Needs Tokenization:Manage.
   *
   * `GET /api/v2/token-profiles/{uuid}/budgets`
   */
  budgets(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.TokenBudgets> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/token-profiles/${segment(uuid)}/budgets`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenBudgets>;
  }

  /**
   * Makes a profile with the members of this one, but for those that are sent; `objInfo.name` is needed. The copy's
   * tokens are its own, unless `tweakDomain` is sent. Needs Tokenization:Manage.
   *
   * `POST /api/v2/token-profiles/{uuid}/copy`
   */
  copy(
    uuid: string,
    body: types.PatchTokenProfile,
    options: CallOptions = {},
  ): Promise<types.TokenProfile> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/copy`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfile>;
  }

  /**
   * Turns a token back into its message: in clear, or masked where only a PartialDetokenize rule allows the caller.
   *
   * `POST /api/v2/token-profiles/{uuid}/detokenize`
   */
  detokenize(
    uuid: string,
    body: types.DetokenizeRequest,
    options: CallOptions = {},
  ): Promise<types.DetokenizationResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/detokenize`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.DetokenizationResponse>;
  }

  /**
   * Replaces all Control Rules of a token profile. Needs Tokenization:Manage.
   *
   * `PATCH /api/v2/token-profiles/{uuid}/permissions`
   */
  setPermissions(
    uuid: string,
    body: types.PatchPermissions,
    options: CallOptions = {},
  ): Promise<types.TokenProfile> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/token-profiles/${segment(uuid)}/permissions`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.TokenProfile>;
  }

  /**
   * Turns tokens of older key versions into tokens of the profile's, in the same order. Needs rules for Detokenize,
   * Tokenize and Batch.
   *
   * `POST /api/v2/token-profiles/{uuid}/rewrap`
   */
  rewrap(
    uuid: string,
    body: types.RewrapRequest,
    options: CallOptions = {},
  ): Promise<types.RewrapResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/rewrap`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.RewrapResponse>;
  }

  /**
   * Turns a message into its token. Needs a Control Rule for Tokenize, and a key whose usages contain Tokenize.
   *
   * `POST /api/v2/token-profiles/{uuid}/tokenize`
   */
  tokenize(
    uuid: string,
    body: types.TokenizeRequest,
    options: CallOptions = {},
  ): Promise<types.TokenizationResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/tokenize`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenizationResponse>;
  }

  /**
   * Whether a message has a token in a deterministic Random profile; none is made. Needs a Control Rule for Detokenize.
   *
   * `POST /api/v2/token-profiles/{uuid}/tokenized`
   */
  tokenized(
    uuid: string,
    body: types.TokenizedRequest,
    options: CallOptions = {},
  ): Promise<types.TokenizedResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/tokenized`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenizedResponse>;
  }

  /**
   * Removes a token of a Random profile, and its message with it; nothing brings them back. Needs Tokenization:Manage.
   *
   * `POST /api/v2/token-profiles/{uuid}/tokens/delete`
   */
  deleteToken(
    uuid: string,
    body: types.TokenRequest,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/tokens/delete`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }

  /**
   * Metadata and times of a token of a Random profile, without its message. Needs a Control Rule for Detokenize.
   *
   * `POST /api/v2/token-profiles/{uuid}/tokens/read`
   */
  readToken(
    uuid: string,
    body: types.TokenRequest,
    options: CallOptions = {},
  ): Promise<types.TokenRecord> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/tokens/read`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenRecord>;
  }

  /**
   * Puts the account number back into tokenized track data. Needs a rule for Detokenize; a partial one is not enough.
   *
   * `POST /api/v2/token-profiles/{uuid}/track-detokenize`
   */
  trackDetokenize(
    uuid: string,
    body: types.TrackDetokenizeRequest,
    options: CallOptions = {},
  ): Promise<types.TrackDetokenizationResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/track-detokenize`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TrackDetokenizationResponse>;
  }

  /**
   * Puts a token in the place of the account number of payment card track data (ISO/IEC 7813); the rest stays byte for
   * byte, a check character is recomputed. Needs a rule for Tokenize.
   *
   * `POST /api/v2/token-profiles/{uuid}/track-tokenize`
   */
  trackTokenize(
    uuid: string,
    body: types.TrackTokenizeRequest,
    options: CallOptions = {},
  ): Promise<types.TrackTokenizationResponse> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/track-tokenize`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TrackTokenizationResponse>;
  }
}

export class Grants {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The grants of the profile, and the requests for them, by their reasons: those of the caller; with Signing:Approve,
   * Tokenization:Manage or Audit:Read all of them.
   *
   * `GET /api/v2/token-profiles/{uuid}/grants`
   *
   * `waiting`: With `true`, only those that wait for approvals.
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the reason.
   */
  list(
    uuid: string,
    query: { waiting?: boolean; page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.DetokenizeGrantItems> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/token-profiles/${segment(uuid)}/grants`,
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.DetokenizeGrantItems>;
  }

  /**
   * Asks for approvals of detokenizing in full: of listed tokens, or of any of the profile, so many values for so long.
   * Needs a Control Rule for Detokenize that demands approvals.
   *
   * `POST /api/v2/token-profiles/{uuid}/grants`
   */
  request(
    uuid: string,
    body: types.RequestGrant,
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/grants`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }

  /**
   * One grant, with how much of it is used. For those who asked for it; others need Signing:Approve, Tokenization:Manage or
   * Audit:Read.
   *
   * `GET /api/v2/token-profiles/{uuid}/grants/{grantUuid}`
   */
  get(
    uuid: string,
    grantUuid: string,
    options: CallOptions = {},
  ): Promise<types.DetokenizeGrant> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/token-profiles/${segment(uuid)}/grants/${segment(grantUuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.DetokenizeGrant>;
  }

  /**
   * Ends a grant at once, on every server, or the request for one. For those who asked for it; others need Signing:Approve
   * or Tokenization:Manage.
   *
   * `POST /api/v2/token-profiles/{uuid}/grants/{grantUuid}/revoke`
   */
  revoke(
    uuid: string,
    grantUuid: string,
    body: types.DecideRequest = {},
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/token-profiles/${segment(uuid)}/grants/${segment(grantUuid)}/revoke`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }
}

export class Certificates {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The certificates that the query asks for, by name. Pages follow each other by `next`.
   *
   * `GET /api/v2/x509`
   *
   * `search`: A case-insensitive part of the subject. Certificates are looked through in the order of the list, some thousand a
   * call: a page may be short, and `next` goes on.
   *
   * `name`: How the name, the subject's common name, begins, in any letter case. It is found at once.
   *
   * `serialNumber`: The serial number in hexadecimal digits, of the issuer named or of any authority that issues here.
   *
   * `issuer`: What issued it.
   *
   * `status`: Where it stands.
   *
   * `keyAlgorithm`: The algorithm family of its key.
   *
   * `expiresBefore`: It ends before this moment: RFC 3339, such as `2027-01-01T00:00:00Z`. The list then is in the order of the ends.
   *
   * `pageSize`: Certificates a page, 1 to 1,000; by default 50.
   *
   * `after`: The `next` of the page before.
   */
  list(
    query: { search?: string; name?: string; serialNumber?: string; issuer?: types.CertificateId; status?: "Valid" | "Revoked" | "Held" | "Expired"; keyAlgorithm?: "Rsa" | "Ec" | "Ed25519" | "MlDsa" | "Aes" | "Hmac"; expiresBefore?: string; pageSize?: number; after?: string } = {},
    options: CallOptions = {},
  ): Promise<types.CertificatePage> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.CertificatePage>;
  }

  /**
   * The newest revocation lists of all authorities whose keys are here, one after the other in PEM; or that of one, in PEM or
   * DER. The answer has no envelope.
   *
   * `GET /api/v2/x509/crls/export`
   *
   * `issuer`: Only the list of this authority; by default those of all.
   *
   * `format`: The form; by default `pem`. `der` needs `issuer`.
   */
  exportCrls(
    query: { issuer?: types.CertificateId; format?: "pem" | "der" } = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509/crls/export",
      kind: "bytes",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * Makes a certificate with a new key: self-signed, or issued by a trusted authority.
   *
   * Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
   *
   * `POST /api/v2/x509/generate`
   */
  generate(
    body: types.GenerateCertificate,
    options: CallOptions = {},
  ): Promise<types.Issued> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/generate",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Issued>;
  }

  /**
   * Takes certificates that were issued elsewhere into the inventory, without keys. Needs CertManage:Manage.
   *
   * `POST /api/v2/x509/import`
   */
  importCertificates(
    body: types.ImportCertificates,
    options: CallOptions = {},
  ): Promise<types.Imported> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/import",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Imported>;
  }

  /**
   * Takes a certificate authority in with its private key; it issues here from then on. Needs CertManage:Export, and a
   * session of two people.
   *
   * `POST /api/v2/x509/import-key`
   */
  importAuthority(
    body: types.ImportAuthority,
    options: CallOptions = {},
  ): Promise<types.Imported> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/import-key",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Imported>;
  }

  /**
   * Issues a certificate for the key of a PKCS#10 request. Needs CertManage:Generate.
   *
   * Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
   *
   * `POST /api/v2/x509/requests`
   */
  request(
    body: types.RequestCertificate,
    options: CallOptions = {},
  ): Promise<types.Issued> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/requests",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Issued>;
  }

  /**
   * Approves a proposal, as `POST /api/v2/x509/proposals/{uuid}/approve` does. Needs Signing:Approve.
   *
   * `POST /api/v2/x509/requests/{uuid}/approve`
   */
  approveRequest(
    uuid: string,
    body: types.ApproveRequest = {},
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/requests/${segment(uuid)}/approve`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }

  /**
   * A certificate and where it stands.
   *
   * `GET /api/v2/x509/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Certificate> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Certificate>;
  }

  /**
   * Says who approves what an authority issues, under whichever profile; `numApprovals` 0 means nobody. Where it demands
   * approvals now, so does the change, which is then a proposal. Needs CertManage:Manage.
   *
   * `PUT /api/v2/x509/{uuid}/approval`
   */
  setApproval(
    uuid: string,
    body: types.ApprovalRules,
    options: CallOptions = {},
  ): Promise<types.IssuerApproval> {
    const call: Call = {
      method: "PUT",
      path: `/api/v2/x509/${segment(uuid)}/approval`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IssuerApproval>;
  }

  /**
   * A certificate as a file, alone (`pem`, `der`) or with its issuers (`chain`, `pkcs7`). The answer has no envelope.
   *
   * `GET /api/v2/x509/{uuid}/download`
   *
   * `format`: The form; by default `pem`.
   */
  download(
    uuid: string,
    query: { format?: "pem" | "der" | "chain" | "pkcs7" } = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/${segment(uuid)}/download`,
      kind: "bytes",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * Issues a certificate again, for the same names and another key. Needs CertManage:Generate.
   *
   * Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
   *
   * `POST /api/v2/x509/{uuid}/rekey`
   */
  rekey(
    uuid: string,
    body: types.RekeyCertificate,
    options: CallOptions = {},
  ): Promise<types.Issued> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/${segment(uuid)}/rekey`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Issued>;
  }

  /**
   * Releases a certificate that is on hold: it is valid again. Needs CertManage:Manage and two persons.
   *
   * `POST /api/v2/x509/{uuid}/release`
   */
  release(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Certificate> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/${segment(uuid)}/release`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Certificate>;
  }

  /**
   * Issues a certificate again, for the same key and names. Needs CertManage:Generate.
   *
   * Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.
   *
   * `POST /api/v2/x509/{uuid}/renew`
   */
  renew(
    uuid: string,
    body: types.RenewCertificate,
    options: CallOptions = {},
  ): Promise<types.Issued> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/${segment(uuid)}/renew`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Issued>;
  }

  /**
   * Revokes a certificate, or puts it on hold (`certificateHold`). Needs CertManage:Generate; for that of an authority, an
   * OCSP responder, a time stamp or a service CertManage:Manage and two persons.
   *
   * `POST /api/v2/x509/{uuid}/revoke`
   */
  revoke(
    uuid: string,
    body: types.RevokeCertificate,
    options: CallOptions = {},
  ): Promise<types.Certificate> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/${segment(uuid)}/revoke`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Certificate>;
  }
}

export class CertProfiles {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Makes a certificate profile. Needs CertManage:Manage.
   *
   * `POST /api/v2/x509/cert-profiles`
   */
  create(
    body: types.CreateCertProfile,
    options: CallOptions = {},
  ): Promise<types.CertProfile> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/cert-profiles",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.CertProfile>;
  }

  /**
   * The certificate profiles, by name.
   *
   * `GET /api/v2/x509/cert-profiles/stubs`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.CertProfileStubResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509/cert-profiles/stubs",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.CertProfileStubResults>;
  }

  /**
   * A certificate profile in full; what is read can be written back.
   *
   * `GET /api/v2/x509/cert-profiles/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.CertProfile> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/cert-profiles/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.CertProfile>;
  }

  /**
   * Changes the members that are sent and checks the whole as create does; what was issued stays as it is. A profile that
   * came with Chancery cannot be changed. Needs CertManage:Manage.
   *
   * `PATCH /api/v2/x509/cert-profiles/{uuid}`
   */
  update(
    uuid: string,
    body: types.PatchCertProfile,
    options: CallOptions = {},
  ): Promise<types.CertProfile> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/x509/cert-profiles/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.CertProfile>;
  }

  /**
   * Removes a certificate profile that no certificate names; any other can be disabled. Needs CertManage:Manage.
   *
   * `DELETE /api/v2/x509/cert-profiles/{uuid}`
   */
  delete(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Empty> {
    const call: Call = {
      method: "DELETE",
      path: `/api/v2/x509/cert-profiles/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.Empty>;
  }
}

export class Proposals {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Proposes to approve beforehand: a list of digests, or so many requests of one submitter. It serves once it has the
   * approvals that its policy demands of requests. Needs Signing:Submit.
   *
   * `POST /api/v2/x509/pre-approvals`
   */
  preApprove(
    body: types.CreatePreApproval,
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/pre-approvals",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }

  /**
   * The proposals that the caller may see: approvers and deployers all of them, others those that they made or may use.
   * Needs Signing:Approve, Services:Deploy, Signing:Submit, CertManage:Generate or CertManage:Manage.
   *
   * `GET /api/v2/x509/proposals`
   *
   * `kind`: Only proposals of this kind.
   *
   * `policyUuid`: Only proposals about this policy.
   *
   * `certProfileUuid`: Only proposals about this certificate profile.
   *
   * `issuerUuid`: Only proposals about this authority.
   *
   * `tokenProfileUuid`: Only proposals about this token profile.
   *
   * `waiting`: With `true`, only those that wait for approvals.
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { kind?: types.ProposalKind; policyUuid?: types.PolicyId; certProfileUuid?: types.CertProfileId; issuerUuid?: types.CertificateId; tokenProfileUuid?: types.TokenProfileId; waiting?: boolean; page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.ProposalStubItems> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509/proposals",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.ProposalStubItems>;
  }

  /**
   * Approves or denies many proposals, each by itself: what is refused for one leaves the others as they are. Needs
   * Signing:Approve; to deny own ones, what it took to make them.
   *
   * `POST /api/v2/x509/proposals/batch-approve-deny`
   */
  batchDecide(
    body: types.BatchDecideProposals,
    options: CallOptions = {},
  ): Promise<types.BatchDecidedProposals> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/proposals/batch-approve-deny",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.BatchDecidedProposals>;
  }

  /**
   * One proposal in full, with the text that is approved, and the uses of a pre-approval. Needs Signing:Approve,
   * Services:Deploy, Signing:Submit, CertManage:Generate or CertManage:Manage.
   *
   * `GET /api/v2/x509/proposals/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Proposal> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/proposals/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposal>;
  }

  /**
   * What each member of the session signs with a passkey to approve the proposal, where that is demanded. Nothing is kept of
   * it, and it is good for some minutes, in this session, once. Refused where an approval would be. Needs Signing:Approve.
   *
   * `GET /api/v2/x509/proposals/{uuid}/approval-statement`
   */
  approvalStatement(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.ApprovalStatements> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/proposals/${segment(uuid)}/approval-statement`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.ApprovalStatements>;
  }

  /**
   * Approves a proposal in the name of all identities of the session. The last approval that is needed puts it into
   * effect. Needs Signing:Approve.
   *
   * `POST /api/v2/x509/proposals/{uuid}/approve`
   */
  approve(
    uuid: string,
    body: types.ApproveRequest = {},
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/proposals/${segment(uuid)}/approve`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }

  /**
   * Denies a proposal; one denial is enough. Needs Signing:Approve, or to have made it.
   *
   * `POST /api/v2/x509/proposals/{uuid}/deny`
   */
  deny(
    uuid: string,
    body: types.DecideRequest = {},
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/proposals/${segment(uuid)}/deny`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }

  /**
   * Ends a pre-approval that took effect, at once. Needs Signing:Approve, or to have made it.
   *
   * `POST /api/v2/x509/proposals/{uuid}/revoke`
   */
  revoke(
    uuid: string,
    body: types.DecideRequest = {},
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/proposals/${segment(uuid)}/revoke`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }

  /**
   * Takes back a proposal that the session's identities made and that waits for approvals. Needs what it
   * took to make it.
   *
   * `POST /api/v2/x509/proposals/{uuid}/withdraw`
   */
  withdraw(
    uuid: string,
    body: types.DecideRequest = {},
    options: CallOptions = {},
  ): Promise<types.Proposed> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/proposals/${segment(uuid)}/withdraw`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Proposed>;
  }
}

export class Services {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The services with their signing policies and certificates.
   *
   * `GET /api/v2/x509/services`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  list(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.ServiceResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509/services",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.ServiceResults>;
  }

  /**
   * The services that there are.
   *
   * `GET /api/v2/x509/services/stubs`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name.
   */
  listStubs(
    query: { page?: number; pageSize?: number; after?: string; search?: string } = {},
    options: CallOptions = {},
  ): Promise<types.ServiceStubResults> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509/services/stubs",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.ServiceStubResults>;
  }

  /**
   * A service with its signing policies and its certificate.
   *
   * `GET /api/v2/x509/services/{serviceUuid}`
   */
  get(
    serviceUuid: string,
    options: CallOptions = {},
  ): Promise<types.Service> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/services/${segment(serviceUuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Service>;
  }

  /**
   * Changes a time-stamping authority: the policy that its stamps name, and whether it is the one that `/tsa` stands for.
   * Needs Services:Deploy. Its certificate is renewed; policies of signing services are changed by themselves.
   *
   * `PATCH /api/v2/x509/services/{serviceUuid}`
   */
  update(
    serviceUuid: string,
    body: types.ChangeService,
    options: CallOptions = {},
  ): Promise<types.ChangedService> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/x509/services/${segment(serviceUuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.ChangedService>;
  }

  /**
   * The approval that the certificates of a service need: what their issuer demands of everything that it issues.
   *
   * `GET /api/v2/x509/services/{serviceUuid}/issuance-policy`
   */
  getIssuancePolicy(
    serviceUuid: string,
    options: CallOptions = {},
  ): Promise<types.IssuancePolicy> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/issuance-policy`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.IssuancePolicy>;
  }

  /**
   * Changes it, as `PUT /api/v2/x509/{uuid}/approval` of the issuer does: where approvals are demanded now, so does the
   * change, which is then a proposal. Needs CertManage:Manage.
   *
   * `PATCH /api/v2/x509/services/{serviceUuid}/issuance-policy`
   */
  updateIssuancePolicy(
    serviceUuid: string,
    body: types.PatchIssuancePolicy,
    options: CallOptions = {},
  ): Promise<types.IssuancePolicy> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/issuance-policy`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.IssuancePolicy>;
  }

  /**
   * Gives a service a new certificate with a new key of the same kind; its uuid and its policies stay. Needs
   * Services:Deploy.
   *
   * Where the issuer demands approvals, the certificate waits for them, and the service keeps what it has.
   *
   * `POST /api/v2/x509/services/{serviceUuid}/renew`
   */
  renew(
    serviceUuid: string,
    body: types.RenewService = {},
    options: CallOptions = {},
  ): Promise<types.RenewedService> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/renew`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.RenewedService>;
  }

  /**
   * Revokes a service's certificate, or puts it on hold (`certificateHold`); the service then signs no more. Needs
   * CertManage:Manage and two persons.
   *
   * `POST /api/v2/x509/services/{serviceUuid}/revoke`
   */
  revoke(
    serviceUuid: string,
    body: types.RevokeCertificate,
    options: CallOptions = {},
  ): Promise<types.Certificate> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/revoke`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Certificate>;
  }

  /**
   * Deploys a signing service: makes its certificate, key and policy. Needs Services:Deploy.
   *
   * Where the issuer demands approvals, the certificate waits for them, and the service signs once it has it.
   *
   * `POST /cuserv/v1/services/deploy`
   */
  deploy(
    body: types.DeployRequest,
    options: CallOptions = {},
  ): Promise<types.DeployedService> {
    const call: Call = {
      method: "POST",
      path: "/cuserv/v1/services/deploy",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.DeployedService>;
  }
}

export class SigningPolicies {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The signing policies of a service.
   *
   * `GET /api/v2/x509/services/{serviceUuid}/signing-policies`
   */
  list(
    serviceUuid: string,
    options: CallOptions = {},
  ): Promise<types.SigningPolicyItems> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/signing-policies`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SigningPolicyItems>;
  }

  /**
   * Adds a policy to a service, at least as strict as those that are there. Needs Services:Deploy.
   *
   * `POST /api/v2/x509/services/{serviceUuid}/signing-policies`
   */
  create(
    serviceUuid: string,
    body: types.CreateSigningPolicy,
    options: CallOptions = {},
  ): Promise<types.SigningPolicy> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/signing-policies`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.SigningPolicy>;
  }

  /**
   * A signing policy.
   *
   * `GET /api/v2/x509/signing-policies/{uuid}`
   */
  get(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.SigningPolicy> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/signing-policies/${segment(uuid)}`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SigningPolicy>;
  }

  /**
   * Changes name, approvals, self-approval and rules of a policy; it is never laxer than the service's policies. Needs
   * Services:Deploy.
   *
   * `PATCH /api/v2/x509/signing-policies/{uuid}`
   */
  update(
    uuid: string,
    body: types.ChangeSigningPolicy,
    options: CallOptions = {},
  ): Promise<types.SigningPolicy> {
    const call: Call = {
      method: "PATCH",
      path: `/api/v2/x509/signing-policies/${segment(uuid)}`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.SigningPolicy>;
  }

  /**
   * What of the policy's budgets is used in the windows that are open now. Needs Services:Deploy.
   *
   * `GET /api/v2/x509/signing-policies/{uuid}/budgets`
   */
  budgets(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.PolicyBudgets> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/signing-policies/${segment(uuid)}/budgets`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.PolicyBudgets>;
  }
}

export class SigningRequests {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The signing requests of a service that the caller may see. Needs Signing:Submit or Signing:Approve.
   *
   * `GET /api/v2/x509/services/{serviceUuid}/signing-requests`
   *
   * `state`: Only requests in this state.
   *
   * `preApprovalUuid`: Only requests that this pre-approval stood in for.
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name, the note, or a value of the metadata.
   *
   * `metadata`: Only requests with these in their metadata: `metadata.NAME=VALUE`, several of which all hold.
   */
  listOfService(
    serviceUuid: string,
    query: { state?: types.SigningRequestState; preApprovalUuid?: types.ProposalId; page?: number; pageSize?: number; after?: string; search?: string; metadata?: Record<string, string> } = {},
    options: CallOptions = {},
  ): Promise<types.SigningRequestStubItems> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/services/${segment(serviceUuid)}/signing-requests`,
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SigningRequestStubItems>;
  }

  /**
   * The signing requests that the caller may see: approvers all of them, others the own ones. Needs Signing:Submit or
   * Signing:Approve.
   *
   * `GET /api/v2/x509/signing-requests`
   *
   * `state`: Only requests in this state.
   *
   * `preApprovalUuid`: Only requests that this pre-approval stood in for.
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `search`: A case-insensitive part of the name, the note, or a value of the metadata.
   *
   * `metadata`: Only requests with these in their metadata: `metadata.NAME=VALUE`, several of which all hold.
   */
  list(
    query: { state?: types.SigningRequestState; preApprovalUuid?: types.ProposalId; page?: number; pageSize?: number; after?: string; search?: string; metadata?: Record<string, string> } = {},
    options: CallOptions = {},
  ): Promise<types.SigningRequestStubItems> {
    const call: Call = {
      method: "GET",
      path: "/api/v2/x509/signing-requests",
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SigningRequestStubItems>;
  }

  /**
   * Submits a payload, or its digest, to be signed. Where the policy needs no approvals it is signed at once. Needs
   * Signing:Submit.
   *
   * `POST /api/v2/x509/signing-requests`
   */
  submit(
    body: types.SubmitRequest,
    options: CallOptions = {},
  ): Promise<types.Submitted> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/signing-requests",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Submitted>;
  }

  /**
   * Approves or denies many requests, each by itself: what is refused for one leaves the others as they are. With `digest` it
   * is one decision over all of them: where one is refused, or is not as it was shown, none is decided on. Needs
   * Signing:Approve; to deny own ones, Signing:Submit.
   *
   * `POST /api/v2/x509/signing-requests/batch-approve-deny`
   */
  batchDecide(
    body: types.BatchDecideRequest,
    options: CallOptions = {},
  ): Promise<types.BatchDecided> {
    const call: Call = {
      method: "POST",
      path: "/api/v2/x509/signing-requests/batch-approve-deny",
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.BatchDecided>;
  }

  /**
   * One signing request in full, with its signature once it is there. Needs Signing:Approve, or Signing:Submit for the own
   * ones.
   *
   * `GET /api/v2/x509/signing-requests/{uuid}`
   *
   * `include`: `uploadData` for the payload, `provenance` for the envelope of the provenance, `contents` for what is inside of the
   * payload, and what is new in a manifest.
   */
  get(
    uuid: string,
    query: { include?: "uploadData" | "provenance" | "contents" } = {},
    options: CallOptions = {},
  ): Promise<types.SigningRequest> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}`,
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SigningRequest>;
  }

  /**
   * What each member of the session signs with a passkey to approve the signing request, where that is demanded. Nothing is kept of
   * it, and it is good for some minutes, in this session, once. Refused where an approval would be. Needs Signing:Approve.
   *
   * `GET /api/v2/x509/signing-requests/{uuid}/approval-statement`
   */
  approvalStatement(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.ApprovalStatements> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/approval-statement`,
      kind: "envelope",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.ApprovalStatements>;
  }

  /**
   * Approves a request in the name of all identities of the session. The last approval that is needed signs it, and the
   * answer then has the signature. Needs Signing:Approve.
   *
   * `POST /api/v2/x509/signing-requests/{uuid}/approve`
   */
  approve(
    uuid: string,
    body: types.ApproveRequest = {},
    options: CallOptions = {},
  ): Promise<types.Approved> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/approve`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Approved>;
  }

  /**
   * Denies a request; one denial is enough. Needs Signing:Approve, or Signing:Submit for the own ones.
   *
   * `POST /api/v2/x509/signing-requests/{uuid}/deny`
   */
  deny(
    uuid: string,
    body: types.DecideRequest = {},
    options: CallOptions = {},
  ): Promise<types.Denied> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/deny`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Denied>;
  }

  /**
   * The items of a manifest in their order, each with its signature once it is there; at most 1,000 at a time. Needs
   * Signing:Approve, or Signing:Submit for the own ones.
   *
   * `GET /api/v2/x509/signing-requests/{uuid}/items`
   *
   * `page`: Page number, from 1.
   *
   * `pageSize`: Items a page, 1 to 1,000, which is also the default.
   *
   * `after`: In the place of `page`: the `next` of an answer to the same query.
   *
   * `include`: `inclusionProof` for the proofs that the signatures are in the transparency log, `changes` for what is new since the
   * last manifest.
   */
  items(
    uuid: string,
    query: { page?: number; pageSize?: number; after?: string; include?: "inclusionProof" | "changes" } = {},
    options: CallOptions = {},
  ): Promise<types.SignedItemItems> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/items`,
      kind: "envelope",
      query: query,
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SignedItemItems>;
  }

  /**
   * Submits a request that failed, or that waited too long, as a new request of the session. Needs Signing:Submit.
   *
   * `POST /api/v2/x509/signing-requests/{uuid}/repeat`
   */
  repeat(
    uuid: string,
    options: CallOptions = {},
  ): Promise<types.Submitted> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/repeat`,
      kind: "envelope",
      body: {},
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Submitted>;
  }

  /**
   * The uploaded file with its signature inside, for the formats that embed. Needs Signing:Approve, or Signing:Submit for
   * the own requests. The answer has no envelope.
   *
   * `GET /api/v2/x509/signing-requests/{uuid}/signed/download`
   */
  downloadSigned(
    uuid: string,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/signed/download`,
      kind: "bytes",
      isPublic: false,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * Takes back a request that the session's identities submitted and that waits for approvals. Needs Signing:Submit.
   *
   * `POST /api/v2/x509/signing-requests/{uuid}/withdraw`
   */
  withdraw(
    uuid: string,
    body: types.DecideRequest = {},
    options: CallOptions = {},
  ): Promise<types.Denied> {
    const call: Call = {
      method: "POST",
      path: `/api/v2/x509/signing-requests/${segment(uuid)}/withdraw`,
      kind: "envelope",
      body: body,
      isPublic: false,
      byCookie: false,
      repeatable: false,
      keyed: true,
    };
    return this.#caller.call(call, options) as Promise<types.Denied>;
  }
}

export class Public {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The certificate of a trusted authority, in DER.
   *
   * `GET /ca/{file}`
   */
  certificate(
    file: string,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: `/ca/${segment(file)}`,
      kind: "bytes",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * The newest revocation list of an authority, in DER: complete, or what changed since an earlier complete one.
   *
   * `GET /crl/{file}`
   */
  crl(
    file: string,
    conditions: { ifNoneMatch?: string; ifModifiedSince?: string } = {},
    options: CallOptions = {},
  ): Promise<Uint8Array | null> {
    const call: Call = {
      method: "GET",
      path: `/crl/${segment(file)}`,
      kind: "bytes",
      headers: { "If-None-Match": conditions.ifNoneMatch, "If-Modified-Since": conditions.ifModifiedSince },
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array | null>;
  }

  /**
   * Where certificates stand. What cannot be answered is said in the answer, as RFC 6960 wants it.
   *
   * `POST /ocsp`
   */
  ocsp(
    request: Uint8Array,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "POST",
      path: "/ocsp",
      kind: "bytes",
      octets: request,
      mediaType: "application/ocsp-request",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * The same; the request is in the path, in base64 and then URL-encoded. Slashes may be left as they are, since many
   * clients do so.
   *
   * `GET /ocsp/{request}`
   */
  ocspByPath(
    request: string,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: `/ocsp/${segment(request)}`,
      kind: "bytes",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * A time stamp (RFC 3161) of the default time-stamping authority. What cannot be stamped is said in the answer, as the
   * protocol wants it.
   *
   * `POST /tsa`
   */
  timeStamp(
    request: Uint8Array,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "POST",
      path: "/tsa",
      kind: "bytes",
      octets: request,
      mediaType: "application/timestamp-query",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * The same, of one authority among several.
   *
   * `POST /tsa/{serviceUuid}`
   */
  timeStampOf(
    serviceUuid: string,
    request: Uint8Array,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "POST",
      path: `/tsa/${segment(serviceUuid)}`,
      kind: "bytes",
      octets: request,
      mediaType: "application/timestamp-query",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }
}

export class Server {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The same document for people: a page that lists the operations with examples, makes calls, and shows INTERFACE.md.
   *
   * `GET /docs`
   */
  docs(
    options: CallOptions = {},
  ): Promise<string> {
    const call: Call = {
      method: "GET",
      path: "/docs",
      kind: "text",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<string>;
  }

  /**
   * What the server answers, endpoint by endpoint, in prose (Markdown).
   *
   * `GET /docs/interface.md`
   */
  docsProse(
    options: CallOptions = {},
  ): Promise<string> {
    const call: Call = {
      method: "GET",
      path: "/docs/interface.md",
      kind: "text",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<string>;
  }

  /**
   * Whether the process answers at all.
   *
   * `GET /healthz`
   */
  health(
    options: CallOptions = {},
  ): Promise<types.Health> {
    const call: Call = {
      method: "GET",
      path: "/healthz",
      kind: "json",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Health>;
  }

  /**
   * The process's counters in Prometheus' text format.
   *
   * `GET /metrics`
   */
  metrics(
    options: CallOptions = {},
  ): Promise<string> {
    const call: Call = {
      method: "GET",
      path: "/metrics",
      kind: "text",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<string>;
  }

  /**
   * The OpenAPI 3.1 document of this server.
   *
   * `GET /openapi.json`
   */
  openapi(
    options: CallOptions = {},
  ): Promise<unknown> {
    const call: Call = {
      method: "GET",
      path: "/openapi.json",
      kind: "json",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<unknown>;
  }

  /**
   * Whether the storage answers, the root key is loaded, and the server is not about to stop; says so when the installation is a demonstration.
   *
   * `GET /readyz`
   */
  readiness(
    options: CallOptions = {},
  ): Promise<types.Readiness> {
    const call: Call = {
      method: "GET",
      path: "/readyz",
      kind: "json",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.Readiness>;
  }
}

export class Session {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * Where the session stands that the cookie or the token belongs to, and who has logged in on it; nobody, where there is
   * none. To ask does not keep a session from running out.
   *
   * `GET /home/v1/login`
   */
  state(
    options: CallOptions = {},
  ): Promise<types.SessionAnswer> {
    const call: Call = {
      method: "GET",
      path: "/home/v1/login",
      kind: "json",
      isPublic: false,
      byCookie: true,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.SessionAnswer>;
  }

  /**
   * Logs an identity in, on the session of the cookie or on a new one. Roles with two logins are complete after the
   * second, of another identity. With `authType` `certificate` it is the identity that the client certificate of this connection
   * stands for; no other call looks at that. With `ldap` it is the one that an account of a directory stands for.
   *
   * `POST /home/v1/login`
   */
  login(
    body: types.LoginRequest,
    options: CallOptions = {},
  ): Promise<types.LoginAnswer> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.LoginAnswer>;
  }

  /**
   * Exchanges a token of an identity provider that is trusted here for a bearer token of the identity that it stands for. For
   * workloads, which need no secret for it. Nothing prolongs what is answered: there is no cookie.
   *
   * `POST /home/v1/login/exchange`
   */
  exchange(
    body: types.ExchangeToken,
    options: CallOptions = {},
  ): Promise<types.TokenExchanged> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/exchange",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.TokenExchanged>;
  }

  /**
   * The identity providers by which people may log in, and the directories: names and ids, for whoever is about to; and whether
   * this socket asks for client certificates.
   *
   * `GET /home/v1/login/oidc`
   */
  oidcProviders(
    options: CallOptions = {},
  ): Promise<types.OidcProviders> {
    const call: Call = {
      method: "GET",
      path: "/home/v1/login/oidc",
      kind: "json",
      isPublic: false,
      byCookie: true,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.OidcProviders>;
  }

  /**
   * Begins the login of a person by an identity provider, on the session of the cookie or on a new one. The browser goes on to
   * the address that is answered, and comes back to the callback with the cookie that this sets.
   *
   * `POST /home/v1/login/oidc`
   */
  beginOidc(
    body: types.BeginOidc,
    options: CallOptions = {},
  ): Promise<types.OidcBegun> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/oidc",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.OidcBegun>;
  }

  /**
   * Where an identity provider sends the browser of a person back to. On success it goes on to the console with a session; a
   * refusal is shown to browsers in the console, and to programs as usual.
   *
   * `GET /home/v1/login/oidc/callback`
   *
   * `code`: What an ID token is had for, once.
   *
   * `state`: Which request it answers.
   *
   * `iss`: Who answers (RFC 9207).
   *
   * `error`: Why there is no code.
   *
   * Answers where it redirects to, which is not followed; null in a browser, which does not tell.
   */
  finishOidc(
    query: { code?: string; state?: string; iss?: string; error?: string } = {},
    options: CallOptions = {},
  ): Promise<string | null> {
    const call: Call = {
      method: "GET",
      path: "/home/v1/login/oidc/callback",
      kind: "redirect",
      query: query,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<string | null>;
  }

  /**
   * What a passkey is to sign for a login. It is the same for everybody and says nothing of who has passkeys: the browser finds
   * the one that it has for this host. What it answers goes with name and password, as `passkey`, to POST /home/v1/login.
   *
   * `POST /home/v1/login/passkey`
   */
  passkeyChallenge(
    options: CallOptions = {},
  ): Promise<types.PasskeyChallenge> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/passkey",
      kind: "json",
      body: {},
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.PasskeyChallenge>;
  }

  /**
   * Sets one's own password, by the present one and the second factor, and ends the sessions of the identity. A password that
   * others gave for one use does this and nothing else.
   *
   * `POST /home/v1/login/password`
   */
  changePassword(
    body: types.ChangePassword,
    options: CallOptions = {},
  ): Promise<types.HomeAnswer> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/password",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.HomeAnswer>;
  }

  /**
   * A bearer token for a fully logged-in session.
   *
   * `GET /home/v1/login/token`
   */
  token(
    options: CallOptions = {},
  ): Promise<types.TokenAnswer> {
    const call: Call = {
      method: "GET",
      path: "/home/v1/login/token",
      kind: "json",
      isPublic: false,
      byCookie: true,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<types.TokenAnswer>;
  }

  /**
   * Makes a new secret of one-time codes for a person, and shows it this once. It counts once one of its codes has confirmed
   * it; until then, a login takes what it took before. Whoever has codes already shows a present one, or a passkey; whoever has none and
   * a passkey that was confirmed shows that.
   *
   * `POST /home/v1/login/totp`
   */
  enrolTotp(
    body: types.TotpCredentials,
    options: CallOptions = {},
  ): Promise<types.TotpSecret> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/totp",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.TotpSecret>;
  }

  /**
   * Makes the new secret the one whose codes logins take, in the place of a present one: `totp` is a code of the new one. No passkey
   * takes its place.
   *
   * `POST /home/v1/login/totp/confirm`
   */
  confirmTotp(
    body: types.TotpCredentials,
    options: CallOptions = {},
  ): Promise<types.HomeAnswer> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/totp/confirm",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.HomeAnswer>;
  }

  /**
   * Takes the codes away: logins take the password alone, or with a passkey. It takes one of the codes, or a passkey, and ends the
   * sessions of the identity.
   *
   * `POST /home/v1/login/totp/remove`
   */
  removeTotp(
    body: types.TotpCredentials,
    options: CallOptions = {},
  ): Promise<types.HomeAnswer> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/login/totp/remove",
      kind: "json",
      body: body,
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.HomeAnswer>;
  }

  /**
   * Ends the session, complete or half open, and every token of it.
   *
   * `POST /home/v1/logout`
   */
  logout(
    options: CallOptions = {},
  ): Promise<types.HomeAnswer> {
    const call: Call = {
      method: "POST",
      path: "/home/v1/logout",
      kind: "json",
      body: {},
      isPublic: false,
      byCookie: true,
      repeatable: false,
    };
    return this.#caller.call(call, options) as Promise<types.HomeAnswer>;
  }
}

export class Log {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /**
   * The newest signed checkpoint of the transparency log.
   *
   * `GET /log/checkpoint`
   */
  checkpoint(
    options: CallOptions = {},
  ): Promise<string> {
    const call: Call = {
      method: "GET",
      path: "/log/checkpoint",
      kind: "text",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<string>;
  }

  /**
   * A tile of the log's hashes, or a bundle of its entries.
   *
   * `GET /log/tile/{tile}`
   */
  tile(
    tile: string,
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const call: Call = {
      method: "GET",
      path: `/log/tile/${tile}`,
      kind: "bytes",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<Uint8Array>;
  }

  /**
   * The public key that checkpoints are verified with, under the log's name. Compare it with what you were given on
   * another way.
   *
   * `GET /log/vkey`
   */
  vkey(
    options: CallOptions = {},
  ): Promise<string> {
    const call: Call = {
      method: "GET",
      path: "/log/vkey",
      kind: "text",
      isPublic: true,
      byCookie: false,
      repeatable: true,
    };
    return this.#caller.call(call, options) as Promise<string>;
  }
}

/** Every operation of the interface as a method, in groups. */
export class Operations {
  readonly reports: Reports;
  readonly audit: Audit;
  readonly auditTargets: AuditTargets;
  readonly identities: Identities;
  readonly apiKeys: ApiKeys;
  readonly mailboxes: Mailboxes;
  readonly passkeys: Passkeys;
  readonly identityBindings: IdentityBindings;
  readonly identityProviders: IdentityProviders;
  readonly keyTypes: KeyTypes;
  readonly keys: Keys;
  readonly noticeTargets: NoticeTargets;
  readonly notices: Notices;
  readonly roles: Roles;
  readonly settings: Settings;
  readonly tokenProfiles: TokenProfiles;
  readonly grants: Grants;
  readonly certificates: Certificates;
  readonly certProfiles: CertProfiles;
  readonly proposals: Proposals;
  readonly services: Services;
  readonly signingPolicies: SigningPolicies;
  readonly signingRequests: SigningRequests;
  readonly public: Public;
  readonly server: Server;
  readonly session: Session;
  readonly log: Log;

  constructor(caller: Caller) {
    this.reports = new Reports(caller);
    this.audit = new Audit(caller);
    this.auditTargets = new AuditTargets(caller);
    this.identities = new Identities(caller);
    this.apiKeys = new ApiKeys(caller);
    this.mailboxes = new Mailboxes(caller);
    this.passkeys = new Passkeys(caller);
    this.identityBindings = new IdentityBindings(caller);
    this.identityProviders = new IdentityProviders(caller);
    this.keyTypes = new KeyTypes(caller);
    this.keys = new Keys(caller);
    this.noticeTargets = new NoticeTargets(caller);
    this.notices = new Notices(caller);
    this.roles = new Roles(caller);
    this.settings = new Settings(caller);
    this.tokenProfiles = new TokenProfiles(caller);
    this.grants = new Grants(caller);
    this.certificates = new Certificates(caller);
    this.certProfiles = new CertProfiles(caller);
    this.proposals = new Proposals(caller);
    this.services = new Services(caller);
    this.signingPolicies = new SigningPolicies(caller);
    this.signingRequests = new SigningRequests(caller);
    this.public = new Public(caller);
    this.server = new Server(caller);
    this.session = new Session(caller);
    this.log = new Log(caller);
  }
}
