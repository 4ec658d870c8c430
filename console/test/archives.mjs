// For how long audit records are kept is set on the page of the system, and what is not at hand any more is found in archives.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { axe, caller, logIn, open, settled, shoot, sizes, visit } from "./tools.mjs";

const SETTINGS = "/api/v2/system/settings";
const isWide = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

/** Both pages as they are looked at: on a desktop and a telephone, light and dark. */
async function looked(page, name) {
  for (const [device, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axe(page), [], `${name} ${device} ${colorScheme}`);
      await shoot(page, `${name}-${device}-${colorScheme}`);
    }
    assert.equal(await isWide(page), false, `${name} ${device} is wider than its window`);
  }
  await page.setViewportSize(sizes.desktop);
}

export async function retention(browser, admins) {
  const call = await caller(admins);
  try {
    await keeping(browser, admins, call);
  } finally {
    await call("PATCH", SETTINGS, { auditRetention: {} });
  }
}

/** The form on the page of the system. */
function parts(page) {
  const choice = page.getByLabel("For how long they are at hand and kept");
  const [atHand, kept, beyond] = ["At hand, in days", "Kept, in days", "Beyond the last certificate, in days"].map((label) => page.getByLabel(label));
  const chosen = async () => [await choice.locator("option:checked").innerText(), ...(await Promise.all([atHand, kept, beyond].map((one) => one.inputValue())))];
  const save = page.getByRole("button", { name: "Change the settings" });
  const saved = () => page.getByText("Done: Change the settings").waitFor();
  return { choice, atHand, kept, beyond, chosen, save, saved };
}

async function keeping(browser, admins, call) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, "/#/system");
  const form = parts(page);
  const { choice, atHand, chosen, save, saved } = form;
  const stored = async () => (await call("GET", SETTINGS)).auditRetention;
  await choice.waitFor();
  assert.equal(await choice.locator("option:checked").innerText(), "For ever");
  assert.equal(await atHand.isVisible(), false);
  await choice.selectOption({ label: "Authorities and time stamping" });
  assert.deepEqual(await chosen(), ["Authorities and time stamping", "92", "365", "730"]);
  await choice.selectOption({ label: "Card data" });
  assert.deepEqual(await chosen(), ["Card data", "92", "365", ""]);
  await settled(page);
  await looked(page, "system-retention");
  await wrongDays(page, form);

  // What is removed for good is asked about, in days and by the moment that they are.
  await choice.selectOption({ label: "Card data" });
  await save.click();
  const dialog = page.getByRole("dialog", { name: "Remove records whose time is over" });
  await dialog.getByText("older than 365 days: now those from before").waitFor();
  await dialog.getByText("No record is as old yet.").waitFor();
  await looked(page, "system-retention-asked");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(await stored(), {});
  await save.click();
  await dialog.getByLabel("Type Audit records to confirm").fill("Audit records");
  await dialog.getByRole("button", { name: "Remove records whose time is over" }).click();
  await saved();
  assert.deepEqual(await stored(), { atHandDays: 92, keepDays: 365 });
  await page.reload();
  await choice.waitFor();
  assert.deepEqual(await chosen(), ["Card data", "92", "365", ""]);

  await ownDays(page, form, stored);
  await elsewhere(page, form, call, stored);
  await choice.selectOption({ label: "For ever" });
  await save.click();
  await saved();
  assert.deepEqual(await stored(), {});
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Days of one's own; what keeps more asks nothing. What the server alone refuses is told at the field, too. */
async function ownDays(page, { kept, chosen, save, saved }, stored) {
  await kept.fill("400");
  assert.equal((await chosen())[0], "Own days");
  const refusal = { success: false, errorCode: "InvalidValue", response: { message: "Not so many.", field: "/auditRetention/keepDays" } };
  await page.route(`**${SETTINGS}`, (route) => (route.request().method() === "PATCH" ? route.fulfill({ status: 400, json: refusal }) : route.continue()));
  await save.click();
  await page.locator(".field", { has: kept }).getByText("Not so many.").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await save.click();
  await saved();
  assert.deepEqual(await stored(), { atHandDays: 92, keepDays: 400 });
}

/** Somebody else changes it meanwhile: nothing is saved, and that is said. */
async function elsewhere(page, { choice, atHand, chosen, save }, call, stored) {
  await call("PATCH", SETTINGS, { auditRetention: { atHandDays: 100 } });
  await choice.selectOption({ label: "For ever" });
  assert.equal(await atHand.isVisible(), false);
  await save.click();
  await page.getByText("Somebody else has changed the same since this page was read.").waitFor();
  assert.deepEqual(await stored(), { atHandDays: 100 });
  await page.getByRole("button", { name: "Begin anew with what is now" }).click();
  await page.locator(".problem", { hasText: "Somebody else" }).waitFor({ state: "detached" });
  await settled(page);
  assert.deepEqual(await chosen(), ["Own days", "100", "", ""]);
}

