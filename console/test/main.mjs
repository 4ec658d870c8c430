// The console in a real browser, against a real server: every journey, and what others try to do with it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer } from "node:https";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { archives, retention } from "./archives.mjs";
import { certificate } from "./certificate.mjs";
import { auditing } from "./auditing.mjs";
import { deploying } from "./deploying.mjs";
import { documentation } from "./docs.mjs";
import { fluidLists, fluidTree, pace } from "./fluid.mjs";
import { alarms, halfElsewhere, health, narrow, otherSession, places, secrets, switchedOff, tabs, triedAgain, unreadable } from "./health.mjs";
import { identities } from "./identities.mjs";
import { issuing } from "./issuing.mjs";
import { journal } from "./journal.mjs";
import { late } from "./late.mjs";
import { SCRIPT, plant, smallProgram } from "./planted.mjs";
import { ownPassword } from "./own-password.mjs";
import { people } from "./people.mjs";
import { rules } from "./rules.mjs";
import { directory } from "./directory.mjs";
import { providers } from "./providers.mjs";
import { secondFactor } from "./second-factor.mjs";
import { verifying } from "./verifying.mjs";
import { versions } from "./versions.mjs";
import { BASE, axe, caller, launch, logIn, open, settled, shoot, sizes, visit } from "./tools.mjs";

const state = JSON.parse(await readFile(process.env.CHANCERY_STATE, "utf8"));
const { admins, approver } = state;
let browser;
let planted;

before(async () => {
  browser = await launch();
  planted = await plant(state);
});
after(() => browser.close());

test("the first page is small, whole, and asks nobody else", async () => {
  const { context, page, complaints } = await open(browser);
  let bytes = 0;
  page.on("response", async (answer) => {
    const sizes = await answer.request().sizes();
    bytes += sizes.responseBodySize + sizes.responseHeadersSize;
  });
  const slower = await pace(browser, context);
  const cpu = await cpuOf(page);
  await page.goto(BASE);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  await settled(page);
  const busy = await cpu() / slower;
  console.log(`first page: ${Math.round(busy)} ms of the page's processor time, on a core ${slower.toFixed(2)} times as slow`);
  assert.ok(busy > 0 && busy < 300, `${busy} ms`);
  assert.ok(bytes > 10_000 && bytes < 80_000, `${bytes} bytes`);
  console.log(`first page: ${bytes} bytes`);
  assert.deepEqual(complaints, []);
  await context.close();
});

/** Asks the browser how long the page's thread has worked. */
async function cpuOf(page) {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await client.send("Performance.getMetrics");
    return 1000 * metrics.find((one) => one.name === "TaskDuration").value;
  };
}

