// Fields of what is added to a list. What was chosen or typed there and not added yet must not be forgotten when all is saved.

import { Refusal } from "../api.js";
import { h } from "../dom.js";
import { t } from "../words.js";
import { complainAt } from "./form.js";
import { number } from "./values.js";

/** @typedef {import("./form.js").Field} Field */

/** @param {Field} one */
const valueOf = ({ control }) => (control instanceof HTMLInputElement && control.type === "checkbox" ? control.checked : control.value);

/** @param {Field} one @param {string | boolean} value */
function put({ control, complain }, value) {
  if (control instanceof HTMLInputElement && typeof value === "boolean") control.checked = value;
  else control.value = String(value);
  complain("");
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

/**
 * The fields, with the button that adds what they say, and one that sets them back.
 * @param {Field[]} fields @param {string} label of the button @param {() => void | boolean} add false where something is missing, and was said
 */
export function adder(fields, label, add) {
  let settled = fields.map(valueOf);
  // What is hidden belongs to another choice, and is not added.
  const left = () => fields.find((one, index) => !one.element.hidden && valueOf(one) !== settled[index]);
  const discard = h("button", { type: "button", class: "plain", hidden: true }, t("adder.discard"));
  const tell = () => { discard.hidden = left() === undefined; };
  discard.addEventListener("click", () => {
    fields.forEach((one, index) => put(one, settled[index] ?? ""));
    tell();
  });
  const onclick = () => {
    for (const one of fields) one.complain("");
    const wrong = fields.find((one) => !one.element.hidden && !one.control.checkValidity());
    if (wrong) return complainAt(wrong, bounds(wrong.control));
    if (add() === false) return;
    settled = fields.map(valueOf);
    tell();
  };
  const element = h("div", { oninput: tell, onchange: tell }, h("div", { class: "columns" }, fields.map((one) => one.element)),
    h("div", { class: "actions" }, h("button", { type: "button", onclick }, label), discard));
  /** Whether everything was added; says so at the field where it was not. */
  const isEmpty = () => {
    const one = left();
    if (one) complainAt(one, leftText(label));
    return !one;
  };
  /** The same for a form, which says at the pointer what is wrong. @param {string} pointer */
  const demandEmpty = (pointer) => {
    if (left()) throw new Refusal(0, "InvalidValue", leftText(label), { field: pointer });
  };
  return { element, isEmpty, demandEmpty };
}

/** @param {string} label */
const leftText = (label) => t("adder.left", { add: label, discard: t("adder.discard") });

/** @param {import("./form.js").Control} control */
function bounds(control) {
  const [min, max] = [control.getAttribute("min"), control.getAttribute("max")];
  return min && max ? t("adder.bounds", { from: number(Number(min)), to: number(Number(max)) }) : control.validationMessage;
}
