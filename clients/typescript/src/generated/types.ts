// Made from docs/openapi.json by `python3 clients/generate`; changes belong there.

/** An identity, and what it can do. */
export interface Access {
  /** Person or application. */
  kind: IdentityKind;
  /** Whether it is locked, and so can do nothing of this at the moment. */
  locked: boolean;
  /** Name and id. */
  objInfo: IdentityIdObjInfo;
  /** What it can do, at least one. */
  rights: HeldRight[];
}

/**
 * Body of POST /api/v2/reports/access/effect: one change that is not made yet, in the words of the call that makes it.
 * Either `tokenProfileUuid` and `controlRules`, or `roleUuid` and `perms`, or `identityUuid` and `roleUuids`, or
 * `policyUuid` and `policy`; or with `since` all changes that were made since a moment. Other members are refused.
 */
export interface AccessChange {
  /** With `tokenProfileUuid`: all of its rules, as PATCH /api/v2/token-profiles/{uuid}/permissions takes them. */
  controlRules?: ControlRule[] | null;
  /** The identity that would hold other roles. */
  identityUuid?: IdentityId | null;
  /** With `roleUuid`: all of its permissions, as PATCH /api/v2/roles/{uuid} takes them. */
  perms?: Perm[] | null;
  /** With `policyUuid`: what changes of it, as PATCH /api/v2/x509/signing-policies/{uuid} takes it. */
  policy?: ChangeSigningPolicy | null;
  /** The signing policy that would change. */
  policyUuid?: PolicyId | null;
  /** The role that would permit something else. */
  roleUuid?: RoleId | null;
  /** With `identityUuid`: all of its roles, as PATCH /api/v2/identities/{uuid} takes them. */
  roleUuids?: RoleId[] | null;
  /** Everything that has changed since this moment (RFC 3339), up to now and not before the first audit record. */
  since?: string | null;
  /** The token profile whose Control Rules would be replaced. */
  tokenProfileUuid?: TokenProfileId | null;
}

/**
 * Who could do by a change what they cannot do without it, and who could not any more: the difference of two reports of
 * access, by what is gained and lost instead of by identity.
 */
export interface AccessEffect {
  /** What somebody gains: by right, object, permission and mask; at most 1,000. */
  gains: ChangedRight[];
  /** How many more of both there are that are not listed. */
  leftOut?: number;
  /** What somebody loses; as `gains`. */
  loses: ChangedRight[];
  /** With `since`: what cannot be known of then; at most 100. */
  uncertain?: UncertainAccess[];
  /** How many more of these there are that are not listed. */
  uncertainLeftOut?: number;
}

/** Who can do what: `results`, of one page. */
export interface AccessReport {
  /** The moment that was asked for (RFC 3339, UTC): all of it is as it was then, also names. */
  asOf?: string | null;
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** Items a page. */
  pageSize: number;
  /** This page's identities, ordered by name, then uuid. */
  results: Access[];
  /** How many there are on all pages. */
  total: number;
  /** What cannot be known of then, on all pages; at most 100. */
  uncertain?: UncertainAccess[];
  /** How many more of these there are that are not listed. */
  uncertainLeftOut?: number;
}

/** What somebody can do, as the report of access sorts it. */
export type AccessRight = "Tokenize" | "Detokenize" | "Sign" | "Approve" | "Administer";

/** What was done or tried, as the audit records name it. */
export type Action = "Login" | "Logout" | "TokenMint" | "ApiCall" | "SettingsRead" | "SettingsChange" | "RoleCreate" | "RoleRead" | "RoleChange" | "RoleDelete" | "IdentityCreate" | "IdentityRead" | "IdentityChange" | "IdentityDelete" | "IdentityLock" | "IdentityUnlock" | "IdentityRecover" | "PasswordChange" | "TotpEnrol" | "TotpConfirm" | "TotpRemove" | "TotpReset" | "ApiKeyCreate" | "ApiKeyRead" | "ApiKeyChange" | "ApiKeyRotate" | "ApiKeyDelete" | "ApiKeyExpiry" | "IdentityProviderCreate" | "IdentityProviderRead" | "IdentityProviderChange" | "IdentityProviderDelete" | "IdentityBindingCreate" | "IdentityBindingRead" | "IdentityBindingDelete" | "PasskeyEnrol" | "PasskeyConfirm" | "PasskeyRead" | "PasskeyChange" | "PasskeyDelete" | "AuditRead" | "AuditExport" | "AccessRead" | "ServerStart" | "ServerStop" | "ClockJump" | "Backup" | "Provision" | "RowsAuthenticate" | "RowRefuse" | "KeyCreate" | "KeyRead" | "KeyChange" | "KeyRotate" | "KeyDisable" | "KeyEnable" | "TokenProfileCreate" | "TokenProfileRead" | "TokenProfileChange" | "TokenProfileDelete" | "TokenProfilePreview" | "ControlRulesChange" | "Tokenize" | "Detokenize" | "PartialDetokenize" | "BatchTokenize" | "BatchDetokenize" | "TrackTokenize" | "TrackDetokenize" | "Rewrap" | "TokenRead" | "TokenDelete" | "TokenizedRead" | "CertProfileCreate" | "CertProfileChange" | "CertProfileDelete" | "IssuerApprovalChange" | "CertificateGenerate" | "CertificateImport" | "AuthorityImport" | "CertificateRequest" | "CertificateRenew" | "CertificateRekey" | "CertificateRevoke" | "CertificateRelease" | "CertificateExpiry" | "CrlSign" | "ServiceDeploy" | "ServiceRenew" | "ServiceChange" | "SigningPolicyCreate" | "SigningPolicyRead" | "SigningPolicyChange" | "SigningRequestSubmit" | "SigningRequestRead" | "SigningRequestDownload" | "SigningRequestApprove" | "SigningRequestDeny" | "SigningRequestWithdraw" | "SigningRequestFail" | "ProposalSubmit" | "ProposalRead" | "ProposalApprove" | "ProposalDeny" | "ProposalWithdraw" | "ProposalRevoke" | "ProposalFail" | "SigningRequestExpire" | "ProposalExpire" | "NoticeTargetCreate" | "NoticeTargetRead" | "NoticeTargetChange" | "NoticeTargetDelete" | "NoticeTargetTest" | "MailboxSet" | "MailboxRead" | "MailboxConfirm" | "MailboxRemove" | "NoticeGiveUp" | "AuditTargetCreate" | "AuditTargetRead" | "AuditTargetChange" | "AuditTargetDelete" | "AuditTargetTest" | "AuditTargetFail" | "AuditTargetResume" | "JournalSearch" | "JournalMiss" | "JournalFail" | "JournalResume" | "LedgerFail" | "LedgerResume" | "AuditArchive" | "AuditArchiveRemove" | "JournalRemove" | "WitnessFail" | "WitnessResume" | "BudgetWarn" | "DetokenizeGrantRead" | "DetokenizeGrantUse";

/** How much all servers together have done in each hour of the last day. */
export interface Activity {
  /** The last 24 hours of the clock (UTC), the oldest first. The last one is not over yet. */
  hours: ActivityHour[];
}

/** What was done in one hour of the clock. */
export interface ActivityHour {
  /** How many tokens became values again, in full or in part. */
  detokenized: number;
  /** How many certificates were issued. */
  issued: number;
  /** How many signatures were made under signing policies; one of a manifest for each of its digests. */
  signed: number;
  /** When the hour begins (RFC 3339). */
  startsAt: string;
  /**
   * How many values became tokens, also those of batches and tracks; not what was refused, nor tokens that `rewrap` made
   * of others.
   */
  tokenized: number;
}

/** The kinds of subject alternative names. */
export type AltNameKind = "Dns" | "Ip" | "Email" | "Uri" | "Upn";

/** What subject alternative names may be. */
export interface AltNameRules {
  /**
   * The domains in which host names, mailboxes and user principal names must lie, those of the subject (its
   * `emailAddress`, a common name that looks like a host) too; `null`: any.
   */
  domains?: string[] | null;
  /** The kinds that may occur; `null`: all. */
  kinds?: AltNameKind[] | null;
  /** `Required`: a request without any lends its common name where that is a host name or an address. */
  presence: Presence;
  /** Whether a host name may begin with `*`. */
  wildcards?: boolean;
}

/** An API key; its secret is kept as a keyed hash and never answered again. */
export interface ApiKey {
  /** When it was made (RFC 3339, UTC). */
  createdAt: string;
  /** When it ends (RFC 3339, UTC); absent where it does not. */
  expiresAt?: string | null;
  /** When its secret was last used (RFC 3339, UTC), to some minutes; absent where it never was. */
  lastUsedAt?: string | null;
  /** From where it may be used; from everywhere where this is empty. */
  networks: string[];
  /** Name and id. */
  objInfo: ApiKeyIdObjInfo;
  /** The secret of before the last rotation, while it goes on. */
  previous?: PreviousSecret | null;
  /** When its secret was last replaced (RFC 3339, UTC); absent where it never was. */
  rotatedAt?: string | null;
  /** What it is restricted to; absent where it gives all that the identity has. */
  scope?: ApiKeyScope | null;
  /** Which secret this is: 1, and one more with each rotation. */
  version: number;
}

/** A key with its secret, which is shown this once. */
export interface ApiKeyCreated {
  /** Its secret: `chk_` and 43 characters, for `authCredentials.apiKey` of a login or as `Authorization: Bearer`. */
  apiKey: string;
  /** Until when the secret of before goes on (RFC 3339, UTC); only after a rotation with an overlap. */
  previousUntil?: string | null;
  /** The key. */
  uuid: ApiKeyId;
  /** What to know beside that: that the rotation ended a secret which was to go on. */
  warnings?: string[];
}

export type ApiKeyId = string;

/**
 * What a key is restricted to. Whoever shows it may call the token profiles that are named, as far as the identity may,
 * submit and look after signing requests under the policies and services that are named, and read what everybody who is
 * logged in may read; nothing else.
 */
export interface ApiKeyScope {
  /** Signing policies; none where this is absent or empty. */
  policyUuids?: PolicyId[];
  /** Signing services with all their policies, also later ones; none where this is absent or empty. */
  serviceUuids?: ServiceId[];
  /** Token profiles; none where this is absent or empty. */
  tokenProfileUuids?: TokenProfileId[];
}

/** All keys of an identity. */
export interface ApiKeys {
  /** By name. */
  results: ApiKey[];
}

/** One decision on a signing request. */
export interface Approval {
  /** When (RFC 3339, UTC). */
  decidedAt: string;
  /** What was decided. */
  decision: RequestDecision;
  /** In whose name: all identities of one session. */
  identities: IdentityIdObjInfo[];
  /** What they said about it. */
  note: string;
  /** What their passkeys signed of it, where that was demanded. */
  signatures?: ApprovalSignature[];
  /** The statement over many requests that it was a part of; absent where it was made by itself. */
  statement?: Statement | null;
}

/** What one person signed of an approval. */
export interface ApprovalAssertion {
  /** What `PublicKeyCredential.toJSON` says; members that are not listed are not looked at. */
  credential: AssertionCredential;
  /** What came with the statement. */
  ticket: string;
}

/** How far a request is from its signature. */
export interface ApprovalCount {
  /** Approvals given. */
  given: number;
  /** Approvals that it takes. */
  required: number;
}

/**
 * Who approves a certificate before it is issued, and how many. Of an object that is there, `numApprovals` is said in any
 * case.
 */
export interface ApprovalRules {
  /** Who approves first, as in the rules of a signing policy. */
  approvalSteps?: ApprovalStep[];
  /** Approvals that a certificate needs, 0 to 64; 0 means that it is issued at once. */
  numApprovals: number;
  /** How long a request waits for its approvals; for ever by default. */
  requestLifetime?: ValidityPeriod | null;
  /**
   * Whether whoever asks for a certificate may take part in approving it; by default `DualControl`, and always `Never`
   * in hardened mode.
   */
  selfApproval?: SelfApproval | null;
}

/** What one person signed of an approval, as it is kept: `chancery verify --approver-keys` checks it. */
export interface ApprovalSignature {
  /** `authenticatorData`. */
  authenticatorData: Base64;
  /** `clientDataJSON`. */
  clientData: Base64;
  /** By which the authenticator knows the passkey. */
  credentialId: Base64;
  /** The person. */
  identityUuid: IdentityId;
  /** The public key (SubjectPublicKeyInfo in DER). */
  publicKey: Base64;
  /** `signature`. */
  signature: Base64;
  /** The text that was signed. */
  statement: string;
}

/** What the approvers have said of a signing request. */
export type ApprovalState = "None" | "Pending" | "Approved" | "Denied";

/** What one person signs to approve something. */
export interface ApprovalStatement {
  /** Until when (RFC 3339, UTC). */
  expiresAt: string;
  /** The person. */
  identity: IdentityIdObjInfo;
  /**
   * For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. The challenge is SHA-256 of
   * `chancery passkey approval 1`, a line feed and the statement.
   */
  publicKey: RequestOptions;
  /** The text. Its lines are told in docs/INTERFACE.md. */
  statement: string;
  /** What to send with the signature. */
  ticket: string;
}

/** What the members of a session sign to approve something: one statement for each of them. */
export interface ApprovalStatements {
  /** Whether the approval has to be signed. Where it has not, there are no statements. */
  demanded: boolean;
  /** In the order in which they logged in. */
  statements: ApprovalStatement[];
}

/** Approvals of certain roles. */
export interface ApprovalStep {
  /** How many such approvals it takes, at least one. */
  numApprovals: number;
  /** The session that approves holds one of these roles; at least one. */
  roleUuids: RoleId[];
}

/** Body of approve. */
export interface ApproveRequest {
  /**
   * What each member of the session signed, where the policy demands that approvals are signed: `…/approval-statement`
   * says what.
   */
  assertions?: ApprovalAssertion[];
  /** What is approved: where it is not the request's `approvalDigest`, nothing is. */
  digest?: Base64 | null;
  /** What to record with the approval; at most 4 KiB. */
  note?: string | null;
}

/** Answer to an approval. */
export interface Approved {
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** How many approvals there are, and how many it takes. */
  approvals: ApprovalCount;
  /** The digest that was approved: the request's `approvalDigest`. */
  digest: Base64;
  /** How far the items of a manifest are. */
  manifest?: ManifestSummary | null;
  /** The signature; empty until it is signed. */
  signature: Base64;
  /** Where the request stands now. */
  state: SigningRequestState;
}

/** `AuthenticationResponseJSON` of Web Authentication Level 3. */
export interface AssertionCredential {
  /** By which the authenticator knows the passkey, in base64url. */
  id: string;
  /** What it answered. */
  response: AssertionResponse;
}

/** `AuthenticatorAssertionResponseJSON`. */
export interface AssertionResponse {
  /** What the authenticator says, in base64url. */
  authenticatorData: string;
  /** What the browser says, in base64url. */
  clientDataJSON: string;
  /** Its signature, in base64url. */
  signature: string;
}

/** `AuthenticatorAttestationResponseJSON`. */
export interface AttestationResponse {
  /** What the authenticator says, in base64url. */
  attestationObject: string;
  /** What the browser says, in base64url. */
  clientDataJSON: string;
}

/** An account of the operating system. */
export interface AuditAccount {
  /** The host's name. */
  host: string;
  /**
   * The number with which whoever ran the command had logged in to the host, also where they are root by now; absent
   * where the kernel does not know.
   */
  loginUid?: number | null;
  /** Its name, where the host has one for the number. */
  name?: string | null;
  /** Its number, that of the process. */
  uid: number;
}

/** An API key as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last member. */
export interface AuditApiKey {
  /** Its name at that time. */
  name: string;
  /** Its id. */
  uuid: ApiKeyId;
  /** Which of its secrets: one more with each rotation. */
  version: number;
}

/** Audit records that are not at hand any more: a part of the ledger. */
export interface AuditArchive {
  /** Bytes of its download. */
  bytes: number;
  /** Its first leaf of the ledger, by which it is named. */
  firstLeaf: number;
  /** The time of its oldest record (RFC 3339). */
  from: string;
  /** How many leaves it goes over. */
  leaves: number;
  /** When it was made. */
  madeAt: string;
  /** Records in it: all of these leaves, but for the few that stay at hand for good. */
  records: number;
  /** SHA-256 of its download, in hexadecimal digits. */
  sha256: string;
  /** That of its newest record. */
  to: string;
}

/**
 * A client certificate as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last
 * member.
 */
export interface AuditCertificate {
  /** The binding by which it stands for the identity. */
  bindingUuid?: IdentityBindingId | null;
  /** Who issued it. */
  issuer: string;
  /** Its serial number in hexadecimal digits. */
  serialNumber: string;
  /** Its subject, or its first alternative name where it has none. */
  subject: string;
}

/** The newest checkpoint of the ledger, in which every record is. */
export interface AuditCheckpoint {
  /** The signed note (c2sp.org/tlog-checkpoint): keep it elsewhere. It has the cosignatures of witnesses that there are of it yet. */
  checkpoint: string;
  /** The key that it is verified with. */
  key: string;
  /** Which one, from 0. */
  number: number;
  /** How many records it is over. */
  records: number;
  /** When it was made (RFC 3339). */
  time: string;
  /** The newest one that a witness has cosigned. */
  witnessed?: WitnessedCheckpoint | null;
}

/** An identity as a record names it. The store keeps it in this form, and finds records by its `uuid`. */
export interface AuditIdentity {
  /** How it proved who it is; absent where it did not, and in records of a release that did not tell. */
  login?: LoginWay | null;
  /** Its name at that time. */
  name: string;
  /** Its roles that counted in the session; of a session that is not complete those that it logged in with. */
  roles?: AuditRole[];
  /** The address from which it logged in, which need not be that of the request. */
  source?: string | null;
  /** Its id. */
  uuid: IdentityId;
}

/** A passkey as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last member. */
export interface AuditPasskey {
  /** Its name at that time. */
  name: string;
  /** Its id. */
  uuid: PasskeyId;
}

/** One record. */
export interface AuditRecord {
  /** The account of the operating system under which a command of the host ran. */
  account?: AuditAccount | null;
  /** What was done or tried. */
  action: Action;
  /** How many calls it stands for. */
  count: number;
  /** More about it: names, counts, ids; never a value, password or token. */
  detail: unknown;
  /** In whose name. */
  identities: AuditIdentity[];
  /**
   * The server that wrote it: one run of a process, whose `ServerStart` says more. Absent in records of a release that
   * did not tell.
   */
  node?: ObjectId | null;
  /** Its number; later records have higher ones. */
  number: number;
  /** On which object. */
  objectUuid?: ObjectId | null;
  /** How it ended. */
  outcome: ErrorCode;
  /** The id of the request, or the host command that did it. */
  requestId: string;
  /** The address that the request came from; empty for what came from none. */
  source: string;
  /** When (RFC 3339, UTC, to the millisecond). */
  time: string;
}

/** For how long audit records are at hand, and how long they are kept. What is absent has no end. */
export type AuditRetention = Record<string, unknown>;

/** A role as a record names it. */
export interface AuditRole {
  /** Its name at that time. */
  name: string;
  /** Its id. */
  uuid: RoleId;
}

/** A target of the audit records; its secret is never answered. */
export interface AuditTarget {
  /** When it was made: RFC 3339, UTC. */
  createdAt: string;
  /** Whether it gets records. */
  enabled: boolean;
  /** Which one, where it is a file. */
  file?: FileReceiver | null;
  /** Whether it has a secret. */
  hasSecret: boolean;
  /** Name and id. */
  objInfo: AuditTargetIdObjInfo;
  /** Where it is, where it takes OTLP. */
  otlp?: HttpReceiver | null;
  /** How far it has the records. */
  shipping: ShippingState;
  /** Where it is, where it takes syslog. */
  syslog?: SyslogReceiver | null;
  /** Its id, as in `objInfo`. */
  uuid: AuditTargetId;
  /** Where it is, where it is a webhook. */
  webhook?: HttpReceiver | null;
}

export type AuditTargetId = string;

/** What came of trying a target out. */
export interface AuditTargetTested {
  /** What it answered, cut short, or why it could not be reached. */
  answer: string;
  /** Whether the target took it. */
  delivered: boolean;
  /** The HTTP status that it answered, if it did. */
  status?: number | null;
}

/**
 * A provider's token, or an account of a directory, as a record names it. The store looks for identities by `"uuid":"…"}`, so the id is not the last
 * member.
 */
