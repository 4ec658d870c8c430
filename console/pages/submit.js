// Submits a file to be signed. It is hashed here, so that only its digest travels; where that is not possible it is uploaded.

import { get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { done } from "../parts/done.js";
import { field, form, input, select, textarea } from "../parts/form.js";
import { canHash, hashOf } from "../parts/hashes.js";
import { Unusable } from "../parts/problem.js";
import { base64Of, digest, number, size } from "../parts/values.js";
import { shownText } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** What the interface takes as an upload, by default. */
const UPLOAD_MAX = 64 * 1024 * 1024;

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const answer = await get("/api/v2/x509/services", { pageSize: 1000 }, signal);
  /** @type {Json[]} */
  const services = answer.results.filter((/** @type {Json} */ one) => one.signingPolicies.length > 0);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title"))),
    h("h1", {}, t("submit.title")),
    services.length > 0 ? submitForm(services, query["service"]) : h("div", { class: "empty" }, t("signing.empty")),
  ];
  return { title: t("submit.title"), content };
}

/** @param {Json[]} services @param {string | undefined} chosen */
function submitForm(services, chosen) {
  const file = field(t("submit.file"), input({ type: "file", required: true }), { pointer: "/uploadData", help: t("submit.fileHelp") });
  const service = field(t("column.service"), select(services.map((one) => [one.objInfo.uuid, shownText(one.objInfo.name)]), chosen), { pointer: "/serviceUuid" });
  const policy = field(t("column.policy"), select([]), { pointer: "/policyUuid" });
  const name = field(t("fact.name"), input({ maxlength: 255, required: true }), { pointer: "/name", help: t("submit.nameHelp") });
  const note = field(t("fact.note"), textarea({ maxlength: 4096 }), { pointer: "/note", help: t("submit.noteHelp") });
  const how = h("p", { class: "quiet", role: "status" });
  const own = () => /** @type {Json} */ (services.find((one) => one.objInfo.uuid === service.control.value));
  const ownPolicy = () => /** @type {Json} */ (own().signingPolicies.find((/** @type {Json} */ one) => one.objInfo.uuid === policy.control.value));
  const offered = () => /** @type {HTMLInputElement} */ (file.control).files?.[0];
  const tell = () => {
    const given = offered();
    fill(how, given ? t(travels(given, ownPolicy()) === "digest" ? "submit.digestTravels" : "submit.fileTravels", { size: size(given.size) }) : "");
  };
  const drawPolicies = () => {
    fill(policy.control, own().signingPolicies.map((/** @type {Json} */ one) => h("option", { value: one.objInfo.uuid },
      `${shownText(one.objInfo.name)} (${word("hash", one.hashAlgorithm)}, ${t("signing.approvals", { count: one.numApprovals })})`)));
    tell();
  };
  service.control.addEventListener("change", drawPolicies);
  policy.control.addEventListener("change", tell);
  file.control.addEventListener("change", () => {
    name.control.value ||= offered()?.name ?? "";
    tell();
  });
  drawPolicies();
  const act = async () => {
    const given = offered();
    if (!given) return file.complain(t("submit.noFile"));
    const progress = (/** @type {number} */ done) => fill(how, t("compare.progress", { percent: number(Math.floor((100 * done) / given.size)) }));
    const made = await content(given, ownPolicy(), progress);
    if (made.digest) fill(how, t("submit.digest"), " ", digest(made.digest));
    const answer = await post("/api/v2/x509/signing-requests", {
      name: name.control.value, serviceUuid: service.control.value, policyUuid: policy.control.value, ...made,
      ...(note.control.value ? { note: note.control.value } : {}),
    });
    await done(t("signing.submit"), { to: `#/approvals/request/${answer.uuid}` });
  };
  return form({ fields: [file, service, policy, name, note], extra: how, submit: t("signing.submit"), act });
}

/** Whether the digest travels or the file. @param {File} file @param {Json} policy */
function travels(file, policy) {
  const isOfWholeFile = ["CMS", "Raw"].includes(policy.signingFormat);
  return isOfWholeFile && !policy.rules.maxSize && canHash(policy.hashAlgorithm, file.size) ? "digest" : "file";
}

/** What is sent of the file. @param {File} file @param {Json} policy @param {(done: number) => void} progress @returns {Promise<Json>} */
async function content(file, policy, progress) {
  if (travels(file, policy) === "digest") return { digest: base64Of(await hashOf(file, policy.hashAlgorithm, progress)) };
  if (file.size > UPLOAD_MAX) throw new Unusable(t("submit.tooLarge", { size: size(UPLOAD_MAX) }));
  return { uploadData: base64Of(new Uint8Array(await file.arrayBuffer())) };
}
