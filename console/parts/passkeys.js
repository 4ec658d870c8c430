// Passkeys: made by the person, confirmed by a second one, and used to log in with besides the password, and to sign what the
// server says that an approval is of.

import { Refusal, get, patch, plain, post, remove } from "../api.js";
import { h } from "../dom.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";
import { done } from "./done.js";
import { askSlowly, field, form, input } from "./form.js";
import { table } from "./table.js";
import { digest, moment } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {string} uuid */
export const passkeysPath = (uuid) => `/api/v2/identities/${uuid}/passkeys`;

/**
 * The passkeys of a person, with what may be done with them.
 * @param {string} uuid @param {Json[]} passkeys @param {"own" | "none" | "other"} whose `none`: one's own, where none can be made
 */
export function passkeys(uuid, passkeys, whose) {
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ row) => shown(row["objInfo"].name) },
    { title: t("passkey.digest"), cell: (/** @type {Json} */ row) => digest(row["publicKeySha256"]) },
    { title: t("passkey.confirmed"), cell: (/** @type {Json} */ row) => confirmed(row, uuid, whose) },
    { title: t("passkey.used"), cell: (/** @type {Json} */ row) => (row["lastUsedAt"] ? moment(row["lastUsedAt"]) : t("passkey.never")) },
    { title: t("cert.do"), cell: (/** @type {Json} */ row) => [whose !== "other" && renaming(row, uuid), removal(row, uuid)] },
  ];
  return h("section", { class: "passkeys" },
    h("h2", {}, t("passkey.title")),
    h("p", {}, t(whose === "other" ? "passkey.whatTheirs" : "passkey.what")),
    passkeys.length > 0 ? table(columns, passkeys, t("passkey.title")) : h("p", { class: "quiet" }, t("passkey.none")),
    whose === "own" && making(uuid),
    whose === "none" && h("p", { class: "state still long" }, t("passkey.notHere")));
}

/** @param {Json} row @param {string} uuid @param {"own" | "none" | "other"} whose */
function confirmed(row, uuid, whose) {
  if (row["confirmedAt"]) {
    const people = row["confirmedBy"].map((/** @type {Json} */ one) => one["name"]).join(" + ");
    return [moment(row["confirmedAt"]), " ", shown(people)];
  }
  const waits = tn("passkey.waits", { time: moment(row["confirmUntil"]) });
  return whose !== "other" ? [waits, " ", t("passkey.readOut")] : [waits, " ", confirming(row, uuid)];
}

/** @param {Json} row @param {string} uuid */
function confirming(row, uuid) {
  const act = async () => {
    // What is shown here, and no other that it became meanwhile.
    await post(`${passkeysPath(uuid)}/${row["objInfo"].uuid}/confirm`, { publicKeySha256: row["publicKeySha256"] });
    await done(t("passkey.confirm"));
  };
  const what = h("div", {}, h("p", {}, t("passkey.compare")), h("p", {}, digest(row["publicKeySha256"])));
  const ask = () => askSlowly({ title: t("passkey.confirm"), what, name: row["objInfo"].name, submit: t("passkey.confirm"), act });
  return h("button", { type: "button", onclick: ask }, t("passkey.confirm"));
}

/** @param {Json} row @param {string} uuid */
function renaming(row, uuid) {
  const name = field(t("fact.name"), input({ value: row["objInfo"].name, maxlength: 255 }), { pointer: "/name" });
  const act = async () => (await patch(`${passkeysPath(uuid)}/${row["objInfo"].uuid}`, { name: name.control.value }), await done(t("keys.rename")));
  return h("details", {}, h("summary", {}, t("keys.rename")), form({ fields: [name], submit: t("keys.rename"), act }));
}

/** @param {Json} row @param {string} uuid */
function removal(row, uuid) {
  const act = async () => (await remove(`${passkeysPath(uuid)}/${row["objInfo"].uuid}`), await done(t("passkey.remove")));
  const ask = () => askSlowly({ title: t("passkey.remove"), what: h("p", {}, t("passkey.removeWhat")), name: row["objInfo"].name, submit: t("passkey.remove"), act });
  return h("button", { type: "button", class: "danger", onclick: ask }, t("passkey.remove"));
}

