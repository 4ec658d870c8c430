"""A relay that takes every mail and keeps it, for tests that need the codes in them."""

from __future__ import annotations

import socketserver
import threading


class Relay(socketserver.ThreadingTCPServer):
    """Listens on a free port; `mails` has the last mail to each address."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.mails: dict[str, str] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def arguments(self) -> list[str]:
        """What makes a server send by it."""
        port = str(self.server_address[1])
        return ["--smtp-host", "127.0.0.1", "--smtp-port", port, "--smtp-tls", "none", "--smtp-from", "kms@example.org"]

    def code(self, address: str) -> str:
        """The code that was mailed last to an address."""
        [code] = [line.strip() for line in self.mails[address].splitlines() if line.startswith("    ")]
        return code


class Taking(socketserver.StreamRequestHandler):
    """One connection, in as much of RFC 5321 as a client needs."""

    server: Relay

    def handle(self) -> None:
        self.wfile.write(b"220 relay.test\r\n")
        to = ""
        while line := self.rfile.readline().decode().rstrip("\r\n"):
            if line.startswith("RCPT TO:<"):
                to = line.removeprefix("RCPT TO:<").split(">")[0]
            if line == "DATA":
                self.wfile.write(b"354 go on\r\n")
                mail = ""
                while (part := self.rfile.readline().decode()) not in ("", ".\r\n"):
                    mail += part
                self.server.mails[to] = mail
            self.wfile.write(b"221 bye\r\n" if line == "QUIT" else b"250 taken\r\n")
