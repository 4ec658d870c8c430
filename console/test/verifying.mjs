// What was signed is verified on the page, and its verdicts are those of `chancery verify`, for what is good and for each
// byte that is changed.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SCRIPT, smallProgram } from "./planted.mjs";
import { BASE, axe, caller, logIn, open, shoot, visit } from "./tools.mjs";

const sha256 = (content) => createHash("sha256").update(content).digest();
const CONTENT = Buffer.from("what was released");
/** Name, kind of key, and how it signs; `page` and `file` are what the page says of the signature and the file, where that is not
 * good; of `byDigest` no file is there. */
const SERVICES = [
  { name: "verified p256", key: "EC P-256 Signing" },
  { name: "verified p384", key: "EC P-384 Signing", hashAlgorithm: "Sha2_384", log: "Internal" },
  { name: "verified p521", key: "EC P-521 Signing", hashAlgorithm: "Sha2_512" },
  { name: "verified rsa", key: "RSA 2048 Signing" },
  { name: "verified pss", key: "RSA 2048 Signing", rsaPss: true, hashAlgorithm: "Sha2_512" },
  { name: "verified ed25519", key: "Ed25519 Signing", hashAlgorithm: "Sha2_512" },
  { name: "verified ml-dsa", key: "ML-DSA-44 Signing", page: "open" },
  { name: "verified sha3", key: "EC P-256 Signing", hashAlgorithm: "Sha3_256", page: "open", file: "open" },
  { name: "verified raw", key: "EC P-256 Signing", signingFormat: "Raw" },
  { name: "verified raw pss", key: "RSA 2048 Signing", signingFormat: "Raw", rsaPss: true },
  { name: "verified program", key: "EC P-256 Signing", signingFormat: "Authenticode", content: smallProgram() },
  { name: "verified weak", key: "EC P-256 Signing", hashAlgorithm: "Sha1", page: "bad", command: 1 },
  { name: "verified jar", key: "EC P-256 Signing", signingFormat: "JavaJar", byDigest: true, file: "open" },
  { name: "verified installer", key: "EC P-256 Signing", signingFormat: "Msi", byDigest: true, file: "open" },
  { name: "verified script", key: "RSA 2048 Signing", signingFormat: "Powershell", content: Buffer.from(SCRIPT) },
];

/** The request as it is once a checkpoint of the log covers it. */
async function covered(read) {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await read();
    if (found) return found;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error("no checkpoint covers it");
}

async function deploy(call, root, types, { name, key, log = "Public", signingFormat = "CMS", hashAlgorithm = "Sha2_256", rsaPss }) {
  const keyTypeUuid = types.find((one) => one.objInfo.name === key).objInfo.uuid;
  const newCert = { issuerUuid: root, subjectOneline: `CN=${name},O=Example`, newKey: { keyTypeUuid, save: true }, certParams: { validityPeriod: { unit: "Day", amount: "20" } } };
  return call("POST", "/cuserv/v1/services/deploy", { template: "PKI Signing", name, log, pkisigning: { newCert, signingFormat, numApprovals: 0, hashAlgorithm, ...(rsaPss ? { rsaPss } : {}) } });
}

/** Signs with each service: its bundle, and the certificate in PEM. */
async function sign(call, root) {
  const types = (await call("POST", "/api/v2/key-types/stubs", {})).results;
  const signed = {};
  for (const service of SERVICES) {
    const { serviceUuid, policyUuid, certificateUuid } = await deploy(call, root, types, service);
    const content = service.content ?? CONTENT;
    const { uuid } = await call("POST", "/api/v2/x509/signing-requests", { name: `${service.name}.bin`, serviceUuid, policyUuid, ...(service.byDigest ? { digest: sha256(content).toString("base64") } : { uploadData: content.toString("base64") }) });
    const { certificate } = await call("GET", `/api/v2/x509/${certificateUuid}`);
    const request = await covered(async () => {
      const read = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
      return read.inclusionProof && read;
    });
    signed[service.name] = { request, certificate, content, serviceUuid, policyUuid, byDigest: service.byDigest };
  }
  return signed;
}

/** `chancery verify` and the page, side by side. */
class Verifiers {
  static async begin(page, logKey, root) {
    const both = new Verifiers();
    Object.assign(both, { page, logKey, folder: await mkdtemp(join(tmpdir(), "verifying-")) });
    await writeFile(join(both.folder, "root.pem"), root);
    return both;
  }

