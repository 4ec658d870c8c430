// How much was done in the last day, by the hour: small charts, drawn as SVG. Each says in words what it shows.

import { h, svg } from "../dom.js";
import { region, t } from "../words.js";
import { number } from "./values.js";

/** @typedef {import("../words.js").Key} Key */
/** @typedef {import("../api.js").Json} Json */
/** What is counted: its member in the interface, its text, and how its bars look. @typedef {[string, Key, string]} Series */

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** Of the drawing's own units, which the page stretches: an hour's place, its bar, and the tallest bar. */
const STEP = 10;
const BAR = 8;
const HEIGHT = 60;
/** So that a little beside a lot is still there. */
const SMALLEST = 2;

/** @type {Series[][]} */
const CHARTS = [
  [["tokenized", "activity.tokenized", "bar"], ["detokenized", "activity.detokenized", "bar second"]],
  [["signed", "activity.signed", "bar"]],
  [["issued", "activity.issued", "bar"]],
];

/** The charts; without hours their frames, which are as large. @param {Json[]} [hours] */
export function activity(hours) {
  return CHARTS.map((series) => chart(series, hours));
}

/** @param {Series[]} series @param {Json[] | undefined} hours */
function chart(series, hours) {
  const totals = series.map(([member, text]) => t(text, { count: hours ? number(sum(hours, member)) : "…" }));
  const drawing = svg("svg", {
    class: "bars", role: "img", viewBox: `0 0 ${HOURS * STEP} ${HEIGHT}`, preserveAspectRatio: "none",
    "aria-label": hours ? t("activity.label", { what: totals.join(", ") }) : t("page.reading"),
  }, hours && bars(series, hours));
  return h("figure", { class: "chart" },
    h("figcaption", {}, totals.map((total, index) => h("span", { class: index === 0 ? "total" : "total second" }, total))),
    drawing,
    h("p", { class: "axis quiet" }, h("span", {}, hours?.[0] ? clock(hours[0]["startsAt"]) : " "), h("span", {}, t("activity.now"))));
}

/** One above the other, where there are several series. @param {Series[]} series @param {Json[]} hours */
function bars(series, hours) {
  const most = Math.max(1, ...hours.map((hour) => series.reduce((all, [member]) => all + hour[member], 0)));
  return hours.map((hour, index) => {
    let top = HEIGHT;
    const parts = series.filter(([member]) => hour[member] > 0).map(([member, , look]) => {
      const height = Math.max(SMALLEST, (hour[member] / most) * (HEIGHT - SMALLEST));
      top -= height;
      return svg("rect", { class: look, x: index * STEP + (STEP - BAR) / 2, y: top, width: BAR, height });
    });
    const until = clock(new Date(Date.parse(hour["startsAt"]) + HOUR_MS).toISOString());
    const counts = series.map(([member, text]) => t(text, { count: number(hour[member]) })).join(", ");
    // The whole place of the hour can be pointed at, also where nothing was done.
    return svg("g", {}, svg("title", {}, `${clock(hour["startsAt"])}–${until}: ${counts}`),
      svg("rect", { class: "place", x: index * STEP, y: 0, width: STEP, height: HEIGHT }), parts);
  });
}

/** @param {Json[]} hours @param {string} member @returns {number} */
const sum = (hours, member) => hours.reduce((all, hour) => all + hour[member], 0);

/** A time of the day in the reader's zone. @param {string} time */
const clock = (time) => new Intl.DateTimeFormat(region, { timeStyle: "short" }).format(new Date(time));
