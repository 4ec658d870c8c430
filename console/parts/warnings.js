// What people overlook, said before everything else: what of a request or a proposal is not as it seems, found by comparing its
// own words with what is computed. Nothing here decides anything, and whoever writes a name can avoid much of it.

import { h } from "../dom.js";
import { includesUs, may, session } from "../session.js";
import { HIDDEN, PILED, shown } from "../visible.js";
import { t, tn, word } from "../words.js";
import { budget } from "./budgets.js";
import { ended } from "./earlier.js";
import { effectLine } from "./effect.js";
import { people } from "./people.js";
import { bytesOf, hex, moment, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */
/** @typedef {import("../words.js").Key} Key */

/** Of the note of an earlier denial, so much is told: the rest is on its own page. */
const NOTE_MAX = 200;

/** A box at the top of the page; nothing where there is nothing to say. @param {(Child | false)[]} all */
export function warnings(all) {
  const said = all.filter(Boolean);
  return said.length > 0 && h("section", { class: "warnings", "aria-labelledby": "warnings-title" },
    h("h2", { id: "warnings-title" }, t("warn.title")), h("ul", {}, said.map((one) => h("li", {}, one))));
}

/**
 * @param {Json} request @param {Json[] | undefined} items @param {Json | undefined} changes @param {import("./earlier.js").Earlier} earlier
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
    ...ofEarlier(earlier),
    ofOwn(request, why),
  ];
}

/** @param {import("./earlier.js").Earlier} earlier @returns {(Child | false)[]} */
function ofEarlier({ repeated, same, named, signed, isAll }) {
  const request = (/** @type {Json} */ one) => h("a", { href: `#/approvals/request/${one["uuid"]}` }, t("warn.earlierOne"));
  return [
    ofRefused(same, { denied: "warn.denied", withdrawn: "warn.withdrawn", link: request }),
    ofRefused(named, { denied: "warn.deniedName", withdrawn: "warn.withdrawnName", link: request }),
    repeated !== undefined && tn("warn.earlier", { request: request(repeated), state: word("state", repeated["state"]) }),
    signed !== undefined && tn("warn.signed", { request: request(signed), time: moment(signed["decidedAt"]) }),
    !isAll && t("warn.unread"),
  ];
}

/**
 * The newest that others denied, and how many there are; where there is none, what was taken back by those who asked for it.
 * @param {import("./earlier.js").Refused} refused @param {{denied: Key, withdrawn: Key, link: (one: Json) => Child}} texts @returns {Child | false}
 */
function ofRefused({ denied: [last, ...others], withdrawn: [back] }, { denied, withdrawn, link }) {
  if (!last) return back !== undefined && tn(withdrawn, { request: link(back), time: moment(ended(back)?.["decidedAt"] ?? back["decidedAt"]) });
  const decided = ended(last);
  const note = [...(decided?.["note"] ?? "")];
  return h("span", {},
    tn(denied, { request: link(last), names: decided ? people(decided["identities"]) : "–", time: moment(decided?.["decidedAt"] ?? last["decidedAt"]) }),
    note.length > 0 && [" ", tn("warn.deniedNote", { note: [shown(note.slice(0, NOTE_MAX).join("")), note.length > NOTE_MAX && "…"] })],
    others.length > 0 && [" ", t("warn.deniedCount", { count: number(others.length + 1) })]);
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
 * @param {Json} proposal @param {Json} said what people approve @param {(text: string) => string} name
 * @param {{same: import("./earlier.js").Refused, isAll: boolean}} earlier
 * @param {string | undefined} why the reader cannot approve it @returns {(Child | false)[]}
 */
export function ofProposal(proposal, said, name, earlier, why) {
  const { certificate } = said;
  const pair = said["after"] ? said : proposal["policy"] ?? proposal["certProfile"] ?? proposal["issuerApproval"];
  const link = (/** @type {Json} */ one) => h("a", { href: `#/approvals/proposal/${one["objInfo"].uuid}` }, t("warn.earlierProposal"));
  const again = ofRefused(earlier.same, { denied: "warn.deniedProposal", withdrawn: "warn.withdrawnProposal", link });
  return [again, !earlier.isAll && t("warn.unreadProposals"), ...(certificate ? ofCertificate(certificate) : []), ...(pair?.before ? laxer(pair.before, pair.after, name) : []), ofGains(proposal["effect"]), ofOwn(proposal, why)];
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
