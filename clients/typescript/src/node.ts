// What Node has and browsers have not: certificate authorities of one's own.

import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { Readable } from "node:stream";

/** How `nodeFetch` connects. */
export interface NodeOptions {
  /** The authorities that a server's certificate may come from, in PEM, and no others. */
  ca: string | Uint8Array;
}

/** A `fetch` for https: that trusts these authorities: `new Client({ baseUrl, fetch: nodeFetch({ ca }) })`. */
export function nodeFetch(options: NodeOptions): typeof fetch {
  const ca = typeof options.ca === "string" ? options.ca : new TextDecoder().decode(options.ca);
  if (!ca.includes("BEGIN CERTIFICATE")) throw new TypeError("ca holds no certificate in PEM");
  const agent = new Agent({ ca, keepAlive: true, minVersion: "TLSv1.2" });
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const wanted = new Request(input, init);
      const headers = Object.fromEntries(wanted.headers);
      const signal = init.signal ?? undefined;
      const sent = request(wanted.url, { method: wanted.method, headers, agent, ...(signal && { signal }) }, (answer) => {
        try {
          resolve(responseOf(answer, wanted.method));
        } catch (error) {
          // A status or a reason that no Response can have.
          answer.destroy();
          reject(error);
        }
      });
      sent.on("error", reject);
      sent.on("upgrade", (_, socket) => socket.destroy());
      // After an answer or an error this changes nothing.
      sent.on("close", () => reject(new Error("the connection was closed without an answer")));
      wanted.arrayBuffer().then((octets) => sent.end(new Uint8Array(octets)), reject);
    });
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] as string, answer.rawHeaders[at + 1] as string);
  }
  const hasBody = ![204, 205, 304].includes(status) && method !== "HEAD";
  const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
  const response = new Response(body, { status, statusText: answer.statusMessage ?? "", headers });
  if (!hasBody) answer.resume();
  return response;
}
