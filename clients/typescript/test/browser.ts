// The package in a browser: a page on the server's own origin, which is the only one whose pages may call it, imports what
// was compiled. Chromium is the system's, and playwright-core is where CHANCERY_NODE_TOOLS says: neither is the package's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import type * as chancery from "../src/index.js";
import { server, type State } from "./server.js";

/** What this uses of playwright-core, whose types are not at hand. */
interface Route {
  request(): { url(): string };
  fulfill(answer: { body: string; contentType: string } | { status: number; headers: Record<string, string> }): Promise<void>;
}
interface Page {
  route(addresses: string, answer: (route: Route) => Promise<void>): Promise<void>;
  goto(address: string): Promise<unknown>;
  on(event: "pageerror", hear: (error: Error) => void): void;
  evaluate<A, R>(what: (given: A) => Promise<R>, given: A): Promise<R>;
}
interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

async function launch(): Promise<Browser> {
  const tools = process.env["CHANCERY_NODE_TOOLS"];
  if (!tools) throw new Error("CHANCERY_NODE_TOOLS has to name the folder of playwright-core");
  const { chromium } = createRequire(`${tools}/node_modules/`)("playwright-core") as {
    chromium: { launch(options: object): Promise<Browser> };
  };
  // Who runs as root has no sandbox.
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  return chromium.launch({ executablePath: "/usr/bin/chromium", args });
}

/** Gives the page itself and the compiled modules, in the place of the server. */
async function fromPackage(route: Route): Promise<void> {
  const path = new URL(route.request().url()).pathname.replace("/package/", "");
  if (path === "page.html") return route.fulfill({ body: "<!doctype html><title>page</title>", contentType: "text/html" });
  const body = readFileSync(new URL(`../src/${path}`, import.meta.url), "utf8");
  return route.fulfill({ body, contentType: "text/javascript" });
}

/** Runs in the page: what it uses has to be inside of it. */
async function inThePage({ admins, demo, module }: Pick<State, "admins" | "demo"> & { module: string }) {
  const { ApiError, Client } = (await import(module)) as typeof chancery;
  const client = new Client({});
  const loggedIn = [];
  for (const { username, password } of admins) {
    loggedIn.push((await client.login(username, password)).fullyLoggedIn);
  }
  const profile = demo.tokenProfileUuid;
  const { token } = await client.tokenize(profile, "4111111111111111");
  const message = await client.detokenize(profile, token);
  const many = await client.tokenizeMany(profile, ["4111111111111111", "no card"], { partial: true });
  const code = await client.tokenize(profile, "no card").then(
    () => "none",
    (error: unknown) => (error instanceof ApiError ? error.errorCode : String(error)),
  );
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("a release")));
  const signature = await client.signDigest({ service: demo.serviceUuid, digest, name: "signed in a page" });
  const certificate = await client.public.certificate(`${demo.rootCertificateUuid}.crt`);
  const refusal = await client.session.finishOidc({ error: "access_denied" }).then(
    () => "none",
    (error: unknown) => (error instanceof ApiError ? error.errorCode : String(error)),
  );
  // Another client of the same page is in the same session: the cookie is the browser's.
  const state = await new Client({}).session.state();
  await client.logout();
  const after = await new Client({}).session.state();
  return {
    loggedIn,
    isToken: token !== "4111111111111111" && many.tokens[0] === token && many.tokens[1] === null,
    message,
    code,
    firstOctets: [signature[0], certificate?.[0]],
    sessions: [state.response.fullyLoggedIn, after.response.fullyLoggedIn],
    cookies: document.cookie,
    loginsByAProvider: [refusal, await client.session.finishOidc({ code: "c" })],
  };
}

test("the package works in a browser", async () => {
  const { base, admins, demo } = await server();
  const browser = await launch();
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await page.route(`${base}/package/**`, fromPackage);
    // The end of a login by a provider, of which a page sees no more than that it is there.
    await page.route("**/oidc/callback?code=c", (route) => route.fulfill({ status: 303, headers: { Location: "/" } }));
    await page.goto(`${base}/package/page.html`);
    const found = await page.evaluate(inThePage, { admins, demo, module: "/package/index.js" });
    assert.deepEqual(found, {
      loggedIn: [false, true],
      isToken: true,
      message: "4111111111111111",
      code: "InvalidValue",
      firstOctets: [0x30, 0x30],
      sessions: [true, false],
      cookies: "",
      loginsByAProvider: ["InvalidAuthToken", null],
    });
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
  }
});
