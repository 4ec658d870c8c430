// What the tests find on the server: one of everything, with names that are markup.

import { createHash } from "node:crypto";

import { caller } from "./tools.mjs";

/** A name that would be seen if it ever became an element: the browser would ask for x, and complain. */
const MARKUP = "<img src=x onerror=alert(1)>";
const PASSWORD = "a password of the tests";
const sha256 = (text) => createHash("sha256").update(text).digest("base64");

/** Makes everything that the pages show. */
export async function plant(state) {
  const call = await caller(state.admins);
  const { demo } = state;
  const stubs = async (path, method = "GET") => (await call(method, path, method === "POST" ? {} : undefined)).results;
  const named = (list, name) => list.find((one) => one.objInfo.name === name).objInfo.uuid;
  const roles = await stubs("/api/v2/roles/stubs");
  const types = await stubs("/api/v2/key-types/stubs", "POST");
  const [p256, aes] = [named(types, "EC P-256 Signing"), named(types, "AES-256 Tokenization")];

  const person = { name: "approver-2", kind: "Person", roleUuids: [named(roles, "Approver")], password: Buffer.from(PASSWORD).toString("base64") };
  await call("POST", "/api/v2/identities", person);
  await call("POST", "/api/v2/identities", { ...person, name: "auditor", roleUuids: [named(roles, "Auditor")] });
  const role = await call("POST", "/api/v2/roles", { name: `role ${MARKUP}`, loginsRequired: 1, perms: ["Signing:Submit"] });
  const identity = await call("POST", "/api/v2/identities", { name: `identity ${MARKUP}`, kind: "Application", roleUuids: [role.uuid] });
  const provider = await call("POST", "/api/v2/identity-providers", { name: `provider ${MARKUP}`, issuer: "https://gitlab.example.org", audiences: ["https://kms.example.org"] });
  await call("POST", "/api/v2/identity-bindings", { name: `binding ${MARKUP}`, identityUuid: identity.uuid, providerUuid: provider.objInfo.uuid, subject: MARKUP, claims: { project_id: "74", ref: MARKUP } });
  const key = await call("POST", "/api/v2/keys", { name: `key ${MARKUP}`, keyTypeUuid: aes });
  const profile = await call("POST", "/api/v2/token-profiles", {
    objInfo: { name: `profile ${MARKUP}` }, algorithm: "Ff1", keyUuid: key.uuid,
    format: { alphabet: "Decimal", minLength: 13, maxLength: 19, keepTrailing: 4, passThrough: " -", luhn: "Valid" },
    controlRules: [{ roleUuid: role.uuid, operation: "Tokenize" }, { roleUuid: role.uuid, operation: "PartialDetokenize", reveal: 4, revealFrom: "End" }],
  });
  const strict = await call("POST", "/cuserv/v1/services/deploy", {
    template: "PKI Signing", name: `service ${MARKUP}`,
    pkisigning: {
      newCert: { issuerUuid: demo.rootCertificateUuid, subjectOneline: `CN=\\<img src\\=x onerror\\=alert(1)\\>,O=Example`, newKey: { keyTypeUuid: p256, save: true }, certParams: { validityPeriod: { unit: "Day", amount: "20" } } },
      signingFormat: "CMS", numApprovals: 2, hashAlgorithm: "Sha2_256",
    },
  });
  const scripts = await call("POST", "/cuserv/v1/services/deploy", {
    template: "PKI Signing", name: "scripts",
    pkisigning: {
      newCert: { issuerUuid: demo.rootCertificateUuid, subjectOneline: "CN=Scripts,O=Example", newKey: { keyTypeUuid: p256, save: true }, certParams: { validityPeriod: { unit: "Year", amount: "1" } } },
      signingFormat: "Powershell", numApprovals: 1, hashAlgorithm: "Sha2_256",
    },
  });
  const programs = await call("POST", "/cuserv/v1/services/deploy", {
    template: "PKI Signing", name: "programs",
    pkisigning: {
      newCert: { issuerUuid: demo.rootCertificateUuid, subjectOneline: "CN=Programs,O=Example", newKey: { keyTypeUuid: p256, save: true }, certParams: { validityPeriod: { unit: "Year", amount: "1" } } },
      signingFormat: "Authenticode", numApprovals: 1, hashAlgorithm: "Sha2_384",
    },
  });
  // Before anything is submitted, so that something waits for it: nobody answers there.
  const target = await call("POST", "/api/v2/notice-targets", {
    name: `target ${MARKUP}`, webhook: { url: "https://127.0.0.1:9/hook", shape: "Chancery" }, secret: Buffer.alloc(32, 7).toString("base64"), kinds: ["Waiting", "Failed"], serviceUuids: [strict.serviceUuid],
  });
  const mailbox = await call("POST", "/api/v2/notice-targets", { name: `mailbox ${MARKUP}`, email: { address: "releases@example.org" }, kinds: ["Denied"] });
  const archive = await call("POST", "/api/v2/audit/targets", { name: `archive ${MARKUP}`, otlp: { url: "https://127.0.0.1:9/v1/logs" }, firstSequence: 0 });
  const requests = await plantRequests(call, demo, strict, { scripts, programs });
  const proposals = await plantProposals(call, demo, strict, p256);
  return { strict, target: target.uuid, mailbox: mailbox.uuid, archive: archive.uuid, role: role.uuid, identity: identity.uuid, key: key.uuid, profile: profile.objInfo.uuid, certificate: strict.certificateUuid, root: demo.rootCertificateUuid, requests, proposals, auditor: { username: "auditor", password: PASSWORD }, secondApprover: { username: "approver-2", password: PASSWORD } };
}

