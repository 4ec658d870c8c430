// Names of what the interface tells by uuid. Each is asked for once a visit of a page.

import { get } from "./api.js";
import { marked } from "./parts/people.js";

/** @typedef {import("./api.js").Json} Json */

/** Everything that a call asks for again and again is asked for once; a page that is opened anew asks anew. */
export class Names {
  /** @type {Map<string, Promise<Json>>} */
  #asked = new Map();

  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.signal = signal;
  }

  /** @param {string} path @returns {Promise<Json>} */
  #once(path) {
    const known = this.#asked.get(path);
    if (known) return known;
    const asked = get(path, undefined, this.signal);
    this.#asked.set(path, asked);
    return asked;
  }

  /** The service with its certificate and policies. @param {string} uuid */
  service(uuid) {
    return this.#once(`/api/v2/x509/services/${uuid}`);
  }

  /** Names of the first thousand services by their uuid. @returns {Promise<Map<string, string>>} */
  async services() {
    return byUuid(await this.#once("/api/v2/x509/services/stubs?pageSize=1000"));
  }

  /** @param {string} uuid */
  policy(uuid) {
    return this.#once(`/api/v2/x509/signing-policies/${uuid}`);
  }

  /** @param {string} uuid */
  certificate(uuid) {
    return this.#once(`/api/v2/x509/${uuid}`);
  }

  /** Names of roles by their uuid, each with what its letters are not: roles decide who approves. @returns {Promise<Map<string, string>>} */
  async roles() {
    const named = byUuid(await this.#once("/api/v2/roles/stubs?pageSize=1000"));
    return new Map([...named].map(([uuid, name]) => [uuid, marked(name)]));
  }

  /** The names of these roles. @param {string[] | null | undefined} uuids */
  async rolesNamed(uuids) {
    if (!uuids || uuids.length === 0) return [];
    const roles = await this.roles();
    return uuids.map((uuid) => roles.get(uuid) ?? uuid);
  }

  /** Names of the first thousand identities by their uuid. @returns {Promise<Map<string, string>>} */
  async identities() {
    return byUuid(await this.#once("/api/v2/identities/stubs?pageSize=1000"));
  }

  /** Names of the first thousand token profiles by their uuid. @returns {Promise<Map<string, string>>} */
  async tokenProfiles() {
    return byUuid(await this.#once("/api/v2/token-profiles/stubs?pageSize=1000"));
  }

  /** The first thousand certificate profiles by their uuid: what each is called, and for how long it says. @returns {Promise<Map<string, {name: string, validityPeriod: {unit: string, amount: string}}>>} */
  async certProfiles() {
    const { results } = await this.#once("/api/v2/x509/cert-profiles/stubs?pageSize=1000");
    return new Map(results.map((/** @type {Json} */ one) => [one["objInfo"].uuid, { name: one["objInfo"].name, validityPeriod: one["validityPeriod"] }]));
  }
}

/** @param {Json} answer @returns {Map<string, string>} */
function byUuid(answer) {
  return new Map(answer.results.map((/** @type {Json} */ one) => [one.objInfo.uuid, one.objInfo.name]));
}

/**
 * Does the same with each, a few at a time, and answers in their order.
 * @template A, B @param {A[]} items @param {(item: A) => Promise<B>} act @returns {Promise<B[]>}
 */
export async function each(items, act, atOnce = 6) {
  /** @type {B[]} */
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await act(/** @type {A} */ (items[index]));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
