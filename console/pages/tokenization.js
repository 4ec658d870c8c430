// Tokenization: the token profiles.

import { get } from "../api.js";
import { h } from "../dom.js";
import { alphabet } from "../parts/profile-format.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { shortId } from "../parts/values.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const answer = await get("/api/v2/token-profiles/stubs", { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal);
  const columns = [
    { title: t("column.profile"), cell: (/** @type {Json} */ row) => h("a", { href: `#/tokenization/profile/${row.objInfo.uuid}` }, shown(row.objInfo.name)) },
    { title: t("column.algorithm"), cell: (/** @type {Json} */ row) => word("tokens", row.algorithm) },
    { title: t("format.alphabet"), cell: (/** @type {Json} */ row) => alphabet(row.alphabet) ?? h("span", { class: "quiet" }, t("format.noAlphabet")) },
    { title: t("format.useIv"), cell: (/** @type {Json} */ row) => t(row.useIv ? "yes" : "no") },
    { title: "UUID", cell: (/** @type {Json} */ row) => shortId(row.objInfo.uuid) },
  ];
  const content = [
    h("div", { class: "head" }, h("h1", {}, t("tokenization.title")), may("Tokenization:Manage") && h("a", { class: "primary", href: "#/tokenization/new" }, t("tokenization.new"))),
    list({ path: "/tokenization", query, caption: t("tokenization.title"), columns, empty: t("tokenization.empty"), search: t("tokenization.search"), listed: { ...answer, rows: answer.results } }),
  ];
  return { title: t("nav.tokenization"), content };
}
