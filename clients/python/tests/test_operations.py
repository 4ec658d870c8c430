"""Every operation of the document is there, succeeds, and was made from the document as it is."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from recording import DOCUMENT, ROOT, Recorder, operations
from tour import Tour

import chancery
from chancery import Client
from chancery.errors import BY_CODE


def test_every_operation_succeeds(state: dict[str, Any]) -> None:
    recorder = Recorder(state["caFile"])
    administrators, approver = (Client(state["base"], transport=recorder) for _ in range(2))
    for one in state["admins"]:
        administrators.login(one["username"], one["password"])
    approver.login(state["approver"]["username"], state["approver"]["password"])
    Tour(administrators, approver, state["demo"]).run()
    approver.logout()
    never = [one for one in operations() if 200 not in recorder.answers.get(one, set())]
    assert never == []
    failed = {one: found for one, found in recorder.answers.items() if max(found) >= 400}
    assert failed == {}


def test_generated_files_are_up_to_date() -> None:
    command = [sys.executable, "-B", str(ROOT / "clients/generate"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_every_error_code_has_a_class() -> None:
    codes = set(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"]) - {"Success"}
    assert codes == set(BY_CODE)
    assert codes < set(chancery.__all__)
