// Who had a token is asked in the console: what was found, part after part, and whether that is all. In German, too.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, settled, visit } from "./tools.mjs";

const CARD = "4012888888881881";
/** More than one answer has. */
const CALLS = 55;

export async function journal(browser, admins, demo) {
  const call = await caller(admins);
  const path = `/api/v2/token-profiles/${demo.tokenProfileUuid}`;
  const { token } = await call("POST", `${path}/tokenize`, { message: CARD });
  for (let made = 1; made < CALLS; made += 1) await call("POST", `${path}/detokenize`, { token });

  const { context, page, complaints } = await open(browser);
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  await logIn(page, admins);
  await visit(page, "#/audit");
  await page.getByRole("link", { name: "Who had a token?" }).click();
  await page.getByLabel("Token profile").selectOption({ label: "demo cards" });
  assert.equal(await page.getByLabel("UUID of the deleted profile").isVisible(), false);
  const ask = page.getByRole("button", { name: "Who had it?" });
  await ask.click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await ask.click();
  await page.getByRole("heading", { name: "50 calls" }).waitFor();
  await page.getByText("Not all of the journal is looked through yet.").waitFor();
  await page.getByRole("button", { name: "Look further" }).click();
  await page.getByRole("heading", { name: `${CALLS} calls` }).waitFor();
  await page.getByText("this is all").waitFor();
  const calls = page.getByRole("table", { name: "Who had a token?" });
  assert.equal(await calls.getByRole("row").count(), CALLS + 1);
  const [first, last] = [calls.getByRole("row").nth(1), calls.getByRole("row").last()];
  assert.match(await first.innerText(), /Tokenize[^]*Admin1 \+ Admin2[^]*nothing[^]*1 of 1/);
  assert.match(await last.innerText(), /Detokenize[^]*Admin1 \+ Admin2[^]*all[^]*1 of 1/);
  const own = page.getByRole("table", { name: "Journals" });
  assert.equal(await own.getByText("looked through", { exact: true }).count(), 1);
  assert.deepEqual(await axe(page), []);

  // Another one that nobody had, and a time in which nobody had it.
  await page.getByLabel("Token", { exact: true }).fill("4012880000001882");
  await ask.click();
  await page.getByText("Nobody had it").waitFor();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByLabel("From (Europe/Berlin)").fill("2020-01-02T00:00");
  await page.getByLabel("Until (Europe/Berlin)").fill("2020-01-01T00:00");
  await ask.click();
  await page.getByText("This is before the beginning").waitFor();
  await page.getByLabel("From (Europe/Berlin)").fill("");
  await ask.click();
  await page.getByRole("heading", { name: "0 calls" }).waitFor();
  await page.getByLabel("Token profile").selectOption({ label: "one that was deleted …" });
  await page.getByLabel("UUID of the deleted profile").fill("00000000-0000-0000-0000-0000000000aa");
  await ask.click();
  await page.getByText("There is no token profile of this id").waitFor();
  await settled(page);

  assert.ok(addresses.length > 0 && !addresses.some((url) => url.includes(token)), "the token is in no address");
  const records = await call("GET", "/api/v2/audit?action=JournalSearch&pageSize=10&page=1");
  assert.ok(records.items.length >= 4 && !JSON.stringify(records).includes(token), "each question is recorded, without the token");
  await page.getByLabel("Language").selectOption("de");
  await page.getByRole("heading", { name: "Wer hatte ein Token?" }).waitFor();
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.getByRole("button", { name: "Wer hatte es?" }).click();
  await page.getByRole("button", { name: "Weitersuchen" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
}
