"""Which operations were called, and how they were answered."""

from __future__ import annotations

import json
import pathlib
import re

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


def operations() -> list[str]:
    """`METHOD path` of every operation of the document, those with fewer parameters first."""
    found = [f"{method.upper()} {path}" for path, item in DOCUMENT["paths"].items() for method in item]
    return sorted(found, key=lambda operation: operation.count("{"))


def operation_of(method: str, path: str) -> str:
    """The operation that a call is of."""
    for operation in operations():
        its_method, its_path = operation.split(" ", 1)
        pattern = "(.+)".join(re.escape(part) for part in re.split(r"\{tile\}", its_path))
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", pattern)
        if method == its_method and re.fullmatch(pattern, path):
            return operation
    raise AssertionError(f"{method} {path} is no operation of the document")
