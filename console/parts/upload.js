// What is known of the content: of an upload its size and its SHA-256, as sha256sum prints it; of a digest alone, nothing.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { sha256 } from "./hashes.js";
import { later } from "./table.js";
import { base64Of, bytesOf, digest, size } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** Up to here an upload is looked at without being asked for. */
const AT_ONCE_MAX = 4 * 1024 * 1024;

/** @type {WeakMap<Json, Promise<Uint8Array<ArrayBuffer>>>} */
const read = new WeakMap();

/** The bytes that were uploaded; the server compares them with the digest whenever it reads them. @param {Json} request */
export function uploadedBytes(request) {
  const known = read.get(request);
  if (known) return known;
  const asked = get(`/api/v2/x509/signing-requests/${request.uuid}`, { include: "uploadData" }).then((one) => bytesOf(one.uploadData));
  read.set(request, asked);
  return asked;
}

/** @param {Json} request */
export function upload(request) {
  if (request.manifest) return t("upload.manifest");
  if (request.uploadSize === undefined || request.uploadSize === null) return h("strong", {}, t("upload.none"));
  const place = h("div", {});
  const look = async () => {
    const bytes = await uploadedBytes(request);
    return [h("div", {}, t("upload.size", { size: size(bytes.length) })), h("div", {}, "SHA-256 ", digest(base64Of(await sha256(bytes)))), h("div", { class: "help" }, t("upload.asTool"))];
  };
  if (request.uploadSize <= AT_ONCE_MAX) return later(place, look);
  const onclick = () => later(place, look);
  fill(place, t("upload.size", { size: size(request.uploadSize) }), " ", h("button", { type: "button", onclick }, t("upload.look")));
  return place;
}
