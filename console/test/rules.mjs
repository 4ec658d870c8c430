// Control Rules: nothing is lost, neither what others saved meanwhile nor what was entered; and detokenizing after approvals.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

export async function rules(browser, admins, approver) {
  const call = await caller(admins);
  const stubs = await call("GET", "/api/v2/roles/stubs");
  const [administrator, auditor] = ["Administrator", "Auditor"].map((name) => stubs.results.find((one) => one.objInfo.name === name).objInfo.uuid);
  const keys = await call("GET", "/api/v2/keys/stubs");
  const own = ["Tokenize", "Detokenize"].map((operation) => ({ roleUuid: administrator, operation }));
  const { objInfo: { uuid } } = await call("POST", "/api/v2/token-profiles", {
    objInfo: { name: "rules that two write" }, algorithm: "Ff1", keyUuid: keys.results.find((one) => one.usages.includes("Tokenize")).objInfo.uuid,
    format: { alphabet: "Decimal", minLength: 13, maxLength: 19 }, controlRules: own,
  });
  const path = `/api/v2/token-profiles/${uuid}`;
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, `#/tokenization/profile/${uuid}`);
  await page.getByText("digits", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Change the rules" }).click();
  await nothingVanishes(page);
  assert.deepEqual((await call("GET", path)).controlRules, own, "nothing was saved");

  await call("PATCH", `${path}/permissions`, { controlRules: [...own, { roleUuid: auditor, operation: "Tokenize" }] });
  await page.getByRole("button", { name: "Replace the rules" }).click();
  await page.getByText("Somebody else has changed the rules").waitFor();
  await page.getByText("New: Auditor: Tokenize").waitFor();
  assert.deepEqual(await axe(page), []);
  await shoot(page, "rules-meanwhile-desktop-light");
  await page.getByRole("button", { name: "Begin anew with the present rules" }).click();
  assert.ok(await page.getByLabel("Auditor: Tokenize").isChecked());
  await demand(page, "1");
  await page.getByRole("button", { name: "Replace the rules" }).click();
  await page.getByText("may, with an approval").waitFor();
  const saved = (await call("GET", path)).controlRules.map((one) => [one.roleUuid, one.operation, one.approval?.numApprovals]);
  assert.deepEqual(saved, [[administrator, "Tokenize", undefined], [administrator, "Detokenize", 1], [auditor, "Tokenize", undefined]]);

  await byGrant(page, call, path, approver);
  assert.deepEqual(complaints, []);
  await context.close();
  await call("DELETE", path);
}

/** What was entered and would not be saved is said at its field, where that is to be seen. */
async function nothingVanishes(page) {
  const save = () => page.getByRole("button", { name: "Replace the rules" }).click();
  const partial = page.getByRole("group", { name: "Detokenize in part" });
  const character = partial.getByLabel("Character for the rest");
  await partial.getByLabel("What is shown").selectOption("so many symbols of one end");
  await partial.getByLabel("Symbols that are shown").fill("6");
  await partial.getByLabel("What is shown").selectOption({ index: 0 });
  assert.equal(await partial.getByRole("button", { name: "Set back" }).count(), 0, "what is hidden is not meant");
  await character.fill("");
  await partial.getByRole("button", { name: "Add" }).click();
  await partial.getByText("One character is needed here.").waitFor();
  await character.fill("7");
  await partial.getByRole("button", { name: "Add" }).click();
  await save();
  await partial.getByText("is not taken").waitFor();
  await partial.getByRole("button", { name: "Take away" }).click();
  await character.fill("*");
  await partial.getByRole("button", { name: "Set back" }).click();
  const budgets = page.getByRole("group", { name: "Budgets" });
  await budgets.getByLabel("Role").selectOption("Approver");
  await save();
  await budgets.getByText("This is not in the list yet").waitFor();
  await budgets.getByRole("button", { name: "Add" }).click();
  await save();
  await budgets.getByText("Approver has no rule for Tokenize").waitFor();
  await budgets.getByRole("button", { name: "Take away" }).click();
  await demand(page, "0");
  await page.getByText("A whole number from 1 to 64.").waitFor();
  await page.getByRole("button", { name: "Set back" }).click();
  await demand(page, "2");
  const effect = page.locator(".effect");
  await effect.getByText(/Detokenize in full .*: from now on each time with 2 approvals \(before: without approvals\), for .*Admin/).waitFor();
  assert.equal(await page.locator(".effect.widens").count(), 0, "nobody gains anything by that");
}

async function demand(page, count) {
  const demands = page.getByRole("group", { name: "Approvals before detokenizing in full" });
  await demands.getByLabel("Approvals", { exact: true }).fill(count);
  await demands.getByRole("button", { name: "Add" }).click();
}

/** The page leads to the approvals, and a grant is chosen; what is left of it is told after each use. */
async function byGrant(page, call, path, approver) {
  const { token } = await call("POST", `${path}/tokenize`, { message: "4111111111111111" });
  const detokenize = async () => {
    await page.getByLabel("Token", { exact: true }).fill(token);
    await page.getByRole("button", { name: "Detokenize", exact: true }).click();
  };
  assert.equal(await page.getByText("Move to the newest version").count(), 0, "no rule lets that be done");
  await detokenize();
  await page.getByText("This takes approvals. Press “Ask for approvals”").waitFor();
  await page.getByRole("button", { name: "Ask for approvals" }).click();
  await page.getByLabel("Reason").fill("chargeback");
  await page.getByLabel("Values", { exact: true }).fill("2");
  await page.getByRole("button", { name: "Ask for approvals" }).last().click();
  await page.getByRole("cell", { name: "chargeback" }).waitFor();
  const { items: [grant] } = await call("GET", `${path}/grants`);
  const hash = await page.evaluate(() => location.hash);

  await visit(page, `#/approvals/proposal/${grant.uuid}`);
  await page.getByText("you submitted it, and others have to approve it.").waitFor();
  await page.locator(".changes[data-live]").waitFor({ state: "attached" });
  const other = await caller([approver]);
  const { digest } = await other("GET", `/api/v2/x509/proposals/${grant.uuid}`);
  await other("POST", `/api/v2/x509/proposals/${grant.uuid}/approve`, { digest });
  await page.getByText("Something of this has changed.").waitFor();

  await visit(page, hash);
  await page.getByLabel("Grant", { exact: true }).selectOption({ label: "chargeback (0 of 2)" });
  await detokenize();
  await page.getByText("4111111111111111").waitFor();
  await page.getByRole("cell", { name: "1 of 2" }).waitFor();
  await settled(page);
  assert.equal(await page.getByLabel("Grant", { exact: true }).evaluate((one) => one.selectedOptions[0].textContent), "chargeback (1 of 2)");
  assert.deepEqual(await axe(page), []);
}
