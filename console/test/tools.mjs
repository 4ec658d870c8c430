// The tools of the tests: a browser that complains of everything it should not have to, and calls of the interface beside it.

import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";

const require = createRequire(join(needed("CHANCERY_NODE_TOOLS"), "node_modules/"));
const { chromium } = require("playwright-core");
const AXE = require("axe-core").source;
const jsqr = require("jsqr");

export const BASE = needed("CHANCERY_BASE");
const SHOTS = process.env.CHANCERY_SHOTS;
/** Of whoever works on the console: its files from this folder, in the place of those in the program. */
const FOLDER = process.env.CONSOLE_FOLDER;

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

export const sizes = { desktop: { width: 1280, height: 900 }, telephone: { width: 360, height: 740 } };

/** What a telephone reads off a QR code on the screen. */
export async function scanned(page, locator) {
  const picture = (await locator.screenshot()).toString("base64");
  const { pixels, width, height } = await page.evaluate(async (picture) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(picture), (one) => one.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    return { pixels: [...canvas.getImageData(0, 0, bitmap.width, bitmap.height).data], width: bitmap.width, height: bitmap.height };
  }, picture);
  return (jsqr.default ?? jsqr)(Uint8ClampedArray.from(pixels), width, height)?.data;
}

/** Chromium without the window around its pages, which takes as much of a processor as they do. */
const PAGES_ALONE = "/usr/bin/chromium-headless-shell";
export const WHOLE = "/usr/bin/chromium";

/** A browser; who runs as root has no sandbox. */
export const launch = (executablePath = PAGES_ALONE, more = []) => chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...more] });

/**
 * A context of its own with one page. What the page complains of is kept in `complaints`, and what it asked other hosts for.
 */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: sizes.desktop, colorScheme: "light", locale: "en-GB", timezoneId: "Europe/Berlin", reducedMotion: "reduce", ...options });
  const complaints = [];
  context.on("weberror", (error) => complaints.push(`error: ${error.error()}`));
  context.on("console", (message) => {
    // A refusal that a journey provokes is no fault of the page.
    const isRefusal = /Failed to load resource: the server responded with a status of 4/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(`${message.type()}: ${message.text()}`);
  });
  context.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(BASE) && !url.startsWith("blob:") && !url.startsWith("data:")) complaints.push(`asked another host: ${url}`);
  });
  context.on("page", watch);
  if (FOLDER) await context.route((url) => url.href.startsWith(`${BASE}/console/`), fromFolder);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return { context, page, complaints };
}

async function fromFolder(route) {
  const path = new URL(route.request().url()).pathname.replace("/console/", "");
  const type = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" }[extname(path)];
  await route.fulfill({ body: await readFile(join(FOLDER, path)), contentType: `${type}; charset=utf-8` });
}

/** Logs people in, one after the other, on the login page. */
export async function logIn(page, people, address = "/") {
  await page.goto(BASE + address);
  for (const { username, password } of people) {
    await page.getByLabel("Name").fill(username);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.waitForFunction(() => document.querySelector("nav") || document.querySelector(".half") || document.querySelector(".problem"));
  }
  await page.getByRole("navigation").waitFor();
}

/** Goes to an address of the console and waits until it is there. */
export async function visit(page, hash) {
  await page.evaluate((to) => {
    document.querySelector("main")?.setAttribute("data-left", "");
    document.querySelector("main")?.replaceChildren();
    if (location.hash === to) window.dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = to;
  }, hash);
  await page.locator("main h1").waitFor();
  await settled(page);
}

/** How many calls of a page are under way, and when that was last another number. */
const calls = new WeakMap();

/** Of each page by itself: calls of one that is closed meanwhile neither finish nor fail. */
function watch(page) {
  const state = { open: 0, since: Date.now() };
  calls.set(page, state);
  // What is open as long as the page is not waited for.
  const isLive = (request) => request.headers().accept === "text/event-stream";
  const count = (step) => (request) => isLive(request) || Object.assign(state, { open: state.open + step, since: Date.now() });
  page.on("request", count(1));
  page.on("requestfinished", count(-1));
  page.on("requestfailed", count(-1));
}

/** Waits until what was done to a page is drawn. */
export const frames = (page) => page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));

/** Waits until nothing is being read any more: a page that has all it asked for asks on within this time, or not at all. */
export async function settled(page) {
  // What was just done to the page has not asked for anything yet.
  await frames(page);
  const state = calls.get(page);
  for (let tries = 0; tries < 1000; tries += 1) {
    if (state.open === 0 && Date.now() - state.since > 100) return;
    await page.waitForTimeout(25);
  }
  throw new Error(`${page.url()} is still reading`);
}

/** What axe-core finds against WCAG 2.2 AA and its own best practices. */
export async function axe(page) {
  // Half a megabyte, which a page is given once: a place in the console is no new page.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  return found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).slice(0, 3).join(" | ")}`);
}

/** A picture of the whole page. */
export async function shoot(page, name) {
  if (!SHOTS) return;
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Calls of the interface by somebody, beside the browser. */
export async function caller(people) {
  let cookie = "";
  const call = async (method, path, body) => {
    const headers = { ...(cookie ? { cookie } : {}), ...(body === undefined ? {} : { "content-type": "application/json" }) };
    const answer = await fetch(BASE + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    const text = await answer.text();
    assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
    const read = JSON.parse(text);
    return read.response ?? read;
  };
  for (const { username, password } of people) {
    const authCredentials = { username, password: Buffer.from(password).toString("base64") };
    await call("POST", "/home/v1/login", { authType: "userpass", authCredentials });
  }
  return call;
}
