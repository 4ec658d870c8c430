// What somebody plants to get an approval that nobody would give knowingly. For each, what gives it away is in sight when the
// page is opened, or where the planted words are: on a desktop in English, on a telephone in German. Pictures are kept.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import de from "../text/de.js";
import en from "../text/en.js";
import { axe, caller, logIn, open, sizes, visit } from "./tools.mjs";

const sha256 = (text) => createHash("sha256").update(text).digest();
const upload = (text) => Buffer.from(text).toString("base64");

/** A text of the console with anything in its places. */
const pattern = (text) => new RegExp(text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^]*"));

/** Makes services, roles and profiles that the deceptions are told of, and the deceptions: what each shows, by text keys. */
async function plantDeceptions({ call, denier, demo }) {
  const stubs = async (path, method = "GET") => (await call(method, path, method === "POST" ? {} : undefined)).results;
  const named = (list, name) => list.find((one) => one.objInfo.name === name).objInfo.uuid;
  const keyTypeUuid = named(await stubs("/api/v2/key-types/stubs", "POST"), "EC P-256 Signing");
  const roles = await stubs("/api/v2/roles/stubs");
  const [administrator, approver] = [named(roles, "Administrator"), named(roles, "Approver")];
  const deploy = (name, rules = {}, numApprovals = 2) => call("POST", "/cuserv/v1/services/deploy", {
    template: "PKI Signing", name,
    pkisigning: {
      newCert: { issuerUuid: demo.rootCertificateUuid, subjectOneline: `CN=${name},O=Example`, newKey: { keyTypeUuid, save: true }, certParams: { validityPeriod: { unit: "Day", amount: "20" } } },
      signingFormat: "CMS", numApprovals, hashAlgorithm: "Sha2_256", rules,
    },
  });
  const [plain, narrow, bounded, stepped, changing, listed] = [
    await deploy("plain"), await deploy("narrow", { submitterRoleUuids: [administrator] }),
    await deploy("bounded", { budgets: [{ count: 10, per: "Day" }] }),
    await deploy("stepped", { approvalSteps: [{ roleUuids: [approver], numApprovals: 2 }] }), await deploy("changing", {}, 1), await deploy("listed", {}, 1)];
  const submit = async (name, more = {}, { serviceUuid, policyUuid } = plain) =>
    `#/approvals/request/${(await call("POST", "/api/v2/x509/signing-requests", { name, serviceUuid, policyUuid, ...("items" in more ? {} : { uploadData: upload(name) }), ...more })).uuid}`;
  const change = async ({ policyUuid }, rules) => `#/approvals/proposal/${(await call("PATCH", `/api/v2/x509/signing-policies/${policyUuid}`, { rules })).pendingChange.uuid}`;
  const issue = async (name, profile, body) => {
    const made = await call("POST", "/api/v2/x509/cert-profiles", { objInfo: { name }, validityPeriod: { unit: "Day", amount: "30" }, approval: { numApprovals: 1 }, ...profile });
    const { uuid } = await call("POST", "/api/v2/x509/generate", { certProfileUuid: made.objInfo.uuid, issuerUuid: demo.rootCertificateUuid, newKey: { keyTypeUuid }, ...body });
    return `#/approvals/proposal/${uuid}`;
  };
  for (const name of ["invoice\u202Egpj.exe", "release.tar\nsigned before"]) {
    await assert.rejects(submit(name), /cannot be seen/, "the server takes no such name");
  }
  const denied = await submit("hotfix.tar", { uploadData: upload("with a back door") });
  await denier("POST", `/api/v2/x509/signing-requests/${denied.split("/").at(-1)}/deny`, { note: "no" });
  // A real denial between two that the submitters withdraw themselves.
  const malware = { uploadData: upload("malware") };
  for (const [who, what, note] of [[call, "withdraw", ""], [denier, "deny", "it calls home"], [call, "withdraw", ""]]) {
    const at = await submit("update.tar", malware);
    await who("POST", `/api/v2/x509/signing-requests/${at.split("/").at(-1)}/${what}`, { note });
  }
  const changed = await deploy("again");
  const refused = await change(changed, { fileNames: ["*.tar"] });
  await denier("POST", `/api/v2/x509/proposals/${refused.split("/").at(-1)}/deny`, { note: "not before the release" });
  const names = Array.from({ length: 60 }, (_, index) => `DNS:node-${index}.example.org`);
  const items = Array.from({ length: 41 }, (_, index) => ({ name: index === 23 ? "libupdate-helper.so" : `lib-${index}.so`, digest: sha256(String(index)).toString("base64") }));
  const last = await submit("release 6", { items: items.filter(({ name }) => name !== "libupdate-helper.so") }, listed);
  await denier("POST", `/api/v2/x509/signing-requests/${last.split("/").at(-1)}/approve`, { note: "as before" });
  const imitation = ["looked at by the team", ...Array.from({ length: 40 }, () => "■ computed   SHA-256   verified by server, matches the release")].join("\n");
  return [
    { name: "swapped-digest", at: await submit("release.tar", { note: `sha256sum: ${sha256("another").toString("hex")}` }), shows: ["warn.digest"] },
    { name: "bidirectional-name", at: await submit("invoice-gpj.exe"), rename: "invoice\u202Egpj.exe", shows: ["warn.hidden"], text: "[U+202E]" },
    { name: "line-break-in-name", at: await submit("release.tar signed before"), rename: "release.tar\nsigned before", shows: ["warn.blanks"], text: "[U+000A]" },
    { name: "look-alike-letters", at: await submit("p\u0430ypal-client.tar"), shows: ["warn.letters"], text: "U+0430" },
    { name: "many-blanks", at: await submit(`release-1.4.tar${" ".repeat(60)}.exe`), shows: ["warn.blanks", "warn.ending"] },
    { name: "widened-grant", at: await change(narrow, { submitterRoleUuids: [administrator, approver] }), shows: ["warn.laxer"], text: "Administrator, Approver" },
    { name: "widened-budget", at: await change(bounded, { budgets: [{ count: 1000, per: "Day" }] }), shows: ["warn.laxer"], text: /1[,.]000 (per day|je Tag|pro Tag|am Tag)/ },
    { name: "policy-changed-meanwhile", at: await submit("meanwhile.tar", {}, changing), meanwhile: changing, shows: ["decide.changed"] },
    { name: "second-persona", at: await submit("own.tar"), asSubmitters: true, shows: ["warn.ownAsOne"], belowApprove: "decide.asOne" },
    { name: "one-new-name", at: await submit("release 7", { items }, listed), shows: ["warn.newNames"], text: "libupdate-helper.so" },
    { name: "authority", at: await issue("servers", { basicConstraints: { ca: true } }, { subjectOneline: "CN=Server 7,O=Example" }), shows: ["warn.authority"] },
    { name: "wildcard-among-many", at: await issue("nodes", { subjectAltNames: { presence: "Optional", wildcards: true }, extendedKeyUsages: ["serverAuth"] }, { subjectOneline: "CN=Node 7,O=Example", certParams: { subjectAltNames: [...names.slice(0, 33), "DNS:*.example.org", ...names.slice(33)] } }), shows: ["warn.wildcard"], text: "*.example.org" },
    { name: "imitated-lines", at: await submit("nightly.tar", { note: imitation }), shows: ["warn.marks"], besideNote: true },
    { name: "repeated-with-other-content", at: await submit("hotfix.tar", { uploadData: upload("another back door") }), shows: ["warn.deniedName"] },
    { name: "denied-among-withdrawn", at: await submit("update.tar", malware), shows: ["warn.denied"], text: "it calls home" },
    { name: "denied-under-another-policy", at: await submit("readme.tar", malware, narrow), shows: ["warn.denied"], text: "it calls home" },
    { name: "denied-in-other-letters", at: await submit("HOTFIX.tar", { uploadData: upload("a third back door") }, narrow), shows: ["warn.deniedName"] },
    { name: "denied-proposal", at: await change(changed, { fileNames: ["*.tar"] }), shows: ["warn.deniedProposal"], text: "not before the release" },
    { name: "another-format", at: await submit("setup.msi"), shows: ["warn.ending"], text: ".msi" },
    { name: "lowered-step", at: await change(stepped, { approvalSteps: [{ roleUuids: [approver], numApprovals: 1 }] }), shows: ["warn.step"] },
    // What is as it should be raises no alarm, or nobody would look at alarms.
    { name: "honest-upload", at: await submit("release-2.tar", { note: `Built from the tag.\nsha256sum: ${sha256("release-2.tar").toString("hex")}` }), shows: [], isHonest: true },
    { name: "honest-manifest", at: await submit("release 8", { items: items.filter(({ name }) => name !== "libupdate-helper.so").map(({ name }) => ({ name, digest: sha256(`8 ${name}`).toString("base64") })) }, listed), shows: [], isHonest: true },
    { name: "honest-stricter-policy", at: await change(plain, { approvalSteps: [{ roleUuids: [approver], numApprovals: 2 }] }), shows: [], isHonest: true },
    { name: "honest-certificate", at: await issue("clients", { extendedKeyUsages: ["clientAuth"] }, { subjectOneline: "CN=Client 7,O=Example" }), shows: [], isHonest: true },
  ];
}

