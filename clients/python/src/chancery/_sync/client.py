# Made from ../_async/client.py by `python3 clients/generate`; changes belong there.
"""The session with a server: logins, tokens, and calls that are made again where that is right."""

from __future__ import annotations

import base64
import ssl
import time
import uuid
from types import TracebackType
from typing import Any, Self

import threading
import time
import httpx

from .. import types
from .._wire import (
    ANSWER_MAX,
    Call,
    Retries,
    checked_api_key,
    checked_base_url,
    is_about_trust,
    lifetime_s,
    member,
    read,
    retry_after,
    tls_context,
    was_never_sent,
)
from ..errors import ApiAccessDisabled, InvalidAuthToken, TransportError, UnexpectedAnswer
from .certificates import CertificateCalls
from .signing import SigningCalls
from .tokens import TokenCalls


class Client(TokenCalls, SigningCalls, CertificateCalls):
    """A session with one server.

    `base_url`: such as `https://127.0.0.1:8443`.

    `ca`: the certificate authorities that the server's certificate may come from: a PEM file's path, PEM, or an
    `ssl.SSLContext`. By default those of the system. The certificate is verified in any case.

    `api_key`: an application's key. The client logs in with it when it is needed, and again when a session ended.

    `token`: a bearer token from elsewhere, in the place of a login.

    `timeout`: seconds that each attempt of a call may take.

    `retries`: how often and after how long calls are made again.

    `answer_max`: octets that an answer may have; a longer one is an `UnexpectedAnswer`. An export of many audit records
    may need more than the 64 MiB that it is by default.

    Methods of the groups (`keys`, `token_profiles`, …) are the operations of the interface; their arguments and answers
    are named as in docs/INTERFACE.md.
    """

    def __init__(
        self,
        base_url: str,
        *,
        ca: str | bytes | ssl.SSLContext | None = None,
        api_key: str | None = None,
        token: str | None = None,
        timeout: float = 60.0,
        retries: Retries | None = None,
        answer_max: int = ANSWER_MAX,
        allow_http: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(self)
        # Neither proxies nor authorities of the environment: whoever sets them must not read what goes to the server.
        self._http = httpx.Client(
            base_url=checked_base_url(base_url, allow_http),
            verify=tls_context(ca),
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            # What is compressed could be of any length, and the server compresses nothing.
            headers={"Accept-Encoding": "identity"},
            transport=transport,
            trust_env=False,
            follow_redirects=False,
        )
        self._timeout = timeout
        self._answer_max = answer_max
        self._retries = retries or Retries()
        self._api_key = None if api_key is None else checked_api_key(api_key)
        self._token = token
        #: When a token of this session is renewed, by time.monotonic(); None for one from elsewhere.
        self._renew_at: float | None = None
        self._half_logged_in = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. The session goes on on the server until it is idle for too long: see `logout`."""
        self._http.close()

    def login(self, username: str, password: str, totp: str | None = None) -> types.LoginState:
        """Logs one identity in, in the session that the login before has begun where its role takes two.

        After the last one (`fullyLoggedIn` of the answer) every call is made in the name of all of them. Passwords are
        not kept: a session that ended needs another login. `totp` is the one-time code of who has a second factor.
        """
        encoded = base64.b64encode(password.encode()).decode()
        credentials: types.AuthCredentials = {"username": username, "password": encoded}
        if totp is not None:
            credentials["totp"] = totp
        return self._log_in("userpass", credentials)

    def login_with_api_key(self, api_key: str) -> types.LoginState:
        """Logs an application in; the key is kept for the sessions that follow when this one ends."""
        self._api_key = checked_api_key(api_key)
        return self._log_in("apikey", {"apiKey": api_key})

    def logout(self) -> None:
        """Ends the session and everything that came of it, and forgets the API key."""
        self._api_key = None
        try:
            self.session.logout()
        finally:
            self._forget()

    def _log_in(self, kind: types.AuthType, credentials: types.AuthCredentials) -> types.LoginState:
        if not self._half_logged_in:
            self._forget()
        answer = self.session.login(authType=kind, authCredentials=credentials)
        fully: bool = member(member(answer, "response", dict), "fullyLoggedIn", bool)
        self._half_logged_in = not fully
        if fully:
            self._take_token()
        return answer["response"]

    def _forget(self) -> None:
        self._http.cookies.clear()
        self._token = None
        self._renew_at = None
        self._half_logged_in = False

    def _take_token(self) -> None:
        try:
            self._token = member(self.session.token(), "token", str)
        except ApiAccessDisabled:
            # The settings can still be read and changed, with the cookie.
            self._token = self._renew_at = None
            return
        self._renew_at = time.monotonic() + 0.8 * lifetime_s(self._token)

    def _prepare(self) -> str | None:
        """The token that the next call carries, renewed or taken where it has to be."""
        if self._api_key is None and self._renew_at is None:
            return self._token
        with self._lock:
            if self._token is None and self._api_key is not None:
                self.login_with_api_key(self._api_key)
            elif self._renew_at is not None and time.monotonic() > self._renew_at:
                self._renew()
            return self._token

    def _renew(self) -> None:
        try:
            self._take_token()
        except InvalidAuthToken:
            if self._api_key is None:
                raise
            self._forget()
            self.login_with_api_key(self._api_key)

    def call(self, call: Call) -> Any:
        """Sends a call and answers what its answer says; what the groups' methods are made of."""
        if call.is_public:
            return read(call, self._send(call, None))
        if call.by_cookie:
            # A token that is asked for with a token lives no longer than that one; with the cookie it has its full time.
            return read(call, self._send(call, None if self._http.cookies else self._token))
        token = self._prepare()
        # One key for all that is sent of this call, also after another login: it may have been made although its answer
        # was lost.
        key = uuid.uuid4().hex if call.keyed else None
        try:
            return read(call, self._send(call, token, key))
        except InvalidAuthToken:
            if self._api_key is None:
                raise
        # The session ended early, as by a restart of the server.
        with self._lock:
            if self._token == token:
                self._forget()
                self.login_with_api_key(self._api_key)
            token = self._token
        return read(call, self._send(call, token, key))

    def _send(self, call: Call, token: str | None, key: str | None = None) -> httpx.Response:
        headers = {name: value for name, value in call.headers.items() if value is not None}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        content = call.content
        if content is not None:
            headers["Content-Type"] = call.media_type
        attempt = 0
        while True:
            answer: httpx.Response | TransportError
            try:
                answer = self._attempt(call, headers, content)
                # What ends a login is good for one answer, whatever that is.
                wait_s = None if call.kind == "redirect" else self._wait_for(answer, attempt)
            except httpx.TransportError as error:
                answer = TransportError(f"{call.method} {call.path}: {error or type(error).__name__}")
                answer.__cause__ = error
                may_repeat = (call.repeatable or call.keyed or was_never_sent(error)) and not is_about_trust(error)
                wait_s = self._retries.wait_s(attempt, None) if may_repeat else None
            if wait_s is None:
                if isinstance(answer, TransportError):
                    raise answer
                return answer
            time.sleep(wait_s)
            attempt += 1

    def _attempt(self, call: Call, headers: dict[str, str], content: bytes | None) -> httpx.Response:
        """Sends a call once and reads its answer to the end, for so long and so far as this client wants."""
        until = time.monotonic() + self._timeout
        with self._http.stream(
            call.method, call.path, params=call.parameters, headers=headers, content=content
        ) as answer:
            if "Content-Encoding" in answer.headers:
                raise UnexpectedAnswer(f"{call.method} {call.path}: the answer is compressed, which was not asked for")
            octets = bytearray()
            for piece in answer.iter_bytes():
                octets += piece
                if len(octets) > self._answer_max:
                    raise UnexpectedAnswer(f"{call.method} {call.path}: the answer has more than {self._answer_max} octets")
                # httpx waits anew for each piece.
                if time.monotonic() > until:
                    raise httpx.ReadTimeout(f"no whole answer within {self._timeout} s", request=answer.request)
            return httpx.Response(
                answer.status_code,
                headers=answer.headers,
                content=bytes(octets),
                request=answer.request,
                extensions=answer.extensions,
            )

    def _wait_for(self, answer: httpx.Response, attempt: int) -> float | None:
        """How long to wait before the call is made again; None where the answer stands."""
        asked_for = retry_after(answer)
        if answer.status_code not in (429, 503) or asked_for is None:
            return None
        return self._retries.wait_s(attempt, asked_for)
