"""Which calls are made again, and after how long: with answers of the tests' own in the place of a server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx
import pytest

import chancery
from chancery import Client, Retries, _wire

Step = Callable[[httpx.Request], httpx.Response]
QUICK = Retries(max=3, first_wait_s=0.01)


def refused(status: int, code: str, retry_after: str | None) -> Step:
    def answer(_: httpx.Request) -> httpx.Response:
        headers = {} if retry_after is None else {"Retry-After": retry_after}
        body = {"success": False, "errorCode": code, "response": {"message": "Later.", "requestId": "7"}}
        return httpx.Response(status, json=body, headers=headers)

    return answer


def done(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"success": True, "errorCode": "Success", "response": {"uuid": "u"}})


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("the connection was reset", request=request)


def not_connected(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("nobody listens", request=request)


def client_of(
    *steps: Step, retries: Retries = QUICK, api_key: str | None = None
) -> tuple[Client, list[httpx.Request]]:
    """A client whose calls are answered by one step each; a call too many fails the test."""
    left, seen = list(steps), list[httpx.Request]()

    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return left.pop(0)(request)

    transport = httpx.MockTransport(handle)
    client = Client("https://server.example", token="t", api_key=api_key, transport=transport, retries=retries)
    return client, seen


@pytest.mark.parametrize(("status", "code"), [(429, "RateLimited"), (503, "Unavailable"), (503, "Sealed")])
def test_what_the_server_had_no_time_for_is_sent_again(status: int, code: str) -> None:
    client, seen = client_of(refused(status, code, "0"), refused(status, code, "0"), done)
    client.keys.create(name="a", keyTypeUuid="b")
    assert [request.content for request in seen] == [b'{"name": "a", "keyTypeUuid": "b"}'] * 3


def test_the_wait_is_as_long_as_the_server_asks_for() -> None:
    client, _ = client_of(refused(429, "RateLimited", "1"), done)
    started = time.monotonic()
    client.keys.get("u")
    assert time.monotonic() - started >= 1.0


def test_a_wait_that_is_too_long_is_left_to_the_caller() -> None:
    client, seen = client_of(refused(429, "RateLimited", "3600"))
    with pytest.raises(chancery.RateLimited) as error:
        client.keys.get("u")
    assert (error.value.retry_after, len(seen)) == (3600.0, 1)


def test_at_some_point_it_is_enough() -> None:
    client, seen = client_of(*[refused(503, "Unavailable", "0")] * 4)
    with pytest.raises(chancery.Unavailable):
        client.keys.get("u")
    assert len(seen) == 4


def test_an_unready_server_says_so_at_once() -> None:
    client, _ = client_of(lambda _: httpx.Response(503, json={"status": "unavailable"}))
    with pytest.raises(chancery.ApiError) as error:
        client.server.readiness()
    assert error.value.status == 503


def test_a_lost_answer_is_asked_for_again_where_that_does_no_harm() -> None:
    client, seen = client_of(lost, done, lost, done)
    client.keys.get("u")
    client.token_profiles.tokenize("u", message="m")
    assert len(seen) == 4


def test_a_lost_answer_to_a_change_is_an_error() -> None:
    client, seen = client_of(lost)
    with pytest.raises(chancery.TransportError, match="connection was reset"):
        client.roles.delete("u")
    assert len(seen) == 1


@pytest.mark.parametrize("step", [lost, refused(429, "RateLimited", "0"), refused(503, "Unavailable", "0")])
def test_a_login_by_a_provider_is_ended_once(step: Step) -> None:
    client, seen = client_of(step)
    with pytest.raises(chancery.ChanceryError):
        client.session.finish_oidc(code="c", state="s")
    assert len(seen) == 1


def test_a_call_with_a_key_is_made_again_under_the_same_key() -> None:
    client, seen = client_of(lost, done, done)
    client.keys.create(name="a", keyTypeUuid="b")
    client.keys.create(name="a", keyTypeUuid="b")
    first, again, other = (request.headers["Idempotency-Key"] for request in seen)
    assert first == again
    assert first != other


def test_a_lost_call_has_the_same_key_after_another_login() -> None:
    def logged_in(_: httpx.Request) -> httpx.Response:
        state = {"fullyLoggedIn": True}
        return httpx.Response(200, json={"response": state}, headers={"Set-Cookie": "session=s; Path=/"})

    def token(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"token": "new"})

    ended = refused(401, "InvalidAuthToken", None)
    client, seen = client_of(lost, ended, logged_in, token, done, api_key="chk_" + 43 * "k")
    client.keys.create(name="a", keyTypeUuid="b")
    sent = [request for request in seen if request.url.path == "/api/v2/keys"]
    assert [request.headers["Authorization"] for request in sent] == ["Bearer t", "Bearer t", "Bearer new"]
    assert len({request.headers["Idempotency-Key"] for request in sent}) == 1


@pytest.mark.parametrize("text", ["", "key", "chk_", 43 * "k" + "\nk", "chk_" + 42 * "k" + "é", "a password " + 32 * "k"])
def test_what_is_no_api_key_is_sent_nowhere(text: str) -> None:
    client, seen = client_of()
    # As `chancery identity create --out` writes it.
    assert _wire.checked_api_key(f"chk_{'a' * 43}\n") == f"chk_{'a' * 43}"
    with pytest.raises(ValueError, match="this is no API key"):
        client_of(api_key=text)
    with pytest.raises(ValueError, match="this is no API key"):
        client.login_with_api_key(text)
    assert seen == []


def test_a_change_that_never_left_is_sent_again() -> None:
    client, seen = client_of(not_connected, done)
    client.keys.create(name="a", keyTypeUuid="b")
    assert len(seen) == 2


def test_waits_grow_and_have_an_end() -> None:
    retries = Retries(max=10, first_wait_s=1.0, longest_wait_s=4.0)
    for attempt, longest in enumerate([1.0, 2.0, 4.0, 4.0]):
        waits = [retries.wait_s(attempt, None) for _ in range(100)]
        assert all(wait is not None and 0.0 <= wait <= longest for wait in waits)
        assert len(set(waits)) > 1, "they have to differ"
    assert retries.wait_s(10, None) is None


def test_answers_that_are_not_as_described_say_so() -> None:
    client, _ = client_of(lambda _: httpx.Response(200, text="<html>a proxy</html>"))
    with pytest.raises(chancery.UnexpectedAnswer, match="not JSON"):
        client.keys.get("u")
    client, _ = client_of(lambda _: httpx.Response(200, json={"hello": "world"}))
    with pytest.raises(chancery.UnexpectedAnswer, match="no envelope"):
        client.keys.get("u")


class Endless(httpx.SyncByteStream):
    """An answer that goes on, piece by piece."""

    def __init__(self, piece: bytes, every_s: float) -> None:
        self.piece, self.every_s, self.sent = piece, every_s, 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            time.sleep(self.every_s)
            self.sent += len(self.piece)
            yield self.piece


def test_an_answer_without_end_is_read_up_to_a_bound() -> None:
    stream = Endless(bytes(1 << 20), 0.0)
    client, seen = client_of(lambda _: httpx.Response(200, stream=stream))
    with pytest.raises(chancery.UnexpectedAnswer, match="more than 67108864 octets"):
        client.keys.get("u")
    assert (len(seen), stream.sent >> 20) == (1, 65)


def test_an_answer_that_drips_is_lost() -> None:
    step: Step = lambda _: httpx.Response(200, stream=Endless(b" ", 0.05))  # noqa: E731
    transport = httpx.MockTransport(step)
    with Client("https://server.example", token="t", transport=transport, timeout=0.3) as client:
        started = time.monotonic()
        with pytest.raises(chancery.TransportError, match=r"no whole answer within 0\.3 s"):
            client.roles.delete("u")
        assert time.monotonic() - started < 50.0


def test_a_compressed_answer_is_not_unpacked() -> None:
    packed = {"Content-Encoding": "gzip"}
    client, seen = client_of(lambda _: httpx.Response(200, headers=packed, stream=Endless(b"\x1f\x8b", 0.0)))
    with pytest.raises(chancery.UnexpectedAnswer, match="compressed"):
        client.keys.get("u")
    assert seen[0].headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("text", [100_000 * "[", "[]", '{"response": []}', '{"response": {"fullyLoggedIn": "yes"}}'])
def test_a_login_that_answers_anything_is_an_error_of_this_package(text: str) -> None:
    client, _ = client_of(lambda _: httpx.Response(200, text=text))
    with pytest.raises(chancery.UnexpectedAnswer):
        client.login("a", "b")


@pytest.mark.parametrize(
    "text", [100_000 * "[", "[]", '{"errorCode": [], "response": {"message": {}, "field": 7, "errors": "all"}}']
)
def test_a_refusal_that_says_anything_is_a_refusal(text: str) -> None:
    client, _ = client_of(lambda _: httpx.Response(400, text=text))
    with pytest.raises(chancery.ApiError) as error:
        client.keys.get("u")
    assert (error.value.status, error.value.errors) == (400, [])
    assert "400" in str(error.value)


@pytest.mark.parametrize("answer", [{"tokens": []}, {"tokens": ["1", "2"]}, {"tokens": ["1"], "ivs": []}])
def test_another_number_of_tokens_is_no_answer(answer: dict[str, list[str]]) -> None:
    client, _ = client_of(lambda _: httpx.Response(200, json={"response": {"keyVersion": None, **answer}}))
    with pytest.raises(chancery.UnexpectedAnswer, match="values for the 1 that were sent"):
        client.tokenize_many("11111111-2222-4333-8444-555555555555", ["4"])


def test_names_in_paths_and_queries_are_escaped() -> None:
    client, seen = client_of(done, done)
    client.token_profiles.template("a/b c?")
    client.signing_requests.list(metadata={"a b": "c&d"}, state="Signed")
    assert seen[0].url.raw_path == b"/api/v2/token-profiles/template/a%2Fb%20c%3F"
    assert dict(seen[1].url.params) == {"metadata.a b": "c&d", "state": "Signed"}
