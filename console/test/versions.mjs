// A token profile moves on to a new version of its key: where tokens do not tell their version, it says beforehand what becomes of them.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, settled, visit } from "./tools.mjs";

export async function versions(browser, admins, approver) {
  const call = await caller(admins);
  const types = await call("POST", "/api/v2/key-types/stubs", {});
  const keyTypeUuid = types.results.find((one) => one.objInfo.name === "AES-256 Tokenization").objInfo.uuid;
  const key = await call("POST", "/api/v2/keys", { name: "moves on", keyTypeUuid });
  const stubs = await call("GET", "/api/v2/roles/stubs");
  const roleUuid = stubs.results.find((one) => one.objInfo.name === "Approver").objInfo.uuid;
  const controlRules = ["Tokenize", "Detokenize"].map((operation) => ({ roleUuid, operation }));
  const make = async (name, format) => (await call("POST", "/api/v2/token-profiles", { objInfo: { name }, algorithm: "Ff1", keyUuid: key.uuid, format: { alphabet: "Decimal", minLength: 8, maxLength: 12, ...format }, controlRules })).objInfo.uuid;
  const [silent, telling] = [await make("tells nothing", {}), await make("tells its version", { versionPrefix: 1 })];
  await call("POST", `/api/v2/keys/${key.uuid}/rotate`, {});
  const version = async (uuid) => {
    const { keyVersion, minDecryptVersion } = await call("GET", `/api/v2/token-profiles/${uuid}`);
    return [minDecryptVersion, keyVersion];
  };
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  const button = page.locator("main").getByRole("button", { name: "Make tokens with version 2 from now on" });
  await visit(page, `#/tokenization/profile/${silent}`);
  await button.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("people fill in a field for it on this page").waitFor();
  await dialog.getByText("It cannot be taken back").waitFor();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(await version(silent), [1, 1], "nothing is done before it is confirmed");
  await dialog.getByLabel("Type tells nothing to confirm").fill("tells nothing");
  await dialog.getByRole("button", { name: "Make tokens with version 2 from now on" }).click();
  await page.getByText("Done: Make tokens with version 2 from now on").waitFor();
  assert.deepEqual(await version(silent), [1, 2]);
  await readsBoth(browser, approver, silent);

  await page.getByRole("button", { name: "Read tokens of version 2 alone …" }).click();
  await dialog.getByText("they give wrong values that look right").waitFor();
  await dialog.getByLabel("Type tells nothing to confirm").fill("tells nothing");
  await dialog.getByRole("button", { name: "Read tokens of version 2 alone" }).click();
  await page.getByText("Done: Read tokens of version 2 alone").waitFor();
  assert.deepEqual(await version(silent), [2, 2]);

  // Of these a program sees no difference. What the server says about it is shown.
  await page.route(`**/api/v2/token-profiles/${telling}`, async (route) => {
    if (route.request().method() !== "PATCH") return route.fallback();
    const answer = await route.fetch();
    const body = await answer.json();
    return route.fulfill({ response: answer, json: { ...body, response: { ...body.response, warnings: ["A warning."] } } });
  });
  await visit(page, `#/tokenization/profile/${telling}`);
  await button.click();
  await page.getByText("Done: Make tokens with version 2 from now on").waitFor();
  await page.getByText("A warning.").waitFor();
  assert.deepEqual(await version(telling), [1, 2]);
  assert.deepEqual(complaints, []);
  await context.close();
  for (const uuid of [silent, telling]) await call("DELETE", `/api/v2/token-profiles/${uuid}`);
}

/** Who may read tokens and manages no profiles says under which version one was made. */
async function readsBoth(browser, reader, profile) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, [reader]);
  await visit(page, `#/tokenization/profile/${profile}`);
  await page.getByText("Read are 1 to 2.").waitFor();
  await page.getByLabel("Message", { exact: true }).fill("12345678");
  await page.getByRole("button", { name: "Tokenize", exact: true }).click();
  const token = await page.locator("output .copyable code").innerText();
  await page.getByLabel("Token", { exact: true }).fill(token);
  const detokenize = page.locator("form").filter({ has: page.getByRole("button", { name: "Detokenize", exact: true }) });
  await detokenize.getByRole("button").click();
  await detokenize.locator(".wrong").filter({ hasText: "name it here" }).waitFor();
  await detokenize.getByLabel("Key version").fill("2");
  await detokenize.getByRole("button").click();
  await detokenize.locator("output").getByText("12345678").waitFor();
  assert.deepEqual(await axe(page), []);
  await settled(page);
  assert.deepEqual(complaints.filter((one) => !one.includes("400")), []);
  await context.close();
}
