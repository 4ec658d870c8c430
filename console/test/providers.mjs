// Two administrators trust an identity provider, bind tokens of it to an application, and take both back.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, settled, visit } from "./tools.mjs";

export async function providers(browser, admins) {
  const call = await caller(admins);
  const role = await call("POST", "/api/v2/roles", { name: "builders of the console", loginsRequired: 1, perms: ["Signing:Submit"] });
  const { uuid } = await call("POST", "/api/v2/identities", { name: "ci of the console", kind: "Application", roleUuids: [role.uuid] });
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, "#/identities/providers");
  await page.getByText("Trust a provider").first().click();
  const trust = page.locator("details form");
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
  await page.getByText("Bind tokens to it").first().click();
  const bind = page.locator("details form").filter({ hasText: "Claims" });
  await bind.getByLabel("Name").fill("main");
  await bind.getByLabel("Provider").selectOption({ label: "github" });
  await bind.getByLabel("Claims").fill("repository_id=74\nref=refs/heads/a=b\n");
  assert.deepEqual(await axe(page), []);
  await bind.getByRole("button", { name: "Bind tokens to it" }).click();
  await page.getByText("ref=refs/heads/a=b").waitFor();
  const [bound] = (await call("GET", `/api/v2/identity-bindings?identityUuid=${uuid}`)).results;
  assert.deepEqual(bound.claims, { ref: "refs/heads/a=b", repository_id: "74" });
  await take(page, page.getByRole("row").filter({ hasText: "repository_id=74" }), "main");
  await page.getByText("No tokens stand for it.").waitFor();

  await visit(page, "#/identities/providers");
  await row.getByRole("button", { name: "Switch off" }).click();
  await row.getByRole("button", { name: "Switch on" }).waitFor();
  await take(page, row, "github");
  await row.waitFor({ state: "detached" });
  await settled(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Deletes what stands in a row. */
async function take(page, row, name) {
  await row.getByRole("button", { name: "Delete …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(name);
  await dialog.getByRole("button", { name: "Delete …" }).click();
  await dialog.waitFor({ state: "detached" });
}
