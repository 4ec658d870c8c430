// Names of X.500 as the server prints them (crates/chancery-x509/src/dn/print.rs): RFC 4514, the most specific part first.

import { Malformed, TAG, oid, parts } from "./der.js";
import { hex } from "./values.js";

/** @typedef {import("./der.js").Element} Element */

/** @type {Record<string, string>} */
const NAMES = {
  "2.5.4.3": "CN", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.6": "C", "2.5.4.9": "STREET", "2.5.4.17": "postalCode",
  "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID", "1.2.840.113549.1.9.1": "emailAddress", "2.5.4.5": "serialNumber",
  "2.5.4.46": "dnQualifier", "2.5.4.12": "title", "2.5.4.42": "GN", "2.5.4.4": "SN", "2.5.4.43": "initials", "2.5.4.44": "generationQualifier",
  "2.5.4.65": "pseudonym", "2.5.4.97": "organizationIdentifier",
};

/** How texts are written, by their tags: UTF8String, NumericString, PrintableString, IA5String, BMPString. @type {Record<number, string>} */
const TEXTS = { 0x0c: "utf-8", 0x12: "utf-8", 0x13: "utf-8", 0x16: "utf-8", 0x1e: "utf-16be" };

/** "CN=…,O=…". @param {Element} name @throws {Malformed} */
export const directoryName = (name) =>
  parts(name).reverse().map((set) => parts(set, TAG.set).map(attribute).join("+")).join(",");

/** One whose kind or text is not known is printed as its encoding (RFC 4514, 2.4). @param {Element} pair */
function attribute(pair) {
  const [type, value] = parts(pair);
  if (!value) throw new Malformed("a name's part has no value");
  const number = oid(type);
  const text = NAMES[number] && textOf(value);
  return text === undefined ? `${number}=#${hex(value.whole)}` : `${NAMES[number]}=${escaped(text)}`;
}

/** @param {Element} value */
function textOf(value) {
  const encoding = TEXTS[value.tag];
  try {
    return encoding && new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(value.content);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** @param {string} text */
const escaped = (text) => text
  .replace(/["+,;<>\\]|^#|^ | $/g, "\\$&")
  .replace(/[\0-\x1f\x7f]/g, (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
