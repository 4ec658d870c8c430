// What a person sees when the server is not well, is gone, or is switched off, and how they get on from there.

import assert from "node:assert/strict";

import { BASE, axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

const ISSUES = "The storage cannot be written: it is full.";
const sick = (route) => route.fulfill({ status: 503, contentType: "text/plain; charset=utf-8", headers: { "retry-after": "1" }, body: `${ISSUES}\n` });

/** The interval of the pages, let pass at once. */
const look = (page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

/** `archive` is a target that cannot take its audit records, `hook` one that cannot take notices. */
export async function health(browser, admins, archive, hook) {
  const { context, page } = await open(browser);
  const failed = { action: "JournalFail", objectUuid: "00000000-0000-4000-8000-000000000001", number: 5, time: new Date().toISOString(), identities: [] };
  const ofJournal = (url) => url.pathname === "/api/v2/audit" && url.searchParams.get("action")?.startsWith("Journal");
  const answered = (all) => (route) => route.fulfill({ json: { success: true, errorCode: "Success", response: { items: all.filter(({ action }) => route.request().url().includes(`action=${action}&`)) } } });
  await page.route(ofJournal, answered([failed]));
  await logIn(page, admins);
  const loaded = page.getByText("the root key is loaded");
  await loaded.waitFor();
  const fails = async () => {
    for (const at of [`audit/targets/${archive}`, `notices/target/${hook}`]) await page.locator(`main .facts a[href="#/${at}"]`).waitFor();
  };
  await fails();
  const journal = page.getByText("could not be kept");
  await journal.waitFor();
  await page.route("**/readyz", sick);
  await look(page);
  await page.getByText(ISSUES).waitFor();
  await fails();
  assert.equal(await page.locator("main .state.good").count(), 0, "nothing is well that is not known to be");
  assert.deepEqual(await axe(page), []);
  await shoot(page, "home-sick-desktop-light");

  // Once it could be kept again, it is no trouble any more.
  await page.unroute(ofJournal);
  await page.route(ofJournal, answered([failed, { ...failed, action: "JournalResume", number: 6 }]));
  await page.reload();
  await page.getByText(ISSUES).waitFor();
  await fails();
  assert.equal(await journal.count(), 0);
  await page.getByText("Demonstration.").waitFor();
  await page.unroute("**/readyz", sick);
  await loaded.waitFor();

  await visit(page, "#/system");
  await loaded.waitFor();
  await context.setOffline(true);
  await look(page);
  await page.locator("main .state.bad", { hasText: "cannot be reached" }).waitFor();
  // A page whose code was never read.
  await page.evaluate(() => (location.hash = "#/tokenization/new"));
  await page.getByRole("heading", { name: "This cannot be shown" }).waitFor();
  await page.getByText("The server cannot be reached.").waitFor();
  assert.equal(await page.getByText("The console made a mistake").count(), 0);
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByLabel("Begin with").waitFor();
  await context.close();
}

/** What is not available for a moment is read again by itself. */
export async function triedAgain(browser, admins) {
  const { context, page } = await open(browser);
  await logIn(page, admins);
  const busy = (route) => route.fulfill({ status: 503, headers: { "retry-after": "1" }, json: { success: false, errorCode: "Unavailable", response: { message: "Busy." } } });
  await page.route("**/api/v2/keys/stubs*", busy);
  await page.route("**/api/v2/keys?*", busy);
  await visit(page, "#/keys");
  await page.getByText("It is tried again by itself in 5 seconds.").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("heading", { name: "Which keys are there?" }).waitFor();
  await context.close();
}

export async function switchedOff(browser, admins, approver) {
  try {
    await offAndOn(browser, admins, approver);
  } finally {
    // What is tested after this needs it, whatever went wrong here.
    await (await caller(admins))("PATCH", "/api/v2/system/settings", { apiAccess: true });
  }
}

async function offAndOn(browser, admins, approver) {
  const [one, other] = [await open(browser), await open(browser)];
  const { page } = one;
  await logIn(page, admins, "/#/system");
  await logIn(other.page, [approver]);
  await other.page.getByText("the root key is loaded").waitFor();
  const box = page.getByLabel("API access", { exact: true });
  const watching = await one.context.newPage();
  await watching.goto(`${BASE}/#/system`);
  const watched = watching.getByLabel("API access", { exact: true });
  await watched.waitFor();
  await box.uncheck();
  await page.getByRole("button", { name: "Change the settings" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("are refused everything at once").waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByLabel("Type API access to confirm").fill("API access");
  await dialog.getByRole("button", { name: "Switch API access off for everybody" }).click();
  const off = page.locator(".off", { hasText: "API access is off." });
  await off.waitFor();
  await page.getByText("Done: Change the settings").waitFor();
  // Who is at work elsewhere hears of it, and is not refused again and again.
  await other.page.locator(".off").getByText("Ask an administrator").waitFor();
  await watching.locator(".off").waitFor();
  assert.equal(await watched.isChecked(), false, "what another page switched off is no tick that saving would send");
  await watching.close();
  const asked = [];
  other.context.on("request", (request) => asked.push(request.url()));
  await other.page.waitForTimeout(3_000);
  assert.deepEqual(asked.filter((url) => url.includes("/api/v2/")), []);
  for (const hash of ["#/", "#/keys"]) {
    await visit(page, hash);
    await off.waitFor();
    assert.deepEqual(await axe(page), [], hash);
    await shoot(page, `off-${hash === "#/" ? "home" : "keys"}-desktop-light`);
  }
  await page.getByText("You can switch it on again on the page System.").waitFor();
  await page.reload();
  await off.getByRole("link", { name: "System" }).click();
  await box.check();
  await page.getByRole("button", { name: "Change the settings" }).click();
  await page.getByText("Done: Change the settings").waitFor();
  assert.equal(await off.count(), 0);
  await visit(page, "#/keys");
  await page.getByRole("heading", { name: "Which keys are there?" }).waitFor();
  assert.deepEqual([one.complaints, other.complaints], [[], []]);
  await one.context.close();
  await other.context.close();
}

/** An alarm stays on the first page until somebody knows of it. */
export async function alarms(browser, admins) {
  const call = await caller(admins);
  const { results } = await call("GET", "/api/v2/identities/stubs");
  const { uuid, name } = results[0].objInfo;
  const identity = await call("GET", `/api/v2/identities/${uuid}`);
  const { context, page, complaints } = await open(browser);
  const answer = (response) => (route) => route.fulfill({ json: { success: true, errorCode: "Success", response } });
  const told = { uuid, kind: "IdentityRecovered", objectKind: "Identity", objectUuid: uuid, time: "2026-11-27T20:00:00Z" };
  const recovery = { recoveredAt: "2026-11-27T20:00:00Z", by: "Host", identities: [], reason: "lost" };
  await page.route((url) => url.pathname === "/api/v2/notices" && url.searchParams.get("kind") === told.kind, answer({ items: [told, told] }));
  await page.route((url) => url.pathname === `/api/v2/identities/${uuid}`, answer({ ...identity, recovery }));
  // A certificate without a subject has a name all the same.
  const nameless = { objInfo: { uuid, name: "" }, subject: "", serialNumber: "5E41A1", notAfter: new Date(Date.now() + 86_400_000).toISOString(), status: "Valid" };
  await page.route((url) => url.pathname === "/api/v2/x509" && url.searchParams.has("expiresBefore"), answer({ results: [nameless, { ...nameless, objInfo: { uuid, name: "DNS:only.example.org" } }], total: 2 }));
  await logIn(page, admins);
  for (const name of ["5E41A1", "DNS:only.example.org"]) await page.getByRole("link", { name }).waitFor();
  for (const hash of ["#/", "#/system"]) {
    await visit(page, hash);
    const alarm = page.locator("main .problem", { hasText: "was let in again on the host" });
    assert.equal(await alarm.getByRole("link", { name }).getAttribute("href"), `#/identities/${uuid}`);
    assert.equal(await alarm.count(), 1);
    assert.deepEqual(await axe(page), []);
  }
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Fifty requests a page, without end. */
async function endless(route) {
  const from = Number(new URL(route.request().url()).searchParams.get("after") ?? 0);
  const items = Array.from({ length: 50 }, (_, index) => ({ uuid: `00000000-0000-4000-8000-${String(from + index).padStart(12, "0")}`, name: `request ${from + index}`, serviceUuid: "00000000-0000-4000-8000-000000000000", state: "Signed", submittedAt: "2026-11-25T21:09:10Z" }));
  await route.fulfill({ json: { success: true, errorCode: "Success", response: { items, total: 100_000, next: String(from + 50) } } });
}

/** Going back leads to where one was, in the list and on the page; a section that one is in is shown anew. */
export async function places(browser, admins) {
  const { context, page } = await open(browser);
  await logIn(page, admins);
  await page.route((url) => url.pathname === "/api/v2/x509/signing-requests", endless);
  await visit(page, "#/signing/requests?state=Signed");
  const [next, previous] = [page.locator("a[rel=next]"), page.locator("a[rel=prev]")];
  const row = (number) => page.getByRole("link", { name: `request ${number}`, exact: true });
  assert.equal(await previous.count(), 0);
  for (const first of [50, 100]) await Promise.all([row(first).waitFor(), next.click()]);
  await previous.click();
  await row(85).click();
  await page.getByRole("heading", { name: "This cannot be shown" }).waitFor();
  await page.goBack();
  await row(50).waitFor();
  await settled(page);
  const isSeen = (element) => element.getBoundingClientRect().top > 0 && element.getBoundingClientRect().bottom < innerHeight;
  assert.deepEqual([await row(50).evaluate(isSeen), await row(85).evaluate(isSeen)], [false, true]);
  await previous.click();
  await row(0).waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);

  await visit(page, "#/system");
  await page.locator("main h1").evaluate((heading) => heading.setAttribute("data-old", ""));
  await page.getByRole("navigation").getByRole("link", { name: "System" }).click();
  await page.locator("main h1:not([data-old])").waitFor();
  await context.close();
}

/** Whoever logs out in one tab leaves nothing on the screen in another. */
export async function tabs(browser, approver) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver]);
  const second = await context.newPage();
  await second.goto(BASE);
  await second.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** A tab does nothing in the name of others who have logged in meanwhile: it says so, and shows who is here now. */
export async function otherSession(browser, admins, approver) {
  const [one, other] = [await open(browser), await open(browser)];
  const { context, page } = one;
  await logIn(page, [approver]);
  await logIn(other.page, admins);
  await context.addCookies(await other.context.cookies());
  const sent = [];
  page.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
  const code = await page.evaluate(async () => (await import("/console/api.js")).post("/api/v2/roles", {}).catch((error) => error.code));
  assert.deepEqual([code, sent], ["OtherSession", []]);
  const dialog = page.getByRole("dialog", { name: "Now logged in here" });
  await dialog.getByText("Nothing was done in this tab").waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Close" }).click();
  assert.match(await page.locator(".names").innerText(), new RegExp(admins[1].username));
  await one.context.close();
  await other.context.close();
}

/** Who has begun to log in in another tab is named before a second person types; a log-out that fails says so. */
export async function halfElsewhere(browser, admins) {
  const { context, page } = await open(browser);
  await page.goto(BASE);
  await page.getByLabel("Name").waitFor();
  const second = await context.newPage();
  await second.goto(BASE);
  await second.getByLabel("Name").fill(admins[0].username);
  await second.getByLabel("Password").fill(admins[0].password);
  await second.getByRole("button", { name: "Log in" }).click();
  await page.getByText(`${admins[0].username} has logged in.`).waitFor();
  const busy = (route) => route.fulfill({ status: 503, headers: { "retry-after": "1" }, json: { message: "Busy." } });
  await context.route("**/home/v1/logout", busy);
  await page.getByRole("button", { name: "Start over" }).click();
  const dialog = page.getByRole("dialog", { name: "You are not logged out yet" });
  await dialog.getByText("Busy.").waitFor();
  assert.deepEqual(await axe(page), []);
  await context.unroute("**/home/v1/logout", busy);
  await dialog.getByRole("button", { name: "Try again to log out" }).click();
  await page.getByText("has logged in.").waitFor({ state: "detached" });
  await second.getByText("has logged in.").waitFor({ state: "detached" });
  await context.close();
}

/** An answer that makes no sense is none, and the next one counts again; the page of a session that ended is hidden, then gone. */
export async function unreadable(browser, approver) {
  const { context, page } = await open(browser);
  await logIn(page, [approver]);
  const odd = (route) => route.fulfill({ contentType: "text/html", body: "<html>\n<head>\n" });
  for (const [path, told] of [["**/log/checkpoint", "no checkpoint that can be read"], ["**/readyz", "does not answer as it should"]]) {
    await page.route(path, odd);
    await look(page);
    await page.getByText(told).waitFor();
    await page.unroute(path, odd);
    await look(page);
    await page.getByText("entries under the signed checkpoint").waitFor();
  }
  await context.clearCookies();
  await look(page);
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  assert.equal(await page.locator("main").isVisible(), false);
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "Log in", exact: true }).waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  await page.route("**/home/v1/login", odd);
  await page.reload();
  await page.getByRole("heading", { name: "This cannot be shown" }).waitFor();
  await context.close();
}

