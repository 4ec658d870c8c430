// Logins, tokens, TLS and errors, against the server.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError, Client, TransportError } from "../src/index.js";
import { nodeFetch } from "../src/node.js";
import { admin, newClient, server } from "./server.js";
import { newName } from "./tour.js";

/** Whether an error is a refusal with this code. */
function refused(errorCode: string | undefined, status: number): (error: unknown) => true {
  return (error) => {
    assert(error instanceof ApiError, String(error));
    assert.deepEqual([error.errorCode, error.status], [errorCode, status]);
    return true;
  };
}

async function newApiKey(): Promise<string> {
  const administrators = await admin();
  const [role] = (await administrators.roles.list({ search: "Auditor" })).results;
  assert(role);
  const body = { name: newName(), kind: "Application", roleUuids: [role.objInfo.uuid] } as const;
  const { apiKey } = await administrators.identities.create({ ...body, roleUuids: [...body.roleUuids] });
  assert(apiKey);
  return apiKey;
}

test("two logins make one session", async () => {
  const { admins } = await server();
  const client = await newClient();
  const [first, second] = admins;
  assert(!(await client.login(first.username, first.password)).fullyLoggedIn);
  await assert.rejects(client.roles.list(), refused("InvalidAuthToken", 401));
  await assert.rejects(client.login(second.username, "wrong"), refused("InvalidAuthToken", 401));
  assert((await client.login(second.username, second.password)).fullyLoggedIn);
  assert((await client.roles.list()).results.length > 0);
  await client.logout();
  await assert.rejects(client.roles.list(), refused("InvalidAuthToken", 401));
});

test("an API key logs in again when its session ended, once for all calls", async () => {
  const client = await newClient({ apiKey: await newApiKey() });
  await client.audit.list({ pageSize: 1 });
  await client.session.logout();
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.audit.list({ pageSize: 1 })));
  assert(answers.every((one) => one.items.length === 1));
});

test("a token from elsewhere is enough", async () => {
  const { token } = await (await admin()).session.token();
  assert((await (await newClient({ token })).roles.list()).results.length > 0);
});

test("errors say which member is at fault", async () => {
  const client = await admin();
  const { demo } = await server();
  await assert.rejects(client.tokenize(demo.tokenProfileUuid, "4111111111111112"), (error) => {
    assert(error instanceof ApiError);
    assert.deepEqual([error.status, error.errorCode, error.field], [400, "InvalidValue", "/message"]);
    assert(error.requestId && error.message.includes(error.requestId));
    return true;
  });
  await assert.rejects(client.keys.get(demo.tokenProfileUuid), refused("InvalidSelection", 404));
  await assert.rejects(client.public.crl("nothing.crl"), refused(undefined, 404));
});

test("an authority that is not trusted is refused at once", async () => {
  const { base, ca } = await server();
  const client = new Client({ baseUrl: base, retries: { firstWaitMs: 60_000 } });
  await assert.rejects(client.server.health(), TransportError);
  // Another authority than the server's: the system's alone are in the client above.
  assert.throws(() => nodeFetch({ ca: ca.replaceAll("CERTIFICATE", "NOTHING") }), /no certificate in PEM/);
});

test("plain http has to be asked for", async () => {
  assert.throws(() => new Client({ baseUrl: "http://127.0.0.1:1" }), /allowHttp/);
  const client = new Client({ baseUrl: "http://127.0.0.1:1", allowHttp: true, retries: { max: 0 } });
  await assert.rejects(client.server.health(), TransportError);
});

test("a signal ends a call with its own reason", async () => {
  const client = await admin();
  const signal = AbortSignal.abort(new Error("changed my mind"));
  await assert.rejects(client.roles.list({}, { signal }), /changed my mind/);
});
