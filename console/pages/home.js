// Home: what waits for me, what ends soon, whether all is well, and how much was done in the last day.

import { access, get } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { activity } from "../parts/activity.js";
import { changes } from "../parts/changes.js";
import { health } from "../parts/health.js";
import { problem } from "../parts/problem.js";
import { recovered } from "../parts/recovered.js";
import { missing } from "../parts/state.js";
import { later } from "../parts/table.js";
import { number, relative } from "../parts/values.js";
import { may } from "../session.js";
import { show } from "../show.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { approved, waitingProposals, waitingRequests } from "./waiting.js";

/** @typedef {import("../api.js").Json} Json */

/** Lines of each list; the pages of their own have all. */
const LINES = 6;
const SOON_DAYS = 30;
/** @type {import("../parts/table.js").Listed} */
const NOTHING = { rows: [], total: 0 };

/** @param {import("../router.js").Context} context */
export async function page({ signal }) {
  const names = new Names(signal);
  const decides = may("Signing:Approve", "Signing:Submit", "Services:Deploy", "CertManage:Generate", "CertManage:Manage");
  // What is not well may be why nothing is told; the page says then what it can.
  const news = decides && await changes(signal, ["SigningRequest", "Proposal"]).catch((error) => !access.isOff && problem(error, () => void show()));
  const well = card(t("home.health"), "#/system", health(signal));
  const content = access.isOff ? [h("h1", {}, t("home.title")), well] : [
    h("h1", {}, t("home.title")), recovered(signal), news,
    h("div", { class: "cards" },
      decides && card(t("home.waits"), "#/approvals", reading(() => waits(names))),
      card(t("home.ends", { days: SOON_DAYS }), "#/certificates?view=ending", reading(() => ends(signal))),
      well),
    h("section", {}, h("h2", {}, t("home.activity")), later(h("div", { class: "charts" }, activity()), () => lastDay(signal))),
  ];
  return { title: t("nav.home"), content };
}

/** @param {string} title @param {string} href @param {HTMLElement} place */
function card(title, href, place) {
  return h("section", {}, h("h2", {}, h("a", { href }, title)), place);
}

/** @param {() => Promise<import("../dom.js").Child>} read */
const reading = (read) => later(h("div", {}, h("p", { class: "quiet" }, t("page.reading"))), read);

/** @param {Names} names */
async function waits(names) {
  const [requests, proposals] = await Promise.all([
    may("Signing:Approve", "Signing:Submit") ? waitingRequests(names, undefined, LINES) : NOTHING,
    waitingProposals(names, undefined, LINES)]);
  const lines = [
    ...requests.rows.map(({ request, roles }) => line(`#/approvals/request/${request.uuid}`, request.name, request, roles)),
    ...proposals.rows.map(({ proposal, roles }) => line(`#/approvals/proposal/${proposal.objInfo.uuid}`, proposal.objInfo.name, proposal, roles)),
  ];
  if (lines.length === 0) return h("div", { class: "empty" }, t("home.nothingWaits"));
  const total = (requests.total ?? 0) + (proposals.total ?? 0);
  return [h("ul", { class: "lines-list" }, lines), total > lines.length && h("p", {}, h("a", { href: "#/approvals" }, t("home.all", { count: number(total) })))];
}

/** @param {string} href @param {string} name @param {Json} decided @param {string[]} roles */
function line(href, name, decided, roles) {
  return h("li", {}, h("a", { href }, shown(name)), missing({ given: approved(decided).length, required: decided.approvalsRequired }, roles), relative(decided.submittedAt));
}

/** @param {AbortSignal} signal */
async function ends(signal) {
  const expiresBefore = new Date(Date.now() + SOON_DAYS * 86_400_000).toISOString();
  const answer = await get("/api/v2/x509", { expiresBefore, status: "Valid", pageSize: LINES }, signal);
  if (answer.results.length === 0) return h("div", { class: "empty" }, t("home.nothingEnds", { days: SOON_DAYS }));
  return h("ul", { class: "lines-list" }, answer.results.map((/** @type {Json} */ one) =>
    h("li", {}, h("a", { href: `#/certificates/${one.objInfo.uuid}` }, shown(one.subject || one.objInfo.name || one.serialNumber)), h("code", { class: "quiet" }, `…${one.serialNumber.slice(-8)}`), relative(one.notAfter))));
}

/** @param {AbortSignal} signal */
async function lastDay(signal) {
  return activity((await get("/api/v2/activity", {}, signal)).hours);
}
