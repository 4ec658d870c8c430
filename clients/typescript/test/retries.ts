// Which calls are made again, and after how long: with answers of the tests' own in the place of a server.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createServer } from "node:tls";

import { nodeFetch } from "../src/node.js";
import { ApiError, Client, TransportError, UnexpectedAnswer, type Retries } from "../src/index.js";

interface Sent {
  url: string;
  init: RequestInit;
}

type Step = (sent: Sent) => Promise<Response> | Response;

const KEY = `chk_${"k".repeat(43)}`;
const CREATE = { name: "a", keyTypeUuid: "b" };

function refused(status: number, errorCode: string, retryAfter: string): Step {
  const body = { success: false, errorCode, response: { message: "Later.", requestId: "7" } };
  return () => Response.json(body, { status, headers: { "Retry-After": retryAfter } });
}

const done: Step = () => Response.json({ success: true, errorCode: "Success", response: { uuid: "u" } });

function failing(code: string): Step {
  return () => {
    throw new TypeError("fetch failed", { cause: Object.assign(new Error("the connection was reset"), { code }) });
  };
}

/** A client whose calls are answered by one step each; a call too many fails the test. */
function clientOf(
  steps: Step[],
  retries: Retries = { max: 3, firstWaitMs: 10 },
  apiKey?: string,
): { client: Client; sent: Sent[] } {
  const left = [...steps];
  const sent: Sent[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    const one = { url: String(url), init };
    sent.push(one);
    const step = left.shift();
    assert(step, "one call too many");
    return step(one);
  };
  const options = apiKey === undefined ? {} : { apiKey };
  return { client: new Client({ baseUrl: "https://server.example", token: "t", ...options, fetch, retries }), sent };
}

for (const [status, code] of [[429, "RateLimited"], [503, "Unavailable"], [503, "Sealed"]] as const) {
  test(`${code} is sent again`, async () => {
    const { client, sent } = clientOf([refused(status, code, "0"), refused(status, code, "0"), done]);
    await client.keys.create(CREATE);
    assert.deepEqual(sent.map((one) => one.init.body), Array(3).fill(JSON.stringify(CREATE)));
  });
}

test("the wait is as long as the server asks for", async () => {
  const { client } = clientOf([refused(429, "RateLimited", "1"), done]);
  const started = performance.now();
  await client.keys.get("u");
  assert(performance.now() - started >= 990);
});

test("a wait that is too long is left to the caller", async () => {
  const { client, sent } = clientOf([refused(429, "RateLimited", "3600")]);
  await assert.rejects(client.keys.get("u"), (error) => error instanceof ApiError && error.retryAfterMs === 3_600_000);
  assert.equal(sent.length, 1);
});

test("at some point it is enough", async () => {
  const { client, sent } = clientOf(Array<Step>(4).fill(refused(503, "Unavailable", "0")));
  await assert.rejects(client.keys.get("u"), ApiError);
  assert.equal(sent.length, 4);
});

test("a lost answer is asked for again where that does no harm", async () => {
  const { client, sent } = clientOf([failing("ECONNRESET"), done, failing("ECONNRESET"), done]);
  await client.keys.get("u");
  await client.tokenProfiles.tokenize("u", { message: "m" });
  assert.equal(sent.length, 4);
});

test("a lost answer to a change is an error", async () => {
  const { client, sent } = clientOf([failing("ECONNRESET")]);
  await assert.rejects(client.roles.delete("u"), (error) => error instanceof TransportError && /reset/.test(error.message));
  assert.equal(sent.length, 1);
});

test("a login by a provider is ended once", async () => {
  for (const step of [failing("ECONNRESET"), refused(429, "RateLimited", "0"), refused(503, "Unavailable", "0")]) {
    const { client, sent } = clientOf([step]);
    await assert.rejects(client.session.finishOidc({ code: "c", state: "s" }));
    assert.equal(sent.length, 1);
  }
});

test("cookies are kept by their names until they end", async () => {
  const setting = (cookie: string, init: ResponseInit = {}): Step => () => {
    const answer = Response.json({}, init);
    answer.headers.append("Set-Cookie", cookie);
    return answer;
  };
  const ending = setting("login=; Path=/; Max-Age=0", { status: 303, headers: { Location: "/" } });
  const { client, sent } = clientOf([setting("session=a=; Path=/"), setting("login=b; Path=/; Max-Age=600"), ending, done]);
  await client.session.state();
  await client.session.beginOidc({ providerUuid: "p" });
  assert.equal(await client.session.finishOidc({ code: "c" }), "/");
  await client.session.state();
  const cookies = sent.map((one) => new Headers(one.init.headers).get("Cookie"));
  assert.deepEqual(cookies, [null, "session=a=", "session=a=; login=b", "session=a="]);
});

test("a call with a key is made again under the same key", async () => {
  const { client, sent } = clientOf([failing("ECONNRESET"), done, done]);
  await client.keys.create(CREATE);
  await client.keys.create(CREATE);
  const [first, again, other] = sent.map((one) => new Headers(one.init.headers).get("Idempotency-Key"));
  assert(first);
  assert.equal(first, again);
  assert.notEqual(first, other);
});

