// Forms: labelled fields, what the server refuses shown at the member at fault, nothing typed is lost.

import { Refusal } from "../api.js";
import { fill, freshId, h } from "../dom.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";
import { langOf, message, problem } from "./problem.js";

/** @typedef {import("../dom.js").Child} Child */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */
/** @typedef {{element: HTMLElement, control: Control, pointer: string, complain: (text: string, lang?: string) => void}} Field */

/**
 * A control with its label, its help and a place for what is wrong with it.
 * @param {Child} label
 * @param {Control} control
 * @param {{pointer?: string, help?: Child}} [about] `pointer`: the member of the call's body, as a JSON pointer
 * @returns {Field}
 */
export function field(label, control, about = {}) {
  control.id ||= freshId("field");
  const help = about.help ? h("p", { class: "help", id: freshId("help") }, about.help) : undefined;
  const wrong = h("p", { class: "wrong", id: freshId("wrong") });
  control.setAttribute("aria-describedby", [help?.id, wrong.id].filter(Boolean).join(" "));
  const isBox = control instanceof HTMLInputElement && control.type === "checkbox";
  const caption = h("label", { for: control.id }, label);
  const element = h("div", { class: isBox ? "field box" : "field" }, isBox ? [control, caption] : [caption, control], help, wrong);
  /** @param {string} text @param {string} [lang] its language, where that is not the page's */
  const complain = (text, lang) => {
    fill(wrong, lang ? h("span", { lang }, text) : text);
    if (text) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  control.addEventListener("input", () => complain(""));
  return { element, control, pointer: about.pointer ?? "", complain };
}

/** Forms in which something was entered that is gone with them. @type {WeakSet<Element>} */
const entered = new WeakSet();

/** Whether something that was entered on the page is lost when it is left. */
export const isEntered = () => [...document.querySelectorAll("#main form")].some((one) => entered.has(one));

/**
 * A form that does something. Its button waits while it is done. `placed` are fields that stand elsewhere in it; `beside` stands
 * beside the button. What is entered in a `passing` one is remembered, is a question whose answer stands
 * below it, or proves no more than who one is.
 * @param {{fields: Field[], placed?: () => Field[], extra?: Child, beside?: Child, submit: Child, danger?: boolean, passing?: boolean, act: () => Promise<unknown>, className?: string}} options
 */
export function form(options) {
  const trouble = h("div", { class: "trouble" });
  const button = h("button", { type: "submit", class: options.danger ? "danger" : "primary" }, options.submit);
  const onsubmit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    fill(trouble);
    const fields = [...options.fields, ...(options.placed?.() ?? [])];
    for (const one of fields) one.complain("");
    await whileBusy(button, options.act).catch((error) => tell(error, fields, trouble));
  };
  const oninput = (/** @type {Event} */ event) => options.passing || entered.add(/** @type {Element} */ (event.currentTarget));
  return h("form", { onsubmit, oninput, novalidate: true, class: options.className ?? "form" },
    options.fields.map((one) => one.element), options.extra, trouble, h("div", { class: "actions" }, button, options.beside));
}

/** What takes longer says that it goes on. */
const SLOW_MS = 3000;

/** Where what is being done was begun. @type {Set<{hash: string}>} */
const begun = new Set();

/** Whether what is being done was begun on pages that the reader has left: what comes of it is nothing of the page that is there now. */
export const hasLeft = () => begun.size > 0 && [...begun].every(({ hash }) => hash !== location.hash);

/** @template T @param {HTMLButtonElement} button @param {() => Promise<T>} act @returns {Promise<T>} */
export async function whileBusy(button, act) {
  const here = { hash: location.hash };
  const waits = h("span", { class: "quiet", role: "status" });
  begun.add(here);
  button.disabled = true;
  const slow = setInterval(() => {
    // While a dialog asks or tells something, it is the reader who is waited for.
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    button.after(waits);
    waits.textContent = dialog && !dialog.contains(button) ? "" : ` ${t("form.waits")}`;
  }, SLOW_MS);
  try {
    return await act();
  } finally {
    clearInterval(slow);
    waits.remove();
    begun.delete(here);
    button.disabled = false;
  }
}

