// May I sign this? One signing request: what the server will sign, computed; what the submitter says, claimed; and who decides.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { changes } from "../parts/changes.js";
import { compareWithFile } from "../parts/compare.js";
import { approved, decide, obstacle, same, who } from "../parts/decide.js";
import { Decided } from "../parts/earlier.js";
import { claimed, claimedLines, computed, facts } from "../parts/facts.js";
import { manifest, manifestDigest, readItems } from "../parts/manifest.js";
import { toSign } from "../parts/passkeys.js";
import { results } from "../parts/results.js";
import { missing, state } from "../parts/state.js";
import { statement } from "../parts/statement.js";
import { upload } from "../parts/upload.js";
import { ofRequest, warnings } from "../parts/warnings.js";
import { bytesOf, day, digest, moment, number, relative, shortId } from "../parts/values.js";
import { people } from "../parts/people.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {{request: Json, service: Json, policy: Json, items: Json[] | undefined, changes: Json | undefined}} Seen */

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const news = await changes(signal, ["SigningRequest"], String(params["uuid"]));
  const seen = await read(String(params["uuid"]), new Names(signal));
  const { request, policy } = seen;
  const names = new Names(signal);
  const roles = await names.rolesNamed(request.nextRoleUuids);
  const key = await keyOf(seen, names);
  const waits = request.state === "Approval";
  const earlier = waits ? await new Decided(signal).ofRequest(request) : undefined;
  const signing = policy.rules.signedApprovals ? toSign(path(request)) : undefined;
  const decidable = {
    object: request, waits, roles, selfApproval: policy.selfApproval,
    unchanged: async () => same(seen, await read(request.uuid, new Names(signal))),
    signed: Boolean(policy.rules.signedApprovals), toSign: signing,
    approve: (/** @type {string} */ note) => {
      const send = (/** @type {Json} */ signed) => post(`${path(request)}/approve`, { note, digest: request.approvalDigest, ...signed });
      return signing ? signing.send(send) : send({});
    },
    deny: (/** @type {string} */ note) => post(`${path(request)}/deny`, { note }),
    withdraw: (/** @type {string} */ note) => post(`${path(request)}/withdraw`, { note }),
  };
  const why = obstacle(decidable);
  const title = shownText(request.name);
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/approvals" }, t("approvals.title"))),
    h("div", { class: "head" },
      h("h1", {}, waits ? tn("request.question", { name: shown(request.name) }) : shown(request.name)),
      h("p", {}, waits ? missing({ given: approved(request).length, required: request.approvalsRequired }, roles) : state(request.state))),
    waits && news,
    request.reason && h("p", { class: "problem" }, shown(request.reason)),
    earlier && warnings(ofRequest(request, seen.items, seen.changes, earlier, why)),
    waits && consequence(seen, why === undefined),
    h("h2", {}, t(waits ? "request.whatIsSigned" : "request.whatItIs")),
    computedFacts(seen, key),
    request.manifest && manifest(seen.items ?? [], request, seen.changes),
    waits && compareWithFile(request, seen.items),
    h("h2", {}, tn("request.claims", { who: submitters(request) })),
    claims(request),
    h("h2", {}, t("request.who")),
    who(decidable),
    results(request, signal),
    decide(decidable),
  ];
  return { title, content };
}

/** @param {Json} request */
const path = (request) => `/api/v2/x509/signing-requests/${request.uuid}`;

/** Everything that the page shows and that a decision rests on. @param {string} uuid @param {Names} names @returns {Promise<Seen>} */
async function read(uuid, names) {
  const request = await get(`/api/v2/x509/signing-requests/${uuid}`, undefined, names.signal);
  const changes = async () => (await get(`/api/v2/x509/signing-requests/${uuid}`, { include: "contents" }, names.signal)).manifestChanges;
  const [service, policy, items, changed] = await Promise.all([
    names.service(request.serviceUuid), names.policy(request.policyUuid),
    request.manifest ? readItems(uuid, names.signal, "changes") : undefined, request.manifest ? changes() : undefined]);
  return { request, service, policy, items, changes: changed };
}

/** What the interface tells of the key: its certificate's detail; and the key itself to those who may see keys. @param {Seen} seen @param {Names} names */
async function keyOf({ service }, names) {
  if (!service.certificateUuid) return undefined;
  return names.certificate(service.certificateUuid).catch(() => undefined);
}

/** @param {Json} request */
const submitters = (request) => h("span", {}, people(request.submittedBy));

/** What follows from an approval, first of all. @param {Seen} seen @param {boolean} isYours whether the reader may give one */
function consequence({ request, service }, isYours) {
  const isLast = request.approvalsRequired - approved(request).length <= 1;
  const what = request.manifest ? t("request.manyFiles", { count: number(request.manifest.total) }) : word("formatOf", request.signingFormat);
  const places = { service: h("strong", {}, shown(service.objInfo.name)), what };
  return h("p", { class: "consequence" }, tn(!isYours ? "request.consequence" : isLast ? "request.consequenceNow" : "request.consequenceLater", places));
}

