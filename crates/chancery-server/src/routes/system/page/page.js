// @ts-check
// Shows /openapi.json as a page. Everything is put in as text, never as markup.

/** @typedef {Record<string, any>} Json */

const METHODS = ["get", "post", "put", "patch", "delete"];
/** How deep an example follows references. */
const DEPTH_MAX = 6;

const answer = await fetch("/openapi.json");
/** @type {Json} */
const openapi = await answer.json();

element("about").textContent = `${openapi.info.title} ${openapi.info.version}: ${openapi.info.description ?? ""}`;
element("find").addEventListener("input", show);
show();

/** Lists the operations that match the search, by tag. */
function show() {
  const words = /** @type {HTMLInputElement} */ (element("find")).value.toLowerCase();
  /** @type {Map<string, HTMLElement[]>} */
  const tags = new Map();
  for (const [path, item] of Object.entries(openapi.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const operation = item[method];
      const tag = operation.tags?.[0] ?? "Other";
      const text = [method, path, tag, operation.summary, operation.description].join(" ").toLowerCase();
      if (!text.includes(words)) continue;
      tags.set(tag, [...(tags.get(tag) ?? []), details(method, path, operation)]);
    }
  }
  const sections = [...tags].flatMap(([tag, operations]) => [make("h2", tag), ...operations]);
  element("operations").replaceChildren(...sections);
}

/** @param {string} method @param {string} path @param {Json} operation */
function details(method, path, operation) {
  const summary = make("summary", make("b", method.toUpperCase()), make("code", path), ` ${operation.summary ?? ""}`);
  const parts = [summary];
  if (operation.description) parts.push(make("p", operation.description));
  if (operation.parameters?.length) parts.push(make("h4", "Parameters"), parameters(operation.parameters));
  const body = operation.requestBody?.content?.["application/json"];
  if (body) parts.push(make("h4", "Body"), example(body.schema));
  parts.push(make("h4", "Answers"), ...Object.entries(operation.responses).flatMap(answers));
  return make("details", ...parts);
}

/** @param {Json[]} list */
function parameters(list) {
  const rows = list.map(follow).map((parameter) =>
    make("tr", make("td", make("code", parameter.name)), make("td", `in ${parameter.in}`), make("td", parameter.description ?? "")));
  return make("table", ...rows);
}

/** @param {[string, Json]} entry */
function answers([status, reference]) {
  const response = follow(reference);
  const schema = Object.values(response.content ?? {})[0]?.schema;
  const shown = schema && status.startsWith("2") ? [example(schema)] : [];
  return [make("p", make("b", status), ` ${response.description ?? ""}`), ...shown];
}

/** @param {Json} schema */
function example(schema) {
  return make("pre", JSON.stringify(sample(schema, 0), null, 2));
}

/** What a value of this schema looks like, with types in the place of values. @param {Json} schema @param {number} depth @returns {any} */
function sample(schema, depth) {
  const known = follow(schema ?? {});
  if (depth > DEPTH_MAX) return "…";
  if (known.example !== undefined) return known.example;
  if (known.const !== undefined) return known.const;
  if (known.enum) return known.enum.join(" | ");
  const choice = known.oneOf ?? known.anyOf;
  if (choice) return sample(choice.find((/** @type {Json} */ one) => one.type !== "null") ?? {}, depth + 1);
  if (known.allOf) return Object.assign({}, ...known.allOf.map((/** @type {Json} */ part) => sample(part, depth + 1)));
  if (known.items) return [sample(known.items, depth + 1)];
  if (known.properties) {
    const members = Object.entries(known.properties);
    return Object.fromEntries(members.map(([name, member]) => [name, sample(member, depth + 1)]));
  }
  return [known.type ?? "anything"].flat().join(" | ");
}

/** What a reference refers to. @param {Json} value @returns {Json} */
function follow(value) {
  if (!value.$ref) return value;
  const steps = value.$ref.slice(2).split("/");
  return steps.reduce((/** @type {Json} */ place, /** @type {string} */ step) => place[step], openapi);
}

/** @param {string} id */
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** @param {string} name @param {...(string | Node)} children */
function make(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}
