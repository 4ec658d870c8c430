"""A call of every operation, each of which must succeed, on a demonstration installation.

Whoever adds an operation adds its call here, and in clients/typescript/test/tour.ts.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import os
import pathlib
import re
import time
from typing import Any, cast

from authenticator import Authenticator
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from provider import ORIGIN, Provider
from recording import ROOT
from relay import Relay

from chancery import Client, types

CARD = "4111111111111111"
TRACK = ";{}=25121010000012345678?"
PASSWORD = base64.b64encode(b"an honest long password").decode()
HASH = base64.b64encode(bytes(32)).decode()
APPROVAL: types.ApprovalRules = {"numApprovals": 1, "selfApproval": "DualControl"}

_numbers = itertools.count(1)


def new_name() -> str:
    """One that nothing has yet."""
    return f"thing {next(_numbers)}"


def documented(member: str) -> str:
    """A value that docs/INTERFACE.md sends: its first member of this name in base64 of more than a hundred characters."""
    text = pathlib.Path(ROOT / "docs/INTERFACE.md").read_text(encoding="utf-8")
    found = re.search(rf'"{member}": ?"([A-Za-z0-9+/=]{{100,}})"', text)
    assert found, member
    return found[1]


def one_time_code(secret: str, distance: int) -> str:
    """The code (RFC 6238) of the step that is so far from now."""
    step = int(time.time()) // 30 + distance
    mac = hmac.new(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1").digest()
    offset = mac[19] & 15
    return f"{(int.from_bytes(mac[offset : offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


class Tour:
    """Calls by the two administrators, with another person to approve what they ask for."""

    def __init__(self, client: Client, approver: Client, state: dict[str, Any]) -> None:
        self.client = client
        self.approver = approver
        self.demo: dict[str, str] = state["demo"]
        self.relay: Relay = state["relay"]
        self.provider: Provider = state["provider"]

    def run(self, visitor: Client) -> None:
        """`visitor` is a client of nobody yet."""
        self.server()
        self.roles_and_identities(visitor)
        self.keys()
        self.token_profiles()
        self.tokens()
        self.vault()
        self.certificates()
        self.certificate_profiles()
        self.services()
        self.signing_policies()
        self.signing_requests()
        self.failed_request()
        self.proposals()
        self.passkeys()
        self.public_files()
        self.notices()
        self.audit_and_settings()

    def role(self, name: str) -> str:
        [found] = [one for one in self.client.roles.list(search=name)["results"] if one["objInfo"]["name"] == name]
        return found["objInfo"]["uuid"]

    def server(self) -> None:
        server = self.client.server
        assert server.health()["status"] == "ok"
        assert server.readiness()
        assert "# TYPE" in server.metrics()
        assert server.openapi()["info"]["title"] == "Chancery"
        assert "<html" in server.docs()
        assert server.docs_prose()
        assert self.client.session.token()["token"]
        assert self.client.session.state()["response"]["fullyLoggedIn"]

    def roles_and_identities(self, visitor: Client) -> None:
        roles, identities = self.client.roles, self.client.identities
        role = roles.create(name=new_name(), loginsRequired=1, perms=["Signing:Approve"])["uuid"]
        assert roles.update(role, perms=[])["perms"] == []
        assert roles.get(role)["loginsRequired"] == 1
        person = identities.create(name=new_name(), kind="Person", roleUuids=[role], password=PASSWORD)["uuid"]
        name = new_name()
        identities.update(person, name=name)
        identities.set_password(person, password=PASSWORD)
        assert identities.lock(person)["locked"]
        assert not identities.unlock(person)["locked"]
        assert identities.get(person)["kind"] == "Person"
        session = self.client.session
        once = base64.b64encode(b"a word for one use").decode()
        assert identities.set_password(person, password=once, oneTime=True)["oneTimePasswordUntil"]
        session.change_password(username=name, password=once, newPassword=PASSWORD)
        secret = session.enrol_totp(username=name, password=PASSWORD)["secret"]
        # The code of before would be too old where the 30 seconds end meanwhile.
        session.confirm_totp(username=name, password=PASSWORD, totp=one_time_code(secret, 0))
        totp = identities.get(person)["totp"]
        assert totp is not None and totp["confirmedAt"]
        session.remove_totp(username=name, password=PASSWORD, totp=one_time_code(secret, 1))
        session.enrol_totp(username=name, password=PASSWORD)
        assert "totp" not in identities.reset_totp(person)
        assert identities.list(pageSize=2)["total"] > 2
        keys = self.client.api_keys
        key = keys.create(person, name="script")
        assert key["apiKey"].startswith("chk_")
        assert keys.update(person, key["uuid"], networks=["10.0.0.0/8"])["networks"] == ["10.0.0.0/8"]
        assert keys.rotate(person, key["uuid"], overlapSeconds=60)["previousUntil"]
        assert keys.list(person)["results"][0]["version"] == 2
        keys.delete(person, key["uuid"])
        assert self.client.passkeys.list(person)["results"] == []
        self.identity_providers(person)
        self.login_by_a_provider(person, visitor)
        identities.delete(person)
        roles.delete(role)

    def identity_providers(self, identity: str) -> None:
        def base64url(content: bytes) -> str:
            return base64.urlsafe_b64encode(content).rstrip(b"=").decode()

        own, issuer = Ed25519PrivateKey.generate(), f"https://{new_name().replace(' ', '-')}.example.org"
        jwk = {"kty": "OKP", "crv": "Ed25519", "x": base64url(own.public_key().public_bytes_raw())}
        jwks, providers, bindings = json.dumps({"keys": [jwk]}), self.client.identity_providers, self.client.identity_bindings
        made = providers.create(name=new_name(), issuer=issuer, audiences=["us"], algorithms=["EdDSA"], jwks=jwks)
        provider = made["objInfo"]["uuid"]
        assert not providers.update(provider, singleUse=False)["singleUse"]
        assert providers.get(provider)["issuer"] == issuer
        assert providers.list(search="thing")["results"]
        binding = bindings.create(name=new_name(), identityUuid=identity, providerUuid=provider, subject="job")
        uuid, now = binding["objInfo"]["uuid"], int(time.time())
        claims = {"iss": issuer, "aud": "us", "sub": "job", "iat": now, "exp": now + 300}
        signed = ".".join(base64url(json.dumps(part).encode()) for part in [{"alg": "EdDSA"}, claims])
        token = f"{signed}.{base64url(own.sign(signed.encode()))}"
        assert self.client.session.exchange(subjectToken=token)["expiresIn"] == 600
        assert bindings.get(uuid)["subject"] == "job"
        assert bindings.list(identityUuid=identity)["total"] == 1
        bindings.delete(uuid)
        providers.delete(provider)

    def login_by_a_provider(self, identity: str, visitor: Client) -> None:
        providers, bindings, session = self.client.identity_providers, self.client.identity_bindings, visitor.session
        made = providers.create(name=new_name(), issuer=self.provider.issuer, audiences=[], clientId="kms-public")
        provider = made["objInfo"]["uuid"]
        binding = bindings.create(name=new_name(), identityUuid=identity, providerUuid=provider, subject="carol.7")
        assert session.oidc_providers()["providers"] == [made["objInfo"]]
        address = session.begin_oidc(providerUuid=provider)["authorizationUrl"]
        assert session.finish_oidc(**self.provider.log_in(address, "carol.7")) == "/"
        assert visitor.identities.whoami()["identities"][0]["uuid"] == identity
        bindings.delete(binding["objInfo"]["uuid"])
        providers.delete(provider)

    def keys(self) -> None:
        keys = self.client.keys
        types_of_keys = self.client.key_types.list(search="aes-256")["results"]
        key = keys.create(name=new_name(), keyTypeUuid=types_of_keys[0]["objInfo"]["uuid"])["uuid"]
        assert keys.rotate(key)["currentVersion"] == 2
        assert keys.update(key, usages=["Tokenize"])["usages"] == ["Tokenize"]
        assert keys.disable(key)["state"] == "Disabled"
        assert keys.enable(key)["state"] == "Enabled"
        assert keys.get(key)["currentVersion"] == 2
        assert keys.list(search="thing")["results"]

    def new_profile(self, algorithm: types.TokenAlgorithm) -> str:
        key_type = self.client.key_type_uuid("AES-256 Tokenization")
        administrator = self.role("Administrator")
        operations: list[types.Operation] = ["Tokenize", "Detokenize", "Batch"]
        profile = self.client.token_profiles.create(
            objInfo={"name": new_name()},
            algorithm=algorithm,
            keyUuid=self.client.keys.create(name=new_name(), keyTypeUuid=key_type)["uuid"],
            format={"alphabet": "Decimal", "minLength": 6, "maxLength": 19},
            controlRules=[{"roleUuid": administrator, "operation": one} for one in operations],
        )
        return profile["objInfo"]["uuid"]

    def token_profiles(self) -> None:
        profiles = self.client.token_profiles
        uuid = self.new_profile("Ff1")
        assert profiles.update(uuid, format={"maxLength": 20})["format"]["maxLength"] == 20
        # What was read can be written back.
        profiles.update(uuid, **cast(Any, profiles.get(uuid)))
        assert profiles.set_permissions(uuid, controlRules=[])["controlRules"] == []
        assert profiles.budgets(uuid)["budgets"] == []
        self.grants(self.new_profile("Ff1"))
        copy = profiles.copy(uuid, objInfo={"name": new_name()})["objInfo"]["uuid"]
        profiles.delete(copy)
        names = profiles.template_names()["names"]
        assert profiles.template(names[0])["objInfo"]["name"] == names[0]
        assert profiles.preview(profile={"algorithm": "AesSiv"}, samples=["a sample"])["tokens"][0]
        assert profiles.list(search="thing")["results"]

    def tokens(self) -> None:
        profiles, uuid = self.client.token_profiles, self.demo["tokenProfileUuid"]
        token = profiles.tokenize(uuid, message=CARD)["token"]
        assert token != CARD
        assert profiles.detokenize(uuid, token=token)["message"] == CARD
        assert profiles.batch_tokenize(uuid, messages=[CARD])["tokens"] == [token]
        assert profiles.batch_detokenize(uuid, tokens=[token])["messages"] == [CARD]
        assert profiles.rewrap(uuid, tokens=[token])["tokens"] == [token]
        track = profiles.track_tokenize(uuid, track=TRACK.format(CARD))["track"]
        assert profiles.track_detokenize(uuid, track=track)["track"] == TRACK.format(CARD)

    def vault(self) -> None:
        profiles, uuid = self.client.token_profiles, self.new_profile("Random")
        token = profiles.tokenize(uuid, message=CARD, metadata={"source": "tour"})["token"]
        assert profiles.read_token(uuid, token=token)["metadata"] == {"source": "tour"}
        assert profiles.tokenized(uuid, message=CARD)["tokenized"]
        profiles.delete_token(uuid, token=token)
        assert not profiles.tokenized(uuid, message=CARD)["tokenized"]

    def certificate_body(self) -> types.GenerateCertificate:
        return {
            "certProfileUuid": self.client.cert_profile_uuid("TLS Server"),
            "issuerUuid": self.demo["rootCertificateUuid"],
            "subjectOneline": f"CN={new_name()}",
            "newKey": {"keyTypeUuid": self.client.key_type_uuid("EC P-256 Signing"), "save": True},
            "certParams": {"validityPeriod": {"unit": "Day", "amount": "1"}, "subjectAltNames": ["DNS:host.example"]},
        }

    def new_certificate(self) -> str:
        issued = cast(types.GeneratedCertificate, self.client.certificates.generate(**self.certificate_body()))
        return issued["certificateUuid"]

    def new_authority(self) -> str:
        issued = self.client.certificates.generate(
            certProfileUuid=self.client.cert_profile_uuid("Root Certificate Authority"),
            subjectOneline=f"CN={new_name()}",
            newKey={"keyTypeUuid": self.client.key_type_uuid("EC P-256 Signing")},
            trustCert=True,
        )
        return cast(types.GeneratedCertificate, issued)["certificateUuid"]

    def certificates(self) -> None:
        certificates, root = self.client.certificates, self.demo["rootCertificateUuid"]
        uuid = self.new_certificate()
        two_days: types.ValidityPeriod = {"unit": "Day", "amount": "2"}
        certificates.renew(uuid, certParams={"validityPeriod": two_days})
        certificates.rekey(uuid, certParams={"validityPeriod": two_days})
        assert certificates.revoke(uuid, reason="certificateHold")["status"] == "Held"
        assert certificates.release(uuid)["status"] == "Valid"
        assert certificates.get(uuid)["subject"].startswith("CN=thing")
        assert b"BEGIN CERTIFICATE" in certificates.download(root, format="chain")
        assert certificates.download(root, format="der").startswith(b"\x30")
        assert certificates.list(search="thing", status="Valid")["results"]
        certificates.request(
            serviceOrIssuerUuid=root,
            certProfileUuid=self.client.cert_profile_uuid("Code Signing Certificate"),
            csr=documented("csr"),
            subjectOneline=f"CN={new_name()}",
        )
        imported = certificates.import_certificates(certificates=documented("certificates"))
        assert imported["certificates"][0]["subject"].startswith("CN=Partner Root")
        certificates.import_authority(
            password=base64.b64encode(b"example").decode(),
            privateKey=documented("privateKey"),
            certificates=documented_authority(),
        )
        assert certificates.set_approval(self.new_authority(), **APPROVAL)["approval"]["numApprovals"] == 1
        assert certificates.export_crls(issuer=root, format="der").startswith(b"\x30")

    def new_cert_profile(self, **more: Any) -> str:
        profile = self.client.cert_profiles.create(
            objInfo={"name": new_name()},
            validityPeriod={"unit": "Day", "amount": "30"},
            keyUsages=["digitalSignature"],
            extendedKeyUsages=["clientAuth"],
            **more,
        )
        return profile["objInfo"]["uuid"]

    def certificate_profiles(self) -> None:
        profiles, uuid = self.client.cert_profiles, self.new_cert_profile()
        assert not profiles.update(uuid, enabled=False)["enabled"]
        assert profiles.get(uuid)["extendedKeyUsages"] == ["clientAuth"]
        assert profiles.list(search="thing")["results"]
        profiles.delete(uuid)

    def signing_cert(self, issuer: str | None = None) -> types.SigningCert:
        return {
            "issuerUuid": issuer or self.demo["rootCertificateUuid"],
            "subjectOneline": f"CN={new_name()}",
            "newKey": {"keyTypeUuid": self.client.key_type_uuid("EC P-256 Signing"), "save": True},
            "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
        }

    def new_service(
        self,
        approvals: int = 0,
        form: types.SigningFormat = "CMS",
        issuer: str | None = None,
        signed_approvals: bool = False,
    ) -> types.DeployedService:
        return self.client.services.deploy(
            template="PKI Signing",
            name=new_name(),
            pkisigning={
                "newCert": self.signing_cert(issuer),
                "signingFormat": form,
                "numApprovals": approvals,
                "hashAlgorithm": "Sha2_256",
                "rules": {"signedApprovals": signed_approvals},
            },
        )

    def services(self) -> None:
        services = self.client.services
        uuid = self.new_service(issuer=self.new_authority())["serviceUuid"]
        assert services.get(uuid)["objInfo"]["name"].startswith("thing")
        assert services.get_issuance_policy(uuid)["approval"]["numApprovals"] == 0
        services.update_issuance_policy(uuid, numApprovals=0)
        services.renew(uuid, validityPeriod={"unit": "Year", "amount": "2"})
        assert services.revoke(uuid, reason="superseded")["status"] == "Revoked"
        assert services.list(search="thing")["results"]
        assert services.list_stubs(search="thing")["results"]
        stamps = services.deploy(
            template="Time Stamping", name=new_name(), timestamping={"newCert": self.signing_cert(), "default": True}
        )["serviceUuid"]
        assert services.update(stamps, timestamping={"default": True})["timestamping"]["default"]
        # What is no request is refused in the answer, as RFC 3161 wants it.
        assert self.client.public.time_stamp(b"no request").startswith(b"\x30")
        assert self.client.public.time_stamp_of(stamps, b"no request").startswith(b"\x30")

    def signing_policies(self) -> None:
        policies, service = self.client.signing_policies, self.new_service()["serviceUuid"]
        policy = policies.create(service, name=new_name(), numApprovals=2, hashAlgorithm="Sha2_512")
        assert policies.get(policy["objInfo"]["uuid"])["numApprovals"] == 2
        first = policies.list(service)["items"][0]["objInfo"]["uuid"]
        assert policies.update(first, objInfo={"name": new_name()})["objInfo"]["uuid"] == first

    def new_request(self, service: types.DeployedService) -> str:
        return self.client.signing_requests.submit(
            name=new_name(),
            serviceUuid=service["serviceUuid"],
            policyUuid=cast(str, service.get("policyUuid")),
            uploadData="aGVsbG8=",
            metadata={"branch": "tour"},
        )["uuid"]

    def signing_requests(self) -> None:
        requests, service = self.client.signing_requests, self.new_service(approvals=1)
        uuid = self.new_request(service)
        assert requests.approve(uuid, note="read it")["state"] == "Signed"
        assert requests.get(uuid, include="uploadData")["uploadData"] == "aGVsbG8="
        contents = requests.get(uuid, include="contents").get("contents")
        assert contents and contents["signaturesTotal"] == 0
        assert requests.deny(self.new_request(service))["state"] == "Denied"
        assert requests.withdraw(self.new_request(service), note="not yet")["state"] == "Denied"
        decided = requests.batch_decide(uuids=[self.new_request(service)], decision="Approve")
        assert decided["results"][0]["errorCode"] == "Success"
        waiting, shown = self.new_request(service), service.get("policyUuid")
        policy = self.client.signing_policies.get(cast(str, shown))
        assert self.client.signing_policies.budgets(cast(str, shown))["budgets"] == []
        text = json.dumps(policy, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        of = base64.b64decode(requests.get(waiting)["approvalDigest"]).hex()
        lines = f"{hashlib.sha256(text.encode()).hexdigest()}  {shown}\n{of}  {waiting}\n"
        digest = hashlib.sha256(f"chancery decisions 1\nDeny\n{lines}".encode()).digest()
        denied = requests.batch_decide(
            uuids=[waiting], decision="Deny", digest=base64.b64encode(digest).decode()
        )
        assert denied["results"][0]["state"] == "Denied"
        assert len(requests.list(metadata={"branch": "tour"}, state="Denied")["items"]) == 3
        assert requests.list_of_service(service["serviceUuid"], state="Signed")["total"] == 2
        manifest = requests.submit(
            name=new_name(),
            serviceUuid=service["serviceUuid"],
            policyUuid=cast(str, service.get("policyUuid")),
            items=[{"name": "a", "digest": HASH}],
        )["uuid"]
        assert requests.items(manifest)["items"][0]["name"] == "a"
        script = self.new_request(self.new_service(form="Powershell"))
        assert b"hello" in requests.download_signed(script)

    def failed_request(self) -> None:
        service = self.new_service(approvals=1)
        uuid = self.new_request(service)
        self.client.certificates.revoke(cast(str, service.get("certificateUuid")), reason="superseded")
        assert self.client.signing_requests.approve(uuid)["state"] == "Failed"
        self.client.services.renew(service["serviceUuid"])
        again = self.client.signing_requests.repeat(uuid)["uuid"]
        assert self.client.signing_requests.get(again)["repeatsUuid"] == uuid

    def grants(self, profile: str) -> None:
        rules: list[types.ControlRule] = [
            {"roleUuid": self.role("Administrator"), "operation": "Detokenize", "approval": {"numApprovals": 1}},
        ]
        self.client.token_profiles.set_permissions(profile, controlRules=rules)
        grants = self.client.grants
        lifetime: types.ValidityPeriod = {"unit": "Hour", "amount": "1"}
        uuid = grants.request(profile, reason="chargeback", maxValues=2, lifetime=lifetime)["uuid"]
        assert self.approver.proposals.approve(uuid)["state"] == "Active"
        assert self.client.token_profiles.detokenize(profile, token="123456", grantUuid=uuid)["message"]
        assert grants.get(profile, uuid)["used"] == 1
        assert grants.list(profile)["total"] == 1
        assert grants.revoke(profile, uuid)["state"] == "Revoked"

    def pre_approval(self, policy: str) -> types.Proposed:
        digest = base64.b64encode(os.urandom(32)).decode()
        return self.client.proposals.pre_approve(name=new_name(), policyUuid=policy, digests=[digest])

    def certificate_proposal(self) -> str:
        """Of a profile that demands an approval."""
        body = self.certificate_body()
        body["certProfileUuid"] = self.new_cert_profile(approval=APPROVAL)
        return cast(types.Proposed, self.client.certificates.generate(**body))["uuid"]

    def proposals(self) -> None:
        proposals, policy = self.client.proposals, cast(str, self.new_service(approvals=1).get("policyUuid"))
        approved = self.pre_approval(policy)["uuid"]
        assert self.approver.proposals.approve(approved, note="read it")["state"] == "Active"
        assert proposals.approve(self.certificate_proposal(), note="read it")["state"] == "Issued"
        assert proposals.get(approved)["kind"] == "PreApproval"
        assert proposals.revoke(approved)["state"] == "Revoked"
        assert proposals.deny(self.pre_approval(policy)["uuid"])["state"] == "Denied"
        assert proposals.withdraw(self.pre_approval(policy)["uuid"])["state"] == "Denied"
        assert self.client.certificates.approve_request(self.certificate_proposal())["state"] == "Issued"
        decided = proposals.batch_decide(uuids=[self.certificate_proposal()], decision="Approve")
        assert decided["results"][0]["errorCode"] == "Success"
        assert proposals.list(kind="PreApproval", policyUuid=policy)["total"] == 3

    def passkeys(self) -> None:
        """The approver's own, which the administrators confirm."""
        passkeys, key = self.approver.passkeys, Authenticator(ORIGIN)
        person = self.approver.identities.whoami()["identities"][0]["uuid"]
        begun = passkeys.begin(person)
        made = passkeys.enrol(person, name="laptop", ticket=begun["ticket"], credential=key.create(begun))
        uuid = made["objInfo"]["uuid"]
        confirmed = self.client.passkeys.confirm(person, uuid, publicKeySha256=made["publicKeySha256"])
        assert confirmed.get("confirmedAt")
        assert self.client.session.passkey_challenge()["publicKey"]["rpId"] == "kms.example.org"
        assert passkeys.update(person, uuid, name="telephone")["objInfo"]["name"] == "telephone"
        self.signed_approvals(key)
        assert self.client.passkeys.list(person)["results"][0].get("lastUsedAt")
        self.client.passkeys.delete(person, uuid)

    def signed_approvals(self, key: Authenticator) -> None:
        def signed(asked: types.ApprovalStatements) -> list[types.ApprovalAssertion]:
            assert asked["demanded"]
            return [key.sign(one) for one in asked["statements"]]

        requests, proposals = self.approver.signing_requests, self.approver.proposals
        service, name = self.new_service(approvals=1, signed_approvals=True), new_name()
        uuid = self.new_request(service)
        assert requests.approve(uuid, assertions=signed(requests.approval_statement(uuid)))["state"] == "Signed"
        policy = self.client.signing_policies.update(cast(str, service.get("policyUuid")), objInfo={"name": name})
        change = policy.get("pendingChange")
        assert change
        assertions = signed(proposals.approval_statement(change["uuid"]))
        assert proposals.approve(change["uuid"], assertions=assertions)["state"] == "Applied"
        assert self.client.signing_policies.get(policy["objInfo"]["uuid"])["objInfo"]["name"] == name

    def public_files(self) -> None:
        public, log, root = self.client.public, self.client.log, self.demo["rootCertificateUuid"]
        assert public.certificate(f"{root}.crt").startswith(b"\x30")
        crl = public.crl(f"{root}.crl")
        assert crl is not None and crl.startswith(b"\x30")
        # What is no request is refused in the answer, as RFC 6960 wants it.
        assert public.ocsp(b"no request").startswith(b"\x30")
        assert public.ocsp_by_path("bm8gcmVxdWVzdA==").startswith(b"\x30")
        assert log.vkey() and log.checkpoint()
        assert len(log.tile("0/000.p/1")) == 32

    def notices(self) -> None:
        targets = self.client.notice_targets
        secret = base64.b64encode(bytes(32)).decode()
        webhook: types.Webhook = {"url": "https://127.0.0.1:9/", "shape": "Chancery"}
        uuid = targets.create(name=new_name(), webhook=webhook, secret=secret)["uuid"]
        assert not targets.update(uuid, enabled=False)["enabled"]
        assert targets.get(uuid)["hasSecret"]
        assert targets.list(search="thing")["results"]
        assert "no public address" in targets.test(uuid)["answer"]
        assert all(one["uuid"] for one in self.client.notices.list(kind="Waiting", pageSize=2)["items"])
        assert self.client.notices.undelivered(targetUuid=uuid)["total"] == 0
        targets.delete(uuid)
        shipped = self.client.audit_targets
        uuid = shipped.create(name=new_name(), otlp={"url": "https://127.0.0.1:9/"}, firstSequence=0)["uuid"]
        assert not shipped.update(uuid, enabled=False)["enabled"]
        assert shipped.get(uuid)["shipping"]["nextSequence"] == 0
        assert shipped.list(search="thing")["results"]
        assert "no public address" in shipped.test(uuid)["answer"]
        shipped.delete(uuid)
        mailboxes, address = self.approver.mailboxes, "approver@example.org"
        person = self.approver.identities.whoami()["identities"][0]["uuid"]
        pending = mailboxes.set(person, address=address, kinds=["Waiting"])["pending"]
        assert pending is not None and pending["triesLeft"] == 5
        assert mailboxes.confirm(person, code=self.relay.code(address))["enabled"]
        assert self.client.mailboxes.get(person)["address"] == address
        self.client.mailboxes.remove(person)

    def audit_and_settings(self) -> None:
        records = self.client.audit.list(pageSize=2, action="RoleCreate", from_="2026-01-01T00:00:00Z")
        assert records["items"][0]["outcome"] == "Success"
        lines = self.client.audit.export(action="RoleCreate").decode().splitlines()
        assert json.loads(lines[0])["outcome"] == "Success"
        newest = self.client.audit.checkpoint()
        assert f"\ncheckpoint {newest['number']}\n" in newest["checkpoint"] and newest["records"] > 0
        assert self.client.audit.archives(pageSize=2)["items"] == []
        assert self.client.audit.download_archive() == b"", "there is none"
        profile = self.demo["tokenProfileUuid"]
        token = self.client.token_profiles.tokenize(profile, message=CARD)["token"]
        had = self.client.audit.search_journal(tokenProfileUuid=profile, token=token, pageSize=1)
        assert had["items"][0]["matches"] == 1 and not had["complete"]
        access = self.client.reports.access(right="Administer", search="Admin1")
        assert access["results"][0]["rights"][0]["right"] == "Administer"
        who = access["results"][0]["objInfo"]["uuid"]
        roles = sorted({held["role"]["uuid"] for held in access["results"][0]["rights"]})
        assert self.client.reports.access_effect(identityUuid=who, roleUuids=roles) == {"gains": [], "loses": []}
        as_of = self.client.audit.list(pageSize=1)["items"][0]["time"]
        assert self.client.reports.access(asOf=as_of, search="Admin1")["asOf"] == as_of
        assert self.client.reports.access_effect(since=as_of) == {"gains": [], "loses": []}
        assert len(self.client.reports.activity()["hours"]) == 24
        assert self.client.identities.whoami()["identities"][0]["name"] == "Admin1"
        assert self.client.settings.get()["apiAccess"]
        assert self.client.settings.update(apiAccess=True)["apiAccess"]


def documented_authority() -> str:
    """The certificate that belongs to the first private key of docs/INTERFACE.md."""
    text = pathlib.Path(ROOT / "docs/INTERFACE.md").read_text(encoding="utf-8")
    behind = text[text.index('"privateKey"') :]
    found = re.search(r'"certificates": ?"([A-Za-z0-9+/=]+)"', behind)
    assert found
    return found[1]
