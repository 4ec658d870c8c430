// Makes or changes a token profile: what the format does with sample values is seen while it is written.

import { Refusal, get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { changed } from "../parts/changed.js";
import { field, form, input, select, textarea } from "../parts/form.js";
import { message, problem } from "../parts/problem.js";
import { security } from "../parts/profile-format.js";
import { table } from "../parts/table.js";
import { go } from "../router.js";
import { may } from "../session.js";
import { shown, shownText } from "../visible.js";
import { t, tn, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../parts/form.js").Field} Field */

const ALPHABETS = ["Decimal", "LowerHex", "UpperHex", "LowerAlpha", "UpperAlpha", "Alphabetic", "AlphaNumeric", "Printable"];
const ALGORITHMS = ["Ff1", "Random", "AesSiv", "AesGcm", "Hmac"];
/** These have a format; the others take any text. */
const WITH_FORMAT = ["Ff1", "Random"];
/** One person may ask for 60 previews a minute. */
const PREVIEW_AFTER_MS = 800;

/** @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const uuid = params["uuid"];
  const [profile, keys, templates] = await Promise.all([
    uuid ? get(`/api/v2/token-profiles/${uuid}`, undefined, signal) : undefined,
    may("Keys:Add") ? get("/api/v2/keys/stubs", { pageSize: 1000 }, signal) : { results: [] },
    get("/api/v2/token-profiles/template/names", undefined, signal),
  ]);
  const title = profile ? t("editor.change", { name: shownText(profile["objInfo"].name) }) : t("tokenization.new");
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/tokenization" }, t("tokenization.title"))),
    h("h1", {}, title),
    editor(profile, keys["results"], templates["names"]),
  ];
  return { title, content };
}

/** @param {Json} [format] */
function formatFields(format = {}) {
  const isOwn = format["alphabet"] && !ALPHABETS.includes(format["alphabet"]);
  /** @type {[string, string][]} */
  const alphabets = [...ALPHABETS.map((one) => /** @type {[string, string]} */ ([one, word("alphabet", one)])), ["own", t("editor.ownAlphabet")], ["pattern", t("format.pattern")]];
  const chosen = format["pattern"] ? "pattern" : isOwn ? "own" : format["alphabet"] ?? "Decimal";
  const numeric = (/** @type {string} */ label, /** @type {string} */ name, /** @type {string} */ help = "") =>
    field(label, input({ type: "number", min: 0, value: format[name] ?? "" }), { pointer: `/format/${name}`, help });
  return {
    kind: field(t("format.alphabet"), select(alphabets, chosen), { pointer: "/format/alphabet" }),
    own: field(t("editor.ownAlphabet"), input({ value: isOwn ? format["alphabet"] : "", spellcheck: "false" }), { pointer: "/format/alphabet" }),
    pattern: field(t("format.pattern"), input({ value: format["pattern"] ?? "", spellcheck: "false" }), { pointer: "/format/pattern", help: t("editor.patternHelp") }),
    minLength: numeric(t("format.minLength"), "minLength"),
    maxLength: numeric(t("format.maxLength"), "maxLength"),
    keepLeading: numeric(t("format.keepLeading"), "keepLeading"),
    keepTrailing: numeric(t("format.keepTrailing"), "keepTrailing"),
    passThrough: field(t("format.passThrough"), input({ value: format["passThrough"] ?? "", spellcheck: "false" }), { pointer: "/format/passThrough", help: t("editor.passThroughHelp") }),
    luhn: field(t("format.luhn"), select(["Ignore", "Valid", "Invalid"].map((one) => [one, word("luhn", one)]), format["luhn"] ?? "Ignore"), { pointer: "/format/luhn" }),
    tokenLength: numeric(t("format.tokenLength"), "tokenLength", t("editor.tokenLengthHelp")),
    versionPrefix: numeric(t("format.versionPrefix"), "versionPrefix", t("editor.versionPrefixHelp")),
  };
}

/** @typedef {ReturnType<typeof formatFields>} FormatFields */

/** The format as it is sent; what is left empty is left out. @param {FormatFields} fields @returns {Json} */
function formatOf(fields) {
  /** @type {Json} */
  const format = {};
  const kind = fields.kind.control.value;
  const text = (/** @type {Field} */ one) => one.control.value;
  if (kind === "pattern") format["pattern"] = text(fields.pattern);
  else format["alphabet"] = kind === "own" ? text(fields.own) : kind;
  if (text(fields.passThrough)) format["passThrough"] = text(fields.passThrough);
  if (kind === "pattern") return format;
  for (const name of /** @type {const} */ (["minLength", "maxLength", "keepLeading", "keepTrailing", "tokenLength", "versionPrefix"])) {
    if (text(fields[name]) !== "") format[name] = Number(text(fields[name]));
  }
  format["luhn"] = text(fields.luhn);
  return format;
}

/** Whether there is enough of a format for a preview. @param {FormatFields} fields */
function says(fields) {
  const kind = fields.kind.control.value;
  const demanded = kind === "pattern" ? [fields.pattern] : [fields.minLength, fields.maxLength, ...(kind === "own" ? [fields.own] : [])];
  return demanded.every((one) => one.control.value !== "");
}

/** @param {Json | undefined} profile @param {Json[]} keys @param {string[]} templates */
function editor(profile, keys, templates) {
  const name = field(t("fact.name"), input({ maxlength: 255, value: profile?.["objInfo"].name ?? "" }), { pointer: "/objInfo/name" });
  const algorithm = field(t("column.algorithm"), select(ALGORITHMS.map((one) => [one, word("tokens", one)]), profile?.["algorithm"]), { pointer: "/algorithm" });
  const key = field(t("fact.key"), select(keys.filter((one) => one["usages"].includes("Tokenize")).map((one) => [one["objInfo"].uuid, shownText(one["objInfo"].name)]), profile?.["keyUuid"]), { pointer: "/keyUuid", help: keys.length === 0 ? t("editor.noKeys") : tn("editor.otherKey", { keys: h("a", { href: "#/keys" }, t("nav.keys")) }) });
  const useIv = field(t("format.useIv"), input({ type: "checkbox", checked: Boolean(profile?.["useIv"]) }), { pointer: "/useIv", help: t("editor.useIvHelp") });
  let fields = formatFields(profile?.["format"]);
  const place = h("div");
  const samples = textarea({ rows: 4, spellcheck: "false" });
  const shownPreview = h("div", { "aria-live": "polite" });

  const draft = () => {
    const chosen = algorithm.control.value;
    /** @type {Json} */
    const made = { algorithm: chosen, useIv: /** @type {HTMLInputElement} */ (useIv.control).checked };
    if (WITH_FORMAT.includes(chosen)) made["format"] = formatOf(fields);
    return made;
  };
  const isEnough = () => !WITH_FORMAT.includes(algorithm.control.value) || says(fields);
  const preview = livePreview(shownPreview, samples, () => (isEnough() ? draft() : undefined), () => Object.values(fields));
  const drawFormat = () => {
    const kind = fields.kind.control.value;
    const isLeftOut = (/** @type {string} */ one) => (one === "own" && kind !== "own") || (one === "pattern" && kind !== "pattern")
      || (kind === "pattern" && !["kind", "pattern", "passThrough"].includes(one));
    fill(place, WITH_FORMAT.includes(algorithm.control.value) && h("div", { class: "columns" }, Object.entries(fields).filter(([one]) => !isLeftOut(one)).map(([, one]) => one.element)));
    fields.kind.control.onchange = drawFormat;
    preview();
  };
  const template = field(t("editor.template"), select([["", t("editor.noTemplate")], ...templates.map((one) => /** @type {[string, string]} */ ([one, word("template", one)]))]));
  const take = async () => {
    if (!template.control.value) return;
    const read = await get(`/api/v2/token-profiles/template/${encodeURIComponent(template.control.value)}`);
    /** @type {HTMLSelectElement} */ (algorithm.control).value = read["algorithm"];
    /** @type {HTMLInputElement} */ (useIv.control).checked = read["useIv"];
    fields = formatFields(read["format"]);
    drawFormat();
  };
  template.control.addEventListener("change", () => void take().catch((error) => template.complain(message(error))));
  algorithm.control.addEventListener("change", drawFormat);
  const body = () => ({ ...draft(), objInfo: { name: name.control.value }, keyUuid: key.control.value });
  const edit = profile && changed(`/api/v2/token-profiles/${profile["objInfo"].uuid}`, profile, body);
  const act = async () => {
    const made = await (edit ? edit.save() : post("/api/v2/token-profiles", body()));
    if (made) go(`#/tokenization/profile/${made["objInfo"].uuid}`);
  };
  const all = [name, algorithm, key, useIv];
  const made = form({ fields: all, placed: () => Object.values(fields), extra: [place, previewSection(samples, shownPreview), edit?.news], submit: t(profile ? "editor.save" : "editor.make"), act });
  made.addEventListener("input", preview);
  drawFormat();
  if (!profile) made.prepend(template.element);
  return made;
}

/** @param {HTMLTextAreaElement} samples @param {HTMLElement} place */
function previewSection(samples, place) {
  const label = field(t("editor.samples"), samples, { pointer: "/samples", help: t("editor.samplesHelp") });
  return h("section", { "aria-labelledby": "preview-title" }, h("h2", { id: "preview-title" }, t("editor.preview")), label.element, place);
}

/**
 * Shows what becomes of the samples, a moment after the last key.
 * @param {HTMLElement} place @param {HTMLTextAreaElement} samples @param {() => Json | undefined} draft nothing while there is not enough of it
 * @param {() => Field[]} fields
 */
function livePreview(place, samples, draft, fields) {
  let timer = 0;
  let number = 0;
  const ask = async () => {
    const own = ++number;
    const lines = samples.value.split("\n").filter(Boolean).slice(0, 20);
    const profile = draft();
    if (!profile) return fill(place, h("p", { class: "quiet" }, t("editor.notYet")));
    try {
      const answer = await post("/api/v2/token-profiles/preview", { profile, samples: lines });
      if (own === number) fill(place, result(lines, answer));
    } catch (error) {
      if (own === number) fill(place, fault(error, fields()));
    }
  };
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void ask(), PREVIEW_AFTER_MS);
  };
}

