"""The installation under test, as its administrators use it: logins, and objects for the calls to act on."""

import base64
import datetime
import functools
import hmac
import itertools
import json
import os
import pathlib
import random
import time

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509 import ocsp

STATE = json.loads(pathlib.Path(os.environ["CHANCERY_QUICKSTART"]).read_text())
DEMO = STATE["demo"]
PASSWORD = base64.b64encode(b"an honest long password").decode()

PROVIDER_KEY = ed25519.Ed25519PrivateKey.generate()

_numbers = itertools.count(1)


def base64url(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def name():
    """One that nothing has yet."""
    return f"thing {next(_numbers)}"


def login(credentials):
    return {"authType": "userpass", "authCredentials": credentials}


def administrator(admin):
    """The credentials of one of the two."""
    return {"username": admin["username"], "password": base64.b64encode(admin["password"].encode()).decode()}


class Client:
    """A session of its own, fully logged in."""

    def __init__(self, logins):
        self.http = requests.Session()
        self.http.verify = STATE["caFile"]
        # The environment's proxies and authorities would otherwise come before these.
        self.http.trust_env = False
        for body in logins:
            answer = self.send("POST", "/home/v1/login", body)
        assert answer["response"]["fullyLoggedIn"], answer

    @classmethod
    def administrators(cls):
        return cls(login(administrator(admin)) for admin in STATE["admins"])

    @classmethod
    def application(cls):
        """Its one login is cheap."""
        credentials = {"apiKey": application_key()}
        return cls([{"authType": "apikey", "authCredentials": credentials}])

    def send(self, method, path, body=None):
        answer = self.http.request(method, STATE["base"] + path, json=body, timeout=60)
        assert answer.ok, f"{method} {path} {body}: {answer.status_code} {answer.text}"
        return answer.json()

    def token(self):
        """A new bearer token."""
        return self.send("GET", "/home/v1/login/token")["token"]


@functools.cache
def administrators():
    """The session that makes what the calls act on."""
    return Client.administrators()


def post(path, body=None):
    return administrators().send("POST", path, body)["response"]


@functools.cache
def ids(listing):
    """The ids of a listing of built-in objects, by name."""
    method = "POST" if listing == "/api/v2/key-types/stubs" else "GET"
    stubs = administrators().send(method, listing)["response"]["results"]
    return {stub["objInfo"]["name"]: stub["objInfo"]["uuid"] for stub in stubs}


def role(name):
    return ids("/api/v2/roles/stubs")[name]


def key_type(name):
    return ids("/api/v2/key-types/stubs")[name]


def cert_profile(name):
    return ids("/api/v2/x509/cert-profiles/stubs")[name]


@functools.cache
def application_key():
    body = {"name": name(), "kind": "Application", "roleUuids": [role("Application")]}
    return post("/api/v2/identities", body)["apiKey"]


def identity_body():
    return {"name": name(), "kind": "Person", "roleUuids": [role("Approver")], "password": PASSWORD}


def new_identity():
    return post("/api/v2/identities", identity_body())["uuid"]


def new_person():
    """What a new person proves who they are with, and their uuid."""
    body = identity_body()
    uuid = post("/api/v2/identities", body)["uuid"]
    return {"username": body["name"], "password": PASSWORD}, uuid


def one_time_code(secret, distance):
    """The code (RFC 6238) of the step that is so far from now."""
    step = int(time.time()) // 30 + distance
    mac = hmac.new(base64.b32decode(secret), step.to_bytes(8, "big"), "sha1").digest()
    offset = mac[19] & 15
    return f"{(int.from_bytes(mac[offset:offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def enrolled():
    """What confirms the second factor of a new person, its secret, and their uuid."""
    person, uuid = new_person()
    secret = administrators().send("POST", "/home/v1/login/totp", person)["secret"]
    # That of before would be too old where the 30 seconds end meanwhile.
    return {**person, "totp": one_time_code(secret, 0)}, secret, uuid


def with_codes():
    """What takes the second factor of a new person away."""
    person, secret, _ = enrolled()
    administrators().send("POST", "/home/v1/login/totp/confirm", person)
    return {**person, "totp": one_time_code(secret, 1)}


def new_api_key():
    identity = new_identity()
    return {"uuid": identity, "keyUuid": post(f"/api/v2/identities/{identity}/api-keys", {"name": name()})["uuid"]}


def provider_body():
    """With keys that are given: nothing is fetched."""
    key = {"kty": "OKP", "crv": "Ed25519", "x": base64url(PROVIDER_KEY.public_key().public_bytes_raw())}
    keys = {"algorithms": ["EdDSA"], "jwks": json.dumps({"keys": [key]})}
    return {"name": name(), "issuer": f"https://{name().replace(' ', '-')}.example.org", "audiences": ["us"], **keys}


def new_provider():
    return post("/api/v2/identity-providers", provider_body())["objInfo"]["uuid"]


def binding_body():
    return {
        "name": name(),
        "identityUuid": new_identity(),
        "providerUuid": new_provider(),
        "subject": "a workload",
        "claims": {"ref": "main"},
    }


def new_binding():
    return post("/api/v2/identity-bindings", binding_body())["objInfo"]["uuid"]


def provider_token():
    """Of a workload that is bound."""
    provider = post("/api/v2/identity-providers", provider_body())
    binding = {**binding_body(), "providerUuid": provider["objInfo"]["uuid"]}
    post("/api/v2/identity-bindings", binding)
    now = int(time.time())
    claims = {"iss": provider["issuer"], "aud": "us", "sub": "a workload", "ref": "main", "iat": now, "exp": now + 300}
    signed = ".".join(base64url(json.dumps(part).encode()) for part in [{"alg": "EdDSA", "typ": "JWT"}, claims])
    return f"{signed}.{base64url(PROVIDER_KEY.sign(signed.encode()))}"


def new_mailbox():
    """Of a new person, who was mailed a code: the id."""
    person = identity_body()
    uuid = post("/api/v2/identities", person)["uuid"]
    own = Client([login({"username": person["name"], "password": PASSWORD})])
    own.send("PUT", f"/api/v2/identities/{uuid}/mailbox", {"address": f"{uuid}@example.org"})
    return uuid


@functools.cache
def administrator_uuid(place):
    """That of one of the two who make the calls: people set only the own mailbox."""
    return administrators().send("GET", "/api/v2/whoami")["response"]["identities"][place]["uuid"]


@functools.cache
def mailbox_code():
    """The code that the first administrator is mailed: it is good once."""
    address = "admin@example.org"
    administrators().send("PUT", f"/api/v2/identities/{administrator_uuid(0)}/mailbox", {"address": address})
    mail = (pathlib.Path(os.environ["CHANCERY_MAILS"]) / address).read_text()
    return next(line.strip() for line in mail.splitlines() if line.startswith("    "))


def role_body():
    return {"name": name(), "loginsRequired": 1, "perms": ["Signing:Approve"]}


def new_role():
    return post("/api/v2/roles", role_body())["uuid"]


def key_body():
    return {"name": name(), "keyTypeUuid": key_type("AES-256 Tokenization")}


def notice_target_body():
    webhook = {"url": "https://127.0.0.1:9/", "shape": "Chancery"}
    return {"name": name(), "webhook": webhook, "secret": base64.b64encode(bytes(32)).decode()}


def new_notice_target():
    return post("/api/v2/notice-targets", notice_target_body())["uuid"]


def audit_target_body():
    return {"name": name(), "otlp": {"url": "https://127.0.0.1:9/"}}


def new_audit_target():
    return post("/api/v2/audit/targets", audit_target_body())["uuid"]


def new_key():
    return post("/api/v2/keys", key_body())["uuid"]


def new_disabled_key():
    uuid = new_key()
    post(f"/api/v2/keys/{uuid}/disable")
    return uuid


def profile_body():
    return {
        "objInfo": {"name": name()},
        "algorithm": "Ff1",
        "keyUuid": new_key(),
        "format": {"alphabet": "Decimal", "minLength": 6, "maxLength": 19},
        "controlRules": [{"roleUuid": role("Administrator"), "operation": "Tokenize"}],
    }


def new_profile():
    return post("/api/v2/token-profiles", profile_body())["objInfo"]["uuid"]


def new_vault():
    """A Random profile with every rule for the administrators."""
    operations = ["Tokenize", "Detokenize", "Batch"]
    rules = [{"roleUuid": role("Administrator"), "operation": operation} for operation in operations]
    body = {**profile_body(), "algorithm": "Random", "controlRules": rules}
    return post("/api/v2/token-profiles", body)["objInfo"]["uuid"]


def new_token(profile, message):
    return post(f"/api/v2/token-profiles/{profile}/tokenize", {"message": message})["token"]


def cert_profile_body():
    return {
        "objInfo": {"name": name()},
        "validityPeriod": {"unit": "Day", "amount": "30"},
        "maxValidityPeriod": {"unit": "Month", "amount": "3"},
        "keyUsages": ["digitalSignature"],
        "extendedKeyUsages": ["clientAuth"],
        "subject": {"required": ["CN"]},
    }


def new_cert_profile():
    return post("/api/v2/x509/cert-profiles", cert_profile_body())["objInfo"]["uuid"]


def certificate_body():
    return {
        "certProfileUuid": cert_profile("TLS Server"),
        "subjectOneline": f"CN={name()}",
        "newKey": {"keyTypeUuid": key_type("EC P-256 Signing"), "save": True},
        "issuerUuid": DEMO["rootCertificateUuid"],
        "certParams": {"validityPeriod": {"unit": "Day", "amount": "1"}, "subjectAltNames": ["DNS:host.example"]},
    }


def new_certificate():
    return post("/api/v2/x509/generate", certificate_body())["certificateUuid"]


def new_authority():
    root = {**certificate_body(), "certProfileUuid": cert_profile("Root Certificate Authority"), "trustCert": True}
    del root["issuerUuid"], root["certParams"]
    return post("/api/v2/x509/generate", root)["certificateUuid"]


def new_certificate_proposal():
    profile = post("/api/v2/x509/cert-profiles", {**cert_profile_body(), "approval": {"numApprovals": 1}})
    wanted = {**certificate_body(), "certProfileUuid": profile["objInfo"]["uuid"]}
    return post("/api/v2/x509/generate", wanted)["uuid"]


def new_held_certificate():
    uuid = new_certificate()
    post(f"/api/v2/x509/{uuid}/revoke", {"reason": "certificateHold"})
    return uuid


def csr_body():
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name())])
    csr = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    return {
        "serviceOrIssuerUuid": DEMO["rootCertificateUuid"],
        "csr": csr.public_bytes(serialization.Encoding.PEM).decode(),
        "certProfileUuid": cert_profile("TLS Client"),
        "certParams": {"validityPeriod": {"unit": "Day", "amount": "1"}},
    }


