// A relay that takes every mail and keeps it, for tests that need the codes in them.

import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

export class Relay {
  /** The last mail to each address. */
  readonly #mails = new Map<string, string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((socket) => void this.#take(socket).catch(() => socket.destroy()));
    // It keeps no test from ending.
    this.#server.unref();
  }

  /** Listens on a free port. */
  static async listen(): Promise<Relay> {
    const relay = new Relay();
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  /** What makes a server send by it. */
  get words(): string[] {
    const { port } = this.#server.address() as AddressInfo;
    return ["--smtp-host", "127.0.0.1", "--smtp-port", String(port), "--smtp-tls", "none", "--smtp-from", "kms@example.org"];
  }

  /** The code that was mailed last to an address. */
  code(address: string): string {
    const code = /^ {4}(\S+)$/m.exec(this.#mails.get(address) ?? "");
    if (!code?.[1]) throw new Error(`no code was mailed to ${address}`);
    return code[1];
  }

  /** One connection, in as much of RFC 5321 as a client needs. */
  async #take(socket: Socket): Promise<void> {
    socket.unref();
    socket.write("220 relay.test\r\n");
    let to = "";
    let mail: string[] | undefined;
    for await (const line of createInterface({ input: socket })) {
      if (mail) {
        if (line !== ".") {
          mail.push(line);
          continue;
        }
        this.#mails.set(to, mail.join("\n"));
        mail = undefined;
      }
      to = /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? to;
      if (line === "DATA") mail = [];
      socket.write(line === "DATA" ? "354 go on\r\n" : line === "QUIT" ? "221 bye\r\n" : "250 taken\r\n");
    }
  }
}