/** The smallest image that can be signed: headers, and some bytes behind them. */
export function smallProgram() {
  const bytes = Buffer.alloc(64 + 24 + 240 + 13, 7);
  bytes.fill(0, 0, 64 + 24 + 240);
  bytes.write("MZ", 0);
  bytes.writeUInt32LE(64, 0x3c);
  bytes.write("PE", 64);
  bytes.writeUInt16LE(240, 64 + 20);
  bytes.writeUInt16LE(0x20b, 64 + 24);
  bytes.writeUInt32LE(16, 64 + 24 + 108);
  return bytes;
}

export const SCRIPT = "Write-Output 'grüße 𝄞'\r\n";

async function plantRequests(call, demo, strict, { scripts, programs }) {
  const submit = async (body, { serviceUuid, policyUuid } = strict) => (await call("POST", "/api/v2/x509/signing-requests", { serviceUuid, policyUuid, ...body })).uuid;
  const claims = { note: `note ${MARKUP}\nand a second line`, metadata: { commit: "0a1b2c", markup: MARKUP } };
  // The server says what the digest of each file is; then only that is submitted.
  const byDigest = async (service, name, content, claims = {}) => {
    const uploaded = await submit({ name, uploadData: content.toString("base64") }, service);
    const { digest } = await call("GET", `/api/v2/x509/signing-requests/${uploaded}`);
    await call("POST", `/api/v2/x509/signing-requests/${uploaded}/withdraw`, {});
    return submit({ name, digest, ...claims }, service);
  };
  return {
    programDigest: await byDigest(programs, "setup.exe", smallProgram()),
    programClaimed: await byDigest(programs, "claimed.exe", smallProgram(), { metadata: { fileSha256: createHash("sha256").update(smallProgram()).digest("hex"), fileSize: String(smallProgram().length) } }),
    scriptDigest: await byDigest(scripts, "greet.ps1", Buffer.from(SCRIPT)),
    upload: await submit({ name: `upload ${MARKUP}`, uploadData: Buffer.from("content").toString("base64"), ...claims }),
    digest: await submit({ name: "a digest alone.tar", digest: sha256("never seen") }),
    manifest: await submit({ name: `manifest ${MARKUP}`, items: Array.from({ length: 250 }, (_, index) => ({ name: `file ${index} ${MARKUP}.tar`, digest: sha256(String(index)) })) }),
    program: await submit({ name: "install.ps1", uploadData: Buffer.from("Write-Output 1\r\n").toString("base64"), programName: `program ${MARKUP}`, programUrl: "https://example.org/" }, scripts),
    signed: await submit({ name: `signed ${MARKUP}`, uploadData: Buffer.from("at once").toString("base64"), ...claims }, { serviceUuid: demo.serviceUuid, policyUuid: demo.policyUuid }),
  };
}

