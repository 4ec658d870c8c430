// Was this signed, and does the log know of it? Checked in the browser, from what the reader has; the server is asked for
// nothing but what it is not believed in.

import { download, get } from "../api.js";
import { fill, h } from "../dom.js";
import { check } from "../parts/evidence.js";
import { field, input, textarea } from "../parts/form.js";
import { readItems } from "../parts/manifest.js";
import { Unusable, problem } from "../parts/problem.js";
import { number } from "../parts/values.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {{request: Json, items?: Json[], certificate?: Uint8Array<ArrayBuffer>}} Known what is prefilled */

/** Bundles and pages of items: more than any has. */
const JSON_MAX = 64 * 1024 * 1024;

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const uuid = params["uuid"];
  const [own, known] = await Promise.all([
    download("/log/vkey", signal).then((blob) => blob.text(), () => ""),
    uuid ? read(uuid, signal) : undefined]);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title"))),
    h("h1", {}, t("verify.title")),
    h("p", {}, t("verify.what")),
    known && h("p", { class: "consequence" }, tn("verify.prefilled", { name: h("a", { href: `#/approvals/request/${uuid}` }, shown(known.request["name"])) })),
    verifier(own.trim(), known, signal),
  ];
  return { title: t("verify.title"), content };
}

/** A request's detail, what its items are, and the certificate that a raw signature does not carry. @param {string} uuid @param {AbortSignal} signal @returns {Promise<Known>} */
async function read(uuid, signal) {
  const request = await get(`/api/v2/x509/signing-requests/${uuid}`, undefined, signal);
  /** @type {Known} */
  const known = { request };
  if (request["manifest"]) known.items = await readItems(uuid, signal);
  if (request["signingFormat"] === "Raw") {
    const service = await get(`/api/v2/x509/services/${request["serviceUuid"]}`, undefined, signal);
    const certificate = service["certificateUuid"] && (await get(`/api/v2/x509/${service["certificateUuid"]}`, undefined, signal));
    if (certificate?.certificate) known.certificate = new TextEncoder().encode(certificate.certificate);
  }
  return known;
}

/** The fields, and what is found. Each change checks anew. @param {string} own the log's key as the server tells it @param {Known | undefined} known @param {AbortSignal} signal */
function verifier(own, known, signal) {
  const file = field(t("verify.file"), input({ type: "file" }), { help: t("verify.fileHelp") });
  const bundle = field(t("verify.bundle"), input({ type: "file", accept: ".json" }), { help: t("verify.bundleHelp") });
  const items = field(t("verify.items"), input({ type: "file", accept: ".json", multiple: true }), { help: t("verify.itemsHelp") });
  const certificate = field(t("verify.certificate"), input({ type: "file" }), { help: t("verify.certificateHelp") });
  const key = field(t("verify.key"), textarea({ rows: 2, spellcheck: "false", autocapitalize: "off" }), { help: t("verify.keyHelp") });
  const found = h("section", { "aria-labelledby": "found" }, h("h2", { id: "found" }, t("verify.found")));
  const summary = h("p", { class: "verdict", role: "status" });
  const place = h("div");
  found.append(summary, place);
  let runs = 0;
  const run = async () => {
    const current = ++runs;
    const tell = (/** @type {import("../dom.js").Child} */ text, /** @type {import("../dom.js").Child} */ steps) => current === runs && (fill(summary, text), fill(place, steps));
    const progress = (/** @type {number} */ done) => current === runs && fill(summary, t("verify.reading", { percent: number(Math.floor((100 * done) / Math.max(1, fileOf(file)?.size ?? 1))) }));
    try {
      const evidence = await gather({ file, bundle, items, certificate, key }, own, known, signal);
      if (!evidence) return tell(t("verify.nothing"), undefined);
      const steps = await check(evidence, progress);
      tell(summaryOf(steps), listOf(steps));
    } catch (error) {
      tell(undefined, problem(error));
    }
  };
  const zone = h("div", { class: "drop" }, file.element, !known && [bundle.element, items.element], certificate.element, key.element);
  zone.addEventListener("change", () => void run());
  void run();
  return [zone, found];
}

