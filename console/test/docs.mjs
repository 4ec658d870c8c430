// The page at /docs: found by words, tried without a login and with one, and read in prose.

import assert from "node:assert/strict";

import { BASE, axe, logIn, open, settled, shoot, sizes } from "./tools.mjs";

export async function documentation(browser, admins) {
  for (const colorScheme of ["light", "dark"]) {
    const { context, page, complaints } = await open(browser, { colorScheme });
    await page.goto(`${BASE}/docs`);
    await page.getByRole("heading", { name: "Operations" }).waitFor();
    assert.equal(await page.locator("h2").first().innerText(), "Login", "whoever begins, begins there");
    const stubs = await opened(page, "token-profiles/stubs", "GET /api/v2/token-profiles/stubs");
    await stubs.getByRole("button", { name: "Send GET" }).click();
    await stubs.getByText("401").first().waitFor();
    await stubs.getByText('"InvalidAuthToken"').waitFor();
    assert.deepEqual(await axe(page), [], colorScheme);
    await shoot(page, `docs-desktop-${colorScheme}`);
    await page.getByRole("link", { name: "In prose" }).click();
    await page.getByRole("heading", { name: "2. Login" }).waitFor();
    await page.getByRole("link", { name: "5. Token profiles" }).click();
    assert.ok(await page.getByRole("heading", { name: "5. Token profiles" }).evaluate((chapter) => Math.abs(chapter.getBoundingClientRect().top) < 200));
    assert.ok((await page.locator(".prose pre").count()) > 100, "all examples are there");
    assert.deepEqual(await axe(page), [], `prose ${colorScheme}`);
    await page.setViewportSize(sizes.telephone);
    const tooWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    assert.equal(await page.evaluate(tooWide), false, "prose on a telephone");
    await page.goto(`${BASE}/docs#`);
    await page.getByRole("heading", { name: "Operations" }).waitFor();
    assert.equal(await page.evaluate(tooWide), false, "operations on a telephone");
    assert.deepEqual(complaints, []);
    await context.close();
  }
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await page.goto(`${BASE}/docs`);
  await page.getByText(`made as ${admins[0].username} and ${admins[1].username}`).waitFor();
  const roles = await opened(page, "roles", "POST /api/v2/roles");
  await roles.getByLabel("Body, application/json").fill("{");
  await roles.getByRole("button", { name: "Send POST" }).click();
  await roles.getByText("The body is not JSON").waitFor();
  const name = `made in the documentation ${Date.now()}`;
  await roles.getByLabel("Body, application/json").fill(JSON.stringify({ name, loginsRequired: 1, perms: [] }));
  await roles.getByRole("button", { name: "Send POST" }).click();
  await roles.locator(".answer strong", { hasText: "200" }).waitFor();
  const uuid = /"uuid": "([0-9a-f-]{36})"/.exec(await roles.locator(".answer pre").innerText())?.[1];
  const deleting = await opened(page, "roles", "DELETE /api/v2/roles/{uuid}");
  await deleting.getByLabel("uuid", { exact: true }).fill(uuid);
  await deleting.getByLabel("Delete it").check();
  await deleting.getByRole("button", { name: "Send DELETE" }).click();
  await deleting.locator(".answer strong", { hasText: "200" }).waitFor();
  await settled(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Finds an operation by a word and opens it. */
async function opened(page, word, operation) {
  await page.getByLabel("Find").fill(word);
  const [method, path] = operation.split(" ");
  const details = page.locator("details").filter({ has: page.locator("summary .method", { hasText: new RegExp(`^${method}$`) }) })
    .filter({ has: page.locator("summary code", { hasText: new RegExp(`^${path.replace(/[{}]/g, "\\$&")}$`) }) });
  await details.locator("summary").click();
  return details;
}