export interface AuditToken {
  /** The binding by which it stands for the identity. */
  bindingUuid: IdentityBindingId;
  /** Who issued it. */
  issuer: string;
  /** Its `sub`, or the account's id. */
  subject: string;
}

/**
 * `username` and `password` for `userpass`, with `totp` or `passkey` where the identity has a second factor; the same with
 * `providerUuid` for `ldap`, which takes no passkey; `apiKey` for `apikey`; none of them for `certificate`, which is the client
 * certificate that the connection has shown.
 */
export interface AuthCredentials {
  /** An API key, as it was shown when it was made. */
  apiKey?: string | null;
  /**
   * What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey. Where it is, it has to be
   * right; then a one-time code may be left out.
   */
  passkey?: PasskeyProof | null;
  /** The password; for `ldap` that of the directory. */
  password?: Base64 | null;
  /** Which directory, for `ldap`: one of `directories` of GET /home/v1/login/oidc. */
  providerUuid?: IdentityProviderId | null;
  /**
   * The one-time code that the identity's authenticator shows: six digits. Not looked at where the identity has no
   * second factor.
   */
  totp?: string | null;
  /** The identity's name, in any letter case; for `ldap` the user name that the directory knows. */
  username?: string | null;
}

/** How a login proves who it is. */
export type AuthType = "userpass" | "apikey" | "certificate" | "ldap";

/** What kind of authenticator is wanted. */
export interface AuthenticatorSelection {
  /** `required`: whoever logs in is not known yet, so the authenticator has to find its passkey by itself. */
  residentKey: string;
  /** `required`: a PIN, a finger or a face. */
  userVerification: string;
}

/** standard base64 (RFC 4648, section 4); padding is optional, line breaks are ignored */
export type Base64 = string;

/** Body of batch-approve-deny. */
export interface BatchDecideProposals {
  /** What is decided on each of them. */
  decision: Decision;
  /** What to record with each decision; at most 4 KiB. */
  note?: string | null;
  /** The proposals, at most 1,000. */
  uuids: ProposalId[];
}

/** Body of batch-approve-deny. */
export interface BatchDecideRequest {
  /** What is decided on each of them. */
  decision: Decision;
  /**
   * Makes it one decision: SHA-256 of the statement over all of them, at most 250 of one policy. Where it is another one,
   * or one of them cannot be decided on, none is. Without it each is decided by itself.
   */
  digest?: Base64 | null;
  /** What to record with each decision; at most 4 KiB. */
  note?: string | null;
  /** The requests, at most 1,000. */
  uuids: SigningRequestId[];
}

/** Answer to batch-approve-deny. */
export interface BatchDecided {
  /** The statement's digest, where it was one decision. */
  digest?: Base64 | null;
  /** What became of each, in the order of `uuids`. */
  results: BatchDecidedItem[];
}

/** What became of one request of a batch. */
export interface BatchDecidedItem {
  /** What the approvers have said; `None` where there is no such request. */
  approvalState: ApprovalState;
  /** What a single call would have been answered with. */
  errorCode: ErrorCode;
  /** Why it was refused. */
  message?: string | null;
  /** Where the request stands now; `None` where there is no such request. */
  state: SigningRequestState;
  /** The request. */
  uuid: SigningRequestId;
}

/** What became of one proposal of a batch. */
export interface BatchDecidedProposal {
  /** What a single call would have answered; absent where it was refused. */
  decided?: Proposed | null;
  /** What a single call would have been answered with. */
  errorCode: ErrorCode;
  /** Why it was refused. */
  message?: string | null;
  /** The proposal. */
  uuid: ProposalId;
}

/** Answer to batch-approve-deny. */
export interface BatchDecidedProposals {
  /** What became of each, in the order of `uuids`. */
  results: BatchDecidedProposal[];
}

/** `api.v2.dp.BatchDetokenizationResponse`. */
export interface BatchDetokenizationResponse {
  /** With `partial`: what was wrong with the values that are `null`, the first hundred of them. */
  errors?: ItemError[];
  /** The messages, in the order of the tokens; masked where only a partial rule allows the caller. */
  messages: (string | null)[];
}

/** Tokens to turn back. */
export interface BatchDetokenizeRequest {
  /**
   * The grant under which all of it is shown, where a Control Rule demands approvals for that. Without it a mask applies
   * where the caller has one.
   */
  grantUuid?: ProposalId | null;
  /** The initialization vectors that came with them, in the same order, where the profile uses them. */
  ivs?: Base64[] | null;
  /** The version of the key that made the token, where it does not tell and the profile reads several. */
  keyVersion?: number | null;
  /** Whether bad values leave a `null` instead of failing the call. */
  partial?: boolean | null;
  /** The tokens. */
  tokens: string[];
}

/** `api.v2.dp.BatchTokenizationResponse`. */
export interface BatchTokenizationResponse {
  /** With `partial`: what was wrong with the values that are `null`, the first hundred of them. */
  errors?: ItemError[];
  /** The initialization vectors, in the same order, where the profile uses them. */
  ivs?: (Base64 | null)[] | null;
  /** The version of the key of all tokens, where the profile reads several: detokenize needs it unless each token tells it. */
  keyVersion?: number | null;
  /** The tokens, in the order of the messages. */
  tokens: (string | null)[];
}

/** Messages to tokenize. */
export interface BatchTokenizeRequest {
  /** For Random: from when on there shall be no such token, in RFC 3339; not later than the profile's `timeToLive`. */
  expiresAt?: string | null;
  /** The version of the key, which can only be the one that makes tokens. */
  keyVersion?: number | null;
  /** The messages. */
  messages: string[];
  /** For Random: what to keep with each new token, at most 4 KiB of JSON; sealed like the message. */
  metadata?: Record<string, unknown> | null;
  /** Whether bad values leave a `null` instead of failing the call. */
  partial?: boolean | null;
}

/** Body of POST /home/v1/login/oidc. */
export interface BeginOidc {
  /** The provider, one of those that GET /home/v1/login/oidc answers. */
  providerUuid: IdentityProviderId;
}

/** So many values, or signatures, in each window of time. */
export interface Budget {
  /** How many, 1 to 1,000,000,000,000. */
  count: number;
  /**
   * Whether each identity has as many: each holder of a Control Rule's role, each submitter to a policy. Otherwise all of
   * them share them.
   */
  each?: boolean;
  /** How long a window is. */
  per: BudgetPeriod;
}

/** How long the windows of a budget are. They begin where the clock and the calendar have them begin, in UTC. */
export type BudgetPeriod = "Minute" | "Hour" | "Day" | "Month";

/** One window of a budget. */
export interface BudgetUse {
  /** How many values the window has. */
  count: number;
  /** Whether each identity has as many. */
  each: boolean;
  /** When it ends (RFC 3339). */
  endsAt: string;
  /** Whose it is, with `each`. */
  identityUuid?: IdentityId | null;
  /** How many are left; with several servers at least. */
  left: number;
  /** Its operation. */
  operation: Operation;
  /** How long it is. */
  per: BudgetPeriod;
  /** The role of the rule. */
  roleUuid: RoleId;
  /** When it began (RFC 3339). */
  startsAt: string;
  /** How many are used; with several servers at most, since what another has set aside for itself counts. */
  used: number;
}

/** What the key of a certificate may do (RFC 5280, 4.2.1.3). */
export type CertKeyUsage = "digitalSignature" | "nonRepudiation" | "keyEncipherment" | "dataEncipherment" | "keyAgreement" | "keyCertSign" | "cRLSign";

/** What a new certificate shall say besides its subject. */
export interface CertParams {
  /** Some of the profile's extended key usages; by default all. */
  extendedKeyUsages?: string[] | null;
  /**
   * The hash under the certificate's signature; by default SHA-256 for RSA and P-256, SHA-384 for P-384, SHA-512 for
   * P-521.
   */
  hashAlgorithm?: HashType | null;
  /** Some of the profile's key usages; by default all. */
  keyUsages?: CertKeyUsage[] | null;
  /** For an authority, how many others may stand below it: not more than the profile says. */
  pathLength?: number | null;
  /**
   * Subject alternative names: `DNS:host.example`, `IP:192.0.2.1`, `email:name@host.example`,
   * `URI:https://host.example/`, `UPN:user@host.example`; each once.
   */
  subjectAltNames?: string[] | null;
  /** How long it is valid; by default as the profile says. */
  validityPeriod?: ValidityPeriod | null;
}

/** A certificate profile, as it is read; the same text may be written back. */
export interface CertProfile {
  /** Who approves its certificates before they are issued. */
  approval?: ApprovalRules;
  /** Whether its certificates can issue others. */
  basicConstraints: ProfileConstraints;
  /** Where the issuer's CRL is; `null`: below this installation's `publicUrl`; an empty array: not said. */
  crlUrls?: string[] | null;
  /** Whether certificates are issued under it. One that certificates name can be disabled, not deleted. */
  enabled: boolean;
  /**
   * What the certificate is for: `serverAuth`, `clientAuth`, `codeSigning`, `emailProtection`, `timeStamping`,
   * `OCSPSigning`, or a dotted OID.
   */
  extendedKeyUsages: string[];
  /**
   * The hashes with which its certificates may be signed, the first that suits the issuer's key being the default;
   * `null`: all that are not weak.
   */
  hashAlgorithms?: HashType[] | null;
  /** Where the issuer's certificate is; as `crlUrls`. */
  issuerUrls?: string[] | null;
  /** The key types that its certificates may have; `null`: all that sign. */
  keyTypeUuids?: KeyTypeId[] | null;
  /**
   * What the certificate's key may do. Usages that a kind of key cannot have (only RSA keys encipher, only EC keys
   * agree) are left out of its certificates.
   */
  keyUsages: CertKeyUsage[];
  /** How long its certificates are valid at most; `null`: as long as their issuer. */
  maxValidityPeriod?: ValidityPeriod | null;
  /** The names that its certificates, of authorities, may certify in their turn; absent where they may certify any. */
  nameConstraints?: NameConstraintRules | null;
  /** Name and id. */
  objInfo: CertProfileIdObjInfo;
  /** Where OCSP is answered; as `crlUrls`. */
  ocspUrls?: string[] | null;
  /** In the answer to PATCH: what waits for approvals. Until it has them the profile is as it was. */
  pendingChange?: Proposed | null;
  /** Certificate policies: dotted OIDs. */
  policies: string[];
  /** What subjects may be. */
  subject: SubjectRules;
  /** What subject alternative names may be. */
  subjectAltNames: AltNameRules;
  /** Whether it came with Chancery; such a profile cannot be changed. */
  system: boolean;
  /** How long its certificates are valid unless the request says otherwise. */
  validityPeriod: ValidityPeriod;
}

export type CertProfileId = string;

/** A certificate profile in a list. */
export interface CertProfileStub {
  /** Name and id. */
  objInfo: CertProfileIdObjInfo;
  /** Whether it came with Chancery. */
  system: boolean;
  /** How long its certificates are valid unless the request says otherwise. */
  validityPeriod: ValidityPeriod;
}

/** A certificate. */
export interface Certificate {
  /** What it demands of everything that it issues; absent where it demands nothing. */
  approval?: ApprovalRules | null;
  /** The certificate profile; absent where the certificate was made elsewhere. */
  certProfileUuid?: CertProfileId | null;
  /** The certificate in PEM; absent where it was not saved. */
  certificate?: string | null;
  /** The proof that it is in the transparency log; null until a checkpoint covers it, within a second of its issue. */
  inclusionProof?: InclusionProof | null;
  /** The certificate that issued it; its own id where it is self-signed. */
  issuerUuid: CertificateId;
  /** The algorithm family of its key. */
  keyAlgorithm: KeyAlgorithm;
  /** Its key, if that was kept. */
  keyUuid?: KeyId | null;
  /** Last moment of its validity: RFC 3339, UTC. */
  notAfter: string;
  /** First moment of its validity: RFC 3339, UTC. */
  notBefore: string;
  /** Name and id. The name is the subject's common name. */
  objInfo: CertificateIdObjInfo;
  /** Where it was made. */
  origin: Origin;
  /** Why. */
  revocationReason?: RevocationReason | null;
  /** When it was revoked or put on hold: RFC 3339, UTC. */
  revokedAt?: string | null;
  /** Its serial number in hexadecimal digits. */
  serialNumber: string;
  /** Where it stands. */
  status: CertificateStatus;
  /** The subject in one line. */
  subject: string;
  /** Whether it is trusted as an issuer. */
  trusted: boolean;
  /** Its id, as in `objInfo`. */
  uuid: CertificateId;
}

export type CertificateId = string;

/** A page of certificates, by name. */
export interface CertificatePage {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** Certificates a page. */
  pageSize: number;
  /** This page's certificates. */
  results: CertificateStub[];
}

/** Where a certificate stands. `Expired` is derived from the clock, never stored. */
export type CertificateStatus = "Valid" | "Revoked" | "Held" | "Expired";

/** A certificate in a list. */
export interface CertificateStub {
  /** The certificate that issued it; its own id where it is self-signed. */
  issuerUuid: CertificateId;
  /** The algorithm family of its key. */
  keyAlgorithm: KeyAlgorithm;
  /** Last moment of its validity: RFC 3339, UTC. */
  notAfter: string;
  /** First moment of its validity: RFC 3339, UTC. */
  notBefore: string;
  /** Name and id. */
  objInfo: CertificateIdObjInfo;
  /** Its serial number in hexadecimal digits. */
  serialNumber: string;
  /** Where it stands. */
  status: CertificateStatus;
  /** The subject in one line. */
  subject: string;
  /** Whether it is trusted as an issuer. */
  trusted: boolean;
}

/** A certificate that shall be issued: what people approve. Serial number and moment come when it is. */
export interface CertificateToIssue {
  /** Whether it can issue others. */
  basicConstraints: ProfileConstraints;
  /** The profile's name. */
  certProfile: string;
  /** The profile. */
  certProfileUuid: CertProfileId;
  /** Where its issuer's CRL is; `null`: below `publicUrl`. */
  crlUrls?: string[] | null;
  /** What it is for. */
  extendedKeyUsages: string[];
  /** The hash under its signature. */
  hashAlgorithm: HashType;
  /** The certificate whose place it takes. */
  insteadOf?: CertificateId | null;
  /** SHA-256 of the authority's certificate. */
  issuerSha256?: Base64 | null;
  /** Where its issuer's certificate is; as `crlUrls`. */
  issuerUrls?: string[] | null;
  /** The authority that issues it; absent where it is self-signed. */
  issuerUuid?: CertificateId | null;
  /** The kind of its key. */
  keyTypeUuid: KeyTypeId;
  /** What its key may do. */
  keyUsages: CertKeyUsage[];
  /** The names that it may certify in its turn; absent where they are not constrained. */
  nameConstraints?: NameConstraintRules | null;
  /** Where OCSP is answered; as `crlUrls`. */
  ocspUrls?: string[] | null;
  /** Certificate policies. */
  policies: string[];
  /** SHA-256 of its public key (SubjectPublicKeyInfo); absent where the key is new and made here when it is issued. */
  publicKeySha256?: Base64 | null;
  /** Whether a new key is kept here. */
  saveKey: boolean;
  /** The subject in one line. */
  subject: string;
  /** Its alternative names. */
  subjectAltNames: string[];
  /** Whether it is trusted as an issuer. */
  trustCert: boolean;
  /** For how long, from the last approval on. */
  validityPeriod: ValidityPeriod;
}

/** Body of POST /home/v1/login/password: everything that proves who makes it, and the new password. */
export interface ChangePassword {
  /** The new one: at least 12 characters of UTF-8, and not the present one. */
  newPassword: Base64;
  /**
   * What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey, in the place of a code. Whoever has
   * a confirmed passkey shows one of the two.
   */
  passkey?: PasskeyProof | null;
  /** The present password, or one for one use. */
  password: Base64;
  /** A one-time code of six digits, where there is a second factor. */
  totp?: string | null;
  /** The identity's name, in any letter case. */
  username: string;
}

/** Body of PATCH /api/v2/x509/services/{serviceUuid}. */
export interface ChangeService {
  /** What is changed of a time-stamping authority; its certificate is renewed, not changed. */
  timestamping: ChangeTimeStamping;
}

/** Body of PATCH /api/v2/x509/signing-policies/{uuid}: what is absent stays as it is. */
export interface ChangeSigningPolicy {
  /** Cannot change: given, it is what the policy has. */
  hashAlgorithm?: HashType | null;
  /** Approvals that a request needs: never fewer than any policy of the service demands. */
  numApprovals?: number | null;
  /** Its new name, under `name`; another `uuid` in it is not looked at. */
  objInfo?: PatchName | null;
  /** Cannot change: given, it is what the policy has. */
  rsaPss?: boolean | null;
  /** All of its rules: they replace those that it has. */
  rules?: PolicyRules | null;
  /** Whether whoever submitted a request may take part in approving it. */
  selfApproval?: SelfApproval | null;
  /** Cannot change: given, it is what the service has. */
  signingFormat?: SigningFormat | null;
  /** Whether signatures made from now on carry a time stamp. */
  timeStamp?: boolean | null;
}

/** What can be changed of a time-stamping authority; what is absent stays. */
export interface ChangeTimeStamping {
  /**
   * `true`: it is the one that `/tsa` stands for from now on. There is always one, so the present one is told `false`
   * in vain: name another.
   */
  default?: boolean | null;
  /** The policy that its stamps name from now on, as a dotted OID whose arcs are below 2^28. */
  policyOid?: string | null;
}

/** One thing that somebody gains or loses. Whoever sees more of a value gains what they see then, and loses what they saw. */
export interface ChangedRight {
  /** How many identities gain or lose it, locked ones included. */
  identities: number;
  /** How many holders of the role that gives it have to log in together for it. */
  loginsRequired: number;
  /** What is shown at most; absent where it is everything, or nothing is shown. */
  mask?: HeldMask | null;
  /** So many approvals are needed before, for each grant; absent where nobody is asked. */
  numApprovals?: number | null;
  /**
   * With which token profile, or under which signing policy, certificate profile or authority; absent where a permission
   * gives it for all.
   */
  object?: ObjectIdObjInfo | null;
  /** By which permission; absent of Control Rules. */
  perm?: Perm | null;
  /** What. */
  right: AccessRight;
  /** The first ten of them, by name; absent in audit records. */
  some?: IdentityIdObjInfo[];
}

/** Answer to a change of a service. */
export interface ChangedService {
  /** The service. */
  serviceUuid: ServiceId;
  /** What it stamps under, as it is now. */
  timestamping: StampsUnder;
}

/** Several actions of the audit records, by what they are about. */
export type Concern = "Access";

/** Body of POST /api/v2/identities/{uuid}/mailbox/confirm. */
export interface ConfirmMailbox {
  /** The code that was mailed to the new address. Letter case, spaces and hyphens make no difference. */
  code: string;
}

/** That somebody means this passkey. */
export interface ConfirmPasskey {
  /** SHA-256 of its public key, as whoever enrolled it reads it out. */
  publicKeySha256: Base64;
}

/** An entry of an archive. */
export interface ContentEntry {
  /** Its name. */
  name: string;
  /** Its bytes, unpacked. */
  size: number;
}

/** What a file is. */
export type ContentKind = "Program" | "Library" | "Driver" | "Firmware" | "Installer" | "Script" | "Archive";

/** Something that a file says of itself. */
export interface ContentProperty {
  /** What it is called there. */
  name: string;
  /** What it says. */
  value: string;
}

/** A signature that a file has already. Nobody has verified it: anybody can write any name into a certificate. */
export interface ContentSignature {
  /** The subject of the signer's certificate, as it says itself; absent where it cannot be read. */
  subject?: string | null;
}

/** One role's right to one operation. */
export interface ControlRule {
  /** For Detokenize: how many people approve before. Without it nobody is asked. */
  approval?: GrantRules | null;
  /** How many values it lets through; without budgets any number. All of them have to have room for a call. */
  budgets?: Budget[];
  /** For PartialDetokenize, in the place of `reveal` and `revealFrom`: what is revealed, by its name. */
  mask?: MaskTemplate | null;
  /** For PartialDetokenize: the one character that stands for each hidden symbol; `*` by default. */
  maskChar?: string | null;
  /** The operation. */
  operation: Operation;
  /** For PartialDetokenize, where there is no `mask`: how many symbols are revealed. */
  reveal?: number | null;
  /** For PartialDetokenize: at which end; `End` by default. */
  revealFrom?: RevealFrom | null;
  /** The role. */
  roleUuid: RoleId;
}

