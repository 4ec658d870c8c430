// Audit records are filtered by who, what and when, and say what they are of.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, settled, shoot, sizes, visit } from "./tools.mjs";

export async function auditing(browser, admins) {
  const call = await caller(admins);
  const role = await call("POST", "/api/v2/roles", { name: "filtered role", loginsRequired: 1, perms: ["Signing:Submit"] });
  await call("DELETE", `/api/v2/roles/${role.uuid}`);
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, `#/audit?objectUuid=${role.uuid}`);
  await page.getByText(/^Only records of filtered role …/).waitFor();
  const created = page.getByRole("row").filter({ hasText: "Role create" });
  assert.match(await created.locator("time").innerText(), /:\d\d:\d\d/, "with seconds");
  assert.equal(await page.getByRole("table", { name: "Detail" }).count(), 0, "changes are shown when they are asked for");
  await created.locator("summary").click();
  await created.locator("pre").waitFor();
  assert.equal(await created.locator(`a[href="#/identities/role/${role.uuid}"]`).innerText(), "filtered role");
  assert.equal(await page.getByRole("row").filter({ hasText: "Role delete" }).locator('a[href^="#/identities"]').count(), 0, "what is gone has no page");

  await visit(page, "#/audit");
  await page.getByLabel("Who", { exact: true }).selectOption({ label: admins[0].username });
  await page.waitForFunction(() => location.hash.includes("identityUuid="));
  await settled(page);
  assert.equal(await page.getByLabel("Who", { exact: true }).locator("option:checked").innerText(), admins[0].username);
  await page.getByLabel("From (Europe/Berlin)").fill("2027-01-01T00:00");
  await page.getByLabel("Until (Europe/Berlin)").fill("2026-01-01T00:00");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText("This is before the beginning").waitFor();
  assert.deepEqual(await axe(page), []);
  await shoot(page, "audit-filtered");
  // An address that no form has made.
  await visit(page, "#/audit?from=zzz");
  await page.getByRole("table", { name: "Who did what?" }).waitFor();
  // A link shows the same everywhere: its moments are in UTC, and those of a link without a zone are of the reader's.
  for (const from of ["2026-01-01T00:00", "2025-12-31T23:00:00Z"]) {
    await visit(page, `#/audit?action=Login&from=${from}`);
    assert.equal(await page.getByLabel("From (Europe/Berlin)").inputValue(), "2026-01-01T00:00");
    assert.match(await page.getByRole("link", { name: "Export as lines of JSON" }).getAttribute("href"), /from=2025-12-31T23%3A00%3A00Z/);
  }
  await page.getByLabel("Until (Europe/Berlin)").fill("2126-07-01T02:00:05");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForFunction(() => location.hash.endsWith("&from=2025-12-31T23%3A00%3A00Z&to=2126-07-01T00%3A00%3A05Z"));
  await settled(page);
  assert.equal(await page.getByLabel("Until (Europe/Berlin)").inputValue(), "2126-07-01T02:00:05");

  // What the host does, and what Chancery does by itself, somebody does.
  await visit(page, "#/audit?action=ServerStart");
  await page.getByRole("row").filter({ hasText: "(on the host)" }).first().waitFor();
  assert.equal(await page.getByText("nobody known").count(), 0);

  const long = await call("POST", "/api/v2/roles", { name: "x".repeat(200), loginsRequired: 1, perms: ["Signing:Submit"] });
  await call("DELETE", `/api/v2/roles/${long.uuid}`);
  for (const viewport of [sizes.telephone, sizes.desktop]) {
    await page.setViewportSize(viewport);
    for (const more of ["", "&concerns=Access", "&action=RoleCreate"]) {
      await visit(page, `#/audit?objectUuid=${long.uuid}${more}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${viewport.width} ${more}`);
    }
  }
  await accessThen(page, call, complaints);
  await visit(page, "#/audit");
  // Each of two stands by itself.
  await page.locator(".person + .person").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Who could do what at a moment, and what has changed since. */
async function accessThen(page, call, complaints) {
  const { items } = await call("GET", "/api/v2/audit?pageSize=1");
  await new Promise((done) => setTimeout(done, 20));
  const role = await call("POST", "/api/v2/roles", { name: "made since", loginsRequired: 1, perms: ["Keys:Add"] });
  const made = await call("POST", "/api/v2/identities", { name: "came since", kind: "Application", roleUuids: [role.uuid] });
  await visit(page, "#/audit/access?search=came+since");
  await page.getByText("As it is now.").waitFor();
  await page.getByRole("row").filter({ hasText: "came since" }).waitFor();
  await visit(page, `#/audit/access?search=came+since&asOf=${items[0].time}`);
  await page.getByText(/^As it was on /).waitFor();
  assert.equal(await page.getByRole("row").filter({ hasText: "came since" }).count(), 0, "it was not there yet");
  const since = page.locator("section", { has: page.getByRole("heading", { name: "What has changed since" }) });
  await since.getByRole("listitem").filter({ hasText: /identity gains .*: came since$/ }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "What is not certain of then" }).count(), 0);
  assert.deepEqual(await axe(page), []);
  await shoot(page, "access-as-of");
  // Another search is of the same moment; without a moment it is now.
  await page.getByRole("searchbox").fill("came");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForFunction(() => location.hash.includes("search=came&") && location.hash.includes("asOf="));
  await settled(page);
  await page.getByLabel("As of (Europe/Berlin)").fill("");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("As it is now.").waitFor();
  await page.getByRole("row").filter({ hasText: "came since" }).waitFor();
  // Whoever enters a moment and searches means it; one that is too early is told at its field.
  await page.getByLabel("As of (Europe/Berlin)").fill("2001-02-03T04:05:06");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByText(/do not go back so far/).waitFor();
  assert.equal(await page.getByLabel("As of (Europe/Berlin)").inputValue(), "2001-02-03T04:05:06");
  complaints.splice(0);
  await call("DELETE", `/api/v2/identities/${made.uuid}`);
  await call("DELETE", `/api/v2/roles/${role.uuid}`);
}
