// An OpenID Connect provider that is not ours (oidc-provider, for Node), and what a browser does with its pages.

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { nodeFetch } from "../src/node.js";
import { ROOT } from "./recording.js";

/** Where browsers would reach the server of these tests. Nobody follows a redirect to it. */
export const ORIGIN = "https://kms.example.org";
const CALLBACK = `${ORIGIN}/home/v1/login/oidc/callback`;

const STARTS_MAX = 5;
const START_MAX_MS = 15_000;

/** It listens at a free port until it is stopped, and believes whatever name somebody types. */
export class Provider {
  private constructor(
    readonly issuer: string,
    readonly folder: string,
    readonly child: ChildProcess,
  ) {}

  static async start(): Promise<Provider> {
    const folder = mkdtempSync(join(tmpdir(), "chancery-provider-"));
    const program = `${ROOT}/crates/chancery-testkit/src/identity_provider.mjs`;
    const words = [program, `${ROOT}/target/tools/node`, "0", folder, "one", CALLBACK];
    // Node 20 stands still now and then while it makes keys. The oldest Node, which may run this, is too old for it.
    for (let start = 0; start < STARTS_MAX; start++) {
      const child = spawn("node", words, { stdio: ["ignore", "pipe", "inherit"] });
      const issuer = await issuerOf(child);
      if (issuer !== undefined) return new Provider(issuer, folder, child);
      child.kill("SIGKILL");
    }
    throw new Error("the provider does not start");
  }

  stop(): void {
    this.child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What makes a server let people log in by it. */
  get words(): string[] {
    const networks = ["--provider-networks", "127.0.0.1", "--limit", "provider-wait-max=20"];
    return ["--provider-ca", join(this.folder, "provider.pem"), ...networks, "--public-origin", ORIGIN];
  }

  /** Where a login leads whose person types this name: what the callback is called with. */
  async logIn(address: string, name: string): Promise<Record<string, string>> {
    const browser = nodeFetch({ ca: readFileSync(join(this.folder, "provider.pem")) });
    const cookies = new Map<string, string>();
    let [at, form] = [new URL(address), undefined as string | undefined];
    for (;;) {
      const headers = { Cookie: [...cookies].map((pair) => pair.join("=")).join("; "), "Content-Type": "application/x-www-form-urlencoded" };
      const page = await browser(at, { headers, ...(form && { method: "POST", body: form }) });
      for (const set of page.headers.getSetCookie()) {
        const [, cookie = "", value = ""] = /^([^=]*)=([^;]*)/.exec(set) ?? [];
        cookies.set(cookie, value);
      }
      const text = await page.text();
      const location = page.headers.get("Location");
      form = undefined;
      if (location !== null) at = new URL(location, at);
      else if (text.includes('name="login"')) form = `prompt=login&login=${name}&password=x`;
      else if (text.includes('value="consent"')) form = "prompt=consent";
      else assert.fail(text);
      if (at.href.startsWith(CALLBACK)) return Object.fromEntries(at.searchParams);
    }
  }
}

/** Where it listens, once it does. */
function issuerOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = "";
    const late = setTimeout(() => resolve(undefined), START_MAX_MS);
    const is = (issuer: string | undefined) => {
      clearTimeout(late);
      resolve(issuer);
    };
    child.stdout?.on("data", (words: Buffer) => {
      said += words.toString();
      const found = /^listening at (\S+)$/m.exec(said);
      if (found) is(found[1]);
    });
    child.on("error", () => is(undefined));
    child.on("exit", () => is(undefined));
  });
}
