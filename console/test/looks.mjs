// The console as it looks, against a server of its own: every page on a desktop and a telephone, light and dark, in English and
// in German, and what approvers see of deceptions. Pictures of all pages are left where CHANCERY_SHOTS says.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { deceptions } from "./deceptions.mjs";
import { pages, plant } from "./planted.mjs";
import { BASE, axe, launch, logIn, open, shoot, sizes, visit } from "./tools.mjs";

const state = JSON.parse(await readFile(process.env.CHANCERY_STATE, "utf8"));
const { admins, approver } = state;
let browser;
let planted;

before(async () => {
  browser = await launch();
  planted = await plant(state);
});
after(() => browser.close());

for (const [look, options] of Object.entries({
  "desktop-light": { viewport: sizes.desktop, colorScheme: "light" },
  "telephone-dark": { viewport: sizes.telephone, colorScheme: "dark" },
})) {
  test(`every page, ${look}: no violation, no complaint, and names with markup show as text`, async () => {
    await eachPage(admins, pages(planted, "admins"), look, options);
    await eachPage([approver], pages(planted, "approver"), look, options);
  });
}

test("in German, by the browser's language, and by choice", async () => {
  const { context, page, complaints } = await open(browser, { locale: "de-DE" });
  await page.goto(BASE);
  await page.getByRole("heading", { name: "Anmelden" }).waitFor();
  assert.equal(await page.getAttribute("html", "lang"), "de");
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Sprache").selectOption("en");
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await logIn(page, [approver], `/#/approvals/request/${planted.requests.upload}`);
  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("button", { name: "Genehmigen", exact: true }).waitFor();
  await shoot(page, "request-upload-german");
  await page.reload();
  await page.getByRole("button", { name: "Genehmigen", exact: true }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what is planted to deceive approvers gives itself away in sight", () =>
  deceptions(browser, { admins, approver, secondApprover: planted.secondApprover, demo: state.demo, shots: process.env.CHANCERY_SHOTS }));

async function eachPage(people, list, look, options) {
  const { context, page, complaints } = await open(browser, options);
  const other = options.colorScheme === "dark" ? "light" : "dark";
  await page.goto(BASE);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(await axe(page), [], `login ${look}`);
  await shoot(page, `login-${look}`);
  await logIn(page, people);
  for (const [name, hash, marked] of list) {
    await visit(page, hash);
    assert.deepEqual(await page.locator("main .problem[role=alert]").allInnerTexts(), [], `${name} ${look}`);
    assert.deepEqual(await axe(page), [], `${name} ${look}`);
    assert.equal(await page.locator("main img, main b:not(:empty), main script").count(), 0, `${name}: markup became elements`);
    if (marked) assert.ok((await page.locator("main").innerText()).includes("<img src=x"), `${name}: the planted name is not shown`);
    const width = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(width[0] <= width[1], `${name} ${look} is wider than its window: ${width}`);
    const isCut = (elements) => elements.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute("aria-label"));
    assert.deepEqual(await page.locator("main .scroll").evaluateAll(isCut), [], `${name} ${look}: tables are cut off`);
    await shoot(page, `${name}-${look}`);
    await page.emulateMedia({ colorScheme: other });
    await shoot(page, `${name}-${look.replace(/-.*/, "")}-${other}`);
    await page.emulateMedia({ colorScheme: options.colorScheme });
  }
  assert.deepEqual(complaints, [], look);
  await context.close();
}
