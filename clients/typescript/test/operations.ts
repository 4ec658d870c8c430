// Every operation of the document is there and succeeds.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "../src/index.js";
import { nodeFetch } from "../src/node.js";
import { operations, recording } from "./recording.js";
import { server } from "./server.js";
import { Tour } from "./tour.js";

test("every operation succeeds", async () => {
  const state = await server();
  const { base, ca, admins, approver } = state;
  const answers = new Map<string, Set<number>>();
  const fetch = recording(nodeFetch({ ca }), answers);
  const [administrators, another, visitor] = [1, 2, 3].map(() => new Client({ baseUrl: base, fetch })) as [Client, Client, Client];
  for (const { username, password } of admins) await administrators.login(username, password);
  await another.login(approver.username, approver.password);
  await new Tour(administrators, another, state).run(visitor);
  await another.logout();
  assert.deepEqual(operations().filter((one) => !answers.has(one)), [], "never called");
  assert.deepEqual([...answers].filter(([, statuses]) => Math.max(...statuses) >= 400), []);
});
