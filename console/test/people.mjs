// Two administrators log in, one by a password and one by an identity provider; somebody whom nobody has bound does not.

import assert from "node:assert/strict";

import { BASE, axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

const ISSUER = process.env.CHANCERY_PROVIDER;

export async function people(browser, admins) {
  const call = await caller(admins);
  const roles = (await call("GET", "/api/v2/roles/stubs")).results;
  const role = roles.find((one) => one.objInfo.name === "Administrator").objInfo.uuid;
  const password = Buffer.from("a password that nobody types").toString("base64");
  const paula = await call("POST", "/api/v2/identities", { name: "paula", kind: "Person", roleUuids: [role], password });
  const provider = await trust(browser, admins, call);
  const binding = await call("POST", "/api/v2/identity-bindings", { name: "paula", identityUuid: paula.uuid, providerUuid: provider.objInfo.uuid, subject: "paula.7" });
  await both(browser, admins);
  await nobody(browser);
  await call("DELETE", `/api/v2/identity-bindings/${binding.objInfo.uuid}`);
  await call("DELETE", `/api/v2/identity-providers/${provider.objInfo.uuid}`);
  await call("DELETE", `/api/v2/identities/${paula.uuid}`);
}

/** The pages of the provider are another's, and so is what they ask for. */
const ours = (complaints) => complaints.filter((one) => !one.includes(ISSUER) && !one.includes(FONTS));

const FONTS = "https://fonts.googleapis.com/";

/** A browser in which the provider's pages have the letters that there are. */
async function opened(browser) {
  const found = await open(browser);
  await found.context.route((url) => url.href.startsWith(FONTS), (route) => route.fulfill({ contentType: "text/css", body: "" }));
  return found;
}

async function trust(browser, admins, call) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, "#/identities/providers");
  await page.getByText("Trust a provider").first().click();
  const form = page.locator("details form").filter({ hasText: "Audiences" });
  await form.getByLabel("Name").fill("the house");
  await form.getByLabel("Issuer").fill(ISSUER);
  await form.getByLabel("Client", { exact: true }).fill("kms");
  await form.getByRole("button", { name: "Trust a provider" }).click();
  const row = page.getByRole("row").filter({ hasText: ISSUER });
  await row.waitFor();
  // The secret comes later, as in a rotation.
  await row.getByRole("button", { name: "People …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Secret of the client").fill("a secret of the provider");
  await dialog.getByLabel("Second factors").fill("urn:example:mfa  gold");
  assert.deepEqual(await axe(page), []);
  await shoot(page, "provider-people");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await settled(page);
  const [found] = (await call("GET", "/api/v2/identity-providers?search=the%20house")).results;
  assert.deepEqual([found.clientId, found.hasClientSecret, found.secondFactorAcr], ["kms", true, ["urn:example:mfa", "gold"]]);
  assert.deepEqual(complaints, []);
  await context.close();
  return found;
}

/** What a person does at the provider. */
async function atProvider(page, name) {
  await page.waitForURL((url) => url.href.startsWith(ISSUER));
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill("x");
  await page.getByRole("button", { name: "Sign-in" }).click();
  const goOn = page.getByRole("button", { name: "Continue", exact: true });
  if (page.url().startsWith(ISSUER)) await goOn.click();
}

async function both(browser, admins) {
  const { context, page, complaints } = await opened(browser);
  await page.goto(BASE);
  await page.getByRole("button", { name: "Continue with the house" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await shoot(page, "login-providers");
  await page.getByLabel("Name").fill(admins[0].username);
  await page.getByLabel("Password").fill(admins[0].password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("takes two people").waitFor();
  await page.getByRole("button", { name: "Continue with the house" }).click();
  await atProvider(page, "paula.7");
  await page.getByRole("navigation").waitFor();
  assert.equal(new URL(page.url()).pathname, "/");
  await visit(page, "#/me");
  await page.getByText("identity provider", { exact: true }).waitFor();
  await page.getByText("paula").first().waitFor();
  assert.deepEqual(ours(complaints), []);
  await context.close();
}

async function nobody(browser) {
  const { context, page, complaints } = await opened(browser);
  await page.goto(BASE);
  await page.getByRole("button", { name: "Continue with the house" }).click();
  await atProvider(page, "somebody");
  const refused = page.getByRole("alert");
  await refused.getByText("stands for nobody").waitFor();
  assert.equal(page.url(), `${BASE}/`, "the code is in no address that anybody comes back to");
  assert.deepEqual(await axe(page), []);
  await shoot(page, "login-refused-by-provider");
  await page.reload();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(await refused.count(), 0);
  assert.deepEqual(ours(complaints), []);
  await context.close();
}
