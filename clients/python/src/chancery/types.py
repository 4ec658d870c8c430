# Made from docs/openapi.json by `python3 clients/generate`; changes belong there.
"""The bodies and answers of the interface, member by member as docs/INTERFACE.md has them."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class Access(TypedDict):
    """An identity, and what it can do."""
    kind: IdentityKind
    """Person or application."""
    locked: bool
    """Whether it is locked, and so can do nothing of this at the moment."""
    objInfo: IdentityIdObjInfo
    """Name and id."""
    rights: list[HeldRight]
    """What it can do, at least one."""


class AccessChange(TypedDict):
    """Body of POST /api/v2/reports/access/effect: one change that is not made yet, in the words of the call that makes it.
    Either `tokenProfileUuid` and `controlRules`, or `roleUuid` and `perms`, or `identityUuid` and `roleUuids`, or
    `policyUuid` and `policy`; or with `since` all changes that were made since a moment. Other members are refused.
    """
    controlRules: NotRequired[list[ControlRule] | None]
    """With `tokenProfileUuid`: all of its rules, as PATCH /api/v2/token-profiles/{uuid}/permissions takes them."""
    identityUuid: NotRequired[IdentityId | None]
    """The identity that would hold other roles."""
    perms: NotRequired[list[Perm] | None]
    """With `roleUuid`: all of its permissions, as PATCH /api/v2/roles/{uuid} takes them."""
    policy: NotRequired[ChangeSigningPolicy | None]
    """With `policyUuid`: what changes of it, as PATCH /api/v2/x509/signing-policies/{uuid} takes it."""
    policyUuid: NotRequired[PolicyId | None]
    """The signing policy that would change."""
    roleUuid: NotRequired[RoleId | None]
    """The role that would permit something else."""
    roleUuids: NotRequired[list[RoleId] | None]
    """With `identityUuid`: all of its roles, as PATCH /api/v2/identities/{uuid} takes them."""
    since: NotRequired[str | None]
    """Everything that has changed since this moment (RFC 3339), up to now and not before the first audit record."""
    tokenProfileUuid: NotRequired[TokenProfileId | None]
    """The token profile whose Control Rules would be replaced."""


class AccessEffect(TypedDict):
    """Who could do by a change what they cannot do without it, and who could not any more: the difference of two reports of
    access, by what is gained and lost instead of by identity.
    """
    gains: list[ChangedRight]
    """What somebody gains: by right, object, permission and mask; at most 1,000."""
    leftOut: NotRequired[int]
    """How many more of both there are that are not listed."""
    loses: list[ChangedRight]
    """What somebody loses; as `gains`."""
    uncertain: NotRequired[list[UncertainAccess]]
    """With `since`: what cannot be known of then; at most 100."""
    uncertainLeftOut: NotRequired[int]
    """How many more of these there are that are not listed."""


class AccessReport(TypedDict):
    """Who can do what: `results`, of one page."""
    asOf: NotRequired[str | None]
    """The moment that was asked for (RFC 3339, UTC): all of it is as it was then, also names."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    pageSize: int
    """Items a page."""
    results: list[Access]
    """This page's identities, ordered by name, then uuid."""
    total: int
    """How many there are on all pages."""
    uncertain: NotRequired[list[UncertainAccess]]
    """What cannot be known of then, on all pages; at most 100."""
    uncertainLeftOut: NotRequired[int]
    """How many more of these there are that are not listed."""


AccessRight: TypeAlias = Literal["Tokenize", "Detokenize", "Sign", "Approve", "Administer"]
"""What somebody can do, as the report of access sorts it."""


Action: TypeAlias = Literal["Login", "Logout", "TokenMint", "ApiCall", "SettingsRead", "SettingsChange", "RoleCreate", "RoleRead", "RoleChange", "RoleDelete", "IdentityCreate", "IdentityRead", "IdentityChange", "IdentityDelete", "IdentityLock", "IdentityUnlock", "IdentityRecover", "PasswordChange", "TotpEnrol", "TotpConfirm", "TotpRemove", "TotpReset", "ApiKeyCreate", "ApiKeyRead", "ApiKeyChange", "ApiKeyRotate", "ApiKeyDelete", "ApiKeyExpiry", "IdentityProviderCreate", "IdentityProviderRead", "IdentityProviderChange", "IdentityProviderDelete", "IdentityBindingCreate", "IdentityBindingRead", "IdentityBindingDelete", "PasskeyEnrol", "PasskeyConfirm", "PasskeyRead", "PasskeyChange", "PasskeyDelete", "AuditRead", "AuditExport", "AccessRead", "ServerStart", "ServerStop", "ClockJump", "Backup", "Provision", "RowsAuthenticate", "RowRefuse", "KeyCreate", "KeyRead", "KeyChange", "KeyRotate", "KeyDisable", "KeyEnable", "TokenProfileCreate", "TokenProfileRead", "TokenProfileChange", "TokenProfileDelete", "TokenProfilePreview", "ControlRulesChange", "Tokenize", "Detokenize", "PartialDetokenize", "BatchTokenize", "BatchDetokenize", "TrackTokenize", "TrackDetokenize", "Rewrap", "TokenRead", "TokenDelete", "TokenizedRead", "CertProfileCreate", "CertProfileChange", "CertProfileDelete", "IssuerApprovalChange", "CertificateGenerate", "CertificateImport", "AuthorityImport", "CertificateRequest", "CertificateRenew", "CertificateRekey", "CertificateRevoke", "CertificateRelease", "CertificateExpiry", "CrlSign", "ServiceDeploy", "ServiceRenew", "ServiceChange", "SigningPolicyCreate", "SigningPolicyRead", "SigningPolicyChange", "SigningRequestSubmit", "SigningRequestRead", "SigningRequestDownload", "SigningRequestApprove", "SigningRequestDeny", "SigningRequestWithdraw", "SigningRequestFail", "ProposalSubmit", "ProposalRead", "ProposalApprove", "ProposalDeny", "ProposalWithdraw", "ProposalRevoke", "ProposalFail", "SigningRequestExpire", "ProposalExpire", "NoticeTargetCreate", "NoticeTargetRead", "NoticeTargetChange", "NoticeTargetDelete", "NoticeTargetTest", "MailboxSet", "MailboxRead", "MailboxConfirm", "MailboxRemove", "NoticeGiveUp", "AuditTargetCreate", "AuditTargetRead", "AuditTargetChange", "AuditTargetDelete", "AuditTargetTest", "AuditTargetFail", "AuditTargetResume", "JournalSearch", "JournalMiss", "JournalFail", "JournalResume", "LedgerFail", "LedgerResume", "AuditArchive", "AuditArchiveRemove", "JournalRemove", "WitnessFail", "WitnessResume", "BudgetWarn", "DetokenizeGrantRead", "DetokenizeGrantUse"]
"""What was done or tried, as the audit records name it."""


class Activity(TypedDict):
    """How much all servers together have done in each hour of the last day."""
    hours: list[ActivityHour]
    """The last 24 hours of the clock (UTC), the oldest first. The last one is not over yet."""


class ActivityHour(TypedDict):
    """What was done in one hour of the clock."""
    detokenized: int
    """How many tokens became values again, in full or in part."""
    issued: int
    """How many certificates were issued."""
    signed: int
    """How many signatures were made under signing policies; one of a manifest for each of its digests."""
    startsAt: str
    """When the hour begins (RFC 3339)."""
    tokenized: int
    """How many values became tokens, also those of batches and tracks; not what was refused, nor tokens that `rewrap` made
    of others.
    """


AltNameKind: TypeAlias = Literal["Dns", "Ip", "Email", "Uri", "Upn"]
"""The kinds of subject alternative names."""


class AltNameRules(TypedDict):
    """What subject alternative names may be."""
    domains: NotRequired[list[str] | None]
    """The domains in which host names, mailboxes and user principal names must lie, those of the subject (its
    `emailAddress`, a common name that looks like a host) too; `null`: any.
    """
    kinds: NotRequired[list[AltNameKind] | None]
    """The kinds that may occur; `null`: all."""
    presence: Presence
    """`Required`: a request without any lends its common name where that is a host name or an address."""
    wildcards: NotRequired[bool]
    """Whether a host name may begin with `*`."""


class ApiKey(TypedDict):
    """An API key; its secret is kept as a keyed hash and never answered again."""
    createdAt: str
    """When it was made (RFC 3339, UTC)."""
    expiresAt: NotRequired[str | None]
    """When it ends (RFC 3339, UTC); absent where it does not."""
    lastUsedAt: NotRequired[str | None]
    """When its secret was last used (RFC 3339, UTC), to some minutes; absent where it never was."""
    networks: list[str]
    """From where it may be used; from everywhere where this is empty."""
    objInfo: ApiKeyIdObjInfo
    """Name and id."""
    previous: NotRequired[PreviousSecret | None]
    """The secret of before the last rotation, while it goes on."""
    rotatedAt: NotRequired[str | None]
    """When its secret was last replaced (RFC 3339, UTC); absent where it never was."""
    scope: NotRequired[ApiKeyScope | None]
    """What it is restricted to; absent where it gives all that the identity has."""
    version: int
    """Which secret this is: 1, and one more with each rotation."""


class ApiKeyCreated(TypedDict):
    """A key with its secret, which is shown this once."""
    apiKey: str
    """Its secret: `chk_` and 43 characters, for `authCredentials.apiKey` of a login or as `Authorization: Bearer`."""
    previousUntil: NotRequired[str | None]
    """Until when the secret of before goes on (RFC 3339, UTC); only after a rotation with an overlap."""
    uuid: ApiKeyId
    """The key."""
    warnings: NotRequired[list[str]]
    """What to know beside that: that the rotation ended a secret which was to go on."""


ApiKeyId: TypeAlias = "str"


class ApiKeyScope(TypedDict):
    """What a key is restricted to. Whoever shows it may call the token profiles that are named, as far as the identity may,
    submit and look after signing requests under the policies and services that are named, and read what everybody who is
    logged in may read; nothing else.
    """
    policyUuids: NotRequired[list[PolicyId]]
    """Signing policies; none where this is absent or empty."""
    serviceUuids: NotRequired[list[ServiceId]]
    """Signing services with all their policies, also later ones; none where this is absent or empty."""
    tokenProfileUuids: NotRequired[list[TokenProfileId]]
    """Token profiles; none where this is absent or empty."""


class ApiKeys(TypedDict):
    """All keys of an identity."""
    results: list[ApiKey]
    """By name."""


class Approval(TypedDict):
    """One decision on a signing request."""
    decidedAt: str
    """When (RFC 3339, UTC)."""
    decision: RequestDecision
    """What was decided."""
    identities: list[IdentityIdObjInfo]
    """In whose name: all identities of one session."""
    note: str
    """What they said about it."""
    signatures: NotRequired[list[ApprovalSignature]]
    """What their passkeys signed of it, where that was demanded."""
    statement: NotRequired[Statement | None]
    """The statement over many requests that it was a part of; absent where it was made by itself."""


class ApprovalAssertion(TypedDict):
    """What one person signed of an approval."""
    credential: AssertionCredential
    """What `PublicKeyCredential.toJSON` says; members that are not listed are not looked at."""
    ticket: str
    """What came with the statement."""


class ApprovalCount(TypedDict):
    """How far a request is from its signature."""
    given: int
    """Approvals given."""
    required: int
    """Approvals that it takes."""


class ApprovalRules(TypedDict):
    """Who approves a certificate before it is issued, and how many. Of an object that is there, `numApprovals` is said in any
    case.
    """
    approvalSteps: NotRequired[list[ApprovalStep]]
    """Who approves first, as in the rules of a signing policy."""
    numApprovals: int
    """Approvals that a certificate needs, 0 to 64; 0 means that it is issued at once."""
    requestLifetime: NotRequired[ValidityPeriod | None]
    """How long a request waits for its approvals; for ever by default."""
    selfApproval: NotRequired[SelfApproval | None]
    """Whether whoever asks for a certificate may take part in approving it; by default `DualControl`, and always `Never`
    in hardened mode.
    """


class ApprovalSignature(TypedDict):
    """What one person signed of an approval, as it is kept: `chancery verify --approver-keys` checks it."""
    authenticatorData: Base64
    """`authenticatorData`."""
    clientData: Base64
    """`clientDataJSON`."""
    credentialId: Base64
    """By which the authenticator knows the passkey."""
    identityUuid: IdentityId
    """The person."""
    publicKey: Base64
    """The public key (SubjectPublicKeyInfo in DER)."""
    signature: Base64
    """`signature`."""
    statement: str
    """The text that was signed."""


ApprovalState: TypeAlias = Literal["None", "Pending", "Approved", "Denied"]
"""What the approvers have said of a signing request."""


class ApprovalStatement(TypedDict):
    """What one person signs to approve something."""
    expiresAt: str
    """Until when (RFC 3339, UTC)."""
    identity: IdentityIdObjInfo
    """The person."""
    publicKey: RequestOptions
    """For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. The challenge is SHA-256 of
    `chancery passkey approval 1`, a line feed and the statement.
    """
    statement: str
    """The text. Its lines are told in docs/INTERFACE.md."""
    ticket: str
    """What to send with the signature."""


class ApprovalStatements(TypedDict):
    """What the members of a session sign to approve something: one statement for each of them."""
    demanded: bool
    """Whether the approval has to be signed. Where it has not, there are no statements."""
    statements: list[ApprovalStatement]
    """In the order in which they logged in."""


class ApprovalStep(TypedDict):
    """Approvals of certain roles."""
    numApprovals: int
    """How many such approvals it takes, at least one."""
    roleUuids: list[RoleId]
    """The session that approves holds one of these roles; at least one."""


class ApproveRequest(TypedDict):
    """Body of approve."""
    assertions: NotRequired[list[ApprovalAssertion]]
    """What each member of the session signed, where the policy demands that approvals are signed: `…/approval-statement`
    says what.
    """
    digest: NotRequired[Base64 | None]
    """What is approved: where it is not the request's `approvalDigest`, nothing is."""
    note: NotRequired[str | None]
    """What to record with the approval; at most 4 KiB."""


class Approved(TypedDict):
    """Answer to an approval."""
    approvalState: ApprovalState
    """What the approvers have said."""
    approvals: ApprovalCount
    """How many approvals there are, and how many it takes."""
    digest: Base64
    """The digest that was approved: the request's `approvalDigest`."""
    manifest: NotRequired[ManifestSummary | None]
    """How far the items of a manifest are."""
    signature: Base64
    """The signature; empty until it is signed."""
    state: SigningRequestState
    """Where the request stands now."""


class AssertionCredential(TypedDict):
    """`AuthenticationResponseJSON` of Web Authentication Level 3."""
    id: str
    """By which the authenticator knows the passkey, in base64url."""
    response: AssertionResponse
    """What it answered."""


class AssertionResponse(TypedDict):
    """`AuthenticatorAssertionResponseJSON`."""
    authenticatorData: str
    """What the authenticator says, in base64url."""
    clientDataJSON: str
    """What the browser says, in base64url."""
    signature: str
    """Its signature, in base64url."""


class AttestationResponse(TypedDict):
    """`AuthenticatorAttestationResponseJSON`."""
    attestationObject: str
    """What the authenticator says, in base64url."""
    clientDataJSON: str
    """What the browser says, in base64url."""


class AuditAccount(TypedDict):
    """An account of the operating system."""
    host: str
    """The host's name."""
    loginUid: NotRequired[int | None]
    """The number with which whoever ran the command had logged in to the host, also where they are root by now; absent
    where the kernel does not know.
    """
    name: NotRequired[str | None]
    """Its name, where the host has one for the number."""
    uid: int
    """Its number, that of the process."""


class AuditApiKey(TypedDict):
    """An API key as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last member."""
    name: str
    """Its name at that time."""
    uuid: ApiKeyId
    """Its id."""
    version: int
    """Which of its secrets: one more with each rotation."""


AuditArchive = TypedDict("AuditArchive", {
    "bytes": "int",
    "firstLeaf": "int",
    "from": "str",
    "leaves": "int",
    "madeAt": "str",
    "records": "int",
    "sha256": "str",
    "to": "str",
})
"""Audit records that are not at hand any more: a part of the ledger."""


class AuditCertificate(TypedDict):
    """A client certificate as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last
    member.
    """
    bindingUuid: NotRequired[IdentityBindingId | None]
    """The binding by which it stands for the identity."""
    issuer: str
    """Who issued it."""
    serialNumber: str
    """Its serial number in hexadecimal digits."""
    subject: str
    """Its subject, or its first alternative name where it has none."""


class AuditCheckpoint(TypedDict):
    """The newest checkpoint of the ledger, in which every record is."""
    checkpoint: str
    """The signed note (c2sp.org/tlog-checkpoint): keep it elsewhere. It has the cosignatures of witnesses that there are of it yet."""
    key: str
    """The key that it is verified with."""
    number: int
    """Which one, from 0."""
    records: int
    """How many records it is over."""
    time: str
    """When it was made (RFC 3339)."""
    witnessed: NotRequired[WitnessedCheckpoint | None]
    """The newest one that a witness has cosigned."""


class AuditIdentity(TypedDict):
    """An identity as a record names it. The store keeps it in this form, and finds records by its `uuid`."""
    login: NotRequired[LoginWay | None]
    """How it proved who it is; absent where it did not, and in records of a release that did not tell."""
    name: str
    """Its name at that time."""
    roles: NotRequired[list[AuditRole]]
    """Its roles that counted in the session; of a session that is not complete those that it logged in with."""
    source: NotRequired[str | None]
    """The address from which it logged in, which need not be that of the request."""
    uuid: IdentityId
    """Its id."""


class AuditPasskey(TypedDict):
    """A passkey as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last member."""
    name: str
    """Its name at that time."""
    uuid: PasskeyId
    """Its id."""


class AuditRecord(TypedDict):
    """One record."""
    account: NotRequired[AuditAccount | None]
    """The account of the operating system under which a command of the host ran."""
    action: Action
    """What was done or tried."""
    count: int
    """How many calls it stands for."""
    detail: Any
    """More about it: names, counts, ids; never a value, password or token."""
    identities: list[AuditIdentity]
    """In whose name."""
    node: NotRequired[ObjectId | None]
    """The server that wrote it: one run of a process, whose `ServerStart` says more. Absent in records of a release that
    did not tell.
    """
    number: int
    """Its number; later records have higher ones."""
    objectUuid: NotRequired[ObjectId | None]
    """On which object."""
    outcome: ErrorCode
    """How it ended."""
    requestId: str
    """The id of the request, or the host command that did it."""
    source: str
    """The address that the request came from; empty for what came from none."""
    time: str
    """When (RFC 3339, UTC, to the millisecond)."""


AuditRetention: TypeAlias = "dict[str, Any]"
"""For how long audit records are at hand, and how long they are kept. What is absent has no end."""


class AuditRole(TypedDict):
    """A role as a record names it."""
    name: str
    """Its name at that time."""
    uuid: RoleId
    """Its id."""


class AuditTarget(TypedDict):
    """A target of the audit records; its secret is never answered."""
    createdAt: str
    """When it was made: RFC 3339, UTC."""
    enabled: bool
    """Whether it gets records."""
    file: NotRequired[FileReceiver | None]
    """Which one, where it is a file."""
    hasSecret: bool
    """Whether it has a secret."""
    objInfo: AuditTargetIdObjInfo
    """Name and id."""
    otlp: NotRequired[HttpReceiver | None]
    """Where it is, where it takes OTLP."""
    shipping: ShippingState
    """How far it has the records."""
    syslog: NotRequired[SyslogReceiver | None]
    """Where it is, where it takes syslog."""
    uuid: AuditTargetId
    """Its id, as in `objInfo`."""
    webhook: NotRequired[HttpReceiver | None]
    """Where it is, where it is a webhook."""


AuditTargetId: TypeAlias = "str"


class AuditTargetTested(TypedDict):
    """What came of trying a target out."""
    answer: str
    """What it answered, cut short, or why it could not be reached."""
    delivered: bool
    """Whether the target took it."""
    status: NotRequired[int | None]
    """The HTTP status that it answered, if it did."""


class AuditToken(TypedDict):
    """A provider's token, or an account of a directory, as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last
    member.
    """
    bindingUuid: IdentityBindingId
    """The binding by which it stands for the identity."""
    issuer: str
    """Who issued it."""
    subject: str
    """Its `sub`, or the account's id."""


