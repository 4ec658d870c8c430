// Which operations were called, and how they were answered.

import { readFileSync } from "node:fs";

/** The tree that the tests lie in, wherever they were compiled to. */
export const ROOT = process.env["CHANCERY_ROOT"] ?? new URL("../../../../", import.meta.url).pathname;

const DOCUMENT = JSON.parse(readFileSync(`${ROOT}/docs/openapi.json`, "utf8")) as {
  paths: Record<string, Record<string, unknown>>;
};

/** What takes a person's browser: no client has a method for it. */
const FOR_BROWSERS = [
  "POST /home/v1/login/oidc",
  "GET /home/v1/login/oidc/callback",
  "POST /home/v1/login/passkey",
  "POST /api/v2/identities/{uuid}/passkeys/begin",
  "POST /api/v2/identities/{uuid}/passkeys",
  "PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
  "DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
  "POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm",
  "GET /api/v2/x509/signing-requests/{uuid}/approval-statement",
  "GET /api/v2/x509/proposals/{uuid}/approval-statement",
];

/** `METHOD path` of every operation of the document that programs call, those with fewer parameters first. */
export function operations(): string[] {
  const found = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return found.filter((one) => !FOR_BROWSERS.includes(one)).sort((one, other) => one.split("{").length - other.split("{").length);
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