/** Says at a field what is wrong with it, also where it is folded away. @param {Field} one @param {string} text @param {string} [lang] */
export function complainAt(one, text, lang) {
  one.complain(text, lang);
  for (let around = one.element.closest("details"); around; around = around.parentElement?.closest("details") ?? null) around.open = true;
  one.control.focus();
}

/** Says what was refused where the reader has to do something about it. @param {unknown} error @param {Field[]} fields @param {HTMLElement} trouble */
function tell(error, fields, trouble) {
  const pointer = error instanceof Refusal ? error.field : undefined;
  const fault = pointer === undefined ? undefined : fields
    .filter((one) => one.pointer && (pointer === one.pointer || pointer.startsWith(`${one.pointer}/`)))
    .sort((one, other) => other.pointer.length - one.pointer.length)[0];
  // A field that belongs to another choice is hidden, and says nothing to anybody.
  if (fault && !fault.element.closest("[hidden]")) {
    complainAt(fault, message(error), langOf(error));
  } else {
    fill(trouble, problem(error));
    trouble.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Record<string, import("../dom.js").AttributeValue>} attributes */
export const input = (attributes = {}) => h("input", { type: "text", autocomplete: "off", ...attributes });

/** Whether a box is ticked. @param {Field} field */
export const isSet = (field) => /** @type {HTMLInputElement} */ (field.control).checked;

/** A box for each of these, and which are chosen. @param {string[]} values @param {string[]} chosen @param {(value: string) => string} label @param {string} pointer */
export function boxes(values, chosen, label, pointer) {
  const fields = values.map((value) => field(label(value), input({ type: "checkbox", value, checked: chosen.includes(value) }), { pointer }));
  const picked = () => fields.map((one) => /** @type {HTMLInputElement} */ (one.control)).filter((box) => box.checked).map((box) => box.value);
  return { fields, picked };
}

/** @param {[string, string][]} options value and text @param {string} [chosen] @param {Record<string, import("../dom.js").AttributeValue>} [attributes] */
export function select(options, chosen, attributes = {}) {
  return h("select", attributes, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

/** @param {Record<string, import("../dom.js").AttributeValue>} attributes @param {string} [text] */
export function textarea(attributes, text = "") {
  const area = h("textarea", { rows: 3, ...attributes });
  area.value = text;
  return area;
}

/**
 * Asks before something that cannot be undone: shows what will stop working, and wants its name typed.
 * @param {{title: string, what: Child, name: string, fields?: Field[], submit: string, act: () => Promise<unknown>}} options
 */
export function askSlowly(options) {
  const typed = field(tn("danger.type", { name: h("code", { class: "name" }, shown(options.name)) }), input({ autocapitalize: "off", spellcheck: "false" }));
  const dialog = h("dialog", { class: "danger", "aria-labelledby": "danger-title" });
  const act = async () => {
    if (typed.control.value !== options.name) {
      return complainAt(typed, t("danger.other"));
    }
    await options.act();
    dialog.close();
  };
  const fields = [...(options.fields ?? []), typed];
  fill(dialog,
    h("h2", { id: "danger-title" }, now(options.title)),
    h("div", {}, options.what),
    form({ fields, submit: now(options.submit), danger: true, act, beside: cancel(dialog) }));
  openDialog(dialog);
}

/** What a button does that asks first, where it is asked already. @param {string} text */
export const now = (text) => text.replace(/ …$/, "");

/** Shows a dialog that goes when it is closed, or when the page that it is of is left. @param {HTMLDialogElement} dialog */
export function openDialog(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  // The login that is asked for again is of no page.
  if (!dialog.matches(".again")) addEventListener("hashchange", () => dialog.close(), { once: true });
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {HTMLDialogElement} dialog */
export const cancel = (dialog) =>
  h("button", { type: "button", class: "plain cancel", onclick: () => dialog.close() }, t("dialog.cancel"));
