"""A passkey in software: what a browser would answer, in the encodings of Yubico's library."""

from __future__ import annotations

import hashlib
import os
from typing import Any, cast

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import CoseKey
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    CollectedClientData,
    PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions,
    RegistrationResponse,
)

from chancery import types

ES256 = -7
PRESENT_AND_VERIFIED = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


class Authenticator:
    """One passkey, of a browser that is at this origin."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = os.urandom(20)
        self._count = 0

    def create(self, begun: types.PasskeyBegun) -> types.RegistrationCredential:
        """The new passkey."""
        asked = PublicKeyCredentialCreationOptions.from_dict(cast(Any, begun["publicKey"]))
        assert ES256 in [one.alg for one in asked.pub_key_cred_params]
        public_key = CoseKey.for_alg(ES256).from_cryptography_key(self._key.public_key())
        attested = AttestedCredentialData.create(Aaguid.NONE, self._id, public_key)
        data = self._data(asked.rp.id, AuthenticatorData.FLAG.AT, attested)
        response = AuthenticatorAttestationResponse(
            client_data=CollectedClientData.create("webauthn.create", asked.challenge, self._origin),
            attestation_object=AttestationObject.create("none", data, {}),
        )
        return cast(types.RegistrationCredential, dict(RegistrationResponse(raw_id=self._id, response=response)))

    def sign(self, statement: types.ApprovalStatement) -> types.ApprovalAssertion:
        """One member's part of an approval."""
        asked = PublicKeyCredentialRequestOptions.from_dict(cast(Any, statement["publicKey"]))
        assert self._id in [one.id for one in asked.allow_credentials or []]
        self._count += 1
        data = self._data(asked.rp_id)
        client_data = CollectedClientData.create("webauthn.get", asked.challenge, self._origin)
        signature = self._key.sign(data + client_data.hash, ec.ECDSA(SHA256()))
        response = AuthenticatorAssertionResponse(client_data=client_data, authenticator_data=data, signature=signature)
        answered = AuthenticationResponse(raw_id=self._id, response=response)
        return {"ticket": statement["ticket"], "credential": cast(types.AssertionCredential, dict(answered))}

    def _data(
        self, rp_id: str | None, more: AuthenticatorData.FLAG = AuthenticatorData.FLAG(0), attested: bytes = b""
    ) -> AuthenticatorData:
        assert rp_id is not None
        rp_id_hash = hashlib.sha256(rp_id.encode()).digest()
        data: AuthenticatorData = AuthenticatorData.create(rp_id_hash, PRESENT_AND_VERIFIED | more, self._count, attested)
        return data