test("two people log in, one after the other, and a reload keeps the session", async () => {
  const { context, page, complaints } = await open(browser);
  await page.goto(BASE);
  await page.getByLabel("Name").fill(admins[0].username);
  await page.getByLabel("Password").fill("not the password");
  await page.getByRole("button", { name: "Log in" }).click();
  const refused = await page.getByRole("alert").innerText();
  assert.match(refused, /^Not logged in\./);
  assert.doesNotMatch(refused, /session/i, "nobody was logged in yet");
  assert.equal(await page.getByLabel("Name").inputValue(), admins[0].username, "the name that was typed stays");
  await page.getByLabel("Password").fill(admins[0].password);
  await page.keyboard.press("Enter");
  await page.getByText("takes two people").waitFor();
  await shoot(page, "login-half-desktop-light");
  await page.reload();
  await page.getByText("takes two people").waitFor();
  await page.getByLabel("Name").fill(admins[1].username);
  await page.getByLabel("Password").fill(admins[1].password);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation").waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "What is there to do?" }).waitFor();
  const kept = await page.evaluate(() => [document.cookie, ...Object.keys(localStorage), ...Object.keys(sessionStorage)].join());
  assert.equal(kept, "", "no script can read what proves the session");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a password for one use sets another one, and logs nobody in", () => ownPassword(browser, admins));
test("one-time codes are set up, demanded, and taken away by others", () => secondFactor(browser, admins));

test("a person logs in by the certificate of the browser, where it was asked for one", () => certificate(browser, admins));

test("an identity provider is trusted, bound to an application, and both are taken back", () => providers(browser, admins));

test("a person logs in by the password of a directory", () => directory(browser, admins));

test("a root that is made issues, another is in the tree, and no certificate is of a key that nobody has", () => issuing(browser, admins, state.demo));

test("people and applications are made, keys are for some things alone, and what ends is said before", () => identities(browser, admins, state.demo));

test("audit records are filtered, and say what they are of", () => auditing(browser, admins));

test("for how long audit records are kept is set after a question, and wrong days are told at their field", () => retention(browser, admins));

test("audit records that are not at hand any more are in archives, each a file to download", () => archives(browser, admins));

test("a new version of a key is asked about where tokens do not tell theirs", () => versions(browser, admins, approver));

test("who had a token is asked of the journal, and whether that is all", () => journal(browser, admins, state.demo));

test("people log in by an identity provider, alone and as one of two", () => people(browser, admins));

test("a service is deployed, and a change of its policy waits", () => deploying(browser, admins));

test("the interface is found, tried and read at /docs", () => documentation(browser, admins));

test("whoever came after a request sees that it is for others to approve", () => late(browser, admins, planted.strict));

test("two people approve from two browsers, and the second approval signs", async () => {
  const call = await caller(admins);
  const { uuid } = await call("POST", "/api/v2/x509/signing-requests", {
    name: "two approvals.tar", serviceUuid: planted.strict.serviceUuid, policyUuid: planted.strict.policyUuid, uploadData: Buffer.from("two").toString("base64"),
  });
  const hash = `#/approvals/request/${uuid}`;
  for (const [index, who] of [approver, planted.secondApprover].entries()) {
    const { context, page, complaints } = await open(browser);
    await logIn(page, [who]);
    await visit(page, "#/approvals");
    await page.getByRole("link", { name: "two approvals.tar" }).click();
    await page.getByText("Uploaded: 3 bytes").waitFor();
    assert.equal(new URL(page.url()).hash, hash);
    if (index === 0) await comparesFiles(page);
    await page.getByRole("textbox", { name: /^Note/ }).fill(`looked at by ${who.username}`);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("status").getByText("Done: Approve").waitFor();
    if (index === 0) await page.getByText("you have approved it already").waitFor();
    else await page.getByRole("heading", { name: "What came of it" }).waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  }
  const request = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
  assert.deepEqual([request.state, request.approvals.map((one) => one.note)], ["Signed", [`looked at by ${approver.username}`, "looked at by approver-2"]]);
});

test("many of one policy are approved by one decision, which says what it is of", async () => {
  const call = await caller(admins);
  const uuids = [];
  for (const name of ["one of many.tar", "two of many.tar", "left out.tar"]) {
    const { uuid } = await call("POST", "/api/v2/x509/signing-requests", {
      name, serviceUuid: planted.strict.serviceUuid, policyUuid: planted.strict.policyUuid, uploadData: Buffer.from(name).toString("base64"),
    });
    uuids.push(uuid);
  }
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver]);
  await visit(page, `#/approvals/policy/${planted.strict.policyUuid}`);
  // What is not as it seems is not chosen beforehand.
  assert.equal(await page.getByLabel("Decide on left out.tar").isChecked(), true);
  const odd = page.getByRole("row").filter({ hasText: "upload <img" });
  await odd.getByText("Look twice").waitFor();
  assert.equal(await odd.getByRole("checkbox").isChecked(), false);
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  await page.getByText("No request is chosen.").waitFor();
  for (const name of ["one of many.tar", "two of many.tar"]) await page.getByLabel(`Decide on ${name}`).check();
  await page.getByText("decision on 2 requests").waitFor();
  const [text, shown] = [await page.locator(".decide pre").innerText(), await page.locator(".decide [data-digest]").getAttribute("data-digest")];
  const printed = execFileSync("sha256sum", { input: `${text.trimEnd()}\n` }).toString().slice(0, 64);
  assert.equal(shown, printed);
  assert.deepEqual(text.trimEnd().split("\n").slice(3).map((line) => line.slice(66)).sort(), uuids.slice(0, 2).sort());
  await page.getByLabel("Note").fill("all of them");
  // Neither the note nor the decision begins anew when another row is chosen, or when the page is shown anew.
  await page.getByLabel("Decide on left out.tar").check();
  await page.getByRole("button", { name: "Deny 3 requests …" }).waitFor();
  await page.getByLabel("Decide on left out.tar").uncheck();
  await page.getByRole("button", { name: "Deny 2 requests …" }).waitFor();
  await page.getByRole("button", { name: "Approve 2 requests" }).click();
  await page.getByLabel("Decide on one of many.tar").and(page.locator(":not(:checked)")).waitFor();
  const read = await Promise.all(uuids.map((uuid) => call("GET", `/api/v2/x509/signing-requests/${uuid}`)));
  const told = read.map(({ approvals }) => approvals.map((one) => [one.note, one.statement.rows, Buffer.from(one.statement.digest, "base64").toString("hex")]));
  const own = [["all of them", 2, printed]];
  assert.deepEqual(told, [own, own, []]);
  await deniedAsOne(page, call, uuids[2]);
  assert.deepEqual(complaints, []);
  await context.close();
});