/** What a new API key shall be. */
export interface CreateApiKey {
  /** When it ends (RFC 3339); never where this is absent. */
  expiresAt?: string | null;
  /** Its name, unique among the identity's keys without regard to letter case. */
  name: string;
  /** From where it may be used, such as `10.0.0.0/8` or `2001:db8::/32`; from everywhere where this is absent or empty. */
  networks?: string[];
  /** What it is restricted to; it gives all that the identity has where this is absent. */
  scope?: ApiKeyScope | null;
}

/** What a new target of the audit records shall be: exactly one of `syslog`, `webhook`, `otlp` and `file`. */
export interface CreateAuditTarget {
  /** Whether it gets records; yes where this is absent. */
  enabled?: boolean | null;
  /** Records are appended to it. */
  file?: FileReceiver | null;
  /**
   * The `sequence` of the first record that it gets, 0 for all that there are; where this is absent it gets those from
   * now on.
   */
  firstSequence?: number | null;
  /** Its name, unique without regard to letter case. */
  name: string;
  /** Records are posted there as logs of OpenTelemetry (OTLP over HTTP, in JSON). */
  otlp?: HttpReceiver | null;
  /**
   * Of a webhook, which needs one, the key by which posts are signed: 24 to 64 bytes. Of OTLP, where it is optional, the
   * token that is sent as `Authorization: Bearer`. A receiver of syslog and a file have none. It is never answered.
   */
  secret?: Base64 | null;
  /** Records go there as syslog messages, always over TLS. */
  syslog?: SyslogReceiver | null;
  /** Records are posted there as JSON, signed as Standard Webhooks says. */
  webhook?: HttpReceiver | null;
}

/**
 * What a new certificate profile shall be. What is absent has the default named. `objInfo.uuid` and `system` may be
 * sent and mean nothing.
 */
export interface CreateCertProfile {
  /** Nobody by default. */
  approval?: ApprovalRules;
  /** A leaf by default. */
  basicConstraints?: ProfileConstraints;
  /** This installation's by default. */
  crlUrls?: string[] | null;
  /** By default it is. */
  enabled?: boolean;
  /** None by default. */
  extendedKeyUsages?: string[];
  /** All by default. */
  hashAlgorithms?: HashType[] | null;
  /** This installation's by default. */
  issuerUrls?: string[] | null;
  /** All by default. */
  keyTypeUuids?: KeyTypeId[] | null;
  /** By default `keyCertSign` and `cRLSign` for an authority, `digitalSignature` for a leaf. */
  keyUsages?: CertKeyUsage[] | null;
  /** No maximum by default. */
  maxValidityPeriod?: ValidityPeriod | null;
  /** For authorities; none by default. */
  nameConstraints?: NameConstraintRules | null;
  /** The name; unique, 1 to 255 characters. */
  objInfo: NameOnly;
  /** This installation's by default. */
  ocspUrls?: string[] | null;
  /** None by default. */
  policies?: string[];
  /** Any by default. */
  subject?: SubjectRules;
  /** By default any without wildcards, none for an authority. */
  subjectAltNames?: AltNameRules | null;
  /** See `CertProfile::validity_period`. */
  validityPeriod: ValidityPeriod;
}

/** Body of POST /api/v2/identities. */
export interface CreateIdentity {
  /** How that API key shall be; refused where there is none to make. */
  apiKey?: FirstApiKey | null;
  /** When it may act, in UTC, such as `Mon-Fri 07:00-19:00` or `22:00-06:00`; always where there are none. */
  hours?: string[];
  /** Person or application; only persons approve. */
  kind: IdentityKind;
  /** Unique without regard to letter case. */
  name: string;
  /** From where it may act, such as `10.0.0.0/8` or `2001:db8::/32`; from everywhere where there are none. */
  networks?: string[];
  /** Whether a person's password is for one use: it logs nobody in, and sets another one for a day. */
  oneTime?: boolean;
  /** At least 12 characters of UTF-8. An application without one gets an API key. */
  password?: Base64 | null;
  /** At least one role; all with the same `loginsRequired`. */
  roleUuids: RoleId[];
}

/** Whose tokens of a provider stand for an identity. */
export interface CreateIdentityBinding {
  /**
   * Further claims of the tokens with their values, letter by letter; numbers and `true` as JSON writes them. A name that
   * begins with a slash is a JSON pointer into the claims. All of them have to be there. At most 20. Of client certificates
   * they are alternative names: `dns`, `uri`, `email` and `upn`; of a directory there are none.
   */
  claims?: Record<string, string>;
  /** The identity. */
  identityUuid: IdentityId;
  /** Its name. */
  name: string;
  /** The provider. */
  providerUuid: IdentityProviderId;
  /**
   * The `sub` of the tokens, letter by letter. A person who logs in by the provider is bound by it, and never by a name or
   * an address. It may be absent where the claims name something by an id that nobody
   * else is ever given: `repository_id`, `project_id`, `oid` or `/kubernetes.io/serviceaccount/uid`. Of client certificates it
   * is the whole subject (RFC 4514), such as `CN=ci,O=Example`; it may be absent where claims name who it is. Of a directory it is
   * the value of `idAttribute`, in small letters; `objectGUID` as Active Directory's tools show it, without braces.
   */
  subject?: string | null;
}

/**
 * Somebody whose word is taken for who others are: an OpenID Connect provider whose tokens workloads exchange for ours, or by
 * which people log in, or both; or a certificate authority whose client certificates log their holders in (`authorityUuid` or
 * `authorityCertificates`); or a directory whose passwords do (`ldap`).
 */
export interface CreateIdentityProvider {
  /** Which algorithms its tokens may be signed with; `RS256` and `ES256` where this is absent or empty. */
  algorithms?: JwtAlgorithm[];
  /**
   * Whom the tokens of workloads have to be for: one of these is among their `aud`, letter by letter. 1 to 10; none where
   * there is a `clientId` and no workload shall exchange tokens, and of a certificate authority or a directory.
   */
  audiences?: string[];
  /**
   * The certificates of an authority elsewhere, in the same place, PEM: one to four, all of one subject, such as an old key
   * and a new one. Client certificates lead to one of them (RFC 5280).
   */
  authorityCertificates?: string | null;
  /**
   * An authority of this installation, in the place of an OpenID Connect provider: certificates that it or an authority below
   * it has issued here log their holders in. What is revoked or on hold here is refused at once.
   */
  authorityUuid?: CertificateId | null;
  /**
   * As which client this installation is registered at the provider. With it, people who are bound log in by the provider;
   * it is none of the audiences.
   */
  clientId?: string | null;
  /** The client's secret, which is shown nowhere again. Without it the client is a public one. */
  clientSecret?: string | null;
  /**
   * Its revocation lists, and those of authorities below it, PEM, 512 KiB at most. Each certificate below the authority has
   * to be covered by one that is not over, or is refused.
   */
  crls?: string | null;
  /** Whether anybody is let in by it; yes where this is absent. */
  enabled?: boolean | null;
  /**
   * The `iss` of its tokens, letter by letter: an https address, such as
   * `https://token.actions.githubusercontent.com`. It cannot be changed. Of a certificate authority it is the subject of its
   * certificates, which need not be said. Of a directory it is a name that begins with `ldaps://` or `ldap://`: the address
   * where nothing else is said.
   */
  issuer?: string | null;
  /**
   * Its public keys, as the text of a JSON Web Key Set (RFC 7517), where the server cannot reach the provider. Without
   * it they are fetched from where `/.well-known/openid-configuration` under the issuer says.
   */
  jwks?: string | null;
  /** A directory (LDAP), in the place of an OpenID Connect provider: whose password is right there and who is bound logs in. */
  ldap?: DescribeLdap | null;
  /** Its name. */
  name: string;
  /**
   * Values of `acr` by which the provider says that it took a second factor. A login with one of them satisfies roles that
   * demand one; without any, no login by this provider does. At most 10.
   */
  secondFactorAcr?: string[];
  /**
   * Whether each token is taken once. `true` where this is absent; `false` is for workloads that are given a token in a
   * file and cannot ask for another, as in Kubernetes.
   */
  singleUse?: boolean | null;
}

/** What a new data key shall be. */
export interface CreateKey {
  /** Its key type, one for tokenization. */
  keyTypeUuid: KeyTypeId;
  /** The name; unique among data keys, 1 to 255 characters. */
  name: string;
  /** What it may be used for, a subset of the type's usages; by default all of them. */
  usages?: KeyUsage[] | null;
}

/** What a new target of notices shall be: a webhook or a mailbox. */
export interface CreateNoticeTarget {
  /** Where they go by e-mail, in the place of `webhook`. */
  email?: Mailbox | null;
  /** Whether it gets notices; yes where this is absent. */
  enabled?: boolean | null;
  /** Which notices it gets; all of them where this is empty or absent. */
  kinds?: NoticeKind[];
  /** Its name, unique without regard to letter case. */
  name: string;
  /**
   * The key by which notices are signed: 24 to 64 bytes. Receivers know it as `whsec_` and the same base64. It is never
   * answered. A webhook of the shape `Chancery` needs one, a mailbox has none.
   */
  secret?: Base64 | null;
  /**
   * Only notices about requests and proposals of these services; of all where this is empty or absent. Certificates and
   * refused rows belong to no service.
   */
  serviceUuids?: ServiceId[];
  /** Where notices go by webhook. */
  webhook?: Webhook | null;
}

/** Body of POST /api/v2/x509/pre-approvals: either `digests`, or `submitterUuid` and `maxRequests`. */
export interface CreatePreApproval {
  /** Digests under the policy's hash, each of which is signed once when it is submitted; at most 10,000. */
  digests?: Base64[] | null;
  /**
   * For how long, from the last approval on. With `submitterUuid` needed and at most 24 hours; without it, a list of
   * digests serves until it is used up.
   */
  lifetime?: ValidityPeriod | null;
  /** With `submitterUuid`: how many requests, at most 100. */
  maxRequests?: number | null;
  /** What approvers will see; 1 to 255 characters. */
  name: string;
  /** What to tell the approvers; at most 4 KiB. */
  note?: string | null;
  /** The policy whose approvals are given beforehand. */
  policyUuid: PolicyId;
  /** In the place of `digests`: whose requests are signed when they are submitted. Not in hardened mode. */
  submitterUuid?: IdentityId | null;
}

/**
 * Body of POST /api/v2/roles. `objInfo` and `system`, which only the answer to GET has, may be sent and mean nothing;
 * other members are refused.
 */
export interface CreateRole {
  /** How many different holders must log in within one session: 1 or 2. */
  loginsRequired: number;
  /** Whether its holders may administer. */
  management?: boolean;
  /** Unique without regard to letter case. */
  name: string;
  /** What the role permits, besides the Control Rules of token profiles. */
  perms: Perm[];
  /** What each holder must log in with besides a password. */
  secondFactor?: SecondFactor;
}

/** Body of POST /api/v2/x509/services/{serviceUuid}/signing-policies. */
export interface CreateSigningPolicy {
  /** The hash of the signatures. */
  hashAlgorithm: HashType;
  /** Its name, unique among the service's policies; 1 to 255 characters. */
  name: string;
  /** Approvals that a request needs: at most 64, and at least as many as any other policy of the service demands. */
  numApprovals: number;
  /** Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5; by default it does not. */
  rsaPss?: boolean | null;
  /** What it demands besides; nothing by default. */
  rules?: PolicyRules | null;
  /**
   * Whether whoever submitted a request may take part in approving it; by default `Never` where another policy of the
   * service or the installation says so, else `DualControl`.
   */
  selfApproval?: SelfApproval | null;
  /** Whether signatures carry a time stamp, so that they outlive the certificate; by default they do not. Not for `Raw`. */
  timeStamp?: boolean | null;
}

/**
 * What a new token profile shall be. Members that are only answered (`objInfo.uuid`, `security`, `warnings`) may be sent and mean
 * nothing.
 */
export interface CreateTokenProfile {
  /** How messages become tokens. */
  algorithm: TokenAlgorithm;
  /** Which roles may do what; by default nobody may do anything. */
  controlRules?: ControlRule[] | null;
  /** For Random: whether the same message always has the same token; `true` by default. */
  deterministic?: boolean | null;
  /** What calls wait for before they are answered; `Written` by default. */
  durability?: Durability | null;
  /** The format rules. AesSiv, AesGcm and Hmac need none: they take `minLength` and `maxLength` only. */
  format?: PatchTokenFormat | null;
  /** The backing key. */
  keyUuid: KeyId;
  /** A version of the key; by default the newest. */
  keyVersion?: number | null;
  /** The oldest version of the key whose tokens are read; by default `keyVersion`. */
  minDecryptVersion?: number | null;
  /** The name; unique, 1 to 255 characters. */
  objInfo: NameOnly;
  /** For Random: how long a token can be read; by default for ever. */
  timeToLive?: ValidityPeriod | null;
  /** Another profile whose tokens this one shall share; to do so it has the same key, and a format that fits. */
  tweakDomain?: TokenProfileId | null;
  /** Whether each tokenization draws a random `iv`. */
  useIv?: boolean | null;
}

/** `PublicKeyCredentialCreationOptionsJSON` of Web Authentication Level 3. */
export interface CreationOptions {
  /** `none`: the make of the authenticator is not asked for. */
  attestation: string;
  /** What kind of authenticator is wanted. */
  authenticatorSelection: AuthenticatorSelection;
  /** What is signed, in base64url. */
  challenge: string;
  /** What the identity has already. */
  excludeCredentials: CredentialDescriptor[];
  /** The algorithms that are taken: ES256, EdDSA and RS256. */
  pubKeyCredParams: CredentialParameters[];
  /** The site. */
  rp: RelyingPartyEntity;
  /** Milliseconds. */
  timeout: number;
  /** The identity. */
  user: UserEntity;
}

/** A passkey, as browsers know it. */
export interface CredentialDescriptor {
  /** In base64url. */
  id: string;
  /** `public-key`. */
  type: string;
}

/** An algorithm. */
export interface CredentialParameters {
  /** Its number in COSE. */
  alg: number;
  /** `public-key`. */
  type: string;
}

/** The elliptic curves, named as in NIST SP 800-186. */
export type Curve = "P-256" | "P-384" | "P-521";

/** Body of deny and withdraw. */
export interface DecideRequest {
  /** What to record with the decision; at most 4 KiB. */
  note?: string | null;
}

/** What one approver decides on many requests at once. */
export type Decision = "Approve" | "Deny";

/** What became of the notices to a target. */
export interface DeliveryState {
  /** Notices that it has taken. */
  delivered: number;
  /** When it last took a notice: RFC 3339, UTC. */
  deliveredAt?: string | null;
  /** Why it last failed. */
  error?: string | null;
  /** When it last failed: RFC 3339, UTC. */
  failedAt?: string | null;
  /** Failures since it last took a notice. */
  failures: number;
  /** Notices that were given up: too old, or too many. */
  givenUp: number;
  /** When it is tried again, where it failed: RFC 3339, UTC. */
  triedAgainAt?: string | null;
  /** Notices that wait. */
  waiting: number;
}

/** Answer to a denial or a withdrawal. */
export interface Denied {
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** Where the request stands now. */
  state: SigningRequestState;
}

/** Body of a deployment. */
export interface DeployRequest {
  /**
   * What the public transparency log tells of the service's signatures: their digests (`Public`, by default), or only
   * that something was signed (`Internal`). It stays as it is.
   */
  log?: LogVisibility | null;
  /** The service's name; unique. */
  name: string;
  /**
   * What the service signs with, and under which policy. The member is lower-case exactly: in any other letter case
   * the service is deployed without a signing certificate, and the answer has a warning.
   */
  pkisigning?: PkiSigningMember;
  /** `PKI Signing` or `Time Stamping`. */
  template: string;
  /** What the service stamps with; needed for `Time Stamping`. */
  timestamping?: TimeStamping | null;
}

/** Answer to a deployment. */
export interface DeployedService {
  /** Its signing certificate; absent where it was deployed without one, or its certificate waits for approvals. */
  certificateUuid?: CertificateId | null;
  /** The proposal of its certificate, where the issuer demands approvals; nothing can be submitted until it has them. */
  pendingCertificate?: Proposed | null;
  /** Its policy; absent for a time-stamping authority, which has none. */
  policyUuid?: PolicyId | null;
  /** The new service. */
  serviceUuid: ServiceId;
  /** What somebody should know about it, in sentences. */
  warnings?: string[];
}

/**
 * Where a directory (LDAP) is, and how somebody's entry is found in it: by a name that is made of the user name (`userDn`), or
 * by a search in the name of a service account (`bindDn`, `bindPassword`, `baseDn` and `filter`). A new directory has `url`, and
 * either the one or the other.
 */
export interface DescribeLdap {
  /**
   * Certificates of authorities that the directory's certificate may be of, PEM, at most 20; `null` or absent for those that
   * the server trusts (`--provider-ca`).
   */
  authorities?: string | null;
  /** Below what is searched. */
  baseDn?: string | null;
  /** The service account that searches: its distinguished name, or what else the directory takes for it. With it `userDn` goes. */
  bindDn?: string | null;
  /** The password of the service account, which is shown nowhere again. Where `url` or `bindDn` change it is said again. */
  bindPassword?: string | null;
  /** By what (RFC 4515), with `{username}` as a value or a part of one. Exactly one entry has to match. */
  filter?: string | null;
  /** The attribute whose value is the subject that identities are bound by; `entryUUID` where nothing is said. */
  idAttribute?: LdapIdAttribute | null;
  /**
   * `ldaps://HOST[:PORT]`, or `ldap://HOST[:PORT]`, where TLS begins by StartTLS and is not left out. The host is the one that
   * the directory's certificate names.
   */
  url?: string | null;
  /**
   * The distinguished name of an entry, with `{username}` in a value. Whoever logs in has to be allowed to read their own
   * `idAttribute`. With it `bindDn`, `bindPassword`, `baseDn` and `filter` go.
   */
  userDn?: string | null;
}

/** `api.v2.dp.DetokenizationResponse`. */
export interface DetokenizationResponse {
  /** The message, masked where only a partial rule allows the caller. */
  message: string;
}

/** A grant to detokenize in full, or a request for one. */
export interface DetokenizeGrant {
  /** How many approvals there are, and how many it takes. */
  approvals: ApprovalCount;
  /** When it ends (RFC 3339, UTC). */
  endsAt?: string | null;
  /** When it took effect (RFC 3339, UTC). */
  grantedAt?: string | null;
  /** For how many seconds, from the last approval on. */
  lifetimeS: number;
  /** How many values may be sent. */
  maxValues: number;
  /** Why. */
  reason: string;
  /** When it was asked for (RFC 3339, UTC). */
  requestedAt: string;
  /** Who asked, and may use it: all identities of one session. */
  requestedBy: IdentityIdObjInfo[];
  /** The role whose Control Rule demands the approvals. */
  roleUuid: RoleId;
  /** Where it stands. */
  state: ProposalState;
  /** What it is about in another system. */
  ticket?: string | null;
  /** The token profile, by its name when this was asked for. */
  tokenProfile: TokenProfileIdObjInfo;
  /** How many tokens it lists; absent where it is for any token of the profile. */
  tokens?: number | null;
  /** How many were. */
  used: number;
  /** Its id, also as a proposal: what `grantUuid` names. */
  uuid: ProposalId;
}

/** A token to turn back. */
export interface DetokenizeRequest {
  /**
   * The grant under which all of it is shown, where a Control Rule demands approvals for that. Without it a mask applies
   * where the caller has one.
   */
  grantUuid?: ProposalId | null;
  /** The initialization vector that came with it, where the profile uses one. */
  iv?: Base64 | null;
  /** The version of the key that made the token, where it does not tell and the profile reads several. */
  keyVersion?: number | null;
  /** The token. */
  token: string;
}

/** What of a profile says how tokens are made. */
export interface DraftTokenProfile {
  /** See `super::TokenProfile::algorithm`. */
  algorithm: TokenAlgorithm;
  /** Only for the notes; roles need not exist. */
  controlRules?: ControlRule[] | null;
  /** See `super::TokenProfile::deterministic`. */
  deterministic?: boolean | null;
  /** See `super::CreateTokenProfile::format`. */
  format?: PatchTokenFormat | null;
  /** See `super::TokenProfile::time_to_live`. */
  timeToLive?: ValidityPeriod | null;
  /** See `super::TokenProfile::use_iv`. */
  useIv?: boolean | null;
}

