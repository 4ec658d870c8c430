// A button that does something at once, and says beside itself what went wrong.

import { fill, h } from "../dom.js";
import { whileBusy } from "./form.js";
import { problem } from "./problem.js";

/** @param {string} label @param {() => Promise<unknown>} act */
export function action(label, act) {
  const trouble = h("span");
  const button = h("button", { type: "button" }, label);
  button.addEventListener("click", () => {
    fill(trouble);
    void whileBusy(button, act).catch((error) => fill(trouble, problem(error)));
  });
  return h("span", {}, button, trouble);
}