/** Denying asks once more; a refusal names the request as its row does; and other content under a denied name is not chosen beforehand. */
async function deniedAsOne(page, call, uuid) {
  const at = await page.evaluate(() => location.hash);
  const { serviceUuid, policyUuid } = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
  const submit = (name, content) => call("POST", "/api/v2/x509/signing-requests", { name, serviceUuid, policyUuid, uploadData: Buffer.from(content).toString("base64") });
  const gone = await submit("gone meanwhile.tar", "gone");
  await visit(page, at);
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  for (const name of ["left out.tar", "gone meanwhile.tar"]) await page.getByLabel(`Decide on ${name}`).check();
  await page.getByLabel("Note").fill("not these");
  const other = await caller([planted.secondApprover]);
  await other("POST", `/api/v2/x509/signing-requests/${gone.uuid}/deny`, {});
  await page.getByRole("button", { name: "Deny 2 requests …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("not these").waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Deny these 2" }).click();
  await dialog.getByText("“gone meanwhile.tar”").waitFor();
  await dialog.getByRole("button", { name: "Show the requests anew" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByLabel("Decide on gone meanwhile.tar").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Note").inputValue(), "not these");
  for (const box of await page.getByRole("checkbox").all()) await box.uncheck();
  await page.getByLabel("Decide on left out.tar").check();
  await page.getByRole("button", { name: "Deny one request …" }).click();
  await dialog.getByRole("button", { name: "Deny it" }).click();
  await page.getByLabel("Decide on left out.tar").waitFor({ state: "detached" });
  assert.equal((await call("GET", `/api/v2/x509/signing-requests/${uuid}`)).state, "Denied");
  const again = await submit("left out.tar", "other content");
  await visit(page, at);
  await page.getByRole("row").filter({ hasText: "left out.tar" }).getByText("An earlier request").waitFor();
  assert.equal(await page.getByLabel("Decide on left out.tar").isChecked(), false);
  await other("POST", `/api/v2/x509/signing-requests/${again.uuid}/deny`, { note: "not this either" });
  // Nor is the same content under another name.
  const renamed = await submit("renamed.tar", "other content");
  await visit(page, at);
  await page.getByRole("row").filter({ hasText: "renamed.tar" }).getByText("They said: not this either").waitFor();
  assert.equal(await page.getByLabel("Decide on renamed.tar").isChecked(), false);
  await other("POST", `/api/v2/x509/signing-requests/${renamed.uuid}/deny`, {});
}

/** Drops files on the page: the right one, and another. */
async function comparesFiles(page) {
  const choose = page.getByLabel("A file to compare");
  await choose.setInputFiles({ name: "mine.tar", mimeType: "application/x-tar", buffer: Buffer.from("two") });
  await page.getByText("mine.tar is the file that shall be signed").waitFor();
  await choose.setInputFiles({ name: "other.tar", mimeType: "application/x-tar", buffer: Buffer.from("too") });
  await page.getByText("other.tar is another file").waitFor();
  await choose.setInputFiles({ name: "photo\u202Egpj.exe", mimeType: "application/x-tar", buffer: Buffer.from("too") });
  await page.getByText("photo[U+202E]gpj.exe is another file").waitFor();
  const shown = await page.locator("[data-digest]").first().getAttribute("data-digest");
  await page.getByLabel("Digest to compare").fill(shown.toUpperCase());
  await page.getByText("It is the digest shown above.").waitFor();
  await page.getByLabel("Digest to compare").fill(shown.replace(/^./, (digit) => (digit === "0" ? "1" : "0")));
  await page.getByText("It is another digest").waitFor();
}

test("programs and scripts are compared by what their formats sign, as the server does it", async () => {
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver]);
  const program = smallProgram();
  // Neither the checksum nor a signature at the end is signed; everything else is.
  const resummed = Buffer.from(program);
  resummed.writeUInt32LE(0x12345678, 64 + 24 + 64);
  const other = Buffer.from(program);
  other[other.length - 1] ^= 1;
  const payload = Buffer.concat([program, Buffer.alloc(3), Buffer.alloc(16, 0x41)]);
  payload.writeUInt32LE(payload.length - 16, 64 + 24 + 144);
  payload.writeUInt32LE(16, 64 + 24 + 148);
  const same = "The part of {} that Authenticode signs is the same.";
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(SCRIPT, "utf16le")]);
  const cases = [
    [planted.requests.programDigest, [[program, `${same} Of the rest of the file nothing is known here`], [resummed, same], [payload, "Your copy has a certificate table"], [other, "{} is another file"], [Buffer.from("MZ no program"), "none of Authenticode"]]],
    [planted.requests.programClaimed, [[program, "{} is the file that the submitter means, byte for byte"], [resummed, `${same} The file as a whole is another`], [payload, `${same} The file as a whole is another`]]],
    [planted.requests.scriptDigest, [[Buffer.from(SCRIPT), "The part of {} that PowerShell signs is the same."], [Buffer.from(`${SCRIPT}#`), "{} is another file"], [utf16, "{} is another file"]]],
  ];
  for (const [uuid, files] of cases) {
    await visit(page, `#/approvals/request/${uuid}`);
    for (const [index, [buffer, verdict]] of files.entries()) {
      await page.getByLabel("A file to compare").setInputFiles({ name: `copy ${index}`, mimeType: "application/octet-stream", buffer });
      const told = page.locator(".verdict");
      await told.filter({ hasText: verdict.replace("{}", `copy ${index}`) }).waitFor();
      assert.equal(await told.getByText("byte for byte").count(), verdict.includes("byte for byte") ? 1 : 0, verdict);
    }
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what changed since the page was opened is not approved", async () => {
  const call = await caller(admins);
  const { uuid } = await call("POST", "/api/v2/x509/signing-requests", {
    name: "changes.tar", serviceUuid: planted.strict.serviceUuid, policyUuid: planted.strict.policyUuid, digest: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
  });
  const { context, page } = await open(browser);
  await logIn(page, [approver], `/#/approvals/request/${uuid}`);
  await page.getByText("nobody here has seen the file").waitFor();
  const other = await caller([planted.secondApprover]);
  await other("POST", `/api/v2/x509/signing-requests/${uuid}/approve`, {});
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("has changed since it was opened").waitFor();
  const request = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
  assert.equal(request.approvals.length, 1);

  await page.locator(".decide").getByRole("button", { name: "Show" }).click();
  await page.getByText("One more approval is needed").waitFor();
  await page.getByLabel("Note").fill("not this one");
  await page.getByRole("button", { name: "Deny …" }).click();
  const dialog = page.getByRole("dialog", { name: "Deny changes.tar?" });
  await dialog.getByText("not this one").waitFor();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Deny it" }).click();
  await page.locator(".lines-list").getByText("not this one").waitFor();
  assert.equal((await call("GET", `/api/v2/x509/signing-requests/${uuid}`)).state, "Denied");
  await context.close();
});

