"""What people do most, against the server."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

import pandas as pd
import pytest
from tour import CARD, Tour, documented, new_name

import chancery
from chancery import Client, _batches
from chancery.pandas import detokenize_columns, tokenize_columns

CARDS = ["4111111111111111", "5555555555554444", "378282246310005"]


@pytest.fixture
def approver(state: dict[str, Any]) -> Iterator[Client]:
    with Client(state["base"], ca=state["caFile"]) as client:
        client.login(state["approver"]["username"], state["approver"]["password"])
        yield client


@pytest.fixture
def tour(admin: Client, approver: Client, state: dict[str, Any]) -> Tour:
    return Tour(admin, approver, state)


@pytest.fixture
def profile(state: dict[str, Any]) -> str:
    return cast(str, state["demo"]["tokenProfileUuid"])


def profile_with_ivs(tour: Tour) -> str:
    uuid = tour.new_profile("Ff1")
    name = new_name()
    tour.client.token_profiles.update(uuid, useIv=True, objInfo={"name": name})
    return name


def test_profiles_go_by_name(admin: Client, profile: str) -> None:
    name = admin.token_profiles.get(profile)["objInfo"]["name"]
    token = admin.tokenize(name.upper(), CARD)["token"]
    assert token != CARD and admin.detokenize(profile, token) == CARD
    with pytest.raises(chancery.NoSuchName, match="'no such profile'"):
        admin.tokenize("no such profile", CARD)


def test_long_lists_go_in_pieces(admin: Client, profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_batches, "VALUES_MAX", 2)
    cards = [*CARDS, CARD, CARD]
    tokens = admin.tokenize_many(profile, cards)
    assert len(tokens.tokens) == 5 and tokens.ivs is None and tokens.errors == []
    assert tokens.tokens[3] == tokens.tokens[4] == tokens.tokens[0]
    found = admin.detokenize_many(profile, [one or "" for one in tokens.tokens])
    assert found.messages == cards
    partly = admin.tokenize_many(profile, [*CARDS, "not a card"], partial=True)
    assert partly.tokens[:3] == tokens.tokens[:3] and partly.tokens[3] is None
    assert [one["index"] for one in partly.errors] == [3]
    with pytest.raises(chancery.InvalidValue) as refused:
        admin.tokenize_many(profile, [*CARDS, "not a card"])
    assert [one["index"] for one in refused.value.errors] == [3]
    assert admin.tokenize_many(profile, []).tokens == []


def test_pieces_are_bounded_by_length_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_batches, "CHARACTERS_MAX", 5)
    found = list(_batches.pieces(["abc", "de", "f", "too long alone", "g"]))
    assert found == [(0, ["abc", "de"]), (2, ["f"]), (3, ["too long alone"]), (4, ["g"])]


def test_ivs_are_kept_in_order(tour: Tour, admin: Client) -> None:
    name = profile_with_ivs(tour)
    tokens = admin.tokenize_many(name, CARDS)
    assert tokens.ivs is not None and len(set(tokens.ivs)) == 3
    ivs = [iv or "" for iv in tokens.ivs]
    assert admin.detokenize_many(name, [one or "" for one in tokens.tokens], ivs=ivs).messages == CARDS
    single = admin.tokenize(name, CARD)
    assert admin.detokenize(name, single["token"], iv=single.get("iv")) == CARD


def test_columns_of_frames(tour: Tour, admin: Client, profile: str) -> None:
    with_ivs = profile_with_ivs(tour)
    frame = pd.DataFrame({"pan": [*CARDS, None], "other": ["123456", None, "654321", "111111"], "n": [1, 2, 3, 4]})
    profiles = {"pan": profile, "other": with_ivs}
    tokens = tokenize_columns(admin, frame, profiles)
    assert list(tokens.columns) == ["pan", "other", "n", "other_iv"]
    assert tokens["pan"].isna().tolist() == [False, False, False, True]
    assert tokens["pan"][0] == admin.tokenize(profile, CARDS[0])["token"]
    assert tokens["n"].tolist() == [1, 2, 3, 4]
    assert frame["pan"][0] == CARDS[0], "the frame itself stays as it is"
    back = detokenize_columns(admin, tokens, profiles)
    assert back.fillna("-").values.tolist() == frame.fillna("-").values.tolist()
    assert list(back.columns) == list(frame.columns)
    for dtype in ["object", "string", "str", "category"]:
        column = pd.Series([*CARDS, None, ""], dtype=object).astype(dtype)
        whole = pd.DataFrame({"pan": column})
        made = tokenize_columns(admin, whole, {"pan": profile})
        assert made["pan"].dtype.kind == column.dtype.kind and made["pan"].iloc[-1] == "", dtype
        assert made["pan"].isna().tolist() == column.isna().tolist(), dtype
        opened = detokenize_columns(admin, made, {"pan": profile})
        pd.testing.assert_frame_equal(opened, whole, check_categorical=False)
    # What `read_csv(header=None, dtype=str)` makes has numbers as labels.
    unnamed = pd.DataFrame({0: CARDS, 1: ["123456", "654321", "111111"]})
    opened = detokenize_columns(admin, tokenize_columns(admin, unnamed, {0: profile, 1: with_ivs}), {0: profile, 1: with_ivs})
    pd.testing.assert_frame_equal(opened, unnamed, check_column_type=False)
    with pytest.raises(chancery.ChanceryError, match="dtype=str"):
        tokenize_columns(admin, pd.DataFrame({"pan": [4111111111111111]}), {"pan": profile})


def test_a_digest_is_signed(admin: Client, tour: Tour, state: dict[str, Any], tmp_path: pathlib.Path) -> None:
    file = tmp_path / "release.tar"
    file.write_bytes(b"content" * 100_000)
    signature = admin.sign_file(state["demo"]["serviceUuid"], file, metadata={"commit": "0a1b2c"})
    root = tmp_path / "root.pem"
    root.write_bytes(admin.certificates.download(state["demo"]["rootCertificateUuid"], format="pem"))
    cms = tmp_path / "release.p7s"
    cms.write_bytes(signature)
    command = "openssl cms -verify -binary -inform DER -purpose any -out /dev/null".split()
    command += ["-in", str(cms), "-content", str(file), "-CAfile", str(root)]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    [request] = admin.signing_requests.list(metadata={"commit": "0a1b2c"})["items"]
    assert request["name"] == "release.tar"
    scripts = tour.new_service(form="Powershell")["serviceUuid"]
    with pytest.raises(chancery.ChanceryError, match="uploadData"):
        admin.sign_file(scripts, file)


def test_a_signature_is_waited_for(admin: Client, approver: Client, tour: Tour) -> None:
    service = admin.services.get(tour.new_service(approvals=1)["serviceUuid"])["objInfo"]["name"]
    digest = hashlib.sha256(b"x").digest()
    uuid = admin.submit_digest(service, digest, name="waiting", note="please")
    with pytest.raises(chancery.StillWaiting) as waiting:
        admin.wait_for_signature(uuid, wait_s=0)
    assert waiting.value.uuid == uuid

    def approve() -> None:
        time.sleep(0.3)
        approver.signing_requests.approve(uuid)

    thread = threading.Thread(target=approve)
    thread.start()
    assert admin.wait_for_signature(uuid, wait_s=30).startswith(b"\x30")
    thread.join()
    denied = admin.submit_digest(service, digest, name="no", note="please")
    approver.signing_requests.deny(denied, note="wrong branch")
    with pytest.raises(chancery.NotSigned, match="wrong branch") as not_signed:
        admin.wait_for_signature(denied)
    assert not_signed.value.request["state"] == "Denied"


def test_a_service_with_several_policies_wants_to_know_which(admin: Client, tour: Tour) -> None:
    service = tour.new_service()["serviceUuid"]
    admin.signing_policies.create(service, name="strong", numApprovals=0, hashAlgorithm="Sha2_512")
    with pytest.raises(chancery.ChanceryError, match="it has 2"):
        admin.submit_digest(service, bytes(64), name="x")
    assert admin.sign_digest(service, bytes(64), name="x", policy="strong").startswith(b"\x30")


def test_certificates_are_issued(admin: Client, approver: Client, tour: Tour, state: dict[str, Any]) -> None:
    root = state["demo"]["rootCertificateUuid"]
    name = admin.certificates.get(root)["objInfo"]["name"]
    day: chancery.types.ValidityPeriod = {"unit": "Day", "amount": "1"}
    subject = f"CN={new_name()}"
    found = admin.issue_certificate(
        name, "TLS Server", key_type="EC P-256 Signing", subject=subject, alt_names=["DNS:a.example"], validity=day
    )
    assert found["subject"] == subject and "BEGIN CERTIFICATE" in (found.get("certificate") or "")
    csr = documented("csr")
    assert admin.issue_certificate(root, "Code Signing Certificate", csr=csr)["subject"] == "CN=a"
    profile = tour.new_cert_profile(approval={"numApprovals": 1})
    with pytest.raises(chancery.StillWaiting) as waiting:
        admin.issue_certificate(root, profile, csr=csr, wait_s=0)
    approver.proposals.approve(waiting.value.uuid)
    assert admin.wait_for_certificate(waiting.value.uuid)["subject"] == "CN=a"
    with pytest.raises(chancery.StillWaiting) as waiting:
        admin.issue_certificate(root, profile, csr=csr, subject=f"CN={new_name()}", wait_s=0)
    approver.proposals.deny(waiting.value.uuid)
    with pytest.raises(chancery.NotIssued, match="Denied"):
        admin.wait_for_certificate(waiting.value.uuid)
    with pytest.raises(ValueError, match="either csr or key_type"):
        admin.issue_certificate(root, profile)


def test_digests_are_sent_as_they_are(admin: Client, state: dict[str, Any]) -> None:
    digest = hashlib.sha256(b"exactly this").digest()
    uuid = admin.submit_digest(state["demo"]["serviceUuid"], digest, name=new_name())
    assert base64.b64decode(admin.signing_requests.get(uuid)["digest"]) == digest