class AuthCredentials(TypedDict):
    """`username` and `password` for `userpass`, with `totp` or `passkey` where the identity has a second factor; the same with
    `providerUuid` for `ldap`, which takes no passkey; `apiKey` for `apikey`; none of them for `certificate`, which is the client
    certificate that the connection has shown.
    """
    apiKey: NotRequired[str | None]
    """An API key, as it was shown when it was made."""
    passkey: NotRequired[PasskeyProof | None]
    """What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey. Where it is, it has to be
    right; then a one-time code may be left out.
    """
    password: NotRequired[Base64 | None]
    """The password; for `ldap` that of the directory."""
    providerUuid: NotRequired[IdentityProviderId | None]
    """Which directory, for `ldap`: one of `directories` of GET /home/v1/login/oidc."""
    totp: NotRequired[str | None]
    """The one-time code that the identity's authenticator shows: six digits. Not looked at where the identity has no
    second factor.
    """
    username: NotRequired[str | None]
    """The identity's name, in any letter case; for `ldap` the user name that the directory knows."""


AuthType: TypeAlias = Literal["userpass", "apikey", "certificate", "ldap"]
"""How a login proves who it is."""


class AuthenticatorSelection(TypedDict):
    """What kind of authenticator is wanted."""
    residentKey: str
    """`required`: whoever logs in is not known yet, so the authenticator has to find its passkey by itself."""
    userVerification: str
    """`required`: a PIN, a finger or a face."""


Base64: TypeAlias = "str"
"""standard base64 (RFC 4648, section 4); padding is optional, line breaks are ignored"""


class BatchDecideProposals(TypedDict):
    """Body of batch-approve-deny."""
    decision: Decision
    """What is decided on each of them."""
    note: NotRequired[str | None]
    """What to record with each decision; at most 4 KiB."""
    uuids: list[ProposalId]
    """The proposals, at most 1,000."""


class BatchDecideRequest(TypedDict):
    """Body of batch-approve-deny."""
    decision: Decision
    """What is decided on each of them."""
    digest: NotRequired[Base64 | None]
    """Makes it one decision: SHA-256 of the statement over all of them, at most 250 of one policy. Where it is another one,
    or one of them cannot be decided on, none is. Without it each is decided by itself.
    """
    note: NotRequired[str | None]
    """What to record with each decision; at most 4 KiB."""
    uuids: list[SigningRequestId]
    """The requests, at most 1,000."""


class BatchDecided(TypedDict):
    """Answer to batch-approve-deny."""
    digest: NotRequired[Base64 | None]
    """The statement's digest, where it was one decision."""
    results: list[BatchDecidedItem]
    """What became of each, in the order of `uuids`."""


class BatchDecidedItem(TypedDict):
    """What became of one request of a batch."""
    approvalState: ApprovalState
    """What the approvers have said; `None` where there is no such request."""
    errorCode: ErrorCode
    """What a single call would have been answered with."""
    message: NotRequired[str | None]
    """Why it was refused."""
    state: SigningRequestState
    """Where the request stands now; `None` where there is no such request."""
    uuid: SigningRequestId
    """The request."""


class BatchDecidedProposal(TypedDict):
    """What became of one proposal of a batch."""
    decided: NotRequired[Proposed | None]
    """What a single call would have answered; absent where it was refused."""
    errorCode: ErrorCode
    """What a single call would have been answered with."""
    message: NotRequired[str | None]
    """Why it was refused."""
    uuid: ProposalId
    """The proposal."""


class BatchDecidedProposals(TypedDict):
    """Answer to batch-approve-deny."""
    results: list[BatchDecidedProposal]
    """What became of each, in the order of `uuids`."""


class BatchDetokenizationResponse(TypedDict):
    """`api.v2.dp.BatchDetokenizationResponse`."""
    errors: NotRequired[list[ItemError]]
    """With `partial`: what was wrong with the values that are `null`, the first hundred of them."""
    messages: list[str | None]
    """The messages, in the order of the tokens; masked where only a partial rule allows the caller."""


class BatchDetokenizeRequest(TypedDict):
    """Tokens to turn back."""
    grantUuid: NotRequired[ProposalId | None]
    """The grant under which all of it is shown, where a Control Rule demands approvals for that. Without it a mask applies
    where the caller has one.
    """
    ivs: NotRequired[list[Base64] | None]
    """The initialization vectors that came with them, in the same order, where the profile uses them."""
    keyVersion: NotRequired[int | None]
    """The version of the key that made the token, where it does not tell and the profile reads several."""
    partial: NotRequired[bool | None]
    """Whether bad values leave a `null` instead of failing the call."""
    tokens: list[str]
    """The tokens."""


class BatchTokenizationResponse(TypedDict):
    """`api.v2.dp.BatchTokenizationResponse`."""
    errors: NotRequired[list[ItemError]]
    """With `partial`: what was wrong with the values that are `null`, the first hundred of them."""
    ivs: NotRequired[list[Base64 | None] | None]
    """The initialization vectors, in the same order, where the profile uses them."""
    keyVersion: NotRequired[int | None]
    """The version of the key of all tokens, where the profile reads several: detokenize needs it unless each token tells it."""
    tokens: list[str | None]
    """The tokens, in the order of the messages."""


class BatchTokenizeRequest(TypedDict):
    """Messages to tokenize."""
    expiresAt: NotRequired[str | None]
    """For Random: from when on there shall be no such token, in RFC 3339; not later than the profile's `timeToLive`."""
    keyVersion: NotRequired[int | None]
    """The version of the key, which can only be the one that makes tokens."""
    messages: list[str]
    """The messages."""
    metadata: NotRequired[dict[str, Any] | None]
    """For Random: what to keep with each new token, at most 4 KiB of JSON; sealed like the message."""
    partial: NotRequired[bool | None]
    """Whether bad values leave a `null` instead of failing the call."""


class BeginOidc(TypedDict):
    """Body of POST /home/v1/login/oidc."""
    providerUuid: IdentityProviderId
    """The provider, one of those that GET /home/v1/login/oidc answers."""


class Budget(TypedDict):
    """So many values, or signatures, in each window of time."""
    count: int
    """How many, 1 to 1,000,000,000,000."""
    each: NotRequired[bool]
    """Whether each identity has as many: each holder of a Control Rule's role, each submitter to a policy. Otherwise all of
    them share them.
    """
    per: BudgetPeriod
    """How long a window is."""


BudgetPeriod: TypeAlias = Literal["Minute", "Hour", "Day", "Month"]
"""How long the windows of a budget are. They begin where the clock and the calendar have them begin, in UTC."""


class BudgetUse(TypedDict):
    """One window of a budget."""
    count: int
    """How many values the window has."""
    each: bool
    """Whether each identity has as many."""
    endsAt: str
    """When it ends (RFC 3339)."""
    identityUuid: NotRequired[IdentityId | None]
    """Whose it is, with `each`."""
    left: int
    """How many are left; with several servers at least."""
    operation: Operation
    """Its operation."""
    per: BudgetPeriod
    """How long it is."""
    roleUuid: RoleId
    """The role of the rule."""
    startsAt: str
    """When it began (RFC 3339)."""
    used: int
    """How many are used; with several servers at most, since what another has set aside for itself counts."""


CertKeyUsage: TypeAlias = Literal["digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign", "cRLSign"]
"""What the key of a certificate may do (RFC 5280, 4.2.1.3)."""


class CertParams(TypedDict):
    """What a new certificate shall say besides its subject."""
    extendedKeyUsages: NotRequired[list[str] | None]
    """Some of the profile's extended key usages; by default all."""
    hashAlgorithm: NotRequired[HashType | None]
    """The hash under the certificate's signature; by default SHA-256 for RSA and P-256, SHA-384 for P-384, SHA-512 for
    P-521.
    """
    keyUsages: NotRequired[list[CertKeyUsage] | None]
    """Some of the profile's key usages; by default all."""
    pathLength: NotRequired[int | None]
    """For an authority, how many others may stand below it: not more than the profile says."""
    subjectAltNames: NotRequired[list[str] | None]
    """Subject alternative names: `DNS:host.example`, `IP:192.0.2.1`, `email:name@host.example`,
    `URI:https://host.example/`, `UPN:user@host.example`; each once.
    """
    validityPeriod: NotRequired[ValidityPeriod | None]
    """How long it is valid; by default as the profile says."""


class CertProfile(TypedDict):
    """A certificate profile, as it is read; the same text may be written back."""
    approval: NotRequired[ApprovalRules]
    """Who approves its certificates before they are issued."""
    basicConstraints: ProfileConstraints
    """Whether its certificates can issue others."""
    crlUrls: NotRequired[list[str] | None]
    """Where the issuer's CRL is; `null`: below this installation's `publicUrl`; an empty array: not said."""
    enabled: bool
    """Whether certificates are issued under it. One that certificates name can be disabled, not deleted."""
    extendedKeyUsages: list[str]
    """What the certificate is for: `serverAuth`, `clientAuth`, `codeSigning`, `emailProtection`, `timeStamping`,
    `OCSPSigning`, or a dotted OID.
    """
    hashAlgorithms: NotRequired[list[HashType] | None]
    """The hashes with which its certificates may be signed, the first that suits the issuer's key being the default;
    `null`: all that are not weak.
    """
    issuerUrls: NotRequired[list[str] | None]
    """Where the issuer's certificate is; as `crlUrls`."""
    keyTypeUuids: NotRequired[list[KeyTypeId] | None]
    """The key types that its certificates may have; `null`: all that sign."""
    keyUsages: list[CertKeyUsage]
    """What the certificate's key may do. Usages that a kind of key cannot have (only RSA keys encipher, only EC keys
    agree) are left out of its certificates.
    """
    maxValidityPeriod: NotRequired[ValidityPeriod | None]
    """How long its certificates are valid at most; `null`: as long as their issuer."""
    nameConstraints: NotRequired[NameConstraintRules | None]
    """The names that its certificates, of authorities, may certify in their turn; absent where they may certify any."""
    objInfo: CertProfileIdObjInfo
    """Name and id."""
    ocspUrls: NotRequired[list[str] | None]
    """Where OCSP is answered; as `crlUrls`."""
    pendingChange: NotRequired[Proposed | None]
    """In the answer to PATCH: what waits for approvals. Until it has them the profile is as it was."""
    policies: list[str]
    """Certificate policies: dotted OIDs."""
    subject: SubjectRules
    """What subjects may be."""
    subjectAltNames: AltNameRules
    """What subject alternative names may be."""
    system: bool
    """Whether it came with Chancery; such a profile cannot be changed."""
    validityPeriod: ValidityPeriod
    """How long its certificates are valid unless the request says otherwise."""


CertProfileId: TypeAlias = "str"


class CertProfileStub(TypedDict):
    """A certificate profile in a list."""
    objInfo: CertProfileIdObjInfo
    """Name and id."""
    system: bool
    """Whether it came with Chancery."""
    validityPeriod: ValidityPeriod
    """How long its certificates are valid unless the request says otherwise."""


class Certificate(TypedDict):
    """A certificate."""
    approval: NotRequired[ApprovalRules | None]
    """What it demands of everything that it issues; absent where it demands nothing."""
    certProfileUuid: NotRequired[CertProfileId | None]
    """The certificate profile; absent where the certificate was made elsewhere."""
    certificate: NotRequired[str | None]
    """The certificate in PEM; absent where it was not saved."""
    inclusionProof: NotRequired[InclusionProof | None]
    """The proof that it is in the transparency log; null until a checkpoint covers it, within a second of its issue."""
    issuerUuid: CertificateId
    """The certificate that issued it; its own id where it is self-signed."""
    keyAlgorithm: KeyAlgorithm
    """The algorithm family of its key."""
    keyUuid: NotRequired[KeyId | None]
    """Its key, if that was kept."""
    notAfter: str
    """Last moment of its validity: RFC 3339, UTC."""
    notBefore: str
    """First moment of its validity: RFC 3339, UTC."""
    objInfo: CertificateIdObjInfo
    """Name and id. The name is the subject's common name."""
    origin: Origin
    """Where it was made."""
    revocationReason: NotRequired[RevocationReason | None]
    """Why."""
    revokedAt: NotRequired[str | None]
    """When it was revoked or put on hold: RFC 3339, UTC."""
    serialNumber: str
    """Its serial number in hexadecimal digits."""
    status: CertificateStatus
    """Where it stands."""
    subject: str
    """The subject in one line."""
    trusted: bool
    """Whether it is trusted as an issuer."""
    uuid: CertificateId
    """Its id, as in `objInfo`."""


CertificateId: TypeAlias = "str"


class CertificatePage(TypedDict):
    """A page of certificates, by name."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    pageSize: int
    """Certificates a page."""
    results: list[CertificateStub]
    """This page's certificates."""


CertificateStatus: TypeAlias = Literal["Valid", "Revoked", "Held", "Expired"]
"""Where a certificate stands. `Expired` is derived from the clock, never stored."""


class CertificateStub(TypedDict):
    """A certificate in a list."""
    issuerUuid: CertificateId
    """The certificate that issued it; its own id where it is self-signed."""
    keyAlgorithm: KeyAlgorithm
    """The algorithm family of its key."""
    notAfter: str
    """Last moment of its validity: RFC 3339, UTC."""
    notBefore: str
    """First moment of its validity: RFC 3339, UTC."""
    objInfo: CertificateIdObjInfo
    """Name and id."""
    serialNumber: str
    """Its serial number in hexadecimal digits."""
    status: CertificateStatus
    """Where it stands."""
    subject: str
    """The subject in one line."""
    trusted: bool
    """Whether it is trusted as an issuer."""


class CertificateToIssue(TypedDict):
    """A certificate that shall be issued: what people approve. Serial number and moment come when it is."""
    basicConstraints: ProfileConstraints
    """Whether it can issue others."""
    certProfile: str
    """The profile's name."""
    certProfileUuid: CertProfileId
    """The profile."""
    crlUrls: NotRequired[list[str] | None]
    """Where its issuer's CRL is; `null`: below `publicUrl`."""
    extendedKeyUsages: list[str]
    """What it is for."""
    hashAlgorithm: HashType
    """The hash under its signature."""
    insteadOf: NotRequired[CertificateId | None]
    """The certificate whose place it takes."""
    issuerSha256: NotRequired[Base64 | None]
    """SHA-256 of the authority's certificate."""
    issuerUrls: NotRequired[list[str] | None]
    """Where its issuer's certificate is; as `crlUrls`."""
    issuerUuid: NotRequired[CertificateId | None]
    """The authority that issues it; absent where it is self-signed."""
    keyTypeUuid: KeyTypeId
    """The kind of its key."""
    keyUsages: list[CertKeyUsage]
    """What its key may do."""
    nameConstraints: NotRequired[NameConstraintRules | None]
    """The names that it may certify in its turn; absent where they are not constrained."""
    ocspUrls: NotRequired[list[str] | None]
    """Where OCSP is answered; as `crlUrls`."""
    policies: list[str]
    """Certificate policies."""
    publicKeySha256: NotRequired[Base64 | None]
    """SHA-256 of its public key (SubjectPublicKeyInfo); absent where the key is new and made here when it is issued."""
    saveKey: bool
    """Whether a new key is kept here."""
    subject: str
    """The subject in one line."""
    subjectAltNames: list[str]
    """Its alternative names."""
    trustCert: bool
    """Whether it is trusted as an issuer."""
    validityPeriod: ValidityPeriod
    """For how long, from the last approval on."""


class ChangePassword(TypedDict):
    """Body of POST /home/v1/login/password: everything that proves who makes it, and the new password."""
    newPassword: Base64
    """The new one: at least 12 characters of UTF-8, and not the present one."""
    passkey: NotRequired[PasskeyProof | None]
    """What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey, in the place of a code. Whoever has
    a confirmed passkey shows one of the two.
    """
    password: Base64
    """The present password, or one for one use."""
    totp: NotRequired[str | None]
    """A one-time code of six digits, where there is a second factor."""
    username: str
    """The identity's name, in any letter case."""


class ChangeService(TypedDict):
    """Body of PATCH /api/v2/x509/services/{serviceUuid}."""
    timestamping: ChangeTimeStamping
    """What is changed of a time-stamping authority; its certificate is renewed, not changed."""


class ChangeSigningPolicy(TypedDict):
    """Body of PATCH /api/v2/x509/signing-policies/{uuid}: what is absent stays as it is."""
    hashAlgorithm: NotRequired[HashType | None]
    """Cannot change: given, it is what the policy has."""
    numApprovals: NotRequired[int | None]
    """Approvals that a request needs: never fewer than any policy of the service demands."""
    objInfo: NotRequired[PatchName | None]
    """Its new name, under `name`; another `uuid` in it is not looked at."""
    rsaPss: NotRequired[bool | None]
    """Cannot change: given, it is what the policy has."""
    rules: NotRequired[PolicyRules | None]
    """All of its rules: they replace those that it has."""
    selfApproval: NotRequired[SelfApproval | None]
    """Whether whoever submitted a request may take part in approving it."""
    signingFormat: NotRequired[SigningFormat | None]
    """Cannot change: given, it is what the service has."""
    timeStamp: NotRequired[bool | None]
    """Whether signatures made from now on carry a time stamp."""


class ChangeTimeStamping(TypedDict):
    """What can be changed of a time-stamping authority; what is absent stays."""
    default: NotRequired[bool | None]
    """`true`: it is the one that `/tsa` stands for from now on. There is always one, so the present one is told `false`
    in vain: name another.
    """
    policyOid: NotRequired[str | None]
    """The policy that its stamps name from now on, as a dotted OID whose arcs are below 2^28."""


class ChangedRight(TypedDict):
    """One thing that somebody gains or loses. Whoever sees more of a value gains what they see then, and loses what they saw."""
    identities: int
    """How many identities gain or lose it, locked ones included."""
    loginsRequired: int
    """How many holders of the role that gives it have to log in together for it."""
    mask: NotRequired[HeldMask | None]
    """What is shown at most; absent where it is everything, or nothing is shown."""
    numApprovals: NotRequired[int | None]
    """So many approvals are needed before, for each grant; absent where nobody is asked."""
    object: NotRequired[ObjectIdObjInfo | None]
    """With which token profile, or under which signing policy, certificate profile or authority; absent where a permission
    gives it for all.
    """
    perm: NotRequired[Perm | None]
    """By which permission; absent of Control Rules."""
    right: AccessRight
    """What."""
    some: NotRequired[list[IdentityIdObjInfo]]
    """The first ten of them, by name; absent in audit records."""


class ChangedService(TypedDict):
    """Answer to a change of a service."""
    serviceUuid: ServiceId
    """The service."""
    timestamping: StampsUnder
    """What it stamps under, as it is now."""


Concern: TypeAlias = Literal["Access"]
"""Several actions of the audit records, by what they are about."""


class ConfirmMailbox(TypedDict):
    """Body of POST /api/v2/identities/{uuid}/mailbox/confirm."""
    code: str
    """The code that was mailed to the new address. Letter case, spaces and hyphens make no difference."""


class ConfirmPasskey(TypedDict):
    """That somebody means this passkey."""
    publicKeySha256: Base64
    """SHA-256 of its public key, as whoever enrolled it reads it out."""


class ContentEntry(TypedDict):
    """An entry of an archive."""
    name: str
    """Its name."""
    size: int
    """Its bytes, unpacked."""


ContentKind: TypeAlias = Literal["Program", "Library", "Driver", "Firmware", "Installer", "Script", "Archive"]
"""What a file is."""


class ContentProperty(TypedDict):
    """Something that a file says of itself."""
    name: str
    """What it is called there."""
    value: str
    """What it says."""


class ContentSignature(TypedDict):
    """A signature that a file has already. Nobody has verified it: anybody can write any name into a certificate."""
    subject: NotRequired[str | None]
    """The subject of the signer's certificate, as it says itself; absent where it cannot be read."""


class ControlRule(TypedDict):
    """One role's right to one operation."""
    approval: NotRequired[GrantRules | None]
    """For Detokenize: how many people approve before. Without it nobody is asked."""
    budgets: NotRequired[list[Budget]]
    """How many values it lets through; without budgets any number. All of them have to have room for a call."""
    mask: NotRequired[MaskTemplate | None]
    """For PartialDetokenize, in the place of `reveal` and `revealFrom`: what is revealed, by its name."""
    maskChar: NotRequired[str | None]
    """For PartialDetokenize: the one character that stands for each hidden symbol; `*` by default."""
    operation: Operation
    """The operation."""
    reveal: NotRequired[int | None]
    """For PartialDetokenize, where there is no `mask`: how many symbols are revealed."""
    revealFrom: NotRequired[RevealFrom | None]
    """For PartialDetokenize: at which end; `End` by default."""
    roleUuid: RoleId
    """The role."""


class CreateApiKey(TypedDict):
    """What a new API key shall be."""
    expiresAt: NotRequired[str | None]
    """When it ends (RFC 3339); never where this is absent."""
    name: str
    """Its name, unique among the identity's keys without regard to letter case."""
    networks: NotRequired[list[str]]
    """From where it may be used, such as `10.0.0.0/8` or `2001:db8::/32`; from everywhere where this is absent or empty."""
    scope: NotRequired[ApiKeyScope | None]
    """What it is restricted to; it gives all that the identity has where this is absent."""