/** What no interface takes is told at its field, before anything is asked. */
async function wrongDays(page, { choice, atHand, kept, beyond, save }) {
  const at = (control) => page.locator(".field", { has: control });
  const told = async (control, text) => {
    await save.click();
    await at(control).getByText(text).waitFor();
    assert.equal(await page.locator("[aria-invalid=true]").count(), 1);
    assert.equal(await page.getByRole("dialog").count(), 0);
  };
  await atHand.fill("89");
  assert.equal(await choice.inputValue(), "own");
  await told(atHand, "This takes a whole number from 90 to 36,500.");
  await atHand.fill("");
  await told(atHand, "This takes a whole number from 90 to 36,500.");
  await atHand.fill("100");
  await kept.fill("99");
  await told(kept, "This takes a whole number from 100 to 36,500.");
  await kept.fill("100.5");
  await told(kept, "This takes a whole number from 100 to 36,500.");
  await kept.fill("");
  await beyond.fill("730");
  await told(beyond, "This only counts where archives are removed");
}

const LINES = '{"action":"Login","leaf":0}\n';
const SHA256 = createHash("sha256").update(LINES).digest("hex");
/** More than one page has. */
const ARCHIVES = 51;
const items = Array.from({ length: ARCHIVES }, (_, index) => ({
  firstLeaf: index * 2000, leaves: 2000, records: 1999, from: new Date(Date.UTC(2024, 0, 1 + index)).toISOString(), to: new Date(Date.UTC(2024, 0, 2 + index)).toISOString(),
  madeAt: new Date(Date.UTC(2024, 4, 1 + index)).toISOString(), bytes: 1_234_567 + index, sha256: SHA256,
}));

/** Archives as a server has them that has run for years. */
async function answered(page) {
  const answer = (response) => ({ json: { success: true, errorCode: "Success", response } });
  await page.route((url) => url.pathname === "/api/v2/audit/archives", (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
    const next = from + 50 < items.length ? String(from + 50) : undefined;
    return route.fulfill(answer({ items: items.slice(from, from + 50), total: items.length, next }));
  });
  await page.route((url) => url.pathname === "/api/v2/audit" && url.searchParams.get("action") === "AuditArchive",
    (route) => route.fulfill(answer({ items: [{ action: "AuditArchive", detail: items.at(-1) }], total: ARCHIVES })));
  await page.route((url) => url.pathname === "/api/v2/audit/archives/download", (route) => {
    const isThere = new URL(route.request().url()).searchParams.get("firstLeaf") !== "2000";
    return route.fulfill(isThere ? { contentType: "application/x-ndjson", body: LINES }
      : { status: 400, json: { success: false, errorCode: "InvalidSelection", response: { message: "There is no archive that begins with this leaf." } } });
  });
}

export async function archives(browser, admins) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, "/#/audit?action=Login");
  const section = page.locator("main section", { has: page.getByRole("heading", { name: "Archives" }) });
  await page.getByRole("table", { name: "Who did what?" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Archives" }).count(), 0, "where there are none, nothing is said of them");
  await answered(page);
  await visit(page, "#/audit?action=Login");
  await page.getByText("Records since 21 Feb 2024, 01:00 are at hand. Older records are in archives").waitFor();
  const rows = page.getByRole("table", { name: "Archives" }).getByRole("row");
  assert.equal(await rows.count(), 51);
  assert.match(await rows.nth(2).innerText(), /leaf 2,000\s+1,999\s+2 Jan 2024, 01:00\s+3 Jan 2024, 01:00\s+1\.2 MiB/);
  await looked(page, "audit-archives");

  // The file is what the server gave, under a name that says which it is.
  const [file] = await Promise.all([page.waitForEvent("download"), rows.nth(1).getByRole("button", { name: "Download" }).click()]);
  assert.equal(file.suggestedFilename(), "audit-0.jsonl");
  assert.equal(await readFile(await file.path(), "utf8"), LINES);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await rows.nth(1).getByRole("button", { name: `Copy ${SHA256.slice(0, 12)} whole` }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), SHA256);
  // One that was removed since the page was read says so beside its button.
  await rows.nth(2).getByRole("button", { name: "Download" }).click();
  await rows.nth(2).getByText("There is no archive that begins with this leaf.").waitFor();

  // Their pages are turned beside those of the records, and the reader stays with them.
  await section.getByRole("link", { name: "Next" }).click();
  await page.waitForFunction(() => location.hash === "#/audit?action=Login&archives=50");
  await rows.filter({ hasText: "leaf 100,000" }).waitFor();
  assert.equal(await rows.count(), 2);
  await page.waitForFunction(() => scrollY > 0);
  await page.getByText("Records since 21 Feb 2024, 01:00 are at hand.").waitFor();
  await section.getByRole("link", { name: "Previous" }).click();
  await rows.nth(50).waitFor();

  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("heading", { name: "Archive", exact: true }).waitFor();
  await page.getByText("Ältere Einträge stehen in Archiven").waitFor();
  await shoot(page, "audit-archives-german");
  assert.deepEqual(complaints, []);
  await context.close();
}
