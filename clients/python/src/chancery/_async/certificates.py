"""Certificates: asked for, waited for where people have to approve."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import cast

import anyio

from .. import types
from ..errors import NotIssued, StillWaiting
from .names import AsyncNames
from .signing import POLL_S


class AsyncCertificateCalls(AsyncNames):
    """Issuers, profiles and key types are given by name or by uuid."""

    async def issue_certificate(
        self,
        issuer: str,
        profile: str,
        *,
        csr: str | None = None,
        key_type: str | None = None,
        subject: str | None = None,
        alt_names: Sequence[str] | None = None,
        validity: types.ValidityPeriod | None = None,
        wait_s: float = 600.0,
    ) -> types.Certificate:
        """A new certificate: for the key of a PKCS#10 request, or for a new key of this type that the server keeps.

        `subject`: such as `CN=www.example.com,O=Example`; of a request, by default its own.

        `alt_names`: such as `["DNS:www.example.com"]`.

        Where profile or issuer demand approvals, waits for them; raises NotIssued where they are denied, and StillWaiting
        where it takes longer.
        """
        if (csr is None) == (key_type is None):
            raise ValueError("either csr or key_type is needed, and not both")
        issuer_uuid = await self.issuer_uuid(issuer)
        profile_uuid = await self.cert_profile_uuid(profile)
        params: types.CertParams = {}
        if alt_names is not None:
            params["subjectAltNames"] = list(alt_names)
        if validity is not None:
            params["validityPeriod"] = validity
        issued: types.Issued
        if csr is not None:
            issued = await self.certificates.request(
                serviceOrIssuerUuid=issuer_uuid,
                certProfileUuid=profile_uuid,
                csr=csr,
                subjectOneline=subject,
                certParams=params,
            )
        else:
            assert key_type is not None
            issued = await self.certificates.generate(
                issuerUuid=issuer_uuid,
                certProfileUuid=profile_uuid,
                newKey={"keyTypeUuid": await self.key_type_uuid(key_type)},
                subjectOneline=subject,
                certParams=params,
            )
        if "serialNumber" not in issued:
            return await self.wait_for_certificate(issued["uuid"], wait_s=wait_s)
        return await self.certificates.get(cast(types.GeneratedCertificate, issued)["certificateUuid"])

    async def wait_for_certificate(self, proposal_uuid: str, *, wait_s: float = 600.0) -> types.Certificate:
        """The certificate of a proposal, as soon as it is issued; see `issue_certificate`."""
        over_at = time.monotonic() + wait_s
        while True:
            proposal = await self.proposals.get(proposal_uuid)
            uuid = proposal.get("certificateUuid")
            if proposal["state"] == "Issued" and uuid is not None:
                return await self.certificates.get(uuid)
            if proposal["state"] != "Approval":
                raise NotIssued(proposal["state"], proposal.get("reason"))
            left_s = over_at - time.monotonic()
            if left_s <= 0:
                raise StillWaiting(proposal_uuid, None, wait_s)
            await anyio.sleep(min(POLL_S, left_s))