test("a profile is made with a preview, and a rule denies", async () => {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, "/#/tokenization/new");
  await page.getByText("As soon as the format is complete").waitFor();
  assert.equal(await page.locator("main .problem").count(), 0, "nothing was typed yet");
  await page.getByLabel("Begin with").selectOption("card number keep last 4");
  await page.getByLabel("Name", { exact: true }).fill("made in the console");
  await page.getByLabel("Samples, one a line").fill("4111 1111 1111 1111\nno card");
  const preview = page.getByRole("table", { name: "What becomes of samples" });
  const token = preview.getByRole("row").nth(1).getByRole("cell").first();
  await token.waitFor();
  assert.match(await token.innerText(), /^\d{4} \d{4} \d{4} 1111$/);
  await page.getByLabel("Shortest").fill("3");
  const wrong = page.locator(".problem");
  await wrong.getByText("Trailing symbols in clear:").waitFor();
  assert.match(await wrong.innerText(), /together are less than “Shortest”\.$/, "in the words of the page, and without an id of the log");
  await page.getByRole("button", { name: "Make the profile" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Shortest").fill("13");
  await page.getByRole("button", { name: "Make the profile" }).click();
  await page.getByRole("heading", { name: "made in the console" }).waitFor();

  await page.getByText("No rule lets you do anything with it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Ask for approvals" }).count(), 0);
  await page.getByRole("button", { name: "Change the rules" }).click();
  await page.getByLabel("Administrator: Tokenize").check();
  await page.locator(".effect.widens").getByText(/identities gain Tokenize \(2 logins\): .*Admin/).waitFor();
  const partial = page.getByRole("group", { name: "Detokenize in part" });
  assert.equal(await partial.getByLabel("Symbols that are shown").isVisible(), false, "a mask by its name has no number");
  await partial.getByLabel("Role").selectOption("Administrator");
  await partial.getByLabel("What is shown").selectOption("the first six and the last four");
  await partial.getByRole("button", { name: "Add" }).click();
  await partial.getByLabel("What is shown").selectOption("so many symbols of one end");
  await partial.getByLabel("Symbols that are shown").fill("2");
  await partial.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: "Replace the rules" }).click();
  await page.getByRole("table", { name: "Who may do what" }).locator(".state.good").first().waitFor();
  await page.getByText("the first six and the last four, the rest *").first().waitFor();
  await page.getByText("the last 2, the rest *").first().waitFor();
  await page.getByLabel("Message").fill("4111 1111 1111 1111");
  await page.getByRole("button", { name: "Tokenize", exact: true }).click();
  await page.locator("output code").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("rules are not lost, and detokenizing after approvals is led to", () => rules(browser, admins, approver));

