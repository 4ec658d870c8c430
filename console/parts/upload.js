// What is known of the content: of an upload its size, its SHA-256, as sha256sum prints it, and what is inside, as the
// server computed it; of a digest alone, nothing.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t, tn, word } from "../words.js";
import { later } from "./table.js";
import { bytesOf, digest, number, size } from "./values.js";

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
  if (request.manifest) return h("strong", {}, t("upload.manifest"));
  if (request.uploadSize === undefined || request.uploadSize === null) return h("strong", {}, t("upload.none"));
  const place = h("div", {});
  const look = async () => {
    const { contents } = await get(`/api/v2/x509/signing-requests/${request.uuid}`, { include: "contents" });
    return [
      h("div", {}, t("upload.size", { size: size(request.uploadSize) })),
      h("div", {}, "SHA-256 ", digest(contents.sha256)),
      h("div", { class: "help" }, t("upload.asTool")),
      contents.kind && inside(contents),
    ];
  };
  if (request.uploadSize <= AT_ONCE_MAX) return later(place, look);
  const onclick = () => later(place, look);
  fill(place, t("upload.size", { size: size(request.uploadSize) }), " ", h("button", { type: "button", onclick }, t("upload.look")));
  return place;
}

/** What the file says of itself: nothing that anybody vouches for. @param {Json} contents */
function inside(contents) {
  const { kind, machine, properties, lines, entriesTotal, entries, isCut } = contents;
  return [
    h("div", {}, h("strong", {}, word("contentKind", kind)), machine && [" (", shown(machine), ")"]),
    lines !== undefined && h("div", {}, t("contents.lines", { count: number(lines) })),
    entriesTotal !== undefined && h("div", {}, t(kind === "Installer" ? "contents.streams" : "contents.entries", { count: number(entriesTotal) })),
    signatures(contents),
    properties.length > 0 && h("div", { class: "help" }, t("contents.says")),
    properties.map((/** @type {Json} */ one) => h("div", {}, shown(one.name), ": ", shown(one.value))),
    isCut && h("div", { class: "help" }, t("contents.cut")),
    entries.length > 0 && h("details", {}, h("summary", {}, t("contents.names", { count: number(entries.length), total: number(entriesTotal) })),
      h("ul", {}, entries.map((/** @type {Json} */ one) => h("li", {}, shown(one.name), " ", h("span", { class: "quiet" }, size(one.size)))))),
  ];
}

/** @param {Json} contents */
function signatures({ signatures: found, signaturesTotal }) {
  if (signaturesTotal === 0) return h("div", {}, t("contents.unsigned"));
  return [
    h("div", {}, t("contents.signatures", { count: number(signaturesTotal) })),
    found.map((/** @type {Json} */ one) => h("div", {}, tn("contents.signedBy", { who: one.subject === undefined ? t("contents.unreadable") : shown(one.subject) }))),
    h("div", { class: "help" }, t("contents.unverified")),
  ];
}
