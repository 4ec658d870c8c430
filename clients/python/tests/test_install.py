"""The package as pip installs it from the tree."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any

PACKAGE = pathlib.Path(__file__).resolve().parent.parent

PROGRAM = """
import pathlib, sys
import chancery
base, ca, username, password, other, its_password = sys.argv[1:]
with chancery.Client(base, ca=ca) as client:
    client.login(username, password)
    client.login(other, its_password)
    assert client.roles.list()["results"]
print(pathlib.Path(chancery.__file__).parent)
"""


def test_pip_installs_it_from_the_tree(tmp_path: pathlib.Path, state: dict[str, Any]) -> None:
    # The build back end and httpx are those of the tests: no index is asked.
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    folder = tmp_path / "installed"
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", folder, PACKAGE], check=True)
    [about] = folder.glob("chancery-*.dist-info")
    licences = {path.name: path.read_text(encoding="utf-8") for path in about.rglob("LICENSE-*")}
    assert licences == {name: (PACKAGE / name).read_text(encoding="utf-8") for name in ("LICENSE-APACHE", "LICENSE-MIT")}
    metadata = (about / "METADATA").read_text(encoding="utf-8")
    assert "Requires-Dist: httpx" in metadata and "# Chancery for Python" in metadata
    assert (folder / "chancery/py.typed").exists()

    people = [text for one in state["admins"] for text in (one["username"], one["password"])]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", PROGRAM, state["base"], state["caFile"], *people]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert pathlib.Path(ran.stdout.strip()) == folder / "chancery"
