// Takes certificates that others issued into the inventory: those who wait for their end are told of it, and another one takes their place.

import { Refusal, post } from "../api.js";
import { h } from "../dom.js";
import { TAG, parts, whole } from "../parts/der.js";
import { done } from "../parts/done.js";
import { complainAt, field, form, input, isSet, textarea } from "../parts/form.js";
import { base64Of, bytesOf } from "../parts/values.js";
import { shownText } from "../visible.js";
import { t } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

export async function page() {
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/certificates" }, t("nav.certificates"))),
    h("h1", {}, t("certificates.import")),
    takeIn(),
  ];
  return { title: t("certificates.import"), content };
}

function takeIn() {
  const certificates = field(t("issue.certificates"), textarea({ rows: 8, spellcheck: "false" }), { pointer: "/certificates", help: t("issue.certificatesHelp") });
  const file = field(t("issue.file"), input({ type: "file", multiple: true, accept: ".pem,.crt,.cer,.der,.p7b,.p7c" }), { help: t("issue.fileHelp") });
  file.control.addEventListener("change", async () => {
    const chosen = [.../** @type {HTMLInputElement} */ (file.control).files ?? []];
    const read = await Promise.all(chosen.map(async (one) => ({ name: one.name, bytes: new Uint8Array(await one.arrayBuffer()) })));
    const wrong = read.map(({ name, bytes }) => otherThanCertificates(bytes, name)).find(Boolean);
    // What is no certificate, or has a private key in it, gets no further than here.
    if (wrong) return complainAt(file, wrong);
    certificates.complain("");
    // What was there stays: a chain may come file by file.
    const texts = [certificates.control.value.trim(), ...read.map(({ bytes }) => asText(bytes).trim())];
    certificates.control.value = texts.filter(Boolean).map((text) => `${text}\n`).join("");
  });
  const trust = field(t("issue.trustImported"), input({ type: "checkbox" }), { pointer: "/trustCert", help: t("issue.trustImportedHelp") });
  return form({
    fields: [file, certificates, trust], extra: h("p", { class: "help" }, t("issue.importKey")), submit: t("issue.importSubmit"),
    act: async () => {
      const wrong = certificates.control.value.trim() ? otherThanCertificates(new TextEncoder().encode(certificates.control.value)) : t("issue.nothing");
      if (wrong) throw new Refusal(0, "InvalidValue", wrong, { field: certificates.pointer });
      await taken(await post("/api/v2/x509/import", { certificates: certificates.control.value, trustCert: isSet(trust) }));
    },
  });
}

/** Each stands after its issuer: the last is what they are brought for. @param {Json} answer */
function taken({ certificates, warnings }) {
  const count = certificates.length;
  const before = certificates.filter((/** @type {Json} */ one) => one["existed"]).length;
  const said = before === count ? "issue.importedNone" : before > 0 ? "issue.importedSome" : "issue.imported";
  return done(t(said, { count, before }), { to: `#/certificates/${certificates.at(-1).certificateUuid}`, warnings });
}

/**
 * What these bytes are, where they are no certificates: nothing else gets into the field or to the server.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {string} [name] of the file
 */
function otherThanCertificates(bytes, name = t("issue.certificates")) {
  // Whatever the text is written in, the lines that say what follows are of ASCII.
  const text = inAscii(bytes);
  if (/PRIVATE KEY|PuTTY-User-Key/.test(text)) return t("issue.isKey");
  if (/-----BEGIN (NEW )?CERTIFICATE REQUEST-----/.test(text)) return t("issue.isRequest");
  if (text.includes("-----BEGIN ")) return IN_PEM.test(text) ? undefined : t("issue.isNone", { name: shownText(name) });
  return inDer(attempt(() => bytesOf(text)) ?? bytes, name);
}

/** The blocks of PEM that are taken (RFC 7468). */
const IN_PEM = /-----BEGIN (CERTIFICATE|X509 CERTIFICATE|PKCS7|CMS)-----/;

/**
 * A PKCS#12 file begins with its version, which is 3, and private keys with theirs, which are 0 or 1 (RFC 7292, 5208, 8017, 5915).
 * PKCS#7 begins with what it has. What is signed of a request begins with its version, has three or four parts, and that of a
 * certificate more (RFC 2986, 5280).
 * @param {Uint8Array<ArrayBuffer>} bytes @param {string} name
 */
function inDer(bytes, name) {
  const [first, ...others] = attempt(() => parts(whole(bytes))) ?? [];
  if (first?.tag === TAG.oid) return undefined;
  if (first?.tag === TAG.integer) return first.content[0] === 3 ? t("issue.isPkcs12", { name: shownText(name) }) : t("issue.isKey");
  const inner = attempt(() => parts(first)) ?? [];
  if (inner[0]?.tag === TAG.integer && inner.length <= 4) return t("issue.isRequest");
  // An encrypted PKCS#8 key is an algorithm and octets (RFC 5208, 6).
  if (others.length === 1 && others[0]?.tag === TAG.octets) return t("issue.isKey");
  return inner.length >= 6 ? undefined : t("issue.isNone", { name: shownText(name) });
}

/** DER as PEM, which can stand beside others: a certificate, or PKCS#7, which begins with what it has (RFC 7468). @param {Uint8Array<ArrayBuffer>} bytes */
function inPem(bytes) {
  const label = attempt(() => parts(whole(bytes))[0])?.tag === TAG.oid ? "PKCS7" : "CERTIFICATE";
  return `-----BEGIN ${label}-----\n${base64Of(bytes).replace(/.{64}(?=.)/g, "$&\n")}\n-----END ${label}-----`;
}

/** What cannot be read is none of what is looked for. @template T @param {() => T} read */
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What of these bytes is ASCII stays as it is, also in UTF-16. @param {Uint8Array} bytes */
const inAscii = (bytes) => new TextDecoder("latin1").decode(bytes).replaceAll("\0", "");

/** The PEM of a file; of DER, or its base64 alone, it is made. @param {Uint8Array<ArrayBuffer>} bytes */
function asText(bytes) {
  const text = inAscii(bytes);
  if (!text.includes("-----BEGIN ")) return inPem(attempt(() => bytesOf(text)) ?? bytes);
  const read = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  return read === undefined || read.includes("\0") ? text : read;
}
