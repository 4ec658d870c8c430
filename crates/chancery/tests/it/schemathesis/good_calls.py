"""A call of every operation that must succeed: its path parameters, and its query or body where it takes one."""

import base64

from installation import (
    DEMO,
    PASSWORD,
    STATE,
    active_pre_approval,
    administrator,
    administrator_uuid,
    authority_from_elsewhere,
    binding_body,
    cert_profile_body,
    certificate_body,
    certificate_status_request,
    certificates_from_elsewhere,
    csr_body,
    demo_token,
    enrolled,
    failed_request,
    grant_body,
    identity_body,
    key_body,
    login,
    mailbox_code,
    new_api_key,
    new_authority,
    new_binding,
    new_cert_profile,
    new_certificate,
    new_certificate_proposal,
    new_disabled_key,
    new_grant,
    new_held_certificate,
    new_identity,
    new_key,
    new_mailbox,
    new_manifest,
    new_audit_target,
    new_notice_target,
    new_person,
    new_policy_proposal,
    new_profile,
    new_proposal,
    new_provider,
    new_request,
    new_role,
    new_token,
    new_vault,
    audit_target_body,
    notice_target_body,
    policy_body,
    pre_approval_body,
    profile_body,
    profile_with_demand,
    provider_body,
    provider_token,
    request_body,
    role,
    role_body,
    service_body,
    service_of_its_own_authority,
    service_of_scripts,
    service_with_approvals,
    time_stamp_request,
    time_stamping_authority,
    waiting_request,
    with_codes,
)

CARD = "4111111111111111"
TRACK = ";{}=25121010000012345678?"
RENEWED = {"certParams": {"validityPeriod": {"unit": "Day", "amount": "2"}}}
PAGE = {"page": 1, "pageSize": 10}

# Generated policies may ask for time stamps; without an authority that would be a refusal for want of one.
time_stamping_authority()


def at(uuid, **call):
    return {"path_parameters": {"uuid": uuid}, **call}


def at_grant(**call):
    uuid, grant = new_grant()
    return {"path_parameters": {"uuid": uuid, "grantUuid": grant}, **call}


def at_key(**call):
    return {"path_parameters": new_api_key(), **call}


def at_passkey(**call):
    return {"path_parameters": {"uuid": administrator_uuid(0), "passkeyUuid": "5d0c6a1e-7f0b-4a53-9b2e-3f6f0c1d9a77"}, **call}


def on_demo_profile(body):
    return at(DEMO["tokenProfileUuid"], body=body)


def vault_token():
    uuid = new_vault()
    return at(uuid, body={"token": new_token(uuid, CARD)})


def on_demo_root(**call):
    return at(DEMO["rootCertificateUuid"], **call)


def on_demo_service(**call):
    return {"path_parameters": {"serviceUuid": DEMO["serviceUuid"]}, **call}


def demo_root_file(ending):
    return {"path_parameters": {"file": DEMO["rootCertificateUuid"] + ending}}


def plain():
    return {}


PASSKEY = {
    "name": "laptop",
    "ticket": "AAAA",
    "credential": {"id": "AAAA", "response": {"clientDataJSON": "AAAA", "attestationObject": "AAAA"}},
}

MAILBOX = {"address": "second-admin@example.org", "kinds": ["Waiting"], "enabled": True}


