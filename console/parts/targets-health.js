// What of the server's work fails while it answers: targets that do not get what they should, and the journal. It is read by the
// session, and so only when something has happened: a page that is open keeps no session alive.

import { access, get } from "../api.js";
import { h } from "../dom.js";
import { may } from "../session.js";
import { health as shippingOf } from "../pages/audit-targets.js";
import { health as deliveriesOf } from "../pages/notices.js";
import { address } from "../router.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";
import { fact, facts } from "./facts.js";
import { moment } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** `journal`: the newest trouble with one, as a record or a notice has it. @typedef {{shipping: Json[], notices: Json[], journal: Json | undefined}} Failing */

/** Records that a target may be behind where nothing failed. */
const FAR_BEHIND = 1_000;
/** For so long it is told that a journal was not as it should be. */
const JOURNAL_MS = 7 * 86_400_000;

/** @type {Failing} */
export const NOTHING = { shipping: [], notices: [], journal: undefined };

/** Kinds of notices after which it is looked at again. */
export const KINDS = ["AuditTargetFailed", "JournalFailed"];

/** What fails, as far as the reader may know; of what cannot be read, nothing. @param {AbortSignal} signal @returns {Promise<Failing>} */
export async function readFailing(signal) {
  if (access.isOff) return NOTHING;
  const none = () => [];
  const [shipping, notices, journal] = await Promise.all([
    may("Audit:Read", "System:Manage") ? list("/api/v2/audit/targets", signal).catch(none) : [],
    may("System:Manage") ? list("/api/v2/notice-targets", signal).catch(none) : [],
    may("Audit:Read", "System:Manage") ? journalTrouble(signal).catch(() => undefined) : undefined,
  ]);
  return {
    shipping: shipping.filter(({ enabled, shipping: of }) => enabled && (of.failures > 0 || of.behind > FAR_BEHIND)),
    notices: notices.filter(({ enabled, deliveries }) => enabled && deliveries.failures > 0), journal,
  };
}

/** @param {string} path @param {AbortSignal} signal @returns {Promise<Json[]>} */
const list = async (path, signal) => (await get(path, undefined, signal))["results"];

/** The newest of these days after which the same journal could not be kept again. Who may not read records has the notices alone, which do not tell that. @param {AbortSignal} signal @returns {Promise<Json | undefined>} */
async function journalTrouble(signal) {
  const isNew = (/** @type {Json} */ { time }) => Date.now() - Date.parse(time) < JOURNAL_MS;
  if (!may("Audit:Read")) return (await get("/api/v2/notices", { kind: "JournalFailed", pageSize: 1 }, signal))["items"].find(isNew);
  const of = async (/** @type {string} */ action) => (await get("/api/v2/audit", { action, pageSize: 20 }, signal))["items"];
  /** @type {Json[][]} */
  const [missed = [], failed = [], resumed = []] = await Promise.all(["JournalMiss", "JournalFail", "JournalResume"].map(of));
  const goesOn = (/** @type {Json} */ one) => resumed.some((later) => later["objectUuid"] === one["objectUuid"] && later["number"] > one["number"]);
  return [...missed, ...failed.filter((one) => !goesOn(one))].filter(isNew).sort((one, other) => other["number"] - one["number"])[0];
}

/** Lines of it; none where nothing fails. @param {Failing} failing */
export function failingLines({ shipping, notices, journal }) {
  const lines = [
    journal && fact(t("health.journal"), [h("span", { class: "state bad long" }, tn(journal["action"] === "JournalMiss" ? "health.journalMissed" : "health.journalFailed", { time: moment(journal["time"]) })),
      may("Audit:Read") && [" ", h("a", { href: address("/audit", { objectUuid: journal["objectUuid"] }) }, t("audit.ofNode"))]]),
    ...shipping.map((one) => fact(t("health.shipping"), [h("a", { href: `#/audit/targets/${one["uuid"]}` }, shown(one["objInfo"].name)), " ", shippingOf(one)])),
    ...notices.map((one) => fact(t("health.notices"), [h("a", { href: `#/notices/target/${one["uuid"]}` }, shown(one["objInfo"].name)), " ", deliveriesOf(one)])),
  ].filter(Boolean);
  return lines.length > 0 && facts(...lines);
}
