// The statement that an approval is of, where it is more than the payload's digest: rebuilt here, and compared with the server's.

import { h } from "../dom.js";
import { t } from "../words.js";
import { sha256, sha256OfText } from "./hashes.js";
import { later } from "./table.js";
import { bytesOf, hex } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** The text, and whether its digest is the one that the approval is of. @param {Json} request */
export function statement(request) {
  return later(h("div", {}), async () => {
    const text = await lines(request);
    const agrees = hex(await sha256OfText(text)) === hex(bytesOf(request.approvalDigest));
    return [verdict(agrees), h("details", {}, h("summary", {}, t("statement.show")), h("pre", { tabindex: "0" }, text))];
  });
}

/** @param {boolean} agrees */
export const verdict = (agrees) =>
  h("p", { class: `state ${agrees ? "good" : "bad"}` }, agrees ? t("statement.agrees") : t("statement.differs"));

/** As the interface describes it: one line for each thing that is signed. @param {Json} request */
async function lines(request) {
  /** @type {[string, string][]} */
  const named = [[hex(bytesOf(request.digest)), "digest"]];
  if (request.pageHashes) named.push([hex(await sha256(bytesOf(request.pageHashes))), "pageHashes"]);
  if (request.programName) named.push([hex(await sha256OfText(request.programName)), "programName"]);
  if (request.programUrl) named.push([hex(await sha256OfText(request.programUrl)), "programUrl"]);
  return `chancery approval 1\n${named.map(([digest, name]) => `${digest}  ${name}\n`).join("")}`;
}
