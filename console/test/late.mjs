// Whoever came after a request sees that it is not theirs to approve, before they try.

import assert from "node:assert/strict";

import { axe, caller, logIn, open, visit } from "./tools.mjs";

const PASSWORD = "came after the request";

export async function late(browser, admins, { serviceUuid, policyUuid }) {
  const call = await caller(admins);
  const uploadData = Buffer.from("early").toString("base64");
  const { uuid } = await call("POST", "/api/v2/x509/signing-requests", { name: "early.tar", serviceUuid, policyUuid, uploadData });
  const roles = (await call("GET", "/api/v2/roles/stubs")).results;
  const role = roles.find((one) => one.objInfo.name === "Approver").objInfo.uuid;
  const password = Buffer.from(PASSWORD).toString("base64");
  const identity = await call("POST", "/api/v2/identities", { name: "late", kind: "Person", roleUuids: [role], password });
  const { context, page, complaints } = await open(browser);
  await logIn(page, [{ username: "late", password: PASSWORD }]);
  await visit(page, "#/approvals");
  const row = page.getByRole("row").filter({ hasText: "early.tar" });
  await row.getByText("to look at").waitFor();
  await row.getByRole("link", { name: "early.tar" }).click();
  await page.getByText("You cannot approve this:").waitFor();
  await page.getByText("it is older than your account").waitFor();
  assert.equal(await page.getByRole("button", { name: "Approve", exact: true }).count(), 0);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
  await call("POST", `/api/v2/x509/signing-requests/${uuid}/deny`, {});
  await call("DELETE", `/api/v2/identities/${identity.uuid}`);
}