async function plantProposals(call, demo, strict, p256) {
  const change = await call("PATCH", `/api/v2/x509/signing-policies/${demo.releasePolicyUuid}`, { rules: { fileNames: [`release ${MARKUP} *`], requestLifetime: { unit: "Week", amount: "2" } } });
  const preApproval = await call("POST", "/api/v2/x509/pre-approvals", { name: `pre-approval ${MARKUP}`, policyUuid: strict.policyUuid, digests: [sha256("nightly")], lifetime: { unit: "Day", amount: "7" }, note: MARKUP });
  const own = await call("POST", "/api/v2/x509/cert-profiles", { objInfo: { name: `certificate profile ${MARKUP}` }, validityPeriod: { unit: "Day", amount: "30" }, extendedKeyUsages: ["clientAuth"], approval: { numApprovals: 1 } });
  const certificate = await call("POST", "/api/v2/x509/generate", { certProfileUuid: own.objInfo.uuid, subjectOneline: `CN=gateway \\<img src\\=x\\>`, issuerUuid: demo.rootCertificateUuid, newKey: { keyTypeUuid: p256 } });
  const laxer = await call("PATCH", `/api/v2/x509/cert-profiles/${own.objInfo.uuid}`, { approval: { numApprovals: 0 } });
  return { change: change.pendingChange.uuid, preApproval: preApproval.uuid, certificate: certificate.uuid, laxer: laxer.pendingChange.uuid };
}

/** Every page: its name, its address, and whether a planted name is to be read there. */
export function pages(planted, who) {
  const { requests, proposals } = planted;
  const decided = [
    ["home", "#/", true],
    ["approvals", "#/approvals", true],
    ["approvals-of-policy", `#/approvals/policy/${planted.strict.policyUuid}`, true],
    ["request-upload", `#/approvals/request/${requests.upload}`, true],
    ["request-digest", `#/approvals/request/${requests.digest}`, true],
    ["request-manifest", `#/approvals/request/${requests.manifest}`, true],
    ["request-program", `#/approvals/request/${requests.program}`, true],
    ["request-signed", `#/approvals/request/${requests.signed}`, true],
    ["proposal-policy", `#/approvals/proposal/${proposals.change}`, true],
    ["proposal-pre-approval", `#/approvals/proposal/${proposals.preApproval}`, true],
    ["proposal-certificate", `#/approvals/proposal/${proposals.certificate}`, true],
    ["proposal-certificate-profile", `#/approvals/proposal/${proposals.laxer}`, true],
  ];
  if (who === "approver") return decided;
  return [
    ["home-admin", "#/", true],
    ["proposals", "#/proposals", true],
    ["signing", "#/signing", true],
    ["service", `#/signing/service/${planted.strict.serviceUuid}`, true],
    ["policy", `#/signing/policy/${planted.strict.policyUuid}`, true],
    ["policy-edit", `#/signing/policy/${planted.strict.policyUuid}/edit`, true],
    ["policy-new", `#/signing/service/${planted.strict.serviceUuid}/policy`, false],
    ["deploy", "#/signing/new", false],
    ["requests", "#/signing/requests", true],
    ["submit", "#/signing/submit", false],
    ["verify", "#/signing/verify", false],
    ["verify-request", `#/signing/verify/${requests.signed}`, true],
    ["tokenization", "#/tokenization", true],
    ["profile", `#/tokenization/profile/${planted.profile}`, true],
    ["profile-new", "#/tokenization/new", false],
    ["profile-edit", `#/tokenization/profile/${planted.profile}/edit`, true],
    ["certificates", "#/certificates", false],
    ["certificates-found", "#/certificates?search=img", true],
    ["certificates-ending", "#/certificates?view=ending", true],
    ["certificate", `#/certificates/${planted.certificate}`, true],
    ["certificate-root", `#/certificates/${planted.root}`, false],
    ["issue", "#/certificates/issue", false],
    ["take-in", "#/certificates/import", false],
    ["certificate-profiles", "#/certificates/profiles", false],
    ["keys", "#/keys", true],
    ["key", `#/keys/${planted.key}`, true],
    ["identities", "#/identities", true],
    ["identity", `#/identities/${planted.identity}`, true],
    ["identity-providers", "#/identities/providers", true],
    ["role", `#/identities/role/${planted.role}`, true],
    ["role-new", "#/identities/role/new", false],
    ["notices", "#/notices", true],
    ["notices-waiting", "#/notices?kind=Waiting", true],
    ["notice-target", `#/notices/target/${planted.target}`, true],
    ["notice-target-mailbox", `#/notices/target/${planted.mailbox}`, true],
    ["notice-target-new", "#/notices/target/new", true],
    ["audit", "#/audit?action=RoleCreate", true],
    ["audit-targets", "#/audit/targets", true],
    ["audit-target", `#/audit/targets/${planted.archive}`, true],
    ["audit-target-new", "#/audit/targets/new", false],
    ["journal", `#/audit/journal?profile=${planted.profile}`, true],
    ["access", "#/audit/access?right=Sign", true],
    ["me", "#/me", false],
    ["system", "#/system", false],
  ];
}
