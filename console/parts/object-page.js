// The page of an audit record's object. What kind of object it is, the action tells (docs/AUDIT.md).

/** @typedef {import("../api.js").Json} Json */

/** Actions, and the folder where the pages of their objects are. The first that fits counts. @type {[RegExp, string][]} */
const FOLDERS = [
  [/^Role/, "identities/role"],
  [/^(Login$|Identity(?!Provider|Binding)|Password|Totp|Mailbox)/, "identities"],
  [/^Notice/, "notices/target"],
  [/^AuditTarget/, "audit/targets"],
  [/^(TokenProfile|ControlRules|Tokenize|Detokenize$|PartialDetokenize|Batch|Track|Rewrap|TokenRead|TokenDelete|JournalSearch)/, "tokenization/profile"],
  [/^Key/, "keys"],
  [/^CertProfile/, "certificates/profiles"],
  [/^(Certificate|AuthorityImport|IssuerApproval|CrlSign)/, "certificates"],
  [/^(Service|SigningPolicyCreate)/, "signing/service"],
  [/^SigningPolicy/, "signing/policy"],
  [/^SigningRequest/, "approvals/request"],
  [/^Proposal/, "approvals/proposal"],
];
/** The object itself is gone; a deleted token is none, and its profile stays. */
const DELETED = /(?<!^Token)Delete$/;

/** Its address; nothing where it has no page, is gone, or the call was refused: then it may be of another kind. @param {Json} record */
export function pageOf({ action, objectUuid, outcome }) {
  const folder = FOLDERS.find(([actions]) => actions.test(action))?.[1];
  return objectUuid && folder && outcome === "Success" && !DELETED.test(action) ? `#/${folder}/${objectUuid}` : undefined;
}