test("a lost call has the same key after another login", async () => {
  const loggedIn: Step = () => Response.json({ response: { fullyLoggedIn: true } });
  const token: Step = () => Response.json({ token: "new" });
  const ended = refused(401, "InvalidAuthToken", "0");
  const { client, sent } = clientOf([failing("ECONNRESET"), ended, loggedIn, token, done], undefined, KEY);
  await client.keys.create(CREATE);
  const headers = sent.filter((one) => one.url.endsWith("/api/v2/keys")).map((one) => new Headers(one.init.headers));
  assert.deepEqual(headers.map((one) => one.get("Authorization")), ["Bearer t", "Bearer t", "Bearer new"]);
  assert.equal(new Set(headers.map((one) => one.get("Idempotency-Key"))).size, 1);
});

test("what is no API key is sent nowhere", async () => {
  // A file of a key ends with a line feed.
  assert.doesNotThrow(() => clientOf([], undefined, `chk_${"a".repeat(43)}\n`));
  const { client, sent } = clientOf([]);
  const k = (count: number) => "k".repeat(count);
  for (const text of ["", "key", "chk_", `${k(43)}\nk`, `chk_${k(42)}é`, `a password ${k(32)}`]) {
    assert.throws(() => clientOf([], undefined, text), /this is no API key/);
    await assert.rejects(client.loginWithApiKey(text), /this is no API key/);
  }
  assert.equal(sent.length, 0);
});

test("a change that never left is sent again", async () => {
  const { client, sent } = clientOf([failing("ECONNREFUSED"), done]);
  await client.keys.create(CREATE);
  assert.equal(sent.length, 2);
});

test("a certificate that is not trusted is not asked for again", async () => {
  const { client, sent } = clientOf([failing("UNABLE_TO_VERIFY_LEAF_SIGNATURE")]);
  await assert.rejects(client.keys.get("u"), TransportError);
  assert.equal(sent.length, 1);
});

test("an answer that does not come in time is lost", async () => {
  const never: Step = ({ init }) =>
    new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const { client } = clientOf([never]);
  await assert.rejects(client.roles.delete("u", { timeoutMs: 20 }), /no answer within 20 ms/);
});

test("answers that are not as described say so", async () => {
  const { client } = clientOf([() => new Response("<html>a proxy</html>"), () => Response.json({ hello: "world" })]);
  await assert.rejects(client.keys.get("u"), (error) => error instanceof UnexpectedAnswer && /not JSON/.test(error.message));
  await assert.rejects(client.keys.get("u"), /no envelope/);
});

test("an answer without end is read up to a bound", async () => {
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    sent += 1;
    controller.enqueue(new Uint8Array(1 << 20));
  };
  const { client, sent: calls } = clientOf([() => new Response(new ReadableStream({ pull }))]);
  await assert.rejects(client.keys.get("u"), (error) => error instanceof UnexpectedAnswer && /67108864/.test(error.message));
  assert.equal(calls.length, 1);
  assert(sent < 70, `${sent} MiB were taken`);
});

test("a login that answers anything is an error of this package", async () => {
  for (const text of ["[".repeat(100_000), "[]", '{"response": null}', '{"response": {"fullyLoggedIn": "yes"}}']) {
    const { client } = clientOf([() => new Response(text)]);
    await assert.rejects(client.login("a", "b"), UnexpectedAnswer, text.slice(0, 50));
  }
});

test("a refusal that says anything is a refusal", async () => {
  for (const text of ["[".repeat(100_000), "[]", '{"errorCode": [], "response": {"message": {}, "field": 7, "errors": "all"}}']) {
    const { client } = clientOf([() => new Response(text, { status: 400 })]);
    await assert.rejects(client.keys.get("u"), (error) => error instanceof ApiError && error.errors.length === 0);
  }
});

test("what is no answer of HTTP is a lost one", async () => {
  const heads = ["101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x", "999 Odd\r\nContent-Length: 0", "x"];
  const { cert, key } = await certificate();
  for (const head of heads) {
    const server = createServer({ cert, key }, (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(`HTTP/1.1 ${head}\r\n\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new Client({ baseUrl, token: "t", fetch: nodeFetch({ ca: cert }), timeoutMs: 10_000 });
    await assert.rejects(client.roles.delete("u"), TransportError, head);
    server.close();
  }
});

/** Of a server of the tests' own. */
async function certificate(): Promise<{ cert: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), "certificate-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=test"];
  execFileSync("openssl", [...words, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], { stdio: "pipe" });
  const found = { cert: await readFile(cert, "utf8"), key: await readFile(key, "utf8") };
  await rm(folder, { recursive: true });
  return found;
}

test("another number of tokens is no answer", async () => {
  for (const answer of [{ tokens: [] }, { tokens: ["1", "2"] }, { tokens: ["1"], ivs: [] }]) {
    const { client } = clientOf([() => Response.json({ response: answer })]);
    await assert.rejects(client.tokenizeMany("11111111-2222-4333-8444-555555555555", ["4"]), /values for the 1 that were sent/);
  }
});

test("names in paths and queries are escaped", async () => {
  const { client, sent } = clientOf([done, done]);
  await client.tokenProfiles.template("a/b c?");
  await client.signingRequests.list({ metadata: { "a b": "c&d" }, state: "Signed" });
  assert.equal(sent[0]?.url, "https://server.example/api/v2/token-profiles/template/a%2Fb%20c%3F");
  const query = new URL(sent[1]?.url ?? "").searchParams;
  assert.deepEqual(Object.fromEntries(query), { "metadata.a b": "c&d", state: "Signed" });
});