/** What is wrong with what was typed, and where, needs no id of the server's log. @param {unknown} error @param {Field[]} fields */
function fault(error, fields) {
  if (!(error instanceof Refusal) || error.status !== 400) return problem(error);
  const field = fields.find((one) => `/profile${one.pointer}` === error.field && one.element.isConnected);
  const label = (/** @type {Field} */ one) => one.element.querySelector("label")?.textContent ?? "";
  // Members of the interface are called here as their fields are; `pattern` and the like are words of the language, too.
  const named = fields.map((one) => [one.pointer.split("/").at(-1) ?? "", label(one)]).filter(([member]) => /[a-z][A-Z]/.test(member ?? ""));
  const said = named.reduce((text, [member = "", name]) => text.replaceAll(member, `“${name}”`), message(error));
  return h("div", { class: "problem", role: "alert" }, h("p", {}, h("strong", {}, field ? `${label(field)}:` : word("error", error.code)), " ", said));
}

/** @param {string[]} lines @param {Json} answer */
function result(lines, answer) {
  const errors = new Map(answer["errors"].map((/** @type {Json} */ one) => [one["index"], one["message"]]));
  const rows = lines.map((line, index) => ({ line, token: answer["tokens"][index], error: errors.get(index) }));
  const columns = [
    { title: t("editor.sample"), cell: (/** @type {Json} */ row) => h("span", { class: "pair" }, shown(row.line)) },
    { title: t("editor.token"), cell: (/** @type {Json} */ row) => row.token === null ? h("span", { class: "state bad" }, row.error) : h("span", { class: "pair" }, shown(row.token)) },
  ];
  return [rows.length > 0 && table(columns, rows, t("editor.preview")), security(answer["security"])];
}