def authority_from_elsewhere():
    """A root and its key, in PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name())])
    now = datetime.datetime.now(datetime.timezone.utc)
    usages = dict.fromkeys(
        ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
         "encipher_only", "decipher_only"], False)
    root = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usages), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private_key = key.private_bytes(pem, pkcs8, serialization.NoEncryption()).decode()
    return {"certificates": root.public_bytes(pem).decode(), "privateKey": private_key}


def certificates_from_elsewhere():
    return {"certificates": authority_from_elsewhere()["certificates"]}


def certificate_status_request():
    """An OCSP request about the root, which is its own issuer."""
    uuid = DEMO["rootCertificateUuid"]
    root = administrators().send("GET", f"/api/v2/x509/{uuid}")["response"]["certificate"]
    root = x509.load_pem_x509_certificate(root.encode())
    request = ocsp.OCSPRequestBuilder().add_certificate(root, root, hashes.SHA256()).build()
    return request.public_bytes(serialization.Encoding.DER)


@functools.cache
def time_stamping_authority():
    body = service_body()
    body = {"template": "Time Stamping", "name": name(), "timestamping": {"newCert": body["pkisigning"]["newCert"]}}
    return post("/cuserv/v1/services/deploy", body)


def time_stamp_request():
    """A TimeStampReq: version 1, SHA-256 of 32 zero bytes in the place of a hash."""
    algorithm = bytes.fromhex("300d06096086480165030402010500")
    imprint = b"\x30\x31" + algorithm + b"\x04\x20" + bytes(32)
    return b"\x30\x36\x02\x01\x01" + imprint


def service_body(approvals=0):
    return {
        "template": "PKI Signing",
        "name": name(),
        "pkisigning": {
            "newCert": {
                "issuerUuid": DEMO["rootCertificateUuid"],
                "subjectOneline": f"CN={name()}",
                "newKey": {"keyTypeUuid": key_type("EC P-256 Signing"), "save": True},
                "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
            },
            "signingFormat": "CMS",
            "numApprovals": approvals,
            "hashAlgorithm": "Sha2_256",
        },
    }


@functools.cache
def service_with_approvals():
    return post("/cuserv/v1/services/deploy", service_body(approvals=1))


def service_of_its_own_authority():
    """Whatever becomes of it and of its issuer is nobody else's concern."""
    body = service_body()
    body["pkisigning"]["newCert"]["issuerUuid"] = new_authority()
    return post("/cuserv/v1/services/deploy", body)["serviceUuid"]