  /** The exit code of `chancery verify`: 0 good, 1 not, 2 nothing that could be read. */
  async command({ request, certificate, content, items, byDigest, isGiven }, logKey = this.logKey) {
    const files = { "bundle.json": JSON.stringify({ response: request }), "signer.pem": certificate ?? "", content, "items.json": JSON.stringify({ items, total: items?.length }) };
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(this.folder, name), bytes);
    const more = [...(isGiven || request.signingFormat === "Raw" ? ["--certificate", "signer.pem"] : []), ...(items ? ["--items", "items.json", "--item", items[0].name] : [])];
    const line = ["verify", "--log-key", logKey, "--bundle", "bundle.json", ...(byDigest ? ["--digest", sha256(content).toString("hex")] : ["--file", "content"]), "--root", "root.pem", ...more];
    return new Promise((ended) => execFile(process.env.CHANCERY_PROGRAM, line, { cwd: this.folder }, (error) => ended(error ? error.code : 0)));
  }

  /** Puts what there is into the page's fields; each step with its verdict. */
  async steps({ request, certificate, content, items, isGiven }, logKey = this.logKey) {
    await visit(this.page, "#/signing/verify");
    const file = (name, text) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });
    const put = (label, ...files) => this.page.getByLabel(label).setInputFiles(files);
    await this.page.getByLabel("The log's key").fill(logKey);
    if (isGiven || request.signingFormat === "Raw") await put("The signer's certificate", file("signer.pem", certificate));
    if (items) await put("Items of a manifest", file("items.json", JSON.stringify({ items })));
    await put("The file that was signed", file("my copy", content));
    await put("The bundle with the proof", file("bundle.json", JSON.stringify({ success: true, response: request })));
    await this.page.locator(".steps, main .problem").waitFor();
    return this.read();
  }

  /** A signature in the bundle's place is nobody's mistake. */
  async expectNoBundle() {
    await visit(this.page, "#/signing/verify");
    const signature = { name: "release.p7s", mimeType: "application/octet-stream", buffer: Buffer.from("MIIB") };
    await this.page.getByLabel("The bundle with the proof").setInputFiles([signature]);
    await this.page.getByText("This cannot be used here. release.p7s is no bundle").waitFor();
  }

  async read() {
    return Object.fromEntries(await this.page.locator("[data-step]").evaluateAll((all) => all.map((one) => [one.dataset.step, one.dataset.verdict])));
  }

  /** The same without the fields, for many in a row. */
  verdicts({ request, content }) {
    return this.page.evaluate(async ([request, content, logKey]) => {
      const { check } = await import("/console/parts/evidence.js");
      const file = new File([Uint8Array.from(content)], "copy");
      const steps = await check({ logKey, keyFrom: "reader", request, file, certificate: undefined, items: undefined, prove: async (item) => item }, () => undefined);
      return Object.fromEntries(steps.map((step) => [step.name, step.verdict]));
    }, [request, [...content], this.logKey]);
  }
}

const GOOD = { key: "good", checkpoint: "good", inclusion: "good", entry: "good", file: "good", signature: "good", trust: "open", people: "open" };

export async function verifying(browser, admins, demo) {
  const call = await caller(admins);
  const root = (await call("GET", `/api/v2/x509/${demo.rootCertificateUuid}`)).certificate;
  const signed = await sign(call, demo.rootCertificateUuid);
  const logKey = (await (await fetch(`${BASE}/log/vkey`)).text()).trim();
  const { context, page, complaints } = await open(browser);
  await logIn(page, admins, "/#/signing");
  await page.getByRole("link", { name: "Verify a signature" }).click();
  await page.getByText("There is no bundle yet.").waitFor();
  assert.deepEqual(await axe(page), []);
  const both = await Verifiers.begin(page, logKey, root);
  await both.expectNoBundle();
  for (const service of SERVICES) {
    const one = signed[service.name];
    assert.deepEqual(await both.steps(one), { ...GOOD, signature: service.page ?? "good", file: service.file ?? "good" }, service.name);
    assert.equal(await both.command(one), service.command ?? 0, service.name);
  }
  await prefilled(page, signed["verified raw"]);
  await changed(both, signed);
  await flipped(both, signed);
  await manifest(both, call, signed["verified p384"]);
  assert.deepEqual(complaints, []);
  await context.close();
}

