// Digests of files, made in the browser: the file does not travel. WebCrypto takes a whole file at once, so large files go
// through a SHA-256 of our own, a piece at a time.

/** Beyond this a file is not read into memory as a whole. */
const WHOLE_MAX = 64 * 1024 * 1024;
const PIECE = 4 * 1024 * 1024;

/** The interface's hash types that WebCrypto has. @type {Record<string, string>} */
export const WEB_CRYPTO = { Sha1: "SHA-1", Sha2_256: "SHA-256", Sha2_384: "SHA-384", Sha2_512: "SHA-512" };

/** Whether the digest of a file of this size can be made here. @param {string} hashType @param {number} bytes */
export function canHash(hashType, bytes) {
  return hashType === "Sha2_256" || (hashType in WEB_CRYPTO && bytes <= WHOLE_MAX);
}

/**
 * @param {Blob} file @param {string} hashType
 * @param {(done: number) => void} [progress] told how many bytes are done
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function hashOf(file, hashType, progress) {
  const name = WEB_CRYPTO[hashType];
  if (name && file.size <= WHOLE_MAX) return new Uint8Array(await crypto.subtle.digest(name, await file.arrayBuffer()));
  if (hashType !== "Sha2_256") throw new Error(`no digest of the type ${hashType} can be made here`);
  const hash = new Sha256();
  for (let start = 0; start < file.size; start += PIECE) {
    hash.update(new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer()));
    progress?.(Math.min(start + PIECE, file.size));
  }
  return hash.digest();
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** @param {string} text */
export const sha256OfText = (text) => sha256(new TextEncoder().encode(text));

/** Constants of FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K = new Uint32Array(64);
/** FIPS 180-4, 5.3.3: the same of the square roots of the first eight. */
const H0 = new Uint32Array(8);

{
  const fraction = (/** @type {number} */ root) => ((root - Math.floor(root)) * 0x1_0000_0000) | 0;
  let found = 0;
  for (let candidate = 2; found < 64; candidate += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) isPrime &&= candidate % divisor !== 0;
    if (!isPrime) continue;
    if (found < 8) H0[found] = fraction(Math.sqrt(candidate));
    K[found] = fraction(Math.cbrt(candidate));
    found += 1;
  }
}

/** SHA-256 (FIPS 180-4, 6.2) of bytes that come in pieces. */
export class Sha256 {
  #h = H0.slice();
  #w = new Int32Array(64);
  #block = new Uint8Array(64);
  #filled = 0;
  #length = 0;

  /** @param {Uint8Array} bytes */
  update(bytes) {
    this.#length += bytes.length;
    let start = 0;
    if (this.#filled > 0) {
      start = Math.min(64 - this.#filled, bytes.length);
      this.#block.set(bytes.subarray(0, start), this.#filled);
      this.#filled += start;
      if (this.#filled < 64) return;
      this.#compress(this.#block, 0);
      this.#filled = 0;
    }
    for (; start + 64 <= bytes.length; start += 64) this.#compress(bytes, start);
    this.#block.set(bytes.subarray(start));
    this.#filled = bytes.length - start;
  }

  /** The digest; nothing can be added afterwards. */
  digest() {
    const bits = BigInt(this.#length) * 8n;
    const rest = new Uint8Array(this.#filled < 56 ? 64 : 128);
    rest.set(this.#block.subarray(0, this.#filled));
    rest[this.#filled] = 0x80;
    new DataView(rest.buffer).setBigUint64(rest.length - 8, bits);
    for (let start = 0; start < rest.length; start += 64) this.#compress(rest, start);
    const digest = new Uint8Array(32);
    const view = new DataView(digest.buffer);
    this.#h.forEach((word, index) => view.setUint32(4 * index, word));
    return digest;
  }

  /** @param {Uint8Array} bytes @param {number} start */
  #compress(bytes, start) {
    const w = this.#w;
    const at = (/** @type {number} */ index) => bytes[index] ?? 0;
    for (let t = 0; t < 16; t += 1) {
      const place = start + 4 * t;
      w[t] = (at(place) << 24) | (at(place + 1) << 16) | (at(place + 2) << 8) | at(place + 3);
    }
    const word = (/** @type {number} */ index) => w[index] ?? 0;
    for (let t = 16; t < 64; t += 1) {
      const [x, y] = [word(t - 15), word(t - 2)];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = (word(t - 16) + s0 + word(t - 7) + s1) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, hh = 0] = this.#h;
    for (let t = 0; t < 64; t += 1) {
      const S1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const T1 = (hh + S1 + ((e & f) ^ (~e & g)) + (K[t] ?? 0) + word(t)) | 0;
      const S0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const T2 = (S0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [hh, g, f, e, d, c, b, a] = [g, f, e, (d + T1) | 0, c, b, a, (T1 + T2) | 0];
    }
    [a, b, c, d, e, f, g, hh].forEach((value, index) => (this.#h[index] = (this.#h[index] ?? 0) + value));
  }
}
