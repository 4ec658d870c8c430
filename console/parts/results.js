// What came of a request: signature, signed file and inclusion proof, to download.

import { download, get } from "../api.js";
import { fill, h } from "../dom.js";
import { t } from "../words.js";
import { problem } from "./problem.js";
import { bytesOf, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {Json} request */
export function results(request) {
  if (request.state !== "Signed") return undefined;
  const uuid = request.uuid;
  const isApart = ["CMS", "Raw"].includes(request.signingFormat);
  const proof = request.inclusionProof;
  return h("section", {},
    h("h2", {}, t("results.title")),
    h("div", { class: "actions" },
      request.signature && saveButton(t("results.signature"), `${uuid}.${request.signingFormat === "Raw" ? "sig" : "p7s"}`, async () => new Blob([bytesOf(request.signature)])),
      !isApart && request.uploadSize && saveButton(t("results.signedFile"), request.name, () => download(`/api/v2/x509/signing-requests/${uuid}/signed/download`)),
      saveButton(t("results.bundle"), `${uuid}.json`, async () => new Blob([JSON.stringify({ success: true, errorCode: "Success", response: await get(`/api/v2/x509/signing-requests/${uuid}`) }, null, 2)])),
      h("a", { href: `#/signing/verify/${uuid}` }, t("verify.link"))),
    !request.manifest && h("p", { class: "quiet" }, proof
      ? t("results.logged", { index: number(proof.index), size: number(proof.treeSize) })
      : t("results.notLogged")));
}

/** A button that saves a file. @param {string} label @param {string} name @param {() => Promise<Blob>} read */
export function saveButton(label, name, read) {
  const trouble = h("span", {});
  const onclick = async () => {
    try {
      const address = URL.createObjectURL(await read());
      h("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      fill(trouble);
    } catch (error) {
      fill(trouble, problem(error));
    }
  };
  return h("span", {}, h("button", { type: "button", onclick }, label), trouble);
}
