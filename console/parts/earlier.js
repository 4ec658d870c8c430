// What was decided before on the same content, or under the same name: whoever asks again for what was denied does not say so.
// The interface does not look for digests, so lists are looked through, as far as that is bearable.

import { Refusal, get } from "../api.js";
import { each } from "../names.js";
import { folded } from "../visible.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {{denied: Json[], withdrawn: Json[]}} Refused denied by others, and taken back by those who asked: the newest first, in full */
/** @typedef {{repeated?: Json, same: Refused, named: Refused, signed?: Json, isAll: boolean}} Earlier */

const REQUESTS = "/api/v2/x509/signing-requests";
const PROPOSALS = "/api/v2/x509/proposals";
/** Pages of 1,000 that are looked through. */
const PAGES = 10;
/** Of so many, the newest, it is read who denied them. */
const DETAILS = 200;

/** Looks for it, and asks for nothing twice: many that wait may be like the same ones. */
export class Decided {
  /** @type {Map<string, Promise<Json | undefined>>} */
  #asked = new Map();
  /** @type {Promise<{items: Json[], isAll: boolean}> | undefined} */
  #denied;

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
  }

  /**
   * Requests that look like this one: the one that it repeats, where that was of something else; those that were denied, of the
   * same content or of the same name, whatever their policy; and one of the same name, content and policy that was signed.
   * @param {Json} request @returns {Promise<Earlier>}
   */
  async ofRequest(request) {
    const [repeated, denied, signed] = await Promise.all([
      request["repeatsUuid"] ? this.#detail(REQUESTS, request["repeatsUuid"]) : undefined, this.#deniedLike(request), this.#signed(request)]);
    const { read, isAll } = denied;
    const isSame = (/** @type {Json} */ one) => one["approvalDigest"] === request["approvalDigest"] || one["digest"] === request["digest"];
    const isOther = repeated && repeated["approvalDigest"] !== request["approvalDigest"];
    return {
      ...(isOther && { repeated }), same: refused(read.filter(isSame)), named: refused(read.filter((one) => !isSame(one))),
      ...(signed.found && { signed: signed.found }), isAll: isAll && signed.isAll };
  }

  /** Proposals of exactly the same that were denied. @param {Json} proposal @returns {Promise<{same: Refused, isAll: boolean}>} */
  async ofProposal(proposal) {
    const { kind, policyUuid, certProfileUuid, issuerUuid, tokenProfileUuid } = proposal;
    const { items, isAll } = await this.#list(PROPOSALS, { kind, policyUuid, certProfileUuid, issuerUuid, tokenProfileUuid });
    const denied = items.filter((one) => one["state"] === "Denied" && one["objInfo"].uuid !== proposal["objInfo"].uuid);
    const read = await this.#details(PROPOSALS, newest(denied).map((one) => one["objInfo"].uuid));
    return { same: refused(read.filter((one) => one["digest"] === proposal["digest"])), isAll: isAll && denied.length <= DETAILS };
  }

  /** @param {Json} request */
  async #deniedLike(request) {
    this.#denied ??= this.#list(REQUESTS, { state: "Denied" });
    const all = await this.#denied;
    // Where there are too many to look through, those of this name are still found.
    const more = all.isAll ? [] : (await this.#list(REQUESTS, { state: "Denied", search: request["name"] })).items;
    const others = new Map([...all.items, ...more].map((one) => [one["uuid"], one]));
    others.delete(request["uuid"]);
    const isSame = (/** @type {Json} */ one) => one["approvalDigest"] === request["approvalDigest"];
    const name = folded(request["name"]);
    const same = [...others.values()].filter(isSame);
    const named = [...others.values()].filter((one) => !isSame(one) && one["folded"] === name);
    const uuids = [newest(same), newest(named)].flat().map((one) => one["uuid"]);
    return { read: await this.#details(REQUESTS, uuids), isAll: all.isAll && Math.max(same.length, named.length) <= DETAILS };
  }

  /** @param {Json} request */
  async #signed(request) {
    const { items, isAll } = await this.#list(REQUESTS, { state: "Signed", search: request["name"] });
    const name = folded(request["name"]);
    const [one] = newest(items.filter((one) => one["folded"] === name && one["approvalDigest"] === request["approvalDigest"] && one["policyUuid"] === request["policyUuid"]));
    return { found: one && (await this.#detail(REQUESTS, one["uuid"])), isAll };
  }

  /** By a part of the name: whoever submits many with this name in theirs hides none of this name. @param {string} path @param {Record<string, string | undefined>} query */
  async #list(path, query) {
    /** @type {Json[]} */
    const items = [];
    let after;
    for (let pages = 0; pages < PAGES; pages += 1) {
      /** @type {Json | undefined} */
      const answer = await get(path, { ...query, pageSize: 1000, after }, this.signal).catch(none);
      items.push(...(answer?.["items"] ?? []).map((/** @type {Json} */ one) => ({ ...one, folded: folded(one["objInfo"].name) })));
      after = answer?.["next"];
      if (!after) return { items, isAll: true };
    }
    return { items, isAll: false };
  }

  /** @param {string} path @param {string[]} uuids @returns {Promise<Json[]>} */
  async #details(path, uuids) {
    const read = await each(uuids, (uuid) => this.#detail(path, uuid));
    return read.filter((one) => one !== undefined);
  }

  /** @param {string} path @param {string} uuid @returns {Promise<Json | undefined>} */
  #detail(path, uuid) {
    const known = this.#asked.get(uuid);
    if (known) return known;
    const asked = get(`${path}/${uuid}`, undefined, this.signal).catch(none);
    this.#asked.set(uuid, asked);
    return asked;
  }
}

/** Not everybody who reads one may look for others; whatever else is wrong is told. @param {unknown} error */
function none(error) {
  if (error instanceof Refusal && [403, 404].includes(error.status)) return undefined;
  throw error;
}

/** @param {Json[]} all */
const newest = (all) => all.toSorted((one, other) => (one["submittedAt"] < other["submittedAt"] ? 1 : -1)).slice(0, DETAILS);

/** Who ended it: nobody takes back what somebody else submitted. @param {Json} one @returns {Json | undefined} */
export const ended = (one) => one["approvals"].findLast((/** @type {Json} */ decided) => ["Deny", "Withdraw"].includes(decided["decision"]));

/** Whoever submitted something may end it themselves, which must hide no denial by others. @param {Json[]} all @returns {Refused} */
function refused(all) {
  const isByOthers = (/** @type {Json} */ one) => {
    const own = one["submittedBy"].map((/** @type {Json} */ identity) => identity["uuid"]);
    return (ended(one)?.["identities"] ?? [{}]).some((/** @type {Json} */ identity) => !own.includes(identity["uuid"]));
  };
  const at = (/** @type {Json} */ one) => ended(one)?.["decidedAt"] ?? one["decidedAt"] ?? "";
  const sorted = all.toSorted((one, other) => (at(one) < at(other) ? 1 : -1));
  return { denied: sorted.filter(isByOthers), withdrawn: sorted.filter((one) => !isByOthers(one)) };
}