class CreateAuditTarget(TypedDict):
    """What a new target of the audit records shall be: exactly one of `syslog`, `webhook`, `otlp` and `file`."""
    enabled: NotRequired[bool | None]
    """Whether it gets records; yes where this is absent."""
    file: NotRequired[FileReceiver | None]
    """Records are appended to it."""
    firstSequence: NotRequired[int | None]
    """The `sequence` of the first record that it gets, 0 for all that there are; where this is absent it gets those from
    now on.
    """
    name: str
    """Its name, unique without regard to letter case."""
    otlp: NotRequired[HttpReceiver | None]
    """Records are posted there as logs of OpenTelemetry (OTLP over HTTP, in JSON)."""
    secret: NotRequired[Base64 | None]
    """Of a webhook, which needs one, the key by which posts are signed: 24 to 64 bytes. Of OTLP, where it is optional, the
    token that is sent as `Authorization: Bearer`. A receiver of syslog and a file have none. It is never answered.
    """
    syslog: NotRequired[SyslogReceiver | None]
    """Records go there as syslog messages, always over TLS."""
    webhook: NotRequired[HttpReceiver | None]
    """Records are posted there as JSON, signed as Standard Webhooks says."""


class CreateCertProfile(TypedDict):
    """What a new certificate profile shall be. What is absent has the default named. `objInfo.uuid` and `system` may be
    sent and mean nothing.
    """
    approval: NotRequired[ApprovalRules]
    """Nobody by default."""
    basicConstraints: NotRequired[ProfileConstraints]
    """A leaf by default."""
    crlUrls: NotRequired[list[str] | None]
    """This installation's by default."""
    enabled: NotRequired[bool]
    """By default it is."""
    extendedKeyUsages: NotRequired[list[str]]
    """None by default."""
    hashAlgorithms: NotRequired[list[HashType] | None]
    """All by default."""
    issuerUrls: NotRequired[list[str] | None]
    """This installation's by default."""
    keyTypeUuids: NotRequired[list[KeyTypeId] | None]
    """All by default."""
    keyUsages: NotRequired[list[CertKeyUsage] | None]
    """By default `keyCertSign` and `cRLSign` for an authority, `digitalSignature` for a leaf."""
    maxValidityPeriod: NotRequired[ValidityPeriod | None]
    """No maximum by default."""
    nameConstraints: NotRequired[NameConstraintRules | None]
    """For authorities; none by default."""
    objInfo: NameOnly
    """The name; unique, 1 to 255 characters."""
    ocspUrls: NotRequired[list[str] | None]
    """This installation's by default."""
    policies: NotRequired[list[str]]
    """None by default."""
    subject: NotRequired[SubjectRules]
    """Any by default."""
    subjectAltNames: NotRequired[AltNameRules | None]
    """By default any without wildcards, none for an authority."""
    validityPeriod: ValidityPeriod
    """See `CertProfile::validity_period`."""


class CreateIdentity(TypedDict):
    """Body of POST /api/v2/identities."""
    apiKey: NotRequired[FirstApiKey | None]
    """How that API key shall be; refused where there is none to make."""
    hours: NotRequired[list[str]]
    """When it may act, in UTC, such as `Mon-Fri 07:00-19:00` or `22:00-06:00`; always where there are none."""
    kind: IdentityKind
    """Person or application; only persons approve."""
    name: str
    """Unique without regard to letter case."""
    networks: NotRequired[list[str]]
    """From where it may act, such as `10.0.0.0/8` or `2001:db8::/32`; from everywhere where there are none."""
    oneTime: NotRequired[bool]
    """Whether a person's password is for one use: it logs nobody in, and sets another one for a day."""
    password: NotRequired[Base64 | None]
    """At least 12 characters of UTF-8. An application without one gets an API key."""
    roleUuids: list[RoleId]
    """At least one role; all with the same `loginsRequired`."""


class CreateIdentityBinding(TypedDict):
    """Whose tokens of a provider stand for an identity."""
    claims: NotRequired[dict[str, str]]
    """Further claims of the tokens with their values, letter by letter; numbers and `true` as JSON writes them. A name that
    begins with a slash is a JSON pointer into the claims. All of them have to be there. At most 20. Of client certificates
    they are alternative names: `dns`, `uri`, `email` and `upn`; of a directory there are none.
    """
    identityUuid: IdentityId
    """The identity."""
    name: str
    """Its name."""
    providerUuid: IdentityProviderId
    """The provider."""
    subject: NotRequired[str | None]
    """The `sub` of the tokens, letter by letter. A person who logs in by the provider is bound by it, and never by a name or
    an address. It may be absent where the claims name something by an id that nobody
    else is ever given: `repository_id`, `project_id`, `oid` or `/kubernetes.io/serviceaccount/uid`. Of client certificates it
    is the whole subject (RFC 4514), such as `CN=ci,O=Example`; it may be absent where claims name who it is. Of a directory it is
    the value of `idAttribute`, in small letters; `objectGUID` as Active Directory's tools show it, without braces.
    """


class CreateIdentityProvider(TypedDict):
    """Somebody whose word is taken for who others are: an OpenID Connect provider whose tokens workloads exchange for ours, or by
    which people log in, or both; or a certificate authority whose client certificates log their holders in (`authorityUuid` or
    `authorityCertificates`); or a directory whose passwords do (`ldap`).
    """
    algorithms: NotRequired[list[JwtAlgorithm]]
    """Which algorithms its tokens may be signed with; `RS256` and `ES256` where this is absent or empty."""
    audiences: NotRequired[list[str]]
    """Whom the tokens of workloads have to be for: one of these is among their `aud`, letter by letter. 1 to 10; none where
    there is a `clientId` and no workload shall exchange tokens, and of a certificate authority or a directory.
    """
    authorityCertificates: NotRequired[str | None]
    """The certificates of an authority elsewhere, in the same place, PEM: one to four, all of one subject, such as an old key
    and a new one. Client certificates lead to one of them (RFC 5280).
    """
    authorityUuid: NotRequired[CertificateId | None]
    """An authority of this installation, in the place of an OpenID Connect provider: certificates that it or an authority below
    it has issued here log their holders in. What is revoked or on hold here is refused at once.
    """
    clientId: NotRequired[str | None]
    """As which client this installation is registered at the provider. With it, people who are bound log in by the provider;
    it is none of the audiences.
    """
    clientSecret: NotRequired[str | None]
    """The client's secret, which is shown nowhere again. Without it the client is a public one."""
    crls: NotRequired[str | None]
    """Its revocation lists, and those of authorities below it, PEM, 512 KiB at most. Each certificate below the authority has
    to be covered by one that is not over, or is refused.
    """
    enabled: NotRequired[bool | None]
    """Whether anybody is let in by it; yes where this is absent."""
    issuer: NotRequired[str | None]
    """The `iss` of its tokens, letter by letter: an https address, such as
    `https://token.actions.githubusercontent.com`. It cannot be changed. Of a certificate authority it is the subject of its
    certificates, which need not be said. Of a directory it is a name that begins with `ldaps://` or `ldap://`: the address
    where nothing else is said.
    """
    jwks: NotRequired[str | None]
    """Its public keys, as the text of a JSON Web Key Set (RFC 7517), where the server cannot reach the provider. Without
    it they are fetched from where `/.well-known/openid-configuration` under the issuer says.
    """
    ldap: NotRequired[DescribeLdap | None]
    """A directory (LDAP), in the place of an OpenID Connect provider: whose password is right there and who is bound logs in."""
    name: str
    """Its name."""
    secondFactorAcr: NotRequired[list[str]]
    """Values of `acr` by which the provider says that it took a second factor. A login with one of them satisfies roles that
    demand one; without any, no login by this provider does. At most 10.
    """
    singleUse: NotRequired[bool | None]
    """Whether each token is taken once. `true` where this is absent; `false` is for workloads that are given a token in a
    file and cannot ask for another, as in Kubernetes.
    """


class CreateKey(TypedDict):
    """What a new data key shall be."""
    keyTypeUuid: KeyTypeId
    """Its key type, one for tokenization."""
    name: str
    """The name; unique among data keys, 1 to 255 characters."""
    usages: NotRequired[list[KeyUsage] | None]
    """What it may be used for, a subset of the type's usages; by default all of them."""


class CreateNoticeTarget(TypedDict):
    """What a new target of notices shall be: a webhook or a mailbox."""
    email: NotRequired[Mailbox | None]
    """Where they go by e-mail, in the place of `webhook`."""
    enabled: NotRequired[bool | None]
    """Whether it gets notices; yes where this is absent."""
    kinds: NotRequired[list[NoticeKind]]
    """Which notices it gets; all of them where this is empty or absent."""
    name: str
    """Its name, unique without regard to letter case."""
    secret: NotRequired[Base64 | None]
    """The key by which notices are signed: 24 to 64 bytes. Receivers know it as `whsec_` and the same base64. It is never
    answered. A webhook of the shape `Chancery` needs one, a mailbox has none.
    """
    serviceUuids: NotRequired[list[ServiceId]]
    """Only notices about requests and proposals of these services; of all where this is empty or absent. Certificates and
    refused rows belong to no service.
    """
    webhook: NotRequired[Webhook | None]
    """Where notices go by webhook."""


class CreatePreApproval(TypedDict):
    """Body of POST /api/v2/x509/pre-approvals: either `digests`, or `submitterUuid` and `maxRequests`."""
    digests: NotRequired[list[Base64] | None]
    """Digests under the policy's hash, each of which is signed once when it is submitted; at most 10,000."""
    lifetime: NotRequired[ValidityPeriod | None]
    """For how long, from the last approval on. With `submitterUuid` needed and at most 24 hours; without it, a list of
    digests serves until it is used up.
    """
    maxRequests: NotRequired[int | None]
    """With `submitterUuid`: how many requests, at most 100."""
    name: str
    """What approvers will see; 1 to 255 characters."""
    note: NotRequired[str | None]
    """What to tell the approvers; at most 4 KiB."""
    policyUuid: PolicyId
    """The policy whose approvals are given beforehand."""
    submitterUuid: NotRequired[IdentityId | None]
    """In the place of `digests`: whose requests are signed when they are submitted. Not in hardened mode."""


class CreateRole(TypedDict):
    """Body of POST /api/v2/roles. `objInfo` and `system`, which only the answer to GET has, may be sent and mean nothing;
    other members are refused.
    """
    loginsRequired: int
    """How many different holders must log in within one session: 1 or 2."""
    management: NotRequired[bool]
    """Whether its holders may administer."""
    name: str
    """Unique without regard to letter case."""
    perms: list[Perm]
    """What the role permits, besides the Control Rules of token profiles."""
    secondFactor: NotRequired[SecondFactor]
    """What each holder must log in with besides a password."""


class CreateSigningPolicy(TypedDict):
    """Body of POST /api/v2/x509/services/{serviceUuid}/signing-policies."""
    hashAlgorithm: HashType
    """The hash of the signatures."""
    name: str
    """Its name, unique among the service's policies; 1 to 255 characters."""
    numApprovals: int
    """Approvals that a request needs: at most 64, and at least as many as any other policy of the service demands."""
    rsaPss: NotRequired[bool | None]
    """Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5; by default it does not."""
    rules: NotRequired[PolicyRules | None]
    """What it demands besides; nothing by default."""
    selfApproval: NotRequired[SelfApproval | None]
    """Whether whoever submitted a request may take part in approving it; by default `Never` where another policy of the
    service or the installation says so, else `DualControl`.
    """
    timeStamp: NotRequired[bool | None]
    """Whether signatures carry a time stamp, so that they outlive the certificate; by default they do not. Not for `Raw`."""


class CreateTokenProfile(TypedDict):
    """What a new token profile shall be. Members that are only answered (`objInfo.uuid`, `security`, `warnings`) may be sent and mean
    nothing.
    """
    algorithm: TokenAlgorithm
    """How messages become tokens."""
    controlRules: NotRequired[list[ControlRule] | None]
    """Which roles may do what; by default nobody may do anything."""
    deterministic: NotRequired[bool | None]
    """For Random: whether the same message always has the same token; `true` by default."""
    durability: NotRequired[Durability | None]
    """What calls wait for before they are answered; `Written` by default."""
    format: NotRequired[PatchTokenFormat | None]
    """The format rules. AesSiv, AesGcm and Hmac need none: they take `minLength` and `maxLength` only."""
    keyUuid: KeyId
    """The backing key."""
    keyVersion: NotRequired[int | None]
    """A version of the key; by default the newest."""
    minDecryptVersion: NotRequired[int | None]
    """The oldest version of the key whose tokens are read; by default `keyVersion`."""
    objInfo: NameOnly
    """The name; unique, 1 to 255 characters."""
    timeToLive: NotRequired[ValidityPeriod | None]
    """For Random: how long a token can be read; by default for ever."""
    tweakDomain: NotRequired[TokenProfileId | None]
    """Another profile whose tokens this one shall share; to do so it has the same key, and a format that fits."""
    useIv: NotRequired[bool | None]
    """Whether each tokenization draws a random `iv`."""


class CreationOptions(TypedDict):
    """`PublicKeyCredentialCreationOptionsJSON` of Web Authentication Level 3."""
    attestation: str
    """`none`: the make of the authenticator is not asked for."""
    authenticatorSelection: AuthenticatorSelection
    """What kind of authenticator is wanted."""
    challenge: str
    """What is signed, in base64url."""
    excludeCredentials: list[CredentialDescriptor]
    """What the identity has already."""
    pubKeyCredParams: list[CredentialParameters]
    """The algorithms that are taken: ES256, EdDSA and RS256."""
    rp: RelyingPartyEntity
    """The site."""
    timeout: int
    """Milliseconds."""
    user: UserEntity
    """The identity."""


class CredentialDescriptor(TypedDict):
    """A passkey, as browsers know it."""
    id: str
    """In base64url."""
    type: str
    """`public-key`."""


class CredentialParameters(TypedDict):
    """An algorithm."""
    alg: int
    """Its number in COSE."""
    type: str
    """`public-key`."""


Curve: TypeAlias = Literal["P-256", "P-384", "P-521"]
"""The elliptic curves, named as in NIST SP 800-186."""


class DecideRequest(TypedDict):
    """Body of deny and withdraw."""
    note: NotRequired[str | None]
    """What to record with the decision; at most 4 KiB."""


Decision: TypeAlias = Literal["Approve", "Deny"]
"""What one approver decides on many requests at once."""


class DeliveryState(TypedDict):
    """What became of the notices to a target."""
    delivered: int
    """Notices that it has taken."""
    deliveredAt: NotRequired[str | None]
    """When it last took a notice: RFC 3339, UTC."""
    error: NotRequired[str | None]
    """Why it last failed."""
    failedAt: NotRequired[str | None]
    """When it last failed: RFC 3339, UTC."""
    failures: int
    """Failures since it last took a notice."""
    givenUp: int
    """Notices that were given up: too old, or too many."""
    triedAgainAt: NotRequired[str | None]
    """When it is tried again, where it failed: RFC 3339, UTC."""
    waiting: int
    """Notices that wait."""


class Denied(TypedDict):
    """Answer to a denial or a withdrawal."""
    approvalState: ApprovalState
    """What the approvers have said."""
    state: SigningRequestState
    """Where the request stands now."""


class DeployRequest(TypedDict):
    """Body of a deployment."""
    log: NotRequired[LogVisibility | None]
    """What the public transparency log tells of the service's signatures: their digests (`Public`, by default), or only
    that something was signed (`Internal`). It stays as it is.
    """
    name: str
    """The service's name; unique."""
    pkisigning: NotRequired[PkiSigningMember]
    """What the service signs with, and under which policy. The member is lower-case exactly: in any other letter case
    the service is deployed without a signing certificate, and the answer has a warning.
    """
    template: str
    """`PKI Signing` or `Time Stamping`."""
    timestamping: NotRequired[TimeStamping | None]
    """What the service stamps with; needed for `Time Stamping`."""


class DeployedService(TypedDict):
    """Answer to a deployment."""
    certificateUuid: NotRequired[CertificateId | None]
    """Its signing certificate; absent where it was deployed without one, or its certificate waits for approvals."""
    pendingCertificate: NotRequired[Proposed | None]
    """The proposal of its certificate, where the issuer demands approvals; nothing can be submitted until it has them."""
    policyUuid: NotRequired[PolicyId | None]
    """Its policy; absent for a time-stamping authority, which has none."""
    serviceUuid: ServiceId
    """The new service."""
    warnings: NotRequired[list[str]]
    """What somebody should know about it, in sentences."""


class DescribeLdap(TypedDict):
    """Where a directory (LDAP) is, and how somebody's entry is found in it: by a name that is made of the user name (`userDn`), or
    by a search in the name of a service account (`bindDn`, `bindPassword`, `baseDn` and `filter`). A new directory has `url`, and
    either the one or the other.
    """
    authorities: NotRequired[str | None]
    """Certificates of authorities that the directory's certificate may be of, PEM, at most 20; `null` or absent for those that
    the server trusts (`--provider-ca`).
    """
    baseDn: NotRequired[str | None]
    """Below what is searched."""
    bindDn: NotRequired[str | None]
    """The service account that searches: its distinguished name, or what else the directory takes for it. With it `userDn` goes."""
    bindPassword: NotRequired[str | None]
    """The password of the service account, which is shown nowhere again. Where `url` or `bindDn` change it is said again."""
    filter: NotRequired[str | None]
    """By what (RFC 4515), with `{username}` as a value or a part of one. Exactly one entry has to match."""
    idAttribute: NotRequired[LdapIdAttribute | None]
    """The attribute whose value is the subject that identities are bound by; `entryUUID` where nothing is said."""
    url: NotRequired[str | None]
    """`ldaps://HOST[:PORT]`, or `ldap://HOST[:PORT]`, where TLS begins by StartTLS and is not left out. The host is the one that
    the directory's certificate names.
    """
    userDn: NotRequired[str | None]
    """The distinguished name of an entry, with `{username}` in a value. Whoever logs in has to be allowed to read their own
    `idAttribute`. With it `bindDn`, `bindPassword`, `baseDn` and `filter` go.
    """


class DetokenizationResponse(TypedDict):
    """`api.v2.dp.DetokenizationResponse`."""
    message: str
    """The message, masked where only a partial rule allows the caller."""


class DetokenizeGrant(TypedDict):
    """A grant to detokenize in full, or a request for one."""
    approvals: ApprovalCount
    """How many approvals there are, and how many it takes."""
    endsAt: NotRequired[str | None]
    """When it ends (RFC 3339, UTC)."""
    grantedAt: NotRequired[str | None]
    """When it took effect (RFC 3339, UTC)."""
    lifetimeS: int
    """For how many seconds, from the last approval on."""
    maxValues: int
    """How many values may be sent."""
    reason: str
    """Why."""
    requestedAt: str
    """When it was asked for (RFC 3339, UTC)."""
    requestedBy: list[IdentityIdObjInfo]
    """Who asked, and may use it: all identities of one session."""
    roleUuid: RoleId
    """The role whose Control Rule demands the approvals."""
    state: ProposalState
    """Where it stands."""
    ticket: NotRequired[str | None]
    """What it is about in another system."""
    tokenProfile: TokenProfileIdObjInfo
    """The token profile, by its name when this was asked for."""
    tokens: NotRequired[int | None]
    """How many tokens it lists; absent where it is for any token of the profile."""
    used: int
    """How many were."""
    uuid: ProposalId
    """Its id, also as a proposal: what `grantUuid` names."""


class DetokenizeRequest(TypedDict):
    """A token to turn back."""
    grantUuid: NotRequired[ProposalId | None]
    """The grant under which all of it is shown, where a Control Rule demands approvals for that. Without it a mask applies
    where the caller has one.
    """
    iv: NotRequired[Base64 | None]
    """The initialization vector that came with it, where the profile uses one."""
    keyVersion: NotRequired[int | None]
    """The version of the key that made the token, where it does not tell and the profile reads several."""
    token: str
    """The token."""


class DraftTokenProfile(TypedDict):
    """What of a profile says how tokens are made."""
    algorithm: TokenAlgorithm
    """See `super::TokenProfile::algorithm`."""
    controlRules: NotRequired[list[ControlRule] | None]
    """Only for the notes; roles need not exist."""
    deterministic: NotRequired[bool | None]
    """See `super::TokenProfile::deterministic`."""
    format: NotRequired[PatchTokenFormat | None]
    """See `super::CreateTokenProfile::format`."""
    timeToLive: NotRequired[ValidityPeriod | None]
    """See `super::TokenProfile::time_to_live`."""
    useIv: NotRequired[bool | None]
    """See `super::TokenProfile::use_iv`."""


