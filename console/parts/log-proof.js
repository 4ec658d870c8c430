// Proofs of the transparency log, checked here: the log's key, its signed checkpoint, and an entry's place below it. The same
// is in crates/chancery-verify/src/log; a test holds the verdicts of both against each other.

import { sha256, sha256OfText } from "./hashes.js";
import { base64Of, bytesOf, hex } from "./values.js";

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */
/** @typedef {{name: string, id: string, key: Bytes}} LogKey */
/** @typedef {{origin: string, size: number, root: Bytes}} Checkpoint */

/** The type of signature in notes: Ed25519. */
const ED25519 = 1;
/** More signatures than any note that is worth reading has. */
const SIGNATURES_MAX = 100;

/** Base64 that has one way to be written; nothing where it is another. @param {unknown} text @returns {Bytes | undefined} */
export function strictly(text) {
  if (typeof text !== "string") return undefined;
  try {
    const bytes = bytesOf(text);
    return base64Of(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** @param {...Uint8Array} pieces @returns {Bytes} */
export function joined(...pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** A log's key as `/log/vkey` answers it, `NAME+ID+KEY`; nothing where it is none. @param {string} text @returns {Promise<LogKey | undefined>} */
export async function readLogKey(text) {
  const [, name = "", id = "", encoded = ""] = /^([^\s+\p{Cc}]+)\+([0-9a-fA-F]{8})\+(.+)$/u.exec(text.trim()) ?? [];
  const key = strictly(encoded);
  if (key?.length !== 33 || key[0] !== ED25519) return undefined;
  const expected = await keyId(name, key);
  return expected === id.toLowerCase() ? { name, id: expected, key: key.slice(1) } : undefined;
}

/** SHA-256(name || 0x0A || type || key)[:4]. @param {string} name @param {Bytes} key */
const keyId = async (name, key) => hex((await sha256(joined(new TextEncoder().encode(`${name}\n`), key))).subarray(0, 4));

/**
 * The checkpoint in a note that this key has signed; else the name of what is wrong (c2sp.org/signed-note, tlog-checkpoint).
 * @param {unknown} note @param {LogKey} key @returns {Promise<Checkpoint | "form" | "unknown" | "signature">}
 */
export async function openCheckpoint(note, key) {
  const blank = typeof note === "string" ? note.lastIndexOf("\n\n") : -1;
  // No control character but the line feed.
  if (typeof note !== "string" || blank < 0 || !note.endsWith("\n") || /[\x00-\x09\x0b-\x1f\x7f]/.test(note)) return "form";
  const text = note.slice(0, blank + 1);
  const lines = note.slice(blank + 2, -1).split("\n");
  if (lines.length > SIGNATURES_MAX) return "form";
  /** @type {Bytes[]} */
  const own = [];
  for (const line of lines) {
    const [, name, encoded] = /^\u2014 ([^ ]*) (.*)$/.exec(line) ?? [];
    const bytes = strictly(encoded);
    if (!bytes || bytes.length < 4) return "form";
    if (name === key.name && hex(bytes.subarray(0, 4)) === key.id) own.push(bytes.slice(4));
  }
  const [signature, ...others] = own;
  if (!signature) return "unknown";
  if (others.length > 0) return "form";
  const imported = await crypto.subtle.importKey("raw", key.key, "Ed25519", false, ["verify"]);
  if (!(await crypto.subtle.verify("Ed25519", imported, signature, new TextEncoder().encode(text)))) return "signature";
  const checkpoint = readCheckpoint(text);
  return checkpoint?.origin === key.name ? checkpoint : checkpoint ? "unknown" : "form";
}

/** Lines after the third are extensions, which say nothing here. @param {string} text @returns {Checkpoint | undefined} */
function readCheckpoint(text) {
  const [origin = "", size = "", encoded, ...extensions] = text.slice(0, -1).split("\n");
  const root = strictly(encoded);
  const isWhole = /^(0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size)) && root?.length === 32;
  return origin && isWhole && !extensions.includes("") ? { origin, size: Number(size), root } : undefined;
}

/** SHA-256(0x01 || left || right). @param {Bytes} left @param {Bytes} right */
const nodeHash = (left, right) => sha256(joined(Uint8Array.of(1), left, right));

/**
 * Whether an entry is at this place of the tree with this root: RFC 9162, section 2.1.3.2.
 * @param {Bytes} entry @param {number} index @param {Checkpoint} tree @param {Bytes[]} path
 */
export async function isIncluded(entry, index, { size, root }, path) {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [f, s, r] = [index, size - 1, await sha256(joined(Uint8Array.of(0), entry))];
  const half = () => ([f, s] = [Math.floor(f / 2), Math.floor(s / 2)]);
  for (const p of path) {
    if (s === 0) return false;
    if (f % 2 === 1 || f === s) {
      r = await nodeHash(p, r);
      while (f % 2 === 0 && f !== 0) half();
    } else {
      r = await nodeHash(r, p);
    }
    half();
  }
  return s === 0 && hex(r) === hex(root);
}

/** The members of an entry of a signature, in their order. */
const FACTS = /** @type {const} */ (["time", "format", "hash", "digest", "certificate", "signature"]);
/** @typedef {Record<typeof FACTS[number], string>} Facts what the log's entry of a signature says, hashes in hexadecimal digits */

/**
 * Whether an entry says this of a signature, openly or under a salt; else the name of the first fact in which it differs.
 * @param {Bytes} entry @param {Facts} facts @param {Bytes | undefined} salt @returns {Promise<"same" | "other" | keyof Facts>}
 */
export async function compareEntry(entry, facts, salt) {
  const written = (/** @type {unknown} */ value) => JSON.stringify(value);
  const open = written({ kind: "signature", version: 1, ...Object.fromEntries(FACTS.map((name) => [name, facts[name]])) });
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(entry);
  const hidden = async (/** @type {Bytes} */ salt) => written({ kind: "commitment", version: 1, commitment: hex(await sha256(joined(salt, new TextEncoder().encode(open)))) });
  if (text === (salt ? await hidden(salt) : open)) return "same";
  try {
    const found = JSON.parse(text);
    const other = ["digest", "certificate", "signature", ...FACTS].find((name) => found[name] !== facts[/** @type {keyof Facts} */ (name)]);
    return found.kind === "signature" && !salt && other ? /** @type {keyof Facts} */ (other) : "other";
  } catch {
    return "other";
  }
}

/** The digest that stands for a manifest: of its lines as sha256sum prints them. @param {{name: string, digest: string}[]} items */
export const digestOfItems = (items) => sha256OfText(items.map((item) => `${hex(bytesOf(item.digest))}  ${item.name}\n`).join(""));
