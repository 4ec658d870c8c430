"""The README's examples, run one after the other, as whoever reads it would."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


def test_the_examples_run(state: dict[str, Any], folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    examples = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 8
    names: dict[str, Any] = {"__name__": "readme"}
    for example in examples:
        example = example.replace("https://127.0.0.1:8443", state["base"])
        exec(compile(example, str(README), "exec"), names)
    assert names["signature"].startswith(b"\x30")
