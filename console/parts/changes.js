// Changes of what a page shows announce themselves and wait: nothing moves under the cursor until the reader asks for it.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { listen } from "../live.js";
import { show } from "../show.js";
import { t } from "../words.js";

/** Told before the page was read, at most: what comes of them again is nothing new. */
const BEFORE = 50;

const GRACE_MS = 3_000;

/**
 * A line that says how many objects of these kinds changed since the page was read. Asked for before what the page shows
 * is read, so that nothing is missed in between.
 * @param {AbortSignal} signal @param {string[]} kinds words of the interface, such as `SigningRequest`
 * @param {string} [only] the object that the page is of, where it is of one
 */
export async function changes(signal, kinds, only) {
  const before = await get("/api/v2/notices", { pageSize: BEFORE }, signal);
  const old = new Set(before["items"].map((/** @type {import("../api.js").Json} */ one) => one["uuid"]));
  /** @type {Set<string>} */
  const changed = new Set();
  const place = h("p", { class: "changes", role: "status" });
  let [isLost, isUnknown, late] = [false, false, 0];
  const say = () => {
    const again = h("button", { type: "button", onclick: () => void show() }, t("changes.show"));
    if (isUnknown) fill(place, h("strong", {}, t("changes.unknown")), " ", again);
    else if (changed.size > 0) fill(place, h("strong", {}, only ? t("changes.this") : t("changes.new", { count: changed.size })), " ", again);
    else fill(place);
    if (isLost) place.append(" ", h("span", { class: "quiet" }, t("changes.off")));
  };
  listen({
    // A connection is made within a moment, mostly: of that nothing is said.
    connected: (is) => {
      if (is) {
        clearTimeout(late);
        [late, isLost] = [0, false];
      } else late ||= setTimeout(() => ((isLost = true), say()), GRACE_MS);
      place.toggleAttribute("data-live", is);
      say();
    },
    gap: () => ((isUnknown = true), say()),
    notice: (notice) => {
      if (old.has(notice["uuid"]) || !kinds.includes(notice["objectKind"]) || (only && notice["objectUuid"] !== only)) return;
      changed.add(notice["objectUuid"]);
      say();
    },
  }, signal);
  return place;
}
