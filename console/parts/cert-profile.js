// What a certificate profile says of the certificates that are issued under it.

import { t, word } from "../words.js";
import { authority, list } from "./certificate-facts.js";
import { fact } from "./facts.js";
import { period } from "./values.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {{unit: string, amount: string}} Period */

/** The lines that say what its certificates are good for, and for how long. @param {Json} profile in full */
export function profileFacts({ validityPeriod, maxValidityPeriod, basicConstraints, keyUsages, extendedKeyUsages }) {
  const words = (/** @type {string[]} */ usages) => list(usages.map((one) => word("usage", one)));
  return [
    fact(t("cert.validity"), period(validityPeriod)),
    fact(t("certProfile.longest"), maxValidityPeriod ? period(maxValidityPeriod) : t("certProfile.asIssuer")),
    fact(t("cert.ca"), basicConstraints.ca ? authority(basicConstraints) : t("cert.isNoAuthority")),
    fact(t("cert.keyUsages"), words(keyUsages)),
    fact(t("cert.extendedKeyUsages"), words(extendedKeyUsages)),
  ];
}

/** Says in the field for how long what counts where it stays empty. @param {import("./form.js").Field} amount @param {Period | undefined} own of the profile, where one is chosen */
export function sayPeriod(amount, own) {
  amount.control.setAttribute("placeholder", own ? t("cert.asProfileOf", { period: period(own) }) : t("cert.asProfile"));
}
