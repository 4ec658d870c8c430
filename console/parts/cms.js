// CMS signatures (RFC 5652) of one signer, and signatures without any form, verified with WebCrypto under the certificate's
// key. Whether the certificate leads to a root that somebody trusts is not looked at here.

import { Malformed, TAG, all, content, fromPem, oid, parts, whole } from "./der.js";
import { hex } from "./values.js";

/** @typedef {import("./der.js").Element} Element */
/** @typedef {Uint8Array<ArrayBuffer>} Bytes */
/** @typedef {{der: Bytes, issuer: string, serial: string, subject: string, key: Bytes, algorithm: string, curve: string | undefined}} Certificate */
/** @typedef {{contentType: string, enclosed: Element | undefined, digestAlgorithm: Element, attributes: Map<string, Element[]>, signedBytes: Bytes, algorithm: Element, signature: Bytes, certificate: Certificate}} Signed */
/** @typedef {{name: string, saltLength?: number, hash?: string, isPss?: boolean}} Scheme */

/** What is signed in a form that cannot be looked at here: an algorithm, by its number. */
export class Unsupported extends Error {}

const SIGNED_DATA = "1.2.840.113549.1.7.2";
export const DATA = "1.2.840.113549.1.7.1";
/** Authenticode, SpcIndirectDataContent: what stands for a file. */
export const INDIRECT_DATA = "1.3.6.1.4.1.311.2.1.4";
const CONTENT_TYPE = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";

/** Hash functions that WebCrypto has, and those that are broken, by their numbers. @type {Record<string, string>} */
const HASHES = {
  "1.3.14.3.2.26": "SHA-1", "2.16.840.1.101.3.4.2.1": "SHA-256", "2.16.840.1.101.3.4.2.2": "SHA-384", "2.16.840.1.101.3.4.2.3": "SHA-512",
  "1.2.840.113549.2.5": "MD5", "1.3.36.3.2.1": "RIPEMD-160",
};
/** Those are refused, as chancery verify refuses them. */
const BROKEN = ["SHA-1", "MD5", "RIPEMD-160"];
/** Signature algorithms with a hash of their own. @type {Record<string, [name: string, hash: string]>} */
const ALGORITHMS = {
  "1.2.840.113549.1.1.5": ["RSASSA-PKCS1-v1_5", "SHA-1"], "1.2.840.113549.1.1.11": ["RSASSA-PKCS1-v1_5", "SHA-256"],
  "1.2.840.113549.1.1.12": ["RSASSA-PKCS1-v1_5", "SHA-384"], "1.2.840.113549.1.1.13": ["RSASSA-PKCS1-v1_5", "SHA-512"],
  "1.2.840.10045.4.1": ["ECDSA", "SHA-1"], "1.2.840.10045.4.3.2": ["ECDSA", "SHA-256"],
  "1.2.840.10045.4.3.3": ["ECDSA", "SHA-384"], "1.2.840.10045.4.3.4": ["ECDSA", "SHA-512"],
};
const RSA = "1.2.840.113549.1.1.1";
const PSS = "1.2.840.113549.1.1.10";
const MGF1 = "1.2.840.113549.1.1.8";
const EC = "1.2.840.10045.2.1";
const ED25519 = "1.3.101.112";
/** Curves, with the length of their numbers in bytes. @type {Record<string, [name: string, length: number]>} */
const CURVES = { "1.2.840.10045.3.1.7": ["P-256", 32], "1.3.132.0.34": ["P-384", 48], "1.3.132.0.35": ["P-521", 66] };
/** Shorter RSA keys are refused, as chancery verify refuses them. */
const RSA_BITS_MIN = 2048;
/** Certificates that a signature may carry. */
const CERTIFICATES_MAX = 64;

/** The hash function of an AlgorithmIdentifier. @param {Element | undefined} element */
function hashOfAlgorithm(element) {
  const number = oid(parts(element)[0]);
  const name = HASHES[number];
  if (!name) throw new Unsupported(number);
  return name;
}

/** A certificate's members that a signature needs (RFC 5280, 4.1). @param {Bytes} file PEM or DER @returns {Certificate} */
export function readCertificate(file) {
  const der = fromPem(file, /^(X509 )?CERTIFICATE$/);
  const tbs = parts(parts(whole(der))[0]);
  const [serial, , issuer, , subject, key] = tbs[0]?.tag === TAG.context0 ? tbs.slice(1) : tbs;
  if (!issuer || !subject || !key) throw new Malformed("no certificate");
  const [algorithm, parameters] = parts(parts(key)[0]);
  const curve = parameters?.tag === TAG.oid ? oid(parameters) : undefined;
  return { der, issuer: hex(issuer.whole), serial: hex(content(serial, TAG.integer)), subject: nameOf(subject), key: key.whole, algorithm: oid(algorithm), curve };
}