/** Whether all of it is within the window, with nothing in front of it. */
async function inSight(page, locator, what) {
  await locator.first().waitFor({ timeout: 5000 }).catch(() => assert.fail(`${what}: it is not on the page`));
  const { box, seen, window } = await locator.first().evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const front = document.elementFromPoint((left + Math.min(right, innerWidth)) / 2, (top + bottom) / 2);
    return { box: [left, top, right, bottom], seen: element.contains(front) || front?.contains(element), window: [innerWidth, innerHeight] };
  });
  const [left, top, right, bottom] = box;
  assert.ok(seen && left >= 0 && top >= 0 && right <= window[0] && bottom <= window[1], `${what}: ${box.map(Math.round)} is not in ${window}`);
}

/** Looks at each as an approver does. */
export async function deceptions(browser, { admins, approver, secondApprover, demo, shots }) {
  const call = await caller(admins);
  const denier = await caller([approver]);
  const planted = await plantDeceptions({ call, denier, demo });
  const looks = { "desktop-english": ["en", sizes.desktop, en], "telephone-german": ["de", sizes.telephone, de] };
  const folder = join(shots, "deceptions");
  await mkdir(folder, { recursive: true });
  for (const [look, [language, viewport, texts]] of Object.entries(looks)) {
    for (const people of [[approver], admins]) {
      const { context, page, complaints } = await open(browser, { viewport });
      await logIn(page, people);
      await page.evaluate((chosen) => localStorage.setItem("chancery.language", chosen), language);
      await page.reload();
      for (const deception of planted.filter((one) => Boolean(one.asSubmitters) === (people === admins))) {
        await seen(page, deception, texts, { call, look, secondApprover, picture: join(folder, `${deception.name}-${look}.png`), what: `${deception.name} ${look}` });
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
  }
}

async function seen(page, deception, texts, { call, look, secondApprover, picture, what }) {
  if (deception.rename) {
    // As a row would be that was written before such names were refused, or by somebody else.
    await page.route((url) => url.pathname.endsWith(deception.at.split("/").at(-1)), async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, response: { ...answer.response, name: deception.rename } } });
    });
  }
  await visit(page, deception.at);
  if (deception.meanwhile) await changeMeanwhile(page, { ...deception.meanwhile, fileNames: ["*", look] }, texts, call, secondApprover);
  const main = page.locator("main");
  for (const key of deception.shows) await inSight(page, main.getByText(pattern(texts[key])), `${what}: ${key}`);
  if (deception.text) await inSight(page, main.getByText(deception.text), `${what}: ${deception.text}`);
  if (deception.isHonest) {
    await main.getByRole("button", { name: texts["decide.approve"], exact: true }).waitFor();
    assert.equal(await main.getByText(texts["warn.title"], { exact: true }).count(), 0, `${what}: a false alarm`);
  }
  await page.screenshot({ path: picture });
  if (deception.isHonest) await page.screenshot({ path: picture.replace(/\.png$/, "-whole.png"), fullPage: true });
  assert.deepEqual(await axe(page), [], what);
  if (deception.besideNote) {
    const note = page.locator(".claim");
    await note.scrollIntoViewIfNeeded();
    await note.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await inSight(page, page.locator(".facts .claimed", { has: note }).locator(".source"), `${what}: the mark beside the note`);
    await page.screenshot({ path: picture.replace(/\.png$/, "-note.png") });
  }
  if (deception.belowApprove) {
    await page.locator("form.approve button[type=submit]").scrollIntoViewIfNeeded();
    await inSight(page, main.getByText(texts[deception.belowApprove]), `${what}: ${deception.belowApprove}`);
  }
  await page.unrouteAll({ behavior: "wait" });
}

/** The policy is another one all of a sudden, while the page of a request is open; then its button is pressed. */
async function changeMeanwhile(page, { policyUuid, fileNames }, texts, call, approver) {
  const { pendingChange } = await call("PATCH", `/api/v2/x509/signing-policies/${policyUuid}`, { rules: { fileNames } });
  const other = await caller([approver]);
  await other("POST", `/api/v2/x509/proposals/${pendingChange.uuid}/approve`, {});
  await page.getByRole("button", { name: texts["decide.approve"], exact: true }).click();
  await page.getByText(texts["decide.changed"]).waitFor();
}
