// A person logs in by the client certificate of the browser, at the socket that asks for one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { axe, caller } from "./tools.mjs";

const ASKING = process.env.CHANCERY_ASKING;

export async function certificate(browser, admins) {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const file = (name) => join(folder, name);
  issue(folder);
  const call = await caller(admins);
  const [approver] = (await call("GET", "/api/v2/roles/stubs?search=Approver")).results;
  const password = Buffer.from("correct horse batteries").toString("base64");
  const { uuid } = await call("POST", "/api/v2/identities", { name: "dora", kind: "Person", roleUuids: [approver.objInfo.uuid], password });
  const text = (name) => readFileSync(file(name), "utf8");
  const provider = await call("POST", "/api/v2/identity-providers", { name: "cards", authorityCertificates: text("ca.pem"), crls: text("ca.crl") });
  const binding = await call("POST", "/api/v2/identity-bindings", { name: "dora", identityUuid: uuid, providerUuid: provider.objInfo.uuid, subject: "CN=dora,O=Example" });

  const clientCertificates = [{ origin: ASKING, certPath: file("dora.pem"), keyPath: file("dora.key") }];
  const context = await browser.newContext({ ignoreHTTPSErrors: true, clientCertificates });
  const page = await context.newPage();
  await page.goto(ASKING);
  const button = page.getByRole("button", { name: "Log in by the certificate of this browser" });
  await button.waitFor();
  assert.deepEqual(await axe(page), []);
  // To be there with a certificate is to be nobody.
  assert.deepEqual((await there(page)).response.identities, []);
  await button.click();
  await page.getByRole("navigation").waitFor();
  assert.deepEqual((await there(page)).response.identities, [{ name: "dora", uuid }]);
  await context.close();

  // Whoever has none is told, and logs in by a password there as anywhere.
  const without = await browser.newContext({ ignoreHTTPSErrors: true });
  const other = await without.newPage();
  await other.goto(ASKING);
  await other.getByRole("button", { name: "Log in by the certificate of this browser" }).click();
  await other.getByText("This connection has shown no client certificate").waitFor();
  await without.close();
  await call("DELETE", `/api/v2/identity-bindings/${binding.objInfo.uuid}`);
  await call("DELETE", `/api/v2/identity-providers/${provider.objInfo.uuid}`);
  await call("DELETE", `/api/v2/identities/${uuid}`);
  rmSync(folder, { recursive: true });
}

const there = (page) => page.evaluate(async () => (await fetch("/home/v1/login")).json());

/** An authority of openssl with its revocation list, and a certificate for dora. */
function issue(folder) {
  const openssl = (line) => execFileSync("openssl", line.split(" "), { cwd: folder, stdio: "ignore" });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null";
  openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -days 9 -subj /CN=Cards -addext basicConstraints=critical,CA:TRUE`);
  writeFileSync(join(folder, "conf"), "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=9\n");
  writeFileSync(join(folder, "index"), "");
  openssl("ca -config conf -gencrl -cert ca.pem -keyfile ca.key -out ca.crl");
  writeFileSync(join(folder, "ext"), "keyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n");
  openssl(`req -new ${key} -keyout dora.key -out dora.csr -subj /O=Example/CN=dora`);
  openssl("x509 -req -in dora.csr -CA ca.pem -CAkey ca.key -days 9 -extfile ext -out dora.pem");
}
