// What people do most, against the server.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { pieces } from "../src/batches.js";
import { ApiError, ChanceryError, NoSuchName, NotIssued, NotSigned, StillWaiting, type Client } from "../src/index.js";
import { admin, loggedIn, server, type State } from "./server.js";
import { CARD, documented, newName, Tour } from "./tour.js";

const CARDS = ["4111111111111111", "5555555555554444", "378282246310005"];
const DIGEST = new Uint8Array(createHash("sha256").update("x").digest());

async function tour(): Promise<{ tour: Tour; client: Client; approver: Client; demo: State["demo"] }> {
  const [client, approver] = [await admin(), await loggedIn((state) => [state.approver])];
  const state = await server();
  return { tour: new Tour(client, approver, state), client, approver, demo: state.demo };
}

/** What a promise was rejected with. */
async function thrown<E extends Error>(promise: Promise<unknown>, kind: new (...words: never[]) => E): Promise<E> {
  try {
    await promise;
  } catch (error) {
    assert(error instanceof kind, String(error));
    return error;
  }
  assert.fail("it was not refused");
}

test("profiles go by name", async () => {
  const { client, demo } = await tour();
  const { objInfo } = await client.tokenProfiles.get(demo.tokenProfileUuid);
  const { token } = await client.tokenize(objInfo.name.toUpperCase(), CARD);
  assert.notEqual(token, CARD);
  assert.equal(await client.detokenize(demo.tokenProfileUuid, token), CARD);
  await thrown(client.tokenize("no such profile", CARD), NoSuchName);
});

test("lists go in pieces, bounded by number and by length", () => {
  assert.deepEqual([...pieces(["a", "b", "c"], 2)], [[0, ["a", "b"]], [2, ["c"]]]);
  const found = [...pieces(["abc", "de", "f", "too long alone", "g"], 100, 5)];
  assert.deepEqual(found, [[0, ["abc", "de"]], [2, ["f"]], [3, ["too long alone"]], [4, ["g"]]]);
  assert.deepEqual([...pieces([])], []);
});

test("long lists come back in their order", async () => {
  const { client, demo } = await tour();
  // More than one piece, the bad value in the second.
  const cards = [...Array<string>(20_000).fill(CARD), ...CARDS, "no card"];
  const { tokens, ivs, errors } = await client.tokenizeMany(demo.tokenProfileUuid, cards, { partial: true });
  assert.deepEqual([tokens.length, tokens.at(-1), ivs], [20_004, null, null]);
  assert.deepEqual(errors.map((one) => one.index), [20_003]);
  const { messages } = await client.detokenizeMany(demo.tokenProfileUuid, tokens.slice(-4, -1).map(String));
  assert.deepEqual(messages, CARDS);
  const refused = await thrown(client.tokenizeMany(demo.tokenProfileUuid, cards), ApiError);
  assert.deepEqual(refused.errors.map((one) => one.index), [20_003]);
});

test("initialization vectors are kept in order", async () => {
  const { tour: made, client } = await tour();
  const uuid = await made.newProfile("Ff1");
  await client.tokenProfiles.update(uuid, { useIv: true });
  const { tokens, ivs } = await client.tokenizeMany(uuid, CARDS);
  assert.equal(new Set(ivs).size, 3);
  const found = await client.detokenizeMany(uuid, tokens.map(String), { ivs: (ivs ?? []).map(String) });
  assert.deepEqual(found.messages, CARDS);
  const { token, iv = null } = await client.tokenize(uuid, CARD);
  assert.equal(await client.detokenize(uuid, { token, iv }), CARD);
});

test("a signature is waited for", async () => {
  const { tour: made, client, approver } = await tour();
  const { serviceUuid: service } = await made.newService(1);
  const uuid = await client.submitDigest({ service, digest: DIGEST, name: "waiting", note: "please" });
  assert.equal((await thrown(client.waitForSignature(uuid, { waitMs: 0 }), StillWaiting)).uuid, uuid);
  const waiting = client.waitForSignature(uuid, { waitMs: 30_000 });
  await approver.signingRequests.approve(uuid);
  assert.equal((await waiting)[0], 0x30);
  assert.equal((await client.signingRequests.get(uuid)).digest, Buffer.from(DIGEST).toString("base64"));
  const denied = await client.submitDigest({ service, digest: DIGEST, name: "no" });
  await approver.signingRequests.deny(denied, { note: "wrong branch" });
  assert.match((await thrown(client.waitForSignature(denied), NotSigned)).message, /Denied: wrong branch/);
});

test("a service with several policies wants to know which", async () => {
  const { tour: made, client } = await tour();
  const { serviceUuid: service } = await made.newService();
  await client.signingPolicies.create(service, { name: "strong", numApprovals: 0, hashAlgorithm: "Sha2_512" });
  const digest = new Uint8Array(64);
  assert.match((await thrown(client.signDigest({ service, digest, name: "x" }), ChanceryError)).message, /it has 2/);
  assert.equal((await client.signDigest({ service, digest, name: "x", policy: "strong" }))[0], 0x30);
});

test("certificates are issued", async () => {
  const { tour: made, client, approver, demo } = await tour();
  const root = demo.rootCertificateUuid;
  const issuer = (await client.certificates.get(root)).objInfo.name;
  const subject = `CN=${newName()}`;
  const order = { issuer, profile: "TLS Server", keyType: "EC P-256 Signing", subject, altNames: ["DNS:a.example"] };
  const certificate = await client.issueCertificate({ ...order, validity: { unit: "Day", amount: "1" } });
  assert.equal(certificate.subject, subject);
  assert.match(certificate.certificate ?? "", /BEGIN CERTIFICATE/);
  const profile = await made.newCertProfile({ approval: { numApprovals: 1 } });
  const another = { issuer: root, profile, csr: documented("csr"), subject: `CN=${newName()}` };
  const approved = await thrown(client.issueCertificate(another, { waitMs: 0 }), StillWaiting);
  await approver.proposals.approve(approved.uuid);
  assert.equal((await client.waitForCertificate(approved.uuid)).subject, another.subject);
  const denied = await thrown(client.issueCertificate(another, { waitMs: 0 }), StillWaiting);
  await approver.proposals.deny(denied.uuid);
  assert.match((await thrown(client.waitForCertificate(denied.uuid), NotIssued)).message, /Denied/);
  await thrown(client.issueCertificate({ issuer: root, profile }), TypeError);
});

test("lists are read page by page", async () => {
  const { client } = await tour();
  const names: string[] = [];
  for await (const one of client.every((page) => client.keyTypes.list({ ...page, pageSize: 2 }))) {
    names.push(one.objInfo.name);
  }
  assert(names.includes("AES-256 Tokenization") && names.length > 10);
  assert.equal(new Set(names).size, names.length);
});
