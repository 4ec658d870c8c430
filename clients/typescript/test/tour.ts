// A call of every operation, each of which must succeed, on a demonstration installation.
//
// Whoever adds an operation adds its call here, and in clients/python/tests/tour.py.

import assert from "node:assert/strict";
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { readFileSync } from "node:fs";

import type { Client, types } from "../src/index.js";
import { Authenticator } from "./authenticator.js";
import { ORIGIN } from "./provider.js";
import { ROOT } from "./recording.js";
import type { State } from "./server.js";

export const CARD = "4111111111111111";
const TRACK = (card: string) => `;${card}=25121010000012345678?`;
const PASSWORD = Buffer.from("an honest long password").toString("base64");
const HASH = Buffer.alloc(32).toString("base64");
const APPROVAL: types.ApprovalRules = { numApprovals: 1, selfApproval: "DualControl" };

const sha256 = (text: string) => createHash("sha256").update(text).digest();

/** With the members of all objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort().map(([name, member]) => [name, sorted(member)]));
}

/** The code (RFC 6238) of the step that is so far from now. */
function oneTimeCode(secret: string, distance: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + distance));
  const mac = createHmac("sha1", key).update(counter).digest();
  const code = (mac.readUInt32BE((mac[19] ?? 0) & 15) & 0x7fffffff) % 1_000_000;
  return String(code).padStart(6, "0");
}

let number = 0;

/** A name that nothing has yet. */
export function newName(): string {
  number += 1;
  return `thing ${number}`;
}

/** A value that docs/INTERFACE.md sends: its first member of this name, behind a text, in base64 of some length. */
export function documented(member: string, behind = ""): string {
  const text = readFileSync(`${ROOT}/docs/INTERFACE.md`, "utf8");
  const found = new RegExp(`"${member}": ?"([A-Za-z0-9+/=]{100,})"`).exec(text.slice(text.indexOf(behind)));
  assert(found?.[1], member);
  return found[1];
}

/** Where a DER structure begins. */
function isDer(octets: Uint8Array | null): boolean {
  return octets?.[0] === 0x30;
}

/** Calls by the two administrators, with another person to approve what they ask for. */
export class Tour {
  constructor(
    readonly client: Client,
    readonly approver: Client,
    readonly state: State,
  ) {}

  /** `visitor` is a client of nobody yet. */
  async run(visitor: Client): Promise<void> {
    await this.server();
    await this.rolesAndIdentities(visitor);
    await this.keys();
    await this.tokenProfiles();
    await this.tokens();
    await this.vault();
    await this.certificates();
    await this.certificateProfiles();
    await this.services();
    await this.signingPolicies();
    await this.signingRequests();
    await this.failedRequest();
    await this.proposals();
    await this.passkeys();
    await this.publicFiles();
    await this.notices();
    await this.auditAndSettings();
  }

  async role(name: string): Promise<string> {
    const { results } = await this.client.roles.list({ search: name });
    const found = results.find((one) => one.objInfo.name === name);
    assert(found, name);
    return found.objInfo.uuid;
  }