/** From the page of a request: its bundle is there already, with the certificate that a bare signature does not carry. */
async function prefilled(page, { request, content }) {
  await visit(page, `#/approvals/request/${request.uuid}`);
  await page.getByRole("link", { name: "Verify it in the browser" }).click();
  await page.getByText("What was not checked: The log's key, The file, ").waitFor();
  const choose = page.getByLabel("The file that was signed");
  await choose.setInputFiles({ name: "mine", mimeType: "text/plain", buffer: content });
  await page.getByText("The log has this signature, it is the certificate's, and it is of this file.").waitFor();
  await page.getByText("Which key is the log's was taken from this server.").waitFor();
  assert.deepEqual(await axe(page), []);
  await shoot(page, "verified-desktop-light");
  await choose.setInputFiles({ name: "mine", mimeType: "text/plain", buffer: Buffer.from("another") });
  await page.getByText("Not verified. What is wrong: The file.").waitFor();
  await shoot(page, "verified-not-desktop-light");
}

/** What is wrong is told at its step, and the command line refuses it, too. */
async function changed(both, signed) {
  const { request, content } = signed["verified p256"];
  const proof = request.inclusionProof;
  const hidden = signed["verified p384"];
  const first = (base64) => Buffer.from(base64, "base64").map((byte, index) => (index === 0 ? byte ^ 1 : byte)).toString("base64");
  const last = (base64) => Buffer.from(base64, "base64").map((byte, index, all) => (index === all.length - 1 ? byte ^ 1 : byte)).toString("base64");
  const ofProof = (members) => ({ request: { ...request, inclusionProof: { ...proof, ...members } }, content });
  const other = { checkpoint: "bad", inclusion: "open" };
  const cases = [
    ["another file", { request, content: Buffer.from("another") }, { file: "bad" }],
    ["another place", ofProof({ index: proof.index - 1 }), { inclusion: "bad" }],
    ["a hash of the path", ofProof({ hashes: [first(proof.hashes[0]), ...proof.hashes.slice(1)] }), { inclusion: "bad" }],
    ["a hash too few", ofProof({ hashes: proof.hashes.slice(1) }), { inclusion: "bad" }],
    ["another size", ofProof({ treeSize: proof.treeSize + 1 }), { inclusion: "bad" }],
    ["the checkpoint's size", ofProof({ checkpoint: proof.checkpoint.replace(/\n/, "\n1") }), other],
    ["the checkpoint's signature", ofProof({ checkpoint: proof.checkpoint.replace(/ (\S+)\n$/, (_, signature) => ` ${last(signature)}\n`) }), other],
    ["the checkpoint's key", ofProof({ checkpoint: proof.checkpoint.replace(/ (\S+)\n$/, (_, signature) => ` ${first(signature)}\n`) }), other],
    ["a name among the signatures", ofProof({ checkpoint: `${proof.checkpoint}junk\n` }), other],
    ["the entry of another", { request: { ...request, inclusionProof: signed["verified rsa"].request.inclusionProof }, content }, { entry: "bad" }],
    ["the entry itself", ofProof({ leaf: last(proof.leaf) }), { inclusion: "bad", entry: "bad" }],
    ["another salt", { request: { ...hidden.request, inclusionProof: { ...hidden.request.inclusionProof, salt: first(hidden.request.inclusionProof.salt) } }, content }, { entry: "bad" }],
    ["no salt", { request: { ...hidden.request, inclusionProof: { ...hidden.request.inclusionProof, salt: undefined } }, content }, { entry: "bad" }],
    ["a time", { request: { ...request, decidedAt: "2026-01-01T00:00:00Z" }, content }, { entry: "bad" }],
    ["the signature", { request: { ...request, signature: last(request.signature) }, content }, { entry: "bad", signature: "bad" }],
    ["the digest", { request: { ...request, digest: first(request.digest) }, content }, { entry: "bad", file: "bad", signature: "bad" }],
    ["no proof", { request: { ...request, inclusionProof: null }, content }, { checkpoint: "bad", inclusion: undefined, entry: "open" }],
    ["another's certificate beside one inside", { request, content, certificate: signed["verified raw"].certificate, isGiven: true }, { entry: "bad", signature: "bad" }],
    ["another's certificate", { ...signed["verified raw"], certificate: signed["verified p256"].certificate }, { entry: "bad", signature: "bad" }],
  ];
  for (const [what, evidence, differing] of cases) {
    const expected = Object.fromEntries(Object.entries({ ...GOOD, ...differing }).filter(([, verdict]) => verdict));
    assert.deepEqual(await both.steps(evidence), expected, what);
    assert.equal(await both.command(evidence), 1, what);
  }
  await anotherKey(both, { request, content });
}

