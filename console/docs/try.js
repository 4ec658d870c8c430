// A form that makes one call with this browser's session, and shows the answer as it came.

import { Refusal } from "../api.js";
import { append, fill, freshId, h } from "../dom.js";
import { compare } from "../session.js";

/** @typedef {import("./openapi.js").Operation} Operation */
/** @typedef {import("./openapi.js").Parameter} Parameter */

/** Of a longer answer the beginning is shown. */
const SHOWN_MAX = 200_000;

/** @param {import("./openapi.js").OpenApi} openapi @param {Operation} operation @param {() => Promise<void>} tellWho */
export function tryIt(openapi, operation, tellWho) {
  const fields = operation.parameters.filter(({ place }) => place === "path" || place === "query").map(field);
  const body = operation.body && bodyField(openapi, operation.body);
  const answer = h("div", { role: "status", class: "answer" });
  const changes = operation.method !== "GET";
  const send = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    fill(answer, h("p", { class: "quiet" }, "Waiting for the answer …"));
    try {
      fill(answer, await call(operation, fields, body));
      // It may have logged somebody in or out, which is no change behind the page's back.
      if (operation.path.startsWith("/home/")) await tellWho();
    } catch (error) {
      fill(answer, h("p", { class: "problem" }, said(error)));
    }
  };
  return h("form", { class: "try", onsubmit: send },
    fields.map(({ row }) => row), body?.row,
    changes && h("p", { class: "quiet" }, "This is a real call: what it changes is changed."),
    operation.method === "DELETE" && confirmed(),
    h("button", { type: "submit" }, `Send ${operation.method}`), answer);
}

/** @param {unknown} error */
function said(error) {
  if (error instanceof SyntaxError) return `The body is not JSON: ${error.message}`;
  return error instanceof Refusal ? `Nothing was sent. ${error.message}` : "The server cannot be reached.";
}

/** @param {Parameter} parameter */
function field(parameter) {
  const id = freshId("try");
  const input = h("input", { id, autocomplete: "off", spellcheck: "false", required: parameter.place === "path" });
  return { parameter, input, row: h("p", {}, h("label", { for: id }, h("code", {}, parameter.name)), " ", input) };
}

/** @param {import("./openapi.js").OpenApi} openapi @param {import("./openapi.js").Content} content */
function bodyField(openapi, content) {
  const id = freshId("try");
  const isJson = content.type === "application/json";
  const text = isJson ? JSON.stringify(openapi.exampleOf(content), null, 2) : "";
  const input = isJson
    ? h("textarea", { id, rows: Math.min(16, text.split("\n").length + 1), spellcheck: "false" }, text)
    : h("input", { id, type: "file" });
  return { type: content.type, input, row: h("p", {}, h("label", { for: id }, `Body, ${content.type}`), h("br"), input) };
}

/** What deletes asks for one more step. */
function confirmed() {
  const id = freshId("try");
  return h("p", {}, h("input", { id, type: "checkbox", required: true }), " ", h("label", { for: id }, "Delete it"));
}

/**
 * @param {Operation} operation
 * @param {{parameter: Parameter, input: HTMLInputElement}[]} fields
 * @param {{type: string, input: HTMLTextAreaElement | HTMLInputElement} | undefined} body
 */
async function call(operation, fields, body) {
  const named = (/** @type {string} */ place) => fields.filter(({ parameter, input }) => parameter.place === place && input.value !== "");
  const path = named("path").reduce((path, { parameter, input }) => path.replace(`{${parameter.name}}`, encodeURIComponent(input.value)), operation.path);
  const query = new URLSearchParams(named("query").map(({ parameter, input }) => [parameter.name, input.value])).toString();
  /** @type {RequestInit} */
  const request = { method: operation.method, credentials: "same-origin", cache: "no-store", redirect: "error" };
  if (body) {
    request.headers = { "Content-Type": body.type };
    request.body = body.input instanceof HTMLTextAreaElement ? JSON.stringify(JSON.parse(body.input.value || "{}")) : body.input.files?.[0] ?? null;
  }
  // Not under another session than the one that the page names.
  await compare();
  const started = performance.now();
  const response = await fetch(path + (query && `?${query}`), request);
  const bytes = await response.blob();
  const taken = Math.round(performance.now() - started);
  const made = h("div", {});
  append(made, [
    h("p", {}, h("strong", {}, response.status), ` after ${taken} ms, ${bytes.size} bytes`),
    h("p", { class: "quiet" }, `X-Request-Id: ${response.headers.get("x-request-id") ?? "none"}`),
    await content(response, bytes),
  ]);
  return made;
}

/** @param {Response} response @param {Blob} bytes */
async function content(response, bytes) {
  const type = response.headers.get("content-type") ?? "";
  if (bytes.size === 0) return null;
  if (!/json|text/.test(type)) return h("p", {}, h("a", { href: URL.createObjectURL(bytes), download: "answer" }, `Save the answer (${type})`));
  const text = await bytes.text();
  return h("pre", { tabindex: 0 }, pretty(text, type).slice(0, SHOWN_MAX));
}

/** @param {string} text @param {string} type */
function pretty(text, type) {
  if (!type.includes("json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
