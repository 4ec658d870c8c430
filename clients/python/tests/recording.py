"""Which operations were called, and how they were answered."""

from __future__ import annotations

import inspect
import json
import pathlib
import re
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from chancery._wire import tls_context

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
DOCUMENT = json.loads((ROOT / "docs/openapi.json").read_text(encoding="utf-8"))


class Recorder(httpx.HTTPTransport):
    """A transport that keeps every call's operation and status."""

    def __init__(self, ca_file: str) -> None:
        super().__init__(verify=tls_context(ca_file))
        self.answers: dict[str, set[int]] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        path = request.url.raw_path.split(b"?")[0].decode()
        self.answers.setdefault(operation_of(request.method, path), set()).add(response.status_code)
        return response


class AsyncRecorder(httpx.AsyncHTTPTransport):
    """The same for asynchronous clients."""

    def __init__(self, ca_file: str) -> None:
        super().__init__(verify=tls_context(ca_file))
        self.answers: dict[str, set[int]] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        path = request.url.raw_path.split(b"?")[0].decode()
        self.answers.setdefault(operation_of(request.method, path), set()).add(response.status_code)
        return response


class Awaited:
    """An asynchronous client, or a part of one, of which each call is awaited at once."""

    def __init__(self, part: object, run: Callable[[Awaitable[Any]], Any]) -> None:
        self._part = part
        self._run = run

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if not inspect.ismethod(found):
            return Awaited(found, self._run)

        def call(*values: Any, **members: Any) -> Any:
            made = found(*values, **members)
            return self._run(made) if inspect.isawaitable(made) else made

        return call


# What takes a person's browser: no client has a method for it.
FOR_BROWSERS = {
    "POST /home/v1/login/oidc",
    "GET /home/v1/login/oidc/callback",
    "POST /home/v1/login/passkey",
    "POST /api/v2/identities/{uuid}/passkeys/begin",
    "POST /api/v2/identities/{uuid}/passkeys",
    "PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
    "DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
    "POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm",
    "GET /api/v2/x509/signing-requests/{uuid}/approval-statement",
    "GET /api/v2/x509/proposals/{uuid}/approval-statement",
}


def operations() -> list[str]:
    """`METHOD path` of every operation of the document that programs call, those with fewer parameters first."""
    found = [f"{method.upper()} {path}" for path, item in DOCUMENT["paths"].items() for method in item]
    return sorted(set(found) - FOR_BROWSERS, key=lambda operation: operation.count("{"))


def operation_of(method: str, path: str) -> str:
    """The operation that a call is of."""
    for operation in operations():
        its_method, its_path = operation.split(" ", 1)
        pattern = "(.+)".join(re.escape(part) for part in re.split(r"\{tile\}", its_path))
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", pattern)
        if method == its_method and re.fullmatch(pattern, path):
            return operation
    raise AssertionError(f"{method} {path} is no operation of the document")
