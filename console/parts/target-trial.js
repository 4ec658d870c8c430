// Sends something to a target at once, and says in words what came back: beside the button, and where the target's state stands.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { shown } from "../visible.js";
import { t } from "../words.js";
import { whileBusy } from "./form.js";
import { problem } from "./problem.js";

/** Paths of the targets whose last test failed, as long as this console is open: the interface does not tell. @type {Set<string>} */
const failed = new Set();

/** Sends something to a target, and remembers whether it arrived. @param {string} path */
export async function sendTest(path) {
  const answer = await post(`${path}/test`);
  failed[answer["delivered"] ? "delete" : "add"](path);
  return answer;
}

/**
 * @param {{path: string, enabled: boolean, health: HTMLElement, button: string, tested: (status: string | number) => string}} about
 *   `health`: how its deliveries stand
 */
export function trial({ path, enabled, health, button: label, tested }) {
  const standing = h("p", {});
  const draw = () => fill(standing, enabled && failed.has(path) ? h("span", { class: "state bad long" }, t("targets.testFailing")) : health);
  const told = h("div", { role: "status" });
  const button = h("button", { type: "button" }, label);
  button.addEventListener("click", () => void whileBusy(button, async () => {
    fill(told);
    const { delivered, status, answer } = await sendTest(path);
    draw();
    const text = delivered ? tested(status ?? "") : status ? t("targets.testRefused", { status }) : t("targets.testFailed");
    fill(told, h("p", {}, h("strong", { class: delivered ? "state good long" : "state bad long" }, text), answer && [" ", h("q", {}, shown(answer))]));
  }).catch((error) => fill(told, problem(error))));
  draw();
  return { standing, element: [h("div", { class: "actions" }, button), told] };
}
