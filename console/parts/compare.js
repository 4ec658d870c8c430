// A file of the reader's own, hashed in the browser and compared with what is to be signed.

import { fill, h } from "../dom.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";
import { canHash, hashOf } from "./hashes.js";
import { problem } from "./problem.js";
import { canTell, hasTable, signedPart } from "./signed-part.js";
import { uploadedBytes } from "./upload.js";
import { bytesOf, hex, number, size } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** A place to drop a file on, or to choose one by keyboard; and a field for a digest. @param {Json} request @param {Json[]} [items] */
export function compareWithFile(request, items) {
  const verdict = h("p", { class: "verdict", role: "status" });
  const chooser = h("input", { type: "file", "aria-label": t("compare.choose") });
  const compare = (/** @type {File | undefined} */ file) => file && void told(file, request, items, verdict);
  chooser.addEventListener("change", () => compare(chooser.files?.[0]));
  const pasted = h("input", { type: "text", class: "pasted", "aria-label": t("compare.digest"), placeholder: t("compare.digest"), spellcheck: "false", autocomplete: "off" });
  pasted.addEventListener("input", () => fill(verdict, pasted.value.trim() ? onDigest(pasted.value, request) : ""));
  const zone = h("div", { class: "drop" }, h("p", {}, t("compare.drop")), h("div", { class: "actions" }, chooser, pasted), limits(request), verdict);
  zone.addEventListener("dragover", (event) => (event.preventDefault(), zone.classList.add("over")));
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    compare(event.dataTransfer?.files[0]);
  });
  return [h("h2", {}, t("compare.title")), zone];
}

/** Formats whose digest is of the file as it is. @param {Json} request */
const isOfWholeFile = (request) => request.manifest || ["CMS", "Raw"].includes(request.signingFormat);

/** What can be compared here and what cannot, said beforehand. @param {Json} request */
function limits(request) {
  if (isOfWholeFile(request)) return undefined;
  const format = word("format", request.signingFormat);
  const key = hasUpload(request) ? "compare.withUpload" : canTell(request.signingFormat) ? "compare.byFormat" : "compare.cannot";
  return h("p", { class: "help" }, t(key, { format }), request.pageHashes && !hasUpload(request) && [" ", t("compare.noPages")]);
}

/** @param {Json} request */
const hasUpload = (request) => request.uploadSize !== undefined && request.uploadSize !== null;

/** @param {File} file @param {Json} request @param {Json[] | undefined} items @param {HTMLElement} verdict */
async function told(file, request, items, verdict) {
  try {
    fill(verdict, t("compare.reading", { size: size(file.size) }));
    const progress = (/** @type {number} */ done) => fill(verdict, t("compare.progress", { percent: number(Math.floor((100 * done) / file.size)) }));
    fill(verdict, await found(file, request, items, progress));
  } catch (error) {
    fill(verdict, problem(error));
  }
}

/** @param {File} file @param {Json} request @param {Json[] | undefined} items @param {(done: number) => void} progress */
async function found(file, request, items, progress) {
  const name = shown(file.name);
  if (isOfWholeFile(request)) {
    if (!canHash(request.hashAlgorithm, file.size)) return t("compare.cannotHash", { hash: word("hash", request.hashAlgorithm), size: size(file.size) });
    const digest = hex(await hashOf(file, request.hashAlgorithm, progress));
    if (items) return inManifest(digest, items, name);
    const isSame = digest === hex(bytesOf(request.digest));
    // Files can be made that have one SHA-1 and differ.
    return isSame && request.hashAlgorithm === "Sha1" ? said("wait", tn("compare.equalWeak", { name, hash: word("hash", "Sha1") })) : outcome(isSame, name);
  }
  if (!hasUpload(request)) return byFormat(file, request, progress, name);
  if (file.size !== request.uploadSize) return outcome(false, name);
  const uploaded = await hashOf(new Blob([await uploadedBytes(request)]), "Sha2_256");
  return outcome(hex(await hashOf(file, "Sha2_256", progress)) === hex(uploaded), name);
}

/** A digest alone is compared with that of what the format signs. @param {File} file @param {Json} request @param {(done: number) => void} progress @param {Node} name */
async function byFormat(file, request, progress, name) {
  const part = await signedPart(file, request.signingFormat);
  const cannot = { format: word("format", request.signingFormat) };
  if (!part || !canHash(request.hashAlgorithm, part.size)) return t(canTell(request.signingFormat) ? "compare.cannotThis" : "compare.cannot", cannot);
  if (hex(await hashOf(part, request.hashAlgorithm, progress)) !== hex(bytesOf(request.digest))) return outcome(false, name);
  return samePart(file, request, name);
}

/**
 * Files of one signed part may differ in the rest: a program in its checksum and its certificate table, a script in how its
 * letters are written. What the submitter claims of the whole file is compared, where they claim something.
 * @param {File} file @param {Json} request @param {Node} name
 */
async function samePart(file, request, name) {
  const { fileSha256, fileSize } = request.metadata ?? {};
  const isSame = fileSha256 ? hex(await hashOf(file, "Sha2_256")) === fileSha256.trim().toLowerCase() : undefined;
  const isOther = isSame === false || (isSame === undefined && fileSize && String(file.size) !== fileSize.trim());
  const places = { name, format: word("format", request.signingFormat) };
  return [
    isSame ? said("good", tn("compare.equalClaimed", places)) : said("wait", tn("compare.samePart", places)),
    isOther ? [" ", said("bad", t(fileSha256 ? "compare.otherSha256" : "compare.otherSize"))] : !isSame && [" ", t("compare.restUnknown")],
    (await hasTable(file, request.signingFormat)) && [" ", said("wait", t("compare.hasTable"))],
  ];
}

/** @param {"good" | "wait" | "bad"} verdict @param {import("../dom.js").Child} text */
const said = (verdict, text) => h("span", { class: `state ${verdict} long` }, text);

/** @param {string} digest @param {Json[]} items @param {Node} name */
function inManifest(digest, items, name) {
  const item = items.find((one) => hex(bytesOf(one.digest)) === digest);
  if (!item) return h("span", { class: "state bad" }, tn("compare.notInManifest", { name }));
  return h("span", { class: "state good" }, tn("compare.inManifest", { name, item: shown(item.name) }));
}

/** @param {boolean} isEqual @param {Node} name */
const outcome = (isEqual, name) => h("span", { class: `state ${isEqual ? "good" : "bad"}` }, tn(isEqual ? "compare.equal" : "compare.different", { name }));

/** @param {string} text @param {Json} request */
function onDigest(text, request) {
  const plain = shownText(text).replace(/[\s:]/g, "").toLowerCase();
  const own = [request.digest, request.approvalDigest];
  const isEqual = own.some((digest) => hex(bytesOf(digest)) === plain || digest === text.trim());
  return h("span", { class: `state ${isEqual ? "good" : "bad"}` }, t(isEqual ? "compare.digestEqual" : "compare.digestDifferent"));
}