Durability: TypeAlias = Literal["Written", "Durable"]
"""When a call of a token profile is answered: when its record in the journal is written, so that a process that is
killed does not lose it, or when it is on the disk, so that a power cut does not either.
"""


class Empty(TypedDict):
    """The payload of calls that have nothing to tell, and the body of calls that need to be told nothing: absent, or an
    object of which no member is read.
    """


class EnrolPasskey(TypedDict):
    """A passkey that a browser has made."""
    credential: RegistrationCredential
    """What `PublicKeyCredential.toJSON` says of it; members that are not listed are not looked at."""
    name: str
    """Its name, unique among the identity's passkeys without regard to letter case."""
    ticket: str
    """What `…/begin` answered."""


class ErrorResponse(TypedDict):
    """`response` of a call that failed."""
    errors: NotRequired[list[ItemError]]
    """For a batch: the first hundred values at fault."""
    field: NotRequired[str | None]
    """The member at fault, as a JSON pointer (RFC 6901) into the request's body."""
    message: str
    """One sentence for a person."""
    requestId: str
    """The id under which the log and the audit records speak of this call; also in the header `X-Request-Id`."""


class AuditArchiveItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[AuditArchive]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class AuditRecordItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[AuditRecord]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class DetokenizeGrantItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[DetokenizeGrant]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class NoticeItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[Notice]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class ProposalStubItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[ProposalStub]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class SignedItemItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[SignedItem]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class SigningPolicyItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[SigningPolicy]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class SigningRequestStubItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[SigningRequestStub]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class UndeliveredNoticeItems(TypedDict):
    """A list of signing policies, signing requests or audit records: `items`."""
    items: list[UndeliveredNotice]
    """This page's items."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class AuditTargetResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[AuditTarget]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class CertProfileStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[CertProfileStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class IdentityBindingResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[IdentityBinding]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class IdentityProviderResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[IdentityProvider]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class IdentityStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[IdentityStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class KeyStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[KeyStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class KeyTypeStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[KeyTypeStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class NoticeTargetResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[NoticeTarget]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class RoleStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[RoleStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class ServiceResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[Service]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class ServiceStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[ServiceStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


class TokenProfileStubResults(TypedDict):
    """A list of stubs: `results`."""
    next: NotRequired[str | None]
    """What `after` shall be for the next page; absent on the last one."""
    page: NotRequired[int | None]
    """The page answered, from 1; absent after a cursor."""
    pageSize: int
    """Items a page."""
    results: list[TokenProfileStub]
    """This page's items, ordered by name, then uuid."""
    total: int
    """How many items the filter matches on all pages."""
    totalIsAtLeast: NotRequired[bool]
    """Whether there may be more than `total`: where no index helps, or there are very many, not all are counted."""


ErrorCode: TypeAlias = Literal["Success", "ArgumentParseError", "InvalidSelection", "InvalidValue", "InvalidState", "AlreadyExists", "InvalidAuthToken", "NotAuthorized", "ApiAccessDisabled", "LimitExceeded", "RateLimited", "Sealed", "Unavailable", "InternalError"]
"""`errorCode` of an answer."""


class ExchangeToken(TypedDict):
    """Body of POST /home/v1/login/exchange: a provider's token, as in RFC 8693."""
    subjectToken: str
    """The token: a signed JWT (RFC 7519) of a provider that this installation trusts, for one of its audiences."""


ExistingSignature: TypeAlias = Literal["Replace", "Append"]
"""What becomes of a signature that a file has already."""


class FileReceiver(TypedDict):
    """A file on the server's machine that records are appended to, each on a line of its own in JSON."""
    name: str
    """Its name without `.jsonl`, in the folder that the server's start option `--audit-files` names: 1 to 64 letters, digits,
    hyphens and underscores of ASCII, the first one no hyphen. No other target has it.
    """


class FirstApiKey(TypedDict):
    """How the API key shall be that an application is made with. It ends never, may come from anywhere and gives all that the
    identity has, where nothing is said.
    """
    expiresAt: NotRequired[str | None]
    """When it ends (RFC 3339)."""
    name: NotRequired[str | None]
    """Its name; `first key` where this is absent."""
    networks: NotRequired[list[str]]
    """From where it may be used, such as `10.0.0.0/8` or `2001:db8::/32`."""
    scope: NotRequired[ApiKeyScope | None]
    """What it is restricted to."""


FreshFactorFor: TypeAlias = Literal["Decisions", "Exports", "Access", "Custody", "Rules"]
"""What may take a fresh second factor of everybody in the session: what an installation can be taken over by."""


class GenerateCertificate(TypedDict):
    """What certificate is to be generated."""
    certParams: NotRequired[CertParams | None]
    """What the certificate says besides."""
    certProfileUuid: CertProfileId
    """The certificate profile; `profileUuid` is read too."""
    issuerUuid: NotRequired[CertificateId | None]
    """The certificate that issues this one; without it, it is self-signed."""
    keyParams: NotRequired[KeyParams | None]
    """The new key's parameters, where `newKey.keyTypeUuid` is absent."""
    newKey: NotRequired[NewKey | None]
    """The new key."""
    saveCert: NotRequired[bool | None]
    """Whether the certificate is kept; by default it is."""
    subjectOneline: NotRequired[str | None]
    """The subject, such as `CN=…,O=…,C=US` or `/C=US/O=…/CN=…`; `subject` is read too. By default it
    is empty for a leaf with alternative names, else a CN of the profile's name and the first 8 digits of the serial
    number.
    """
    trustCert: NotRequired[bool | None]
    """Whether it is trusted as an issuer; by default it is not."""


class GeneratedCertificate(TypedDict):
    """A certificate that was generated."""
    certificate: str
    """The certificate in PEM."""
    certificateUuid: CertificateId
    """Its id in the inventory, which knows it also where the certificate itself was not saved."""
    keyUuid: NotRequired[KeyId | None]
    """Its key, if that was kept."""
    notAfter: str
    """Last moment of its validity: RFC 3339, UTC."""
    notBefore: str
    """First moment of its validity: RFC 3339, UTC."""
    serialNumber: str
    """Its serial number in hexadecimal digits."""
    warnings: NotRequired[list[str]]
    """What somebody should know about it, in sentences."""


class GrantRules(TypedDict):
    """What a Control Rule demands before somebody detokenizes in full. Whoever asks never approves."""
    approvalSteps: NotRequired[list[ApprovalStep]]
    """Who approves first, as in the rules of a signing policy."""
    numApprovals: int
    """Approvals that a grant needs, 1 to 64."""
    requestLifetime: NotRequired[ValidityPeriod | None]
    """How long a request waits for its approvals; for ever by default."""


HashType: TypeAlias = Literal["Md5", "RipeMd", "Sha1", "Sha2_224", "Sha2_256", "Sha2_384", "Sha2_512", "Sha3_224", "Sha3_256", "Sha3_384", "Sha3_512", "Shake128", "Shake256", "Shake256_64"]
"""The hash algorithms of the interface (`hashAlgorithm`)."""


class Health(TypedDict):
    """Answer of GET /healthz."""
    status: HealthStatus
    """`ok`; a process that is not well does not answer."""


HealthStatus: TypeAlias = Literal["ok"]
"""`status` of the answers to an operator's questions."""


class HeldMask(TypedDict):
    """What a rule for partial detokenization shows."""
    mask: NotRequired[MaskTemplate | None]
    """What is revealed, by its name."""
    maskChar: str
    """What stands for each hidden symbol."""
    reveal: NotRequired[int | None]
    """How many symbols; absent where there is `mask`."""
    revealFrom: NotRequired[RevealFrom | None]
    """At which end."""


class HeldRight(TypedDict):
    """One thing that an identity can do, and by which role."""
    loginsRequired: int
    """How many different holders of the role have to log in together for it."""
    mask: NotRequired[HeldMask | None]
    """What is shown at most; absent where it is everything, or nothing is shown."""
    numApprovals: NotRequired[int | None]
    """So many approvals are needed before, for each grant; absent where nobody is asked."""
    perm: NotRequired[Perm | None]
    """By which permission; absent of Control Rules."""
    right: AccessRight
    """What."""
    role: AuditRole
    """By which role."""
    tokenProfile: NotRequired[TokenProfileIdObjInfo | None]
    """With which token profile; absent of permissions."""


class HomeAnswer(TypedDict):
    """Answer of a call under /home/v1 that succeeded and has nothing more to say, and of one that was refused."""
    errorCode: NotRequired[ErrorCode | None]
    """The reason as a word, where it is another than that nobody is logged in."""
    message: str
    """One sentence for a person."""
    status: HomeStatus
    """`Success` or `Failure`."""


HomeStatus: TypeAlias = Literal["Success", "Failure"]
"""`status` of the answers under /home/v1."""


class HttpReceiver(TypedDict):
    """A receiver that is posted to."""
    url: str
    """Where it is: `https://…`. Addresses that are not public are refused unless the server's start options list their
    network; redirects are not followed. Of OTLP it is the whole address, such as `https://collector:4318/v1/logs`.
    """


class Identity(TypedDict):
    """A person or an application."""
    createdAt: str
    """When it was created (RFC 3339, UTC)."""
    hours: NotRequired[list[str]]
    """When it may, in UTC: days, where they are not all, and the time from which and until which; always where there are none."""
    kind: IdentityKind
    """Person or application."""
    locked: bool
    """Whether it is locked, and so cannot log in."""
    networks: NotRequired[list[str]]
    """From where it may log in and act; from everywhere where there are none."""
    objInfo: IdentityIdObjInfo
    """Name and id."""
    oneTimePasswordUntil: NotRequired[str | None]
    """Until when its password, which others gave it for one use, sets another one (RFC 3339, UTC). Until then it logs nobody in."""
    passwordResetAt: NotRequired[str | None]
    """When its password was last set by somebody else (RFC 3339, UTC)."""
    recovery: NotRequired[Recovery | None]
    """How it was recovered on the host, until somebody has acknowledged that."""
    roleUuids: list[RoleId]
    """Its roles."""
    totp: NotRequired[TotpState | None]
    """Its second factor; absent where it logs in by a password alone."""


class IdentityBinding(TypedDict):
    """Whose tokens of a provider stand for an identity."""
    claims: dict[str, str]
    """Further claims of the tokens with their values."""
    createdAt: str
    """When it was made (RFC 3339, UTC)."""
    identityUuid: IdentityId
    """The identity."""
    objInfo: IdentityBindingIdObjInfo
    """Name and id."""
    providerUuid: IdentityProviderId
    """The provider."""
    subject: NotRequired[str | None]
    """The `sub` of the tokens, or the subject of the certificates; any where this is absent."""


IdentityBindingId: TypeAlias = "str"


class IdentityCreated(TypedDict):
    """Answer of POST /api/v2/identities."""
    apiKey: NotRequired[str | None]
    """What an application without password logs in with. Shown this once."""
    uuid: IdentityId
    """The new identity."""


IdentityId: TypeAlias = "str"


IdentityKind: TypeAlias = Literal["Person", "Application"]
"""Whether an identity is somebody or something."""


class IdentityProvider(TypedDict):
    """An OpenID Connect provider, an authority of client certificates, or a directory."""
    algorithms: list[JwtAlgorithm]
    """Which algorithms its tokens may be signed with."""
    audiences: list[str]
    """Whom its tokens have to be for; none of an authority of client certificates or a directory, as with all that is about
    tokens.
    """
    authorityCertificates: NotRequired[str | None]
    """The certificates of the authority, PEM; absent where it is an OpenID Connect provider."""
    authorityUuid: NotRequired[CertificateId | None]
    """The authority of this installation that it is; absent where it is another one, or no authority."""
    clientId: NotRequired[str | None]
    """As which client this installation is registered at it; absent where nobody logs in by it."""
    createdAt: str
    """When it was made (RFC 3339, UTC)."""
    enabled: bool
    """Whether its tokens, certificates or passwords are taken at all."""
    hasClientSecret: NotRequired[bool | None]
    """Whether there is a secret of the client; absent without a `clientId`."""
    issuer: str
    """The `iss` of its tokens; the subject of an authority of client certificates (RFC 4514); what a directory is called."""
    jwks: NotRequired[str | None]
    """Its public keys as they were given; absent where they are fetched."""
    ldap: NotRequired[LdapServer | None]
    """The directory; absent where it is none."""
    objInfo: IdentityProviderIdObjInfo
    """Name and id."""
    revocationLists: NotRequired[list[RevocationList]]
    """What is known of the revocation lists that were given."""
    secondFactorAcr: NotRequired[list[str]]
    """Values of `acr` that tell of a second factor."""
    singleUse: bool
    """Whether each token is taken once."""


IdentityProviderId: TypeAlias = "str"


class IdentityStub(TypedDict):
    """An identity in a list."""
    kind: IdentityKind
    """Person or application."""
    locked: bool
    """Whether it is locked."""
    objInfo: IdentityIdObjInfo
    """Name and id."""


class ImportAuthority(TypedDict):
    """A certificate authority from elsewhere, with its private key: `privateKey` and `certificates`, or `pkcs12`."""
    certificates: NotRequired[str | None]
    """The authority's certificate and what issued it, in any order, as for an import of certificates; beside `pkcs12`
    those that are not in the file.
    """
    password: NotRequired[SecretText | None]
    """The password of the file or of the key, in base64."""
    pkcs12: NotRequired[SecretText | None]
    """A PKCS#12 file in base64, encrypted by PBES2 with AES as OpenSSL 3 writes it."""
    privateKey: NotRequired[SecretText | None]
    """A PKCS#8 key, encrypted (PBES2 with AES) or not: PEM, or its DER in base64."""


class ImportCertificates(TypedDict):
    """Certificates from elsewhere."""
    certificates: str
    """One certificate or several in any order, up to a root: PEM (also PKCS#7), or the DER of one certificate or of
    PKCS#7 in base64.
    """
    trustCert: NotRequired[bool | None]
    """Whether the authorities among them are trusted: published at `/ca/UUID.crt` and found by their serial numbers. By
    default they are not. None of them can issue here without its key.
    """


class Imported(TypedDict):
    """What was imported."""
    certificateUuid: NotRequired[CertificateId | None]
    """The authority whose key was imported."""
    certificates: list[ImportedCertificate]
    """Every certificate that was sent, each after its issuer."""
    keyUuid: NotRequired[KeyId | None]
    """Its key."""
    warnings: NotRequired[list[str]]
    """What somebody should know, in sentences."""


class ImportedCertificate(TypedDict):
    """A certificate that was sent."""
    certificateUuid: CertificateId
    """Its id."""
    existed: bool
    """Whether the inventory had it already."""
    issuerUuid: CertificateId
    """The certificate that issued it; its own id where it is self-signed."""
    serialNumber: str
    """Its serial number in hexadecimal digits."""
    subject: str
    """The subject in one line."""


class InclusionProof(TypedDict):
    """The proof that a signature or a certificate is in the transparency log (RFC 9162, section 2.1.3)."""
    checkpoint: str
    """The signed checkpoint."""
    hashes: list[Base64]
    """The hashes from the entry up to the root, 32 bytes each."""
    index: int
    """The entry's place in the log, from 0."""
    leaf: Base64
    """The entry itself."""
    salt: NotRequired[Base64 | None]
    """What opens the entry of a service whose `log` is `Internal`: SHA-256 of it and of the entry that is not told is
    the entry's commitment.
    """
    treeSize: int
    """Entries of the log that the checkpoint speaks of."""


class IssuancePolicy(TypedDict):
    """The approval that the certificates of a service need: what their issuer demands of everything that it issues."""
    approval: ApprovalRules
    """What it demands now."""
    issuerUuid: CertificateId
    """The authority that issued the service's certificate."""
    pendingChange: NotRequired[Proposed | None]
    """What waits for approvals; until it has them, all is as it was."""


Issued: TypeAlias = "GeneratedCertificate | Proposed"
"""Answer to a request for a certificate: the certificate, or, where its profile or its issuer demands approvals, what
waits for them.
"""


class IssuerApproval(TypedDict):
    """What an authority demands of everything that it issues."""
    approval: ApprovalRules
    """What it demands now."""
    pendingChange: NotRequired[Proposed | None]
    """What waits for approvals; until it has them, all is as it was."""


ItemChange: TypeAlias = Literal["Added", "Changed", "Same"]
"""What an item of a manifest is, beside the last manifest that was signed under the policy."""


class ItemError(TypedDict):
    """What is wrong with one value of a batch."""
    errorCode: ErrorCode
    """The error this value alone would have been answered with."""
    index: int
    """Position in the request's array, from 0."""
    message: str
    """One sentence for a person."""


class JournalCall(TypedDict):
    """A call that had the token, or the part of one that is in one record of the journal."""
    action: Action
    """What was done."""
    identities: list[JournalIdentity]
    """In whose name, with the names that they have now."""
    indexes: list[int]
    """The places of the first hundred of them among the call's values, from 0."""
    keyVersion: NotRequired[int | None]
    """The version of the key; absent where each token tells its own, or none was used."""
    matches: int
    """How many of those in this record had the token."""
    outcome: ErrorCode
    """How it ended."""
    record: int
    """The record's number."""
    requestId: str
    """The id of the request, as its answer and the log have it."""
    segment: int
    """The segment of the journal: `chancery audit verify-journal` names places by it and the record's number."""
    session: ObjectId
    """The session."""
    source: str
    """The address that it came from."""
    time: str
    """When (RFC 3339, UTC, to the millisecond)."""
    tokenProfileUuid: TokenProfileId
    """The token profile under which it was."""
    values: int
    """Values of the whole call."""
    view: JournalView
    """How much of the value was shown."""


class JournalCalls(TypedDict):
    """Calls that had a token, the oldest first, as far as this server's journal was looked through."""
    complete: bool
    """Whether this and the answers before it have all calls of this token in the time that was asked for: `next` is absent,
    every journal of the installation that may have some is `Searched`, and none of them begins later than `from`.
    """
    items: list[JournalCall]
    """The calls. There may be none in an answer that has a `next`: so far nothing was found."""
    journals: list[SearchedJournal]
    """The journals that may have calls of that time: those of all servers, and of former ones; that of the server that answers is the
    first.
    """
    next: NotRequired[str | None]
    """What `after` shall be for what comes next; absent where all of this server's journal was looked through."""


class JournalIdentity(TypedDict):
    """An identity of a call."""
    name: NotRequired[str | None]
    """Its name now; absent where it was deleted."""
    uuid: IdentityId
    """Its id."""


JournalStanding: TypeAlias = Literal["Searched", "NotWhole", "Elsewhere", "Missing"]
"""What became of a journal in a search."""


JournalView: TypeAlias = Literal["None", "Full", "Partial"]
"""How much of the values a call of the data plane showed."""


JwtAlgorithm: TypeAlias = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"]
"""How an identity provider signs its tokens (RFC 7518, section 3.1; RFC 8037). There is none without a signature, and
none with a shared secret.
"""


class Key(TypedDict):
    """A key; its secret is never answered."""
    boundAlgorithm: NotRequired[TokenAlgorithm | None]
    """The token algorithm that this data key is bound to: the first that used it."""
    currentVersion: int
    """The newest version."""
    keyTypeUuid: KeyTypeId
    """Its key type."""
    objInfo: KeyIdObjInfo
    """Name and id."""
    origin: Origin
    """Where it was made: an imported key existed outside of this installation."""
    parameters: KeyParameters
    """Algorithm and size."""
    state: KeyState
    """Whether it may be used at all."""
    usages: list[KeyUsage]
    """What it may be used for."""
    uuid: KeyId
    """Its id, as in `objInfo`."""
    versions: list[KeyVersion]
    """All versions, the oldest first."""
    warnings: NotRequired[list[str]]
    """Only in the answer to what makes or changes it: the members of the body that are not known."""


KeyAlgorithm: TypeAlias = Literal["Rsa", "Ec", "Ed25519", "MlDsa", "Aes", "Hmac"]
"""The algorithm family of a key."""


KeyId: TypeAlias = "str"


class KeyParameters(TypedDict):
    """Algorithm and size of a key."""
    curve: NotRequired[Curve | None]
    """The curve, for `Ec`."""
    keyAlgorithm: KeyAlgorithm
    """The algorithm family."""
    keySize: int
    """Bits of the modulus, of the curve's field or of the secret; for ML-DSA the number of the parameter set."""


class KeyParams(TypedDict):
    """A key's parameters, where no key type is named."""
    curve: NotRequired[Curve | None]
    """The curve, for `Ec`."""
    keyAlgorithm: KeyAlgorithm
    """The algorithm family."""
    keySize: NotRequired[int | None]
    """Its size."""


KeyState: TypeAlias = Literal["Enabled", "Disabled"]
"""Whether a key may be used."""