/** @param {Seen} seen @param {Json | undefined} certificate */
function computedFacts({ request, service, policy, items }, certificate) {
  const stub = service.certificate;
  return facts(
    computed(t("fact.service"), h("a", { href: `#/signing/service/${service.objInfo.uuid}` }, shown(service.objInfo.name))),
    computed(t("fact.format"), `${word("format", request.signingFormat)}, ${word("hash", request.hashAlgorithm)}`),
    computed(t("fact.digest"), [digest(request.digest), h("div", { class: "help" }, whatDigest(request))]),
    request.manifest && computed(t("fact.manifestDigest"), manifestDigest(request, items ?? [])),
    request.approvalDigest !== request.digest && computed(t("fact.approvalDigest"), [digest(request.approvalDigest), statement(request)]),
    computed(t("fact.content"), upload(request)),
    request.provenance && computed(t("fact.provenance"), provenance(request.provenance)),
    request.programName && computed(t("fact.programName"), [shown(request.programName), h("div", { class: "help" }, t("fact.programHelp"))]),
    request.programUrl && computed(t("fact.programUrl"), shown(request.programUrl)),
    request.pageHashes && computed(t("fact.pageHashes"), t("fact.pageHashesCount", { count: number(Math.max(0, bytesOf(request.pageHashes).length / 36 - 1)) })),
    stub && computed(t("fact.certificate"), [h("a", { href: `#/certificates/${stub.objInfo.uuid}` }, shown(stub.subject)), ", ", t("fact.ends"), " ", day(stub.notAfter), " ", state(stub.status)]),
    !stub && computed(t("fact.certificate"), t("fact.noCertificate")),
    certificate && computed(t("fact.key"), keyPlace(certificate)),
    computed(t("fact.timeStamp"), policy.timeStamp ? t("fact.stamped") : t("fact.notStamped")),
    computed(t("fact.policy"), [h("a", { href: `#/signing/policy/${policy.objInfo.uuid}` }, shown(policy.objInfo.name)), ": ", t("fact.policyDemands", { count: policy.numApprovals })]),
    computed(t("fact.submitted"), [submitters(request), ", ", moment(request.submittedAt), " (", relative(request.submittedAt), ")"]),
    request.repeatsUuid && computed(t("fact.repeats"), h("a", { href: `#/approvals/request/${request.repeatsUuid}` }, shortId(request.repeatsUuid))),
    request.preApprovalUuid && computed(t("fact.preApproval"), h("a", { href: `#/approvals/proposal/${request.preApprovalUuid}` }, t("kind.PreApproval"))));
}

/** What was verified of where the content comes from, under a key that the policy names. @param {Json} found */
function provenance({ issuer, builderId, buildType, sources, sourcesTotal }) {
  return [
    t("provenance.verified"), " ", h("strong", {}, shown(issuer)),
    h("div", {}, t("provenance.builder"), " ", shown(builderId ?? "–"), " (", shown(buildType ?? "–"), ")"),
    sources.map((/** @type {Json} */ one) => h("div", {}, t("provenance.source"), " ", shown(one.uri ?? ""), " ", h("code", {}, shown(Object.values(one.digest ?? {}).join(" "))))),
    sourcesTotal > sources.length && h("div", { class: "help" }, t("provenance.more", { count: sourcesTotal - sources.length })),
  ];
}

/** What the interface tells of where the key lives. @param {Json} certificate */
function keyPlace(certificate) {
  const kept = certificate.keyUuid ? t("fact.keyHere") : t("fact.keyNotHere");
  return [`${word("algorithm", certificate.keyAlgorithm)}, ${word("origin", certificate.origin)}. ${kept}`];
}

/** Whether a person can make the digest with a tool that they have: as `chancery approve` says it. @param {Json} request */
function whatDigest(request) {
  if (request.manifest) return t("digest.ofManifest");
  if (!["CMS", "Raw"].includes(request.signingFormat)) return t("digest.ofFormat", { format: word("format", request.signingFormat) });
  const tool = /** @type {Record<string, string>} */ ({ Sha1: "sha1sum", Sha2_224: "sha224sum", Sha2_256: "sha256sum", Sha2_384: "sha384sum", Sha2_512: "sha512sum" })[request.hashAlgorithm];
  return tool ? t("digest.asTool", { tool }) : t("digest.ofFile");
}

/** What the submitter says. Nobody has checked any of it. @param {Json} request */
function claims(request) {
  const metadata = Object.entries(request.metadata ?? {});
  return facts(
    claimed(t("fact.name"), shown(request.name)),
    request.note && claimedLines(t("fact.note"), request.note),
    ...metadata.map(([name, value]) => claimedLines(shownText(name), String(value))));
}

