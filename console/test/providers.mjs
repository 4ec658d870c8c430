// Two administrators trust an identity provider, bind tokens of it to an application, and take both back; and an authority of
// client certificates, whose revocation list they replace.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { axe, caller, logIn, open, settled, visit } from "./tools.mjs";

export async function providers(browser, admins) {
  const call = await caller(admins);
  const role = await call("POST", "/api/v2/roles", { name: "builders of the console", loginsRequired: 1, perms: ["Signing:Submit"] });
  const { uuid } = await call("POST", "/api/v2/identities", { name: "ci of the console", kind: "Application", roleUuids: [role.uuid] });
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, "#/identities/providers");
  await page.getByText("Trust a provider").first().click();
  const trust = page.locator("details form").filter({ hasText: "Audiences" });
  await trust.getByLabel("Name").fill("github");
  await trust.getByLabel("Issuer").fill("http://token.actions.githubusercontent.com");
  await trust.getByLabel("Audiences").fill("https://kms.example.org");
  assert.deepEqual(await axe(page), []);
  await trust.getByRole("button", { name: "Trust a provider" }).click();
  await page.getByText("An issuer is an https address").waitFor();
  await trust.getByLabel("Issuer").fill("https://token.actions.githubusercontent.com");
  await trust.getByRole("button", { name: "Trust a provider" }).click();
  const row = page.getByRole("row").filter({ hasText: "https://token.actions.githubusercontent.com" });
  await row.waitFor();

  await visit(page, `#/identities/${uuid}`);
  await page.getByText("Bind tokens, certificates or an account to it").first().click();
  const bind = page.locator("details form").filter({ hasText: "Claims" });
  await bind.getByLabel("Name").fill("main");
  await bind.getByLabel("Provider").selectOption({ label: "github" });
  await bind.getByLabel("Claims").fill("repository_id=74\nref=refs/heads/a=b\n");
  assert.deepEqual(await axe(page), []);
  await bind.getByRole("button", { name: "Bind tokens, certificates or an account to it" }).click();
  await page.getByText("ref=refs/heads/a=b").waitFor();
  const [bound] = (await call("GET", `/api/v2/identity-bindings?identityUuid=${uuid}`)).results;
  assert.deepEqual(bound.claims, { ref: "refs/heads/a=b", repository_id: "74" });
  await take(page, page.getByRole("row").filter({ hasText: "repository_id=74" }), "main");
  await page.getByText("No tokens, certificates or accounts are bound.").waitFor();

  await visit(page, "#/identities/providers");
  await row.getByRole("button", { name: "Switch off" }).click();
  await row.getByRole("button", { name: "Switch on" }).waitFor();
  await take(page, row, "github");
  await row.waitFor({ state: "detached" });
  await authority(page);
  await settled(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** An authority elsewhere, with a list that ends in nine days, and then with one that ends in twenty. */
async function authority(page) {
  const { certificate, lists } = clients();
  await page.getByText("Trust an authority of client certificates").first().click();
  const trust = page.locator("details form").filter({ hasText: "Authority of this installation" });
  await trust.getByLabel("Name").fill("clients");
  await trust.getByLabel("Certificates of another authority").fill(certificate);
  assert.deepEqual(await axe(page), []);
  await trust.getByRole("button", { name: "Trust an authority of client certificates" }).click();
  await page.getByText("The revocation lists of the authority are needed").waitFor();
  await trust.getByLabel("Revocation lists").fill(lists[0]);
  await trust.getByRole("button", { name: "Trust an authority of client certificates" }).click();
  const row = page.getByRole("row").filter({ hasText: "CN=Clients of the console" });
  await row.getByText("Revocation list until").waitFor();
  const until = await row.locator("time").first().getAttribute("datetime");
  await row.getByRole("button", { name: "Revocation lists" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Revocation lists").fill(lists[1]);
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Replace them" }).click();
  await dialog.waitFor({ state: "detached" });
  // The dialog goes before the page is drawn anew.
  await row.locator(`time:not([datetime="${until}"])`).first().waitFor();
  assert.ok((await row.locator("time").first().getAttribute("datetime")) > until);
  await take(page, row, "clients");
  await row.waitFor({ state: "detached" });
}

/** The certificate of an authority of openssl, and two revocation lists. */
function clients() {
  const folder = mkdtempSync(join(tmpdir(), "clients-"));
  const openssl = (line, ...rest) => execFileSync("openssl", [...line.split(" "), ...rest], { cwd: folder, stdio: "ignore" });
  openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null -keyout ca.key -out ca.pem -days 30 -addext basicConstraints=critical,CA:TRUE -subj", "/CN=Clients of the console");
  writeFileSync(join(folder, "conf"), "[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\n");
  writeFileSync(join(folder, "index"), "");
  const lists = [9, 20].map((days) => {
    openssl(`ca -config conf -gencrl -cert ca.pem -keyfile ca.key -crldays ${days} -out list.pem`);
    return readFileSync(join(folder, "list.pem"), "utf8");
  });
  const certificate = readFileSync(join(folder, "ca.pem"), "utf8");
  rmSync(folder, { recursive: true });
  return { certificate, lists };
}

/** Deletes what stands in a row. */
async function take(page, row, name) {
  await row.getByRole("button", { name: "Delete …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(name);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.waitFor({ state: "detached" });
}