test("whoever changes who may do what sees who gains and who loses it", async () => {
  const call = await caller(admins);
  const role = await call("POST", "/api/v2/roles", { name: "clerks", loginsRequired: 1, perms: [] });
  const clerk = await call("POST", "/api/v2/identities", { name: "a clerk", kind: "Application", roleUuids: [role.uuid] });
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  const [widens, effect] = [page.locator(".effect.widens"), page.locator(".effect")];

  await visit(page, `#/identities/role/${role.uuid}`);
  await page.getByRole("link", { name: "a clerk" }).waitFor();
  assert.equal(await effect.count(), 0, "nothing is edited yet");
  await page.getByLabel("submit signing requests").check();
  await widens.getByText("1 identity gains submit signing requests: a clerk").waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("submit signing requests").uncheck();
  await effect.getByText("Nobody gains or loses a right").waitFor();
  assert.equal(await widens.count(), 0);

  await visit(page, `#/identities/${clerk.uuid}`);
  await page.getByLabel("Approver (one login)").check();
  await widens.getByText("1 identity gains approve and deny: a clerk").waitFor();
  await page.getByLabel("Approver (one login)").uncheck();
  await page.getByLabel("clerks (one login)").uncheck();
  await page.getByText("An identity has at least one role.").waitFor();
  assert.equal(await effect.count(), 0, "what would be refused has no effect");

  const path = `/api/v2/x509/services/${state.demo.releaseServiceUuid}/signing-policies`;
  const { pendingChange } = await call("POST", path, { name: "a new policy", numApprovals: 1, hashAlgorithm: "Sha2_256" });
  await visit(page, `#/approvals/proposal/${pendingChange.uuid}`);
  await page.locator(".warnings").getByText("Somebody will be able to do more").waitFor();
  await widens.getByText(/gain submit signing requests \(of a new policy\)/).first().waitFor();
  assert.equal(await page.getByText("Fewer approvals are demanded").count(), 0, "there was none before");
  await visit(page, `#/approvals/proposal/${planted.proposals.laxer}`);
  await widens.getByText("Fewer approvals are demanded: 0 instead of 1.").waitFor();
  assert.deepEqual(await axe(page), []);
  await call("POST", `/api/v2/x509/proposals/${pendingChange.uuid}/withdraw`, {});
  await call("DELETE", `/api/v2/identities/${clerk.uuid}`);
  await call("DELETE", `/api/v2/roles/${role.uuid}`);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("approvers see what is inside of an upload, and what is new in a manifest", async () => {
  const call = await caller(admins);
  const submit = async (items) => (await call("POST", "/api/v2/x509/signing-requests", {
    name: "release of files", serviceUuid: state.demo.serviceUuid, policyUuid: state.demo.policyUuid,
    items: Object.entries(items).map(([name, content]) => ({ name, digest: createHash("sha256").update(content).digest("base64") })),
  })).uuid;
  await submit({ same: "1", other: "1", gone: "1" });
  const second = await submit({ same: "1", other: "2", "<img src=x onerror=alert(1)>": "1" });
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver]);
  await visit(page, `#/approvals/request/${planted.requests.program}`);
  for (const text of ["Script", "1 line", "No signature in it yet"]) await page.getByText(text, { exact: true }).waitFor();
  await visit(page, `#/approvals/request/${second}`);
  await page.getByText("1 new, 1 with another digest, 1 the same, 1 gone").waitFor();
  const rows = page.locator("main tbody tr").filter({ has: page.locator(".digest") });
  const marks = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  assert.deepEqual(marks.map((text) => /<img src=x onerror=alert\(1\)> new|other another digest|same the same/.exec(text)?.[0]),
    ["<img src=x onerror=alert(1)> new", "other another digest", "same the same"]);
  await page.getByText("1 name that is gone").click();
  await page.getByText("gone", { exact: true }).waitFor();
  assert.deepEqual(await axe(page), []);
  await shoot(page, "request-manifest-changes-desktop-light");
  await visit(page, `#/approvals/request/${planted.requests.manifest}`);
  await page.getByText("No manifest has been signed under this policy before: all names are new.").waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what changes meanwhile is announced, and waits until it is asked for", async () => {
  const call = await caller(admins);
  const submit = async (name) => (await call("POST", "/api/v2/x509/signing-requests", {
    name, serviceUuid: planted.strict.serviceUuid, policyUuid: planted.strict.policyUuid, uploadData: Buffer.from(name).toString("base64"),
  })).uuid;
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver]);
  await visit(page, "#/approvals");
  await page.locator(".changes[data-live]").waitFor({ state: "attached" });
  const before = await page.locator("main tbody th").allInnerTexts();
  const first = await submit("comes meanwhile.tar");
  await page.getByText("1 new").waitFor();
  assert.deepEqual(await page.locator("main tbody th").allInnerTexts(), before, "nothing moves by itself");
  assert.deepEqual(await axe(page), []);
  await shoot(page, "approvals-new-desktop-light");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("link", { name: "comes meanwhile.tar" }).waitFor();
  await page.locator(".changes[data-live]").waitFor({ state: "attached" });
  assert.deepEqual(complaints, []);

  await visit(page, `#/approvals/request/${first}`);
  await page.locator(".changes[data-live]").waitFor({ state: "attached" });
  await page.getByLabel("Note").fill("typed before");
  const other = await caller([planted.secondApprover]);
  await other("POST", `/api/v2/x509/signing-requests/${first}/approve`, {});
  await page.getByText("Something of this has changed.").waitFor();
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("One more approval is needed").waitFor();
  assert.equal(await page.getByLabel("Note").inputValue(), "typed before");
  assert.deepEqual(complaints, []);

  // The connection is lost, and something happens until it stands again.
  await visit(page, "#/approvals");
  await page.route((url) => url.pathname === "/api/v2/notices" && url.search === "", (route) => route.abort());
  await page.reload();
  await page.getByText("Changes are not announced just now").waitFor();
  assert.deepEqual(await page.locator(".problem").allInnerTexts(), []);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.locator(".changes[data-live]").waitFor({ state: "attached" });
  await call("POST", `/api/v2/x509/signing-requests/${first}/withdraw`, {});
  await page.getByText("1 new").waitFor();
  await context.close();
});

