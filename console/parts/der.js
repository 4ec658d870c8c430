// DER (X.690), as far as signatures and certificates need it: read strictly, so that nothing has two readings.

/** @typedef {{tag: number, whole: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>}} Element */

/** Tags of X.690 and of the classes that CMS uses. */
export const TAG = { integer: 0x02, octets: 0x04, oid: 0x06, sequence: 0x30, set: 0x31, context0: 0xa0, context1: 0xa1, context2: 0xa2 };

/** What is not DER, or not of the form that was expected. */
export class Malformed extends Error {}

/** The one element that these bytes are. @param {Uint8Array<ArrayBuffer>} bytes @param {number} [tag] what it must be @returns {Element} */
export function whole(bytes, tag) {
  const [one, ...others] = all(bytes);
  if (!one || others.length > 0 || (tag !== undefined && one.tag !== tag)) throw new Malformed("not one element of DER");
  return one;
}

/** The elements that follow one another. @param {Uint8Array<ArrayBuffer>} bytes @returns {Element[]} */
export function all(bytes) {
  /** @type {Element[]} */
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const element = one(bytes, at);
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

/** The parts of a sequence or a set. @param {Element | undefined} element @param {number} [tag] what it must be */
export function parts(element, tag = TAG.sequence) {
  return all(content(element, tag));
}

/** @param {Element | undefined} element @param {number} tag what it must be */
export function content(element, tag) {
  if (element?.tag !== tag) throw new Malformed("another element of DER was expected");
  return element.content;
}

/** Long enough for any length that fits into memory. */
const LENGTH_BYTES_MAX = 4;

/** @param {Uint8Array<ArrayBuffer>} bytes @param {number} at @returns {Element} */
function one(bytes, at) {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new Malformed("no element of DER");
  let [start, length] = [at + 2, first];
  if (first >= 0x80) {
    const count = first & 0x7f;
    const digits = bytes.subarray(start, start + count);
    length = digits.reduce((sum, digit) => sum * 256 + digit, 0);
    // Neither an indefinite length nor one that would have been shorter.
    if (count === 0 || count > LENGTH_BYTES_MAX || digits.length < count || digits[0] === 0 || length < 0x80) throw new Malformed("no length of DER");
    start += count;
  }
  if (start + length > bytes.length) throw new Malformed("DER is cut off");
  return { tag, whole: bytes.subarray(at, start + length), content: bytes.subarray(start, start + length) };
}

/** An object identifier in its digits and dots. @param {Element | undefined} element */
export function oid(element) {
  const bytes = content(element, TAG.oid);
  const arcs = [];
  let arc = 0;
  for (const [index, byte] of bytes.entries()) {
    if (arc === 0 && byte === 0x80) throw new Malformed("no object identifier");
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    } else if (index === bytes.length - 1) {
      throw new Malformed("no object identifier");
    }
  }
  const [first = 0, ...rest] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - 40 * top, ...rest].join(".");
}

/** The DER of a file: itself, or one block of PEM with one of these names, whatever stands around it. @param {Uint8Array<ArrayBuffer>} file @param {RegExp} names */
export function fromPem(file, names) {
  if (file[0] === TAG.sequence) return file;
  const text = new TextDecoder().decode(file);
  const block = [...text.matchAll(/-----BEGIN ([A-Z0-9 #]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g)].find(([, name = ""]) => names.test(name));
  if (!block) throw new Malformed("neither DER nor PEM");
  try {
    return Uint8Array.from(atob((block[2] ?? "").replace(/\s/g, "")), (character) => character.charCodeAt(0));
  } catch {
    throw new Malformed("no base64");
  }
}
