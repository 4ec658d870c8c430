// A person sets one-time codes up before any login, logs in with one, and is helped by others after losing them.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";

import { BASE, axe, caller, open, scanned, shoot, visit } from "./tools.mjs";

const PASSWORD = "a password of the tests";
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_MS = 30_000;

/** The code of a step (RFC 6238), as an authenticator makes it. */
export function code(secret, step) {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", key).update(counter).digest();
  return String((mac.readUInt32BE(mac[19] & 15) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

export const now = () => Math.floor(Date.now() / STEP_MS);

export async function secondFactor(browser, admins) {
  const call = await caller(admins);
  const roles = (await call("GET", "/api/v2/roles/stubs")).results;
  const approver = roles.find((role) => role.objInfo.name === "Approver").objInfo.uuid;
  const person = { name: "coded", kind: "Person", roleUuids: [approver], password: Buffer.from(PASSWORD).toString("base64") };
  const { uuid } = await call("POST", "/api/v2/identities", person);
  const { context, page, complaints } = await open(browser);
  await page.goto(BASE);
  await page.getByText("One-time codes").click();
  const enrolment = page.locator(".second-factor form").first();
  await enrolment.getByLabel("Name").fill("coded");
  await enrolment.getByLabel("Password").fill(PASSWORD);
  assert.deepEqual(await axe(page), []);
  await shoot(page, "second-factor");
  await enrolment.getByRole("button", { name: "Set up codes" }).click();
  await page.getByText("It is shown this once.").waitFor();
  const uri = await page.getByRole("link", { name: "Open it in the authenticator" }).getAttribute("href");
  const secret = new URL(uri).searchParams.get("secret");
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme });
    assert.equal(await scanned(page, page.locator(".qr")), uri);
  }
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("The code that the authenticator shows now").fill(code(secret, now() + 100));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("The code does not fit.").waitFor();
  // A code of the step before is good as well, and leaves those after it for the login. It is to be so for ten seconds more.
  const since = Date.now() % STEP_MS;
  if (since > STEP_MS - 10_000) await page.waitForTimeout(STEP_MS - since);
  const step = now();
  await page.getByLabel("The code that the authenticator shows now").fill(code(secret, step - 1));
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByText("From now on a login takes a code.").waitFor();
  await page.reload();
  await page.getByLabel("Name").fill("coded");
  for (const [typed, isRight] of [["", false], [code(secret, step - 1), false], [code(secret, now()), true]]) {
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByLabel("One-time code").fill(typed);
    await page.getByRole("button", { name: "Log in" }).click();
    await (isRight ? page.getByRole("navigation") : page.getByRole("alert")).waitFor();
    assert.equal(await page.locator("nav").count(), isRight ? 1 : 0);
  }
  await visit(page, "#/me");
  await page.getByText("password + one-time code", { exact: true }).waitFor();
  const removal = page.locator(".second-factor form").last();
  await removal.getByRole("button", { name: "Do without codes" }).waitFor();
  assert.equal(await removal.getByLabel("Name").inputValue(), "coded", "nobody types again who they are");
  assert.deepEqual(await axe(page), []);
  assert.ok((await call("GET", `/api/v2/identities/${uuid}`)).totp.confirmedAt);
  assert.equal((await call("DELETE", `/api/v2/identities/${uuid}/totp`)).totp, undefined);
  assert.deepEqual(complaints, []);
  await context.close();
}
