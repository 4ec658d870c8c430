"""An OpenID Connect provider that is not ours (oidc-provider, for Node), and what a browser does with its pages."""

from __future__ import annotations

import pathlib
import re
import subprocess
import time

import httpx
from recording import ROOT

from chancery._wire import tls_context

#: Where browsers would reach the servers of these tests. Nobody follows a redirect to it.
ORIGIN = "https://kms.example.org"
CALLBACK = f"{ORIGIN}/home/v1/login/oidc/callback"

STARTS_MAX = 5
START_MAX_S = 15


class Provider:
    """It listens at a free port until it is stopped, and believes whatever name somebody types."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.authority = folder / "provider.pem"
        self._log = folder / "provider.log"
        # Node 20 stands still now and then while it makes keys.
        for _ in range(STARTS_MAX):
            with self._log.open("wb") as output:
                program = ROOT / "crates/chancery-testkit/src/identity_provider.mjs"
                command: list[str | pathlib.Path] = ["node", program, ROOT / "target/tools/node", "0", folder, "one", CALLBACK]
                self._process = subprocess.Popen(command, stdout=output, stderr=output)
            if issuer := self._issuer():
                self.issuer = issuer
                return
            self.stop()
        raise AssertionError(f"the provider does not start: {self._log.read_text()}")

    def _issuer(self) -> str | None:
        started = time.monotonic()
        while self._process.poll() is None and time.monotonic() - started < START_MAX_S:
            if found := re.search(r"^listening at (\S+)$", self._log.read_text(), re.MULTILINE):
                return found[1]
            time.sleep(0.05)
        return None

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def arguments(self) -> list[str]:
        """What makes a server let people log in by it."""
        networks = ["--provider-networks", "127.0.0.1", "--limit", "provider-wait-max=20"]
        return ["--provider-ca", str(self.authority), *networks, "--public-origin", ORIGIN]

    def log_in(self, address: str, name: str) -> dict[str, str]:
        """Where a login leads whose person types this name: what the callback is called with."""
        with httpx.Client(verify=tls_context(str(self.authority)), trust_env=False, timeout=60) as browser:
            page = browser.get(address)
            while True:
                if page.next_request is not None:
                    to = page.next_request.url
                    if str(to).startswith(CALLBACK):
                        return dict(to.params)
                    page = browser.get(to)
                elif 'name="login"' in page.text:
                    page = browser.post(page.url, data={"prompt": "login", "login": name, "password": "x"})
                else:
                    assert 'value="consent"' in page.text, page.text
                    page = browser.post(page.url, data={"prompt": "consent"})