@functools.cache
def service_of_scripts():
    body = service_body()
    body["pkisigning"]["signingFormat"] = "Powershell"
    return post("/cuserv/v1/services/deploy", body)


def policy_body():
    return {"name": name(), "numApprovals": 2, "hashAlgorithm": "Sha2_512"}


def request_body(service=DEMO):
    ids = {"serviceUuid": service["serviceUuid"], "policyUuid": service["policyUuid"]}
    return {"name": name(), "uploadData": "aGVsbG8=", **ids}


def new_request(service=DEMO):
    return post("/api/v2/x509/signing-requests", request_body(service))["uuid"]


def waiting_request():
    return new_request(service_with_approvals())


def failed_request():
    service = service_with_approvals()
    uuid = new_request(service)
    post(f"/api/v2/x509/{service['certificateUuid']}/revoke", {"reason": "superseded"})
    post(f"/api/v2/x509/signing-requests/{uuid}/approve", {})
    post(f"/api/v2/x509/services/{service['serviceUuid']}/renew", {})
    return uuid


def new_manifest():
    body = request_body()
    del body["uploadData"]
    body["items"] = [{"name": "a", "digest": base64.b64encode(bytes(32)).decode()}]
    return post("/api/v2/x509/signing-requests", body)["uuid"]


def profile_with_demand():
    rules = [{"roleUuid": role("Administrator"), "operation": "Detokenize", "approval": {"numApprovals": 1}}]
    return post("/api/v2/token-profiles", {**profile_body(), "controlRules": rules})["objInfo"]["uuid"]


