// What came of a request: signature, signed file and inclusion proof, to download.

import { download, get } from "../api.js";
import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { HIDDEN } from "../visible.js";
import { action } from "./action.js";
import { bytesOf, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** How often it is looked whether a checkpoint covers the entry, and how long it waits before: that takes a second or two. */
const LOOKS = 20;
const LOOK_AFTER_MS = 1_000;

/** @param {Json} request @param {AbortSignal} signal */
export function results(request, signal) {
  if (request.state !== "Signed") return undefined;
  const path = `/api/v2/x509/signing-requests/${request.uuid}`;
  const isApart = ["CMS", "Raw"].includes(request.signingFormat);
  return h("section", {},
    h("h2", {}, t("results.title")),
    h("div", { class: "actions" },
      request.signature && saveButton(t("results.signature"), `${request.name}.${request.signingFormat === "Raw" ? "sig" : "p7s"}`, async () => new Blob([bytesOf(request.signature)])),
      !isApart && request.uploadSize && saveButton(t("results.signedFile"), request.name, () => download(`${path}/signed/download`)),
      saveButton(t("results.bundle"), `${request.name}.chancery.json`, async () => new Blob([JSON.stringify({ success: true, errorCode: "Success", response: await get(path) }, null, 2)])),
      h("a", { href: `#/signing/verify/${request.uuid}` }, t("verify.link"))),
    !request.manifest && logged(request, path, signal));
}

/** Where the log has it. Just after it was signed that is not known yet, and is looked for again. @param {Json} request @param {string} path @param {AbortSignal} signal */
function logged(request, path, signal) {
  const place = h("p", { class: "quiet", role: "status" });
  const tell = (/** @type {Json | null | undefined} */ proof) => fill(place, proof
    ? t("results.logged", { index: number(proof["index"]), size: number(proof["treeSize"]) })
    : t("results.notLogged"));
  const look = async () => {
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AFTER_MS));
      if (signal.aborted) return;
      const { inclusionProof } = await get(path, undefined, signal);
      if (inclusionProof) return tell(inclusionProof);
    }
  };
  tell(request.inclusionProof);
  // Where it cannot be read, what stands there stays true.
  if (!request.inclusionProof) look().catch(() => {});
  return place;
}

/** Windows keeps these for its devices, whatever ending follows. */
const RESERVED = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?=\.|$)/i;
/** What names have at most on usual file systems, less what browsers add to tell files of one name apart. */
const NAME_BYTES = 200;

/** A name that every system takes: letters of all scripts and digits stay, and so does its ending. @param {string} name */
function fileName(name) {
  const all = [...name.normalize()].map((one) => (HIDDEN.test(one) || !/[\p{L}\p{N}\p{M}._-]/u.test(one) ? "_" : one)).join("").replace(/_{2,}/g, "_").replace(/\.+$/, "");
  const characters = [...all];
  while (new TextEncoder().encode(characters.join("")).length > NAME_BYTES) characters.shift();
  // A dot at the beginning hides a file, and a hyphen there is an option for programs.
  return characters.join("").replace(/^(?=[.-])/, "_").replace(RESERVED, "_$1") || "file";
}

/** A button that saves a file. @param {string} label @param {string} name @param {() => Promise<Blob>} read */
export const saveButton = (label, name, read) => action(label, async () => {
  const address = URL.createObjectURL(await read());
  h("a", { href: address, download: fileName(name) }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
});
