// What people overlook, said before everything else: what of a request or a proposal is not as it seems, found by comparing its
// own words with what is computed. Nothing here decides anything, and whoever writes a name can avoid much of it.

import { Refusal, get } from "../api.js";
import { h } from "../dom.js";
import { includesUs, may, session } from "../session.js";
import { HIDDEN, PILED, shown } from "../visible.js";
import { t, tn, word } from "../words.js";
import { budget } from "./budgets.js";
import { effectLine } from "./effect.js";
import { people } from "./people.js";
import { bytesOf, hex, moment, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */

/** Pages of 1,000 requests whose names have a name in them. */
const LOOKED_THROUGH = 10;

/** A box at the top of the page; nothing where there is nothing to say. @param {(Child | false)[]} all */
export function warnings(all) {
  const said = all.filter(Boolean);
  return said.length > 0 && h("section", { class: "warnings", "aria-labelledby": "warnings-title" },
    h("h2", { id: "warnings-title" }, t("warn.title")), h("ul", {}, said.map((one) => h("li", {}, one))));
}

/**
 * @param {Json} request @param {Json[] | undefined} items @param {Json | undefined} changes @param {Json[]} earlier
 * @param {string} [why] the reader cannot approve it, where that is known @returns {(Child | false)[]}
 */
export function ofRequest(request, items, changes, earlier, why) {
  const claims = [request["name"], request["note"] ?? "", ...Object.entries(request["metadata"] ?? {}).flat()].map(String);
  const names = [request["name"], request["programName"] ?? "", ...(items ?? []).map((item) => item["name"])];
  return [
    ofDigests(request, items, claims.join("\n")),
    ofName(names),
    ofNewNames(items, changes),
    ofEnding(request),
    claims.some((text) => MARKS.test(text)) && t("warn.marks"),
    ...earlier.map((one) => one["unread"] ? t("warn.unread") : one["approvalDigest"] === request["approvalDigest"] ? sameBefore(one) : tn("warn.earlier", { request: h("a", { href: `#/approvals/request/${one["uuid"]}` }, t("warn.earlierOne")), state: word("state", one["state"]) })),
    ofOwn(request, why),
  ];
}

/** The same was decided on before: how, by whom, when. @param {Json} one */
function sameBefore(one) {
  const request = h("a", { href: `#/approvals/request/${one["uuid"]}` }, t("warn.earlierOne"));
  if (one["state"] === "Signed") return tn("warn.signed", { request, time: moment(one["decidedAt"]) });
  const denial = one["approvals"].findLast((/** @type {Json} */ decided) => decided["decision"] !== "Approve");
  return tn("warn.denied", { request, names: denial ? people(denial["identities"]) : "–", time: moment(denial?.["decidedAt"] ?? one["decidedAt"]) });
}

/** The marks with which this page says what it computed and what holds. */
const MARKS = /[\u25a0\u25a1\u25aa\u25c6\u25c7\u2705\u2713\u2714\u2611\u{1f5f8}]/u;

/** Digests that the submitter names, of the length of the one that is signed, and that are none of those computed here. @param {Json} request @param {Json[] | undefined} items @param {string} text */
function ofDigests(request, items, text) {
  const own = new Set([request["digest"], request["approvalDigest"], ...(items ?? []).map((item) => item["digest"])].map((one) => hex(bytesOf(one))));
  const length = hex(bytesOf(items?.[0]?.["digest"] ?? request["digest"])).length;
  const named = text.toLowerCase().match(/(?<![0-9a-f])[0-9a-f]{40,128}(?![0-9a-f])/g) ?? [];
  const other = named.find((one) => one.length === length && !own.has(one));
  if (!other) return false;
  // Files that carry their signature have a digest of their own, which is another.
  const isOfFile = request["manifest"] || ["CMS", "Raw"].includes(request["signingFormat"]);
  return tn(isOfFile ? "warn.digest" : "warn.digestOfFile", { digest: h("code", {}, `${other.slice(0, 16)}…`), format: word("format", request["signingFormat"]) });
}

/** Files that the last manifest did not have: among many, one more is not seen. @param {Json[] | undefined} items @param {Json | undefined} changes */
function ofNewNames(items, changes) {
  const added = (items ?? []).filter((item) => item["change"] === "Added");
  if (!changes?.["since"] || added.length === 0) return false;
  const names = added.slice(0, 3).map((item, index) => [index > 0 && ", ", h("strong", {}, shown(item["name"]))]);
  return tn("warn.newNames", { count: number(added.length), names: [names, added.length > 3 && ", …"] });
}

/** Scripts whose letters look like each other's. @type {[string, RegExp][]} */
const SCRIPTS = [["Cyrillic", /\p{Script=Cyrillic}/u], ["Greek", /\p{Script=Greek}/u], ["Armenian", /\p{Script=Armenian}/u], ["Cherokee", /\p{Script=Cherokee}/u]];
const LATIN = /\p{Script=Latin}/u;

/** Names that are not what they look like: the first of them. @param {string[]} names */
function ofName(names) {
  for (const name of names) {
    const foreign = LATIN.test(name) && SCRIPTS.find(([, letters]) => letters.test(name));
    if (foreign) {
      const letter = [...name].find((one) => foreign[1].test(one)) ?? "";
      return tn("warn.letters", { name: shown(name), letter: h("strong", {}, shown(letter), ` U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`), script: word("script", foreign[0]) });
    }
    if (/[<>]/.test(name)) return tn("warn.markup", { name: shown(name) });
    // Escaped already, where they cannot be seen at all.
    if (/\s{2,}|[^\S ]/u.test(name)) return t("warn.blanks");
    if (HIDDEN.test(name) || PILED.test(name) || name.trim() !== name) return t("warn.hidden");
  }
  return false;
}

/** Formats by the endings of names. @type {Record<string, string>} */
const ENDINGS = { msi: "Msi", msp: "Msi", exe: "Authenticode", dll: "Authenticode", sys: "Authenticode", ps1: "Powershell", psm1: "Powershell", jar: "JavaJar" };

/** A name that promises another kind of file than the one that is signed. @param {Json} request */
function ofEnding(request) {
  const ending = /\.(\w+)\s*$/.exec(request["name"])?.[1]?.toLowerCase() ?? "";
  const promised = ENDINGS[ending];
  return promised && promised !== request["signingFormat"] && !request["manifest"] && tn("warn.ending", {
    ending: h("strong", {}, `.${ending}`), promised: word("format", promised), format: h("strong", {}, word("format", request["signingFormat"])) });
}

/** Whoever looks at it is who asked for it. @param {Json} decided @param {string | undefined} why the reader cannot approve it */
function ofOwn(decided, why) {
  if (!may("Signing:Approve") || !includesUs(decided["submittedBy"])) return false;
  if (session.identities.length < 2) return t("warn.own");
  return t(why ? "warn.ownOfYou" : "warn.ownAsOne");
}

/**
 * Requests that look like this one and were of something else: the one that it repeats, and those of the same name that
 * were refused. And of the same name and content one that was denied, and one that was signed, with all that is known of
 * them: the interface does not look for digests. Not everybody who reads a request may look for others; whatever else is
 * wrong is told.
 * @param {Json} request @param {AbortSignal} signal @returns {Promise<Json[]>}
 */
export async function earlierOnes(request, signal) {
  const none = (/** @type {unknown} */ error) => {
    if (error instanceof Refusal && [403, 404].includes(error.status)) return undefined;
    throw error;
  };
  let isAll = true;
  const repeated = request["repeatsUuid"] && (await get(`/api/v2/x509/signing-requests/${request["repeatsUuid"]}`, undefined, signal).catch(none));
  const like = async (/** @type {string} */ state) => {
    /** @type {Json[]} */
    const found = [];
    let after;
    // By a part of the name: whoever submits many with this name in theirs hides none of this name.
    for (let pages = 0; pages < LOOKED_THROUGH; pages += 1) {
      /** @type {Json | undefined} */
      const answer = await get("/api/v2/x509/signing-requests", { search: request["name"], state, pageSize: 1000, after }, signal).catch(none);
      found.push(...(answer?.["items"] ?? []).filter((/** @type {Json} */ one) => one["name"] === request["name"] && one["uuid"] !== request["uuid"]));
      after = answer?.["next"];
      if (!after) return found;
    }
    isAll = false;
    return found;
  };
  const isOther = (/** @type {Json} */ one) => one["approvalDigest"] !== request["approvalDigest"];
  const [denied, signed] = await Promise.all([like("Denied"), like("Signed")]);
  const same = [denied, signed].map((all) => all.find((/** @type {Json} */ one) => !isOther(one) && one["policyUuid"] === request["policyUuid"])).filter((one) => one !== undefined);
  const told = await Promise.all(same.map((one) => get(`/api/v2/x509/signing-requests/${one["uuid"]}`, undefined, signal).catch(none)));
  return [...[repeated, denied.find(isOther)].filter((one) => one && isOther(one)), ...told.filter((one) => one !== undefined), ...(isAll ? [] : [{ unread: true }])];
}

/**
 * @param {Json} proposal @param {Json} said what people approve @param {(text: string) => string} name
 * @param {string | undefined} why the reader cannot approve it @returns {(Child | false)[]}
 */
export function ofProposal(proposal, said, name, why) {
  const { certificate } = said;
  const pair = said["after"] ? said : proposal["policy"] ?? proposal["certProfile"] ?? proposal["issuerApproval"];
  return [...(certificate ? ofCertificate(certificate) : []), ...(pair?.before ? laxer(pair.before, pair.after, name) : []), ofGains(proposal["effect"]), ofOwn(proposal, why)];
}

/** Somebody will be able to do what they cannot do now: the first of it, all stands below. @param {Json | undefined} effect */
function ofGains(effect) {
  const [first] = effect?.["gains"] ?? [];
  return first && tn("warn.gains", { what: effectLine("gains", first) });
}

/** @param {Json} certificate */
function ofCertificate(certificate) {
  /** @type {string[]} */
  const names = certificate["subjectAltNames"];
  const wild = names.filter((one) => one.includes("*"));
  return [
    certificate["basicConstraints"].ca && h("strong", {}, t("warn.authority")),
    wild.length > 0 && tn("warn.wildcard", { names: wild.slice(0, 3).map((one, index) => [index > 0 && ", ", h("strong", {}, shown(one))]), count: number(names.length) }),
    ofName([certificate["subject"] ?? "", ...names]),
  ];
}

/** What is laxer than before: fewer of these, a larger or no limit, more in a list or an empty one, a demand less, a permission more. */
const LAXER = /** @type {const} */ ([
  ["/numApprovals", "fewer"], ["/approval/numApprovals", "fewer"], ["/timeStamp", "demand"],
  ["/rules/submitterRoleUuids", "list"], ["/rules/fileNames", "list"], ["/rules/maxSize", "limit"], ["/rules/signaturesPerHour", "limit"],
  ["/rules/signaturesPerDay", "limit"], ["/rules/budgets", "budgets"], ["/rules/provenanceRequired", "demand"], ["/rules/provenanceIssuers", "list"], ["/rules/signedApprovals", "demand"],
  ["/basicConstraints/ca", "permission"], ["/subjectAltNames/wildcards", "permission"], ["/subjectAltNames/domains", "list"],
]);
/** From strict to lax. */
const SELF_APPROVAL = ["Never", "DualControl"];

/** @param {Json} before @param {Json} after @param {(text: string) => string} name */
function laxer(before, after, name) {
  const at = (/** @type {Json} */ object, /** @type {string} */ pointer) => pointer.split("/").slice(1).reduce((/** @type {any} */ inner, member) => inner?.[member], object);
  const found = LAXER.filter(([pointer, kind]) => isLaxer(kind, at(before, pointer), at(after, pointer)))
    .map(([pointer]) => line(pointer, at(before, pointer), at(after, pointer), name));
  const self = (/** @type {Json} */ one) => SELF_APPROVAL.indexOf(one["selfApproval"]);
  if (self(after) > self(before)) found.push(line("/selfApproval", before["selfApproval"], after["selfApproval"], name));
  return [...found, ...steps(before, after, name)];
}

/** @param {typeof LAXER[number][1]} kind @param {any} before @param {any} after */
function isLaxer(kind, before, after) {
  if (kind === "fewer") return (after ?? 0) < (before ?? 0);
  if (kind === "limit") return typeof before === "number" && (typeof after !== "number" || after > before);
  if (kind === "demand") return before === true && after !== true;
  if (kind === "permission") return before !== true && after === true;
  if (kind === "budgets") return (before ?? []).some((/** @type {Json} */ old) => !(after ?? []).some((/** @type {Json} */ now) => isSameWindow(old, now) && now["count"] <= old["count"]));
  const [old, now] = [before ?? [], after ?? []].map((list) => list.map((/** @type {any} */ one) => JSON.stringify(one)));
  return old.length > 0 && (now.length === 0 || now.some((/** @type {string} */ one) => !old.includes(one)));
}

/** Whether two budgets are of the same windows, for the same ones. @param {Json} one @param {Json} other */
const isSameWindow = (one, other) => one["per"] === other["per"] && Boolean(one["each"]) === Boolean(other["each"]);

/** Steps of approval that are gone or need fewer: one of the same roles is the same step. @param {Json} before @param {Json} after @param {(text: string) => string} name */
function steps(before, after, name) {
  const of = (/** @type {Json} */ step) => [...step["roleUuids"]].sort().join();
  /** @type {Json[]} */
  const now = [...(after["rules"]?.approvalSteps ?? [])];
  return (before["rules"]?.approvalSteps ?? []).flatMap((/** @type {Json} */ step) => {
    const index = now.findIndex((other) => of(other) === of(step));
    const [same] = index < 0 ? [] : now.splice(index, 1);
    const count = same?.["numApprovals"] ?? 0;
    return count < step["numApprovals"] ? [tn("warn.step", { roles: step["roleUuids"].map((/** @type {string} */ one, /** @type {number} */ at) => [at > 0 && ", ", shown(name(one))]), before: h("strong", {}, number(step["numApprovals"])), after: h("strong", {}, number(count)) })] : [];
  });
}

/** @param {string} pointer @param {any} before @param {any} after @param {(text: string) => string} name */
function line(pointer, before, after, name) {
  const value = (/** @type {any} */ one) => Array.isArray(one)
    ? (one.length === 0 ? t("diff.none") : shown(one.map((inner) => (typeof inner === "string" ? name(inner) : inner.name ?? budget(inner))).join(", ")))
    : one === null || one === undefined ? t("diff.none") : shown(String(one));
  return tn("warn.laxer", { member: h("code", {}, pointer), before: h("span", { class: "before" }, value(before)), after: h("strong", { class: "after" }, value(after)) });
}