test("a file is submitted as its digest, and found again by what was said of it", async () => {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, "/#/signing/submit");
  const bodies = [];
  page.on("request", (request) => request.url().endsWith("/signing-requests") && bodies.push(request.postData()));
  await page.getByLabel("File").setInputFiles({ name: "release.tar", mimeType: "application/x-tar", buffer: Buffer.from("does not travel") });
  await page.getByLabel("Service").selectOption({ label: "demo releases" });
  await page.getByLabel("Note").fill("a needle in the hay");
  await page.getByText("Only the digest will travel").waitFor();
  await page.getByRole("button", { name: "Submit a file" }).click();
  await page.getByRole("heading", { name: "Sign release.tar?" }).waitFor();
  assert.equal(bodies.length, 1);
  assert.ok(!bodies[0].includes("uploadData") && bodies[0].includes('"digest"'), bodies[0]);

  await visit(page, "#/signing/requests");
  await page.keyboard.press("/");
  await page.keyboard.type("needle");
  await page.keyboard.press("Enter");
  // The list that was there had more rows; it is gone once the answer has come.
  await page.locator("tbody tr").nth(1).waitFor({ state: "detached" });
  assert.deepEqual(await page.locator("tbody th").allInnerTexts(), ["release.tar"]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("who is told is made, tried, changed and removed, and what was told is found", async () => {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await page.getByRole("heading", { name: "What was told?" }).waitFor();
  await page.getByRole("link", { name: "New target" }).click();
  await page.getByRole("heading", { name: "New target" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("chat of the releases");
  await page.getByLabel("By").selectOption("email");
  await page.getByLabel("E-mail address").fill("nobody");
  await page.getByRole("button", { name: "New target" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  assert.equal(await page.getByLabel("E-mail address").getAttribute("aria-invalid"), "true");
  await page.getByLabel("By").selectOption("webhook");
  await page.getByLabel("Address", { exact: true }).fill("http://hooks.example.org/");
  await page.getByRole("button", { name: "Make one" }).click();
  assert.match(await page.getByLabel("Key that signs notices").inputValue(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  await page.getByLabel("denied").check();
  await page.getByRole("button", { name: "New target" }).click();
  await page.locator("[aria-invalid=true]:visible").waitFor();
  assert.equal(await page.getByLabel("Address", { exact: true }).getAttribute("aria-invalid"), "true");
  await page.getByLabel("Address", { exact: true }).fill("https://127.0.0.1:9/hook");
  await page.getByRole("button", { name: "New target" }).click();
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.getByRole("heading", { name: "chat of the releases" }).waitFor();
  await page.getByText("has received nothing yet").waitFor();
  await page.getByRole("button", { name: "Send a test now" }).click();
  await page.getByText("It could not be sent.").waitFor();
  await page.getByText("is no public address").waitFor();
  await page.locator(".head").getByText("the last test failed").waitFor();
  await page.getByLabel("Gets notices").uncheck();
  await page.getByLabel("failed", { exact: true }).check();
  await page.getByRole("button", { name: "Change the target" }).click();
  await page.locator(".head .state", { hasText: "disabled" }).waitFor();
  await page.getByText("denied, failed").waitFor();
  await page.getByText("https://127.0.0.1:9/hook").waitFor();
  await page.getByRole("button", { name: "Delete …" }).click();
  await page.getByRole("dialog").getByLabel("Type chat of the releases to confirm").fill("chat of the releases");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "What was told?" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(await page.getByText("chat of the releases").count(), 0);
  await visit(page, "#/audit?action=NoticeTargetTest");
  await page.getByRole("row").filter({ hasText: "chat of the releases" }).getByText("not delivered").waitFor();
  await mailTargets(page);

  await visit(page, `#/notices/target/${planted.target}`);
  await page.getByText("is no public address").first().waitFor();
  await visit(page, "#/notices?kind=Waiting");
  await page.getByRole("link", { name: "Request upload <img src=x" }).click();
  await page.getByRole("heading", { name: /^Sign upload/ }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();

  const other = await open(browser);
  await logIn(other.page, [planted.auditor], "/#/notices");
  await other.page.getByRole("heading", { name: "What was told?" }).waitFor();
  assert.equal(await other.page.getByRole("heading", { name: "Who is told" }).count(), 0);
  assert.equal(await other.page.getByRole("link", { name: /^Request / }).count(), 0, "requests are not for auditors");
  assert.deepEqual(other.complaints, []);
  await other.context.close();
});

test("a mailbox of one's own is confirmed by the code that was mailed, and removed", async () => {
  const address = "approver@example.org";
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver], "/#/notices");
  await page.getByRole("heading", { name: "My mailbox" }).waitFor();
  await page.getByText("Set an address").click();
  await page.getByLabel("Address", { exact: true }).fill("nobody");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Address", { exact: true }).fill(address);
  await page.getByLabel("waits for approvals", { exact: true }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(`A code was mailed to ${address}.`).waitFor();
  const mail = await readFile(`${process.env.CHANCERY_MAILS}/${address}`, "utf8");
  const [, code] = /^ {4}(\S+)$/m.exec(mail);
  await page.getByLabel("Code of the mail").fill("no code");
  await page.getByRole("button", { name: "Confirm the address" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await page.getByLabel("Code of the mail").fill(code.toLowerCase());
  await page.getByRole("button", { name: "Confirm the address" }).click();
  await page.getByText("Confirmed", { exact: true }).waitFor();
  assert.equal(await page.getByLabel("Code of the mail").count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();

  const others = await open(browser);
  const call = await caller(admins);
  const { results } = await call("GET", `/api/v2/identities/stubs?search=${approver.username}`);
  await logIn(others.page, admins, `/#/identities/${results[0].objInfo.uuid}`);
  await others.page.getByRole("heading", { name: "Mailbox" }).waitFor();
  await others.page.getByText(address).waitFor();
  assert.equal(await others.page.getByRole("button", { name: "Save" }).count(), 0, "nobody sets another's");
  await others.page.getByRole("button", { name: "Remove the mailbox …" }).click();
  await others.page.getByRole("dialog").getByLabel(`Type ${approver.username} to confirm`).fill(approver.username);
  await others.page.getByRole("dialog").getByRole("button", { name: "Remove the mailbox" }).click();
  await others.page.getByText("No address was confirmed.").waitFor();
  assert.deepEqual(others.complaints, []);
  await others.context.close();
});

/** A target by e-mail is tried out when it is made: the server may send no mails. */
async function mailTargets(page) {
  const call = await caller(admins);
  const refuse = (route) => route.fulfill({ json: { success: true, errorCode: "Success", response: { uuid: "x", delivered: false, answer: "no relay" } } });
  for (const [handler, told, isDone] of [[undefined, "A test was sent, and the relay took it.", 1], [refuse, "a test could not be sent to it", 0]]) {
    if (handler) await page.route("**/api/v2/notice-targets/*/test", handler);
    await visit(page, "#/notices/target/new");
    await page.getByLabel("Name", { exact: true }).fill("mails of the releases");
    await page.getByLabel("By").selectOption("email");
    await page.getByLabel("E-mail address").fill("releases@example.org");
    await page.getByRole("button", { name: "New target" }).click();
    await page.locator(".done").getByText(told).waitFor();
    assert.equal(await page.getByText("Done: New target").count(), isDone);
    await call("DELETE", `/api/v2/notice-targets/${new URL(page.url()).hash.split("/").at(-1)}`);
  }
  await page.unrouteAll();
}

test("the last day is drawn, and says in words what it shows", async () => {
  const call = await caller(admins);
  await call("POST", `/api/v2/token-profiles/${state.demo.tokenProfileUuid}/tokenize`, { message: "4111111111111111" });
  const { hours } = await call("GET", "/api/v2/activity");
  const sum = (member) => hours.reduce((all, hour) => all + hour[member], 0);
  const counts = ["tokenized", "detokenized", "signed", "issued"].map(sum);
  assert.ok(counts[0] > 0 && counts[2] > 0 && counts[3] > 3, `${counts}`);
  const { context, page, complaints } = await open(browser);
  await logIn(page, [approver]);
  const section = page.locator("section", { hasText: "Last 24 hours" });
  const height = (await section.boundingBox()).height;
  await settled(page);
  assert.equal((await section.boundingBox()).height, height, "nothing moves when it has been read");
  const written = new Intl.NumberFormat("en-GB");
  const [tokenized, detokenized, signed, issued] = counts.map((count) => written.format(count));
  const texts = [`Tokenized: ${tokenized}`, `Detokenized: ${detokenized}`, `Signatures: ${signed}`, `Certificates: ${issued}`];
  assert.deepEqual(await section.locator("figcaption span").allInnerTexts(), texts);
  const label = (text) => `${text} in the last 24 hours`;
  const labels = await section.getByRole("img").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.deepEqual(labels, [`${texts[0]}, ${texts[1]}`, texts[2], texts[3]].map(label));
  assert.equal(await section.locator("svg g").count(), 3 * 24);
  const hour = section.locator("svg").nth(1).locator("g", { has: page.locator(".bar") }).last();
  assert.match(await hour.locator("title").textContent(), /^\d\d:00–\d\d:00: Signatures: \d+$/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("how the server is, is said as long as a page is open, also when it is gone", () => health(browser, admins, planted.archive, planted.target));
test("what is not available for a moment is read again by itself", () => triedAgain(browser, admins));
test("API access is switched off after a question, and everybody hears how it is switched on", () => switchedOff(browser, admins, approver));
test("who was let in again on the host is an alarm on the first page", () => alarms(browser, admins));
test("going back leads to the place where one was, and a section is shown anew", () => places(browser, admins));
test("a logout in another tab is one in all", () => tabs(browser, approver));
test("a tab does nothing under another session than the one that it shows", () => otherSession(browser, admins, approver));
test("who is half logged in elsewhere is named, and a log-out that fails says so", () => halfElsewhere(browser, admins));
test("what cannot be read is not called well, and a page whose session ended is not readable", () => unreadable(browser, approver));
test("a key for audit records is shown until somebody has it", () => secrets(browser, admins));
test("on the narrowest screen nothing is cut off", () => narrow(browser, admins));

test("what came of a request is downloaded as it is", async () => {
  const call = await caller(admins);
  const request = await call("GET", `/api/v2/x509/signing-requests/${planted.requests.signed}`);
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, `/#/approvals/request/${planted.requests.signed}`);
  const saved = async (name) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    names.push(file.suggestedFilename());
    return readFile(await file.path());
  };
  const names = [];
  assert.equal((await saved("Signature")).toString("base64"), request.signature);
  const bundle = JSON.parse(await saved("Bundle with the proof"));
  assert.deepEqual([bundle.response.uuid, bundle.response.inclusionProof.index], [request.uuid, request.inclusionProof.index]);
  assert.deepEqual(names, ["signed_img_src_x_onerror_alert_1_.p7s", "signed_img_src_x_onerror_alert_1_.chancery.json"]);
  await visit(page, `#/certificates/${planted.certificate}`);
  assert.match(String(await saved("PEM")), /^-----BEGIN CERTIFICATE-----/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("signatures are verified in the browser, with the verdicts of chancery verify", () => verifying(browser, admins, state.demo));

test("a list of 100,000 requests is fluid", () => fluidLists(browser, admins));

test("a tree of 10,000 authorities is fluid, and opened by keyboard", () => fluidTree(browser, admins));

test("by keyboard alone", async () => {
  const { context, page } = await open(browser);
  await logIn(page, admins);
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: "Who vouches for whom?" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1", "the new heading is read out");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.goBack();
  await page.getByRole("heading", { name: "What is there to do?" }).waitFor();
  await context.close();
});

test("a session that ended is begun anew over the page, and what was typed stays", async () => {
  const { context, page } = await open(browser);
  await logIn(page, [approver], `/#/approvals/request/${planted.requests.upload}`);
  await page.getByLabel("Note").fill("typed before");
  await context.clearCookies();
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.getByLabel("Name").fill(approver.username);
  await dialog.getByLabel("Password").fill(approver.password);
  await dialog.getByRole("button", { name: "Log in" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Note").inputValue(), "typed before");
  // A page that could not be read is read once somebody has logged in.
  await context.clearCookies();
  await page.evaluate(() => (location.hash = "#/approvals"));
  await dialog.getByLabel("Name").fill(approver.username);
  await dialog.getByLabel("Password").fill(approver.password);
  await dialog.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "What waits for approvals?" }).waitFor();
  await context.close();
});

test("while the server cannot be reached, a page says so and can be tried again", async () => {
  const { context, page } = await open(browser);
  await logIn(page, [approver]);
  await visit(page, "#/approvals");
  await context.setOffline(true);
  await page.evaluate(() => (location.hash = "#/approvals?after=x"));
  await page.getByText("cannot be reached").waitFor();
  await context.setOffline(false);
  await page.evaluate(() => (location.hash = "#/approvals"));
  await page.getByRole("heading", { name: "What waits for approvals?" }).waitFor();
  await context.close();
});

test("who may do little sees pages that answer, and nothing that is refused", async () => {
  const { context, page, complaints } = await open(browser);
  await logIn(page, [planted.auditor]);
  const sections = await page.getByRole("navigation").getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  assert.ok(sections.includes("#/audit") && !sections.includes("#/identities"), sections.join());
  for (const section of [...sections, `#/tokenization/profile/${planted.profile}`]) {
    await visit(page, section);
    assert.deepEqual(await page.locator(".problem").allInnerTexts(), [], section);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a page of another origin can neither use the session nor frame the console", async () => {
  const { context, page } = await open(browser);
  await logIn(page, admins);
  // On another port of the same host: of the same site, so that the browser sends the cookie along.
  const [key, cert] = await Promise.all([readFile(process.env.CHANCERY_OTHER_KEY), readFile(process.env.CHANCERY_OTHER_CERT)]);
  const foreign = createServer({ key, cert }, (_, answer) => answer.setHeader("content-type", "text/html").end(`<!doctype html><title>evil</title><iframe src="${BASE}/" id="frame"></iframe>`));
  await new Promise((listening) => foreign.listen(0, "127.0.0.1", listening));
  const evil = await context.newPage();
  const blocked = [];
  evil.on("console", (message) => blocked.push(message.text()));
  await evil.goto(`https://127.0.0.1:${foreign.address().port}/`);
  const tried = await evil.evaluate(async (base) => {
    const attempt = (path, call) => fetch(base + path, { credentials: "include", ...call }).then((answer) => `${answer.type} ${answer.status}`, () => "refused");
    const name = JSON.stringify({ name: "made by another origin", loginsRequired: 1, perms: [] });
    return [
      await attempt("/api/v2/roles/stubs", {}),
      await attempt("/api/v2/roles", { method: "POST", body: name }),
      await attempt("/api/v2/roles", { method: "POST", body: name, headers: { "content-type": "application/json" } }),
      await attempt("/api/v2/roles", { method: "POST", body: name, mode: "no-cors" }),
      await attempt("/home/v1/logout", { method: "POST", mode: "no-cors" }),
    ];
  }, BASE);
  assert.deepEqual(tried.slice(0, 3), ["refused", "refused", "refused"]);
  assert.ok(blocked.some((text) => /frame/i.test(text)), blocked.join("\n"));
  foreign.close();
  await page.reload();
  await page.getByRole("heading", { name: "What is there to do?" }).waitFor();
  await visit(page, "#/identities");
  assert.equal(await page.getByText("made by another origin").count(), 0);
  await context.close();
});

test("nothing on the page can make a script of a text", async () => {
  const { context, page } = await open(browser);
  await page.goto(BASE);
  await page.getByRole("heading", { name: "Log in" }).waitFor();
  const tried = await page.evaluate(() => ["innerHTML", "outerHTML"].map((name) => {
    try {
      document.createElement("div")[name] = "<b>x</b>";
      return "done";
    } catch (error) {
      return error.name;
    }
  }));
  assert.deepEqual(tried, ["TypeError", "TypeError"]);
  await context.close();
});
