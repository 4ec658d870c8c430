// What came of a request: signature, signed file and inclusion proof, to download.

import { download, get } from "../api.js";
import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { problem } from "./problem.js";
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

/** A name with no more than the characters that names of files have on every system; its ending stays. @param {string} name */
const fileName = (name) => name.replace(/[^A-Za-z0-9._-]+/g, "_").slice(-150).replace(/^[._-]+/, "") || "file";

/** A button that saves a file. @param {string} label @param {string} name @param {() => Promise<Blob>} read */
export function saveButton(label, name, read) {
  const trouble = h("span", {});
  const onclick = async () => {
    try {
      const address = URL.createObjectURL(await read());
      h("a", { href: address, download: fileName(name) }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      fill(trouble);
    } catch (error) {
      fill(trouble, problem(error));
    }
  };
  return h("span", {}, h("button", { type: "button", onclick }, label), trouble);
}
