// A server of the tests' own: a demonstration installation on a free port, of the program that CHANCERY_BINARY names.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import { Client } from "../src/index.js";
import { nodeFetch } from "../src/node.js";
import { Provider } from "./provider.js";
import { Relay } from "./relay.js";

const START_MAX_MS = 120_000;

export interface Person {
  username: string;
  password: string;
}

/** The server, as its own file describes it. */
export interface State {
  base: string;
  admins: [Person, Person];
  approver: Person;
  demo: Record<"tokenProfileUuid" | "rootCertificateUuid" | "serviceUuid" | "policyUuid", string>;
  /** The authority of its own certificate, in PEM. */
  ca: string;
  /** Where it works: its data are in `chancery-data`. */
  folder: string;
  /** What it sends mails by. */
  relay: Relay;
  /** By which people log in. */
  provider: Provider;
}

let stopStarted = async (): Promise<void> => undefined;

// Here and not where it is started, which is within some test, and would be for the end of that one.
after(() => stopStarted());

async function start(): Promise<State> {
  const binary = process.env["CHANCERY_BINARY"];
  if (!binary) throw new Error("CHANCERY_BINARY has to name the chancery program");
  const folder = mkdtempSync(join(tmpdir(), "chancery-"));
  const [relay, provider] = [await Relay.listen(), await Provider.start()];
  const words = ["quickstart", "--data", "chancery-data", "--listen", "127.0.0.1:0", ...relay.words, ...provider.words];
  const server = spawn(binary, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  stopStarted = () => {
    provider.stop();
    return stop(server, folder);
  };
  await isReady(server);
  const data = join(folder, "chancery-data");
  const state = JSON.parse(readFileSync(join(data, "quickstart.json"), "utf8")) as Omit<State, "ca" | "folder" | "relay" | "provider">;
  return { ...state, ca: readFileSync(join(data, "tls/ca.pem"), "utf8"), folder, relay, provider };
}

function isReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const late = setTimeout(() => reject(new Error(`the server is not ready in time: ${said}`)), START_MAX_MS);
    const hear = (words: Buffer) => {
      said += words.toString();
      if (said.includes("until Ctrl-C.")) {
        clearTimeout(late);
        resolve();
      }
    };
    server.stdout?.on("data", hear);
    server.stderr?.on("data", hear);
    server.on("exit", (status) => reject(new Error(`the server ended with ${status}: ${said}`)));
  });
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  if (server.exitCode === null && server.kill()) await ended;
  rmSync(folder, { recursive: true, force: true });
}

let started: Promise<State> | undefined;

/** The one server of all tests. */
export function server(): Promise<State> {
  started ??= start();
  return started;
}

/** A client of it that trusts its authority. */
export async function newClient(options: { apiKey?: string; token?: string } = {}): Promise<Client> {
  const { base, ca } = await server();
  return new Client({ baseUrl: base, fetch: nodeFetch({ ca }), ...options });
}

let administrators: Promise<Client> | undefined;

/** The two administrators. */
export function admin(): Promise<Client> {
  administrators ??= loggedIn((state) => state.admins);
  return administrators;
}

/** A client for these people. */
export async function loggedIn(people: (state: State) => Person[]): Promise<Client> {
  const client = await newClient();
  for (const { username, password } of people(await server())) await client.login(username, password);
  return client;
}
