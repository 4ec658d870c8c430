// The README's examples, run one after the other, as whoever reads it would.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { ROOT } from "./recording.js";
import { server } from "./server.js";

test("the README's examples run", async () => {
  const { base, folder } = await server();
  const readme = readFileSync(`${ROOT}/clients/typescript/README.md`, "utf8");
  const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, text]) => text);
  assert(examples.length >= 5);
  const source = (file: string) => new URL(`../src/${file}`, import.meta.url).href;
  const program = examples
    .join("\n")
    .replaceAll("https://127.0.0.1:8443", base)
    .replaceAll('"@chancery/client"', JSON.stringify(source("index.js")))
    .replaceAll('"@chancery/client/node"', JSON.stringify(source("node.js")));
  const file = join(folder, "readme.mjs");
  writeFileSync(file, `${program}\nexport const ran = signature;\n`);
  const before = process.cwd();
  process.chdir(folder);
  try {
    const { ran } = (await import(pathToFileURL(file).href)) as { ran: Uint8Array };
    assert.equal(ran[0], 0x30);
  } finally {
    process.chdir(before);
  }
});
