"""Logins, tokens, TLS and errors, against the server."""

from __future__ import annotations

import asyncio
import base64
import time
from typing import Any

import pytest
from tour import new_name

import chancery
from chancery import AsyncClient, Client, Retries
from chancery._wire import lifetime_s

NO_RETRIES = Retries(max=0)


def new_client(state: dict[str, Any], **options: Any) -> Client:
    return Client(state["base"], ca=state["caFile"], **options)


def new_api_key(admin: Client) -> str:
    [role] = [one for one in admin.roles.list(search="Auditor")["results"]]
    identity = admin.identities.create(name=new_name(), kind="Application", roleUuids=[role["objInfo"]["uuid"]])
    key = identity.get("apiKey")
    assert key
    return key


def test_two_logins_make_one_session(state: dict[str, Any]) -> None:
    first, second = state["admins"]
    with new_client(state) as client:
        assert not client.login(first["username"], first["password"])["fullyLoggedIn"]
        with pytest.raises(chancery.InvalidAuthToken):
            client.roles.list()
        assert client.login(second["username"], second["password"])["fullyLoggedIn"]
        assert client.roles.list()["results"]
        client.logout()
        with pytest.raises(chancery.InvalidAuthToken):
            client.roles.list()


def test_a_refused_login_says_why_and_leaves_the_session(state: dict[str, Any]) -> None:
    first, second = state["admins"]
    with new_client(state) as client:
        client.login(first["username"], first["password"])
        with pytest.raises(chancery.InvalidAuthToken) as refused:
            client.login(second["username"], "wrong")
        assert (refused.value.status, refused.value.error_code) == (401, "InvalidAuthToken")
        assert refused.value.request_id
        assert client.login(second["username"], second["password"])["fullyLoggedIn"]


def test_an_api_key_logs_in_again_when_its_session_ended(state: dict[str, Any], admin: Client) -> None:
    with new_client(state, api_key=new_api_key(admin)) as client:
        assert client.audit.list(pageSize=1)["items"]
        client.session.logout()
        assert client.audit.list(pageSize=1)["items"]


def test_a_token_is_renewed_before_its_end(state: dict[str, Any], admin: Client) -> None:
    with new_client(state, api_key=new_api_key(admin)) as client:
        client.audit.list(pageSize=1)
        assert client._token is not None and 60 < lifetime_s(client._token) <= 600
        client._token, client._renew_at = "no token any more", time.monotonic() - 1
        client.audit.list(pageSize=1)
        assert client._token.startswith("ey") and client._renew_at > time.monotonic()


def test_a_token_from_elsewhere_is_enough(state: dict[str, Any], admin: Client) -> None:
    with new_client(state, token=admin.session.token()["token"]) as client:
        assert client.roles.list()["results"]


def test_errors_say_which_member_is_at_fault(state: dict[str, Any], admin: Client) -> None:
    with pytest.raises(chancery.InvalidValue) as refused:
        admin.token_profiles.tokenize(state["demo"]["tokenProfileUuid"], message="4111111111111112")
    error = refused.value
    assert (error.status, error.error_code, error.field) == (400, "InvalidValue", "/message")
    assert error.request_id and error.request_id in str(error)
    with pytest.raises(chancery.InvalidSelection) as missing:
        admin.keys.get(state["demo"]["tokenProfileUuid"])
    assert missing.value.status == 404
    with pytest.raises(chancery.ApiError) as file:
        admin.public.crl("nothing.crl")
    assert (file.value.status, file.value.error_code) == (404, None)


def test_an_authority_that_is_not_trusted_is_refused_at_once(state: dict[str, Any]) -> None:
    with Client(state["base"], retries=Retries(first_wait_s=60)) as client:
        with pytest.raises(chancery.TransportError, match="CERTIFICATE_VERIFY_FAILED"):
            client.server.health()


def test_plain_http_has_to_be_asked_for() -> None:
    with pytest.raises(ValueError, match="allow_http"):
        Client("http://127.0.0.1:1")
    with Client("http://127.0.0.1:1", allow_http=True, retries=NO_RETRIES, timeout=1) as client:
        with pytest.raises(chancery.TransportError):
            client.server.health()


def test_the_asynchronous_client_does_the_same(state: dict[str, Any], admin: Client) -> None:
    async def calls() -> None:
        async with AsyncClient(state["base"], ca=state["caFile"]) as client:
            for one in state["admins"]:
                await client.login(one["username"], one["password"])
            profile = state["demo"]["tokenProfileUuid"]
            tokens = await asyncio.gather(*(client.tokenize(profile, "4111111111111111") for _ in range(10)))
            assert len({one["token"] for one in tokens}) == 1
            assert await client.detokenize(profile, tokens[0]["token"]) == "4111111111111111"
            names = [one["objInfo"]["name"] async for one in client.every(client.key_types.list, pageSize=2)]
            assert "AES-256 Tokenization" in names and len(names) == len(set(names)) > 10
            await client.logout()
        async with AsyncClient(state["base"], ca=state["caFile"], api_key=new_api_key(admin)) as client:
            answers = await asyncio.gather(*(client.audit.list(pageSize=1) for _ in range(10)))
            assert all(one["items"] for one in answers)

    asyncio.run(calls())


def test_passwords_go_as_base64(state: dict[str, Any], admin: Client) -> None:
    [role] = [one for one in admin.roles.list(search="Auditor")["results"]]
    name, password = new_name(), "pässwörd with ünicode"
    encoded = base64.b64encode(password.encode()).decode()
    admin.identities.create(name=name, kind="Person", roleUuids=[role["objInfo"]["uuid"]], password=encoded)
    with new_client(state) as client:
        assert client.login(name, password)["fullyLoggedIn"]
