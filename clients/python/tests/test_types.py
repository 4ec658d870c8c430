"""The package keeps what py.typed promises, and its tests use it as it is meant."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parent.parent


def test_mypy_is_content(tmp_path: pathlib.Path) -> None:
    command = [sys.executable, "-m", "mypy", "--cache-dir", os.environ.get("MYPY_CACHE_DIR", str(tmp_path)), "src", "tests"]
    environment = {**os.environ, "MYPYPATH": "src:tests"}
    ran = subprocess.run(command, cwd=PACKAGE, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