/** @type {Record<string, string>} */
const NAMES = { "2.5.4.3": "CN", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.5": "serialNumber" };

/** A name as people read it. @param {Element} name */
function nameOf(name) {
  return parts(name).flatMap((set) => parts(set, TAG.set)).map((pair) => {
    const [type, value] = parts(pair);
    const number = oid(type);
    return `${NAMES[number] ?? number}=${new TextDecoder(value?.tag === 0x1e ? "utf-16be" : "utf-8").decode(value?.content)}`;
  }).join(", ");
}

/** Reads a SignedData of one signer, with its certificate and signed attributes. @param {Bytes} der @returns {Signed} */
export function readCms(der) {
  const [type, wrapped] = parts(whole(der));
  if (oid(type) !== SIGNED_DATA) throw new Malformed("no SignedData");
  const [, algorithms, encapsulated, ...rest] = parts(parts(wrapped, TAG.context0)[0]);
  const [signer, ...others] = parts(rest.at(-1), TAG.set);
  if (others.length > 0) throw new Malformed("several signers");
  const [, sid, digestAlgorithm, attributes, algorithm, signature] = parts(signer);
  const listed = parts(algorithms, TAG.set).map((one) => oid(parts(one)[0]));
  if (!attributes || !algorithm || !digestAlgorithm || !listed.includes(oid(parts(digestAlgorithm)[0]))) throw new Malformed("no signer's digest algorithm");
  const [contentType, enclosed] = parts(encapsulated);
  const inside = parts(rest.find((one) => one.tag === TAG.context0), TAG.context0);
  if (inside.length > CERTIFICATES_MAX) throw new Malformed("too many certificates");
  const [issuer, serial] = parts(sid);
  const isSigner = (/** @type {Certificate} */ one) => one.issuer === hex(issuer?.whole ?? new Uint8Array()) && one.serial === hex(content(serial, TAG.integer));
  const certificate = inside.map((one) => readCertificate(one.whole)).find(isSigner);
  if (!certificate) throw new Malformed("the signer's certificate is not inside");
  return {
    contentType: oid(contentType), enclosed: enclosed && parts(enclosed, TAG.context0)[0], digestAlgorithm,
    attributes: attributesOf(attributes), signedBytes: asSet(attributes.whole), algorithm, signature: content(signature, TAG.octets), certificate,
  };
}

/** Attributes are signed as the SET that they are, not as the field that they stand in (RFC 5652, 5.4). @param {Bytes} bytes @returns {Bytes} */
const asSet = (bytes) => Uint8Array.from(bytes, (byte, index) => (index === 0 ? TAG.set : byte));

/** @param {Element} element */
function attributesOf(element) {
  /** @type {Map<string, Element[]>} */
  const found = new Map();
  for (const one of parts(element, TAG.context0)) {
    const [type, values] = parts(one);
    const name = oid(type);
    if (found.has(name)) throw new Malformed("an attribute stands there twice");
    found.set(name, parts(values, TAG.set));
  }
  return found;
}

/** The one value of an attribute that must be there. @param {Signed} signed @param {string} type */
function attribute({ attributes }, type) {
  const [value, ...others] = attributes.get(type) ?? [];
  if (!value || others.length > 0) throw new Malformed("an attribute is missing");
  return value;
}

/**
 * Whether a CMS signature is its signer's and over this digest: of a content that stands apart, or of a file that carries it.
 * @param {Signed} signed @param {Bytes} digest @param {boolean} isOfFile whether it is as Windows signs files
 * @returns {Promise<"good" | "content" | "signature" | "weak">}
 */
export async function verifyCms(signed, digest, isOfFile) {
  const hash = hashOfAlgorithm(signed.digestAlgorithm);
  if (BROKEN.includes(hash)) return "weak";
  const type = isOfFile ? INDIRECT_DATA : DATA;
  const isType = signed.contentType === type && oid(attribute(signed, CONTENT_TYPE)) === type;
  const expected = isOfFile ? await indirect(signed, hash, digest) : await detached(signed, hash, digest);
  if (!isType || !expected || hex(content(attribute(signed, MESSAGE_DIGEST), TAG.octets)) !== hex(expected)) return "content";
  return verifyBytes(signed.certificate, schemeOf(signed.algorithm, hash), signed.signature, signed.signedBytes);
}

/** What the attributes must name: the content's digest. Where it is enclosed all the same, it is the same one. @param {Signed} signed @param {string} hash @param {Bytes} digest */
async function detached({ enclosed }, hash, digest) {
  if (!enclosed) return digest;
  return hex(await hashed(hash, content(enclosed, TAG.octets))) === hex(digest) ? digest : undefined;
}

/** The digest of what stands for a file, if it names this one. @param {Signed} signed @param {string} hash @param {Bytes} digest */
async function indirect({ enclosed }, hash, digest) {
  const [, info] = parts(enclosed);
  const [algorithm, found] = parts(info);
  const isOfFile = hashOfAlgorithm(algorithm) === hash && hex(content(found, TAG.octets)) === hex(digest);
  return isOfFile && enclosed ? hashed(hash, enclosed.content) : undefined;
}

/** @param {string} hash @param {Bytes} bytes */
const hashed = async (hash, bytes) => new Uint8Array(await crypto.subtle.digest(hash, bytes));

/** How a CMS was signed. @param {Element} algorithm @param {string} hash @returns {Scheme} */
function schemeOf(algorithm, hash) {
  const [type, parameters] = parts(algorithm);
  const number = oid(type);
  if (number === RSA) return { name: "RSASSA-PKCS1-v1_5", hash };
  if (number === ED25519) return { name: "Ed25519" };
  if (number === PSS) return pss(parameters, hash);
  const [name, own] = ALGORITHMS[number] ?? [];
  if (!name || own !== hash) throw new Unsupported(number);
  return { name, hash };
}

/** RSASSA-PSS-params (RFC 4055, 3.1) with one hash throughout, which is what WebCrypto takes. @param {Element | undefined} parameters @param {string} hash @returns {Scheme} */
function pss(parameters, hash) {
  const [first, second, third, ...others] = parts(parameters);
  const [mask, maskHash] = parts(parts(second, TAG.context1)[0]);
  const saltLength = all(content(third, TAG.context2))[0]?.content ?? new Uint8Array();
  const isPlain = hashOfAlgorithm(parts(first, TAG.context0)[0]) === hash && oid(mask) === MGF1 && hashOfAlgorithm(maskHash) === hash && others.length === 0;
  if (!isPlain) throw new Unsupported(PSS);
  return { name: "RSA-PSS", hash, saltLength: saltLength.reduce((sum, byte) => sum * 256 + byte, 0) };
}

/** Whether a signature without any form is one of this content. @param {Certificate} certificate @param {string} hash a name of WebCrypto's @param {Bytes} signature @param {Bytes} message */
export async function verifyRaw(certificate, hash, signature, message) {
  if (BROKEN.includes(hash)) return "weak";
  const saltLength = Number(hash.slice(-3)) / 8;
  /** @type {Scheme[]} */
  const schemes = certificate.algorithm === RSA ? [{ name: "RSASSA-PKCS1-v1_5", hash }, { name: "RSA-PSS", hash, saltLength }]
    : [{ name: certificate.algorithm === ED25519 ? "Ed25519" : "ECDSA", hash }];
  let found = /** @type {"good" | "signature" | "weak"} */ ("signature");
  for (const scheme of schemes) if (found === "signature") found = await verifyBytes(certificate, scheme, signature, message);
  return found;
}

/**
 * @param {Certificate} certificate @param {Scheme} scheme @param {Bytes} signature @param {Bytes} message
 * @returns {Promise<"good" | "signature" | "weak">}
 */
async function verifyBytes({ key, algorithm, curve }, { name, hash, saltLength }, signature, message) {
  const kind = { [RSA]: "RSA", [EC]: "EC", [ED25519]: "Ed" }[algorithm];
  const [curveName, length = 0] = CURVES[curve ?? ""] ?? [];
  if (!kind || (kind === "EC" && !curveName)) throw new Unsupported(curve ?? algorithm);
  if (!name.startsWith(kind)) return "signature";
  const parameters = kind === "EC" ? { name, namedCurve: curveName ?? "" } : { name, hash: hash ?? "" };
  const imported = await crypto.subtle.importKey("spki", key, parameters, true, ["verify"]);
  if (kind === "RSA" && /** @type {RsaHashedKeyAlgorithm} */ (imported.algorithm).modulusLength < RSA_BITS_MIN) return "weak";
  const given = kind === "EC" ? numbers(signature, length) : signature;
  const how = { name, hash: hash ?? "", saltLength: saltLength ?? 0 };
  return given && (await crypto.subtle.verify(how, imported, given, message)) ? "good" : "signature";
}

/** ECDSA-Sig-Value as WebCrypto takes it: both numbers at their full length. @param {Bytes} signature @param {number} length */
function numbers(signature, length) {
  const both = new Uint8Array(2 * length);
  const pair = parts(whole(signature));
  for (const [index, one] of pair.entries()) {
    const digits = content(one, TAG.integer);
    const trimmed = digits[0] === 0 ? digits.subarray(1) : digits;
    if (pair.length !== 2 || (digits[0] ?? 0) >= 0x80 || trimmed.length > length) return undefined;
    both.set(trimmed, (index + 1) * length - trimmed.length);
  }
  return both;
}
