// What stands in a certificate besides its names and its end: what it is good for, and its key. Read from the certificate itself.

import { Malformed, TAG, all, content, fromPem, oid, parts, whole } from "./der.js";
import { directoryName } from "./directory-name.js";
import { hex } from "./values.js";

/** @typedef {import("./der.js").Element} Element */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */
/**
 * Each is absent where it cannot be read, which hides no other.
 * @typedef {{
 *   der: Bytes | undefined, key: string | undefined, altNames: string[] | undefined, keyUsages: string[] | "any" | undefined, extendedKeyUsages: string[] | "any" | undefined,
 *   policies: string[] | undefined,
 *   constraints: {ca: boolean, pathLength: number | undefined} | undefined,
 * }} Content
 */

const BIT_STRING = 0x03;
const BOOLEAN = 0x01;
const EXTENSIONS = 0xa3;
const [ALT_NAME, KEY_USAGE, EXTENDED_KEY_USAGE, POLICIES, BASIC_CONSTRAINTS] = ["2.5.29.17", "2.5.29.15", "2.5.29.37", "2.5.29.32", "2.5.29.19"];
/** In the order of their bits (RFC 5280, 4.2.1.3). */
const KEY_USAGES = ["digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign", "cRLSign", "encipherOnly", "decipherOnly"];
/** @type {Record<string, string>} */
const PURPOSES = {
  "1.3.6.1.5.5.7.3.1": "serverAuth", "1.3.6.1.5.5.7.3.2": "clientAuth", "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection", "1.3.6.1.5.5.7.3.8": "timeStamping", "1.3.6.1.5.5.7.3.9": "OCSPSigning",
};
/** @type {Record<string, string>} */
const CURVES = { "1.2.840.10045.3.1.7": "P-256", "1.3.132.0.34": "P-384", "1.3.132.0.35": "P-521" };
/** @type {Record<string, string>} */
const KEYS = {
  "1.3.101.112": "Ed25519", "2.16.840.1.101.3.4.3.17": "ML-DSA-44", "2.16.840.1.101.3.4.3.18": "ML-DSA-65", "2.16.840.1.101.3.4.3.19": "ML-DSA-87",
};
const RSA = "1.2.840.113549.1.1.1";
const EC = "1.2.840.10045.2.1";
const UPN = "1.3.6.1.4.1.311.20.2.3";
/** Kinds of alternative names (RFC 5280, 4.2.1.6) that are texts, by their tags. @type {Record<number, string>} */
const TEXT_NAMES = { 0x81: "email", 0x82: "DNS", 0x86: "URI" };
const [OTHER_NAME, DIRECTORY_NAME, IP, REGISTERED_ID] = [0xa0, 0xa4, 0x87, 0x88];

/** @param {string} pem @returns {Content} */
export function readContent(pem) {
  const der = readable(() => fromPem(new TextEncoder().encode(pem), /^CERTIFICATE$/));
  const members = readable(() => parts(parts(whole(der ?? new Uint8Array()))[0]));
  const extensions = readable(() => members && extensionsOf(members));
  /** @template T, A @param {string} number @param {A} absent @param {(value: Element) => T} read @returns {T | A | undefined} */
  const extension = (number, absent, read) => readable(() => {
    if (!extensions) return undefined;
    const value = extensions.get(number);
    return value ? read(whole(value)) : absent;
  });
  return {
    der, key: readable(() => members && keyOf(members[members[0]?.tag === TAG.context0 ? 6 : 5])),
    altNames: extension(ALT_NAME, [], (names) => parts(names).map(altName)),
    keyUsages: extension(KEY_USAGE, "any", (usages) => bits(content(usages, BIT_STRING))),
    extendedKeyUsages: extension(EXTENDED_KEY_USAGE, "any", (purposes) => parts(purposes).map((one) => PURPOSES[oid(one)] ?? oid(one))),
    policies: extension(POLICIES, [], (policies) => parts(policies).map((one) => oid(parts(one)[0]))),
    constraints: extension(BASIC_CONSTRAINTS, { ca: false, pathLength: undefined }, (basic) => constraintsOf(parts(basic))),
  };
}

/** What can be read. @template T @param {() => T} read @returns {T | undefined} */
function readable(read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return undefined;
  }
}

/** What the extensions hold, which is read only of those that are known here. @param {Element[]} members */
function extensionsOf(members) {
  const wrapped = members.find((one) => one.tag === EXTENSIONS);
  return new Map((wrapped ? parts(parts(wrapped, EXTENSIONS)[0]) : []).map((one) => {
    const [number, ...rest] = parts(one);
    return [oid(number), /** @type {Bytes} */ (content(rest.at(-1), TAG.octets))];
  }));
}

/** The kind of a key and its size. @param {Element | undefined} spki */
function keyOf(spki) {
  const [algorithm, key] = parts(spki);
  const [type, parameters] = parts(algorithm);
  const number = oid(type);
  if (number === EC) return `EC ${CURVES[oid(parameters)] ?? oid(parameters)}`;
  if (number !== RSA) return KEYS[number] ?? number;
  // The number of unused bits stands before the key.
  const [modulus] = parts(whole(/** @type {Bytes} */ (content(key, BIT_STRING).subarray(1))));
  const digits = content(modulus, TAG.integer);
  const trimmed = digits[0] === 0 ? digits.subarray(1) : digits;
  return `RSA ${trimmed.length * 8 - Math.clz32(trimmed[0] ?? 0) + 24}`;
}

/** @param {Uint8Array} string of bits: how many of the last byte are none of it, and the bytes */
function bits(string) {
  const set = (/** @type {number} */ index) => ((string[1 + (index >> 3)] ?? 0) & (0x80 >> (index & 7))) !== 0;
  return KEY_USAGES.filter((_, index) => set(index));
}

/** @param {Element[]} members */
function constraintsOf([first, second]) {
  const ca = first?.tag === BOOLEAN && first.content[0] !== 0;
  const length = first?.tag === TAG.integer ? first : second;
  return { ca, pathLength: length && content(length, TAG.integer).reduce((sum, byte) => sum * 256 + byte, 0) };
}

/** An alternative name as it is asked for; of another kind, its number in RFC 5280 and its bytes. @param {Element} name */
const altName = (name) => readable(() => known(name)) ?? `[${name.tag & 0x1f}]:${hex(name.content)}`;

/** @param {Element} name */
function known(name) {
  const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);
  const kind = TEXT_NAMES[name.tag];
  if (kind) return `${kind}:${text(name.content)}`;
  if (name.tag === IP) return `IP:${address(name.content)}`;
  if (name.tag === DIRECTORY_NAME) return `dirName:${readable(() => directoryName(whole(name.content))) ?? hex(name.content)}`;
  if (name.tag === REGISTERED_ID) return `RID:${oid({ ...name, tag: TAG.oid })}`;
  if (name.tag !== OTHER_NAME) return undefined;
  const [type, value] = all(name.content);
  const inner = value && all(value.content)[0];
  return oid(type) === UPN && inner ? `UPN:${text(inner.content)}` : `${oid(type)}:${hex(inner?.content ?? new Uint8Array())}`;
}

/** @param {Uint8Array} bytes */
function address(bytes) {
  if (bytes.length === 4) return bytes.join(".");
  return (hex(bytes).match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, "")).join(":");
}
