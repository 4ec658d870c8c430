// Passkeys in a real browser: made by a person, confirmed by others, an approval that one of them signs, which holds without the
// installation, and a login for a role that demands one. Run against a server whose public origin is a DNS name, since passkeys know no addresses.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { code, now } from "./second-factor.mjs";
import { BASE, WHOLE, axe, caller, launch, logIn, open, settled, shoot, visit } from "./tools.mjs";

const { admins, approver, demo } = JSON.parse(await readFile(process.env.CHANCERY_STATE, "utf8"));
const FOLDER = process.env.CHANCERY_FOLDER;
let browser;

before(async () => {
  // The browser has to hold the server's certificate for good: there are no passkeys on pages with a fault.
  browser = await launch(WHOLE, [`--ignore-certificate-errors-spki-list=${process.env.CHANCERY_SPKI}`]);
});
after(() => browser.close());

/** A context with an authenticator in it, which says yes to everything. */
async function opened() {
  const found = await open(browser, { ignoreHTTPSErrors: false });
  const client = await found.context.newCDPSession(found.page);
  await client.send("WebAuthn.enable");
  const options = { protocol: "ctap2", ctap2Version: "ctap2_1", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await client.send("WebAuthn.addVirtualAuthenticator", { options });
  const verifies = (isUserVerified) => client.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
  return { ...found, verifies };
}

test("a passkey is made by one person and confirmed by others, and signs an approval that holds offline", async () => {
  const call = await caller(admins);
  const { context, page, complaints, verifies } = await opened();
  await logIn(page, [approver]);
  await enrol(page);
  await confirm();
  const demanding = await deploy(call);
  const { uuid } = await call("POST", "/api/v2/x509/signing-requests", { name: "build.tar", ...demanding, uploadData: Buffer.from("a build").toString("base64") });
  await visit(page, `#/approvals/request/${uuid}`);
  await page.getByText("sign this with your passkey").waitFor();
  assert.deepEqual(await axe(page), []);
  await shoot(page, "request-signed-approval");
  const nonce = await lookedAtElsewhere(page, uuid);
  // Nobody has shown the authenticator who they are.
  await verifies(false);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByText("No passkey answered").waitFor();
  await verifies(true);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.getByRole("heading", { name: "What came of it" }).waitFor();
  const request = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
  assert.equal(request.state, "Signed");
  assert.equal(request.approvals[0].signatures.length, 1);
  assert.match(request.approvals[0].signatures[0].statement, new RegExp(`^nonce ${nonce}$`, "m"), "what was saved is what was signed");
  await verified(call, uuid);
  await visit(page, "#/me");
  await page.getByRole("row").filter({ hasText: "laptop" }).waitFor();
  assert.equal(await page.getByText("never", { exact: true }).count(), 0, "it has signed");
  await codes(page, verifies);
  await loggedIn(call, page, verifies);
  assert.deepEqual(complaints, []);
  await context.close();
});

/** Whoever has the password of somebody with a passkey makes no codes for them; whoever shows the passkey as well does. */
async function codes(page, verifies) {
  const begun = async (place) => {
    await page.context().clearCookies();
    await page.goto(BASE);
    await page.reload();
    await page.getByText("One-time codes").click();
    const form = page.locator(".second-factor form").nth(place);
    await form.getByLabel("Show my passkey as well").waitFor();
    await form.getByLabel("Name").fill(approver.username);
    await form.getByLabel("Password").fill(approver.password);
    return form;
  };
  const form = await begun(0);
  assert.deepEqual(await axe(page), []);
  await form.getByRole("button", { name: "Set up codes" }).click();
  await form.getByText("is missing or not right").waitFor();
  await form.getByLabel("Password").fill(approver.password);
  await form.getByLabel("Show my passkey as well").check();
  await shoot(page, "second-factor-passkey");
  await verifies(false);
  await form.getByRole("button", { name: "Set up codes" }).click();
  await form.getByText("No passkey answered").waitFor();
  await verifies(true);
  await form.getByRole("button", { name: "Set up codes" }).click();
  await page.getByText("It is shown this once.").waitFor();
  const uri = await page.getByRole("link", { name: "Open it in the authenticator" }).getAttribute("href");
  // The passkey was asked once: a code of the new secret confirms it.
  await page.getByLabel("The code that the authenticator shows now").fill(code(new URL(uri).searchParams.get("secret"), now()));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("From now on a login takes a code.").waitFor();
  // Whoever has lost the codes and has the passkey does without them.
  const removing = await begun(1);
  await removing.getByLabel("Show my passkey as well").check();
  await removing.getByRole("button", { name: "Do without codes" }).click();
  await page.getByText("From now on the password is enough.").waitFor();
}

/** A role that demands a passkey is had by whoever shows one with the password, and by nobody else. */
async function loggedIn(call, page, verifies) {
  const person = (await call("GET", `/api/v2/identities/stubs?search=${approver.username}`)).results[0].objInfo;
  const { roleUuids } = await call("GET", `/api/v2/identities/${person.uuid}`);
  const made = await call("POST", "/api/v2/roles", { name: "readers with passkeys", loginsRequired: 1, perms: ["Audit:Read"], secondFactor: "WebAuthn" });
  await call("PATCH", `/api/v2/identities/${person.uuid}`, { roleUuids: [...roleUuids, made.uuid] });
  const audit = page.getByRole("navigation").locator("a[href='#/audit']");
  const again = async () => {
    await page.context().clearCookies();
    await page.goto(BASE);
    await page.reload();
    await page.getByLabel("Show my passkey as well").waitFor();
    await page.getByLabel("Name").fill(approver.username);
    await page.getByLabel("Password").fill(approver.password);
  };
  await again();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation").waitFor();
  assert.equal(await audit.count(), 0, "a password alone is not enough for it");
  await again();
  await page.getByLabel("Show my passkey as well").check();
  await shoot(page, "login-passkey");
  // Nobody has shown the authenticator who they are.
  await verifies(false);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("No passkey answered").waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  await verifies(true);
  // The passkey does not mend a wrong password.
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByText("The login is refused").waitFor();
  await page.getByLabel("Password").fill(approver.password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation").waitFor();
  await audit.waitFor();
  await visit(page, "#/me");
  await page.getByText("password + passkey").waitFor();
  assert.ok(await page.locator(".second-factor form").first().getByLabel("Show my passkey as well").isChecked(), "here it is known that there is one");
  // The wrong password is counted, and its record written when it may: before this one's or after it.
  const record = (await call("GET", `/api/v2/audit?action=Login&outcome=Success&identityUuid=${person.uuid}&pageSize=1&page=1`)).items[0];
  assert.equal(record.identities[0].login.passkey.name, "laptop");
  // Deleted, it takes the session with it.
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("laptop");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
}

async function enrol(page) {
  await visit(page, "#/me");
  await page.getByRole("heading", { name: "Passkeys" }).waitFor();
  const form = page.locator(".passkeys form").last();
  await form.getByLabel("Name").fill("laptop");
  assert.deepEqual(await axe(page), []);
  await form.getByRole("button", { name: "Make a passkey" }).click();
  await page.getByText("It waits for a second person").waitFor();
  await shoot(page, "passkey-waits");
  // The same device is asked once.
  await form.getByLabel("Name").fill("again");
  await form.getByRole("button", { name: "Make a passkey" }).click();
  await page.getByText("has a passkey of yours already").waitFor();
}

async function confirm() {
  const { context, page, complaints } = await open(browser, { ignoreHTTPSErrors: false });
  await logIn(page, admins);
  const call = await caller(admins);
  const { uuid } = (await call("GET", `/api/v2/identities/stubs?search=${approver.username}`)).results[0].objInfo;
  await visit(page, `#/identities/${uuid}`);
  await page.getByRole("button", { name: "Confirm this passkey" }).click();
  const dialog = page.getByRole("dialog");
  assert.deepEqual(await axe(page), []);
  await shoot(page, "passkey-confirm");
  await dialog.getByRole("textbox").fill("laptop");
  await dialog.getByRole("button", { name: "Confirm this passkey" }).click();
  await dialog.waitFor({ state: "detached" });
  await settled(page);
  await page.getByRole("row").filter({ hasText: admins.map((one) => one.username).join(" + ") }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Saves what is to be signed, and looks at it without the server. */
async function lookedAtElsewhere(page, uuid) {
  await page.getByText("Look at what you sign on another machine").click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the statement" }).click()]);
  const saved = join(FOLDER, file.suggestedFilename());
  await file.saveAs(saved);
  await writeFile(join(FOLDER, "build.tar"), "a build");
  const show = (...more) => spawnSync(process.env.CHANCERY_PROGRAM, ["approve", "--show", saved, ...more], { encoding: "utf8" });
  const shown = show("--file", join(FOLDER, "build.tar"));
  assert.equal(shown.status, 0, shown.stderr);
  const { publicKey } = JSON.parse(await readFile(saved, "utf8")).statements[0];
  const value = (word) => new RegExp(`^${word} +(\\S+)`, "m").exec(shown.stdout)?.[1];
  assert.deepEqual([value("request"), value("challenge")], [uuid, publicKey.challenge]);
  await writeFile(join(FOLDER, "other.tar"), "another build");
  assert.equal(show("--file", join(FOLDER, "other.tar")).status, 1);
  return value("nonce");
}

/** A service whose policy demands that approvals are signed. */
async function deploy(call) {
  const types = (await call("POST", "/api/v2/key-types/stubs", {})).results;
  const p256 = types.find((one) => one.objInfo.name === "EC P-256 Signing").objInfo.uuid;
  const made = await call("POST", "/cuserv/v1/services/deploy", {
    template: "PKI Signing", name: "signed builds",
    pkisigning: {
      newCert: { issuerUuid: demo.rootCertificateUuid, subjectOneline: "CN=Signed Builds,O=Example", newKey: { keyTypeUuid: p256, save: true }, certParams: { validityPeriod: { unit: "Year", amount: "1" } } },
      signingFormat: "CMS", numApprovals: 1, hashAlgorithm: "Sha2_256", rules: { signedApprovals: true },
    },
  });
  return { serviceUuid: made.serviceUuid, policyUuid: made.policyUuid };
}

/** Runs `chancery verify` over a bundle, with what somebody keeps who trusts the approver. */
async function verified(call, uuid) {
  const path = (name) => join(FOLDER, name);
  const known = (await call("GET", `/api/v2/identities/stubs?search=${approver.username}`)).results[0].objInfo;
  const [passkey] = (await call("GET", `/api/v2/identities/${known.uuid}/passkeys`)).results;
  await writeFile(path("approvers.txt"), `origin ${BASE}\napprover ${known.uuid} ${passkey.publicKey} laptop\n`);
  await writeFile(path("build.tar"), "a build");
  const key = (await (await fetch(`${BASE}/log/vkey`)).text()).trim();
  let bundle;
  // The log gives the signature its place within a second.
  do bundle = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
  while (!bundle.inclusionProof);
  const verify = async (change = () => {}) => {
    const changed = structuredClone(bundle);
    change(changed);
    await writeFile(path("bundle.json"), JSON.stringify(changed));
    const done = spawnSync(process.env.CHANCERY_PROGRAM, ["verify", "--bundle", path("bundle.json"), "--log-key", key, "--file", path("build.tar"), "--approver-keys", path("approvers.txt"), "--approvals", "1"], { encoding: "utf8" });
    return [done.status, done.stdout + done.stderr];
  };
  const [status, told] = await verify();
  assert.equal(status, 0, told);
  assert.match(told, new RegExp(`approved +by ${known.uuid}`));
  const first = (changed) => changed.approvals[0].signatures[0];
  const flipped = (base64) => {
    const bytes = Buffer.from(base64, "base64");
    bytes[bytes.length - 1] ^= 1;
    return bytes.toString("base64");
  };
  const changes = {
    "the statement": (changed) => (first(changed).statement = first(changed).statement.replace("decision Approve", "decision Deny")),
    "its nonce": (changed) => (first(changed).statement = first(changed).statement.replace(/nonce ./, (text) => (text.endsWith("0") ? "nonce 1" : "nonce 0"))),
    "the counter": (changed) => (first(changed).authenticatorData = flipped(first(changed).authenticatorData)),
    "what the browser said": (changed) => (first(changed).clientData = Buffer.from(Buffer.from(first(changed).clientData, "base64").toString().replace("https://localhost", "https://evil.example")).toString("base64")),
    "the signature": (changed) => (first(changed).signature = flipped(first(changed).signature)),
    "whose it is": (changed) => (first(changed).identityUuid = changed.approvals[0].identities[0].uuid = "00000000-0000-0000-0000-0000000000aa"),
    "the policy": (changed) => (changed.policyUuid = "00000000-0000-0000-0000-0000000000aa"),
    "that anybody signed": (changed) => (changed.approvals[0].signatures = []),
    "that anybody approved": (changed) => Object.assign(changed, { approvals: [], approvalsRequired: 0 }),
    "the program": (changed) => (changed.programName = "Another Product"),
  };
  for (const [what, change] of Object.entries(changes)) {
    const [refused, why] = await verify(change);
    assert.equal(refused, 1, `${what}: ${why}`);
    assert.match(why, /not verified/, what);
  }
  // Of another site, and of a key that nobody pinned.
  await writeFile(path("approvers.txt"), `origin https://kms.example.org\napprover ${known.uuid} ${passkey.publicKey}\n`);
  assert.equal((await verify())[0], 1);
  const another = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "der" });
  await writeFile(path("approvers.txt"), `origin ${BASE}\napprover ${known.uuid} ${another.toString("base64")}\n`);
  assert.equal((await verify())[0], 1);
  // No point of the curve: the file is wrong, not the approval.
  await writeFile(path("approvers.txt"), `origin ${BASE}\napprover ${known.uuid} ${flipped(passkey.publicKey)}\n`);
  assert.equal((await verify())[0], 2);
}
