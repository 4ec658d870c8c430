"""Signatures: submitted by digest, waited for, fetched."""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import time
from collections.abc import Mapping

import anyio

from .. import types
from ..errors import ChanceryError, NotSigned, StillWaiting
from .names import AsyncNames, only

#: Seconds between two looks at what waits for approvals.
POLL_S = 2.0
HASHES = {
    "Sha2_224": "sha224",
    "Sha2_256": "sha256",
    "Sha2_384": "sha384",
    "Sha2_512": "sha512",
    "Sha3_224": "sha3_224",
    "Sha3_256": "sha3_256",
    "Sha3_384": "sha3_384",
    "Sha3_512": "sha3_512",
}


class AsyncSigningCalls(AsyncNames):
    """Services and policies are given by name or by uuid; a service's only policy need not be given."""

    async def sign_digest(
        self,
        service: str,
        digest: bytes,
        *,
        name: str,
        policy: str | None = None,
        note: str | None = None,
        metadata: Mapping[str, str] | None = None,
        wait_s: float = 600.0,
    ) -> bytes:
        """The signature of a digest under the policy's hash. Submits it, and waits until enough people have approved.

        `name`, `note` and `metadata` are what approvers see. A session ends after twelve hours, whatever it does: who waits
        for longer needs an API key.
        """
        uuid = await self.submit_digest(service, digest, name=name, policy=policy, note=note, metadata=metadata)
        return await self.wait_for_signature(uuid, wait_s=wait_s)

    async def sign_file(
        self,
        service: str,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        policy: str | None = None,
        note: str | None = None,
        metadata: Mapping[str, str] | None = None,
        wait_s: float = 600.0,
    ) -> bytes:
        """The signature of a file that stands beside it, CMS or Raw. Only the file's digest travels."""
        path = pathlib.Path(path)
        chosen = await self._policy(await self.service_uuid(service), policy)
        if chosen["signingFormat"] not in ("CMS", "Raw"):
            raise ChanceryError(
                f"signatures of the format {chosen['signingFormat']} stand inside the file: submit the file as uploadData"
                " by signing_requests.submit, then fetch it by signing_requests.download_signed"
            )
        if chosen["hashAlgorithm"] not in HASHES:
            raise ChanceryError(f"the policy's hash {chosen['hashAlgorithm']} is not made here; use sign_digest")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, HASHES[chosen["hashAlgorithm"]]).digest()
        return await self.sign_digest(
            service,
            digest,
            name=name or path.name,
            policy=chosen["objInfo"]["uuid"],
            note=note,
            metadata=metadata,
            wait_s=wait_s,
        )

    async def submit_digest(
        self,
        service: str,
        digest: bytes,
        *,
        name: str,
        policy: str | None = None,
        note: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> str:
        """Submits a digest and answers the uuid of the signing request, for `wait_for_signature`."""
        service_uuid = await self.service_uuid(service)
        chosen = await self._policy(service_uuid, policy)
        body: types.SubmitRequest = {
            "name": name,
            "serviceUuid": service_uuid,
            "policyUuid": chosen["objInfo"]["uuid"],
            "digest": base64.b64encode(digest).decode(),
        }
        if note is not None:
            body["note"] = note
        if metadata is not None:
            body["metadata"] = dict(metadata)
        return (await self.signing_requests.submit(**body))["uuid"]

    async def wait_for_signature(self, uuid: str, *, wait_s: float = 600.0) -> bytes:
        """The signature of a request, as soon as it is signed.

        Raises NotSigned where it is denied or fails, and StillWaiting where that takes longer; then it can be waited for
        again.
        """
        over_at = time.monotonic() + wait_s
        while True:
            request = await self.signing_requests.get(uuid)
            if request["state"] == "Signed":
                return base64.b64decode(request["signature"])
            if request["state"] in ("Denied", "Failed"):
                raise NotSigned(request)
            left_s = over_at - time.monotonic()
            if left_s <= 0:
                raise StillWaiting(uuid, request, wait_s)
            await anyio.sleep(min(POLL_S, left_s))

    async def _policy(self, service_uuid: str, policy: str | None) -> types.SigningPolicy:
        """The policy by its name or uuid, or the only one."""
        policies = (await self.signing_policies.list(service_uuid))["items"]
        if policy is None:
            if len(policies) != 1:
                names = ", ".join(one["objInfo"]["name"] for one in policies)
                raise ChanceryError(f"say which policy of the service is meant: it has {len(policies)} ({names})")
            return policies[0]
        found = [one for one in policies if one["objInfo"]["uuid"] == policy.lower()]
        if not found:
            uuid = only("signing policy", policy, list(policies))
            found = [one for one in policies if one["objInfo"]["uuid"] == uuid]
        return found[0]
