// What needs no browser: every language has every text with the same places, and what is hidden is shown as in the server.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { whole } from "../parts/der.js";
import { directoryName } from "../parts/directory-name.js";
import { Sha256 } from "../parts/hashes.js";
import de from "../text/de.js";
import en from "../text/en.js";
import { HIDDEN, folded, shownText, strayLetter } from "../visible.js";

/** Words that English makes of the interface's own names. */
const NAMES = /^(action|template)\./;

test("every language has the same texts with the same places", () => {
  const shared = Object.keys(de).filter((key) => !NAMES.test(key));
  assert.deepEqual(shared.sort(), Object.keys(en).sort());
  const places = (text) => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort();
  for (const [key, text] of Object.entries(en)) assert.deepEqual(places(de[key]), places(text), key);
});

test("the same characters are hidden as in the server", async () => {
  const source = await readFile(new URL("../../crates/chancery-types/src/hidden.rs", import.meta.url), "utf8");
  const body = source.slice(source.indexOf("pub fn hides"), source.indexOf("\n}\n"));
  const ranges = [...body.matchAll(/'\\u\{([0-9a-f]+)\}'(?:\.\.='\\u\{([0-9a-f]+)\}')?/g)].map(([, from, to]) => [parseInt(from, 16), parseInt(to ?? from, 16)]);
  assert.ok(ranges.length >= 15, "the server's list was found");
  const hides = (point) => point < 0x20 || (point >= 0x7f && point < 0xa0) || ranges.some(([from, to]) => point >= from && point <= to);
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    assert.equal(HIDDEN.test(String.fromCodePoint(point)), hides(point), point.toString(16));
  }
});

test("marks are not piled on a letter beyond what is written somewhere", () => {
  assert.equal(shownText("e\u0301\u0302\u0303x"), "e\u0301\u0302\u0303x");
  assert.equal(shownText(`a${"\u0301".repeat(5)}.tar`), "a\u0301\u0301\u0301[U+0301][U+0301].tar");
});

test("a letter that looks like a Latin one among them is told, and other scripts are not", () => {
  assert.deepEqual(strayLetter("\u0410dmin1"), { letter: "\u0410", number: "U+0410", script: "Cyrillic" });
  for (const name of ["Admin1", "\u0410\u043d\u043d\u0430 1", "\u4e2d\u6587 Admin"]) assert.equal(strayLetter(name), undefined);
});

test("letter case, spelling and blanks make no other name, as in the server", async () => {
  const source = await readFile(new URL("../../crates/chancery-core/src/base/text.rs", import.meta.url), "utf8");
  const body = source.slice(source.indexOf("fn letter_case_and_spelling_make_no_other_name"));
  const text = (/** @type {string} */ rust) => rust.replace(/\\u\{([0-9a-f]+)\}/g, (_, point) => String.fromCodePoint(parseInt(point, 16)));
  const pairs = [...body.matchAll(/\("([^"]+)", "([^"]+)"\),/g)].map(([, one, other]) => [text(one), text(other)]);
  assert.ok(pairs.length >= 8, "the server's list was found");
  for (const [one, other] of [...pairs, [" a\u00a0 b", "A b "]]) assert.equal(folded(one), folded(other), `${one} ${other}`);
  for (const [one, other] of [["a.exe", "b.exe"], ["ab", "a b"]]) assert.notEqual(folded(one), folded(other));
});

test("our own SHA-256 agrees with OpenSSL's, however the bytes come", () => {
  const bytes = new Uint8Array(1000).map((_, index) => (index * 7 + (index >> 3)) & 0xff);
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000]) {
    for (const piece of [1, 3, 64, 100, 1000]) {
      const hash = new Sha256();
      for (let start = 0; start < length; start += piece) hash.update(bytes.subarray(start, Math.min(start + piece, length)));
      const expected = createHash("sha256").update(bytes.subarray(0, length)).digest("hex");
      assert.equal(Buffer.from(hash.digest()).toString("hex"), expected, `${length} by ${piece}`);
    }
  }
});

test("the audit page can be filtered by every outcome that there is", async () => {
  const read = (path) => readFile(new URL(path, import.meta.url), "utf8");
  const documented = JSON.parse(await read("../../docs/openapi.json")).components.schemas.ErrorCode;
  const page = await read("../pages/audit.js");
  const offered = [...page.slice(page.indexOf("const OUTCOMES"), page.indexOf("];", page.indexOf("const OUTCOMES"))).matchAll(/"(\w+)"/g)].map((found) => found[1]);
  assert.deepEqual(offered, documented.enum ?? documented.oneOf.map((one) => one.const));
  const german = Object.keys(de).filter((key) => key.startsWith("outcome.")).map((key) => key.slice("outcome.".length));
  assert.deepEqual(["Success", ...german], offered);
});

test("the audit page can be filtered by every action that there is", async () => {
  const read = (path) => readFile(new URL(path, import.meta.url), "utf8");
  const documented = [...(await read("../../docs/AUDIT.md")).matchAll(/^\| `([A-Z][A-Za-z]*)`/gm)].map((found) => found[1]);
  const page = await read("../pages/audit.js");
  const offered = [...page.slice(page.indexOf("const ACTIONS"), page.indexOf("];")).matchAll(/"(\w+)"/g)].map((found) => found[1]);
  assert.ok(documented.length > 70, "the list was found");
  assert.deepEqual(offered, documented);
  const german = Object.keys(de).filter((key) => key.startsWith("action.")).map((key) => key.slice("action.".length));
  assert.deepEqual(german, offered, "each has a German word");
});

test("directory names are printed as in the server", () => {
  const element = (tag, ...parts) => Buffer.concat([Buffer.from([tag, Buffer.concat(parts).length]), ...parts]);
  const part = (number, tag, text, encoding = "utf8") => element(0x30, element(0x06, Buffer.from(number, "hex")), element(tag, Buffer.from(text, encoding)));
  const [c, o, cn, own] = ["550406", "55040a", "550403", "2a0304"];
  const name = element(0x30, element(0x31, part(c, 0x13, "DE")), element(0x31, part(o, 0x0c, "#Ex, <am>\nple ")), element(0x31, part(own, 0x0c, "odd"), part(o, 0x14, "\u00fc", "latin1")), element(0x31, part(cn, 0x0c, "K\u00fcche")));
  assert.equal(directoryName(whole(new Uint8Array(name))), "CN=K\u00fcche,1.2.3.4=#0c036f6464+2.5.4.10=#1401fc,O=\\#Ex\\, \\<am\\>\\0aple\\ ,C=DE");
  assert.throws(() => directoryName(whole(new Uint8Array(element(0x30, Buffer.from([1]))))));
});
