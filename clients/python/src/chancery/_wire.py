"""What calls and answers look like, and which calls are made again. Nothing here waits or sends."""

from __future__ import annotations

import base64
import dataclasses
import email.utils
import json
import random
import re
import ssl
import time
from collections.abc import Mapping
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from .errors import BY_CODE, ApiError, UnexpectedAnswer

#: A token lives for ten minutes; what it says of itself goes before this.
TOKEN_LIFETIME_S = 600.0
#: Octets of an answer that a client takes unless it is told otherwise; those of Rust and TypeScript take as many.
ANSWER_MAX = 64 * 1024 * 1024
T = TypeVar("T")
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of an operation."""

    method: str
    path: str
    #: How the answer is read: the `response` of the envelope, any JSON, octets, text, or where it redirects to.
    kind: Literal["envelope", "json", "bytes", "text", "redirect"]
    query: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    headers: Mapping[str, str | None] = dataclasses.field(default_factory=dict)
    body: dict[str, Any] | None = None
    octets: bytes | None = None
    media_type: str = "application/json"
    #: Whether it is for everybody, so that no token goes along.
    is_public: bool = False
    #: Whether it is about the session, so that its cookie goes along and no token.
    by_cookie: bool = False
    #: Whether it may be sent again when an answer was lost.
    repeatable: bool = False
    #: Whether it is sent with a key, under which it is made once however often it is sent.
    keyed: bool = False

    @property
    def content(self) -> bytes | None:
        return self.octets if self.body is None else json.dumps(self.body).encode()

    @property
    def parameters(self) -> httpx.QueryParams:
        """The query without what is None; the members of a mapping are `name.member`."""
        pairs: list[tuple[str, str]] = []
        for name, value in self.query.items():
            if isinstance(value, Mapping):
                pairs += [(f"{name}.{member}", text(one)) for member, one in value.items()]
            elif value is not None:
                pairs.append((name, text(value)))
        return httpx.QueryParams(tuple(pairs))


@dataclasses.dataclass(frozen=True)
class Retries:
    """How often and after how long a call is made again that the server had no time for, or whose answer was lost."""

    #: So many times besides the first; 0 never.
    max: int = 4
    #: The first wait is at most so long, each later one twice as long as the one before.
    first_wait_s: float = 0.2
    #: No wait is longer. A server that asks for a longer one has its error raised instead.
    longest_wait_s: float = 30.0

    def wait_s(self, attempt: int, asked_for: float | None) -> float | None:
        """How long to wait after this attempt (from 0); None where there is to be no other."""
        if attempt >= self.max or (asked_for or 0.0) > self.longest_wait_s:
            return None
        backoff = min(self.first_wait_s * 2.0**attempt, self.longest_wait_s)
        # Not all callers come back at the same moment.
        return (asked_for or 0.0) + random.uniform(0.0, backoff)


def text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def segment(value: str) -> str:
    """A part of a path."""
    return quote(value, safe="")


def tls_context(ca: str | bytes | ssl.SSLContext | None) -> ssl.SSLContext:
    """Trusts the authorities in a PEM file, or in PEM itself, and no others; without any, those of the system."""
    if isinstance(ca, ssl.SSLContext):
        return ca
    if isinstance(ca, bytes):
        return ssl.create_default_context(cadata=ca.decode("ascii"))
    return ssl.create_default_context(cafile=ca)


def checked_base_url(base_url: str, allow_http: bool) -> str:
    """Passwords and values go to this address, so it has to be https unless somebody says otherwise."""
    scheme = urlsplit(base_url).scheme
    if scheme != "https" and not (scheme == "http" and allow_http):
        raise ValueError(f"{base_url!r} is no https:// address; for plain http say allow_http=True")
    return base_url.rstrip("/")


def checked_api_key(api_key: str) -> str:
    """What stands in another file than was meant, or a password, goes to nobody. Keys of former releases have no prefix.

    A file of a key ends with a line feed.
    """
    api_key = api_key.rstrip("\r\n")
    if re.fullmatch(r"(chk_)?[A-Za-z0-9_-]{43}", api_key) is None:
        raise ValueError("this is no API key, which is chk_ and 43 letters, digits, - and _; nothing was sent")
    return api_key


def read(call: Call, response: httpx.Response) -> Any:
    """What an answer says; raises what it refuses with."""
    if response.status_code == 304 and call.headers:
        return None
    if response.status_code != (303 if call.kind == "redirect" else 200):
        raise refusal(response)
    if call.kind == "redirect":
        return member(response.headers, "Location", str)
    if call.kind == "bytes":
        return response.content
    if call.kind == "text":
        return response.text
    answer = parsed(response)
    if call.kind == "json":
        return answer
    if not isinstance(answer, dict) or "response" not in answer:
        raise UnexpectedAnswer(f"{call.method} {call.path}: the answer has no envelope")
    return answer["response"]


def parsed(response: httpx.Response) -> Any:
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise UnexpectedAnswer(f"the answer (status {response.status_code}) is not JSON: {error}") from error


def member(answer: Any, name: str, kind: type[T]) -> T:
    """A member that the client itself needs."""
    found = answer.get(name) if isinstance(answer, Mapping) else None
    if not isinstance(found, kind):
        raise UnexpectedAnswer(f"the answer has no `{name}` of the type {kind.__name__}")
    return found


def refusal(response: httpx.Response) -> ApiError:
    """The error of an answer: in the envelope, as /home/v1 and /readyz have it, or as text."""
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        answer = {"message": response.text.strip()}
    answer = answer if isinstance(answer, dict) else {}
    inner = answer.get("response")
    inner = inner if isinstance(inner, dict) else {}
    code = words(answer, "errorCode")
    if code is None and response.status_code == 401:
        # What /home/v1 means without saying it.
        code = "InvalidAuthToken"
    errors = inner.get("errors")
    return BY_CODE.get(code or "", ApiError)(
        status=response.status_code,
        error_code=code,
        message=words(inner, "message") or words(answer, "message") or response.reason_phrase,
        field=words(inner, "field"),
        request_id=words(inner, "requestId") or response.headers.get("X-Request-Id"),
        errors=errors if isinstance(errors, list) else None,
        retry_after=retry_after(response),
    )


def words(answer: dict[str, Any], name: str) -> str | None:
    """A member that is a text; whoever answers in the server's place may have put anything there."""
    found = answer.get(name)
    return found if isinstance(found, str) else None


def retry_after(response: httpx.Response) -> float | None:
    """The seconds that a server with too much to do asks to wait."""
    header = response.headers.get("Retry-After")
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(header).timestamp()
    except ValueError:
        return None
    return max(0.0, moment - time.time())


def was_never_sent(error: httpx.TransportError) -> bool:
    """Whether the server cannot have seen the call."""
    return isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))


def is_about_trust(error: BaseException | None) -> bool:
    """Whether the server's certificate is at fault: another attempt would find the same."""
    while error is not None:
        if isinstance(error, ssl.SSLError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def lifetime_s(token: str) -> float:
    """How long a token lives, by its own times: clocks of two machines may differ, their pace does not."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"]) - float(claims["iat"])
    except (IndexError, KeyError, TypeError, ValueError):
        return TOKEN_LIFETIME_S
