"""Every operation of the document is there, succeeds, and was made from the document as it is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable
from typing import Any, cast

from recording import DOCUMENT, ROOT, AsyncRecorder, Awaited, Recorder, operations
from tour import Tour

import chancery
from chancery import AsyncClient, Client
from chancery.errors import BY_CODE


def test_every_operation_succeeds(state: dict[str, Any]) -> None:
    recorder = Recorder(state["caFile"])
    run_tour(state, *(Client(state["base"], transport=recorder) for _ in range(3)))
    all_succeeded(recorder.answers)


def test_every_operation_succeeds_asynchronously(other_state: dict[str, Any]) -> None:
    with asyncio.Runner() as runner:
        recorder = AsyncRecorder(other_state["caFile"])
        clients = [AsyncClient(other_state["base"], transport=recorder) for _ in range(3)]

        async def result_of(made: Awaitable[Any]) -> Any:
            return await made

        awaited = (Awaited(one, lambda made: runner.run(result_of(made))) for one in clients)
        run_tour(other_state, *(cast(Client, one) for one in awaited))
        all_succeeded(recorder.answers)


def run_tour(state: dict[str, Any], administrators: Client, approver: Client, visitor: Client) -> None:
    for one in state["admins"]:
        administrators.login(one["username"], one["password"])
    approver.login(state["approver"]["username"], state["approver"]["password"])
    Tour(administrators, approver, state).run(visitor)
    approver.logout()


def all_succeeded(answers: dict[str, set[int]]) -> None:
    assert [one for one in operations() if not answers.get(one)] == []
    assert {one: found for one, found in answers.items() if max(found) >= 400} == {}


def test_generated_files_are_up_to_date() -> None:
    command = [sys.executable, "-B", str(ROOT / "clients/generate"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_every_error_code_has_a_class() -> None:
    codes = set(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"]) - {"Success"}
    assert codes == set(BY_CODE)
    assert codes < set(chancery.__all__)
