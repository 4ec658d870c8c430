// What Node has and browsers have not: certificate authorities of one's own.

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
        const status = answer.statusCode ?? 0;
        const received = new Headers();
        for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
          received.append(answer.rawHeaders[at] as string, answer.rawHeaders[at + 1] as string);
        }
        const hasBody = ![204, 304].includes(status) && wanted.method !== "HEAD";
        const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
        if (!hasBody) answer.resume();
        resolve(new Response(body, { status, statusText: answer.statusMessage ?? "", headers: received }));
      });
      sent.on("error", reject);
      wanted.arrayBuffer().then((octets) => sent.end(new Uint8Array(octets)), reject);
    });
}