GOOD_CALLS = {
    "GET /api/v2/audit": lambda: {"query": PAGE},
    "GET /api/v2/audit/archives": lambda: {"query": {"pageSize": 2}},
    "GET /api/v2/audit/archives/download": lambda: {"query": {}},
    "GET /api/v2/audit/export": lambda: {"query": {"action": "RoleCreate"}},
    "GET /api/v2/audit/checkpoint": plain,
    "GET /api/v2/audit/targets": lambda: {"query": PAGE},
    "POST /api/v2/audit/targets": lambda: {"body": audit_target_body()},
    "GET /api/v2/audit/targets/{uuid}": lambda: at(new_audit_target()),
    "PATCH /api/v2/audit/targets/{uuid}": lambda: at(new_audit_target(), body={"enabled": False}),
    "DELETE /api/v2/audit/targets/{uuid}": lambda: at(new_audit_target()),
    "POST /api/v2/audit/targets/{uuid}/test": lambda: at(new_audit_target(), body={}),
    "POST /api/v2/audit/journal/search": lambda: {"body": {"tokenProfileUuid": DEMO["tokenProfileUuid"], "token": CARD}},
    "GET /api/v2/reports/access": lambda: {"query": {"right": "Administer"}},
    "POST /api/v2/reports/access/effect": lambda: {"body": {"roleUuid": new_role(), "perms": ["Audit:Read"]}},
    "GET /api/v2/whoami": plain,
    "GET /api/v2/activity": plain,
    "GET /api/v2/token-profiles/{uuid}/budgets": lambda: at(new_profile()),
    "POST /api/v2/token-profiles/{uuid}/grants": lambda: at(profile_with_demand(), body=grant_body()),
    "GET /api/v2/token-profiles/{uuid}/grants": lambda: at(new_grant()[0], query=PAGE),
    "GET /api/v2/token-profiles/{uuid}/grants/{grantUuid}": lambda: at_grant(),
    "POST /api/v2/token-profiles/{uuid}/grants/{grantUuid}/revoke": lambda: at_grant(body={"note": "done"}),
    "POST /api/v2/identities": lambda: {"body": identity_body()},
    "GET /api/v2/identities/stubs": lambda: {"query": PAGE},
    "GET /api/v2/identities/{uuid}": lambda: at(new_identity()),
    "PATCH /api/v2/identities/{uuid}": lambda: at(new_identity(), body={"roleUuids": [role("Auditor")]}),
    "DELETE /api/v2/identities/{uuid}": lambda: at(new_identity()),
    "POST /api/v2/identities/{uuid}/lock": lambda: at(new_identity()),
    "POST /api/v2/identities/{uuid}/unlock": lambda: at(new_identity()),
    "POST /api/v2/identities/{uuid}/password": lambda: at(new_identity(), body={"password": PASSWORD}),
    "DELETE /api/v2/identities/{uuid}/totp": lambda: at(enrolled()[2]),
    "GET /api/v2/identities/{uuid}/api-keys": lambda: at(new_identity()),
    "POST /api/v2/identities/{uuid}/api-keys": lambda: at(new_identity(), body={"name": "script"}),
    "PATCH /api/v2/identities/{uuid}/api-keys/{keyUuid}": lambda: at_key(body={"networks": ["10.0.0.0/8"]}),
    "POST /api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate": lambda: at_key(body={"overlapSeconds": 60}),
    "DELETE /api/v2/identities/{uuid}/api-keys/{keyUuid}": lambda: at_key(),
    "GET /api/v2/identities/{uuid}/passkeys": lambda: at(new_identity()),
    # These succeed with a browser alone.
    "POST /api/v2/identities/{uuid}/passkeys/begin": lambda: at(administrator_uuid(0)),
    "POST /api/v2/identities/{uuid}/passkeys": lambda: at(administrator_uuid(0), body=PASSKEY),
    "PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}": lambda: at_passkey(body={"name": "laptop"}),
    "DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}": lambda: at_passkey(),
    "POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm": lambda: at_passkey(body={"publicKeySha256": "AAAA"}),
    "GET /api/v2/identities/{uuid}/mailbox": lambda: at(new_mailbox()),
    "PUT /api/v2/identities/{uuid}/mailbox": lambda: at(administrator_uuid(1), body=MAILBOX),
    "DELETE /api/v2/identities/{uuid}/mailbox": lambda: at(new_mailbox()),
    "POST /api/v2/identities/{uuid}/mailbox/confirm": lambda: at(administrator_uuid(0), body={"code": mailbox_code()}),
    "POST /api/v2/key-types/stubs": lambda: {"body": {"search": "RSA", **PAGE}},
    "POST /api/v2/keys": lambda: {"body": key_body()},
    "GET /api/v2/keys/stubs": lambda: {"query": PAGE},
    "GET /api/v2/keys/{uuid}": lambda: at(new_key()),
    "PATCH /api/v2/keys/{uuid}": lambda: at(new_key(), body={"usages": ["Tokenize"]}),
    "POST /api/v2/keys/{uuid}/disable": lambda: at(new_key(), body={}),
    "POST /api/v2/keys/{uuid}/enable": lambda: at(new_disabled_key(), body={}),
    "POST /api/v2/keys/{uuid}/rotate": lambda: at(new_key(), body={}),
    "POST /api/v2/roles": lambda: {"body": role_body()},
    "GET /api/v2/roles/stubs": lambda: {"query": PAGE},
    "GET /api/v2/roles/{uuid}": lambda: at(new_role()),
    "PATCH /api/v2/roles/{uuid}": lambda: at(new_role(), body={"perms": []}),
    "DELETE /api/v2/roles/{uuid}": lambda: at(new_role()),
    "GET /api/v2/identity-providers": lambda: {"query": PAGE},
    "POST /api/v2/identity-providers": lambda: {"body": provider_body()},
    "GET /api/v2/identity-providers/{uuid}": lambda: at(new_provider()),
    "PATCH /api/v2/identity-providers/{uuid}": lambda: at(new_provider(), body={"singleUse": False}),
    "DELETE /api/v2/identity-providers/{uuid}": lambda: at(new_provider()),
    "GET /api/v2/identity-bindings": lambda: {"query": PAGE},
    "POST /api/v2/identity-bindings": lambda: {"body": binding_body()},
    "GET /api/v2/identity-bindings/{uuid}": lambda: at(new_binding()),
    "DELETE /api/v2/identity-bindings/{uuid}": lambda: at(new_binding()),
    "GET /api/v2/notice-targets": lambda: {"query": PAGE},
    "POST /api/v2/notice-targets": lambda: {"body": notice_target_body()},
    "GET /api/v2/notice-targets/{uuid}": lambda: at(new_notice_target()),
    "PATCH /api/v2/notice-targets/{uuid}": lambda: at(new_notice_target(), body={"enabled": False}),
    "DELETE /api/v2/notice-targets/{uuid}": lambda: at(new_notice_target()),
    "POST /api/v2/notice-targets/{uuid}/test": lambda: at(new_notice_target(), body={}),
    "GET /api/v2/notices": lambda: {"query": PAGE},
    "GET /api/v2/notices/undelivered": lambda: {"query": PAGE},
    "GET /api/v2/system/settings": plain,
    "PATCH /api/v2/system/settings": lambda: {"body": {"apiAccess": True}},
    "POST /api/v2/token-profiles": lambda: {"body": profile_body()},
    "GET /api/v2/token-profiles/stubs": lambda: {"query": PAGE},
    "GET /api/v2/token-profiles/template/names": plain,
    "GET /api/v2/token-profiles/template/{name}": lambda: {"path_parameters": {"name": "card number keep last 4"}},
    "GET /api/v2/token-profiles/{uuid}": lambda: at(DEMO["tokenProfileUuid"]),
    "PATCH /api/v2/token-profiles/{uuid}": lambda: at(new_profile(), body={"format": {"maxLength": 20}}),
    "DELETE /api/v2/token-profiles/{uuid}": lambda: at(new_profile()),
    "PATCH /api/v2/token-profiles/{uuid}/permissions": lambda: at(new_profile(), body={"controlRules": []}),
    "POST /api/v2/token-profiles/{uuid}/copy": lambda: at(DEMO["tokenProfileUuid"], body={"objInfo": {"name": profile_body()["objInfo"]["name"]}}),
    "POST /api/v2/token-profiles/preview": lambda: {"body": {"profile": {"algorithm": "AesSiv"}, "samples": ["a sample"]}},
    "POST /api/v2/token-profiles/{uuid}/tokenize": lambda: on_demo_profile({"message": CARD}),
    "POST /api/v2/token-profiles/{uuid}/detokenize": lambda: on_demo_profile({"token": demo_token(CARD)}),
    "POST /api/v2/token-profiles/{uuid}/batch-tokenize": lambda: on_demo_profile({"messages": [CARD]}),
    "POST /api/v2/token-profiles/{uuid}/batch-detokenize": lambda: on_demo_profile({"tokens": [demo_token(CARD)]}),
    "POST /api/v2/token-profiles/{uuid}/rewrap": lambda: on_demo_profile({"tokens": [demo_token(CARD)]}),
    "POST /api/v2/token-profiles/{uuid}/track-tokenize": lambda: on_demo_profile({"track": TRACK.format(CARD)}),
    "POST /api/v2/token-profiles/{uuid}/track-detokenize": lambda: on_demo_profile(
        {"track": TRACK.format(demo_token(CARD))}
    ),
    "POST /api/v2/token-profiles/{uuid}/tokens/read": vault_token,
    "POST /api/v2/token-profiles/{uuid}/tokens/delete": vault_token,
    "POST /api/v2/token-profiles/{uuid}/tokenized": lambda: at(new_vault(), body={"message": CARD}),
    "GET /api/v2/x509/cert-profiles/stubs": lambda: {"query": PAGE},
    "POST /api/v2/x509/cert-profiles": lambda: {"body": cert_profile_body()},
    "GET /api/v2/x509/cert-profiles/{uuid}": lambda: at(new_cert_profile()),
    "PATCH /api/v2/x509/cert-profiles/{uuid}": lambda: at(new_cert_profile(), body={"enabled": False}),
    "DELETE /api/v2/x509/cert-profiles/{uuid}": lambda: at(new_cert_profile()),
    "POST /api/v2/x509/generate": lambda: {"body": certificate_body()},
    "POST /api/v2/x509/import": lambda: {"body": certificates_from_elsewhere()},
    "POST /api/v2/x509/import-key": lambda: {"body": authority_from_elsewhere()},
    "POST /api/v2/x509/requests": lambda: {"body": csr_body()},
    "POST /api/v2/x509/{uuid}/renew": lambda: at(new_certificate(), body=RENEWED),
    "POST /api/v2/x509/{uuid}/rekey": lambda: at(new_certificate(), body=RENEWED),
    "GET /api/v2/x509": lambda: {"query": PAGE},
    "GET /api/v2/x509/{uuid}": on_demo_root,
    "GET /api/v2/x509/{uuid}/download": lambda: on_demo_root(query={"format": "pkcs7"}),
    "PUT /api/v2/x509/{uuid}/approval": lambda: at(new_authority(), body={"numApprovals": 1, "selfApproval": "Never"}),
    "POST /api/v2/x509/{uuid}/revoke": lambda: at(new_certificate(), body={"reason": "superseded"}),
    "POST /api/v2/x509/{uuid}/release": lambda: at(new_held_certificate(), body={}),
    "GET /api/v2/x509/services/stubs": lambda: {"query": PAGE},
    "GET /api/v2/x509/services": lambda: {"query": PAGE},
    "GET /api/v2/x509/services/{serviceUuid}": on_demo_service,
    "PATCH /api/v2/x509/services/{serviceUuid}": lambda: {
        "path_parameters": {"serviceUuid": time_stamping_authority()["serviceUuid"]},
        "body": {"timestamping": {"default": True}},
    },
    "GET /api/v2/x509/services/{serviceUuid}/issuance-policy": on_demo_service,
    "PATCH /api/v2/x509/services/{serviceUuid}/issuance-policy": lambda: {
        "path_parameters": {"serviceUuid": service_of_its_own_authority()},
        "body": {"numApprovals": 0},
    },
    "POST /api/v2/x509/services/{serviceUuid}/revoke": lambda: {
        "path_parameters": {"serviceUuid": service_of_its_own_authority()},
        "body": {"reason": "superseded"},
    },
    "GET /api/v2/x509/crls/export": plain,
    "POST /api/v2/x509/requests/{uuid}/approve": lambda: at(new_certificate_proposal(), body={"note": "read it"}),
    "GET /api/v2/x509/services/{serviceUuid}/signing-policies": on_demo_service,
    "POST /api/v2/x509/services/{serviceUuid}/signing-policies": lambda: on_demo_service(body=policy_body()),
    "GET /api/v2/x509/services/{serviceUuid}/signing-requests": lambda: on_demo_service(query={"state": "Signed"}),
    "GET /api/v2/x509/signing-requests": lambda: {"query": PAGE},
    "POST /api/v2/x509/signing-requests": lambda: {"body": request_body()},
    "GET /api/v2/x509/signing-requests/{uuid}": lambda: at(new_request(), query={"include": "uploadData"}),
    "GET /api/v2/x509/signing-requests/{uuid}/approval-statement": lambda: at(waiting_request()),
    "POST /api/v2/x509/signing-requests/{uuid}/approve": lambda: at(waiting_request(), body={"note": "read it"}),
    "POST /api/v2/x509/signing-requests/{uuid}/deny": lambda: at(waiting_request(), body={}),
    "POST /api/v2/x509/signing-requests/{uuid}/withdraw": lambda: at(waiting_request(), body={"note": "not yet"}),
    "GET /api/v2/x509/signing-requests/{uuid}/items": lambda: at(new_manifest(), query={"include": "changes"}),
    "POST /api/v2/x509/signing-requests/{uuid}/repeat": lambda: at(failed_request(), body={}),
    "POST /api/v2/x509/pre-approvals": lambda: {"body": pre_approval_body()},
    "GET /api/v2/x509/proposals": lambda: {"query": PAGE},
    "GET /api/v2/x509/proposals/{uuid}": lambda: at(new_proposal()),
    "POST /api/v2/x509/proposals/batch-approve-deny": lambda: {
        "body": {"uuids": [new_certificate_proposal()], "decision": "Approve"}
    },
    "GET /api/v2/x509/proposals/{uuid}/approval-statement": lambda: at(new_policy_proposal()),
    "POST /api/v2/x509/proposals/{uuid}/approve": lambda: at(new_policy_proposal(), body={"note": "read it"}),
    "POST /api/v2/x509/proposals/{uuid}/deny": lambda: at(new_proposal(), body={}),
    "POST /api/v2/x509/proposals/{uuid}/withdraw": lambda: at(new_proposal(), body={}),
    "POST /api/v2/x509/proposals/{uuid}/revoke": lambda: at(active_pre_approval(), body={}),
    "GET /api/v2/x509/signing-requests/{uuid}/signed/download": lambda: at(new_request(service_of_scripts())),
    "GET /api/v2/x509/signing-policies/{uuid}": lambda: at(DEMO["policyUuid"]),
    "GET /api/v2/x509/signing-policies/{uuid}/budgets": lambda: at(DEMO["policyUuid"]),
    "PATCH /api/v2/x509/signing-policies/{uuid}": lambda: at(
        service_with_approvals()["policyUuid"], body={"rules": {"maxSize": 67108864}}
    ),
    "POST /api/v2/x509/services/{serviceUuid}/renew": lambda: {
        "path_parameters": {"serviceUuid": service_with_approvals()["serviceUuid"]},
        "body": {"validityPeriod": {"unit": "Year", "amount": "1"}},
    },
    "POST /api/v2/x509/signing-requests/batch-approve-deny": lambda: {
        "body": {"uuids": [waiting_request()], "decision": "Approve"}
    },
    "POST /cuserv/v1/services/deploy": lambda: {"body": service_body()},
    "GET /ca/{file}": lambda: demo_root_file(".crt"),
    "GET /crl/{file}": lambda: demo_root_file(".crl"),
    "POST /ocsp": lambda: {"body": certificate_status_request(), "media_type": "application/ocsp-request"},
    "GET /ocsp/{request}": lambda: {
        "path_parameters": {"request": base64.b64encode(certificate_status_request()).decode()}
    },
    "POST /tsa": lambda: time_stamping_authority() and {
        "body": time_stamp_request(), "media_type": "application/timestamp-query"
    },
    "POST /tsa/{serviceUuid}": lambda: {
        "path_parameters": {"serviceUuid": time_stamping_authority()["serviceUuid"]},
        "body": time_stamp_request(),
        "media_type": "application/timestamp-query",
    },
    "GET /log/checkpoint": plain,
    "GET /log/vkey": plain,
    "GET /log/tile/{tile}": lambda: {"path_parameters": {"tile": "0/000.p/1"}},
    "GET /docs": plain,
    "GET /docs/interface.md": plain,
    "GET /healthz": plain,
    "GET /readyz": plain,
    "GET /metrics": plain,
    "GET /openapi.json": plain,
    "POST /home/v1/login": lambda: {"body": login(administrator(STATE["admins"][0]))},
    "GET /home/v1/login": plain,
    "GET /home/v1/login/token": plain,
    "GET /home/v1/login/oidc": plain,
    # These succeed with a browser alone, and a provider or a passkey.
    "POST /home/v1/login/oidc": lambda: {"body": {"providerUuid": "5d0c6a1e-7f0b-4a53-9b2e-3f6f0c1d9a77"}},
    "GET /home/v1/login/oidc/callback": lambda: {"query": {"error": "access_denied", "state": "x"}},
    "POST /home/v1/login/passkey": plain,
    "POST /home/v1/login/password": lambda: {
        "body": {**new_person()[0], "newPassword": base64.b64encode(b"another password of theirs").decode()}
    },
    "POST /home/v1/login/exchange": lambda: {"body": {"subjectToken": provider_token()}},
    "POST /home/v1/login/totp": lambda: {"body": new_person()[0]},
    "POST /home/v1/login/totp/confirm": lambda: {"body": enrolled()[0]},
    "POST /home/v1/login/totp/remove": lambda: {"body": with_codes()},
    "POST /home/v1/logout": plain,
}