class KeyStub(TypedDict):
    """A key in a list."""
    keyTypeUuid: KeyTypeId
    """Its key type."""
    objInfo: KeyIdObjInfo
    """Name and id."""
    parameters: KeyParameters
    """Algorithm and size."""
    state: KeyState
    """Whether it may be used at all."""
    usages: list[KeyUsage]
    """What it may be used for."""


KeyTypeId: TypeAlias = "str"


class KeyTypeStub(TypedDict):
    """A key type in a list."""
    objInfo: KeyTypeIdObjInfo
    """Name and id."""
    parameters: KeyParameters
    """Algorithm and size."""
    system: bool
    """Whether it came with Chancery."""
    usages: list[KeyUsage]
    """What its keys may be used for."""


KeyUsage: TypeAlias = Literal["Sign", "Tokenize", "Detokenize"]
"""What a key may be used for."""


class KeyVersion(TypedDict):
    """A version of a key."""
    createdAt: str
    """When it was made: RFC 3339, UTC."""
    publicKey: NotRequired[Base64 | None]
    """The public half (SubjectPublicKeyInfo in DER), if there is one."""
    version: int
    """Its number, from 1."""


LdapIdAttribute: TypeAlias = Literal["entryUUID", "objectGUID", "nsUniqueId", "ipaUniqueID"]
"""By which attribute a directory tells who somebody is for ever: of OpenLDAP (RFC 4530), Active Directory, 389 Directory
Server and FreeIPA. None of them is a name, and none is given twice.
"""


class LdapServer(TypedDict):
    """Where a directory is, and how somebody's entry is found in it. The password of the service account is not shown."""
    authorities: NotRequired[str | None]
    """The authorities that its certificate may be of, PEM; absent for those that the server trusts."""
    baseDn: NotRequired[str | None]
    """Below what is searched."""
    bindDn: NotRequired[str | None]
    """The service account that searches."""
    filter: NotRequired[str | None]
    """By what, with `{username}` in it."""
    idAttribute: LdapIdAttribute
    """The attribute whose value is the subject."""
    url: str
    """Its address."""
    userDn: NotRequired[str | None]
    """The name of an entry, with `{username}` in it; absent where it is searched for."""


class ListQuery(TypedDict):
    """Paging and filter: query members of a GET, body members of a POST."""
    after: NotRequired[str | None]
    """In the place of `page`: the `next` of an answer to the same query."""
    page: NotRequired[int | None]
    """Page number, from 1."""
    pageSize: NotRequired[int | None]
    """Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000."""
    search: NotRequired[str | None]
    """A case-insensitive part of the name."""


LogVisibility: TypeAlias = Literal["Public", "Internal"]
"""What the transparency log tells of a service's signatures: their digests, or only that something was signed."""


class LoginAnswer(TypedDict):
    """Answer of a login that succeeded."""
    message: str
    """`Success`."""
    response: LoginState
    """Where the session stands now."""


class LoginFailure(TypedDict):
    """Answer of a login that was refused."""
    message: str
    """Why; the same words for an unknown name, a wrong password, a wrong or missing code, a wrong
    passkey, and a delayed or locked identity.
    """
    response: NotLoggedIn
    """Says that this call logged nobody in."""
    status: HomeStatus
    """`Failure`."""


class LoginRequest(TypedDict):
    """Body of POST /home/v1/login."""
    authCredentials: AuthCredentials
    """Who logs in, and the proof."""
    authType: AuthType
    """Which kind of proof it is."""


class LoginState(TypedDict):
    """Where a session stands after a login."""
    fullyLoggedIn: bool
    """Whether as many different identities as a shared role demands have logged in."""
    hardened: bool
    """Whether the installation is in hardened mode."""
    management: bool
    """Whether the session may administer."""
    perms: list[Perm]
    """What the satisfied roles permit; empty until fully logged in."""


class LoginWay(TypedDict):
    """How an identity proved who it is. More ways and members may come."""
    apiKey: NotRequired[AuditApiKey | None]
    """Which key; only with the way `ApiKey`, and not in records of a release that did not tell."""
    certificate: NotRequired[AuditCertificate | None]
    """Which certificate; only with the way `Certificate`."""
    passkey: NotRequired[AuditPasskey | None]
    """Which passkey; only with the way `Password+Passkey`."""
    token: NotRequired[AuditToken | None]
    """Whose token or account it was; only with the ways `Oidc`, `Oidc+Acr`, `Ldap`, `Ldap+Totp` and `TokenExchange`."""
    way: str
    """`Password`, `Password+Totp` (with a one-time code), `Password+Passkey`, `Oidc` (by an identity provider), `Oidc+Acr`
    (with what counts as a second factor there), `Ldap` (by a directory), `Ldap+Totp`, `ApiKey`, `TokenExchange` or
    `Certificate` (a client certificate of TLS).
    """


Luhn: TypeAlias = Literal["Ignore", "Valid", "Invalid"]
"""What the Luhn check digit of a token shall be."""


class Mailbox(TypedDict):
    """A mailbox that notices are sent to by the server's SMTP relay."""
    address: str
    """One address, such as `releases@example.org`: of a person or of a list."""


class ManifestChanges(TypedDict):
    """How a manifest differs from the last one that was signed under its policy: by name, and among what was really signed
    then.
    """
    added: int
    """Items with names that it has not."""
    changed: int
    """Items with its names and other digests."""
    gone: int
    """Names that it has, and that are gone."""
    goneNames: list[str]
    """The first 1,000 of these names."""
    same: int
    """Items with its names and digests."""
    since: NotRequired[SigningRequestIdObjInfo | None]
    """The last manifest; absent where none was signed before. Then all items are new."""
    sinceSignedAt: NotRequired[str | None]
    """When it was signed (RFC 3339, UTC)."""


class ManifestItem(TypedDict):
    """One item of a manifest."""
    digest: Base64
    """Its digest, as `digest` of a request."""
    name: str
    """Its name, unique in the manifest; 1 to 255 characters. The policy's `fileNames` apply to it."""


class ManifestSummary(TypedDict):
    """How far the items of a manifest are."""
    failed: int
    """Items that could not be signed."""
    signed: int
    """Items that are signed."""
    total: int
    """Items."""


MaskTemplate: TypeAlias = Literal["FirstOne", "FirstSix", "FirstSixLastFour", "LastTwo", "LastFour", "FirstAndLast", "EmailDomain"]
"""What a partial rule reveals, by its name: the first and last symbols, or of an e-mail address the domain, from the
last `@` on.
"""


class Myself(TypedDict):
    """One of those who have logged in."""
    kind: IdentityKind
    """Person or application."""
    login: NotRequired[LoginWay | None]
    """How it proved who it is; absent in a session that a former release began."""
    name: str
    """Its name at login."""
    roles: list[AuditRole]
    """Its roles that count in this session."""
    source: NotRequired[str | None]
    """The address from which it logged in; absent in a session that a former release began."""
    totp: NotRequired[TotpState | None]
    """Its second factor, as it stands now; absent where it has none."""
    uuid: IdentityId
    """The identity."""


class NameConstraintRules(TypedDict):
    """The names that an authority may certify (RFC 5280, 4.2.1.10): of each kind those in a permitted subtree, where there is
    one, and in no excluded one. Subtrees are `DNS:example.com` (with all hosts below), `IP:10.0.0.0/8`, `IP:2001:db8::/32`,
    `email:name@host.example`, `email:host.example`, `email:.example.com` (the hosts below), `URI:host.example`,
    `URI:.example.com` and `dirName:O=Example,C=US`.
    """
    excluded: NotRequired[list[str]]
    """`excludedSubtrees` is read too."""
    permitted: NotRequired[list[str]]
    """`permittedSubtrees` is read too."""


class NameOnly(TypedDict):
    """An object's name where its id is not the caller's to choose."""
    name: str
    """The name."""


class NewKey(TypedDict):
    """The key of a new certificate."""
    keyTypeUuid: NotRequired[KeyTypeId | None]
    """Its key type."""
    save: NotRequired[bool | None]
    """Whether the private key is kept, so that it can sign; by default it is."""


class NewPassword(TypedDict):
    """Body of POST /api/v2/identities/{uuid}/password."""
    oneTime: NotRequired[bool]
    """Whether it is for one use: it logs nobody in, and sets another one for a day (POST /home/v1/login/password). Only of
    others.
    """
    password: Base64
    """At least 12 characters of UTF-8."""


class NotLoggedIn(TypedDict):
    """`{"fullyLoggedIn": false}`."""
    fullyLoggedIn: bool
    """Always false."""


class Notice(TypedDict):
    """A notice, as webhooks of the shape `Chancery` get it. None of the submitter's words are in it."""
    approvals: NotRequired[ApprovalCount | None]
    """Approvals given and needed."""
    days: NotRequired[int | None]
    """How many days before its end this was told: 30, 7 or 1."""
    kind: NoticeKind
    """What happened."""
    notAfter: NotRequired[str | None]
    """When the certificate ends: RFC 3339, UTC."""
    objectKind: NotRequired[NoticeObject | None]
    """What kind of object it is about."""
    objectUuid: NotRequired[ObjectId | None]
    """Which object."""
    sequence: int
    """Its number. Later notices have higher ones, with gaps."""
    serviceUuid: NotRequired[ServiceId | None]
    """The service whose key signs, or that a proposal is about."""
    state: NotRequired[str | None]
    """Where the object stands since, in the words of its list."""
    time: str
    """When it happened: RFC 3339, UTC."""
    url: NotRequired[str | None]
    """The object's page in the console, where the server knows its own address. Whoever opens it logs in there."""
    uuid: NoticeId
    """Its id, by which a notice that comes twice is known; the header `webhook-id` is the same."""


NoticeId: TypeAlias = "str"


NoticeKind: TypeAlias = Literal["Waiting", "Approved", "Signed", "Applied", "Denied", "Withdrawn", "Failed", "Expired", "Revoked", "CertificateEnds", "ApiKeyEnds", "RowRefused", "JournalFailed", "LedgerFailed", "ClockJumped", "BudgetLow", "AuditTargetFailed", "IdentityRecovered", "LoginChanged", "WitnessFailed", "Test"]
"""What a notice tells of."""


NoticeObject: TypeAlias = Literal["SigningRequest", "Proposal", "Certificate", "ApiKey", "Identity", "TokenProfile", "SigningPolicy", "AuditTarget"]
"""What kind of object a notice is about."""


class NoticeTarget(TypedDict):
    """A target of notices; its secret is never answered."""
    createdAt: str
    """When it was made: RFC 3339, UTC."""
    deliveries: DeliveryState
    """What became of its notices."""
    email: NotRequired[Mailbox | None]
    """Where they go by e-mail."""
    enabled: bool
    """Whether it gets notices at all."""
    hasSecret: bool
    """Whether notices are signed."""
    kinds: list[NoticeKind]
    """Which notices it gets; all of them where this is empty."""
    objInfo: NoticeTargetIdObjInfo
    """Name and id."""
    serviceUuids: list[ServiceId]
    """Of which services; of all where this is empty."""
    uuid: NoticeTargetId
    """Its id, as in `objInfo`."""
    webhook: NotRequired[Webhook | None]
    """Where notices go by webhook."""


NoticeTargetId: TypeAlias = "str"


class NoticeTested(TypedDict):
    """What came of trying a target out."""
    answer: str
    """What it answered, cut short, or why it could not be reached."""
    delivered: bool
    """Whether the target took it."""
    status: NotRequired[int | None]
    """The HTTP status that it answered, if it did; of e-mail the reply code of SMTP."""
    uuid: NoticeId
    """The notice that was sent."""


class ApiKeyIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class AuditTargetIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class CertProfileIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class CertificateIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class IdentityBindingIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class IdentityIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class IdentityProviderIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class KeyIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class KeyTypeIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class NoticeTargetIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class ObjectIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class PasskeyIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class PolicyIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class ProposalIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class RoleIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class ServiceIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class SigningRequestIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


class TokenProfileIdObjInfo(TypedDict):
    """An object's name and id. `id` is one of the typed ids."""
    name: str
    """The name that people gave it."""
    uuid: str


ObjectId: TypeAlias = "str"


class OidcBegun(TypedDict):
    """Answer of POST /home/v1/login/oidc."""
    authorizationUrl: str
    """Where the browser goes on: the provider's page. What it says comes back by the cookie that this answer sets, within ten
    minutes.
    """
    message: str
    """`Success`."""
    status: HomeStatus
    """`Success`."""


class OidcProviders(TypedDict):
    """Answer of GET /home/v1/login/oidc."""
    certificates: NotRequired[bool]
    """Whether connections to this socket are asked for a client certificate, by which `authType` `certificate` logs in."""
    directories: NotRequired[list[IdentityProviderIdObjInfo]]
    """The directories by whose passwords `authType` `ldap` logs in, by name."""
    message: str
    """`Success`."""
    passkeys: NotRequired[bool]
    """Whether people log in with passkeys besides the password: whether this server was told a DNS name by which browsers
    reach it.
    """
    providers: list[IdentityProviderIdObjInfo]
    """The providers by which people log in, by name; none where the server was not told its own address."""
    status: HomeStatus
    """`Success`."""


Operation: TypeAlias = Literal["Tokenize", "Detokenize", "PartialDetokenize", "Batch"]
"""What a Control Rule grants."""


Origin: TypeAlias = Literal["Generated", "Imported"]
"""Where a certificate or a key was made."""


class Passkey(TypedDict):
    """A passkey. It signs nothing, and logs nobody in, before a second person has confirmed it."""
    confirmUntil: NotRequired[str | None]
    """Until when it can be confirmed; absent once it is."""
    confirmedAt: NotRequired[str | None]
    """When a second person confirmed it; absent until then."""
    confirmedBy: NotRequired[list[IdentityIdObjInfo]]
    """Who did: all identities of one session, by their names at that time."""
    createdAt: str
    """When it was enrolled (RFC 3339, UTC)."""
    identityUuid: IdentityId
    """Whose it is."""
    lastUsedAt: NotRequired[str | None]
    """When it signed last; absent where it never did."""
    objInfo: PasskeyIdObjInfo
    """Name and id."""
    publicKey: Base64
    """Its public key (SubjectPublicKeyInfo in DER), as `chancery verify --approver-keys` takes it."""
    publicKeySha256: Base64
    """SHA-256 of the public key, by which two people tell that they mean the same passkey."""
    rpId: str
    """The host that it is for; it signs nothing where the server is reached by another."""
    synced: bool
    """Whether it can be copied to other devices of its owner, as its authenticator says."""


class PasskeyBegun(TypedDict):
    """What the browser is to be asked for, and what it is brought back with."""
    expiresAt: str
    """Until when (RFC 3339, UTC)."""
    publicKey: CreationOptions
    """For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`."""
    ticket: str
    """What to send with the new passkey."""


class PasskeyChallenge(TypedDict):
    """Answer of POST /home/v1/login/passkey, which is the same for everybody."""
    expiresAt: str
    """Until when (RFC 3339, UTC)."""
    message: str
    """`Success`."""
    publicKey: RequestOptions
    """For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. No passkeys are listed: the
    browser knows those that it has for this host.
    """
    status: HomeStatus
    """`Success`."""
    ticket: str
    """What to send with the signature. It is good once."""


PasskeyId: TypeAlias = "str"


class PasskeyProof(TypedDict):
    """What a passkey has signed, for a login."""
    credential: AssertionCredential
    """What `PublicKeyCredential.toJSON` says; members that are not listed are not looked at."""
    ticket: str
    """What came with the challenge."""


class Passkeys(TypedDict):
    """The passkeys of an identity."""
    results: list[Passkey]
    """All of them, by name."""


class PatchApiKey(TypedDict):
    """What shall change in an API key; members that are absent stay as they are."""
    expiresAt: NotRequired[str | None]
    """Another end; `null` for none."""
    name: NotRequired[str | None]
    """Another name."""
    networks: NotRequired[list[str] | None]
    """Other networks, which replace all of the present ones; an empty list lets it be used from everywhere."""
    scope: NotRequired[ApiKeyScope | None]
    """Another restriction; `null` for none."""


class PatchAuditTarget(TypedDict):
    """What is to be changed of a target. What is absent stays, and so does how far it has the records."""
    enabled: NotRequired[bool | None]
    """Whether it gets records. What is written while it gets none it gets afterwards."""
    file: NotRequired[FileReceiver | None]
    """Which file it is from now on. A target stays of its kind."""
    name: NotRequired[str | None]
    """A new name."""
    otlp: NotRequired[HttpReceiver | None]
    """Where a receiver of OTLP is from now on."""
    secret: NotRequired[Base64 | None]
    """A new secret."""
    syslog: NotRequired[SyslogReceiver | None]
    """Where a receiver of syslog is from now on."""
    webhook: NotRequired[HttpReceiver | None]
    """Where a webhook is from now on."""


class PatchCertProfile(TypedDict):
    """What shall change in a certificate profile; members that are absent stay as they are, and each that is there
    replaces the whole member.
    """
    approval: NotRequired[ApprovalRules | None]
    """See `CertProfile::approval`."""
    basicConstraints: NotRequired[ProfileConstraints | None]
    """See `CertProfile::basic_constraints`."""
    crlUrls: NotRequired[list[str] | None]
    """See `CertProfile::crl_urls`."""
    enabled: NotRequired[bool | None]
    """See `CertProfile::enabled`."""
    extendedKeyUsages: NotRequired[list[str] | None]
    """See `CertProfile::extended_key_usages`."""
    hashAlgorithms: NotRequired[list[HashType] | None]
    """See `CertProfile::hash_algorithms`."""
    issuerUrls: NotRequired[list[str] | None]
    """See `CertProfile::issuer_urls`."""
    keyTypeUuids: NotRequired[list[KeyTypeId] | None]
    """See `CertProfile::key_type_uuids`."""
    keyUsages: NotRequired[list[CertKeyUsage] | None]
    """See `CertProfile::key_usages`."""
    maxValidityPeriod: NotRequired[ValidityPeriod | None]
    """See `CertProfile::max_validity_period`."""
    nameConstraints: NotRequired[NameConstraintRules | None]
    """`null` takes them away."""
    objInfo: NotRequired[NameOnly | None]
    """A new name."""
    ocspUrls: NotRequired[list[str] | None]
    """See `CertProfile::ocsp_urls`."""
    policies: NotRequired[list[str] | None]
    """See `CertProfile::policies`."""
    subject: NotRequired[SubjectRules | None]
    """See `CertProfile::subject`."""
    subjectAltNames: NotRequired[AltNameRules | None]
    """See `CertProfile::subject_alt_names`."""
    validityPeriod: NotRequired[ValidityPeriod | None]
    """See `CertProfile::validity_period`."""


class PatchIdentity(TypedDict):
    """Body of PATCH /api/v2/identities/{uuid}; what is absent stays as it is."""
    hours: NotRequired[list[str] | None]
    """When it may act, in UTC, such as `Mon-Fri 07:00-19:00` or `22:00-06:00`; they replace all of the present ones, and an
    empty list lets it act always.
    """
    name: NotRequired[str | None]
    """Another name."""
    networks: NotRequired[list[str] | None]
    """From where it may act, such as `10.0.0.0/8` or `2001:db8::/32`; they replace all of the present ones, and an empty list
    lets it act from everywhere.
    """
    recoveryAcknowledged: NotRequired[bool | None]
    """`true`: how the identity was recovered on the host is known and as it should be; the alarm of it ends."""
    roleUuids: NotRequired[list[RoleId] | None]
    """Other roles; they replace all of the present ones."""


class PatchIdentityProvider(TypedDict):
    """What shall change in a provider; members that are absent stay as they are."""
    algorithms: NotRequired[list[JwtAlgorithm] | None]
    """Other algorithms, which replace all of the present ones; an empty list stands for `RS256` and `ES256`."""
    audiences: NotRequired[list[str] | None]
    """Other audiences, which replace all of the present ones."""
    authorityCertificates: NotRequired[str | None]
    """Other certificates of an authority elsewhere, of the same subject, which replace all of the present ones."""
    clientId: NotRequired[str | None]
    """Another client; the secret of the one before goes with it. `null`: nobody logs in by the provider any more."""
    clientSecret: NotRequired[str | None]
    """Another secret of the client; `null` for none."""
    crls: NotRequired[str | None]
    """Other revocation lists, which replace all of the present ones."""
    enabled: NotRequired[bool | None]
    """Whether its tokens are taken at all. `false` ends the sessions of all identities that are bound to it."""
    jwks: NotRequired[str | None]
    """Other public keys; `null` to have them fetched."""
    ldap: NotRequired[DescribeLdap | None]
    """What shall change in a directory; members that are absent stay as they are."""
    name: NotRequired[str | None]
    """Another name."""
    secondFactorAcr: NotRequired[list[str] | None]
    """Other values of `acr` that tell of a second factor, which replace all of the present ones."""
    singleUse: NotRequired[bool | None]
    """Whether each token is taken once."""


