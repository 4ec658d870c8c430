// Two administrators trust a directory, and somebody logs in by the password that they have there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { BASE, axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

const ADDRESS = process.env.CHANCERY_DIRECTORY;

export async function directory(browser, admins) {
  const call = await caller(admins);
  const roles = (await call("GET", "/api/v2/roles/stubs")).results;
  const role = roles.find((one) => one.objInfo.name === "Approver").objInfo.uuid;
  const password = Buffer.from("a password that nobody types").toString("base64");
  const erin = await call("POST", "/api/v2/identities", { name: "erin smith", kind: "Person", roleUuids: [role], password });
  const provider = await trust(browser, admins, call);
  const binding = await call("POST", "/api/v2/identity-bindings", { name: "erin", identityUuid: erin.uuid, providerUuid: provider.objInfo.uuid, subject: process.env.CHANCERY_DIRECTORY_ID });
  await enter(browser, erin.uuid);
  await call("DELETE", `/api/v2/identity-bindings/${binding.objInfo.uuid}`);
  await call("DELETE", `/api/v2/identity-providers/${provider.objInfo.uuid}`);
  await call("DELETE", `/api/v2/identities/${erin.uuid}`);
}

async function trust(browser, admins, call) {
  const { context, page, complaints } = await open(browser);
  // Without a directory nobody is asked whose account it is.
  await page.goto(BASE + "/");
  await page.getByLabel("Password", { exact: true }).first().waitFor();
  assert.equal(await page.getByLabel("Account").isVisible(), false);
  await logIn(page, admins);
  await visit(page, "#/identities/providers");
  await page.getByText("Trust a directory (LDAP)").first().click();
  const form = page.locator("details form").filter({ hasText: "Service account" });
  await form.getByLabel("Name", { exact: true }).fill("the staff");
  await form.getByLabel("Address").fill(ADDRESS);
  await form.getByLabel("Authorities of its TLS certificate").fill(readFileSync(process.env.CHANCERY_DIRECTORY_CA, "utf8"));
  await form.getByLabel("Service account", { exact: true }).fill("cn=chancery,dc=example,dc=org");
  await form.getByLabel("Password of the service account").fill("a password of the service");
  await form.getByLabel("Below what is searched").fill("dc=example,dc=org");
  await form.getByLabel("Filter").fill("(uid=erin)");
  assert.deepEqual(await axe(page), []);
  await form.getByRole("button", { name: "Trust a directory (LDAP)" }).click();
  await form.getByText("the filter has {username} nowhere").waitFor();
  await form.getByLabel("Filter").fill("(uid={username})");
  await form.getByRole("button", { name: "Trust a directory (LDAP)" }).click();
  const row = page.getByRole("row").filter({ hasText: "the staff" });
  await row.waitFor();
  await row.getByRole("button", { name: "Directory …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Filter").fill("(&(objectClass=person)(uid={username}))");
  assert.deepEqual(await axe(page), []);
  await shoot(page, "provider-directory");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await settled(page);
  const [found] = (await call("GET", "/api/v2/identity-providers?search=the%20staff")).results;
  assert.deepEqual([found.ldap.url, found.ldap.filter, found.ldap.bindPassword], [ADDRESS, "(&(objectClass=person)(uid={username}))", undefined]);
  assert.deepEqual(complaints, []);
  await context.close();
  return found;
}

async function enter(browser, uuid) {
  const { context, page } = await open(browser);
  await page.goto(BASE + "/");
  await page.getByLabel("Account").selectOption({ label: "the staff" });
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Name", { exact: true }).first().fill("erin");
  await page.getByLabel("Password", { exact: true }).first().fill("wrong");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByText("wrong password, code or key").waitFor();
  await page.getByLabel("Password", { exact: true }).first().fill("erin's own password");
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("navigation").waitFor();
  const there = await page.evaluate(async () => (await fetch("/home/v1/login")).json());
  assert.deepEqual(there.response.identities, [{ name: "erin smith", uuid }]);
  await context.close();
}
