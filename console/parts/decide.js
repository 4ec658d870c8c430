// Approving and denying: who has decided, who may, what is still needed, and the decision on what was shown and nothing else.

import { fill, h } from "../dom.js";
import { show } from "../show.js";
import { includesUs, may, session } from "../session.js";
import { shown } from "../visible.js";
import { t, tn, word } from "../words.js";
import { done } from "./done.js";
import { cancel, field, form, openDialog, textarea } from "./form.js";
import { people } from "./people.js";
import { saveButton } from "./results.js";
import { moment } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../dom.js").Child} Child */
/**
 * @typedef {{
 *   object: Json, waits: boolean, roles: string[], selfApproval: string | undefined,
 *   signed: boolean, toSign: import("./passkeys.js").ToSign | undefined,
 *   unchanged: () => Promise<boolean>,
 *   approve: (note: string) => Promise<Json>,
 *   deny: (note: string) => Promise<Json>,
 *   withdraw: (note: string) => Promise<Json>,
 * }} Decidable
 */

/** @param {Json} decided */
export const approved = (decided) => decided.approvals.filter((/** @type {Json} */ one) => one.decision === "Approve");

/** Who has decided, and what is still missing. @param {Decidable} options */
export function who({ object, waits, roles }) {
  const given = approved(object).length;
  const line = (/** @type {Json} */ one) => h("li", {},
    h("span", {}, word("decision", one.decision), ": ", people(one.identities)),
    moment(one.decidedAt),
    one.note && h("div", { class: "note", tabindex: "0", role: "group", "aria-label": t("fact.note") }, shown(one.note, { lines: true })));
  const need = Math.max(0, object.approvalsRequired - given);
  return [
    object.approvals.length === 0 && !waits && h("p", {}, t("decide.nobody")),
    object.approvals.length > 0 && h("ul", { class: "lines-list" }, object.approvals.map(line)),
    waits && h("p", {}, roles.length > 0
      ? t("decide.needOf", { count: need, required: object.approvalsRequired, roles: roles.join(", ") })
      : t("decide.need", { count: need, required: object.approvalsRequired })),
    object.expiresAt && waits && h("p", { class: "quiet" }, tn("decide.until", { time: moment(object.expiresAt) })),
  ];
}

/** Whether two people are logged in here, who approve as one. */
const isTwo = () => session.identities.length > 1;

/** Why the reader cannot approve what waits; nothing where the rules take it. The server decides in any case. @param {Pick<Decidable, "object" | "selfApproval">} options */
export function obstacle({ object, selfApproval }) {
  if (!may("Signing:Approve")) return t("decide.noPermission");
  if (approved(object).some((/** @type {Json} */ one) => includesUs(one.identities))) return t(isTwo() ? "decide.alreadyAsOne" : "decide.already");
  if (object.mayApprove) return undefined;
  if (!includesUs(object.submittedBy)) return t("decide.notYours");
  if (selfApproval === "Never") return t("decide.ownNever");
  return t(isTwo() ? "decide.notYours" : "decide.ownAlone");
}

/** Notes that were typed and not sent, so that they are still there when their page is shown anew. @type {Map<string, string>} */
const typed = new Map();

/** What is remembered of an object for those who are logged in, and for nobody else who logs in here. @param {string} uuid */
export const ours = (uuid) => [...session.identities.map((one) => one.uuid), uuid].join();

/** The field for a note on an object, and what forgets it once it was sent. @param {string} uuid */
export function noteOn(uuid) {
  const key = ours(uuid);
  const area = textarea({ rows: 2, maxlength: 4096 }, typed.get(key));
  area.addEventListener("input", () => typed.set(key, area.value));
  return { area, note: field(t("decide.note"), area, { pointer: "/note", help: t("decide.noteHelp") }), forget: () => typed.delete(key) };
}