def grant_body():
    return {"reason": name(), "maxValues": 3, "lifetime": {"unit": "Hour", "amount": "1"}}


def new_grant():
    profile = profile_with_demand()
    return profile, post(f"/api/v2/token-profiles/{profile}/grants", grant_body())["uuid"]


def pre_approval_body(service=None):
    service = service or service_with_approvals()
    return {"name": name(), "policyUuid": service["policyUuid"], "digests": [base64.b64encode(os.urandom(32)).decode()]}


def new_proposal():
    return post("/api/v2/x509/pre-approvals", pre_approval_body())["uuid"]


def new_policy_proposal():
    policy = service_with_approvals()["policyUuid"]
    # One that is like the last is no change.
    change = {"rules": {"maxSize": random.randrange(4096, 2**20)}}
    return administrators().send("PATCH", f"/api/v2/x509/signing-policies/{policy}", change)["response"][
        "pendingChange"
    ]["uuid"]


@functools.cache
def approver():
    """Somebody who makes no proposals."""
    person = identity_body()
    post("/api/v2/identities", person)
    return Client([login({"username": person["name"], "password": PASSWORD})])


def active_pre_approval():
    approver()
    uuid = new_proposal()
    approver().send("POST", f"/api/v2/x509/proposals/{uuid}/approve", {})
    return uuid


def demo_token(message):
    """The demo profile's answer to its one kind of message, a card number."""
    return post(f"/api/v2/token-profiles/{DEMO['tokenProfileUuid']}/tokenize", {"message": message})["token"]