/** @param {string} uuid */
function making(uuid) {
  const name = field(t("fact.name"), input({ maxlength: 255, placeholder: t("passkey.nameHelp") }), { pointer: "/name" });
  const act = async () => {
    const { publicKey, ticket } = await post(`${passkeysPath(uuid)}/begin`);
    const made = await asked(() => navigator.credentials.create({ publicKey: creation(publicKey) }));
    const response = /** @type {AuthenticatorAttestationResponse} */ (made.response);
    await post(passkeysPath(uuid), {
      name: name.control.value, ticket,
      credential: { id: made.id, response: { clientDataJSON: text(response.clientDataJSON), attestationObject: text(response.attestationObject) } },
    });
    await done(t("passkey.make"));
  };
  return form({ fields: [name], submit: t("passkey.make"), act });
}

/**
 * What each person of the session signs so that something is approved. It is asked of the server once: what was saved, to be looked
 * at elsewhere, is what is signed.
 * @typedef {{file: () => Promise<Blob>, send: (post: (signed: Json) => Promise<Json>) => Promise<Json>}} ToSign
 */

/** @param {string} path of what is approved @returns {ToSign} */
export function toSign(path) {
  /** @type {Json | undefined} */
  let kept;
  const read = async () => (kept ??= await get(`${path}/approval-statement`));
  const file = async () => {
    const answer = await read();
    if (!answer["demanded"]) throw new Refusal(0, "NoPasskey", t("passkey.notDemanded"));
    return new Blob([JSON.stringify(answer, null, 2)]);
  };
  const send = async (/** @type {(signed: Json) => Promise<Json>} */ post) => {
    const all = [];
    for (const one of (await read())["statements"]) all.push(await signature(one));
    // Whatever the server says of it, it is used.
    return post(all.length > 0 ? { assertions: all } : {}).finally(() => (kept = undefined));
  };
  return { file, send };
}

/** @param {Json} statement */
async function signature({ identity, publicKey, ticket }) {
  if (publicKey.allowCredentials.length === 0) throw new Refusal(403, "NotAuthorized", t("passkey.hasNone", { name: identity.name }));
  return { ticket, credential: await signed(publicKey) };
}

/** What a passkey signs of a challenge that says nothing of who logs in: the browser knows those that it has for this host. */
export async function loginPasskey() {
  const { publicKey, ticket } = await plain("POST", "/home/v1/login/passkey");
  return { ticket, credential: await signed(publicKey) };
}

/** @param {Json} publicKey what the server asks for */
async function signed(publicKey) {
  const made = await asked(() => navigator.credentials.get({ publicKey: request(publicKey) }));
  const { clientDataJSON, authenticatorData, signature } = /** @type {AuthenticatorAssertionResponse} */ (made.response);
  return { id: made.id, response: { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature) } };
}

/** What a passkey answers; why there is none in words of ours. @param {() => Promise<Credential | null>} ask @returns {Promise<PublicKeyCredential>} */
async function asked(ask) {
  if (!("credentials" in navigator)) throw new Refusal(0, "NoPasskeys", t("passkey.noBrowser"));
  let answer;
  try {
    answer = await ask();
  } catch (error) {
    const known = error instanceof DOMException && error.name === "InvalidStateError";
    throw new Refusal(0, "NoPasskey", t(known ? "passkey.hasAlready" : "passkey.refused"));
  }
  if (!(answer instanceof PublicKeyCredential)) throw new Refusal(0, "NoPasskey", t("passkey.refused"));
  return answer;
}

/** @param {Json} options @returns {PublicKeyCredentialCreationOptions} */
const creation = (options) => /** @type {any} */ ({
  ...options, challenge: bytes(options["challenge"]), user: { ...options["user"], id: bytes(options["user"].id) },
  excludeCredentials: options["excludeCredentials"].map(descriptor),
});

/** @param {Json} options @returns {PublicKeyCredentialRequestOptions} */
const request = (options) => /** @type {any} */ ({ ...options, challenge: bytes(options["challenge"]), allowCredentials: options["allowCredentials"].map(descriptor) });

/** @param {Json} one */
const descriptor = (one) => ({ ...one, id: bytes(one["id"]) });

/** @param {string} base64url */
function bytes(base64url) {
  const binary = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** In base64url. @param {ArrayBuffer} buffer */
function text(buffer) {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
