// INTERFACE.md as a page: the few kinds of Markdown that it has, each made an element. Nothing is read as markup.

import { h } from "../dom.js";

/** @typedef {import("../dom.js").Child} Child */

const CODE = /^```/;
const HEADING = /^(#{1,4}) (.*)/;
const ITEM = /^( *)(?:[-*]|\d+\.) (.*)/;
const ROW = /^\|/;

/** Code, strong words, links; what is between them stays as it is. */
const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;

/** @param {string} anchor what an address of a chapter begins with */
export async function prose(anchor) {
  const answer = await fetch("/docs/interface.md");
  const lines = (await answer.text()).split("\n");
  const blocks = read(lines, anchor);
  const chapters = blocks.filter((block) => block instanceof HTMLHeadingElement && block.tagName === "H2");
  const contents = chapters.map((chapter) =>
    h("li", {}, h("a", { href: anchor + /** @type {HTMLElement} */ (chapter).id }, chapter.textContent)));
  return h("article", { class: "prose" },
    blocks.slice(0, 1), h("nav", { "aria-label": "Chapters" }, h("ul", {}, contents)), blocks.slice(1));
}

/** @param {string[]} lines @param {string} anchor */
function read(lines, anchor) {
  /** @type {HTMLElement[]} */
  const blocks = [];
  let at = 0;
  /** Takes lines for as long as they are of a kind. @param {(line: string) => boolean} belongs */
  const take = (belongs) => {
    const from = at;
    while (at < lines.length && belongs(lines[at] ?? "")) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const heading = HEADING.exec(line);
    if (line.trim() === "") at += 1;
    else if (CODE.test(line)) {
      at += 1;
      blocks.push(h("pre", { tabindex: 0 }, take((one) => !CODE.test(one)).join("\n")));
      at += 1;
    } else if (heading) {
      at += 1;
      blocks.push(chapter(heading, anchor));
    } else if (ROW.test(line)) blocks.push(table(take((one) => ROW.test(one)), anchor));
    else if (ITEM.test(line)) blocks.push(list(take((one) => ITEM.test(one) || /^ +\S/.test(one)), anchor));
    else blocks.push(h("p", {}, inline(take((one) => one.trim() !== "" && !starts(one)).join(" "), anchor)));
  }
  return blocks;
}

/** Whether a line ends the paragraph before it. @param {string} line */
const starts = (line) => CODE.test(line) || HEADING.test(line) || ROW.test(line) || ITEM.test(line);

/** @param {RegExpExecArray} heading @param {string} anchor */
function chapter([, marks = "#", text = ""], anchor) {
  const name = /** @type {"h1" | "h2" | "h3" | "h4"} */ (`h${marks.length}`);
  return h(name, { id: slug(text) }, inline(text, anchor));
}

/** An address as others make it of a heading. @param {string} text */
const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replace(/ /g, "-");

/** @param {string[]} rows @param {string} anchor */
function table([head = "", , ...rows], anchor) {
  const cells = (/** @type {string} */ row) => row.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replace(/\\\|/g, "|"), anchor));
  return h("table", {},
    // Some tables have no words above their columns.
    h("thead", {}, h("tr", {}, cells(head).map((cell) => cell.join("") === "" ? h("td") : h("th", { scope: "col" }, cell)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, cells(row).map((cell) => h("td", {}, cell))))));
}

/** Items, each with the lines that go on with it; one that stands deeper is an item of its own, further in. @param {string[]} lines @param {string} anchor */
function list(lines, anchor) {
  /** @type {{depth: number, text: string}[]} */
  const items = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    const last = items.at(-1);
    if (item) items.push({ depth: item[1]?.length ?? 0, text: item[2] ?? "" });
    else if (last) last.text += ` ${line.trim()}`;
  }
  return h("ul", {}, items.map(({ depth, text }) => h("li", depth > 0 ? { class: "deeper" } : {}, inline(text, anchor))));
}

/** @param {string} text @param {string} anchor @returns {Child[]} */
function inline(text, anchor) {
  /** @type {Child[]} */
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, strong, label, to = ""] = found;
    parts.push(text.slice(end, found.index));
    if (code) parts.push(h("code", {}, code));
    else if (strong) parts.push(h("strong", {}, inline(strong, anchor)));
    // Links lead to other chapters. Other documents are not served here, and other servers are only named.
    else if (to.startsWith("#")) parts.push(h("a", { href: anchor + to.slice(1) }, inline(label ?? "", anchor)));
    else parts.push(inline(label ?? "", anchor), to.startsWith("http") ? [" (", h("code", {}, to), ")"] : null);
    end = (found.index ?? 0) + whole.length;
  }
  return [...parts, text.slice(end)];
}
