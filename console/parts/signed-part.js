// What a format signs of a file, for the formats where that can be told here: programs and scripts. The server does the same
// (crates/chancery-formats); a test compares the digests of both.

/** Scripts are read into memory. */
const SCRIPT_MAX = 64 * 1024 * 1024;

/**
 * The bytes that are hashed, in their order; nothing where this page cannot tell.
 * @param {Blob} file @param {string} format @returns {Promise<Blob | undefined>}
 */
export async function signedPart(file, format) {
  if (format === "Authenticode") return imageWithoutSignature(file);
  if (format === "Powershell") return scriptInUtf16(file);
  return undefined;
}

/** Whether it can be told of files of this format. @param {string} format */
export const canTell = (format) => format === "Authenticode" || format === "Powershell";

/** Whether a program has a certificate table: signatures that are there already, or whatever else was put there. None of it is signed. @param {Blob} file @param {string} format */
export const hasTable = async (file, format) => format === "Authenticode" && ((await imageParts(file))?.table ?? file.size) < file.size;

/**
 * Windows Authenticode Portable Executable Signature Format: everything but the checksum, the directory's entry of the
 * certificate table and that table, padded to eight bytes.
 * @param {Blob} file
 */
async function imageWithoutSignature(file) {
  const found = await imageParts(file);
  if (!found) return undefined;
  const { checksum, directory, table } = found;
  const padding = new Uint8Array((8 - (table % 8)) % 8);
  return new Blob([file.slice(0, checksum), file.slice(checksum + 4, directory), file.slice(directory + 8, table), padding]);
}

/** Where in a program stands what is not signed; `table` is its end where it has none. @param {Blob} file */
async function imageParts(file) {
  const view = async (/** @type {number} */ at, /** @type {number} */ length) => {
    const bytes = await file.slice(at, at + length).arrayBuffer();
    return bytes.byteLength === length ? new DataView(bytes) : undefined;
  };
  const start = await view(0, 64);
  if (start?.getUint16(0) !== 0x4d5a) return undefined;
  const header = start.getUint32(0x3c, true);
  const optional = header + 24;
  const [signature, fields] = await Promise.all([view(header, 24), view(optional, 152)]);
  if (signature?.getUint32(0) !== 0x50450000 || !fields) return undefined;
  // PE32 and PE32+ differ in the sizes of some members before the directories.
  const before = { 0x10b: 96, 0x20b: 112 }[fields.getUint16(0, true)];
  if (before === undefined || fields.getUint32(before - 4, true) <= 4 || before + 40 > signature.getUint16(20, true)) return undefined;
  const [checksum, directory] = [optional + 64, optional + before + 32];
  const [at, length] = [fields.getUint32(before + 32, true), fields.getUint32(before + 36, true)];
  if (length > 0 && (at < directory + 8 || at + length !== file.size)) return undefined;
  return { checksum, directory, table: length === 0 ? file.size : at };
}

/** A script's text in UTF-16LE. One that has a signature block already is left to the command line. @param {Blob} file */
async function scriptInUtf16(file) {
  if (file.size > SCRIPT_MAX) return undefined;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    const text = new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (/SIG # Begin signature block/i.test(text)) return undefined;
    if (isWide) return file;
    const units = new DataView(new ArrayBuffer(2 * text.length));
    for (let index = 0; index < text.length; index += 1) units.setUint16(2 * index, text.charCodeAt(index), true);
    return new Blob([units.buffer]);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