  async server(): Promise<void> {
    const { server } = this.client;
    assert.equal((await server.health()).status, "ok");
    assert(await server.readiness());
    assert.match(await server.metrics(), /# TYPE/);
    assert.equal((await server.openapi() as { openapi: string }).openapi, "3.1.0");
    assert.match(await server.docs(), /<html/);
    assert(await server.docsProse());
    assert((await this.client.session.token()).token);
    assert((await this.client.session.state()).response.fullyLoggedIn);
  }

  async rolesAndIdentities(visitor: Client): Promise<void> {
    const { roles, identities } = this.client;
    const { uuid: role } = await roles.create({ name: newName(), loginsRequired: 1, perms: ["Signing:Approve"] });
    assert.deepEqual((await roles.update(role, { perms: [] })).perms, []);
    assert.equal((await roles.get(role)).loginsRequired, 1);
    const body: types.CreateIdentity = { name: newName(), kind: "Person", roleUuids: [role], password: PASSWORD };
    const { uuid: person } = await identities.create(body);
    const username = newName();
    await identities.update(person, { name: username });
    await identities.setPassword(person, { password: PASSWORD });
    assert((await identities.lock(person)).locked);
    assert(!(await identities.unlock(person)).locked);
    assert.equal((await identities.get(person)).kind, "Person");
    const { session } = this.client;
    const once = Buffer.from("a word for one use").toString("base64");
    assert((await identities.setPassword(person, { password: once, oneTime: true })).oneTimePasswordUntil);
    await session.changePassword({ username, password: once, newPassword: PASSWORD });
    const { secret } = await session.enrolTotp({ username, password: PASSWORD });
    // The code of before would be too old where the 30 seconds end meanwhile.
    await session.confirmTotp({ username, password: PASSWORD, totp: oneTimeCode(secret, 0) });
    assert((await identities.get(person)).totp?.confirmedAt);
    await session.removeTotp({ username, password: PASSWORD, totp: oneTimeCode(secret, 1) });
    await session.enrolTotp({ username, password: PASSWORD });
    assert.equal((await identities.resetTotp(person)).totp, undefined);
    assert((await identities.list({ pageSize: 2 })).total > 2);
    const keys = this.client.apiKeys;
    const { uuid: key, apiKey } = await keys.create(person, { name: "script" });
    assert(apiKey.startsWith("chk_"));
    assert.deepEqual((await keys.update(person, key, { networks: ["10.0.0.0/8"] })).networks, ["10.0.0.0/8"]);
    assert((await keys.rotate(person, key, { overlapSeconds: 60 })).previousUntil);
    assert.equal((await keys.list(person)).results[0]?.version, 2);
    await keys.delete(person, key);
    assert.deepEqual((await this.client.passkeys.list(person)).results, []);
    await this.identityProviders(person);
    await this.loginByAProvider(person, visitor);
    await identities.delete(person);
    await roles.delete(role);
  }

  async identityProviders(identityUuid: string): Promise<void> {
    const { identityProviders: providers, identityBindings: bindings } = this.client;
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const [issuer, jwks] = [`https://${newName().replaceAll(" ", "-")}.example.org`, { keys: [publicKey.export({ format: "jwk" })] }];
    const described = { name: newName(), issuer, audiences: ["us"], algorithms: ["EdDSA" as const], jwks: JSON.stringify(jwks) };
    const provider = (await providers.create(described)).objInfo.uuid;
    assert(!(await providers.update(provider, { singleUse: false })).singleUse);
    assert.equal((await providers.get(provider)).issuer, issuer);
    assert((await providers.list({ search: "thing" })).results.length > 0);
    const asks = { name: newName(), identityUuid, providerUuid: provider, subject: "job" };
    const binding = (await bindings.create(asks)).objInfo.uuid;
    const now = Math.floor(Date.now() / 1000);
    const parts = [{ alg: "EdDSA" }, { iss: issuer, aud: "us", sub: "job", iat: now, exp: now + 300 }];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const subjectToken = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString("base64url")}`;
    assert.equal((await this.client.session.exchange({ subjectToken })).expiresIn, 600);
    assert.equal((await bindings.get(binding)).subject, "job");
    assert.equal((await bindings.list({ identityUuid })).total, 1);
    await bindings.delete(binding);
    await providers.delete(provider);
  }

  async loginByAProvider(identityUuid: string, { session, identities }: Client): Promise<void> {
    const { identityProviders: providers, identityBindings: bindings } = this.client;
    const { provider } = this.state;
    const described = { name: newName(), issuer: provider.issuer, audiences: [], clientId: "kms-public" };
    const { objInfo: named } = await providers.create(described);
    const asks = { name: newName(), identityUuid, providerUuid: named.uuid, subject: "carol.7" };
    const binding = (await bindings.create(asks)).objInfo.uuid;
    assert.deepEqual((await session.oidcProviders()).providers, [named]);
    const { authorizationUrl } = await session.beginOidc({ providerUuid: named.uuid });
    assert.equal(await session.finishOidc(await provider.logIn(authorizationUrl, "carol.7")), "/");
    assert.equal((await identities.whoami()).identities[0]?.uuid, identityUuid);
    await bindings.delete(binding);
    await providers.delete(named.uuid);
  }

  async keys(): Promise<void> {
    const { keys, keyTypes } = this.client;
    const [type] = (await keyTypes.list({ search: "aes-256" })).results;
    assert(type);
    const { uuid } = await keys.create({ name: newName(), keyTypeUuid: type.objInfo.uuid });
    assert.equal((await keys.rotate(uuid)).currentVersion, 2);
    assert.deepEqual((await keys.update(uuid, { usages: ["Tokenize"] })).usages, ["Tokenize"]);
    assert.equal((await keys.disable(uuid)).state, "Disabled");
    assert.equal((await keys.enable(uuid)).state, "Enabled");
    assert.equal((await keys.get(uuid)).currentVersion, 2);
    assert((await keys.list({ search: "thing" })).results.length > 0);
  }

  async newProfile(algorithm: types.TokenAlgorithm): Promise<string> {
    const keyTypeUuid = await this.client.keyTypeUuid("AES-256 Tokenization");
    const roleUuid = await this.role("Administrator");
    const operations: types.Operation[] = ["Tokenize", "Detokenize", "Batch"];
    const profile = await this.client.tokenProfiles.create({
      objInfo: { name: newName() },
      algorithm,
      keyUuid: (await this.client.keys.create({ name: newName(), keyTypeUuid })).uuid,
      format: { alphabet: "Decimal", minLength: 6, maxLength: 19 },
      controlRules: operations.map((operation) => ({ roleUuid, operation })),
    });
    return profile.objInfo.uuid;
  }

  async tokenProfiles(): Promise<void> {
    const { tokenProfiles } = this.client;
    const uuid = await this.newProfile("Ff1");
    assert.equal((await tokenProfiles.update(uuid, { format: { maxLength: 20 } })).format.maxLength, 20);
    // What was read can be written back.
    await tokenProfiles.update(uuid, await tokenProfiles.get(uuid));
    assert.deepEqual((await tokenProfiles.setPermissions(uuid, { controlRules: [] })).controlRules, []);
    assert.deepEqual((await tokenProfiles.budgets(uuid)).budgets, []);
    await this.grants(await this.newProfile("Ff1"));
    const copy = await tokenProfiles.copy(uuid, { objInfo: { name: newName() } });
    await tokenProfiles.delete(copy.objInfo.uuid);
    const [name] = (await tokenProfiles.templateNames()).names;
    assert(name);
    assert.equal((await tokenProfiles.template(name)).objInfo.name, name);
    const preview = await tokenProfiles.preview({ profile: { algorithm: "AesSiv" }, samples: ["a sample"] });
    assert(preview.tokens[0]);
    assert((await tokenProfiles.list({ search: "thing" })).results.length > 0);
  }

  async tokens(): Promise<void> {
    const { tokenProfiles } = this.client;
    const uuid = this.state.demo.tokenProfileUuid;
    const { token } = await tokenProfiles.tokenize(uuid, { message: CARD });
    assert.notEqual(token, CARD);
    assert.equal((await tokenProfiles.detokenize(uuid, { token })).message, CARD);
    assert.deepEqual((await tokenProfiles.batchTokenize(uuid, { messages: [CARD] })).tokens, [token]);
    assert.deepEqual((await tokenProfiles.batchDetokenize(uuid, { tokens: [token] })).messages, [CARD]);
    assert.deepEqual((await tokenProfiles.rewrap(uuid, { tokens: [token] })).tokens, [token]);
    const { track } = await tokenProfiles.trackTokenize(uuid, { track: TRACK(CARD) });
    assert.equal((await tokenProfiles.trackDetokenize(uuid, { track })).track, TRACK(CARD));
  }

  async vault(): Promise<void> {
    const { tokenProfiles } = this.client;
    const uuid = await this.newProfile("Random");
    const { token } = await tokenProfiles.tokenize(uuid, { message: CARD, metadata: { source: "tour" } });
    assert.deepEqual((await tokenProfiles.readToken(uuid, { token })).metadata, { source: "tour" });
    assert((await tokenProfiles.tokenized(uuid, { message: CARD })).tokenized);
    await tokenProfiles.deleteToken(uuid, { token });
    assert(!(await tokenProfiles.tokenized(uuid, { message: CARD })).tokenized);
  }

  async certificateBody(): Promise<types.GenerateCertificate> {
    return {
      certProfileUuid: await this.client.certProfileUuid("TLS Server"),
      issuerUuid: this.state.demo.rootCertificateUuid,
      subjectOneline: `CN=${newName()}`,
      newKey: { keyTypeUuid: await this.client.keyTypeUuid("EC P-256 Signing"), save: true },
      certParams: { validityPeriod: { unit: "Day", amount: "1" }, subjectAltNames: ["DNS:host.example"] },
    };
  }

  async newCertificate(): Promise<string> {
    const issued = await this.client.certificates.generate(await this.certificateBody());
    return (issued as types.GeneratedCertificate).certificateUuid;
  }

  async newAuthority(): Promise<string> {
    const issued = await this.client.certificates.generate({
      certProfileUuid: await this.client.certProfileUuid("Root Certificate Authority"),
      subjectOneline: `CN=${newName()}`,
      newKey: { keyTypeUuid: await this.client.keyTypeUuid("EC P-256 Signing") },
      trustCert: true,
    });
    return (issued as types.GeneratedCertificate).certificateUuid;
  }

  async certificates(): Promise<void> {
    const { certificates } = this.client;
    const root = this.state.demo.rootCertificateUuid;
    const uuid = await this.newCertificate();
    const certParams: types.RenewParams = { validityPeriod: { unit: "Day", amount: "2" } };
    await certificates.renew(uuid, { certParams });
    await certificates.rekey(uuid, { certParams });
    assert.equal((await certificates.revoke(uuid, { reason: "certificateHold" })).status, "Held");
    assert.equal((await certificates.release(uuid)).status, "Valid");
    assert.match((await certificates.get(uuid)).subject, /^CN=thing/);
    const chain = await certificates.download(root, { format: "chain" });
    assert.match(new TextDecoder().decode(chain), /BEGIN CERTIFICATE/);
    assert(isDer(await certificates.download(root, { format: "der" })));
    assert((await certificates.list({ search: "thing", status: "Valid" })).results.length > 0);
    await certificates.request({
      serviceOrIssuerUuid: root,
      certProfileUuid: await this.client.certProfileUuid("Code Signing Certificate"),
      csr: documented("csr"),
      subjectOneline: `CN=${newName()}`,
    });
    const imported = await certificates.importCertificates({ certificates: documented("certificates") });
    assert.match(imported.certificates[0]?.subject ?? "", /^CN=Partner Root/);
    await certificates.importAuthority({
      password: Buffer.from("example").toString("base64"),
      privateKey: documented("privateKey"),
      certificates: documented("certificates", '"privateKey"'),
    });
    const { approval } = await certificates.setApproval(await this.newAuthority(), APPROVAL);
    assert.equal(approval.numApprovals, 1);
    assert(isDer(await certificates.exportCrls({ issuer: root, format: "der" })));
  }

  async newCertProfile(more: Partial<types.CreateCertProfile> = {}): Promise<string> {
    const profile = await this.client.certProfiles.create({
      objInfo: { name: newName() },
      validityPeriod: { unit: "Day", amount: "30" },
      keyUsages: ["digitalSignature"],
      extendedKeyUsages: ["clientAuth"],
      ...more,
    });
    return profile.objInfo.uuid;
  }

  async certificateProfiles(): Promise<void> {
    const { certProfiles } = this.client;
    const uuid = await this.newCertProfile();
    assert(!(await certProfiles.update(uuid, { enabled: false })).enabled);
    assert.deepEqual((await certProfiles.get(uuid)).extendedKeyUsages, ["clientAuth"]);
    assert((await certProfiles.list({ search: "thing" })).results.length > 0);
    await certProfiles.delete(uuid);
  }

  async signingCert(issuerUuid = this.state.demo.rootCertificateUuid): Promise<types.SigningCert> {
    return {
      issuerUuid,
      subjectOneline: `CN=${newName()}`,
      newKey: { keyTypeUuid: await this.client.keyTypeUuid("EC P-256 Signing"), save: true },
      certParams: { validityPeriod: { unit: "Year", amount: "1" } },
    };
  }

  async newService(
    numApprovals = 0,
    signingFormat: types.SigningFormat = "CMS",
    { issuer, ...rules }: types.PolicyRules & { issuer?: string } = {},
  ): Promise<types.DeployedService> {
    const newCert = await this.signingCert(issuer);
    return this.client.services.deploy({
      template: "PKI Signing",
      name: newName(),
      pkisigning: { newCert, signingFormat, numApprovals, hashAlgorithm: "Sha2_256", rules },
    });
  }

  async services(): Promise<void> {
    const { services } = this.client;
    const { serviceUuid: uuid } = await this.newService(0, "CMS", { issuer: await this.newAuthority() });
    assert.match((await services.get(uuid)).objInfo.name, /^thing/);
    assert.equal((await services.getIssuancePolicy(uuid)).approval.numApprovals, 0);
    await services.updateIssuancePolicy(uuid, { numApprovals: 0 });
    await services.renew(uuid, { validityPeriod: { unit: "Year", amount: "2" } });
    assert.equal((await services.revoke(uuid, { reason: "superseded" })).status, "Revoked");
    assert((await services.list({ search: "thing" })).results.length > 0);
    assert((await services.listStubs({ search: "thing" })).results.length > 0);
    const timestamping = { newCert: await this.signingCert(), default: true };
    const stamps = await services.deploy({ template: "Time Stamping", name: newName(), timestamping });
    const changed = await services.update(stamps.serviceUuid, { timestamping: { default: true } });
    assert(changed.timestamping.default);
    // What is no request is refused in the answer, as RFC 3161 wants it.
    const noRequest = new TextEncoder().encode("no request");
    assert(isDer(await this.client.public.timeStamp(noRequest)));
    assert(isDer(await this.client.public.timeStampOf(stamps.serviceUuid, noRequest)));
  }

  async signingPolicies(): Promise<void> {
    const { signingPolicies } = this.client;
    const { serviceUuid } = await this.newService();
    const body: types.CreateSigningPolicy = { name: newName(), numApprovals: 2, hashAlgorithm: "Sha2_512" };
    const policy = await signingPolicies.create(serviceUuid, body);
    assert.equal((await signingPolicies.get(policy.objInfo.uuid)).numApprovals, 2);
    assert.deepEqual((await signingPolicies.budgets(policy.objInfo.uuid)).budgets, []);
    const [first] = (await signingPolicies.list(serviceUuid)).items;
    assert(first);
    const changed = await signingPolicies.update(first.objInfo.uuid, { objInfo: { name: newName() } });
    assert.equal(changed.objInfo.uuid, first.objInfo.uuid);
  }

  async newRequest({ serviceUuid, policyUuid }: types.DeployedService): Promise<string> {
    assert(policyUuid);
    const body = { name: newName(), serviceUuid, policyUuid, uploadData: "aGVsbG8=", metadata: { branch: "tour" } };
    return (await this.client.signingRequests.submit(body)).uuid;
  }

  /** The digest of one decision over these requests. */
  async statement(decision: types.Decision, policyUuid: string, uuids: string[]): Promise<string> {
    const policy = await this.client.signingPolicies.get(policyUuid);
    let lines = `${sha256(JSON.stringify(sorted(policy))).toString("hex")}  ${policyUuid}\n`;
    for (const uuid of uuids) {
      const { approvalDigest } = await this.client.signingRequests.get(uuid);
      lines += `${Buffer.from(approvalDigest, "base64").toString("hex")}  ${uuid}\n`;
    }
    return sha256(`chancery decisions 1\n${decision}\n${lines}`).toString("base64");
  }

  async signingRequests(): Promise<void> {
    const { signingRequests } = this.client;
    const service = await this.newService(1);
    const { serviceUuid, policyUuid } = service;
    assert(policyUuid);
    const uuid = await this.newRequest(service);
    assert.equal((await signingRequests.approve(uuid, { note: "read it" })).state, "Signed");
    assert.equal((await signingRequests.get(uuid, { include: "uploadData" })).uploadData, "aGVsbG8=");
    assert.equal((await signingRequests.get(uuid, { include: "contents" })).contents?.signaturesTotal, 0);
    assert.equal((await signingRequests.deny(await this.newRequest(service))).state, "Denied");
    assert.equal((await signingRequests.withdraw(await this.newRequest(service), { note: "no" })).state, "Denied");
    const waiting = [await this.newRequest(service)];
    const { results } = await signingRequests.batchDecide({ uuids: waiting, decision: "Approve" });
    assert.equal(results[0]?.errorCode, "Success");
    const both = [await this.newRequest(service), await this.newRequest(service)];
    const digest = await this.statement("Approve", policyUuid, both);
    const decided = await signingRequests.batchDecide({ uuids: both, decision: "Approve", digest });
    assert.equal(decided.results[1]?.state, "Signed");
    const denied = await signingRequests.list({ metadata: { branch: "tour" }, state: "Denied" });
    assert.equal(denied.items.length, 2);
    assert.equal((await signingRequests.listOfService(serviceUuid, { state: "Signed" })).total, 4);
    const items = [{ name: "a", digest: HASH }];
    const manifest = await signingRequests.submit({ name: newName(), serviceUuid, policyUuid, items });
    assert.equal((await signingRequests.items(manifest.uuid)).items[0]?.name, "a");
    const script = await this.newRequest(await this.newService(0, "Powershell"));
    assert.match(new TextDecoder().decode(await signingRequests.downloadSigned(script)), /hello/);
  }

  async failedRequest(): Promise<void> {
    const service = await this.newService(1);
    const uuid = await this.newRequest(service);
    assert(service.certificateUuid);
    await this.client.certificates.revoke(service.certificateUuid, { reason: "superseded" });
    assert.equal((await this.client.signingRequests.approve(uuid)).state, "Failed");
    await this.client.services.renew(service.serviceUuid);
    const again = await this.client.signingRequests.repeat(uuid);
    assert.equal((await this.client.signingRequests.get(again.uuid)).repeatsUuid, uuid);
  }

  async grants(profile: string): Promise<void> {
    const { grants, tokenProfiles } = this.client;
    const rule: types.ControlRule = {
      roleUuid: await this.role("Administrator"),
      operation: "Detokenize",
      approval: { numApprovals: 1 },
    };
    await tokenProfiles.setPermissions(profile, { controlRules: [rule] });
    const asked = { reason: "chargeback", maxValues: 2, lifetime: { unit: "Hour", amount: "1" } } as const;
    const { uuid } = await grants.request(profile, asked);
    assert.equal((await this.approver.proposals.approve(uuid)).state, "Active");
    assert((await tokenProfiles.detokenize(profile, { token: "123456", grantUuid: uuid })).message);
    assert.equal((await grants.get(profile, uuid)).used, 1);
    assert.equal((await grants.list(profile)).total, 1);
    assert.equal((await grants.revoke(profile, uuid)).state, "Revoked");
  }

  async preApproval(policyUuid: string): Promise<string> {
    const digests = [randomBytes(32).toString("base64")];
    return (await this.client.proposals.preApprove({ name: newName(), policyUuid, digests })).uuid;
  }

  /** Of a profile that demands an approval. */
  async certificateProposal(): Promise<string> {
    const certProfileUuid = await this.newCertProfile({ approval: APPROVAL });
    const body = { ...(await this.certificateBody()), certProfileUuid };
    return ((await this.client.certificates.generate(body)) as types.Proposed).uuid;
  }

  async proposals(): Promise<void> {
    const { proposals } = this.client;
    const { policyUuid } = await this.newService(1);
    assert(policyUuid);
    const approved = await this.preApproval(policyUuid);
    assert.equal((await this.approver.proposals.approve(approved, { note: "read it" })).state, "Active");
    assert.equal((await proposals.approve(await this.certificateProposal())).state, "Issued");
    assert.equal((await proposals.get(approved)).kind, "PreApproval");
    assert.equal((await proposals.revoke(approved)).state, "Revoked");
    assert.equal((await proposals.deny(await this.preApproval(policyUuid))).state, "Denied");
    assert.equal((await proposals.withdraw(await this.preApproval(policyUuid))).state, "Denied");
    const byOtherName = await this.client.certificates.approveRequest(await this.certificateProposal());
    assert.equal(byOtherName.state, "Issued");
    const waiting = [await this.certificateProposal()];
    const { results } = await proposals.batchDecide({ uuids: waiting, decision: "Approve" });
    assert.equal(results[0]?.errorCode, "Success");
    assert.equal((await proposals.list({ kind: "PreApproval", policyUuid })).total, 3);
  }

  /** The approver's own, which the administrators confirm. */
  async passkeys(): Promise<void> {
    const [{ passkeys }, key] = [this.approver, new Authenticator(ORIGIN)];
    const person = (await this.approver.identities.whoami()).identities[0]?.uuid;
    assert(person);
    const begun = await passkeys.begin(person);
    const made = await passkeys.enrol(person, { name: "laptop", ticket: begun.ticket, credential: key.create(begun) });
    const [{ uuid }, { publicKeySha256 }] = [made.objInfo, made];
    assert((await this.client.passkeys.confirm(person, uuid, { publicKeySha256 })).confirmedAt);
    assert.equal((await this.client.session.passkeyChallenge()).publicKey.rpId, "kms.example.org");
    assert.equal((await passkeys.update(person, uuid, { name: "telephone" })).objInfo.name, "telephone");
    await this.signedApprovals(key);
    assert((await this.client.passkeys.list(person)).results[0]?.lastUsedAt);
    await this.client.passkeys.delete(person, uuid);
  }

  async signedApprovals(key: Authenticator): Promise<void> {
    const signed = ({ demanded, statements }: types.ApprovalStatements) => {
      assert(demanded);
      return { assertions: statements.map((one) => key.sign(one)) };
    };
    const { signingRequests, proposals } = this.approver;
    const service = await this.newService(1, "CMS", { signedApprovals: true });
    const uuid = await this.newRequest(service);
    const { state } = await signingRequests.approve(uuid, signed(await signingRequests.approvalStatement(uuid)));
    assert.equal(state, "Signed");
    const [{ signingPolicies }, { policyUuid }, name] = [this.client, service, newName()];
    assert(policyUuid);
    const change = (await signingPolicies.update(policyUuid, { objInfo: { name } })).pendingChange?.uuid;
    assert(change);
    const approved = await proposals.approve(change, signed(await proposals.approvalStatement(change)));
    assert.equal(approved.state, "Applied");
    assert.equal((await signingPolicies.get(policyUuid)).objInfo.name, name);
  }

  async publicFiles(): Promise<void> {
    const root = this.state.demo.rootCertificateUuid;
    assert(isDer(await this.client.public.certificate(`${root}.crt`)));
    assert(isDer(await this.client.public.crl(`${root}.crl`)));
    // What is no request is refused in the answer, as RFC 6960 wants it.
    assert(isDer(await this.client.public.ocsp(new TextEncoder().encode("no request"))));
    assert(isDer(await this.client.public.ocspByPath("bm8gcmVxdWVzdA==")));
    assert((await this.client.log.vkey()) && (await this.client.log.checkpoint()));
    assert.equal((await this.client.log.tile("0/000.p/1")).length, 32);
  }

  async notices(): Promise<void> {
    const targets = this.client.noticeTargets;
    const webhook = { url: "https://127.0.0.1:9/", shape: "Chancery" } as const;
    const secret = Buffer.alloc(32, 7).toString("base64");
    const { uuid } = await targets.create({ name: newName(), webhook, secret });
    assert(!(await targets.update(uuid, { enabled: false })).enabled);
    assert((await targets.get(uuid)).hasSecret);
    assert((await targets.list({ search: "thing" })).results.length > 0);
    assert((await targets.test(uuid)).answer.includes("no public address"));
    assert((await this.client.notices.list({ kind: "Waiting", pageSize: 2 })).items.every((one) => one.uuid));
    assert.equal((await this.client.notices.undelivered({ targetUuid: uuid })).total, 0);
    await targets.delete(uuid);
    const shipped = this.client.auditTargets;
    const made = await shipped.create({ name: newName(), otlp: { url: "https://127.0.0.1:9/" }, firstSequence: 0 });
    assert(!(await shipped.update(made.uuid, { enabled: false })).enabled);
    assert.equal((await shipped.get(made.uuid)).shipping.nextSequence, 0);
    assert((await shipped.list({ search: "thing" })).results.length > 0);
    assert((await shipped.test(made.uuid)).answer.includes("no public address"));
    await shipped.delete(made.uuid);
    const [{ mailboxes }, address] = [this.approver, "approver@example.org"];
    const person = (await this.approver.identities.whoami()).identities[0]?.uuid;
    assert(person);
    assert.equal((await mailboxes.set(person, { address, kinds: ["Waiting"] })).pending?.triesLeft, 5);
    assert((await mailboxes.confirm(person, { code: this.state.relay.code(address) })).enabled);
    assert.equal((await this.client.mailboxes.get(person)).address, address);
    await this.client.mailboxes.remove(person);
  }

  async auditAndSettings(): Promise<void> {
    const query = { pageSize: 2, action: "RoleCreate", from: "2026-01-01T00:00:00Z" } as const;
    assert.equal((await this.client.audit.list(query)).items[0]?.outcome, "Success");
    const lines = new TextDecoder().decode(await this.client.audit.export({ action: "RoleCreate" })).split("\n");
    assert.equal(JSON.parse(lines[0] ?? "").outcome, "Success");
    const newest = await this.client.audit.checkpoint();
    assert(newest.records > 0 && newest.checkpoint.includes(`\ncheckpoint ${newest.number}\n`));
    assert.deepEqual((await this.client.audit.archives({ pageSize: 2 })).items, []);
    assert.equal((await this.client.audit.downloadArchive()).length, 0, "there is none");
    const tokenProfileUuid = this.state.demo.tokenProfileUuid;
    const { token } = await this.client.tokenProfiles.tokenize(tokenProfileUuid, { message: CARD });
    const had = await this.client.audit.searchJournal({ tokenProfileUuid, token, pageSize: 1 });
    assert(had.items[0]?.matches === 1 && !had.complete);
    const access = await this.client.reports.access({ right: "Administer", search: "Admin1" });
    assert.equal(access.results[0]?.rights[0]?.right, "Administer");
    const identityUuid = access.results[0]?.objInfo.uuid ?? "";
    const roleUuids = [...new Set(access.results[0]?.rights.map((held) => held.role.uuid))];
    const effect = await this.client.reports.accessEffect({ identityUuid, roleUuids });
    assert.deepEqual(effect, { gains: [], loses: [] });
    const asOf = (await this.client.audit.list({ pageSize: 1 })).items[0]?.time ?? "";
    assert.equal((await this.client.reports.access({ asOf, search: "Admin1" })).asOf, asOf);
    assert.deepEqual(await this.client.reports.accessEffect({ since: asOf }), { gains: [], loses: [] });
    assert.equal((await this.client.reports.activity()).hours.length, 24);
    assert.equal((await this.client.identities.whoami()).identities[0]?.name, "Admin1");
    assert((await this.client.settings.get()).apiAccess);
    assert((await this.client.settings.update({ apiAccess: true })).apiAccess);
  }
}