/**
 * When a call of a token profile is answered: when its record in the journal is written, so that a process that is
 * killed does not lose it, or when it is on the disk, so that a power cut does not either.
 */
export type Durability = "Written" | "Durable";

/**
 * The payload of calls that have nothing to tell, and the body of calls that need to be told nothing: absent, or an
 * object of which no member is read.
 */
export interface Empty {
}

/** A passkey that a browser has made. */
export interface EnrolPasskey {
  /** What `PublicKeyCredential.toJSON` says of it; members that are not listed are not looked at. */
  credential: RegistrationCredential;
  /** Its name, unique among the identity's passkeys without regard to letter case. */
  name: string;
  /** What `…/begin` answered. */
  ticket: string;
}

/** `response` of a call that failed. */
export interface ErrorResponse {
  /** For a batch: the first hundred values at fault. */
  errors?: ItemError[];
  /** The member at fault, as a JSON pointer (RFC 6901) into the request's body. */
  field?: string | null;
  /** One sentence for a person. */
  message: string;
  /** The id under which the log and the audit records speak of this call; also in the header `X-Request-Id`. */
  requestId: string;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface AuditArchiveItems {
  /** This page's items. */
  items: AuditArchive[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface AuditRecordItems {
  /** This page's items. */
  items: AuditRecord[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface DetokenizeGrantItems {
  /** This page's items. */
  items: DetokenizeGrant[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface NoticeItems {
  /** This page's items. */
  items: Notice[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface ProposalStubItems {
  /** This page's items. */
  items: ProposalStub[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface SignedItemItems {
  /** This page's items. */
  items: SignedItem[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface SigningPolicyItems {
  /** This page's items. */
  items: SigningPolicy[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface SigningRequestStubItems {
  /** This page's items. */
  items: SigningRequestStub[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of signing policies, signing requests or audit records: `items`. */
export interface UndeliveredNoticeItems {
  /** This page's items. */
  items: UndeliveredNotice[];
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface AuditTargetResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: AuditTarget[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface CertProfileStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: CertProfileStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface IdentityBindingResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: IdentityBinding[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface IdentityProviderResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: IdentityProvider[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface IdentityStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: IdentityStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface KeyStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: KeyStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface KeyTypeStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: KeyTypeStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface NoticeTargetResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: NoticeTarget[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface RoleStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: RoleStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface ServiceResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: Service[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface ServiceStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: ServiceStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** A list of stubs: `results`. */
export interface TokenProfileStubResults {
  /** What `after` shall be for the next page; absent on the last one. */
  next?: string | null;
  /** The page answered, from 1; absent after a cursor. */
  page?: number | null;
  /** Items a page. */
  pageSize: number;
  /** This page's items, ordered by name, then uuid. */
  results: TokenProfileStub[];
  /** How many items the filter matches on all pages. */
  total: number;
  /** Whether there may be more than `total`: where no index helps, or there are very many, not all are counted. */
  totalIsAtLeast?: boolean;
}

/** `errorCode` of an answer. */
export type ErrorCode = "Success" | "ArgumentParseError" | "InvalidSelection" | "InvalidValue" | "InvalidState" | "AlreadyExists" | "InvalidAuthToken" | "NotAuthorized" | "ApiAccessDisabled" | "LimitExceeded" | "RateLimited" | "Sealed" | "Unavailable" | "InternalError";

/** Body of POST /home/v1/login/exchange: a provider's token, as in RFC 8693. */
export interface ExchangeToken {
  /** The token: a signed JWT (RFC 7519) of a provider that this installation trusts, for one of its audiences. */
  subjectToken: string;
}

/** What becomes of a signature that a file has already. */
export type ExistingSignature = "Replace" | "Append";

/** A file on the server's machine that records are appended to, each on a line of its own in JSON. */
export interface FileReceiver {
  /**
   * Its name without `.jsonl`, in the folder that the server's start option `--audit-files` names: 1 to 64 letters, digits,
   * hyphens and underscores of ASCII, the first one no hyphen. No other target has it.
   */
  name: string;
}

/**
 * How the API key shall be that an application is made with. It ends never, may come from anywhere and gives all that the
 * identity has, where nothing is said.
 */
export interface FirstApiKey {
  /** When it ends (RFC 3339). */
  expiresAt?: string | null;
  /** Its name; `first key` where this is absent. */
  name?: string | null;
  /** From where it may be used, such as `10.0.0.0/8` or `2001:db8::/32`. */
  networks?: string[];
  /** What it is restricted to. */
  scope?: ApiKeyScope | null;
}

/** What may take a fresh second factor of everybody in the session: what an installation can be taken over by. */
export type FreshFactorFor = "Decisions" | "Exports" | "Access" | "Custody" | "Rules";

/** What certificate is to be generated. */
export interface GenerateCertificate {
  /** What the certificate says besides. */
  certParams?: CertParams | null;
  /** The certificate profile; `profileUuid` is read too. */
  certProfileUuid: CertProfileId;
  /** The certificate that issues this one; without it, it is self-signed. */
  issuerUuid?: CertificateId | null;
  /** The new key's parameters, where `newKey.keyTypeUuid` is absent. */
  keyParams?: KeyParams | null;
  /** The new key. */
  newKey?: NewKey | null;
  /** Whether the certificate is kept; by default it is. */
  saveCert?: boolean | null;
  /**
   * The subject, such as `CN=…,O=…,C=US` or `/C=US/O=…/CN=…`; `subject` is read too. By default it
   * is empty for a leaf with alternative names, else a CN of the profile's name and the first 8 digits of the serial
   * number.
   */
  subjectOneline?: string | null;
  /** Whether it is trusted as an issuer; by default it is not. */
  trustCert?: boolean | null;
}

/** A certificate that was generated. */
export interface GeneratedCertificate {
  /** The certificate in PEM. */
  certificate: string;
  /** Its id in the inventory, which knows it also where the certificate itself was not saved. */
  certificateUuid: CertificateId;
  /** Its key, if that was kept. */
  keyUuid?: KeyId | null;
  /** Last moment of its validity: RFC 3339, UTC. */
  notAfter: string;
  /** First moment of its validity: RFC 3339, UTC. */
  notBefore: string;
  /** Its serial number in hexadecimal digits. */
  serialNumber: string;
  /** What somebody should know about it, in sentences. */
  warnings?: string[];
}

/** What a Control Rule demands before somebody detokenizes in full. Whoever asks never approves. */
export interface GrantRules {
  /** Who approves first, as in the rules of a signing policy. */
  approvalSteps?: ApprovalStep[];
  /** Approvals that a grant needs, 1 to 64. */
  numApprovals: number;
  /** How long a request waits for its approvals; for ever by default. */
  requestLifetime?: ValidityPeriod | null;
}

/** The hash algorithms of the interface (`hashAlgorithm`). */
export type HashType = "Md5" | "RipeMd" | "Sha1" | "Sha2_224" | "Sha2_256" | "Sha2_384" | "Sha2_512" | "Sha3_224" | "Sha3_256" | "Sha3_384" | "Sha3_512" | "Shake128" | "Shake256" | "Shake256_64";

/** Answer of GET /healthz. */
export interface Health {
  /** `ok`; a process that is not well does not answer. */
  status: HealthStatus;
}

/** `status` of the answers to an operator's questions. */
export type HealthStatus = "ok";

/** What a rule for partial detokenization shows. */
export interface HeldMask {
  /** What is revealed, by its name. */
  mask?: MaskTemplate | null;
  /** What stands for each hidden symbol. */
  maskChar: string;
  /** How many symbols; absent where there is `mask`. */
  reveal?: number | null;
  /** At which end. */
  revealFrom?: RevealFrom | null;
}

/** One thing that an identity can do, and by which role. */
export interface HeldRight {
  /** How many different holders of the role have to log in together for it. */
  loginsRequired: number;
  /** What is shown at most; absent where it is everything, or nothing is shown. */
  mask?: HeldMask | null;
  /** So many approvals are needed before, for each grant; absent where nobody is asked. */
  numApprovals?: number | null;
  /** By which permission; absent of Control Rules. */
  perm?: Perm | null;
  /** What. */
  right: AccessRight;
  /** By which role. */
  role: AuditRole;
  /** With which token profile; absent of permissions. */
  tokenProfile?: TokenProfileIdObjInfo | null;
}

/** Answer of a call under /home/v1 that succeeded and has nothing more to say, and of one that was refused. */
export interface HomeAnswer {
  /** The reason as a word, where it is another than that nobody is logged in. */
  errorCode?: ErrorCode | null;
  /** One sentence for a person. */
  message: string;
  /** `Success` or `Failure`. */
  status: HomeStatus;
}

/** `status` of the answers under /home/v1. */
export type HomeStatus = "Success" | "Failure";

/** A receiver that is posted to. */
export interface HttpReceiver {
  /**
   * Where it is: `https://…`. Addresses that are not public are refused unless the server's start options list their
   * network; redirects are not followed. Of OTLP it is the whole address, such as `https://collector:4318/v1/logs`.
   */
  url: string;
}

/** A person or an application. */
export interface Identity {
  /** When it was created (RFC 3339, UTC). */
  createdAt: string;
  /** When it may, in UTC: days, where they are not all, and the time from which and until which; always where there are none. */
  hours?: string[];
  /** Person or application. */
  kind: IdentityKind;
  /** Whether it is locked, and so cannot log in. */
  locked: boolean;
  /** From where it may log in and act; from everywhere where there are none. */
  networks?: string[];
  /** Name and id. */
  objInfo: IdentityIdObjInfo;
  /** Until when its password, which others gave it for one use, sets another one (RFC 3339, UTC). Until then it logs nobody in. */
  oneTimePasswordUntil?: string | null;
  /** When its password was last set by somebody else (RFC 3339, UTC). */
  passwordResetAt?: string | null;
  /** How it was recovered on the host, until somebody has acknowledged that. */
  recovery?: Recovery | null;
  /** Its roles. */
  roleUuids: RoleId[];
  /** Its second factor; absent where it logs in by a password alone. */
  totp?: TotpState | null;
}

/** Whose tokens of a provider stand for an identity. */
export interface IdentityBinding {
  /** Further claims of the tokens with their values. */
  claims: Record<string, string>;
  /** When it was made (RFC 3339, UTC). */
  createdAt: string;
  /** The identity. */
  identityUuid: IdentityId;
  /** Name and id. */
  objInfo: IdentityBindingIdObjInfo;
  /** The provider. */
  providerUuid: IdentityProviderId;
  /** The `sub` of the tokens, or the subject of the certificates; any where this is absent. */
  subject?: string | null;
}

export type IdentityBindingId = string;

/** Answer of POST /api/v2/identities. */
export interface IdentityCreated {
  /** What an application without password logs in with. Shown this once. */
  apiKey?: string | null;
  /** The new identity. */
  uuid: IdentityId;
}

export type IdentityId = string;

/** Whether an identity is somebody or something. */
export type IdentityKind = "Person" | "Application";

/** An OpenID Connect provider, an authority of client certificates, or a directory. */
export interface IdentityProvider {
  /** Which algorithms its tokens may be signed with. */
  algorithms: JwtAlgorithm[];
  /**
   * Whom its tokens have to be for; none of an authority of client certificates or a directory, as with all that is about
   * tokens.
   */
  audiences: string[];
  /** The certificates of the authority, PEM; absent where it is an OpenID Connect provider. */
  authorityCertificates?: string | null;
  /** The authority of this installation that it is; absent where it is another one, or no authority. */
  authorityUuid?: CertificateId | null;
  /** As which client this installation is registered at it; absent where nobody logs in by it. */
  clientId?: string | null;
  /** When it was made (RFC 3339, UTC). */
  createdAt: string;
  /** Whether its tokens, certificates or passwords are taken at all. */
  enabled: boolean;
  /** Whether there is a secret of the client; absent without a `clientId`. */
  hasClientSecret?: boolean | null;
  /** The `iss` of its tokens; the subject of an authority of client certificates (RFC 4514); what a directory is called. */
  issuer: string;
  /** Its public keys as they were given; absent where they are fetched. */
  jwks?: string | null;
  /** The directory; absent where it is none. */
  ldap?: LdapServer | null;
  /** Name and id. */
  objInfo: IdentityProviderIdObjInfo;
  /** What is known of the revocation lists that were given. */
  revocationLists?: RevocationList[];
  /** Values of `acr` that tell of a second factor. */
  secondFactorAcr?: string[];
  /** Whether each token is taken once. */
  singleUse: boolean;
}

export type IdentityProviderId = string;

/** An identity in a list. */
export interface IdentityStub {
  /** Person or application. */
  kind: IdentityKind;
  /** Whether it is locked. */
  locked: boolean;
  /** Name and id. */
  objInfo: IdentityIdObjInfo;
}

/** A certificate authority from elsewhere, with its private key: `privateKey` and `certificates`, or `pkcs12`. */
export interface ImportAuthority {
  /**
   * The authority's certificate and what issued it, in any order, as for an import of certificates; beside `pkcs12`
   * those that are not in the file.
   */
  certificates?: string | null;
  /** The password of the file or of the key, in base64. */
  password?: SecretText | null;
  /** A PKCS#12 file in base64, encrypted by PBES2 with AES as OpenSSL 3 writes it. */
  pkcs12?: SecretText | null;
  /** A PKCS#8 key, encrypted (PBES2 with AES) or not: PEM, or its DER in base64. */
  privateKey?: SecretText | null;
}

/** Certificates from elsewhere. */
export interface ImportCertificates {
  /**
   * One certificate or several in any order, up to a root: PEM (also PKCS#7), or the DER of one certificate or of
   * PKCS#7 in base64.
   */
  certificates: string;
  /**
   * Whether the authorities among them are trusted: published at `/ca/UUID.crt` and found by their serial numbers. By
   * default they are not. None of them can issue here without its key.
   */
  trustCert?: boolean | null;
}

/** What was imported. */
export interface Imported {
  /** The authority whose key was imported. */
  certificateUuid?: CertificateId | null;
  /** Every certificate that was sent, each after its issuer. */
  certificates: ImportedCertificate[];
  /** Its key. */
  keyUuid?: KeyId | null;
  /** What somebody should know, in sentences. */
  warnings?: string[];
}

/** A certificate that was sent. */
export interface ImportedCertificate {
  /** Its id. */
  certificateUuid: CertificateId;
  /** Whether the inventory had it already. */
  existed: boolean;
  /** The certificate that issued it; its own id where it is self-signed. */
  issuerUuid: CertificateId;
  /** Its serial number in hexadecimal digits. */
  serialNumber: string;
  /** The subject in one line. */
  subject: string;
}

/** The proof that a signature or a certificate is in the transparency log (RFC 9162, section 2.1.3). */
export interface InclusionProof {
  /** The signed checkpoint. */
  checkpoint: string;
  /** The hashes from the entry up to the root, 32 bytes each. */
  hashes: Base64[];
  /** The entry's place in the log, from 0. */
  index: number;
  /** The entry itself. */
  leaf: Base64;
  /**
   * What opens the entry of a service whose `log` is `Internal`: SHA-256 of it and of the entry that is not told is
   * the entry's commitment.
   */
  salt?: Base64 | null;
  /** Entries of the log that the checkpoint speaks of. */
  treeSize: number;
}

/** The approval that the certificates of a service need: what their issuer demands of everything that it issues. */
export interface IssuancePolicy {
  /** What it demands now. */
  approval: ApprovalRules;
  /** The authority that issued the service's certificate. */
  issuerUuid: CertificateId;
  /** What waits for approvals; until it has them, all is as it was. */
  pendingChange?: Proposed | null;
}

/**
 * Answer to a request for a certificate: the certificate, or, where its profile or its issuer demands approvals, what
 * waits for them.
 */
export type Issued = GeneratedCertificate | Proposed;

/** What an authority demands of everything that it issues. */
export interface IssuerApproval {
  /** What it demands now. */
  approval: ApprovalRules;
  /** What waits for approvals; until it has them, all is as it was. */
  pendingChange?: Proposed | null;
}

/** What an item of a manifest is, beside the last manifest that was signed under the policy. */
export type ItemChange = "Added" | "Changed" | "Same";

/** What is wrong with one value of a batch. */
export interface ItemError {
  /** The error this value alone would have been answered with. */
  errorCode: ErrorCode;
  /** Position in the request's array, from 0. */
  index: number;
  /** One sentence for a person. */
  message: string;
}

/** A call that had the token, or the part of one that is in one record of the journal. */
export interface JournalCall {
  /** What was done. */
  action: Action;
  /** In whose name, with the names that they have now. */
  identities: JournalIdentity[];
  /** The places of the first hundred of them among the call's values, from 0. */
  indexes: number[];
  /** The version of the key; absent where each token tells its own, or none was used. */
  keyVersion?: number | null;
  /** How many of those in this record had the token. */
  matches: number;
  /** How it ended. */
  outcome: ErrorCode;
  /** The record's number. */
  record: number;
  /** The id of the request, as its answer and the log have it. */
  requestId: string;
  /** The segment of the journal: `chancery audit verify-journal` names places by it and the record's number. */
  segment: number;
  /** The session. */
  session: ObjectId;
  /** The address that it came from. */
  source: string;
  /** When (RFC 3339, UTC, to the millisecond). */
  time: string;
  /** The token profile under which it was. */
  tokenProfileUuid: TokenProfileId;
  /** Values of the whole call. */
  values: number;
  /** How much of the value was shown. */
  view: JournalView;
}

/** Calls that had a token, the oldest first, as far as this server's journal was looked through. */
export interface JournalCalls {
  /**
   * Whether this and the answers before it have all calls of this token in the time that was asked for: `next` is absent,
   * every journal of the installation that may have some is `Searched`, and none of them begins later than `from`.
   */
  complete: boolean;
  /** The calls. There may be none in an answer that has a `next`: so far nothing was found. */
  items: JournalCall[];
  /**
   * The journals that may have calls of that time: those of all servers, and of former ones; that of the server that answers is the
   * first.
   */
  journals: SearchedJournal[];
  /** What `after` shall be for what comes next; absent where all of this server's journal was looked through. */
  next?: string | null;
}

/** An identity of a call. */
export interface JournalIdentity {
  /** Its name now; absent where it was deleted. */
  name?: string | null;
  /** Its id. */
  uuid: IdentityId;
}

/** What became of a journal in a search. */
export type JournalStanding = "Searched" | "NotWhole" | "Elsewhere" | "Missing";

/** How much of the values a call of the data plane showed. */
export type JournalView = "None" | "Full" | "Partial";

/**
 * How an identity provider signs its tokens (RFC 7518, section 3.1; RFC 8037). There is none without a signature, and
 * none with a shared secret.
 */
export type JwtAlgorithm = "RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "EdDSA";

/** A key; its secret is never answered. */
export interface Key {
  /** The token algorithm that this data key is bound to: the first that used it. */
  boundAlgorithm?: TokenAlgorithm | null;
  /** The newest version. */
  currentVersion: number;
  /** Its key type. */
  keyTypeUuid: KeyTypeId;
  /** Name and id. */
  objInfo: KeyIdObjInfo;
  /** Where it was made: an imported key existed outside of this installation. */
  origin: Origin;
  /** Algorithm and size. */
  parameters: KeyParameters;
  /** Whether it may be used at all. */
  state: KeyState;
  /** What it may be used for. */
  usages: KeyUsage[];
  /** Its id, as in `objInfo`. */
  uuid: KeyId;
  /** All versions, the oldest first. */
  versions: KeyVersion[];
  /** Only in the answer to what makes or changes it: the members of the body that are not known. */
  warnings?: string[];
}

/** The algorithm family of a key. */
export type KeyAlgorithm = "Rsa" | "Ec" | "Ed25519" | "MlDsa" | "Aes" | "Hmac";

export type KeyId = string;

/** Algorithm and size of a key. */
export interface KeyParameters {
  /** The curve, for `Ec`. */
  curve?: Curve | null;
  /** The algorithm family. */
  keyAlgorithm: KeyAlgorithm;
  /** Bits of the modulus, of the curve's field or of the secret; for ML-DSA the number of the parameter set. */
  keySize: number;
}

/** A key's parameters, where no key type is named. */
export interface KeyParams {
  /** The curve, for `Ec`. */
  curve?: Curve | null;
  /** The algorithm family. */
  keyAlgorithm: KeyAlgorithm;
  /** Its size. */
  keySize?: number | null;
}

/** Whether a key may be used. */
export type KeyState = "Enabled" | "Disabled";

/** A key in a list. */
export interface KeyStub {
  /** Its key type. */
  keyTypeUuid: KeyTypeId;
  /** Name and id. */
  objInfo: KeyIdObjInfo;
  /** Algorithm and size. */
  parameters: KeyParameters;
  /** Whether it may be used at all. */
  state: KeyState;
  /** What it may be used for. */
  usages: KeyUsage[];
}

export type KeyTypeId = string;

/** A key type in a list. */
export interface KeyTypeStub {
  /** Name and id. */
  objInfo: KeyTypeIdObjInfo;
  /** Algorithm and size. */
  parameters: KeyParameters;
  /** Whether it came with Chancery. */
  system: boolean;
  /** What its keys may be used for. */
  usages: KeyUsage[];
}

/** What a key may be used for. */
export type KeyUsage = "Sign" | "Tokenize" | "Detokenize";

/** A version of a key. */
export interface KeyVersion {
  /** When it was made: RFC 3339, UTC. */
  createdAt: string;
  /** The public half (SubjectPublicKeyInfo in DER), if there is one. */
  publicKey?: Base64 | null;
  /** Its number, from 1. */
  version: number;
}

/**
 * By which attribute a directory tells who somebody is for ever: of OpenLDAP (RFC 4530), Active Directory, 389 Directory
 * Server and FreeIPA. None of them is a name, and none is given twice.
 */
export type LdapIdAttribute = "entryUUID" | "objectGUID" | "nsUniqueId" | "ipaUniqueID";

/** Where a directory is, and how somebody's entry is found in it. The password of the service account is not shown. */
export interface LdapServer {
  /** The authorities that its certificate may be of, PEM; absent for those that the server trusts. */
  authorities?: string | null;
  /** Below what is searched. */
  baseDn?: string | null;
  /** The service account that searches. */
  bindDn?: string | null;
  /** By what, with `{username}` in it. */
  filter?: string | null;
  /** The attribute whose value is the subject. */
  idAttribute: LdapIdAttribute;
  /** Its address. */
  url: string;
  /** The name of an entry, with `{username}` in it; absent where it is searched for. */
  userDn?: string | null;
}

/** Paging and filter: query members of a GET, body members of a POST. */
export interface ListQuery {
  /** In the place of `page`: the `next` of an answer to the same query. */
  after?: string | null;
  /** Page number, from 1. */
  page?: number | null;
  /** Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000. */
  pageSize?: number | null;
  /** A case-insensitive part of the name. */
  search?: string | null;
}

/** What the transparency log tells of a service's signatures: their digests, or only that something was signed. */
export type LogVisibility = "Public" | "Internal";

/** Answer of a login that succeeded. */
export interface LoginAnswer {
  /** `Success`. */
  message: string;
  /** Where the session stands now. */
  response: LoginState;
}

/** Answer of a login that was refused. */
export interface LoginFailure {
  /**
   * Why; the same words for an unknown name, a wrong password, a wrong or missing code, a wrong
   * passkey, and a delayed or locked identity.
   */
  message: string;
  /** Says that this call logged nobody in. */
  response: NotLoggedIn;
  /** `Failure`. */
  status: HomeStatus;
}

/** Body of POST /home/v1/login. */
export interface LoginRequest {
  /** Who logs in, and the proof. */
  authCredentials: AuthCredentials;
  /** Which kind of proof it is. */
  authType: AuthType;
}

/** Where a session stands after a login. */
export interface LoginState {
  /** Whether as many different identities as a shared role demands have logged in. */
  fullyLoggedIn: boolean;
  /** Whether the installation is in hardened mode. */
  hardened: boolean;
  /** Whether the session may administer. */
  management: boolean;
  /** What the satisfied roles permit; empty until fully logged in. */
  perms: Perm[];
}

/** How an identity proved who it is. More ways and members may come. */
export interface LoginWay {
  /** Which key; only with the way `ApiKey`, and not in records of a release that did not tell. */
  apiKey?: AuditApiKey | null;
  /** Which certificate; only with the way `Certificate`. */
  certificate?: AuditCertificate | null;
  /** Which passkey; only with the way `Password+Passkey`. */
  passkey?: AuditPasskey | null;
  /** Whose token or account it was; only with the ways `Oidc`, `Oidc+Acr`, `Ldap`, `Ldap+Totp` and `TokenExchange`. */
  token?: AuditToken | null;
  /**
   * `Password`, `Password+Totp` (with a one-time code), `Password+Passkey`, `Oidc` (by an identity provider), `Oidc+Acr`
   * (with what counts as a second factor there), `Ldap` (by a directory), `Ldap+Totp`, `ApiKey`, `TokenExchange` or
   * `Certificate` (a client certificate of TLS).
   */
  way: string;
}

/** What the Luhn check digit of a token shall be. */
export type Luhn = "Ignore" | "Valid" | "Invalid";

/** A mailbox that notices are sent to by the server's SMTP relay. */
export interface Mailbox {
  /** One address, such as `releases@example.org`: of a person or of a list. */
  address: string;
}

/**
 * How a manifest differs from the last one that was signed under its policy: by name, and among what was really signed
 * then.
 */
export interface ManifestChanges {
  /** Items with names that it has not. */
  added: number;
  /** Items with its names and other digests. */
  changed: number;
  /** Names that it has, and that are gone. */
  gone: number;
  /** The first 1,000 of these names. */
  goneNames: string[];
  /** Items with its names and digests. */
  same: number;
  /** The last manifest; absent where none was signed before. Then all items are new. */
  since?: SigningRequestIdObjInfo | null;
  /** When it was signed (RFC 3339, UTC). */
  sinceSignedAt?: string | null;
}

/** One item of a manifest. */
export interface ManifestItem {
  /** Its digest, as `digest` of a request. */
  digest: Base64;
  /** Its name, unique in the manifest; 1 to 255 characters. The policy's `fileNames` apply to it. */
  name: string;
}

/** How far the items of a manifest are. */
export interface ManifestSummary {
  /** Items that could not be signed. */
  failed: number;
  /** Items that are signed. */
  signed: number;
  /** Items. */
  total: number;
}

/**
 * What a partial rule reveals, by its name: the first and last symbols, or of an e-mail address the domain, from the
 * last `@` on.
 */
export type MaskTemplate = "FirstOne" | "FirstSix" | "FirstSixLastFour" | "LastTwo" | "LastFour" | "FirstAndLast" | "EmailDomain";

/** One of those who have logged in. */
export interface Myself {
  /** Person or application. */
  kind: IdentityKind;
  /** How it proved who it is; absent in a session that a former release began. */
  login?: LoginWay | null;
  /** Its name at login. */
  name: string;
  /** Its roles that count in this session. */
  roles: AuditRole[];
  /** The address from which it logged in; absent in a session that a former release began. */
  source?: string | null;
  /** Its second factor, as it stands now; absent where it has none. */
  totp?: TotpState | null;
  /** The identity. */
  uuid: IdentityId;
}

/**
 * The names that an authority may certify (RFC 5280, 4.2.1.10): of each kind those in a permitted subtree, where there is
 * one, and in no excluded one. Subtrees are `DNS:example.com` (with all hosts below), `IP:10.0.0.0/8`, `IP:2001:db8::/32`,
 * `email:name@host.example`, `email:host.example`, `email:.example.com` (the hosts below), `URI:host.example`,
 * `URI:.example.com` and `dirName:O=Example,C=US`.
 */
export interface NameConstraintRules {
  /** `excludedSubtrees` is read too. */
  excluded?: string[];
  /** `permittedSubtrees` is read too. */
  permitted?: string[];
}

/** An object's name where its id is not the caller's to choose. */
export interface NameOnly {
  /** The name. */
  name: string;
}

/** The key of a new certificate. */
export interface NewKey {
  /** Its key type. */
  keyTypeUuid?: KeyTypeId | null;
  /** Whether the private key is kept, so that it can sign; by default it is. */
  save?: boolean | null;
}

/** Body of POST /api/v2/identities/{uuid}/password. */
export interface NewPassword {
  /**
   * Whether it is for one use: it logs nobody in, and sets another one for a day (POST /home/v1/login/password). Only of
   * others.
   */
  oneTime?: boolean;
  /** At least 12 characters of UTF-8. */
  password: Base64;
}

/** `{"fullyLoggedIn": false}`. */
export interface NotLoggedIn {
  /** Always false. */
  fullyLoggedIn: boolean;
}

/** A notice, as webhooks of the shape `Chancery` get it. None of the submitter's words are in it. */
export interface Notice {
  /** Approvals given and needed. */
  approvals?: ApprovalCount | null;
  /** How many days before its end this was told: 30, 7 or 1. */
  days?: number | null;
  /** What happened. */
  kind: NoticeKind;
  /** When the certificate ends: RFC 3339, UTC. */
  notAfter?: string | null;
  /** What kind of object it is about. */
  objectKind?: NoticeObject | null;
  /** Which object. */
  objectUuid?: ObjectId | null;
  /** Its number. Later notices have higher ones, with gaps. */
  sequence: number;
  /** The service whose key signs, or that a proposal is about. */
  serviceUuid?: ServiceId | null;
  /** Where the object stands since, in the words of its list. */
  state?: string | null;
  /** When it happened: RFC 3339, UTC. */
  time: string;
  /** The object's page in the console, where the server knows its own address. Whoever opens it logs in there. */
  url?: string | null;
  /** Its id, by which a notice that comes twice is known; the header `webhook-id` is the same. */
  uuid: NoticeId;
}

export type NoticeId = string;

/** What a notice tells of. */
export type NoticeKind = "Waiting" | "Approved" | "Signed" | "Applied" | "Denied" | "Withdrawn" | "Failed" | "Expired" | "Revoked" | "CertificateEnds" | "ApiKeyEnds" | "RowRefused" | "JournalFailed" | "LedgerFailed" | "ClockJumped" | "BudgetLow" | "AuditTargetFailed" | "IdentityRecovered" | "LoginChanged" | "WitnessFailed" | "Test";

/** What kind of object a notice is about. */
export type NoticeObject = "SigningRequest" | "Proposal" | "Certificate" | "ApiKey" | "Identity" | "TokenProfile" | "SigningPolicy" | "AuditTarget";

/** A target of notices; its secret is never answered. */
export interface NoticeTarget {
  /** When it was made: RFC 3339, UTC. */
  createdAt: string;
  /** What became of its notices. */
  deliveries: DeliveryState;
  /** Where they go by e-mail. */
  email?: Mailbox | null;
  /** Whether it gets notices at all. */
  enabled: boolean;
  /** Whether notices are signed. */
  hasSecret: boolean;
  /** Which notices it gets; all of them where this is empty. */
  kinds: NoticeKind[];
  /** Name and id. */
  objInfo: NoticeTargetIdObjInfo;
  /** Of which services; of all where this is empty. */
  serviceUuids: ServiceId[];
  /** Its id, as in `objInfo`. */
  uuid: NoticeTargetId;
  /** Where notices go by webhook. */
  webhook?: Webhook | null;
}

export type NoticeTargetId = string;

/** What came of trying a target out. */
export interface NoticeTested {
  /** What it answered, cut short, or why it could not be reached. */
  answer: string;
  /** Whether the target took it. */
  delivered: boolean;
  /** The HTTP status that it answered, if it did; of e-mail the reply code of SMTP. */
  status?: number | null;
  /** The notice that was sent. */
  uuid: NoticeId;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface ApiKeyIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface AuditTargetIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface CertProfileIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface CertificateIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface IdentityBindingIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface IdentityIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface IdentityProviderIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface KeyIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface KeyTypeIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface NoticeTargetIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface ObjectIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface PasskeyIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface PolicyIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface ProposalIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface RoleIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface ServiceIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface SigningRequestIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

/** An object's name and id. `id` is one of the typed ids. */
export interface TokenProfileIdObjInfo {
  /** The name that people gave it. */
  name: string;
  uuid: string;
}

export type ObjectId = string;

/** Answer of POST /home/v1/login/oidc. */
export interface OidcBegun {
  /**
   * Where the browser goes on: the provider's page. What it says comes back by the cookie that this answer sets, within ten
   * minutes.
   */
  authorizationUrl: string;
  /** `Success`. */
  message: string;
  /** `Success`. */
  status: HomeStatus;
}

/** Answer of GET /home/v1/login/oidc. */
export interface OidcProviders {
  /** Whether connections to this socket are asked for a client certificate, by which `authType` `certificate` logs in. */
  certificates?: boolean;
  /** The directories by whose passwords `authType` `ldap` logs in, by name. */
  directories?: IdentityProviderIdObjInfo[];
  /** `Success`. */
  message: string;
  /**
   * Whether people log in with passkeys besides the password: whether this server was told a DNS name by which browsers
   * reach it.
   */
  passkeys?: boolean;
  /** The providers by which people log in, by name; none where the server was not told its own address. */
  providers: IdentityProviderIdObjInfo[];
  /** `Success`. */
  status: HomeStatus;
}

/** What a Control Rule grants. */
export type Operation = "Tokenize" | "Detokenize" | "PartialDetokenize" | "Batch";

/** Where a certificate or a key was made. */
export type Origin = "Generated" | "Imported";

/** A passkey. It signs nothing, and logs nobody in, before a second person has confirmed it. */
export interface Passkey {
  /** Until when it can be confirmed; absent once it is. */
  confirmUntil?: string | null;
  /** When a second person confirmed it; absent until then. */
  confirmedAt?: string | null;
  /** Who did: all identities of one session, by their names at that time. */
  confirmedBy?: IdentityIdObjInfo[];
  /** When it was enrolled (RFC 3339, UTC). */
  createdAt: string;
  /** Whose it is. */
  identityUuid: IdentityId;
  /** When it signed last; absent where it never did. */
  lastUsedAt?: string | null;
  /** Name and id. */
  objInfo: PasskeyIdObjInfo;
  /** Its public key (SubjectPublicKeyInfo in DER), as `chancery verify --approver-keys` takes it. */
  publicKey: Base64;
  /** SHA-256 of the public key, by which two people tell that they mean the same passkey. */
  publicKeySha256: Base64;
  /** The host that it is for; it signs nothing where the server is reached by another. */
  rpId: string;
  /** Whether it can be copied to other devices of its owner, as its authenticator says. */
  synced: boolean;
}

/** What the browser is to be asked for, and what it is brought back with. */
export interface PasskeyBegun {
  /** Until when (RFC 3339, UTC). */
  expiresAt: string;
  /** For `PublicKeyCredential.parseCreationOptionsFromJSON` and `navigator.credentials.create`. */
  publicKey: CreationOptions;
  /** What to send with the new passkey. */
  ticket: string;
}

/** Answer of POST /home/v1/login/passkey, which is the same for everybody. */
export interface PasskeyChallenge {
  /** Until when (RFC 3339, UTC). */
  expiresAt: string;
  /** `Success`. */
  message: string;
  /**
   * For `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`. No passkeys are listed: the
   * browser knows those that it has for this host.
   */
  publicKey: RequestOptions;
  /** `Success`. */
  status: HomeStatus;
  /** What to send with the signature. It is good once. */
  ticket: string;
}

export type PasskeyId = string;

/** What a passkey has signed, for a login. */
export interface PasskeyProof {
  /** What `PublicKeyCredential.toJSON` says; members that are not listed are not looked at. */
  credential: AssertionCredential;
  /** What came with the challenge. */
  ticket: string;
}

/** The passkeys of an identity. */
export interface Passkeys {
  /** All of them, by name. */
  results: Passkey[];
}

/** What shall change in an API key; members that are absent stay as they are. */
export interface PatchApiKey {
  /** Another end; `null` for none. */
  expiresAt?: string | null;
  /** Another name. */
  name?: string | null;
  /** Other networks, which replace all of the present ones; an empty list lets it be used from everywhere. */
  networks?: string[] | null;
  /** Another restriction; `null` for none. */
  scope?: ApiKeyScope | null;
}

/** What is to be changed of a target. What is absent stays, and so does how far it has the records. */
export interface PatchAuditTarget {
  /** Whether it gets records. What is written while it gets none it gets afterwards. */
  enabled?: boolean | null;
  /** Which file it is from now on. A target stays of its kind. */
  file?: FileReceiver | null;
  /** A new name. */
  name?: string | null;
  /** Where a receiver of OTLP is from now on. */
  otlp?: HttpReceiver | null;
  /** A new secret. */
  secret?: Base64 | null;
  /** Where a receiver of syslog is from now on. */
  syslog?: SyslogReceiver | null;
  /** Where a webhook is from now on. */
  webhook?: HttpReceiver | null;
}

/**
 * What shall change in a certificate profile; members that are absent stay as they are, and each that is there
 * replaces the whole member.
 */
export interface PatchCertProfile {
  /** See `CertProfile::approval`. */
  approval?: ApprovalRules | null;
  /** See `CertProfile::basic_constraints`. */
  basicConstraints?: ProfileConstraints | null;
  /** See `CertProfile::crl_urls`. */
  crlUrls?: string[] | null;
  /** See `CertProfile::enabled`. */
  enabled?: boolean | null;
  /** See `CertProfile::extended_key_usages`. */
  extendedKeyUsages?: string[] | null;
  /** See `CertProfile::hash_algorithms`. */
  hashAlgorithms?: HashType[] | null;
  /** See `CertProfile::issuer_urls`. */
  issuerUrls?: string[] | null;
  /** See `CertProfile::key_type_uuids`. */
  keyTypeUuids?: KeyTypeId[] | null;
  /** See `CertProfile::key_usages`. */
  keyUsages?: CertKeyUsage[] | null;
  /** See `CertProfile::max_validity_period`. */
  maxValidityPeriod?: ValidityPeriod | null;
  /** `null` takes them away. */
  nameConstraints?: NameConstraintRules | null;
  /** A new name. */
  objInfo?: NameOnly | null;
  /** See `CertProfile::ocsp_urls`. */
  ocspUrls?: string[] | null;
  /** See `CertProfile::policies`. */
  policies?: string[] | null;
  /** See `CertProfile::subject`. */
  subject?: SubjectRules | null;
  /** See `CertProfile::subject_alt_names`. */
  subjectAltNames?: AltNameRules | null;
  /** See `CertProfile::validity_period`. */
  validityPeriod?: ValidityPeriod | null;
}

/** Body of PATCH /api/v2/identities/{uuid}; what is absent stays as it is. */
export interface PatchIdentity {
  /**
   * When it may act, in UTC, such as `Mon-Fri 07:00-19:00` or `22:00-06:00`; they replace all of the present ones, and an
   * empty list lets it act always.
   */
  hours?: string[] | null;
  /** Another name. */
  name?: string | null;
  /**
   * From where it may act, such as `10.0.0.0/8` or `2001:db8::/32`; they replace all of the present ones, and an empty list
   * lets it act from everywhere.
   */
  networks?: string[] | null;
  /** `true`: how the identity was recovered on the host is known and as it should be; the alarm of it ends. */
  recoveryAcknowledged?: boolean | null;
  /** Other roles; they replace all of the present ones. */
  roleUuids?: RoleId[] | null;
}

/** What shall change in a provider; members that are absent stay as they are. */
export interface PatchIdentityProvider {
  /** Other algorithms, which replace all of the present ones; an empty list stands for `RS256` and `ES256`. */
  algorithms?: JwtAlgorithm[] | null;
  /** Other audiences, which replace all of the present ones. */
  audiences?: string[] | null;
  /** Other certificates of an authority elsewhere, of the same subject, which replace all of the present ones. */
  authorityCertificates?: string | null;
  /** Another client; the secret of the one before goes with it. `null`: nobody logs in by the provider any more. */
  clientId?: string | null;
  /** Another secret of the client; `null` for none. */
  clientSecret?: string | null;
  /** Other revocation lists, which replace all of the present ones. */
  crls?: string | null;
  /** Whether its tokens are taken at all. `false` ends the sessions of all identities that are bound to it. */
  enabled?: boolean | null;
  /** Other public keys; `null` to have them fetched. */
  jwks?: string | null;
  /** What shall change in a directory; members that are absent stay as they are. */
  ldap?: DescribeLdap | null;
  /** Another name. */
  name?: string | null;
  /** Other values of `acr` that tell of a second factor, which replace all of the present ones. */
  secondFactorAcr?: string[] | null;
  /** Whether each token is taken once. */
  singleUse?: boolean | null;
}

/** What shall change in the approval that certificates need; members that are absent stay as they are. */
export interface PatchIssuancePolicy {
  /** See `ApprovalRules::approval_steps`. */
  approvalSteps?: ApprovalStep[] | null;
  /** See `ApprovalRules::num_approvals`. */
  numApprovals?: number | null;
  /** See `ApprovalRules::request_lifetime`; null for ever. */
  requestLifetime?: ValidityPeriod | null;
  /** See `ApprovalRules::self_approval`; null for the default. */
  selfApproval?: SelfApproval | null;
}

/** What is to be changed of a key. What is absent stays. */
export interface PatchKey {
  /** A new name. */
  name?: string | null;
  /** What it may be used for from now on, a subset of the type's usages. */
  usages?: KeyUsage[] | null;
}

/** A new name, or the old one. */
export interface PatchName {
  /** The name. */
  name?: string | null;
}

/** What is to be changed of a target. What is absent stays. */
export interface PatchNoticeTarget {
  /** The mailbox that they go to from now on. A webhook stays one, and a mailbox a mailbox. */
  email?: Mailbox | null;
  /** Whether it gets notices at all. What happens while it gets none is not told later. */
  enabled?: boolean | null;
  /** Which notices it gets from now on; an empty list stands for all. */
  kinds?: NoticeKind[] | null;
  /** A new name. */
  name?: string | null;
  /** A new key by which notices are signed. */
  secret?: Base64 | null;
  /** Of which services; an empty list stands for all. */
  serviceUuids?: ServiceId[] | null;
  /** Where notices go from now on: the address in full, also where a part of it is not shown. */
  webhook?: Webhook | null;
}

/** Another name. */
export interface PatchPasskey {
  /** Its new name. */
  name: string;
}

/** Control Rules that replace all those before. */
export interface PatchPermissions {
  /** Which roles may do what. */
  controlRules: ControlRule[];
}

/**
 * Body of PATCH /api/v2/roles/{uuid}; what is absent stays as it is. `system`, which only the answer to GET has, may be
 * sent and means nothing; other members are refused.
 */
export interface PatchRole {
  /** Another number of logins: 1 or 2. */
  loginsRequired?: number | null;
  /** Whether its holders may administer. */
  management?: boolean | null;
  /** Another name. */
  name?: string | null;
  /** Another name, as GET has it; `name` comes before it. */
  objInfo?: PatchName | null;
  /** Other permissions; they replace all of the present ones. */
  perms?: Perm[] | null;
  /** What else each holder must log in with besides a password. */
  secondFactor?: SecondFactor | null;
}

/**
 * Body of PATCH /api/v2/system/settings; what is absent stays as it is. `hardened` and `demo`, which only the answer to GET has, may
 * be sent and mean nothing; other members are refused.
 */
export interface PatchSettings {
  /** Whether the interface answers more than logins, health, public PKI endpoints and these settings. */
  apiAccess?: boolean | null;
  /**
   * For how long audit records are at hand, and how long they are kept; all of it, in the place of what it was. An empty object is
   * for ever.
   */
  auditRetention?: AuditRetention | null;
  /**
   * What takes a second factor of the last ten minutes of everybody in the session; all of it, in the place of what it was. To
   * change it takes that, too.
   */
  freshFactorFor?: FreshFactorFor[] | null;
}

/**
 * What a format shall be. Members that are absent stay as they are in a change, and take their defaults in a new profile;
 * there Ff1 and Random need `alphabet`, `minLength` and `maxLength`, or `pattern`.
 */
export interface PatchTokenFormat {
  /** See `TokenFormat::alphabet`. */
  alphabet?: string | null;
  /** See `TokenFormat::keep_leading`. */
  keepLeading?: number | null;
  /** See `TokenFormat::keep_trailing`. */
  keepTrailing?: number | null;
  /** See `TokenFormat::luhn`. */
  luhn?: Luhn | null;
  /** See `TokenFormat::max_length`. */
  maxLength?: number | null;
  /** See `TokenFormat::min_length`. */
  minLength?: number | null;
  /** See `TokenFormat::pass_through`. */
  passThrough?: string | null;
  /** `null` takes the pattern away. */
  pattern?: string | null;
  /** `null` makes tokens as long as their messages. */
  tokenLength?: number | null;
  /** `null` takes the prefix away. */
  versionPrefix?: number | null;
}

/** What shall change in a token profile; members that are absent stay as they are. */
export interface PatchTokenProfile {
  /** See `TokenProfile::algorithm`. */
  algorithm?: TokenAlgorithm | null;
  /** Replaces all rules. */
  controlRules?: ControlRule[] | null;
  /** See `TokenProfile::deterministic`. */
  deterministic?: boolean | null;
  /** See `TokenProfile::durability`. */
  durability?: Durability | null;
  /** What shall change in the format. */
  format?: PatchTokenFormat | null;
  /**
   * Whether `minDecryptVersion` may go above a key version that made tokens, where tokens do not tell their version:
   * those that are left then read as other, plausible messages.
   */
  giveUpTokens?: boolean | null;
  /** See `TokenProfile::key_uuid`. */
  keyUuid?: KeyId | null;
  /** See `TokenProfile::key_version`. */
  keyVersion?: number | null;
  /** See `TokenProfile::min_decrypt_version`. */
  minDecryptVersion?: number | null;
  /** A new name. */
  objInfo?: PatchName | null;
  /** `null` lets tokens be read for ever. */
  timeToLive?: ValidityPeriod | null;
  /** `null` takes the domain back to the profile's own id. */
  tweakDomain?: TokenProfileId | null;
  /** See `TokenProfile::use_iv`. */
  useIv?: boolean | null;
}

/** A new address that waits to be confirmed, with what is wanted there. */
export interface PendingMailbox {
  /** Where the code was sent. */
  address: string;
  /** Whether anything shall be sent. */
  enabled: boolean;
  /** Until when the code is good: RFC 3339, UTC. */
  expiresAt: string;
  /** Which notices shall be sent; all that concern the identity where this is empty. */
  kinds: NoticeKind[];
  /** Of which services; of all where this is empty. */
  serviceUuids: ServiceId[];
  /** How many wrong codes are still taken before a new one has to be asked for. */
  triesLeft: number;
}

/** One permission, spelled `Group:Sub` in `perms`. */
export type Perm = "Tokenization:Manage" | "Keys:Add" | "CertManage:Generate" | "CertManage:Manage" | "CertManage:Export" | "Services:Deploy" | "Signing:Submit" | "Signing:Approve" | "Identity:Manage" | "Audit:Read" | "System:Manage";

/** Where somebody has what concerns them sent. */
export interface PersonalMailbox {
  /** Where it is; absent until an address was confirmed, and once it was removed. */
  address?: string | null;
  /** When that was: RFC 3339, UTC. */
  confirmedAt?: string | null;
  /** What became of the notices. */
  deliveries: DeliveryState;
  /** Whether anything is sent. */
  enabled: boolean;
  /** Which notices are sent, of those that concern the identity; all of them where this is empty. */
  kinds: NoticeKind[];
  /** Whose it is. */
  objInfo: IdentityIdObjInfo;
  /** What takes the place of all that once its code is entered. */
  pending?: PendingMailbox | null;
  /** Of which services; of all where this is empty. */
  serviceUuids: ServiceId[];
}

/** What a signing service is made of. */
export interface PkiSigning {
  /** The hash of the signatures. */
  hashAlgorithm: HashType;
  /** The signing certificate, which is made in this call. */
  newCert: SigningCert;
  /** Approvals that a request needs, 0 to 64; 0 means that requests are signed on submission. */
  numApprovals: number;
  /** Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5; by default it does not. */
  rsaPss?: boolean | null;
  /** What the policy demands besides; nothing by default. */
  rules?: PolicyRules | null;
  /**
   * Whether whoever submitted a request may take part in approving it; by default `DualControl`, and always `Never`
   * in hardened mode.
   */
  selfApproval?: SelfApproval | null;
  /** The form of the signatures, for the life of the service's key. */
  signingFormat: SigningFormat;
  /** Whether signatures carry a time stamp, so that they outlive the certificate; by default they do not. Not for `Raw`. */
  timeStamp?: boolean | null;
}

export type PkiSigningMember = PkiSigning;

/** One window of a policy's budget. */
export interface PolicyBudgetUse {
  /** How many signatures the window has. */
  count: number;
  /** Whether each submitter has as many. */
  each: boolean;
  /** When it ends (RFC 3339). */
  endsAt: string;
  /** Whose it is, with `each`. */
  identityUuid?: IdentityId | null;
  /** How many are left; with several servers at least. */
  left: number;
  /** How long it is. */
  per: BudgetPeriod;
  /** When it began (RFC 3339). */
  startsAt: string;
  /** How many are used; with several servers at most, since what another has set aside for itself counts. */
  used: number;
}

/** What of a policy's budgets is used now. */
export interface PolicyBudgets {
  /**
   * The windows that are open now: one for each budget, or with `each` one for each submitter who has used some of it,
   * 1,000 at most, those that used most.
   */
  budgets: PolicyBudgetUse[];
}

export type PolicyId = string;

/** What a policy demands of requests besides the number of approvals. What is absent, null or empty demands nothing. */
export interface PolicyRules {
  /**
   * Who approves first: approvals of these roles, in this order. Together they are at most `numApprovals`; what
   * remains is approved by anybody who may, after the last step.
   */
  approvalSteps?: ApprovalStep[];
  /**
   * How many signatures it makes in windows of time, all together or for each submitter; without budgets any number.
   * All of them have to have room for a request when it is signed.
   */
  budgets?: Budget[];
  /**
   * Only requests with such names are taken: `*` stands for any characters, `?` for one, letter case does not matter;
   * at most 100.
   */
  fileNames?: string[];
  /** Bytes of a payload at most. A digest does not tell the size, so it is refused then. */
  maxSize?: number | null;
  /** Whose SLSA provenance of files counts; at most 16. */
  provenanceIssuers?: ProvenanceIssuer[];
  /** Whether requests come with provenance of one of them, and are refused without. Needs `provenanceIssuers`. */
  provenanceRequired?: boolean;
  /** How long a request waits for its approvals; for ever by default. */
  requestLifetime?: ValidityPeriod | null;
  /** Signatures within 24 hours at most. */
  signaturesPerDay?: number | null;
  /** Signatures within an hour at most. */
  signaturesPerHour?: number | null;
  /**
   * Whether each approval is signed with a passkey of whoever gives it, also of changes of this policy and of
   * pre-approvals. Once one policy of a service says so, new ones say it too, and it is not taken back.
   */
  signedApprovals?: boolean;
  /** Only sessions that hold one of these roles submit; at most 100. */
  submitterRoleUuids?: RoleId[];
}

/** A pre-approval and its uses. */
export interface PreApproval {
  /** When it ends (RFC 3339, UTC); absent until it is approved, and where it has no end. */
  endsAt?: string | null;
  /** How many requests it can be used for. */
  maxRequests: number;
  /** Whose requests it is for; absent where it lists digests. */
  submitterUuid?: IdentityId | null;
  /** The digests that were used, and for which requests. */
  usedDigests: UsedDigest[];
  /** How many it was used for. */
  uses: number;
}

/** Whether something occurs in a certificate. */
export type Presence = "Optional" | "Required" | "Refused";

/** What the samples became. */
export interface PreviewAnswer {
  /** Which samples were refused, and why. */
  errors: ItemError[];
  /** The format with its defaults. */
  format: TokenFormat;
  /** The initialization vectors, in the same order, where the profile would use them. */
  ivs?: (Base64 | null)[] | null;
  /** What the service thinks of the profile's safety. */
  security: TokenSecurity;
  /** In the order of the samples; null where one was refused. The profile itself would make others. */
  tokens: (string | null)[];
}

/** A draft of a profile, and samples to tokenize under a key that is thrown away. */
export interface PreviewRequest {
  /**
   * What the profile would be. A template or a profile as it is read may be given; the name, the key and
   * `tweakDomain` mean nothing here.
   */
  profile: DraftTokenProfile;
  /** Up to 20 messages. */
  samples: string[];
}

/** The secret that a key had before its last rotation. */
export interface PreviousSecret {
  /** When it was last used (RFC 3339, UTC), to some minutes; absent where it never was. */
  lastUsedAt?: string | null;
  /** Until when it goes on (RFC 3339, UTC). */
  until: string;
}

/** Whether a profile's certificates can issue others. */
export interface ProfileConstraints {
  /** Whether the subject is a certificate authority. */
  ca?: boolean;
  /** How many authorities may stand below it on a path; `null`: as many as the issuer allows. */
  pathLength?: number | null;
}

/** One proposal in full. */
export interface Proposal {
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** What people have decided, oldest first; the first is who made it. */
  approvals: ProposalApproval[];
  /** How many approvals it takes. */
  approvalsRequired: number;
  /** A certificate profile before and after. */
  certProfile?: ProposedCertProfile | null;
  /** The certificate profile that it is about. */
  certProfileUuid?: CertProfileId | null;
  /** A certificate that shall be issued. */
  certificate?: CertificateToIssue | null;
  /** The certificate that was issued. */
  certificateUuid?: CertificateId | null;
  /** What is proposed, as a text: exactly what people approve. */
  content: string;
  /** When it took effect, was denied or failed (RFC 3339, UTC). */
  decidedAt?: string | null;
  /** A grant to detokenize, and what else was granted this month. */
  detokenizeGrant?: ProposedGrant | null;
  /** SHA-256 of the content. */
  digest: Base64;
  /** While a change waits: who would gain and lose what if it took effect now. It is no part of what people approve. */
  effect?: AccessEffect | null;
  /** When it stops waiting for approvals (RFC 3339, UTC); absent where it waits for ever. */
  expiresAt?: string | null;
  /** What an authority demands, before and after. */
  issuerApproval?: ProposedIssuerApproval | null;
  /** The authority that it is about. */
  issuerUuid?: CertificateId | null;
  /** What is proposed. */
  kind: ProposalKind;
  /** Whether it waits, and the rules take an approval of the session that asks. */
  mayApprove?: boolean;
  /** Of which roles the next approval has to come; absent where any approver will do. */
  nextRoleUuids?: RoleId[] | null;
  /** Its name and id. */
  objInfo: ProposalIdObjInfo;
  /** A policy before and after. */
  policy?: ProposedPolicy | null;
  /** The policy that it is about; one that is yet to be made has its uuid already. */
  policyUuid?: PolicyId | null;
  /** What was used of a pre-approval. */
  preApproval?: PreApproval | null;
  /** Why it failed. */
  reason?: string | null;
  /** Whether those who made it may take part in approving it, while it waits: the stricter of all rules that it is under. */
  selfApproval?: SelfApproval | null;
  /** The service that it is about. */
  serviceUuid?: ServiceId | null;
  /** Where it stands. */
  state: ProposalState;
  /** When it was made (RFC 3339, UTC). */
  submittedAt: string;
  /** All identities of the session that made it. */
  submittedBy: IdentityIdObjInfo[];
  /** The token profile that it is about. */
  tokenProfileUuid?: TokenProfileId | null;
}

/** One decision on a proposal. */
export interface ProposalApproval {
  /** When (RFC 3339, UTC). */
  decidedAt: string;
  /** What was decided. */
  decision: ProposalDecision;
  /** In whose name: all identities of one session. */
  identities: IdentityIdObjInfo[];
  /** What they said about it. */
  note: string;
  /** What their passkeys signed of it, where that was demanded. */
  signatures?: ApprovalSignature[];
}

/** What somebody did to a proposal. */
export type ProposalDecision = "Submit" | "Approve" | "Deny" | "Withdraw" | "Revoke";

export type ProposalId = string;

/** What is proposed. */
export type ProposalKind = "PreApproval" | "Policy" | "Certificate" | "CertProfile" | "Issuer" | "DetokenizeGrant";

/**
 * Where a proposal stands: `Active`, `UsedUp`, `Ended` and `Revoked` are those of a pre-approval and of a
 * grant to detokenize, `Issued` a certificate's, `Applied` that of all else.
 */
export type ProposalState = "Approval" | "Active" | "UsedUp" | "Ended" | "Revoked" | "Applied" | "Issued" | "Failed" | "Denied";

/** What a list says of a proposal. */
export interface ProposalStub {
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** The certificate profile that it is about. */
  certProfileUuid?: CertProfileId | null;
  /** The certificate that was issued. */
  certificateUuid?: CertificateId | null;
  /** The authority that it is about. */
  issuerUuid?: CertificateId | null;
  /** What is proposed. */
  kind: ProposalKind;
  /** Its name and id. */
  objInfo: ProposalIdObjInfo;
  /** The policy that it is about. */
  policyUuid?: PolicyId | null;
  /** The service that it is about. */
  serviceUuid?: ServiceId | null;
  /** Where it stands. */
  state: ProposalState;
  /** When it was made (RFC 3339, UTC). */
  submittedAt: string;
  /** The token profile that it is about. */
  tokenProfileUuid?: TokenProfileId | null;
}

/** Answer to a proposal, and to an approval of one. */
export interface Proposed {
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** How many approvals there are, and how many it takes. */
  approvals: ApprovalCount;
  /** The certificate that was issued. */
  certificateUuid?: CertificateId | null;
  /** SHA-256 of its `content`: what people approve. */
  digest: Base64;
  /** Why it failed. */
  reason?: string | null;
  /** Where it stands now. */
  state: ProposalState;
  /** The proposal. */
  uuid: ProposalId;
  /** In the answer to what was proposed: what somebody should know about it, in sentences. */
  warnings?: string[];
}

/** A certificate profile that shall change. */
export interface ProposedCertProfile {
  /** What it is after. */
  after: CertProfile;
  /** What it was when the change was proposed. */
  before: CertProfile;
}

/** A grant that is proposed, and what was granted lately. */
export interface ProposedGrant {
  /** What is asked for. */
  grant: DetokenizeGrant;
  /** What else was granted with this token profile since the month began, in UTC: the newest first, 100 at most. */
  thisMonth: DetokenizeGrant[];
  /** SHA-256 over the keyed hashes of the tokens that it lists. */
  tokensDigest?: Base64 | null;
}

/** What an authority shall demand. */
export interface ProposedIssuerApproval {
  /** What it demands after. */
  after: ApprovalRules;
  /** What it demanded when the change was proposed. */
  before: ApprovalRules;
}

/** A policy that is proposed. */
export interface ProposedPolicy {
  /** What it is after. */
  after: SigningPolicy;
  /** What it was when the change was proposed; absent where the policy is new. */
  before?: SigningPolicy | null;
}

/** Where the files of a request were built. One of the policy's issuers signed it; texts are as it wrote them. */
export interface Provenance {
  /** How it was built. */
  buildType: string;
  /** What built it. */
  builderId: string;
  /** SHA-256 of the envelope, in hexadecimal digits. */
  envelopeSha256: string;
  /** When it ended, as written there. */
  finishedOn?: string | null;
  /** This build among those of the builder. */
  invocationId?: string | null;
  /** Which issuer, by its name in the policy at that time. */
  issuer: string;
  /** SHA-256 of the issuer's public key (SubjectPublicKeyInfo in DER), in hexadecimal digits. */
  issuerKeySha256: string;
  /** `https://slsa.dev/provenance/v1` or `https://slsa.dev/provenance/v0.2`. */
  predicateType: string;
  /** What it was built from: the first 20. */
  sources: ProvenanceSource[];
  /** How many sources there are. */
  sourcesTotal: number;
  /** When the build began, as written there. */
  startedOn?: string | null;
}

/** Who says where files were built. */
export interface ProvenanceIssuer {
  /**
   * The builders whose builds count, each as `builder.id` of the provenance says it; none here: every one that it
   * signs for. At most 16.
   */
  builderIds?: string[];
  /** What approvers know it by, unique among those of the policy; 1 to 255 characters. */
  name: string;
  /** Its public key in PEM (`-----BEGIN PUBLIC KEY-----`): Ed25519, ECDSA or RSA. */
  publicKey: string;
}

/** What something was built from, such as a repository at a commit. */
export interface ProvenanceSource {
  /** Its digests in hexadecimal digits, by names such as `gitCommit` and `sha256`. */
  digest: Record<string, string>;
  /** What it is called. */
  name?: string | null;
  /** Its address. */
  uri?: string | null;
}

/** Answer of GET /readyz. */
export interface Readiness {
  /** Whether this is a demonstration: one file holds both halves of dual control. */
  demo: boolean;
  /**
   * Rows of the database that carry authority and are not what Chancery wrote, as far as this node has met them. They
   * are refused, and the rest goes on; the log and the audit name them. Absent where there are none.
   */
  refusedRows?: number;
  /** `ok`; what is not ready answers 503. */
  status: HealthStatus;
  /** Objects that cannot be read from the storage, if there are any: calls to each are Unavailable. */
  unreadable?: number;
}

/** Who answered for a recovery on the host, besides whoever has a shell there. */
export type RecoveredBy = "Two" | "One" | "Host";

/** A recovery on the host (`chancery recover`). */
export interface Recovery {
  /** Who answered for it. */
  by: RecoveredBy;
  /** Those people. */
  identities: IdentityIdObjInfo[];
  /** Why fewer than two did. */
  reason?: string | null;
  /** When it was (RFC 3339, UTC). */
  recoveredAt: string;
}

/** `RegistrationResponseJSON` of Web Authentication Level 3. */
export interface RegistrationCredential {
  /** By which the authenticator knows it, in base64url. */
  id: string;
  /** What it answered. */
  response: AttestationResponse;
}

/** What shall be different about a certificate with a new key. */
export interface RekeyCertificate {
  /** `validityPeriod` and `hashAlgorithm`, by default the profile's; the names stay. */
  certParams?: RenewParams | null;
  /** The certificate profile, for a certificate that was made elsewhere; others keep theirs. */
  certProfileUuid?: CertProfileId | null;
  /**
   * A PKCS#10 request with the new key, where it is made elsewhere: PEM, or its DER in base64. Nothing else is taken
   * from it.
   */
  csr?: string | null;
  /** The authority that shall issue; by default the one that did. */
  issuerUuid?: CertificateId | null;
  /** The new key; by default of the old one's type, and kept if that was. */
  newKey?: NewKey | null;
}

/** The site that a passkey is for. */
export interface RelyingPartyEntity {
  /** The host. */
  id: string;
  /** What people read. */
  name: string;
}

/** What shall be different about a renewed certificate: as a rule nothing but its validity. */
export interface RenewCertificate {
  /** `validityPeriod` and `hashAlgorithm`, by default the profile's; the names stay. */
  certParams?: RenewParams | null;
  /** The certificate profile, for a certificate that was made elsewhere; others keep theirs. */
  certProfileUuid?: CertProfileId | null;
  /** The authority that shall issue; by default the one that did. */
  issuerUuid?: CertificateId | null;
}

/** What may be different about a certificate that takes the place of another. */
export interface RenewParams {
  /** The hash under its signature. */
  hashAlgorithm?: HashType | null;
  /** How long it is valid; by default as the profile says. */
  validityPeriod?: ValidityPeriod | null;
}

/** Body of POST /api/v2/x509/services/{serviceUuid}/renew; every member is optional. */
export interface RenewService {
  /** The certificate authority that issues it; by default the one that issued the present one. */
  issuerUuid?: CertificateId | null;
  /** Its subject; by default that of the present one. */
  subjectOneline?: string | null;
  /** How long it is valid; by default as the certificate profile says. */
  validityPeriod?: ValidityPeriod | null;
}

/** Answer to a renewal. */
export interface RenewedService {
  /** Its new signing certificate; absent where that waits for approvals. */
  certificateUuid?: CertificateId | null;
  /**
   * The proposal of its certificate, where the issuer demands approvals; until it has them, the service signs with the
   * one that it has.
   */
  pendingCertificate?: Proposed | null;
  /** The one that it had, which is not revoked; absent where it had none. */
  previousCertificateUuid?: CertificateId | null;
  /** The service, which stays the same. */
  serviceUuid: ServiceId;
  /** What somebody should know about it, in sentences. */
  warnings?: string[];
}

/** What certificate is asked for with a PKCS#10 request. */
export interface RequestCertificate {
  /** What the certificate says besides; `subjectAltNames` take the place of the request's. */
  certParams?: CertParams | null;
  /** The certificate profile. */
  certProfileUuid: CertProfileId;
  /** The request: PEM, or its DER in base64. */
  csr: string;
  /** Whether the certificate is kept; by default it is. */
  saveCert?: boolean | null;
  /**
   * The authority that shall issue: its certificate, or a signing service for the one that issued its certificate. This
   * or `serviceUuid` is needed.
   */
  serviceOrIssuerUuid?: ObjectId | null;
  /** Another name of `serviceOrIssuerUuid`. */
  serviceUuid?: ObjectId | null;
  /** The subject; by default the request's. */
  subjectOneline?: string | null;
}

/** What somebody did to a signing request. */
export type RequestDecision = "Approve" | "Deny" | "Withdraw";

/** Body of POST /api/v2/token-profiles/{uuid}/grants. */
export interface RequestGrant {
  /** For how long, from the last approval on; at most 7 days. */
  lifetime: ValidityPeriod;
  /** How many values may be sent, at most 1,000,000. Each that is sent counts, also the same one again. */
  maxValues: number;
  /** What else to tell the approvers; at most 4 KiB. */
  note?: string | null;
  /** Why; 1 to 255 characters, which approvers see first. */
  reason: string;
  /** The role whose Control Rule demands the approvals, where several of the caller's do. */
  roleUuid?: RoleId | null;
  /** What it is about in another system; 1 to 255 characters. */
  ticket?: string | null;
  /** The tokens, at most 10,000; absent: any token of the profile. */
  tokens?: string[] | null;
}

/** `PublicKeyCredentialRequestOptionsJSON` of Web Authentication Level 3. */
export interface RequestOptions {
  /** The passkeys of the person that were confirmed; none where anybody is about to log in. */
  allowCredentials: CredentialDescriptor[];
  /** What is signed, in base64url. */
  challenge: string;
  /** The host. */
  rpId: string;
  /** Milliseconds. */
  timeout: number;
  /** `required`: a PIN, a finger or a face. */
  userVerification: string;
}

/** The end of a value that a partial rule reveals. */
export type RevealFrom = "Start" | "End";

/** A revocation list of an authority of client certificates. */
export interface RevocationList {
  /** Who issued it. */
  issuer: string;
  /** Until when it counts (RFC 3339, UTC): from then on certificates that only it covers are refused. */
  nextUpdate: string;
  /** How many certificates it revokes. */
  revoked: number;
  /** When it was issued (RFC 3339, UTC). */
  thisUpdate: string;
}

/** Why a certificate was revoked (RFC 5280, 5.3.1; `removeFromCRL` is said by releasing a hold). */
export type RevocationReason = "unspecified" | "keyCompromise" | "cACompromise" | "affiliationChanged" | "superseded" | "cessationOfOperation" | "certificateHold" | "privilegeWithdrawn" | "aACompromise";

/** Why a certificate is to be revoked. */
export interface RevokeCertificate {
  /** The reason, as RFC 5280 spells it. */
  reason: RevocationReason;
}

/** Tokens that shall become tokens of the newest key version. */
export interface RewrapRequest {
  /** The initialization vectors that came with them, in the same order, where the profile uses them. */
  ivs?: Base64[] | null;
  /** The version of the key that made the tokens, where they do not tell and the profile reads several. */
  keyVersion?: number | null;
  /** Whether bad values leave a `null` instead of failing the call. */
  partial?: boolean | null;
  /** The tokens. */
  tokens: string[];
}

/** `api.v2.dp.RewrapResponse`. */
export interface RewrapResponse {
  /** With `partial`: what was wrong with the values that are `null`, the first hundred of them. */
  errors?: ItemError[];
  /** The initialization vectors, in the same order, where the profile uses them: those that were given. */
  ivs?: (Base64 | null)[] | null;
  /** The version of the key that all tokens are of now; those of a shared vault may be of a newer one. */
  keyVersion: number;
  /** The new tokens, in the order of the old ones; one that was of the newest version already is the same. */
  tokens: (string | null)[];
}

/** A role. */
export interface Role {
  /** How many different holders must log in within one session. */
  loginsRequired: number;
  /** Whether its holders may administer. */
  management: boolean;
  /** Name and id. */
  objInfo: RoleIdObjInfo;
  /** What the role permits. */
  perms: Perm[];
  /** What each holder must log in with besides a password, for the role to count. */
  secondFactor: SecondFactor;
  /** Whether it is built in, and so cannot be changed. */
  system: boolean;
}

/** Answer of POST /api/v2/roles. */
export interface RoleCreated {
  /** The new role. */
  uuid: RoleId;
}

export type RoleId = string;

/** A role in a list. */
export interface RoleStub {
  /** How many different holders must log in within one session. */
  loginsRequired: number;
  /** Name and id. */
  objInfo: RoleIdObjInfo;
  /** Whether it is built in. */
  system: boolean;
}

/** How a key's secret is replaced. */
export interface RotateApiKey {
  /**
   * For how many seconds the secret of before goes on beside the new one: 0 to 2,592,000 (30 days); a day where this is
   * absent. One that was still going on from an earlier rotation ends at once.
   */
  overlapSeconds?: number | null;
}

/** Who had this token? What is absent filters nothing. */
export interface SearchJournal {
  /** The `next` of an answer of the same server to the same question. */
  after?: string | null;
  /** Only calls not before this moment (RFC 3339). */
  from?: string | null;
  /** Calls of one answer, 1 to 1,000; 50 where it is absent. */
  pageSize?: number | null;
  /** Only calls before this moment (RFC 3339). */
  to?: string | null;
  /** The token, as it was given out or sent, with or without characters that pass through. */
  token: string;
  /** The token profile; also one that was deleted. Profiles that share its tokens are looked for with it. */
  tokenProfileUuid: TokenProfileId;
}

/** A journal, and what became of it in a search. */
export interface SearchedJournal {
  /** When it began (RFC 3339). */
  beganAt: string;
  /** The places at which it is not as it was written. */
  faults?: string[];
  /** The host of its server. */
  host: string;
  /** Records that this answer looked through. */
  records?: number | null;
  /** Calls before this moment were removed because their time was over (RFC 3339). */
  removedBefore?: string | null;
  /** What became of it. */
  standing: JournalStanding;
  /** Its id, by which audit records and checkpoints of the ledger name it too. */
  uuid: ObjectId;
  /** When the database last heard how far it goes (RFC 3339). */
  writtenAt: string;
}

/** What a role demands of its holders besides a password. */
export type SecondFactor = "None" | "Totp" | "WebAuthn";

/** a secret: it is never answered */
export type SecretText = string;

/** Whether a submitter may approve the own request. */
export type SelfApproval = "DualControl" | "Never";

/** A service in full. */
export interface Service {
  /** Its certificate; absent where it was deployed without one. */
  certificate?: CertificateStub | null;
  /** Its certificate's id; absent where it was deployed without one. */
  certificateUuid?: CertificateId | null;
  /** Its name and id. */
  objInfo: ServiceIdObjInfo;
  /** The form of its signatures; absent for a time-stamping authority. */
  signingFormat?: SigningFormat | null;
  /** Its signing policies, by name; none for a time-stamping authority. */
  signingPolicies: SigningPolicy[];
  /** The template it was deployed from. */
  template: string;
}

export type ServiceId = string;

/** A service in a list. */
export interface ServiceStub {
  /** Its signing certificate; absent where it was deployed without one. */
  certificateUuid?: CertificateId | null;
  /** Its name and id. */
  objInfo: ServiceIdObjInfo;
  /** The form of its signatures; absent for a time-stamping authority. */
  signingFormat?: SigningFormat | null;
  /** The template it was deployed from. */
  template: string;
}

/** Answer of GET /home/v1/login. */
export interface SessionAnswer {
  /** `Success`, also where nobody is logged in. */
  message: string;
  /** Where the session stands. */
  response: SessionState;
}

/** Where a session stands, and whose it is. */
export interface SessionState {
  /** Whether as many different identities as a shared role demands have logged in. */
  fullyLoggedIn: boolean;
  /** Whether the installation is in hardened mode; false where nobody is logged in. */
  hardened: boolean;
  /** Who has logged in, in that order; empty where nobody has, or the session has ended. */
  identities: IdentityIdObjInfo[];
  /** Whether the session may administer. */
  management: boolean;
  /** What the satisfied roles permit; empty until fully logged in. */
  perms: Perm[];
}

/** Body of PUT /api/v2/identities/{uuid}/mailbox: where somebody wants to have what concerns them sent. */
export interface SetMailbox {
  /** One address, such as `alice@example.org`. A new one counts once its code was entered. */
  address: string;
  /** Whether anything is sent; `true` where this is absent. What happens meanwhile is not told later. */
  enabled?: boolean | null;
  /** Which notices are sent, of those that concern the identity; all of them where this is empty or absent. */
  kinds?: NoticeKind[];
  /** Only notices about requests and proposals of these services; of all where this is empty or absent. */
  serviceUuids?: ServiceId[];
}

/** The settings of the installation. */
export interface Settings {
  /** Whether the interface answers more than logins, health, public PKI endpoints and these settings. */
  apiAccess: boolean;
  /** For how long audit records are at hand, and how long they are kept: for ever as long as it is empty. */
  auditRetention?: AuditRetention;
  /** Whether this is a demonstration: one file holds both halves of dual control. */
  demo: boolean;
  /** What takes a second factor of the last ten minutes of everybody in the session. */
  freshFactorFor?: FreshFactorFor[];
  /** Whether the installation is in hardened mode. Set in the server's configuration. */
  hardened: boolean;
}

/** How far a target has the audit records. */
export interface ShippingState {
  /** How many records it is behind. */
  behind: number;
  /** Why it last failed. */
  error?: string | null;
  /** When it last failed: RFC 3339, UTC. */
  failedAt?: string | null;
  /** Whether it fails, so that `AuditTargetFail` was recorded and told. */
  failing: boolean;
  /** Failures since it last took what it had refused; of one that is failing, since it began to. */
  failures: number;
  /** The `sequence` of the record that it gets next: it has all before, from the first that it was to get. */
  nextSequence: number;
  /** How many it has taken, also those that it got twice. */
  shipped: number;
  /** When it last took something: RFC 3339, UTC. */
  shippedAt?: string | null;
  /** When it is tried again, where it failed: RFC 3339, UTC. */
  triedAgainAt?: string | null;
}

/** One item of a manifest, and what became of it. */
export interface SignedItem {
  /**
   * What it is beside the last manifest that was signed under the policy; only with `?include=changes`, and for whoever
   * may approve.
   */
  change?: ItemChange | null;
  /** Its digest. */
  digest: Base64;
  /**
   * The proof that its signature is in the transparency log; only with `?include=inclusionProof`, and null until a
   * checkpoint covers it.
   */
  inclusionProof?: InclusionProof | null;
  /** Its name. */
  name: string;
  /** Its signature; null until it is signed. */
  signature?: Base64 | null;
  /** Where it stands: as the request, but `Failed` where it alone could not be signed. */
  state: SigningRequestState;
}

/** A service's new signing certificate. */
export interface SigningCert {
  /** What it says besides. */
  certParams: SigningCertParams;
  /** The certificate authority that issues it. */
  issuerUuid: CertificateId;
  /** Its key. */
  newKey: SigningKeyParams;
  /** Its subject, such as `CN=…,O=…,C=US` or `/C=US/O=…/CN=…`. */
  subjectOneline: string;
}

/** What a service's certificate says besides its subject. */
export interface SigningCertParams {
  /** How long it is valid. */
  validityPeriod: ValidityPeriod;
}

/** The form of a signing request's result. */
export type SigningFormat = "Raw" | "CMS" | "Authenticode" | "JavaJar" | "Powershell" | "Msi";

/** A service's new key. */
export interface SigningKeyParams {
  /** Its key type. */
  keyTypeUuid: KeyTypeId;
  /** Whether it is kept, which is the default; a key that is not kept cannot sign, so `false` is refused. */
  save?: boolean | null;
}

/** One signing policy. */
export interface SigningPolicy {
  /** The hash of the signatures. */
  hashAlgorithm: HashType;
  /** Approvals that a request needs; 0 means that requests are signed on submission. */
  numApprovals: number;
  /** Its name and id. */
  objInfo: PolicyIdObjInfo;
  /**
   * In the answer to POST and PATCH: what waits for approvals. Until it has them there is no such policy, or it is
   * as it was.
   */
  pendingChange?: Proposed | null;
  /** Whether an RSA key signs with RSASSA-PSS instead of PKCS#1 v1.5. SHAKE always signs with PSS. */
  rsaPss: boolean;
  /** What it demands besides. */
  rules: PolicyRules;
  /** Whether whoever submitted a request may take part in approving it. */
  selfApproval: SelfApproval;
  /** The service it belongs to. */
  serviceUuid: ServiceId;
  /** The form of the signatures. */
  signingFormat: SigningFormat;
  /** Whether signatures carry a time stamp. */
  timeStamp?: boolean;
}

/** One signing request in full. */
export interface SigningRequest {
  /**
   * What people approve: `digest`, where nothing else is signed that the payload does not say. With `pageHashes` that
   * came with a digest, `programName` or `programUrl` it covers these too: SHA-256 of the line `chancery approval 1`,
   * then of lines as those of a manifest, with the names `digest`, `pageHashes`, `programName` and `programUrl` and
   * (but for the first) SHA-256 of each.
   */
  approvalDigest: Base64;
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** What people have decided, oldest first. */
  approvals: Approval[];
  /** How many approvals it takes. */
  approvalsRequired: number;
  /** What is in the payload; only with `?include=contents`, and where it was uploaded. */
  contents?: UploadContents | null;
  /** When it was signed, denied or failed (RFC 3339, UTC). */
  decidedAt?: string | null;
  /**
   * The payload's digest. Of a manifest, SHA-256 of its lines: each a digest in hexadecimal digits, two spaces, a name
   * and a line feed, as `sha256sum` and its like print them.
   */
  digest: Base64;
  /** When it stops waiting for approvals (RFC 3339, UTC); absent where it waits for ever. */
  expiresAt?: string | null;
  /** The hash that `digest` was made with. */
  hashAlgorithm: HashType;
  /** The proof that the signature is in the transparency log; null until a checkpoint covers it, within a second. */
  inclusionProof?: InclusionProof | null;
  /** How far the items of a manifest are; their signatures are under `…/items`. */
  manifest?: ManifestSummary | null;
  /** What is new in a manifest; only with `?include=contents`, and for whoever may approve. */
  manifestChanges?: ManifestChanges | null;
  /** Whether it waits, and the rules take an approval of the session that asks. */
  mayApprove?: boolean;
  /** Names and values that the submitter gave it: nothing that anybody checked. */
  metadata?: Record<string, string> | null;
  /** Its name. */
  name: string;
  /** Of which roles the next approval has to come; absent where any approver will do. */
  nextRoleUuids?: RoleId[] | null;
  /** What the submitter said about it: nothing that anybody checked. */
  note?: string | null;
  /** Its name and id. */
  objInfo: SigningRequestIdObjInfo;
  /** The hashes of the program's pages, where they are signed too. */
  pageHashes?: Base64 | null;
  /** The policy it is under. */
  policyUuid: PolicyId;
  /** The pre-approval that stood in for its approvals. */
  preApprovalUuid?: ProposalId | null;
  /** The program's name that is signed too. */
  programName?: string | null;
  /** The program's address that is signed too. */
  programUrl?: string | null;
  /**
   * Where it was built, as its provenance says: the server verified that one of the policy's issuers signed that, and
   * that it is of what is to be signed.
   */
  provenance?: Provenance | null;
  /** The envelope of the provenance; only with `?include=provenance`. */
  provenanceEnvelope?: Base64 | null;
  /** Why it failed; only in the state `Failed`, which is also that of a request whose time to wait is over. */
  reason?: string | null;
  /** The failed request that it repeats. */
  repeatsUuid?: SigningRequestId | null;
  /** The service whose key signs. */
  serviceUuid: ServiceId;
  /** The signature; empty until it is signed. */
  signature: Base64;
  /** The form of the signature. */
  signingFormat: SigningFormat;
  /** The same as `policyUuid`. */
  signingPolicyUuid: PolicyId;
  /** Where it stands. */
  state: SigningRequestState;
  /** When it was submitted (RFC 3339, UTC). */
  submittedAt: string;
  /** All identities of the session that submitted it. */
  submittedBy: IdentityIdObjInfo[];
  /** The payload; only with `?include=uploadData`, and where it was uploaded. */
  uploadData?: Base64 | null;
  /** How many bytes were uploaded; absent where digests alone were submitted, so that nobody here has seen the content. */
  uploadSize?: number | null;
  /** Its id. */
  uuid: SigningRequestId;
}

export type SigningRequestId = string;

/** Where a signing request stands. */
export type SigningRequestState = "None" | "Approval" | "Signed" | "Failed" | "Denied";

/** What a list says of a signing request. */
export interface SigningRequestStub {
  /** What an approval is of: see there in the detail. */
  approvalDigest: Base64;
  /** What the approvers have said. */
  approvalState: ApprovalState;
  /** Names and values that the submitter gave it: nothing that anybody checked. */
  metadata?: Record<string, string> | null;
  /** Its name. */
  name: string;
  /** What the submitter said about it: nothing that anybody checked. */
  note?: string | null;
  /** Its name and id. */
  objInfo: SigningRequestIdObjInfo;
  /** The policy it is under. */
  policyUuid: PolicyId;
  /** The pre-approval in the place of its approvals. */
  preApprovalUuid?: ProposalId | null;
  /** The service whose key signs. */
  serviceUuid: ServiceId;
  /** Where it stands. */
  state: SigningRequestState;
  /** When it was submitted (RFC 3339, UTC). */
  submittedAt: string;
  /** Its id. */
  uuid: SigningRequestId;
}

/** What a time-stamping authority stamps under. */
export interface StampsUnder {
  /** Whether it is the one that `/tsa` stands for. */
  default: boolean;
  /** The policy that its stamps name. */
  policyOid: string;
}

/** One decision over many signing requests of one policy. */
export interface Statement {
  /** SHA-256 of its text. */
  digest: Base64;
  /** How many requests it is over. */
  rows: number;
}

/** What subjects may be. Attributes are named as in a subject: `CN`, `O`, `OU`, `C` … */
export interface SubjectRules {
  /** The attributes that may occur; `null`: any. */
  allowed?: string[] | null;
  /** The attributes that must occur. */
  required?: string[];
  /** For an attribute, the only values that it may have, letter for letter. */
  values?: Record<string, string[]>;
}

/** Body of a submission: either the payload, or its digest. */
export interface SubmitRequest {
  /**
   * In the place of `uploadData`: the payload's digest under the policy's hash, for formats that embed the image's
   * digest. The payload then never travels.
   */
  digest?: Base64 | null;
  /**
   * What becomes of the signature that the uploaded file has already; by default it is replaced. For formats that
   * embed only.
   */
  existingSignature?: ExistingSignature | null;
  /**
   * In the place of both: a manifest, 1 to 10,000 named digests that are approved together and signed each by
   * itself.
   */
  items?: ManifestItem[] | null;
  /** Names and values, such as a commit and a build, shown likewise; at most 64, and 4 KiB as JSON. */
  metadata?: Record<string, string> | null;
  /** What approvers will see; 1 to 255 characters. */
  name: string;
  /**
   * What approvers shall know about it, shown as the submitter's claim; at most 4 KiB, without control characters (but
   * tabs and line feeds) and those that turn the direction of a text or have no width.
   */
  note?: string | null;
  /**
   * The same for a `digest`: the hashes themselves, for each page its place in the file (4 bytes, the least significant
   * first) and its SHA-256, and at the end the place behind the last page with 32 zeros.
   */
  pageHashes?: Base64 | null;
  /** One of that service's policies. */
  policyUuid: PolicyId;
  /**
   * The program's name, which Windows shows when it asks whether to run it; 1 to 255 characters. It is signed; for
   * `Authenticode`, `Msi` and `Powershell` only. No pre-approval applies to a request with it.
   */
  programName?: string | null;
  /**
   * Where there is more about the program: an address with `http://` or `https://`, at most 2,048 characters. As for
   * `programName`.
   */
  programUrl?: string | null;
  /**
   * Where the file comes from, under the signature of one of the policy's `provenanceIssuers`: SLSA provenance (v1 or
   * v0.2) in an in-toto statement in a DSSE envelope, at most 1 MiB. The file, or each of a manifest, is among its
   * subjects: by SHA-256 of an upload; by a digest itself, which is that of the file for `Raw` and `Cms` alone.
   */
  provenance?: Base64 | null;
  /** The service whose key shall sign. */
  serviceUuid: ServiceId;
  /** The payload; empty is a payload too. */
  uploadData?: Base64 | null;
  /** Whether the signature shall cover the hashes of the uploaded program's pages besides its digest (`Authenticode`). */
  withPageHashes?: boolean;
}

/** Answer to a submission. */
export interface Submitted {
  /** The new request. */
  uuid: SigningRequestId;
  /** What somebody should know about it, in sentences. */
  warnings?: string[];
}

/** What stands in a syslog message. */
export type SyslogBody = "Json" | "Cef";

/** A receiver of syslog messages (RFC 5424) over TLS (RFC 5425), or by RELP over TLS. */
export interface SyslogReceiver {
  /** What stands in the message: `Json` where this is absent. */
  body?: SyslogBody;
  /**
   * Its name or address, which its certificate has to be for. Addresses that are not public are refused unless the
   * server's start options list their network.
   */
  host: string;
  /** Its TCP port. */
  port?: number;
  /** By which protocol: `Tls` where this is absent. `Relp` where the receiver has it. */
  transport?: SyslogTransport;
}

/** By which protocol a receiver takes syslog messages. */
export type SyslogTransport = "Tls" | "Relp";

/** The names of the built-in templates. */
export interface TemplateNames {
  /** The names, in the order in which they are best read. */
  names: string[];
}

/** What a time-stamping authority is made of. */
export interface TimeStamping {
  /** Whether it is the one that `/tsa` stands for from now on. The first that is deployed is so in any case. */
  default?: boolean | null;
  /** Its certificate, which is made in this call under the profile Time Stamping; the key is RSA or EC. */
  newCert: SigningCert;
  /** The policy that its stamps name, as a dotted OID whose arcs are below 2^28; by default Chancery's own. */
  policyOid?: string | null;
}

/** How a token profile turns messages into tokens. */
export type TokenAlgorithm = "Ff1" | "Random" | "AesSiv" | "AesGcm" | "Hmac";

/** Answer of GET /home/v1/login/token. */
export interface TokenAnswer {
  /** `Success`. */
  message: string;
  /** `Success`. */
  status: HomeStatus;
  /** The bearer token: a JWT. */
  token: string;
}

/** What of the budgets of a profile's rules is used now. */
export interface TokenBudgets {
  /**
   * The windows that are open now: one for each budget, or with `each` one for each identity that has used some of it,
   * 1,000 at most, those that used most.
   */
  budgets: BudgetUse[];
}

/** Answer of POST /home/v1/login/exchange. There is no cookie, so nothing prolongs it. */
export interface TokenExchanged {
  /** For how many seconds it is good. */
  expiresIn: number;
  /** `Success`. */
  message: string;
  /** Where the session stands. */
  response: LoginState;
  /** `Success`. */
  status: HomeStatus;
  /** The bearer token: a JWT. */
  token: string;
}

/**
 * The format of messages and tokens. All lengths count symbols of the
 * alphabet, or characters (Unicode scalar values) where there is none.
 */
export interface TokenFormat {
  /**
   * `Decimal`, `LowerHex`, `UpperHex`, `LowerAlpha`, `UpperAlpha`, `Alphabetic`, `AlphaNumeric`, `Printable`, or
   * the symbols themselves: 2 to 65,536 different characters. `null` for AesSiv, AesGcm and Hmac, which take any text,
   * and with a pattern.
   */
  alphabet?: string | null;
  /** So many symbols at the start stay in clear. */
  keepLeading?: number;
  /** So many symbols at the end stay in clear. */
  keepTrailing?: number;
  /** What messages and tokens have to do with the Luhn check digit. */
  luhn?: Luhn;
  /** The longest message. */
  maxLength: number;
  /** The shortest message. */
  minLength: number;
  /** Characters outside the alphabet that may stand anywhere and stay where they are. */
  passThrough?: string;
  /**
   * The pattern of structured values: literals, `{group}` encrypted, `[group]` kept, `<iban>` check digits. Alphabet and
   * lengths follow from it.
   */
  pattern?: string | null;
  /** The length of every token, whatever its message's. */
  tokenLength?: number | null;
  /** So many symbols in front of each Ff1 token say the key version. */
  versionPrefix?: number | null;
}

/** A token profile, as it is read; the same text may be written back. */
export interface TokenProfile {
  /** How messages become tokens. */
  algorithm: TokenAlgorithm;
  /** Which roles may do what. */
  controlRules: ControlRule[];
  /** For Random: whether the same message always has the same token. */
  deterministic?: boolean | null;
  /** What calls wait for before they are answered; absent is `Written`. */
  durability?: Durability | null;
  /** The format rules. */
  format: TokenFormat;
  /** The backing key. */
  keyUuid: KeyId;
  /** The version of the key that makes tokens. */
  keyVersion: number;
  /** The oldest version of the key whose tokens are read. */
  minDecryptVersion: number;
  /** Name and id. */
  objInfo: TokenProfileIdObjInfo;
  /** What the service thinks of the profile's safety. */
  security: TokenSecurity;
  /** For Random: how long a token can be read; absent is for ever. */
  timeToLive?: ValidityPeriod | null;
  /** Another profile whose tokens this one shares on purpose; `null` is the profile's own id. */
  tweakDomain?: TokenProfileId | null;
  /** Whether each tokenization draws a random `iv`. */
  useIv: boolean;
  /**
   * Only in the answer to what makes or changes it: what that means for tokens that are there and for those who read
   * them, and the members of the body that are not known.
   */
  warnings?: string[];
}

export type TokenProfileId = string;

/** One line of the list of token profiles. */
export interface TokenProfileStub {
  /** How messages become tokens. */
  algorithm: TokenAlgorithm;
  /** As in `TokenFormat::alphabet`. */
  alphabet?: string | null;
  /** The version of the key that makes tokens. */
  keyVersion: number;
  /**
   * The oldest version whose tokens are read: where it is another than `keyVersion` and tokens do not tell theirs,
   * calls that read tokens name it.
   */
  minDecryptVersion: number;
  /** Name and id. */
  objInfo: TokenProfileIdObjInfo;
  /** Whether the profile is built in. */
  system: boolean;
  /** Whether each tokenization draws a random `iv`. */
  useIv: boolean;
}

/** A template: what to send to create a profile, but for the key and the rules. */
export interface TokenProfileTemplate {
  /** How messages become tokens. */
  algorithm: TokenAlgorithm;
  /** What it is for, in one sentence. */
  description: string;
  /** The format rules. */
  format: TokenFormat;
  /** The template's name. */
  objInfo: NameOnly;
  /** What the service thinks of the template's safety. */
  security: TokenSecurity;
  /** Whether each tokenization draws a random `iv`. */
  useIv: boolean;
}

/** What is kept beside a message. */
export interface TokenRecord {
  /** When the token was made: RFC 3339, UTC. */
  createdAt: string;
  /** From when on there is no such token; `null`: never. */
  expiresAt?: string | null;
  /** The version of the key that seals the message. */
  keyVersion: number;
  /** What tokenize was given; `null`: nothing. */
  metadata?: Record<string, unknown> | null;
}

/** A token of a Random profile. */
export interface TokenRequest {
  /** The token. */
  token: string;
}

/** What the service thinks of a profile's safety. */
export interface TokenSecurity {
  /** How many values the encrypted part of the shortest message can have: a decimal number; `null` for any text. */
  domainSize?: string | null;
  /** What to know before relying on the tokens; one sentence each. */
  notes: string[];
}

/** `api.v2.dp.TokenizationResponse`. */
export interface TokenizationResponse {
  /** The initialization vector, where the profile uses one: detokenize needs it. */
  iv?: Base64 | null;
  /** The version of the key, where the profile reads several: detokenize needs it unless the token tells it. */
  keyVersion?: number | null;
  /** The token. */
  token: string;
}

/** A message to tokenize. */
export interface TokenizeRequest {
  /** For Random: from when on there shall be no such token, in RFC 3339; not later than the profile's `timeToLive`. */
  expiresAt?: string | null;
  /** The version of the key, which can only be the one that makes tokens. */
  keyVersion?: number | null;
  /** The message. */
  message: string;
  /** For Random: what to keep with a new token, at most 4 KiB of JSON; sealed like the message. */
  metadata?: Record<string, unknown> | null;
}

/** A message that may have a token. */
export interface TokenizedRequest {
  /** The message. */
  message: string;
}

/** Whether a message has a token. */
export interface TokenizedResponse {
  /** Whether it has one that has not expired. */
  tokenized: boolean;
}

/** Body of the calls under /home/v1/login/totp: everything that proves who makes them. */
export interface TotpCredentials {
  /**
   * What a passkey of the identity has signed of a challenge of POST /home/v1/login/passkey. Where it is, it has to be
   * right; it takes the place of a code of the present secret. Whoever has a confirmed passkey shows one of the two.
   */
  passkey?: PasskeyProof | null;
  /** The password. */
  password: Base64;
  /** A one-time code of six digits: of the present secret, where one is active; of the new one to confirm that, always. */
  totp?: string | null;
  /** The identity's name, in any letter case. */
  username: string;
}

/** Answer of POST /home/v1/login/totp. The secret is shown this once. */
export interface TotpSecret {
  /** Until when one of its codes has to confirm it (RFC 3339, UTC). */
  expiresAt: string;
  /** `Success`. */
  message: string;
  /**
   * That URI as a QR code (ISO/IEC 18004), for authenticators that scan it: a string for each row of it, `1` where it is
   * dark and `0` where it is light. Around it belongs a margin of four light ones. None of a name that is too long for it.
   */
  qrCode?: string[];
  /**
   * The secret in base32 (RFC 4648, section 6), for authenticators that it is typed into: HMAC-SHA-1, six digits, 30
   * seconds.
   */
  secret: string;
  /** `Success`. */
  status: HomeStatus;
  /** The same as an `otpauth://totp/` URI, for authenticators that open it. */
  uri: string;
}

/** A second factor that is active: one-time codes (RFC 6238). */
export interface TotpState {
  /** Since when codes are demanded (RFC 3339, UTC). */
  confirmedAt: string;
}

/** `api.v2.dp.TrackDetokenizationResponse`. */
export interface TrackDetokenizationResponse {
  /** The original track data. */
  track: string;
}

/** Tokenized track data to turn back. */
export interface TrackDetokenizeRequest {
  /** The grant under which all of it is shown, where a Control Rule demands approvals for that. */
  grantUuid?: ProposalId | null;
  /** The initialization vector that came with it, where the profile uses one. */
  iv?: Base64 | null;
  /** The version of the key that made the token, where it does not tell and the profile reads several. */
  keyVersion?: number | null;
  /** The tokenized track data. */
  track: string;
}

/** `api.v2.dp.TrackTokenizationResponse`. */
export interface TrackTokenizationResponse {
  /** The initialization vector, where the profile uses one. */
  iv?: Base64 | null;
  /** The version of the key, where the profile reads several: detokenize needs it unless the token tells it. */
  keyVersion?: number | null;
  /** The track data with the token in the place of the account number. */
  track: string;
}

/** Payment card track data to tokenize. */
export interface TrackTokenizeRequest {
  /** The version of the key, which can only be the one that makes tokens. */
  keyVersion?: number | null;
  /** Track 1, track 2 or both (ISO/IEC 7813). */
  track: string;
}

/** A role, an identity or a token profile that may have been another one than the report says. */
export interface UncertainAccess {
  /** Which one; its name is empty where no record has it. Absent where it is not known which one. */
  object?: ObjectIdObjInfo | null;
  /** Why it is not certain, in words. */
  why: string;
}

/** A notice that a target has not taken yet. */
export interface UndeliveredNotice {
  /** How often it was tried. */
  attempts: number;
  /** Why it failed the last time. */
  error?: string | null;
  /** Whose own mailbox it goes to, where it goes to one. */
  identity?: IdentityIdObjInfo | null;
  /** The notice. */
  notice: Notice;
  /** To which target it goes; where it goes to somebody's own mailbox, the identity's id. */
  targetUuid: NoticeTargetId;
  /** When it is tried next at the earliest: RFC 3339, UTC. */
  triedAgainAt: string;
}

/**
 * What the server found in an uploaded file: computed from the bytes that will be signed. The texts are as whoever made
 * the file wrote them, and nobody has verified the signatures; texts end after 256 characters.
 */
export interface UploadContents {
  /** Of an archive: the first 300 entries. */
  entries: ContentEntry[];
  /** Of an archive its entries, of an installer its streams. */
  entriesTotal?: number | null;
  /** Whether there is more in `properties`, or more of a text, than is here. */
  isCut: boolean;
  /**
   * What it is, as far as the policy's format tells; absent for `CMS` and `Raw`, whose files may be anything, and with
   * which only `sha256` is known.
   */
  kind?: ContentKind | null;
  /** Of a script: its lines, without a signature that is there. */
  lines?: number | null;
  /** Of a program: for which machine, such as `x86-64` or `Arm64`, or its number, such as `0x0200`. */
  machine?: string | null;
  /**
   * What it says of itself, the first 64: of a program's version resource, an installer's Property table and summary,
   * an archive's manifest. A name comes twice where there are two values, such as in two languages.
   */
  properties: ContentProperty[];
  /** SHA-256 of the file, as `sha256sum` computes it, whatever the policy's hash and format. */
  sha256: Base64;
  /** The first 16 of them. */
  signatures: ContentSignature[];
  /** How many signatures it has already. */
  signaturesTotal: number;
}

/** A pre-approved digest that was submitted. */
export interface UsedDigest {
  /** The digest. */
  digest: Base64;
  /** The request that it was signed for. */
  requestUuid: SigningRequestId;
}

/** Whose a passkey is. */
export interface UserEntity {
  /** The same. */
  displayName: string;
  /** The bytes of the identity's uuid, in base64url. */
  id: string;
  /** The identity's name. */
  name: string;
}

/** How long something is valid. */
export interface ValidityPeriod {
  /** A positive whole number, as text. */
  amount: string;
  /** The unit. Months and years are the calendar's. */
  unit: ValidityUnit;
}

/** Unit of a validity period. */
export type ValidityUnit = "Millisecond" | "Second" | "Minute" | "Hour" | "Day" | "Week" | "Month" | "Year";

/** A webhook: a server elsewhere that takes notices by POST. */
export interface Webhook {
  /** In which form it gets notices. */
  shape: WebhookShape;
  /**
   * Where it is: `https://…`. Addresses that are not public are refused unless the server's start options list their
   * network; redirects are not followed.
   */
  url: string;
}

/** In which form a webhook gets notices. */
export type WebhookShape = "Chancery" | "Slack" | "Teams";

/** Who makes the call, by what right, and for how long. */
export interface WhoAmI {
  /** In whose name it acts, in the order of the logins. */
  identities: Myself[];
  /** Whether the session may administer. */
  management: boolean;
  /** What the roles that count permit together, beside Control Rules. */
  perms: Perm[];
  /** When the session ends however much it is used (RFC 3339); absent where there is none. */
  sessionEndsAt?: string | null;
  /** The session, as audit records name it, not its cookie; absent where an API key was shown with the call itself. */
  sessionUuid?: ObjectId | null;
  /** When the bearer token that was shown expires (RFC 3339); absent where it was the session's cookie or an API key. */
  tokenExpiresAt?: string | null;
  /** When the session ends if it is not used (RFC 3339); absent where there is none. */
  unusedEndsAt?: string | null;
}

/** A checkpoint of the ledger that witnesses have cosigned. */
export interface WitnessedCheckpoint {
  /** The signed note with their cosignatures (c2sp.org/tlog-cosignature). */
  checkpoint: string;
  /** Which one, from 0. */
  number: number;
  /** How many records it is over. */
  records: number;
  /** When it was made (RFC 3339). */
  time: string;
  /** The names of the witnesses. */
  witnesses: string[];
}