class PatchIssuancePolicy(TypedDict):
    """What shall change in the approval that certificates need; members that are absent stay as they are."""
    approvalSteps: NotRequired[list[ApprovalStep] | None]
    """See `ApprovalRules::approval_steps`."""
    numApprovals: NotRequired[int | None]
    """See `ApprovalRules::num_approvals`."""
    requestLifetime: NotRequired[ValidityPeriod | None]
    """See `ApprovalRules::request_lifetime`; null for ever."""
    selfApproval: NotRequired[SelfApproval | None]
    """See `ApprovalRules::self_approval`; null for the default."""


class PatchKey(TypedDict):
    """What is to be changed of a key. What is absent stays."""
    name: NotRequired[str | None]
    """A new name."""
    usages: NotRequired[list[KeyUsage] | None]
    """What it may be used for from now on, a subset of the type's usages."""


class PatchName(TypedDict):
    """A new name, or the old one."""
    name: NotRequired[str | None]
    """The name."""


class PatchNoticeTarget(TypedDict):
    """What is to be changed of a target. What is absent stays."""
    email: NotRequired[Mailbox | None]
    """The mailbox that they go to from now on. A webhook stays one, and a mailbox a mailbox."""
    enabled: NotRequired[bool | None]
    """Whether it gets notices at all. What happens while it gets none is not told later."""
    kinds: NotRequired[list[NoticeKind] | None]
    """Which notices it gets from now on; an empty list stands for all."""
    name: NotRequired[str | None]
    """A new name."""
    secret: NotRequired[Base64 | None]
    """A new key by which notices are signed."""
    serviceUuids: NotRequired[list[ServiceId] | None]
    """Of which services; an empty list stands for all."""
    webhook: NotRequired[Webhook | None]
    """Where notices go from now on: the address in full, also where a part of it is not shown."""


class PatchPasskey(TypedDict):
    """Another name."""
    name: str
    """Its new name."""


class PatchPermissions(TypedDict):
    """Control Rules that replace all those before."""
    controlRules: list[ControlRule]
    """Which roles may do what."""


class PatchRole(TypedDict):
    """Body of PATCH /api/v2/roles/{uuid}; what is absent stays as it is. `system`, which only the answer to GET has, may be
    sent and means nothing; other members are refused.
    """
    loginsRequired: NotRequired[int | None]
    """Another number of logins: 1 or 2."""
    management: NotRequired[bool | None]
    """Whether its holders may administer."""
    name: NotRequired[str | None]
    """Another name."""
    objInfo: NotRequired[PatchName | None]
    """Another name, as GET has it; `name` comes before it."""
    perms: NotRequired[list[Perm] | None]
    """Other permissions; they replace all of the present ones."""
    secondFactor: NotRequired[SecondFactor | None]
    """What else each holder must log in with besides a password."""


class PatchSettings(TypedDict):
    """Body of PATCH /api/v2/system/settings; what is absent stays as it is. `hardened` and `demo`, which only the answer to GET has, may
    be sent and mean nothing; other members are refused.
    """
    apiAccess: NotRequired[bool | None]
    """Whether the interface answers more than logins, health, public PKI endpoints and these settings."""
    auditRetention: NotRequired[AuditRetention | None]
    """For how long audit records are at hand, and how long they are kept; all of it, in the place of what it was. An empty object is
    for ever.
    """
    freshFactorFor: NotRequired[list[FreshFactorFor] | None]
    """What takes a second factor of the last ten minutes of everybody in the session; all of it, in the place of what it was. To
    change it takes that, too.
    """


class PatchTokenFormat(TypedDict):
    """What a format shall be. Members that are absent stay as they are in a change, and take their defaults in a new profile;
    there Ff1 and Random need `alphabet`, `minLength` and `maxLength`, or `pattern`.
    """
    alphabet: NotRequired[str | None]
    """See `TokenFormat::alphabet`."""
    keepLeading: NotRequired[int | None]
    """See `TokenFormat::keep_leading`."""
    keepTrailing: NotRequired[int | None]
    """See `TokenFormat::keep_trailing`."""
    luhn: NotRequired[Luhn | None]
    """See `TokenFormat::luhn`."""
    maxLength: NotRequired[int | None]
    """See `TokenFormat::max_length`."""
    minLength: NotRequired[int | None]
    """See `TokenFormat::min_length`."""
    passThrough: NotRequired[str | None]
    """See `TokenFormat::pass_through`."""
    pattern: NotRequired[str | None]
    """`null` takes the pattern away."""
    tokenLength: NotRequired[int | None]
    """`null` makes tokens as long as their messages."""
    versionPrefix: NotRequired[int | None]
    """`null` takes the prefix away."""


class PatchTokenProfile(TypedDict):
    """What shall change in a token profile; members that are absent stay as they are."""
    algorithm: NotRequired[TokenAlgorithm | None]
    """See `TokenProfile::algorithm`."""
    controlRules: NotRequired[list[ControlRule] | None]
    """Replaces all rules."""
    deterministic: NotRequired[bool | None]
    """See `TokenProfile::deterministic`."""
    durability: NotRequired[Durability | None]
    """See `TokenProfile::durability`."""
    format: NotRequired[PatchTokenFormat | None]
    """What shall change in the format."""
    giveUpTokens: NotRequired[bool | None]
    """Whether `minDecryptVersion` may go above a key version that made tokens, where tokens do not tell their version:
    those that are left then read as other, plausible messages.
    """
    keyUuid: NotRequired[KeyId | None]
    """See `TokenProfile::key_uuid`."""
    keyVersion: NotRequired[int | None]
    """See `TokenProfile::key_version`."""
    minDecryptVersion: NotRequired[int | None]
    """See `TokenProfile::min_decrypt_version`."""
    objInfo: NotRequired[PatchName | None]
    """A new name."""
    timeToLive: NotRequired[ValidityPeriod | None]
    """`null` lets tokens be read for ever."""
    tweakDomain: NotRequired[TokenProfileId | None]
    """`null` takes the domain back to the profile's own id."""
    useIv: NotRequired[bool | None]
    """See `TokenProfile::use_iv`."""


class PendingMailbox(TypedDict):
    """A new address that waits to be confirmed, with what is wanted there."""
    address: str
    """Where the code was sent."""
    enabled: bool
    """Whether anything shall be sent."""
    expiresAt: str
    """Until when the code is good: RFC 3339, UTC."""
    kinds: list[NoticeKind]
    """Which notices shall be sent; all that concern the identity where this is empty."""
    serviceUuids: list[ServiceId]
    """Of which services; of all where this is empty."""
    triesLeft: int
    """How many wrong codes are still taken before a new one has to be asked for."""


Perm: TypeAlias = Literal["Tokenization:Manage", "Keys:Add", "CertManage:Generate", "CertManage:Manage", "CertManage:Export", "Services:Deploy", "Signing:Submit", "Signing:Approve", "Identity:Manage", "Audit:Read", "System:Manage"]
"""One permission, spelled `Group:Sub` in `perms`."""


class PersonalMailbox(TypedDict):
    """Where somebody has what concerns them sent."""
    address: NotRequired[str | None]
    """Where it is; absent until an address was confirmed, and once it was removed."""
    confirmedAt: NotRequired[str | None]
    """When that was: RFC 3339, UTC."""
    deliveries: DeliveryState
    """What became of the notices."""
    enabled: bool
    """Whether anything is sent."""
    kinds: list[NoticeKind]
    """Which notices are sent, of those that concern the identity; all of them where this is empty."""
    objInfo: IdentityIdObjInfo
    """Whose it is."""
    pending: NotRequired[PendingMailbox | None]
    """What takes the place of all that once its code is entered."""
    serviceUuids: list[ServiceId]
    """Of which services; of all where this is empty."""


class PkiSigning(TypedDict):
    """What a signing service is made of."""
    hashAlgorithm: HashType
    """The hash of the signatures."""
    newCert: SigningCert
    """The signing certificate, which is made in this call."""
    numApprovals: int
    """Approvals that a request needs, 0 to 64; 0 means that requests are signed on submission."""
    rsaPss: NotRequired[bool | None]
    """Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5; by default it does not."""
    rules: NotRequired[PolicyRules | None]
    """What the policy demands besides; nothing by default."""
    selfApproval: NotRequired[SelfApproval | None]
    """Whether whoever submitted a request may take part in approving it; by default `DualControl`, and always `Never`
    in hardened mode.
    """
    signingFormat: SigningFormat
    """The form of the signatures, for the life of the service's key."""
    timeStamp: NotRequired[bool | None]
    """Whether signatures carry a time stamp, so that they outlive the certificate; by default they do not. Not for `Raw`."""


PkiSigningMember: TypeAlias = "PkiSigning"


class PolicyBudgetUse(TypedDict):
    """One window of a policy's budget."""
    count: int
    """How many signatures the window has."""
    each: bool
    """Whether each submitter has as many."""
    endsAt: str
    """When it ends (RFC 3339)."""
    identityUuid: NotRequired[IdentityId | None]
    """Whose it is, with `each`."""
    left: int
    """How many are left; with several servers at least."""
    per: BudgetPeriod
    """How long it is."""
    startsAt: str
    """When it began (RFC 3339)."""
    used: int
    """How many are used; with several servers at most, since what another has set aside for itself counts."""


class PolicyBudgets(TypedDict):
    """What of a policy's budgets is used now."""
    budgets: list[PolicyBudgetUse]
    """The windows that are open now: one for each budget, or with `each` one for each submitter who has used some of it,
    1,000 at most, those that used most.
    """


PolicyId: TypeAlias = "str"


class PolicyRules(TypedDict):
    """What a policy demands of requests besides the number of approvals. What is absent, null or empty demands nothing."""
    approvalSteps: NotRequired[list[ApprovalStep]]
    """Who approves first: approvals of these roles, in this order. Together they are at most `numApprovals`; what
    remains is approved by anybody who may, after the last step.
    """
    budgets: NotRequired[list[Budget]]
    """How many signatures it makes in windows of time, all together or for each submitter; without budgets any number.
    All of them have to have room for a request when it is signed.
    """
    fileNames: NotRequired[list[str]]
    """Only requests with such names are taken: `*` stands for any characters, `?` for one, letter case does not matter;
    at most 100.
    """
    maxSize: NotRequired[int | None]
    """Bytes of a payload at most. A digest does not tell the size, so it is refused then."""
    provenanceIssuers: NotRequired[list[ProvenanceIssuer]]
    """Whose SLSA provenance of files counts; at most 16."""
    provenanceRequired: NotRequired[bool]
    """Whether requests come with provenance of one of them, and are refused without. Needs `provenanceIssuers`."""
    requestLifetime: NotRequired[ValidityPeriod | None]
    """How long a request waits for its approvals; for ever by default."""
    signaturesPerDay: NotRequired[int | None]
    """Signatures within 24 hours at most."""
    signaturesPerHour: NotRequired[int | None]
    """Signatures within an hour at most."""
    signedApprovals: NotRequired[bool]
    """Whether each approval is signed with a passkey of whoever gives it, also of changes of this policy and of
    pre-approvals. Once one policy of a service says so, new ones say it too, and it is not taken back.
    """
    submitterRoleUuids: NotRequired[list[RoleId]]
    """Only sessions that hold one of these roles submit; at most 100."""


class PreApproval(TypedDict):
    """A pre-approval and its uses."""
    endsAt: NotRequired[str | None]
    """When it ends (RFC 3339, UTC); absent until it is approved, and where it has no end."""
    maxRequests: int
    """How many requests it can be used for."""
    submitterUuid: NotRequired[IdentityId | None]
    """Whose requests it is for; absent where it lists digests."""
    usedDigests: list[UsedDigest]
    """The digests that were used, and for which requests."""
    uses: int
    """How many it was used for."""


Presence: TypeAlias = Literal["Optional", "Required", "Refused"]
"""Whether something occurs in a certificate."""


class PreviewAnswer(TypedDict):
    """What the samples became."""
    errors: list[ItemError]
    """Which samples were refused, and why."""
    format: TokenFormat
    """The format with its defaults."""
    ivs: NotRequired[list[Base64 | None] | None]
    """The initialization vectors, in the same order, where the profile would use them."""
    security: TokenSecurity
    """What the service thinks of the profile's safety."""
    tokens: list[str | None]
    """In the order of the samples; null where one was refused. The profile itself would make others."""


class PreviewRequest(TypedDict):
    """A draft of a profile, and samples to tokenize under a key that is thrown away."""
    profile: DraftTokenProfile
    """What the profile would be. A template or a profile as it is read may be given; the name, the key and
    `tweakDomain` mean nothing here.
    """
    samples: list[str]
    """Up to 20 messages."""


class PreviousSecret(TypedDict):
    """The secret that a key had before its last rotation."""
    lastUsedAt: NotRequired[str | None]
    """When it was last used (RFC 3339, UTC), to some minutes; absent where it never was."""
    until: str
    """Until when it goes on (RFC 3339, UTC)."""


class ProfileConstraints(TypedDict):
    """Whether a profile's certificates can issue others."""
    ca: NotRequired[bool]
    """Whether the subject is a certificate authority."""
    pathLength: NotRequired[int | None]
    """How many authorities may stand below it on a path; `null`: as many as the issuer allows."""


class Proposal(TypedDict):
    """One proposal in full."""
    approvalState: ApprovalState
    """What the approvers have said."""
    approvals: list[ProposalApproval]
    """What people have decided, oldest first; the first is who made it."""
    approvalsRequired: int
    """How many approvals it takes."""
    certProfile: NotRequired[ProposedCertProfile | None]
    """A certificate profile before and after."""
    certProfileUuid: NotRequired[CertProfileId | None]
    """The certificate profile that it is about."""
    certificate: NotRequired[CertificateToIssue | None]
    """A certificate that shall be issued."""
    certificateUuid: NotRequired[CertificateId | None]
    """The certificate that was issued."""
    content: str
    """What is proposed, as a text: exactly what people approve."""
    decidedAt: NotRequired[str | None]
    """When it took effect, was denied or failed (RFC 3339, UTC)."""
    detokenizeGrant: NotRequired[ProposedGrant | None]
    """A grant to detokenize, and what else was granted this month."""
    digest: Base64
    """SHA-256 of the content."""
    effect: NotRequired[AccessEffect | None]
    """While a change waits: who would gain and lose what if it took effect now. It is no part of what people approve."""
    expiresAt: NotRequired[str | None]
    """When it stops waiting for approvals (RFC 3339, UTC); absent where it waits for ever."""
    issuerApproval: NotRequired[ProposedIssuerApproval | None]
    """What an authority demands, before and after."""
    issuerUuid: NotRequired[CertificateId | None]
    """The authority that it is about."""
    kind: ProposalKind
    """What is proposed."""
    mayApprove: NotRequired[bool]
    """Whether it waits, and the rules take an approval of the session that asks."""
    nextRoleUuids: NotRequired[list[RoleId] | None]
    """Of which roles the next approval has to come; absent where any approver will do."""
    objInfo: ProposalIdObjInfo
    """Its name and id."""
    policy: NotRequired[ProposedPolicy | None]
    """A policy before and after."""
    policyUuid: NotRequired[PolicyId | None]
    """The policy that it is about; one that is yet to be made has its uuid already."""
    preApproval: NotRequired[PreApproval | None]
    """What was used of a pre-approval."""
    reason: NotRequired[str | None]
    """Why it failed."""
    selfApproval: NotRequired[SelfApproval | None]
    """Whether those who made it may take part in approving it, while it waits: the stricter of all rules that it is under."""
    serviceUuid: NotRequired[ServiceId | None]
    """The service that it is about."""
    state: ProposalState
    """Where it stands."""
    submittedAt: str
    """When it was made (RFC 3339, UTC)."""
    submittedBy: list[IdentityIdObjInfo]
    """All identities of the session that made it."""
    tokenProfileUuid: NotRequired[TokenProfileId | None]
    """The token profile that it is about."""


class ProposalApproval(TypedDict):
    """One decision on a proposal."""
    decidedAt: str
    """When (RFC 3339, UTC)."""
    decision: ProposalDecision
    """What was decided."""
    identities: list[IdentityIdObjInfo]
    """In whose name: all identities of one session."""
    note: str
    """What they said about it."""
    signatures: NotRequired[list[ApprovalSignature]]
    """What their passkeys signed of it, where that was demanded."""


ProposalDecision: TypeAlias = Literal["Submit", "Approve", "Deny", "Withdraw", "Revoke"]
"""What somebody did to a proposal."""


ProposalId: TypeAlias = "str"


ProposalKind: TypeAlias = Literal["PreApproval", "Policy", "Certificate", "CertProfile", "Issuer", "DetokenizeGrant"]
"""What is proposed."""


ProposalState: TypeAlias = Literal["Approval", "Active", "UsedUp", "Ended", "Revoked", "Applied", "Issued", "Failed", "Denied"]
"""Where a proposal stands: `Active`, `UsedUp`, `Ended` and `Revoked` are those of a pre-approval and of a
grant to detokenize, `Issued` a certificate's, `Applied` that of all else.
"""


class ProposalStub(TypedDict):
    """What a list says of a proposal."""
    approvalState: ApprovalState
    """What the approvers have said."""
    certProfileUuid: NotRequired[CertProfileId | None]
    """The certificate profile that it is about."""
    certificateUuid: NotRequired[CertificateId | None]
    """The certificate that was issued."""
    issuerUuid: NotRequired[CertificateId | None]
    """The authority that it is about."""
    kind: ProposalKind
    """What is proposed."""
    objInfo: ProposalIdObjInfo
    """Its name and id."""
    policyUuid: NotRequired[PolicyId | None]
    """The policy that it is about."""
    serviceUuid: NotRequired[ServiceId | None]
    """The service that it is about."""
    state: ProposalState
    """Where it stands."""
    submittedAt: str
    """When it was made (RFC 3339, UTC)."""
    tokenProfileUuid: NotRequired[TokenProfileId | None]
    """The token profile that it is about."""


class Proposed(TypedDict):
    """Answer to a proposal, and to an approval of one."""
    approvalState: ApprovalState
    """What the approvers have said."""
    approvals: ApprovalCount
    """How many approvals there are, and how many it takes."""
    certificateUuid: NotRequired[CertificateId | None]
    """The certificate that was issued."""
    digest: Base64
    """SHA-256 of its `content`: what people approve."""
    reason: NotRequired[str | None]
    """Why it failed."""
    state: ProposalState
    """Where it stands now."""
    uuid: ProposalId
    """The proposal."""
    warnings: NotRequired[list[str]]
    """In the answer to what was proposed: what somebody should know about it, in sentences."""


class ProposedCertProfile(TypedDict):
    """A certificate profile that shall change."""
    after: CertProfile
    """What it is after."""
    before: CertProfile
    """What it was when the change was proposed."""


class ProposedGrant(TypedDict):
    """A grant that is proposed, and what was granted lately."""
    grant: DetokenizeGrant
    """What is asked for."""
    thisMonth: list[DetokenizeGrant]
    """What else was granted with this token profile since the month began, in UTC: the newest first, 100 at most."""
    tokensDigest: NotRequired[Base64 | None]
    """SHA-256 over the keyed hashes of the tokens that it lists."""


class ProposedIssuerApproval(TypedDict):
    """What an authority shall demand."""
    after: ApprovalRules
    """What it demands after."""
    before: ApprovalRules
    """What it demanded when the change was proposed."""


class ProposedPolicy(TypedDict):
    """A policy that is proposed."""
    after: SigningPolicy
    """What it is after."""
    before: NotRequired[SigningPolicy | None]
    """What it was when the change was proposed; absent where the policy is new."""


class Provenance(TypedDict):
    """Where the files of a request were built. One of the policy's issuers signed it; texts are as it wrote them."""
    buildType: str
    """How it was built."""
    builderId: str
    """What built it."""
    envelopeSha256: str
    """SHA-256 of the envelope, in hexadecimal digits."""
    finishedOn: NotRequired[str | None]
    """When it ended, as written there."""
    invocationId: NotRequired[str | None]
    """This build among those of the builder."""
    issuer: str
    """Which issuer, by its name in the policy at that time."""
    issuerKeySha256: str
    """SHA-256 of the issuer's public key (SubjectPublicKeyInfo in DER), in hexadecimal digits."""
    predicateType: str
    """`https://slsa.dev/provenance/v1` or `https://slsa.dev/provenance/v0.2`."""
    sources: list[ProvenanceSource]
    """What it was built from: the first 20."""
    sourcesTotal: int
    """How many sources there are."""
    startedOn: NotRequired[str | None]
    """When the build began, as written there."""


