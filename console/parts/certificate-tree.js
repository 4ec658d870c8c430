// Authorities as a tree. What one of them issued is read when it is opened, a page at a time.

import { get } from "../api.js";
import { append, fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { problem } from "./problem.js";
import { state } from "./state.js";
import { day } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

/** The interface has no list of authorities alone: so many pages of the inventory are looked through for them. */
const PAGES_MAX = 5;
const PAGE = 1000;
const ISSUED = 50;

/** @param {AbortSignal} signal */
export async function tree(signal) {
  const { authorities, isWhole } = await read(signal);
  if (authorities.length === 0) return h("div", { class: "empty" }, t("certificates.empty"));
  const known = new Set(authorities.map((one) => one.objInfo.uuid));
  const roots = authorities.filter((one) => one.issuerUuid === one.objInfo.uuid || !known.has(one.issuerUuid));
  return [
    h("ul", { class: "tree" }, roots.map((root) => branch(root, authorities))),
    !isWhole && h("p", { class: "quiet" }, t("certificates.notAll", { count: PAGES_MAX * PAGE })),
  ];
}

/** @param {AbortSignal} signal */
async function read(signal) {
  /** @type {Json[]} */
  const authorities = [];
  let after;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await get("/api/v2/x509", { pageSize: PAGE, after }, signal);
    authorities.push(...answer["results"].filter((/** @type {Json} */ one) => one["trusted"]));
    after = answer["next"];
    if (!after) return { authorities, isWhole: true };
  }
  return { authorities, isWhole: false };
}

/** @param {Json} one @param {Json[]} authorities @returns {HTMLLIElement} */
function branch(one, authorities) {
  const uuid = one["objInfo"].uuid;
  const below = authorities.filter((other) => other["issuerUuid"] === uuid && other["objInfo"].uuid !== uuid);
  const issued = h("details", {}, h("summary", {}, t("certificates.issued")));
  issued.addEventListener("toggle", () => issued.open && issued.childElementCount === 1 && void list(issued, uuid));
  return h("li", {}, line(one), h("ul", { class: "tree" }, below.map((other) => branch(other, authorities)), h("li", {}, issued)));
}

/** @param {Json} one */
const line = (one) => h("span", {}, h("a", { href: `#/certificates/${one["objInfo"].uuid}` }, shown(one["subject"] || one["objInfo"].name)), " ", state(one["status"]), " ", h("span", { class: "quiet" }, t("fact.ends"), " ", day(one["notAfter"])));

/** @param {HTMLElement} place @param {string} issuer */
async function list(place, issuer) {
  const leaves = h("ul", { class: "tree" });
  const foot = h("p");
  append(place, [leaves, foot]);
  /** @param {string | undefined} after */
  const more = async (after) => {
    try {
      const answer = await get("/api/v2/x509", { issuer, pageSize: ISSUED, after });
      append(leaves, answer["results"].filter((/** @type {Json} */ one) => !one["trusted"]).map((/** @type {Json} */ one) => h("li", {}, line(one))));
      const next = answer["next"];
      fill(foot, next ? h("button", { type: "button", onclick: () => void more(next) }, t("manifest.more")) : leaves.childElementCount === 0 ? t("certificates.nothingIssued") : "");
    } catch (error) {
      fill(foot, problem(error));
    }
  };
  await more(undefined);
}