/** A key that the page has made is not gone before somebody has it. */
export async function secrets(browser, admins) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, "/#/audit/targets/new");
  await page.getByLabel("Name", { exact: true }).fill("records elsewhere");
  await page.getByLabel("What it is").selectOption("webhook");
  await page.getByLabel("Address", { exact: true }).locator("visible=true").fill("https://127.0.0.1:9/records");
  await page.getByRole("button", { name: "Make one" }).click();
  const key = await page.getByLabel("Key or token").inputValue();
  await page.getByRole("button", { name: "New target" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(key).waitFor();
  await page.keyboard.press("Escape");
  await dialog.getByText("It is shown this once.").waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "I have kept it" }).click();
  await page.getByRole("heading", { name: "records elsewhere" }).waitFor();
  const call = await caller(admins);
  await call("DELETE", `/api/v2/audit/targets/${new URL(page.url()).hash.split("/").at(-1)}`);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** At 320 pixels nothing is cut off, also where the log has thousands of entries. */
export async function narrow(browser, admins) {
  const { context, page, complaints } = await open(browser, { viewport: { width: 320, height: 640 } });
  await page.route("**/log/checkpoint", (route) => route.fulfill({ body: "log.example/chancery\n2009000\nAAAA=\n" }));
  await logIn(page, admins);
  const told = page.getByText("2,009,000 entries under the signed checkpoint");
  // It is drawn anew when more is known, and has no place in between.
  let right = 0;
  for (const end = Date.now() + 10_000; right === 0 && Date.now() < end;) right = await told.evaluate((one) => one.getBoundingClientRect().right);
  assert.ok(right > 0 && right <= 320, `${right}`);
  assert.deepEqual(complaints, []);
  await context.close();
}
