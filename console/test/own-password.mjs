// Somebody gets a password for one use, which logs nobody in, and sets another one with it on the login page.

import assert from "node:assert/strict";

import { BASE, axe, caller, logIn, open, settled, shoot, visit } from "./tools.mjs";

const ONCE = "a password for one use";
const OWN = "a password of my own";

export async function ownPassword(browser, admins) {
  const call = await caller(admins);
  const approver = (await call("GET", "/api/v2/roles/stubs")).results.find((role) => role.objInfo.name === "Approver").objInfo.uuid;
  const password = Buffer.from("a password that is forgotten").toString("base64");
  const { uuid } = await call("POST", "/api/v2/identities", { name: "forgetful", kind: "Person", roleUuids: [approver], password });
  await given(browser, admins, uuid);
  assert.ok((await call("GET", `/api/v2/identities/${uuid}`)).oneTimePasswordUntil);
  await set(browser);
  assert.equal((await call("GET", `/api/v2/identities/${uuid}`)).oneTimePasswordUntil, undefined);
  await call("DELETE", `/api/v2/identities/${uuid}`);
}

/** Administrators give it on the person's page, and say from where and when the person comes. */
async function given(browser, admins, uuid) {
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins);
  await visit(page, `#/identities/${uuid}`);
  await page.getByRole("button", { name: "Set another password …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It ends the sessions of this identity.").waitFor();
  await dialog.getByLabel("New password").fill(ONCE);
  assert.ok(await dialog.getByLabel("For one use").isChecked(), "whoever gives it does not go on knowing it");
  await dialog.getByLabel("Type forgetful to confirm").fill("forgetful");
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("status").getByText("Done: Set the password").waitFor();
  await page.getByText("Password for one use, until").waitFor();
  await settled(page);
  await page.getByLabel("Networks").fill("127.0.0.0/8\n\n  ::1  ");
  await page.getByLabel("Hours").fill("Mon-Friday 07:00-19:00");
  await page.getByRole("button", { name: "Set networks and hours" }).click();
  await page.getByText("Hours are days and times in UTC").waitFor();
  await page.getByLabel("Hours").fill("00:00-24:00");
  await page.getByRole("button", { name: "Set networks and hours" }).click();
  await settled(page);
  await page.getByText("Hours are days and times in UTC").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Networks").inputValue(), "127.0.0.0/8\n::1/128");
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** The person is told what it is for, sets another one, and logs in. */
async function set(browser) {
  const { context, page, complaints } = await open(browser);
  await page.goto(BASE);
  const login = page.locator(".login-form");
  const logsIn = async (password) => {
    await login.getByLabel("Name").fill("forgetful");
    await login.getByLabel("Password").fill(password);
    await login.getByRole("button", { name: "Log in" }).click();
  };
  await logsIn(ONCE);
  await page.getByText("This password is for one use").waitFor();
  await page.getByText("Not possible now.").waitFor();
  // The form for it opens by itself, with the name that was typed.
  const form = page.locator("form.own-password");
  await form.waitFor();
  assert.equal(await form.getByLabel("Name").inputValue(), "forgetful");
  await form.getByLabel("Present password").fill(ONCE);
  await form.getByLabel("New password", { exact: true }).fill(OWN);
  await form.getByLabel("The new password again").fill("a password of mine");
  await form.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("The two differ.").waitFor();
  await form.getByLabel("The new password again").fill(OWN);
  assert.deepEqual(await axe(page), []);
  await shoot(page, "own-password");
  await form.getByRole("button", { name: "Set the password" }).click();
  await page.getByText("From now on the new password logs you in.").waitFor();
  await logsIn(OWN);
  await page.getByRole("navigation").waitFor();
  assert.deepEqual(complaints.filter((one) => !one.includes("409")), []);
  await context.close();
}
