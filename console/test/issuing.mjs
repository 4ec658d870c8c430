// Certificates are issued in the console: a root that may issue, warnings, and never one whose key nobody has.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

const ROOT = "00000000-0000-0000-6370-000000000001";
const CODE_SIGNING = "00000000-0000-0000-6370-000000000003";

export async function issuing(browser, admins, demo) {
  const call = await caller(admins);
  const types = (await call("POST", "/api/v2/key-types/stubs", {})).results;
  const keyTypeUuid = types.find((one) => one.objInfo.name === "EC P-256 Signing").objInfo.uuid;
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await root(page);
  await call("POST", "/api/v2/x509/generate", { certProfileUuid: ROOT, subjectOneline: "CN=Root that issues nothing", newKey: { keyTypeUuid } });
  await visit(page, "#/certificates");
  await page.getByRole("listitem").filter({ hasText: "CN=Root that issues nothing" }).getByText("It issues nothing here.").waitFor();
  await leaf(call, page, demo);
  await odd(page, demo);
  // What a program has made so: no key of it is anywhere, and the next one has one.
  const dead = await call("POST", "/api/v2/x509/generate", { certProfileUuid: CODE_SIGNING, subjectOneline: "CN=Without a key", issuerUuid: demo.rootCertificateUuid, newKey: { keyTypeUuid, save: false } });
  await visit(page, `#/certificates/${dead.certificateUuid}`);
  await page.getByText("EC P-256. It is not kept here.").waitFor();
  await page.getByRole("button", { name: "Issue again with another key" }).click();
  await page.getByText("EC P-256. Chancery keeps it.").waitFor();
  await imported(page);
  await settled(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** What OpenSSL issued is taken in, and what takes its place is issued here under a profile that is chosen. */
async function imported(page) {
  await visit(page, "#/certificates");
  await page.getByRole("link", { name: "Take in certificates made elsewhere" }).click();
  await page.getByRole("heading", { name: "Take in certificates made elsewhere" }).waitFor();
  await others(page);
  const made = execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null", "-days", "40", "-subj", "/CN=made elsewhere", "-addext", "keyUsage=digitalSignature", "-addext", "basicConstraints=critical,CA:false"], { stdio: ["ignore", "pipe", "ignore"] });
  await page.getByLabel("From files").setInputFiles({ name: "made.pem", mimeType: "application/x-pem-file", buffer: made });
  await page.waitForFunction(() => [...document.querySelectorAll("textarea")].some((one) => one.value.includes("BEGIN CERTIFICATE")));
  await page.getByRole("button", { name: "Take them in" }).click();
  await page.getByRole("heading", { name: "CN=made elsewhere" }).waitFor();
  await page.getByText("One certificate is in the inventory now").waitFor();
  await page.getByText("none: it was imported").waitFor();
  const address = await page.evaluate(() => location.hash);
  await visit(page, "#/certificates/import");
  await page.getByLabel("Certificates", { exact: true }).fill(made.toString());
  await page.getByRole("button", { name: "Take them in" }).click();
  await page.getByText("It was in the inventory already").waitFor();
  assert.equal(await page.evaluate(() => location.hash), address);
  const again = page.locator("form").filter({ has: page.getByRole("button", { name: "Issue again with another key" }) });
  assert.ok(await again.getByLabel("Profile").isVisible());
  // Its own key is elsewhere and can sign nothing here; a new one could.
  const issuers = (title) => page.locator("form").filter({ has: page.getByRole("button", { name: title, exact: true }) }).getByLabel("Issued by").locator("option").allInnerTexts();
  assert.equal((await issuers("Renew")).includes("itself: a root"), false);
  assert.equal((await issuers("Issue again with another key")).at(-1), "itself: a root");
  await page.getByRole("button", { name: "Revoke …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Serial number: [0-9A-F]+$/).waitFor();
  await dialog.getByText("This marks it here only").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(await axe(page), []);
}

/** What is no certificate is told before anything is sent, and a private key is not even shown. */
async function others(page) {
  const folder = mkdtempSync(join(tmpdir(), "chancery-others-"));
  const openssl = (...args) => execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
  openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "own.pem", "-subj", "/CN=own");
  openssl("pkcs12", "-export", "-inkey", "key.pem", "-in", "own.pem", "-out", "own.p12", "-passout", "pass:secret");
  openssl("req", "-new", "-key", "key.pem", "-subj", "/CN=own", "-out", "own.csr");
  openssl("req", "-in", "own.csr", "-outform", "DER", "-out", "own.csr.der");
  openssl("pkcs8", "-topk8", "-nocrypt", "-in", "key.pem", "-outform", "DER", "-out", "key.der");
  openssl("x509", "-in", "own.pem", "-outform", "DER", "-out", "own.der");
  const text = readFileSync(join(folder, "own.pem"), "latin1") + readFileSync(join(folder, "key.pem"), "latin1");
  writeFileSync(join(folder, "latin1.pem"), `friendlyName: M\u00fcller\n${text}`, "latin1");
  writeFileSync(join(folder, "utf16.pem"), `\ufeff${text}`, "utf16le");
  writeFileSync(join(folder, "own.jwk"), "{\"kty\":\"EC\",\"d\":\"AAAA\"}");
  const sent = [];
  page.on("request", (one) => one.url().includes("/import") && one.method() === "POST" && sent.push(one.url()));
  const [file, field] = [page.getByLabel("From files"), page.getByLabel("Certificates", { exact: true })];
  for (const [name, told] of [["own.p12", "own.p12 is a PKCS#12 file"], ["key.pem", "There is a private key in it"], ["key.der", "There is a private key in it"], ["own.csr", "That is a request"], ["own.csr.der", "That is a request"], ["latin1.pem", "There is a private key in it"], ["utf16.pem", "There is a private key in it"], ["own.jwk", "There is no certificate in own.jwk"]]) {
    await file.setInputFiles(join(folder, name));
    await page.getByText(told).waitFor();
    assert.equal(await field.inputValue(), "", name);
  }
  assert.deepEqual(await axe(page), []);
  await file.setInputFiles(join(folder, "own.der"));
  await page.waitForFunction(() => document.querySelector("textarea").value.startsWith("-----BEGIN CERTIFICATE-----\nMII"));
  await file.setInputFiles(join(folder, "own.pem"));
  await page.waitForFunction(() => document.querySelector("textarea").value.split("BEGIN CERTIFICATE").length === 3, undefined);
  assert.equal(await page.getByText("That is a request").count(), 0);
  await field.fill(readFileSync(join(folder, "own.pem"), "utf8") + readFileSync(join(folder, "key.pem"), "utf8"));
  await page.getByRole("button", { name: "Take them in" }).click();
  await page.getByText("There is a private key in it").waitFor();
  assert.deepEqual(sent, []);
  await field.fill("");
  rmSync(folder, { recursive: true });
}

async function root(page) {
  await visit(page, "#/certificates/issue");
  const form = made(page);
  const trust = form.getByLabel("Let it issue certificates here");
  await form.getByRole("button", { name: "Issue with a new key" }).click();
  await form.getByText("Choose what the certificate is for.").waitFor();
  const before = await form.getByLabel("Issued by").inputValue();
  await form.getByLabel("Profile").selectOption({ label: "Root Certificate Authority" });
  await form.getByLabel("Profile").selectOption({ label: "Code Signing Certificate" });
  assert.equal(await form.getByLabel("Issued by").inputValue(), before, "the issuer of before is back");
  assert.equal(await trust.isVisible(), false, "a certificate for signing code is no authority");
  await form.locator(".facts").getByText("no: it issues nothing").waitFor();
  assert.match(await form.getByLabel("Valid for").getAttribute("placeholder"), /^as the profile says: \d+ /);
  assert.equal(await page.getByLabel("Keep the key here").count(), 0);
  await form.getByLabel("Profile").selectOption({ label: "Root Certificate Authority" });
  assert.ok(await trust.isChecked());
  assert.deepEqual(await axe(page), []);
  const issuer = form.getByLabel("Issued by");
  assert.equal(await issuer.inputValue(), "", "a root has no issuer but itself");
  assert.ok(await issuer.isDisabled());
  await form.getByLabel("Subject").fill("CN=Root of the console,O=Example");
  await form.getByLabel("Kind of key").selectOption({ label: "EC P-256 Signing" });
  await form.getByRole("button", { name: "Issue with a new key" }).click();
  await page.getByRole("heading", { name: "CN=Root of the console" }).waitFor();
  await page.getByText("It may issue certificates here.").waitFor();
}

const made = (page) => page.locator("form").filter({ has: page.getByRole("button", { name: "Issue with a new key" }) });

/** The server's warning is shown, and what the certificate is for. */
async function leaf(call, page, demo) {
  const profile = await call("POST", "/api/v2/x509/cert-profiles", { objInfo: { name: "servers of the console" }, validityPeriod: { unit: "Day", amount: "30" }, keyUsages: ["digitalSignature"], extendedKeyUsages: ["serverAuth"], policies: ["1.3.6.1.4.1.99999.7"] });
  await visit(page, `#/certificates/issue?issuer=${demo.rootCertificateUuid}`);
  const form = made(page);
  await form.getByLabel("Profile").selectOption(profile.objInfo.uuid);
  await form.getByLabel("Subject").fill("CN=www.example.org");
  await form.getByLabel("Alternative names").fill("DNS:www.example.org\nIP:192.0.2.7\nIP:2001:db8::1\nemail:a@example.org\nURI:https://example.org/\nUPN:a@example.org");
  await form.getByLabel("Kind of key").selectOption({ label: "EC P-384 Signing" });
  await page.route((url) => url.pathname === "/api/v2/x509/generate", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.response.warnings = ["Something to know <img src=x>."];
    await route.fulfill({ response: answer, json: body });
  });
  await form.getByRole("button", { name: "Issue with a new key" }).click();
  await page.getByRole("status").getByText("Something to know <img src=x>.").waitFor();
  await page.unrouteAll();
  const facts = (await page.locator("main .facts").innerText()).replace(/\s+/g, " ");
  for (const text of ["DNS:www.example.org IP:192.0.2.7 IP:2001:db8:0:0:0:0:0:1 email:a@example.org URI:https://example.org/ UPN:a@example.org", "EC P-384. Chancery keeps it.", "(in 1 month)", "digital signatures", "servers", "1.3.6.1.4.1.99999.7", "no: it issues nothing", "SHA-256 of the certificate"]) {
    assert.ok(facts.includes(text), `${text}: ${facts}`);
  }
  assert.deepEqual(await axe(page), []);
  await shoot(page, "certificate-issued");
  await page.getByRole("link", { name: "servers of the console" }).click();
  await page.getByRole("heading", { name: "servers of the console" }).waitFor();
  assert.match((await page.locator("main .facts").innerText()).replace(/\s+/g, " "), /Valid for 30 days .*digital signatures Purposes servers/);
  assert.deepEqual(await axe(page), []);
}

/** What cannot be read of a certificate hides nothing else of it, and what is read of none does not matter. */
async function odd(page, demo) {
  const openssl = (...more) => execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", "/CN=Odd", "-config", "/dev/null",
    "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "1.2.3.4.5=DER:ffff00", ...more], { stdio: ["ignore", "pipe", "ignore"] }).toString();
  for (const [names, text] of [["RID:1.2.3.4,DNS:odd.example", "RID:1.2.3.4 DNS:odd.example"], ["DER:ffff00", "cannot be read here"]]) {
    const certificate = openssl("-addext", `subjectAltName=${names}`);
    await page.route((url) => url.pathname === `/api/v2/x509/${demo.rootCertificateUuid}`, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.response.certificate = certificate;
      await route.fulfill({ response: answer, json: body });
    });
    await visit(page, `#/certificates/${demo.rootCertificateUuid}`);
    const facts = (await page.locator("main .facts").innerText()).replace(/\s+/g, " ");
    const sha256 = createHash("sha256").update(Buffer.from(certificate.replace(/-----.*-----/g, ""), "base64")).digest("hex");
    for (const part of [text, "Yes: it can issue certificates", "RSA 2048."]) assert.ok(facts.includes(part), `${part}: ${facts}`);
    assert.equal(await page.locator("[data-digest]").getAttribute("data-digest"), sha256);
    await page.unrouteAll();
  }
  await saved(page);
}

/** Names of files keep their letters and their ending, and none is a device of Windows. */
async function saved(page) {
  const names = { "\u4e2d\u6587.ps1": "\u4e2d\u6587.ps1", "CON.ps1": "_CON.ps1", "\u2603.ps1": "_.ps1", "a/b\u202egpj.exe": "a_b_gpj.exe", ".profile": "_.profile" };
  for (const [name, expected] of Object.entries(names)) {
    const file = page.waitForEvent("download");
    await page.evaluate(async (own) => {
      const { saveButton } = await import("/console/parts/results.js");
      saveButton("save", own, async () => new Blob(["x"])).querySelector("button").click();
    }, name);
    assert.equal((await file).suggestedFilename(), expected);
  }
}