/** The buttons, with one note for whichever is pressed. @param {Decidable} options */
export function decide(options) {
  if (!options.waits) return undefined;
  const why = obstacle(options);
  const isOwn = includesUs(options.object.submittedBy);
  const { area, note, forget } = noteOn(options.object.uuid ?? options.object.objInfo.uuid);
  const decided = async (/** @type {import("../words.js").Key} */ what, /** @type {(note: string) => Promise<Json>} */ act, close = () => {}) => {
    await act(area.value);
    forget();
    close();
    await done(t(what));
  };
  const news = h("div");
  const approve = () => form({
    fields: [note], submit: t("decide.approve"), className: "form approve", passing: true,
    extra: [isOwn && h("p", {}, t("decide.ownDual")), isTwo() && h("p", {}, t("decide.asOne")), options.signed && h("p", {}, t(isTwo() ? "decide.signedByBoth" : "decide.signed")), options.toSign && elsewhere(options.toSign), news],
    act: async () => {
      fill(news);
      if (!(await options.unchanged())) return fill(news, changedBox());
      await decided("decide.approve", options.approve);
    },
  });
  const refusals = [
    may("Signing:Approve") && askButton(options.object, area, WAYS.deny, (close) => decided(WAYS.deny.open, options.deny, close)),
    isOwn && askButton(options.object, area, WAYS.withdraw, (close) => decided(WAYS.withdraw.open, options.withdraw, close))].filter(Boolean);
  return h("section", { class: "decide", "aria-labelledby": "decide-title" },
    h("h2", { id: "decide-title" }, t("decide.title")),
    why ? [h("p", {}, h("strong", {}, t("decide.cannot")), " ", why), refusals.length > 0 && note.element] : approve(),
    h("div", { class: "actions" }, refusals));
}

const changedBox = () => h("div", { class: "problem", role: "alert" },
  h("p", {}, t("decide.changed")), h("button", { type: "button", onclick: () => void show() }, t("changes.show")));

/** What is signed, for a machine that this page has no hand in. @param {import("./passkeys.js").ToSign} toSign */
const elsewhere = (toSign) =>
  h("details", {}, h("summary", {}, t("decide.elsewhere")), h("p", {}, t("decide.elsewhereHow"), " ", h("code", {}, "chancery approve --show approval-statement.json")),
    saveButton(t("decide.saveStatement"), "approval-statement.json", toSign.file));

const WAYS = /** @type {const} */ ({
  deny: { open: "decide.deny", title: "decide.denyTitle", what: "decide.denyWhat", submit: "decide.denyNow" },
  withdraw: { open: "decide.withdraw", title: "decide.withdrawTitle", what: "decide.withdrawWhat", submit: "decide.withdrawNow" },
});

/** A button that asks once more, with the note that goes along. @param {Json} object @param {HTMLTextAreaElement} note @param {typeof WAYS["deny" | "withdraw"]} way @param {(close: () => void) => Promise<unknown>} act */
function askButton(object, note, way, act) {
  const onclick = () => askOnceMore({ title: tn(way.title, { name: shown(object.name ?? object.objInfo.name) }), what: h("p", {}, t(way.what)), note: note.value, submit: t(way.submit), act });
  return h("button", { type: "button", class: "danger", onclick }, t(way.open));
}

/**
 * Asks before a decision that nobody takes back.
 * @param {{title: Child, what: Child, note: string, extra?: Child, submit: string, act: (close: () => void) => Promise<unknown>}} options
 */
export function askOnceMore({ title, what, note, extra, submit, act }) {
  const dialog = h("dialog", { "aria-labelledby": "ask-title" });
  fill(dialog,
    h("h2", { id: "ask-title" }, title), what,
    note ? h("div", { class: "note" }, t("fact.note"), ":", shown(note, { lines: true })) : h("p", { class: "quiet" }, t("decide.noNote")),
    form({ fields: [], extra, submit, danger: true, act: () => act(() => dialog.close()), beside: cancel(dialog) }));
  openDialog(dialog);
}

/** Whether two readings of an object say the same. @param {Json} before @param {Json} now */
export const same = (before, now) => JSON.stringify(sorted(before)) === JSON.stringify(sorted(now));

/** With members in one order, since their order means nothing. @param {any} value @returns {any} */
export function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}
