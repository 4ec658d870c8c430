// A service is deployed, gets a second policy, and one of its policies is changed, which others have to approve.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

export async function deploying(browser, admins) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, "#/signing");
  await page.getByRole("link", { name: "New service" }).click();
  await page.getByRole("heading", { name: "New service" }).waitFor();
  const name = `deployed ${Date.now()}`;
  await page.getByLabel("Name", { exact: true }).fill(name);
  await asksFirst(page, name);
  await page.getByRole("button", { name: "Deploy the service" }).click();
  await page.getByText("Say whom the certificate names").waitFor();
  await page.getByLabel("Subject").fill("no subject");
  await page.getByLabel("Kind of key").selectOption({ label: "EC P-256 Signing" });
  await page.getByLabel("Approvals", { exact: true }).fill("2");
  await page.getByText("What else it demands").click();
  await page.getByLabel("Names", { exact: true }).fill("release *");
  await page.getByLabel("One of these roles").selectOption({ index: 0 });
  await page.getByRole("button", { name: "Add this step" }).click();
  await page.getByLabel("Signatures", { exact: true }).fill("50");
  await page.getByLabel("In each").selectOption({ label: "day" });
  await page.getByLabel("Each identity has as many").check();
  // What is wrong is to be seen, also where it was folded away.
  await page.getByText("What else it demands").click();
  await page.getByRole("button", { name: "Deploy the service" }).click();
  await page.getByText("This is not in the list yet").waitFor();
  await page.getByRole("button", { name: "Add this budget" }).click();
  await page.getByRole("button", { name: "Deploy the service" }).click();
  // What is refused is said at the member, and nothing that was typed is lost.
  await page.locator("[aria-invalid=true]").waitFor();
  assert.equal(await page.locator("[aria-invalid=true]").inputValue(), "no subject");
  await page.getByLabel("Subject").fill(`CN=${name},O=Example`);
  await page.getByRole("button", { name: "Deploy the service" }).click();
  await page.getByRole("heading", { name }).waitFor();
  await page.getByRole("status").getByText("Done: Deploy the service").waitFor();
  await shoot(page, "deployed-desktop-light");
  await settled(page);

  const call = await caller(admins);
  const service = (await call("GET", `/api/v2/x509/services?search=${encodeURIComponent(name)}`)).results[0];
  assert.equal(service.signingPolicies.length, 1);
  const [policy] = service.signingPolicies;
  assert.deepEqual([policy.numApprovals, policy.rules.fileNames, policy.rules.approvalSteps.length], [2, ["release *"], 1]);
  assert.deepEqual(policy.rules.budgets, [{ count: 50, per: "Day", each: true }]);

  await visit(page, `#/signing/policy/${policy.objInfo.uuid}`);
  await page.getByText("50 per day each").waitFor();
  await page.getByText("Nothing of them is used.").waitFor();
  await page.getByRole("link", { name: "Change the policy" }).click();
  await page.getByText("takes effect after 2 of them").waitFor();
  assert.equal(await page.getByLabel("Names", { exact: true }).inputValue(), "release *");
  await page.getByLabel("Size", { exact: true }).fill("1000000");
  // The rules are sent whole: where somebody else changed one of them meanwhile, nothing is.
  await page.route((url) => url.pathname === `/api/v2/x509/signing-policies/${policy.objInfo.uuid}`, async (route) => {
    assert.equal(route.request().method(), "GET");
    const answer = await route.fetch();
    const body = await answer.json();
    body.response.rules.fileNames = ["release 7 *"];
    await route.fulfill({ response: answer, json: body });
  });
  await page.getByRole("button", { name: "Propose the change" }).click();
  await page.getByText("Somebody else has changed the same").waitFor();
  await page.getByRole("row").filter({ hasText: "/rules/fileNames" }).getByText("release 7 *").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Propose the change" }).click();
  // The page of the change says of which service it is, and what changes.
  await page.getByText("/rules/maxSize").waitFor();
  await page.getByRole("link", { name, exact: true }).first().waitFor();
  const rows = page.getByRole("table").first().getByRole("row");
  assert.equal(await rows.count(), 2, "one member changes");
  await shoot(page, "policy-change-desktop-light");

  await visit(page, `#/signing/service/${service.objInfo.uuid}/policy`);
  await page.getByLabel("Name", { exact: true }).fill("another");
  await page.getByLabel("Approvals", { exact: true }).fill("1");
  await page.getByRole("button", { name: "Make the policy" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Approvals", { exact: true }).fill("2");
  await page.getByRole("button", { name: "Make the policy" }).click();
  await page.getByRole("heading", { name: /another/ }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Neither another language nor another section takes what was typed without a question. */
async function asksFirst(page, name) {
  const dialog = page.getByRole("dialog");
  for (const leave of [() => page.getByLabel("Language").selectOption("de"), () => page.getByRole("navigation").getByRole("link", { name: "Keys" }).click()]) {
    await leave();
    await dialog.getByText("What you entered on this page is lost.").waitFor();
    assert.deepEqual(await axe(page), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), name);
    assert.equal(await page.getByLabel("Language").inputValue(), "en");
  }
  await page.getByLabel("Language").selectOption("de");
  await dialog.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("heading", { name: "Neuer Dienst" }).waitFor();
  // Nothing is lost of an empty form.
  await page.getByLabel("Sprache").selectOption("en");
  await page.getByRole("heading", { name: "New service" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill(name);
}