/** A key of the same name, with an id that belongs to it: whoever pastes the one they kept sees that the server has another. */
async function anotherKey(both, evidence) {
  const name = both.logKey.split("+")[0];
  const raw = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  const key = Buffer.concat([Buffer.of(1), raw]);
  const id = createHash("sha256").update(`${name}\n`).update(key).digest("hex").slice(0, 8);
  const other = `${name}+${id}+${key.toString("base64")}`;
  assert.deepEqual(await both.steps(evidence, other), { ...GOOD, checkpoint: "bad", inclusion: "open" });
  await both.page.getByText("this server does not say the same").waitFor();
  assert.equal(await both.command(evidence, other), 1);
  const broken = both.logKey.replace(/\+[0-9a-f]{8}\+/, "+00000000+");
  const steps = await both.steps(evidence, broken);
  assert.deepEqual([steps.key, steps.checkpoint], ["bad", undefined]);
  assert.equal(await both.command(evidence, broken), 2);
}

/** One bit anywhere in what is evidence: neither of both calls it good, or both do. */
async function flipped(both, signed) {
  for (const { request, content } of [signed["verified p256"], signed["verified p384"], signed["verified pss"], signed["verified program"]]) {
    const places = [["signature"], ["digest"], ["inclusionProof", "leaf"], ["inclusionProof", "hashes", 0], ["inclusionProof", "salt"]];
    for (const path of places) {
      for (let round = 0; round < 4; round += 1) {
        const copy = structuredClone(request);
        const holder = path.slice(0, -1).reduce((object, member) => object[member], copy);
        const member = path.at(-1);
        if (typeof holder[member] !== "string") continue;
        const bytes = Buffer.from(holder[member], "base64");
        const at = Math.floor(((round + 0.5) * bytes.length) / 4);
        bytes[at] ^= 1 << round;
        holder[member] = bytes.toString("base64");
        const where = `${request.name}: bit ${round} of byte ${at} of ${path.join("/")}`;
        assert.ok(Object.values(await both.verdicts({ request: copy, content })).includes("bad"), where);
        // What cannot even be read has an exit code of its own.
        assert.notEqual(await both.command({ request: copy, content }), 0, where);
      }
    }
  }
}

/** One file of a manifest, by its own proof, and the items all together. */
async function manifest(both, call, { serviceUuid, policyUuid }) {
  const digest = (text) => createHash("sha384").update(text).digest("base64");
  const submitted = { name: "a release", serviceUuid, policyUuid, items: ["a", "b", "c"].map((name) => ({ name: `${name}.tar`, digest: digest(name) })) };
  const { uuid } = await call("POST", "/api/v2/x509/signing-requests", submitted);
  const items = await covered(async () => {
    const read = await call("GET", `/api/v2/x509/signing-requests/${uuid}/items?include=inclusionProof&pageSize=10`);
    return read.items.every((item) => item.inclusionProof) && read.items;
  });
  const request = await call("GET", `/api/v2/x509/signing-requests/${uuid}`);
  const good = { request, items, content: Buffer.from("a") };
  assert.deepEqual(await both.steps(good), { ...GOOD, items: "good" });
  assert.equal(await both.command(good), 0);
  const cases = [
    [{ ...good, items: items.map((item, index) => (index === 2 ? { ...item, name: "z.tar" } : item)) }, { items: "bad" }],
    [{ ...good, items: [{ ...items[0], inclusionProof: items[1].inclusionProof }, ...items.slice(1)] }, { entry: "bad" }],
    [{ ...good, content: Buffer.from("d") }, { file: "bad" }],
  ];
  for (const [evidence, differing] of cases) {
    const steps = await both.steps(evidence);
    for (const [name, verdict] of Object.entries(differing)) assert.equal(steps[name], verdict, JSON.stringify(steps));
    assert.equal(await both.command(evidence), 1);
  }
  await visit(both.page, `#/signing/verify/${uuid}`);
  await both.page.getByLabel("The file that was signed").setInputFiles({ name: "mine", mimeType: "text/plain", buffer: Buffer.from("b") });
  await both.page.getByText("The bundle calls it b.tar").waitFor();
  assert.deepEqual(await both.read(), { ...GOOD, items: "good", key: "open" });
}
