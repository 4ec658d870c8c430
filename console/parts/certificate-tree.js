// Authorities as a tree. What one of them issued is read when it is opened, a page at a time.

import { get } from "../api.js";
import { append, fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { problem } from "./problem.js";
import { state } from "./state.js";
import { day, number } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** The interface has no list of authorities alone: so many pages of the inventory are looked through for them. */
const PAGES_MAX = 20;
const PAGE = 1000;
/** Lines that one step draws: more of them are drawn when they are asked for, so that no step takes long. */
const WINDOW = 50;

/** Authorities by who issued them. @typedef {Map<string, Json[]>} Below */

/** @param {AbortSignal} signal */
export async function tree(signal) {
  const { authorities, isWhole } = await read(signal);
  if (authorities.length === 0) return h("div", { class: "empty" }, t("certificates.empty"));
  const known = new Set(authorities.map((one) => one.objInfo.uuid));
  const isRoot = (/** @type {Json} */ one) => one["issuerUuid"] === one["objInfo"].uuid || !known.has(one["issuerUuid"]);
  /** @type {Below} */
  const below = Map.groupBy(authorities.filter((one) => !isRoot(one)), (one) => one.issuerUuid);
  return [
    windowed(authorities.filter(isRoot), below, { left: WINDOW }),
    !isWhole && h("p", { class: "quiet" }, t("certificates.notAll", { count: number(PAGES_MAX * PAGE) })),
  ];
}

/** @param {AbortSignal} signal */
async function read(signal) {
  /** @type {Json[]} */
  const all = [];
  let after;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await get("/api/v2/x509", { pageSize: PAGE, after }, signal);
    all.push(...answer["results"]);
    after = answer["next"];
    if (!after) return { authorities: authoritiesOf(all), isWhole: true };
  }
  return { authorities: authoritiesOf(all), isWhole: false };
}

/**
 * What stands in the tree by itself: whatever issues here, has issued something or is its own root, and what is below nothing
 * that is known here. The rest is found below its issuer.
 * @param {Json[]} all
 */
function authoritiesOf(all) {
  const known = new Set(all.map((one) => one["objInfo"].uuid));
  const issuers = new Set(all.map((one) => one["issuerUuid"]));
  return all.filter((one) => one["trusted"] || issuers.has(one["objInfo"].uuid) || !known.has(one["issuerUuid"]));
}

/**
 * Authorities beside one another, and what is below them as far as there is room: a small tree is whole at once.
 * @param {Json[]} authorities @param {Below} below @param {{left: number}} room
 */
function windowed(authorities, below, room) {
  const list = h("ul", { class: "tree" });
  const more = h("button", { type: "button" }, t("manifest.more"));
  const draw = (/** @type {{left: number}} */ room) => {
    const start = list.childElementCount;
    const next = authorities.slice(start, start + WINDOW);
    room.left -= next.length;
    append(list, next.map((one) => branch(one, below, room)));
    more.hidden = list.childElementCount === authorities.length;
    return list.children[start];
  };
  // The button goes with the last of them, and the focus would be lost with it.
  more.addEventListener("click", () => draw({ left: 0 })?.querySelector("a")?.focus());
  draw(room);
  return more.hidden ? list : [list, h("p", {}, more)];
}

/** @param {Json} one @param {Below} below @param {{left: number}} room @returns {HTMLLIElement} */
function branch(one, below, room) {
  const uuid = one["objInfo"].uuid;
  const under = below.get(uuid) ?? [];
  const authorities = under.length === 0 ? undefined
    : under.length <= room.left ? windowed(under, below, room)
    : opening(t("certificates.authorities", { count: number(under.length) }), (place) => append(place, [windowed(under, below, { left: WINDOW })]));
  return h("li", {}, line(one, true), h("div", { class: "below" }, authorities, opening(t("certificates.issued"), (place) => void list(place, uuid, under))));
}

/** What is drawn when it is first opened. @param {string} title @param {(place: HTMLElement) => void} draw */
function opening(title, draw) {
  const place = h("details", {}, h("summary", {}, title));
  place.addEventListener("toggle", () => place.open && place.childElementCount === 1 && draw(place));
  return place;
}

/** @param {Json} one @param {boolean} [isAuthority] */
const line = (one, isAuthority) => h("span", {}, h("a", { href: `#/certificates/${one["objInfo"].uuid}` }, shown(one["subject"] || one["objInfo"].name)), " ", state(one["status"]), " ", h("span", { class: "quiet" }, t("fact.ends"), " ", day(one["notAfter"]), isAuthority && !one["trusted"] && [" · ", t("cert.willNotIssue")]));

/** What it issued besides what stands in the tree. @param {HTMLElement} place @param {string} issuer @param {Json[]} under */
async function list(place, issuer, under) {
  const shownAbove = new Set([issuer, ...under.map((one) => one["objInfo"].uuid)]);
  const leaves = h("ul", { class: "tree" });
  const foot = h("p");
  append(place, [leaves, foot]);
  /** @param {string | undefined} after */
  const more = async (after) => {
    try {
      const answer = await get("/api/v2/x509", { issuer, pageSize: WINDOW, after });
      append(leaves, answer["results"].filter((/** @type {Json} */ one) => !shownAbove.has(one["objInfo"].uuid)).map((/** @type {Json} */ one) => h("li", {}, line(one))));
      const next = answer["next"];
      fill(foot, next ? h("button", { type: "button", onclick: () => void more(next) }, t("manifest.more")) : leaves.childElementCount === 0 ? t(under.length > 0 ? "certificates.nothingIssued" : "certificates.nothing") : "");
    } catch (error) {
      fill(foot, problem(error));
    }
  };
  await more(undefined);
}
