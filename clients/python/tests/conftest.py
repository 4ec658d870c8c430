"""A server of the tests' own: a demonstration installation on a free port, of the program that CHANCERY_BINARY names."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from provider import Provider
from relay import Relay

from chancery import Client

START_MAX_S = 120


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Where the server works, as it would after `chancery quickstart`: its data are in `chancery-data`."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="session")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    """By which people log in."""
    started = Provider(tmp_path_factory.mktemp("provider"))
    yield started
    started.stop()


@pytest.fixture(scope="session")
def state(folder: pathlib.Path, provider: Provider) -> Iterator[dict[str, Any]]:
    """The running server, as its own file describes it."""
    with running(folder, provider) as found:
        yield found


@pytest.fixture
def other_state(tmp_path: pathlib.Path, provider: Provider) -> Iterator[dict[str, Any]]:
    """A server that nobody has called yet."""
    with running(tmp_path, provider) as found:
        yield found


@contextlib.contextmanager
def running(folder: pathlib.Path, provider: Provider) -> Iterator[dict[str, Any]]:
    """A server in a folder."""
    binary = os.environ.get("CHANCERY_BINARY")
    assert binary, "CHANCERY_BINARY has to name the chancery program"
    log = folder / "log"
    relay = Relay()
    command = [binary, "quickstart", "--data", "chancery-data", "--listen", "127.0.0.1:0"]
    command += [*relay.arguments, *provider.arguments]
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        started = time.monotonic()
        while "until Ctrl-C." not in log.read_text():
            assert server.poll() is None, f"the server ended: {log.read_text()}"
            assert time.monotonic() - started < START_MAX_S, f"the server is not ready in time: {log.read_text()}"
            time.sleep(0.05)
        found: dict[str, Any] = json.loads((folder / "chancery-data/quickstart.json").read_text())
        found["caFile"] = str(folder / "chancery-data/tls/ca.pem")
        found["relay"], found["provider"] = relay, provider
        yield found
    finally:
        relay.shutdown()
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="session")
def admin(state: dict[str, Any]) -> Iterator[Client]:
    """The two administrators."""
    with Client(state["base"], ca=state["caFile"]) as client:
        for one in state["admins"]:
            client.login(one["username"], one["password"])
        yield client
