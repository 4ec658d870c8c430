// What of a value is shown, in words.

import { t, word } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** What a rule, or a right of the report of access, shows. @param {Json} rule */
export function mask(rule) {
  const rest = rule.maskChar ?? "*";
  if (rule.mask) return t("rules.maskNamed", { name: word("mask", rule.mask), mask: rest });
  return t(rule.revealFrom === "Start" ? "rules.maskStart" : "rules.maskEnd", { count: rule.reveal, mask: rest });
}
