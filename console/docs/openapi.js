// Reads the OpenAPI document: its operations by group, and examples of what they take and answer.

/** @typedef {Record<string, any>} Json */
/** @typedef {{type: string, schema: Json, example: unknown}} Content */
/** @typedef {{name: string, place: string, about: string, required: boolean}} Parameter */
/** @typedef {{status: string, about: string, content: Content | undefined}} Answer */
/**
 * @typedef {object} Operation
 * @property {string} method @property {string} path @property {string} group
 * @property {string} summary @property {string} description @property {string} text what a search looks at, in small letters
 * @property {boolean} needsLogin @property {Parameter[]} parameters @property {Content | undefined} body @property {Answer[]} answers
 */

const METHODS = ["get", "post", "put", "patch", "delete"];

/** How deep an example follows schemas: some contain themselves. */
const DEPTH_MAX = 8;

export class OpenApi {
  /** @param {Json} json */
  constructor(json) {
    this.json = json;
    /** @type {string} */
    this.title = `${json.info.title} ${json.info.version}`;
    /** @type {string} */
    this.about = json.info.description ?? "";
    this.operations = Object.entries(json.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => this.#operation(method, path, item[method])));
  }

  /** The groups in the document's order, each with its operations that are wanted. @param {(operation: Operation) => boolean} wanted */
  groups(wanted) {
    /** @type {{name: string, description?: string}[]} */
    const tags = this.json.tags;
    const groups = tags.map(({ name, description = "" }) => ({
      name, about: description,
      operations: this.operations.filter((operation) => operation.group === name && wanted(operation)),
    }));
    return groups.filter(({ operations }) => operations.length > 0);
  }

  /** An example as the document has it, or one made of the schema. @param {Content} content */
  exampleOf(content) {
    return content.example ?? this.#sample(content.schema, 0);
  }

  /** @param {string} method @param {string} path @param {Json} operation @returns {Operation} */
  #operation(method, path, operation) {
    const [summary = "", group = ""] = [operation.summary, operation.tags?.[0]];
    const description = operation.description ?? "";
    return {
      method: method.toUpperCase(), path, group, summary, description,
      text: [method, path, group, summary, description].join(" ").toLowerCase(),
      needsLogin: (operation.security ?? []).length > 0,
      parameters: (operation.parameters ?? []).map((/** @type {Json} */ one) => this.#parameter(one)),
      body: operation.requestBody && this.#content(this.#follow(operation.requestBody)),
      answers: Object.entries(operation.responses).map(([status, reference]) => {
        const answer = this.#follow(/** @type {Json} */ (reference));
        return { status, about: answer.description ?? "", content: this.#content(answer) };
      }),
    };
  }

  /** @param {Json} reference @returns {Parameter} */
  #parameter(reference) {
    const { name, in: place, description = "", required = false } = this.#follow(reference);
    return { name, place, about: description, required };
  }

  /** @param {Json} holder @returns {Content | undefined} */
  #content(holder) {
    const [first] = Object.entries(holder.content ?? {});
    if (!first) return undefined;
    const [type, { schema = {}, example, examples }] = /** @type {[string, Json]} */ (first);
    const named = Object.values(examples ?? {})[0];
    return { type, schema, example: example ?? named?.value };
  }

  /** What a value of this schema looks like; types stand in the place of values. @param {Json} schema @param {number} depth @returns {any} */
  #sample(schema, depth) {
    const known = this.#follow(schema);
    if (depth > DEPTH_MAX) return "…";
    if (known.example !== undefined) return known.example;
    if (known.const !== undefined) return known.const;
    if (known.enum) return known.enum.join(" | ");
    const choice = known.oneOf ?? known.anyOf;
    if (choice) return this.#sample(choice.find((/** @type {Json} */ one) => one.type !== "null") ?? {}, depth + 1);
    if (known.allOf) return Object.assign({}, ...known.allOf.map((/** @type {Json} */ part) => this.#sample(part, depth + 1)));
    if (known.items) return [this.#sample(known.items, depth + 1)];
    if (known.properties) {
      const members = Object.entries(known.properties);
      return Object.fromEntries(members.map(([name, member]) => [name, this.#sample(/** @type {Json} */ (member), depth + 1)]));
    }
    return [known.type ?? "anything"].flat().join(" | ");
  }

  /** What a reference refers to. @param {Json} value @returns {Json} */
  #follow(value) {
    if (!value.$ref) return value;
    const steps = value.$ref.slice(2).split("/");
    return steps.reduce((/** @type {Json} */ place, /** @type {string} */ step) => place[step], this.json);
  }
}