/** @param {import("../parts/form.js").Field} field */
const filesOf = (field) => [.../** @type {HTMLInputElement} */ (field.control).files ?? []];

/** @param {import("../parts/form.js").Field} field */
const fileOf = (field) => filesOf(field)[0];

/**
 * @param {Record<"file" | "bundle" | "items" | "certificate" | "key", import("../parts/form.js").Field>} fields
 * @param {string} own @param {Known | undefined} known @param {AbortSignal} signal
 * @returns {Promise<import("../parts/evidence.js").Evidence | undefined>}
 */
async function gather({ file, bundle, items, certificate, key }, own, known, signal) {
  const given = fileOf(bundle);
  const request = known?.request ?? (given && (await json(given)));
  if (!request) return undefined;
  if (!request["serviceUuid"]) throw new Unusable(t("verify.noRequest"));
  const pages = await Promise.all(filesOf(items).map(json));
  const listed = known?.items ?? (pages.length > 0 ? pages.flatMap((page) => page["items"] ?? []) : undefined);
  const chosen = fileOf(certificate);
  const pasted = key.control.value.trim();
  return {
    logKey: pasted || own, keyFrom: pasted === "" ? "server" : pasted === own ? "both" : "reader", request, file: fileOf(file), items: listed,
    certificate: chosen ? new Uint8Array(await chosen.arrayBuffer()) : known?.certificate,
    prove: known ? (_, index) => proven(request["uuid"], index, signal) : async (item) => item,
  };
}

/** One item with its proof: those of all would be megabytes. @param {string} uuid @param {number} index @param {AbortSignal} signal */
async function proven(uuid, index, signal) {
  const answer = await get(`/api/v2/x509/signing-requests/${uuid}/items`, { page: index + 1, pageSize: 1, include: "inclusionProof" }, signal);
  return answer["items"][0];
}

/** What a server answered, with or without its envelope. @param {File} file @returns {Promise<Json>} */
async function json(file) {
  try {
    const read = file.size <= JSON_MAX && JSON.parse(await file.text());
    if (typeof read === "object" && read !== null) return read.response ?? read;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Unusable(t("verify.noJson", { name: shownText(file.name) }));
}

/** @typedef {import("../parts/evidence.js").Step} Step */

/** In a sentence, what it comes to. @param {Step[]} steps */
function summaryOf(steps) {
  const bad = steps.filter((step) => step.verdict === "bad");
  const open = steps.filter((step) => step.verdict === "open");
  const titles = (/** @type {Step[]} */ some) => some.map((step) => word("verifyStep", step.name)).join(", ");
  if (bad.length > 0) return h("span", { class: "state bad" }, t("verify.bad", { steps: titles(bad) }));
  // All of them, as the list below has them, and not only those that are in the way.
  if (open.some((step) => step.isNeeded)) return h("span", { class: "state wait" }, t("verify.missing", { steps: titles(open) }));
  const isSigned = steps.some((step) => step.name === "signature" && step.verdict === "good");
  const isServersWord = steps.some((step) => step.name === "key" && step.verdict === "open");
  return h("span", { class: "state good" }, t(isSigned ? "verify.good" : "verify.goodUnsigned"), isServersWord && [" ", t("verify.goodServersWord")]);
}

/** @param {Step[]} steps */
const listOf = (steps) => h("ol", { class: "steps" }, steps.map((step) => h("li", { "data-step": step.name, "data-verdict": step.verdict },
  h("h3", {}, word("verifyStep", step.name), " ", h("span", { class: `state ${{ good: "good", bad: "bad", open: "still" }[step.verdict]}` }, word("verifyVerdict", step.verdict))),
  h("p", {}, step.said))));
