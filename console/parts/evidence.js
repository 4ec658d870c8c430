// What somebody has of a signature, checked step after step in this browser: the log's key, its checkpoint, the entry's place
// and words, the file, the signature. Each step has a verdict of its own, so that a wrong byte is told where it is.

import { h } from "../dom.js";
import { people as together } from "./people.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";
import { Unsupported, readCertificate, readCms, verifyCms, verifyRaw } from "./cms.js";
import { Malformed } from "./der.js";
import { WEB_CRYPTO, canHash, hashOf, sha256 } from "./hashes.js";
import { compareEntry, digestOfItems, isIncluded, openCheckpoint, readLogKey, strictly } from "./log-proof.js";
import { signedPart } from "./signed-part.js";
import { hex, moment, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */
/** @typedef {import("./log-proof.js").Bytes} Bytes */
/** @typedef {"good" | "bad" | "open"} Verdict `open`: not checked, so that nothing is said either way */
/** @typedef {{name: string, verdict: Verdict, said: Child, isNeeded?: boolean}} Step `isNeeded`: without it nothing is proven */
/**
 * @typedef {{
 *   logKey: string, keyFrom: "server" | "both" | "reader", request: Json, file: File | undefined, certificate: Bytes | undefined,
 *   items: Json[] | undefined, prove: (item: Json, index: number) => Promise<Json>,
 * }} Evidence `keyFrom`: who says that this is the log's key; `prove`: an item with its proof
 */

/** @param {string} name @param {Verdict} verdict @param {Child} said @returns {Step} */
const needed = (name, verdict, said) => ({ name, verdict, said, isNeeded: true });

/** All steps, in their order. @param {Evidence} evidence @param {(done: number) => void} progress @returns {Promise<Step[]>} */
export async function check(evidence, progress) {
  const { file } = evidence;
  const digest = file && (await digestOf(file, evidence.request, progress));
  const { subject, steps } = await subjectOf(evidence, digest);
  const certificate = subject && certificateOf(subject, evidence.certificate);
  return [
    ...await logged(evidence, subject),
    ...steps,
    await entry(subject, certificate),
    content(evidence, subject, digest),
    await signature(subject, certificate, file, digest),
    trust(certificate),
    people(evidence.request),
  ];
}

/** The digest of a file as its format demands; nothing where that cannot be told here. @param {File} file @param {Json} request @param {(done: number) => void} progress */
async function digestOf(file, { signingFormat, hashAlgorithm }, progress) {
  const part = isApart(signingFormat) ? file : await signedPart(file, signingFormat);
  return part && canHash(hashAlgorithm, part.size) ? hashOf(part, hashAlgorithm, progress) : undefined;
}

/** What stands there in base64, in hexadecimal digits; nothing where it does not. @param {unknown} base64 */
const digitsOf = (base64) => hex(strictly(base64) ?? new Uint8Array());

/** A word of the interface that a bundle has, which anybody may have written. @param {string} group @param {unknown} text */
const named = (group, text) => shownText(word(group, String(text)));

/** @param {string} format */
const isApart = (format) => format === "Raw" || format === "CMS";

/**
 * What is checked: the request, or of a manifest the item that has the file's digest, as if it were a request of its own.
 * @param {Evidence} evidence @param {Bytes | undefined} digest @returns {Promise<{subject: Json | undefined, steps: Step[]}>}
 */
async function subjectOf({ request, items, prove }, digest) {
  if (!request["manifest"]) return { subject: request, steps: [] };
  if (!items) return { subject: undefined, steps: [needed("items", "open", t("verify.itemsMissing"))] };
  const isRepeated = new Set(items.map((item) => item["name"])).size < items.length;
  const isWhole = !isRepeated && hex(await digestOfItems(/** @type {any} */ (items))) === digitsOf(request["digest"]);
  const steps = [needed("items", isWhole ? "good" : "bad", t(isWhole ? "verify.itemsWhole" : "verify.itemsOther", { count: number(items.length) }))];
  const index = digest ? items.findIndex((item) => digitsOf(item["digest"]) === hex(digest)) : -1;
  const found = items[index];
  if (!found) return { subject: undefined, steps };
  const item = await prove(found, index);
  return { subject: { ...request, name: item["name"], digest: item["digest"], signature: item["signature"], inclusionProof: item["inclusionProof"] }, steps };
}

/** The certificate of who signed: the given one, or the one in the signature. @param {Json} subject @param {Bytes | undefined} given */
function certificateOf(subject, given) {
  const signature = strictly(subject["signature"]) ?? new Uint8Array();
  try {
    if (given) return readCertificate(given);
    return subject["signingFormat"] === "Raw" ? undefined : readCms(signature).certificate;
  } catch (error) {
    if (error instanceof Malformed || error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** The log's key, its checkpoint, and the entry's place. @param {Evidence} evidence @param {Json | undefined} subject @returns {Promise<Step[]>} */
async function logged({ logKey, keyFrom }, subject) {
  const key = await readLogKey(logKey);
  if (!key) return [needed("key", "bad", t("verify.keyNone"))];
  const places = () => ({ name: shown(key.name), id: h("code", {}, key.id) });
  // Without it nothing is checked; but a server's word for its own key is no proof.
  const steps = [keyFrom === "server" ? { name: "key", verdict: /** @type {Verdict} */ ("open"), said: tn("verify.keyServer", places()) }
    : needed("key", "good", tn(keyFrom === "both" ? "verify.keyBoth" : "verify.keyReader", places()))];
  if (!subject) return steps;
  const proof = subject["inclusionProof"];
  if (!proof) return [...steps, needed("checkpoint", "bad", t("verify.noProof"))];
  const checkpoint = await openCheckpoint(proof.checkpoint, key);
  if (typeof checkpoint === "string") {
    const why = /** @type {const} */ ({ form: "verify.checkpointForm", unknown: "verify.checkpointUnknown", signature: "verify.checkpointSignature" })[checkpoint];
    return [...steps, needed("checkpoint", "bad", tn(why, places())), needed("inclusion", "open", t("verify.inclusionOpen"))];
  }
  return [...steps,
    needed("checkpoint", "good", tn("verify.checkpointGood", { ...places(), size: number(checkpoint.size) })),
    await inclusion(proof, checkpoint)];
}

/** @param {Json} proof @param {import("./log-proof.js").Checkpoint} checkpoint */
async function inclusion(proof, checkpoint) {
  const [leaf, hashes] = [strictly(proof["leaf"]), Array.isArray(proof["hashes"]) ? proof["hashes"].map(strictly) : []];
  const path = hashes.filter((one) => one !== undefined && one.length === 32);
  const isForm = leaf && Array.isArray(proof["hashes"]) && path.length === hashes.length && proof["treeSize"] === checkpoint.size;
  if (!isForm) return needed("inclusion", "bad", t("verify.inclusionForm"));
  const isIn = await isIncluded(leaf, proof["index"], checkpoint, /** @type {Bytes[]} */ (path));
  return needed("inclusion", isIn ? "good" : "bad", t(isIn ? "verify.inclusionGood" : "verify.inclusionBad", { index: shownText(String(proof["index"])), size: number(checkpoint.size) }));
}

/** Whether the entry tells of this signature. @param {Json | undefined} subject @param {import("./cms.js").Certificate | undefined} certificate */
async function entry(subject, certificate) {
  const proof = subject?.["inclusionProof"];
  const leaf = strictly(proof?.leaf);
  if (!subject || !proof) return needed("entry", "open", t("verify.entryOpen"));
  if (!certificate) return needed("entry", "open", t(subject["signingFormat"] === "Raw" ? "verify.certificateMissing" : "verify.certificateUnread"));
  const [digest, signature, salt] = [strictly(subject["digest"]), strictly(subject["signature"]), strictly(proof.salt)];
  const time = new Date(subject["decidedAt"] ?? NaN);
  const isSalted = proof.salt !== undefined && proof.salt !== null;
  if (!leaf || !digest || !signature || Number.isNaN(time.getTime()) || (isSalted && salt?.length !== 32)) return needed("entry", "bad", t("verify.entryForm"));
  const facts = {
    time: `${time.toISOString().slice(0, 19)}Z`, format: subject["signingFormat"], hash: subject["hashAlgorithm"], digest: hex(digest),
    certificate: hex(await sha256(certificate.der)), signature: hex(await sha256(signature)),
  };
  const found = await compareEntry(leaf, facts, salt);
  if (found === "same") return needed("entry", "good", tn(isSalted ? "verify.entryHidden" : "verify.entryGood", { time: moment(facts.time) }));
  return needed("entry", "bad", found === "other" ? t("verify.entryOther") : t("verify.entryDiffers", { what: word("entryFact", found) }));
}

/** Whether the file is the one that was signed. @param {Evidence} evidence @param {Json | undefined} subject @param {Bytes | undefined} digest */
function content({ file, request, items }, subject, digest) {
  if (!file) return needed("file", "open", t("verify.fileMissing"));
  const places = { name: shown(file.name), format: named("format", request["signingFormat"]), hash: named("hash", request["hashAlgorithm"]) };
  if (!digest) return needed("file", "open", tn("verify.fileOpen", places));
  if (!subject) return items ? needed("file", "bad", tn("verify.fileNotInItems", places)) : needed("file", "open", t("verify.entryOpen"));
  const isSame = hex(digest) === digitsOf(subject["digest"]);
  return needed("file", isSame ? "good" : "bad", tn(isSame ? "verify.fileSame" : "verify.fileOther", { ...places, called: shown(String(subject["name"])) }));
}

/**
 * Whether the signature is the certificate's over the digest.
 * @param {Json | undefined} subject @param {import("./cms.js").Certificate | undefined} certificate @param {File | undefined} file @param {Bytes | undefined} digest
 * @returns {Promise<Step>}
 */
async function signature(subject, certificate, file, digest) {
  const step = (/** @type {Verdict} */ verdict, /** @type {Child} */ said) => ({ name: "signature", verdict, said });
  if (!subject) return step("open", t("verify.entryOpen"));
  const [bytes, signed] = [strictly(subject["signature"]), strictly(subject["digest"])];
  const format = subject["signingFormat"];
  if (!bytes || !signed) return step("bad", t("verify.signatureUnread"));
  if (format === "Raw" && !certificate) return step("open", t("verify.certificateMissing"));
  try {
    const found = format === "Raw" ? await raw(subject, /** @type {import("./cms.js").Certificate} */ (certificate), file, digest)
      : await cms(readCms(bytes), certificate, signed, format);
    const key = /** @type {const} */ ({ good: "verify.signatureGood", content: "verify.signatureContent", signature: "verify.signatureBad", weak: "verify.signatureWeak", open: "verify.signatureNoFile" })[found];
    return step(found === "good" ? "good" : found === "open" ? "open" : "bad", t(key));
  } catch (error) {
    if (error instanceof Unsupported) return step("open", t("verify.signatureUnsupported", { algorithm: error.message }));
    if (error instanceof DOMException && error.name === "NotSupportedError") return step("open", t("verify.signatureUnsupported", { algorithm: certificate?.algorithm ?? "" }));
    if (error instanceof Malformed || error instanceof DOMException) return step("bad", t("verify.signatureUnread"));
    throw error;
  }
}

/** Under the certificate that the entry is compared with, and no other. @param {import("./cms.js").Signed} signed @param {import("./cms.js").Certificate | undefined} certificate @param {Bytes} digest @param {string} format */
async function cms(signed, certificate, digest, format) {
  if (certificate && hex(certificate.der) !== hex(signed.certificate.der)) return "signature";
  return verifyCms(signed, digest, !isApart(format) && format !== "JavaJar");
}

/** A signature without any form is of the file itself. @param {Json} subject @param {import("./cms.js").Certificate} certificate @param {File | undefined} file @param {Bytes | undefined} digest */
async function raw(subject, certificate, file, digest) {
  const hash = WEB_CRYPTO[subject["hashAlgorithm"]];
  if (!hash) throw new Unsupported(named("hash", subject["hashAlgorithm"]));
  // WebCrypto takes the whole file at once, as the making of its digest does.
  if (!file || !digest || hex(digest) !== digitsOf(subject["digest"]) || !canHash("Sha2_512", file.size)) return "open";
  return verifyRaw(certificate, hash, strictly(subject["signature"]) ?? new Uint8Array(), new Uint8Array(await file.arrayBuffer()));
}

/** Whose certificate it is. No root is trusted here. @param {import("./cms.js").Certificate | undefined} certificate @returns {Step} */
const trust = (certificate) => ({
  name: "trust", verdict: "open",
  said: certificate ? tn("verify.trustOpen", { subject: shown(certificate.subject) }) : t("verify.trustUnread"),
});

/** Who asked for it and who approved: nothing that is signed says so. @param {Json} request @returns {Step} */
function people(request) {
  const names = (/** @type {Json[] | undefined} */ all) => together((all ?? []).map((one) => ({ ...one, name: String(one["name"]) })));
  const approvals = /** @type {Json[]} */ (request["approvals"] ?? []).filter((one) => one["decision"] === "Approve");
  const approved = approvals.length === 0 ? t("verify.nobody") : approvals.flatMap((one, index) => [index > 0 && ", ", names(one["identities"])]);
  return { name: "people", verdict: "open", said: tn("verify.people", { submitted: h("strong", {}, names(request["submittedBy"])), approved: h("strong", {}, approved) }) };
}
