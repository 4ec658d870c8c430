// Which operations were called, and how they were answered.

import { readFileSync } from "node:fs";

/** The tree that the tests lie in, wherever they were compiled to. */
export const ROOT = process.env["CHANCERY_ROOT"] ?? new URL("../../../../", import.meta.url).pathname;

const DOCUMENT = JSON.parse(readFileSync(`${ROOT}/docs/openapi.json`, "utf8")) as {
  paths: Record<string, Record<string, unknown>>;
};

/** `METHOD path` of every operation of the document, those with fewer parameters first. */
export function operations(): string[] {
  const found = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return found.sort((one, other) => one.split("{").length - other.split("{").length);
}

/** A fetch that keeps every call's operation and status. */
export function recording(fetches: typeof fetch, answers: Map<string, Set<number>>): typeof fetch {
  return async (input, init) => {
    const response = await fetches(input, init);
    const operation = operationOf(init?.method ?? "GET", new URL(String(input)).pathname);
    answers.set(operation, (answers.get(operation) ?? new Set()).add(response.status));
    return response;
  };
}

function operationOf(method: string, path: string): string {
  const isThis = (operation: string) => {
    const [itsMethod, itsPath = ""] = operation.split(" ");
    const pattern = itsPath.replace(/[.]/g, "\\.").replace("{tile}", ".+").replace(/\{\w+\}/g, "[^/]+");
    return itsMethod === method && new RegExp(`^${pattern}$`).test(path);
  };
  const found = operations().find(isThis);
  if (found === undefined) throw new Error(`${method} ${path} is no operation of the document`);
  return found;
}