class ProvenanceIssuer(TypedDict):
    """Who says where files were built."""
    builderIds: NotRequired[list[str]]
    """The builders whose builds count, each as `builder.id` of the provenance says it; none here: every one that it
    signs for. At most 16.
    """
    name: str
    """What approvers know it by, unique among those of the policy; 1 to 255 characters."""
    publicKey: str
    """Its public key in PEM (`-----BEGIN PUBLIC KEY-----`): Ed25519, ECDSA or RSA."""


class ProvenanceSource(TypedDict):
    """What something was built from, such as a repository at a commit."""
    digest: dict[str, str]
    """Its digests in hexadecimal digits, by names such as `gitCommit` and `sha256`."""
    name: NotRequired[str | None]
    """What it is called."""
    uri: NotRequired[str | None]
    """Its address."""


class Readiness(TypedDict):
    """Answer of GET /readyz."""
    demo: bool
    """Whether this is a demonstration: one file holds both halves of dual control."""
    refusedRows: NotRequired[int]
    """Rows of the database that carry authority and are not what Chancery wrote, as far as this node has met them. They
    are refused, and the rest goes on; the log and the audit name them. Absent where there are none.
    """
    status: HealthStatus
    """`ok`; what is not ready answers 503."""
    unreadable: NotRequired[int]
    """Objects that cannot be read from the storage, if there are any: calls to each are Unavailable."""


RecoveredBy: TypeAlias = Literal["Two", "One", "Host"]
"""Who answered for a recovery on the host, besides whoever has a shell there."""


class Recovery(TypedDict):
    """A recovery on the host (`chancery recover`)."""
    by: RecoveredBy
    """Who answered for it."""
    identities: list[IdentityIdObjInfo]
    """Those people."""
    reason: NotRequired[str | None]
    """Why fewer than two did."""
    recoveredAt: str
    """When it was (RFC 3339, UTC)."""


class RegistrationCredential(TypedDict):
    """`RegistrationResponseJSON` of Web Authentication Level 3."""
    id: str
    """By which the authenticator knows it, in base64url."""
    response: AttestationResponse
    """What it answered."""


class RekeyCertificate(TypedDict):
    """What shall be different about a certificate with a new key."""
    certParams: NotRequired[RenewParams | None]
    """`validityPeriod` and `hashAlgorithm`, by default the profile's; the names stay."""
    certProfileUuid: NotRequired[CertProfileId | None]
    """The certificate profile, for a certificate that was made elsewhere; others keep theirs."""
    csr: NotRequired[str | None]
    """A PKCS#10 request with the new key, where it is made elsewhere: PEM, or its DER in base64. Nothing else is taken
    from it.
    """
    issuerUuid: NotRequired[CertificateId | None]
    """The authority that shall issue; by default the one that did."""
    newKey: NotRequired[NewKey | None]
    """The new key; by default of the old one's type, and kept if that was."""


class RelyingPartyEntity(TypedDict):
    """The site that a passkey is for."""
    id: str
    """The host."""
    name: str
    """What people read."""


class RenewCertificate(TypedDict):
    """What shall be different about a renewed certificate: as a rule nothing but its validity."""
    certParams: NotRequired[RenewParams | None]
    """`validityPeriod` and `hashAlgorithm`, by default the profile's; the names stay."""
    certProfileUuid: NotRequired[CertProfileId | None]
    """The certificate profile, for a certificate that was made elsewhere; others keep theirs."""
    issuerUuid: NotRequired[CertificateId | None]
    """The authority that shall issue; by default the one that did."""


class RenewParams(TypedDict):
    """What may be different about a certificate that takes the place of another."""
    hashAlgorithm: NotRequired[HashType | None]
    """The hash under its signature."""
    validityPeriod: NotRequired[ValidityPeriod | None]
    """How long it is valid; by default as the profile says."""


class RenewService(TypedDict):
    """Body of POST /api/v2/x509/services/{serviceUuid}/renew; every member is optional."""
    issuerUuid: NotRequired[CertificateId | None]
    """The certificate authority that issues it; by default the one that issued the present one."""
    subjectOneline: NotRequired[str | None]
    """Its subject; by default that of the present one."""
    validityPeriod: NotRequired[ValidityPeriod | None]
    """How long it is valid; by default as the certificate profile says."""


class RenewedService(TypedDict):
    """Answer to a renewal."""
    certificateUuid: NotRequired[CertificateId | None]
    """Its new signing certificate; absent where that waits for approvals."""
    pendingCertificate: NotRequired[Proposed | None]
    """The proposal of its certificate, where the issuer demands approvals; until it has them, the service signs with the
    one that it has.
    """
    previousCertificateUuid: NotRequired[CertificateId | None]
    """The one that it had, which is not revoked; absent where it had none."""
    serviceUuid: ServiceId
    """The service, which stays the same."""
    warnings: NotRequired[list[str]]
    """What somebody should know about it, in sentences."""


class RequestCertificate(TypedDict):
    """What certificate is asked for with a PKCS#10 request."""
    certParams: NotRequired[CertParams | None]
    """What the certificate says besides; `subjectAltNames` take the place of the request's."""
    certProfileUuid: CertProfileId
    """The certificate profile."""
    csr: str
    """The request: PEM, or its DER in base64."""
    saveCert: NotRequired[bool | None]
    """Whether the certificate is kept; by default it is."""
    serviceOrIssuerUuid: NotRequired[ObjectId | None]
    """The authority that shall issue: its certificate, or a signing service for the one that issued its certificate. This
    or `serviceUuid` is needed.
    """
    serviceUuid: NotRequired[ObjectId | None]
    """Another name of `serviceOrIssuerUuid`."""
    subjectOneline: NotRequired[str | None]
    """The subject; by default the request's."""


RequestDecision: TypeAlias = Literal["Approve", "Deny", "Withdraw"]
"""What somebody did to a signing request."""


class RequestGrant(TypedDict):
    """Body of POST /api/v2/token-profiles/{uuid}/grants."""
    lifetime: ValidityPeriod
    """For how long, from the last approval on; at most 7 days."""
    maxValues: int
    """How many values may be sent, at most 1,000,000. Each that is sent counts, also the same one again."""
    note: NotRequired[str | None]
    """What else to tell the approvers; at most 4 KiB."""
    reason: str
    """Why; 1 to 255 characters, which approvers see first."""
    roleUuid: NotRequired[RoleId | None]
    """The role whose Control Rule demands the approvals, where several of the caller's do."""
    ticket: NotRequired[str | None]
    """What it is about in another system; 1 to 255 characters."""
    tokens: NotRequired[list[str] | None]
    """The tokens, at most 10,000; absent: any token of the profile."""


class RequestOptions(TypedDict):
    """`PublicKeyCredentialRequestOptionsJSON` of Web Authentication Level 3."""
    allowCredentials: list[CredentialDescriptor]
    """The passkeys of the person that were confirmed; none where anybody is about to log in."""
    challenge: str
    """What is signed, in base64url."""
    rpId: str
    """The host."""
    timeout: int
    """Milliseconds."""
    userVerification: str
    """`required`: a PIN, a finger or a face."""


RevealFrom: TypeAlias = Literal["Start", "End"]
"""The end of a value that a partial rule reveals."""


class RevocationList(TypedDict):
    """A revocation list of an authority of client certificates."""
    issuer: str
    """Who issued it."""
    nextUpdate: str
    """Until when it counts (RFC 3339, UTC): from then on certificates that only it covers are refused."""
    revoked: int
    """How many certificates it revokes."""
    thisUpdate: str
    """When it was issued (RFC 3339, UTC)."""


RevocationReason: TypeAlias = Literal["unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded", "cessationOfOperation", "certificateHold", "privilegeWithdrawn", "aACompromise"]
"""Why a certificate was revoked (RFC 5280, 5.3.1; `removeFromCRL` is said by releasing a hold)."""


class RevokeCertificate(TypedDict):
    """Why a certificate is to be revoked."""
    reason: RevocationReason
    """The reason, as RFC 5280 spells it."""


class RewrapRequest(TypedDict):
    """Tokens that shall become tokens of the newest key version."""
    ivs: NotRequired[list[Base64] | None]
    """The initialization vectors that came with them, in the same order, where the profile uses them."""
    keyVersion: NotRequired[int | None]
    """The version of the key that made the tokens, where they do not tell and the profile reads several."""
    partial: NotRequired[bool | None]
    """Whether bad values leave a `null` instead of failing the call."""
    tokens: list[str]
    """The tokens."""


class RewrapResponse(TypedDict):
    """`api.v2.dp.RewrapResponse`."""
    errors: NotRequired[list[ItemError]]
    """With `partial`: what was wrong with the values that are `null`, the first hundred of them."""
    ivs: NotRequired[list[Base64 | None] | None]
    """The initialization vectors, in the same order, where the profile uses them: those that were given."""
    keyVersion: int
    """The version of the key that all tokens are of now; those of a shared vault may be of a newer one."""
    tokens: list[str | None]
    """The new tokens, in the order of the old ones; one that was of the newest version already is the same."""


class Role(TypedDict):
    """A role."""
    loginsRequired: int
    """How many different holders must log in within one session."""
    management: bool
    """Whether its holders may administer."""
    objInfo: RoleIdObjInfo
    """Name and id."""
    perms: list[Perm]
    """What the role permits."""
    secondFactor: SecondFactor
    """What each holder must log in with besides a password, for the role to count."""
    system: bool
    """Whether it is built in, and so cannot be changed."""


class RoleCreated(TypedDict):
    """Answer of POST /api/v2/roles."""
    uuid: RoleId
    """The new role."""


RoleId: TypeAlias = "str"


class RoleStub(TypedDict):
    """A role in a list."""
    loginsRequired: int
    """How many different holders must log in within one session."""
    objInfo: RoleIdObjInfo
    """Name and id."""
    system: bool
    """Whether it is built in."""


class RotateApiKey(TypedDict):
    """How a key's secret is replaced."""
    overlapSeconds: NotRequired[int | None]
    """For how many seconds the secret of before goes on beside the new one: 0 to 2,592,000 (30 days); a day where this is
    absent. One that was still going on from an earlier rotation ends at once.
    """


SearchJournal = TypedDict("SearchJournal", {
    "after": NotRequired["str | None"],
    "from": NotRequired["str | None"],
    "pageSize": NotRequired["int | None"],
    "to": NotRequired["str | None"],
    "token": "str",
    "tokenProfileUuid": "TokenProfileId",
})
"""Who had this token? What is absent filters nothing."""


class SearchedJournal(TypedDict):
    """A journal, and what became of it in a search."""
    beganAt: str
    """When it began (RFC 3339)."""
    faults: NotRequired[list[str]]
    """The places at which it is not as it was written."""
    host: str
    """The host of its server."""
    records: NotRequired[int | None]
    """Records that this answer looked through."""
    removedBefore: NotRequired[str | None]
    """Calls before this moment were removed because their time was over (RFC 3339)."""
    standing: JournalStanding
    """What became of it."""
    uuid: ObjectId
    """Its id, by which audit records and checkpoints of the ledger name it too."""
    writtenAt: str
    """When the database last heard how far it goes (RFC 3339)."""


SecondFactor: TypeAlias = Literal["None", "Totp", "WebAuthn"]
"""What a role demands of its holders besides a password."""


SecretText: TypeAlias = "str"
"""a secret: it is never answered"""


SelfApproval: TypeAlias = Literal["DualControl", "Never"]
"""Whether a submitter may approve the own request."""


class Service(TypedDict):
    """A service in full."""
    certificate: NotRequired[CertificateStub | None]
    """Its certificate; absent where it was deployed without one."""
    certificateUuid: NotRequired[CertificateId | None]
    """Its certificate's id; absent where it was deployed without one."""
    objInfo: ServiceIdObjInfo
    """Its name and id."""
    signingFormat: NotRequired[SigningFormat | None]
    """The form of its signatures; absent for a time-stamping authority."""
    signingPolicies: list[SigningPolicy]
    """Its signing policies, by name; none for a time-stamping authority."""
    template: str
    """The template it was deployed from."""


ServiceId: TypeAlias = "str"


class ServiceStub(TypedDict):
    """A service in a list."""
    certificateUuid: NotRequired[CertificateId | None]
    """Its signing certificate; absent where it was deployed without one."""
    objInfo: ServiceIdObjInfo
    """Its name and id."""
    signingFormat: NotRequired[SigningFormat | None]
    """The form of its signatures; absent for a time-stamping authority."""
    template: str
    """The template it was deployed from."""


class SessionAnswer(TypedDict):
    """Answer of GET /home/v1/login."""
    message: str
    """`Success`, also where nobody is logged in."""
    response: SessionState
    """Where the session stands."""


class SessionState(TypedDict):
    """Where a session stands, and whose it is."""
    fullyLoggedIn: bool
    """Whether as many different identities as a shared role demands have logged in."""
    hardened: bool
    """Whether the installation is in hardened mode; false where nobody is logged in."""
    identities: list[IdentityIdObjInfo]
    """Who has logged in, in that order; empty where nobody has, or the session has ended."""
    management: bool
    """Whether the session may administer."""
    perms: list[Perm]
    """What the satisfied roles permit; empty until fully logged in."""


class SetMailbox(TypedDict):
    """Body of PUT /api/v2/identities/{uuid}/mailbox: where somebody wants to have what concerns them sent."""
    address: str
    """One address, such as `alice@example.org`. A new one counts once its code was entered."""
    enabled: NotRequired[bool | None]
    """Whether anything is sent; `true` where this is absent. What happens meanwhile is not told later."""
    kinds: NotRequired[list[NoticeKind]]
    """Which notices are sent, of those that concern the identity; all of them where this is empty or absent."""
    serviceUuids: NotRequired[list[ServiceId]]
    """Only notices about requests and proposals of these services; of all where this is empty or absent."""


class Settings(TypedDict):
    """The settings of the installation."""
    apiAccess: bool
    """Whether the interface answers more than logins, health, public PKI endpoints and these settings."""
    auditRetention: NotRequired[AuditRetention]
    """For how long audit records are at hand, and how long they are kept: for ever as long as it is empty."""
    demo: bool
    """Whether this is a demonstration: one file holds both halves of dual control."""
    freshFactorFor: NotRequired[list[FreshFactorFor]]
    """What takes a second factor of the last ten minutes of everybody in the session."""
    hardened: bool
    """Whether the installation is in hardened mode. Set in the server's configuration."""


class ShippingState(TypedDict):
    """How far a target has the audit records."""
    behind: int
    """How many records it is behind."""
    error: NotRequired[str | None]
    """Why it last failed."""
    failedAt: NotRequired[str | None]
    """When it last failed: RFC 3339, UTC."""
    failing: bool
    """Whether it fails, so that `AuditTargetFail` was recorded and told."""
    failures: int
    """Failures since it last took what it had refused; of one that is failing, since it began to."""
    nextSequence: int
    """The `sequence` of the record that it gets next: it has all before, from the first that it was to get."""
    shipped: int
    """How many it has taken, also those that it got twice."""
    shippedAt: NotRequired[str | None]
    """When it last took something: RFC 3339, UTC."""
    triedAgainAt: NotRequired[str | None]
    """When it is tried again, where it failed: RFC 3339, UTC."""


class SignedItem(TypedDict):
    """One item of a manifest, and what became of it."""
    change: NotRequired[ItemChange | None]
    """What it is beside the last manifest that was signed under the policy; only with `?include=changes`, and for whoever
    may approve.
    """
    digest: Base64
    """Its digest."""
    inclusionProof: NotRequired[InclusionProof | None]
    """The proof that its signature is in the transparency log; only with `?include=inclusionProof`, and null until a
    checkpoint covers it.
    """
    name: str
    """Its name."""
    signature: NotRequired[Base64 | None]
    """Its signature; null until it is signed."""
    state: SigningRequestState
    """Where it stands: as the request, but `Failed` where it alone could not be signed."""


class SigningCert(TypedDict):
    """A service's new signing certificate."""
    certParams: SigningCertParams
    """What it says besides."""
    issuerUuid: CertificateId
    """The certificate authority that issues it."""
    newKey: SigningKeyParams
    """Its key."""
    subjectOneline: str
    """Its subject, such as `CN=…,O=…,C=US` or `/C=US/O=…/CN=…`."""


class SigningCertParams(TypedDict):
    """What a service's certificate says besides its subject."""
    validityPeriod: ValidityPeriod
    """How long it is valid."""


SigningFormat: TypeAlias = Literal["Raw", "CMS", "Authenticode", "JavaJar", "Powershell", "Msi"]
"""The form of a signing request's result."""


class SigningKeyParams(TypedDict):
    """A service's new key."""
    keyTypeUuid: KeyTypeId
    """Its key type."""
    save: NotRequired[bool | None]
    """Whether it is kept, which is the default; a key that is not kept cannot sign, so `false` is refused."""


class SigningPolicy(TypedDict):
    """One signing policy."""
    hashAlgorithm: HashType
    """The hash of the signatures."""
    numApprovals: int
    """Approvals that a request needs; 0 means that requests are signed on submission."""
    objInfo: PolicyIdObjInfo
    """Its name and id."""
    pendingChange: NotRequired[Proposed | None]
    """In the answer to POST and PATCH: what waits for approvals. Until it has them there is no such policy, or it is
    as it was.
    """
    rsaPss: bool
    """Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5. SHAKE always signs with PSS."""
    rules: PolicyRules
    """What it demands besides."""
    selfApproval: SelfApproval
    """Whether whoever submitted a request may take part in approving it."""
    serviceUuid: ServiceId
    """The service it belongs to."""
    signingFormat: SigningFormat
    """The form of the signatures."""
    timeStamp: NotRequired[bool]
    """Whether signatures carry a time stamp."""


class SigningRequest(TypedDict):
    """One signing request in full."""
    approvalDigest: Base64
    """What people approve: `digest`, where nothing else is signed that the payload does not say. With `pageHashes` that
    came with a digest, `programName` or `programUrl` it covers these too: SHA-256 of the line `chancery approval 1`,
    then of lines as those of a manifest, with the names `digest`, `pageHashes`, `programName` and `programUrl` and
    (but for the first) SHA-256 of each.
    """
    approvalState: ApprovalState
    """What the approvers have said."""
    approvals: list[Approval]
    """What people have decided, oldest first."""
    approvalsRequired: int
    """How many approvals it takes."""
    contents: NotRequired[UploadContents | None]
    """What is in the payload; only with `?include=contents`, and where it was uploaded."""
    decidedAt: NotRequired[str | None]
    """When it was signed, denied or failed (RFC 3339, UTC)."""
    digest: Base64
    """The payload's digest. Of a manifest, SHA-256 of its lines: each a digest in hexadecimal digits, two spaces, a name
    and a line feed, as `sha256sum` and its like print them.
    """
    expiresAt: NotRequired[str | None]
    """When it stops waiting for approvals (RFC 3339, UTC); absent where it waits for ever."""
    hashAlgorithm: HashType
    """The hash that `digest` was made with."""
    inclusionProof: NotRequired[InclusionProof | None]
    """The proof that the signature is in the transparency log; null until a checkpoint covers it, within a second."""
    manifest: NotRequired[ManifestSummary | None]
    """How far the items of a manifest are; their signatures are under `…/items`."""
    manifestChanges: NotRequired[ManifestChanges | None]
    """What is new in a manifest; only with `?include=contents`, and for whoever may approve."""
    mayApprove: NotRequired[bool]
    """Whether it waits, and the rules take an approval of the session that asks."""
    metadata: NotRequired[dict[str, str] | None]
    """Names and values that the submitter gave it: nothing that anybody checked."""
    name: str
    """Its name."""
    nextRoleUuids: NotRequired[list[RoleId] | None]
    """Of which roles the next approval has to come; absent where any approver will do."""
    note: NotRequired[str | None]
    """What the submitter said about it: nothing that anybody checked."""
    objInfo: SigningRequestIdObjInfo
    """Its name and id."""
    pageHashes: NotRequired[Base64 | None]
    """The hashes of the program's pages, where they are signed too."""
    policyUuid: PolicyId
    """The policy it is under."""
    preApprovalUuid: NotRequired[ProposalId | None]
    """The pre-approval that stood in for its approvals."""
    programName: NotRequired[str | None]
    """The program's name that is signed too."""
    programUrl: NotRequired[str | None]
    """The program's address that is signed too."""
    provenance: NotRequired[Provenance | None]
    """Where it was built, as its provenance says: the server verified that one of the policy's issuers signed that, and
    that it is of what is to be signed.
    """
    provenanceEnvelope: NotRequired[Base64 | None]
    """The envelope of the provenance; only with `?include=provenance`."""
    reason: NotRequired[str | None]
    """Why it failed; only in the state `Failed`, which is also that of a request whose time to wait is over."""
    repeatsUuid: NotRequired[SigningRequestId | None]
    """The failed request that it repeats."""
    serviceUuid: ServiceId
    """The service whose key signs."""
    signature: Base64
    """The signature; empty until it is signed."""
    signingFormat: SigningFormat
    """The form of the signature."""
    signingPolicyUuid: PolicyId
    """The same as `policyUuid`."""
    state: SigningRequestState
    """Where it stands."""
    submittedAt: str
    """When it was submitted (RFC 3339, UTC)."""
    submittedBy: list[IdentityIdObjInfo]
    """All identities of the session that submitted it."""
    uploadData: NotRequired[Base64 | None]
    """The payload; only with `?include=uploadData`, and where it was uploaded."""
    uploadSize: NotRequired[int | None]
    """How many bytes were uploaded; absent where digests alone were submitted, so that nobody here has seen the content."""
    uuid: SigningRequestId
    """Its id."""


SigningRequestId: TypeAlias = "str"


SigningRequestState: TypeAlias = Literal["None", "Approval", "Signed", "Failed", "Denied"]
"""Where a signing request stands."""


class SigningRequestStub(TypedDict):
    """What a list says of a signing request."""
    approvalDigest: Base64
    """What an approval is of: see there in the detail."""
    approvalState: ApprovalState
    """What the approvers have said."""
    metadata: NotRequired[dict[str, str] | None]
    """Names and values that the submitter gave it: nothing that anybody checked."""
    name: str
    """Its name."""
    note: NotRequired[str | None]
    """What the submitter said about it: nothing that anybody checked."""
    objInfo: SigningRequestIdObjInfo
    """Its name and id."""
    policyUuid: PolicyId
    """The policy it is under."""
    preApprovalUuid: NotRequired[ProposalId | None]
    """The pre-approval in the place of its approvals."""
    serviceUuid: ServiceId
    """The service whose key signs."""
    state: SigningRequestState
    """Where it stands."""
    submittedAt: str
    """When it was submitted (RFC 3339, UTC)."""
    uuid: SigningRequestId
    """Its id."""


class StampsUnder(TypedDict):
    """What a time-stamping authority stamps under."""
    default: bool
    """Whether it is the one that `/tsa` stands for."""
    policyOid: str
    """The policy that its stamps name."""


class Statement(TypedDict):
    """One decision over many signing requests of one policy."""
    digest: Base64
    """SHA-256 of its text."""
    rows: int
    """How many requests it is over."""


class SubjectRules(TypedDict):
    """What subjects may be. Attributes are named as in a subject: `CN`, `O`, `OU`, `C` …"""
    allowed: NotRequired[list[str] | None]
    """The attributes that may occur; `null`: any."""
    required: NotRequired[list[str]]
    """The attributes that must occur."""
    values: NotRequired[dict[str, list[str]]]
    """For an attribute, the only values that it may have, letter for letter."""


class SubmitRequest(TypedDict):
    """Body of a submission: either the payload, or its digest."""
    digest: NotRequired[Base64 | None]
    """In the place of `uploadData`: the payload's digest under the policy's hash, for formats that embed the image's
    digest. The payload then never travels.
    """
    existingSignature: NotRequired[ExistingSignature | None]
    """What becomes of the signature that the uploaded file has already; by default it is replaced. For formats that
    embed only.
    """
    items: NotRequired[list[ManifestItem] | None]
    """In the place of both: a manifest, 1 to 10,000 named digests that are approved together and signed each by
    itself.
    """
    metadata: NotRequired[dict[str, str] | None]
    """Names and values, such as a commit and a build, shown likewise; at most 64, and 4 KiB as JSON."""
    name: str
    """What approvers will see; 1 to 255 characters."""
    note: NotRequired[str | None]
    """What approvers shall know about it, shown as the submitter's claim; at most 4 KiB, without control characters (but
    tabs and line feeds) and those that turn the direction of a text or have no width.
    """
    pageHashes: NotRequired[Base64 | None]
    """The same for a `digest`: the hashes themselves, for each page its place in the file (4 bytes, the least significant
    first) and its SHA-256, and at the end the place behind the last page with 32 zeros.
    """
    policyUuid: PolicyId
    """One of that service's policies."""
    programName: NotRequired[str | None]
    """The program's name, which Windows shows when it asks whether to run it; 1 to 255 characters. It is signed; for
    `Authenticode`, `Msi` and `Powershell` only. No pre-approval applies to a request with it.
    """
    programUrl: NotRequired[str | None]
    """Where there is more about the program: an address with `http://` or `https://`, at most 2,048 characters. As for
    `programName`.
    """
    provenance: NotRequired[Base64 | None]
    """Where the file comes from, under the signature of one of the policy's `provenanceIssuers`: SLSA provenance (v1 or
    v0.2) in an in-toto statement in a DSSE envelope, at most 1 MiB. The file, or each of a manifest, is among its
    subjects: by SHA-256 of an upload; by a digest itself, which is that of the file for `Raw` and `Cms` alone.
    """
    serviceUuid: ServiceId
    """The service whose key shall sign."""
    uploadData: NotRequired[Base64 | None]
    """The payload; empty is a payload too."""
    withPageHashes: NotRequired[bool]
    """Whether the signature shall cover the hashes of the uploaded program's pages besides its digest (`Authenticode`)."""


class Submitted(TypedDict):
    """Answer to a submission."""
    uuid: SigningRequestId
    """The new request."""
    warnings: NotRequired[list[str]]
    """What somebody should know about it, in sentences."""


SyslogBody: TypeAlias = Literal["Json", "Cef"]
"""What stands in a syslog message."""


class SyslogReceiver(TypedDict):
    """A receiver of syslog messages (RFC 5424) over TLS (RFC 5425), or by RELP over TLS."""
    body: NotRequired[SyslogBody]
    """What stands in the message: `Json` where this is absent."""
    host: str
    """Its name or address, which its certificate has to be for. Addresses that are not public are refused unless the
    server's start options list their network.
    """
    port: NotRequired[int]
    """Its TCP port."""
    transport: NotRequired[SyslogTransport]
    """By which protocol: `Tls` where this is absent. `Relp` where the receiver has it."""


SyslogTransport: TypeAlias = Literal["Tls", "Relp"]
"""By which protocol a receiver takes syslog messages."""


class TemplateNames(TypedDict):
    """The names of the built-in templates."""
    names: list[str]
    """The names, in the order in which they are best read."""


class TimeStamping(TypedDict):
    """What a time-stamping authority is made of."""
    default: NotRequired[bool | None]
    """Whether it is the one that `/tsa` stands for from now on. The first that is deployed is so in any case."""
    newCert: SigningCert
    """Its certificate, which is made in this call under the profile Time Stamping; the key is RSA or EC."""
    policyOid: NotRequired[str | None]
    """The policy that its stamps name, as a dotted OID whose arcs are below 2^28; by default Chancery's own."""


TokenAlgorithm: TypeAlias = Literal["Ff1", "Random", "AesSiv", "AesGcm", "Hmac"]
"""How a token profile turns messages into tokens."""


class TokenAnswer(TypedDict):
    """Answer of GET /home/v1/login/token."""
    message: str
    """`Success`."""
    status: HomeStatus
    """`Success`."""
    token: str
    """The bearer token: a JWT."""


class TokenBudgets(TypedDict):
    """What of the budgets of a profile's rules is used now."""
    budgets: list[BudgetUse]
    """The windows that are open now: one for each budget, or with `each` one for each identity that has used some of it,
    1,000 at most, those that used most.
    """


class TokenExchanged(TypedDict):
    """Answer of POST /home/v1/login/exchange. There is no cookie, so nothing prolongs it."""
    expiresIn: int
    """For how many seconds it is good."""
    message: str
    """`Success`."""
    response: LoginState
    """Where the session stands."""
    status: HomeStatus
    """`Success`."""
    token: str
    """The bearer token: a JWT."""


class TokenFormat(TypedDict):
    """The format of messages and tokens. All lengths count symbols of the
    alphabet, or characters (Unicode scalar values) where there is none.
    """
    alphabet: NotRequired[str | None]
    """`Decimal`, `LowerHex`, `UpperHex`, `LowerAlpha`, `UpperAlpha`, `Alphabetic`, `AlphaNumeric`, `Printable`, or
    the symbols themselves: 2 to 65,536 different characters. `null` for AesSiv, AesGcm and Hmac, which take any text,
    and with a pattern.
    """
    keepLeading: NotRequired[int]
    """So many symbols at the start stay in clear."""
    keepTrailing: NotRequired[int]
    """So many symbols at the end stay in clear."""
    luhn: NotRequired[Luhn]
    """What messages and tokens have to do with the Luhn check digit."""
    maxLength: int
    """The longest message."""
    minLength: int
    """The shortest message."""
    passThrough: NotRequired[str]
    """Characters outside the alphabet that may stand anywhere and stay where they are."""
    pattern: NotRequired[str | None]
    """The pattern of structured values: literals, `{group}` encrypted, `[group]` kept, `<iban>` check digits. Alphabet and
    lengths follow from it.
    """
    tokenLength: NotRequired[int | None]
    """The length of every token, whatever its message's."""
    versionPrefix: NotRequired[int | None]
    """So many symbols in front of each Ff1 token say the key version."""


class TokenProfile(TypedDict):
    """A token profile, as it is read; the same text may be written back."""
    algorithm: TokenAlgorithm
    """How messages become tokens."""
    controlRules: list[ControlRule]
    """Which roles may do what."""
    deterministic: NotRequired[bool | None]
    """For Random: whether the same message always has the same token."""
    durability: NotRequired[Durability | None]
    """What calls wait for before they are answered; absent is `Written`."""
    format: TokenFormat
    """The format rules."""
    keyUuid: KeyId
    """The backing key."""
    keyVersion: int
    """The version of the key that makes tokens."""
    minDecryptVersion: int
    """The oldest version of the key whose tokens are read."""
    objInfo: TokenProfileIdObjInfo
    """Name and id."""
    security: TokenSecurity
    """What the service thinks of the profile's safety."""
    timeToLive: NotRequired[ValidityPeriod | None]
    """For Random: how long a token can be read; absent is for ever."""
    tweakDomain: NotRequired[TokenProfileId | None]
    """Another profile whose tokens this one shares on purpose; `null` is the profile's own id."""
    useIv: bool
    """Whether each tokenization draws a random `iv`."""
    warnings: NotRequired[list[str]]
    """Only in the answer to what makes or changes it: what that means for tokens that are there and for those who read
    them, and the members of the body that are not known.
    """


TokenProfileId: TypeAlias = "str"


class TokenProfileStub(TypedDict):
    """One line of the list of token profiles."""
    algorithm: TokenAlgorithm
    """How messages become tokens."""
    alphabet: NotRequired[str | None]
    """As in `TokenFormat::alphabet`."""
    keyVersion: int
    """The version of the key that makes tokens."""
    minDecryptVersion: int
    """The oldest version whose tokens are read: where it is another than `keyVersion` and tokens do not tell theirs,
    calls that read tokens name it.
    """
    objInfo: TokenProfileIdObjInfo
    """Name and id."""
    system: bool
    """Whether the profile is built in."""
    useIv: bool
    """Whether each tokenization draws a random `iv`."""


class TokenProfileTemplate(TypedDict):
    """A template: what to send to create a profile, but for the key and the rules."""
    algorithm: TokenAlgorithm
    """How messages become tokens."""
    description: str
    """What it is for, in one sentence."""
    format: TokenFormat
    """The format rules."""
    objInfo: NameOnly
    """The template's name."""
    security: TokenSecurity
    """What the service thinks of the template's safety."""
    useIv: bool
    """Whether each tokenization draws a random `iv`."""


class TokenRecord(TypedDict):
    """What is kept beside a message."""
    createdAt: str
    """When the token was made: RFC 3339, UTC."""
    expiresAt: NotRequired[str | None]
    """From when on there is no such token; `null`: never."""
    keyVersion: int
    """The version of the key that seals the message."""
    metadata: NotRequired[dict[str, Any] | None]
    """What tokenize was given; `null`: nothing."""


class TokenRequest(TypedDict):
    """A token of a Random profile."""
    token: str
    """The token."""


class TokenSecurity(TypedDict):
    """What the service thinks of a profile's safety."""
    domainSize: NotRequired[str | None]
    """How many values the encrypted part of the shortest message can have: a decimal number; `null` for any text."""
    notes: list[str]
    """What to know before relying on the tokens; one sentence each."""


class TokenizationResponse(TypedDict):
    """`api.v2.dp.TokenizationResponse`."""
    iv: NotRequired[Base64 | None]
    """The initialization vector, where the profile uses one: detokenize needs it."""
    keyVersion: NotRequired[int | None]
    """The version of the key, where the profile reads several: detokenize needs it unless the token tells it."""
    token: str
    """The token."""


class TokenizeRequest(TypedDict):
    """A message to tokenize."""
    expiresAt: NotRequired[str | None]
    """For Random: from when on there shall be no such token, in RFC 3339; not later than the profile's `timeToLive`."""
    keyVersion: NotRequired[int | None]
    """The version of the key, which can only be the one that makes tokens."""
    message: str
    """The message."""
    metadata: NotRequired[dict[str, Any] | None]
    """For Random: what to keep with a new token, at most 4 KiB of JSON; sealed like the message."""


class TokenizedRequest(TypedDict):
    """A message that may have a token."""
    message: str
    """The message."""


class TokenizedResponse(TypedDict):
    """Whether a message has a token."""
    tokenized: bool
    """Whether it has one that has not expired."""


class TotpCredentials(TypedDict):
    """Body of the calls under /home/v1/login/totp: everything that proves who makes them."""
    passkey: NotRequired[PasskeyProof | None]
    """What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey. Where it is, it has to be
    right; it takes the place of a code of the present secret. Whoever has a confirmed passkey shows one of the two.
    """
    password: Base64
    """The password."""
    totp: NotRequired[str | None]
    """A one-time code of six digits: of the present secret, where one is active; of the new one to confirm that, always."""
    username: str
    """The identity's name, in any letter case."""


class TotpSecret(TypedDict):
    """Answer of POST /home/v1/login/totp. The secret is shown this once."""
    expiresAt: str
    """Until when one of its codes has to confirm it (RFC 3339, UTC)."""
    message: str
    """`Success`."""
    qrCode: NotRequired[list[str]]
    """That URI as a QR code (ISO/IEC 18004), for authenticators that scan it: a string for each row of it, `1` where it is
    dark and `0` where it is light. Around it belongs a margin of four light ones. None of a name that is too long for it.
    """
    secret: str
    """The secret in base32 (RFC 4648, section 6), for authenticators that it is typed into: HMAC-SHA-1, six digits, 30
    seconds.
    """
    status: HomeStatus
    """`Success`."""
    uri: str
    """The same as an `otpauth://totp/` URI, for authenticators that open it."""


class TotpState(TypedDict):
    """A second factor that is active: one-time codes (RFC 6238)."""
    confirmedAt: str
    """Since when codes are demanded (RFC 3339, UTC)."""


class TrackDetokenizationResponse(TypedDict):
    """`api.v2.dp.TrackDetokenizationResponse`."""
    track: str
    """The original track data."""


class TrackDetokenizeRequest(TypedDict):
    """Tokenized track data to turn back."""
    grantUuid: NotRequired[ProposalId | None]
    """The grant under which all of it is shown, where a Control Rule demands approvals for that."""
    iv: NotRequired[Base64 | None]
    """The initialization vector that came with it, where the profile uses one."""
    keyVersion: NotRequired[int | None]
    """The version of the key that made the token, where it does not tell and the profile reads several."""
    track: str
    """The tokenized track data."""


class TrackTokenizationResponse(TypedDict):
    """`api.v2.dp.TrackTokenizationResponse`."""
    iv: NotRequired[Base64 | None]
    """The initialization vector, where the profile uses one."""
    keyVersion: NotRequired[int | None]
    """The version of the key, where the profile reads several: detokenize needs it unless the token tells it."""
    track: str
    """The track data with the token in the place of the account number."""


class TrackTokenizeRequest(TypedDict):
    """Payment card track data to tokenize."""
    keyVersion: NotRequired[int | None]
    """The version of the key, which can only be the one that makes tokens."""
    track: str
    """Track 1, track 2 or both (ISO/IEC 7813)."""


class UncertainAccess(TypedDict):
    """A role, an identity or a token profile that may have been another one than the report says."""
    object: NotRequired[ObjectIdObjInfo | None]
    """Which one; its name is empty where no record has it. Absent where it is not known which one."""
    why: str
    """Why it is not certain, in words."""


class UndeliveredNotice(TypedDict):
    """A notice that a target has not taken yet."""
    attempts: int
    """How often it was tried."""
    error: NotRequired[str | None]
    """Why it failed the last time."""
    identity: NotRequired[IdentityIdObjInfo | None]
    """Whose own mailbox it goes to, where it goes to one."""
    notice: Notice
    """The notice."""
    targetUuid: NoticeTargetId
    """To which target it goes; where it goes to somebody's own mailbox, the identity's id."""
    triedAgainAt: str
    """When it is tried next at the earliest: RFC 3339, UTC."""


class UploadContents(TypedDict):
    """What the server found in an uploaded file: computed from the bytes that will be signed. The texts are as whoever made
    the file wrote them, and nobody has verified the signatures; texts end after 256 characters.
    """
    entries: list[ContentEntry]
    """Of an archive: the first 300 entries."""
    entriesTotal: NotRequired[int | None]
    """Of an archive its entries, of an installer its streams."""
    isCut: bool
    """Whether there is more in `properties`, or more of a text, than is here."""
    kind: NotRequired[ContentKind | None]
    """What it is, as far as the policy's format tells; absent for `CMS` and `Raw`, whose files may be anything, and with
    which only `sha256` is known.
    """
    lines: NotRequired[int | None]
    """Of a script: its lines, without a signature that is there."""
    machine: NotRequired[str | None]
    """Of a program: for which machine, such as `x86-64` or `Arm64`, or its number, such as `0x0200`."""
    properties: list[ContentProperty]
    """What it says of itself, the first 64: of a program's version resource, an installer's Property table and summary,
    an archive's manifest. A name comes twice where there are two values, such as in two languages.
    """
    sha256: Base64
    """SHA-256 of the file, as `sha256sum` computes it, whatever the policy's hash and format."""
    signatures: list[ContentSignature]
    """The first 16 of them."""
    signaturesTotal: int
    """How many signatures it has already."""


class UsedDigest(TypedDict):
    """A pre-approved digest that was submitted."""
    digest: Base64
    """The digest."""
    requestUuid: SigningRequestId
    """The request that it was signed for."""


class UserEntity(TypedDict):
    """Whose a passkey is."""
    displayName: str
    """The same."""
    id: str
    """The bytes of the identity's uuid, in base64url."""
    name: str
    """The identity's name."""


class ValidityPeriod(TypedDict):
    """How long something is valid."""
    amount: str
    """A positive whole number, as text."""
    unit: ValidityUnit
    """The unit. Months and years are the calendar's."""


ValidityUnit: TypeAlias = Literal["Millisecond", "Second", "Minute", "Hour", "Day", "Week", "Month", "Year"]
"""Unit of a validity period."""


class Webhook(TypedDict):
    """A webhook: a server elsewhere that takes notices by POST."""
    shape: WebhookShape
    """In which form it gets notices."""
    url: str
    """Where it is: `https://…`. Addresses that are not public are refused unless the server's start options list their
    network; redirects are not followed.
    """


WebhookShape: TypeAlias = Literal["Chancery", "Slack", "Teams"]
"""In which form a webhook gets notices."""


class WhoAmI(TypedDict):
    """Who makes the call, by what right, and for how long."""
    identities: list[Myself]
    """In whose name it acts, in the order of the logins."""
    management: bool
    """Whether the session may administer."""
    perms: list[Perm]
    """What the roles that count permit together, beside Control Rules."""
    sessionEndsAt: NotRequired[str | None]
    """When the session ends however much it is used (RFC 3339); absent where there is none."""
    sessionUuid: NotRequired[ObjectId | None]
    """The session, as audit records name it, not its cookie; absent where an API key was shown with the call itself."""
    tokenExpiresAt: NotRequired[str | None]
    """When the bearer token that was shown expires (RFC 3339); absent where it was the session's cookie or an API key."""
    unusedEndsAt: NotRequired[str | None]
    """When the session ends if it is not used (RFC 3339); absent where there is none."""


class WitnessedCheckpoint(TypedDict):
    """A checkpoint of the ledger that witnesses have cosigned."""
    checkpoint: str
    """The signed note with their cosignatures (c2sp.org/tlog-cosignature)."""
    number: int
    """Which one, from 0."""
    records: int
    """How many records it is over."""
    time: str
    """When it was made (RFC 3339)."""
    witnesses: list[str]
    """The names of the witnesses."""
