// Which page an address shows. Addresses are the part after the `#`: the server never sees them.

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {Record<string, string>} Parameters */
/** @typedef {{params: Parameters, query: Parameters, signal: AbortSignal}} Context */
/** @typedef {{title: string, content: Child}} Page */
/** @typedef {{page: (context: Context) => Promise<Page>}} PageModule */

/** All pages on one screen. Each is loaded when it is first shown. @type {[string, () => Promise<PageModule>][]} */
const ROUTES = [
  ["/", () => import("./pages/home.js")],
  ["/approvals", () => import("./pages/approvals.js")],
  ["/approvals/request/:uuid", () => import("./pages/request.js")],
  ["/approvals/policy/:uuid", () => import("./pages/as-one.js")],
  ["/approvals/proposal/:uuid", () => import("./pages/proposal.js")],
  ["/signing", () => import("./pages/signing.js")],
  ["/signing/service/:uuid", () => import("./pages/service.js")],
  ["/signing/new", () => import("./pages/deploy.js")],
  ["/signing/service/:uuid/policy", () => import("./pages/policy-new.js")],
  ["/signing/policy/:uuid", () => import("./pages/policy.js")],
  ["/signing/policy/:uuid/edit", () => import("./pages/policy-editor.js")],
  ["/signing/requests", () => import("./pages/requests.js")],
  ["/signing/submit", () => import("./pages/submit.js")],
  ["/signing/verify", () => import("./pages/verify.js")],
  ["/signing/verify/:uuid", () => import("./pages/verify.js")],
  ["/tokenization", () => import("./pages/tokenization.js")],
  ["/tokenization/new", () => import("./pages/profile-editor.js")],
  ["/tokenization/profile/:uuid", () => import("./pages/profile.js")],
  ["/tokenization/profile/:uuid/edit", () => import("./pages/profile-editor.js")],
  ["/certificates", () => import("./pages/certificates.js")],
  ["/certificates/issue", () => import("./pages/issue.js")],
  ["/certificates/import", () => import("./pages/take-in.js")],
  ["/certificates/profiles", () => import("./pages/cert-profiles.js")],
  ["/certificates/profiles/:uuid", () => import("./pages/cert-profiles.js")],
  ["/certificates/:uuid", () => import("./pages/certificate.js")],
  ["/keys", () => import("./pages/keys.js")],
  ["/keys/:uuid", () => import("./pages/keys.js")],
  ["/identities", () => import("./pages/identities.js")],
  ["/identities/providers", () => import("./pages/providers.js")],
  ["/identities/role/:uuid", () => import("./pages/role.js")],
  ["/identities/:uuid", () => import("./pages/identity.js")],
  ["/notices", () => import("./pages/notices.js")],
  ["/notices/target/:uuid", () => import("./pages/notice-target.js")],
  ["/audit", () => import("./pages/audit.js")],
  ["/audit/targets", () => import("./pages/audit-targets.js")],
  ["/audit/targets/:uuid", () => import("./pages/audit-target.js")],
  ["/audit/journal", () => import("./pages/journal.js")],
  ["/audit/access", () => import("./pages/access.js")],
  ["/me", () => import("./pages/me.js")],
  ["/system", () => import("./pages/system.js")],
  ["/proposals", () => import("./pages/proposals.js")],
];

/** @param {string} hash */
export function parse(hash) {
  const [path = "/", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { path: path === "" ? "/" : path, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The page of this path, and the variable parts of it. @param {string} path */
export function find(path) {
  for (const [pattern, load] of ROUTES) {
    const params = match(pattern.split("/"), path.split("/"));
    if (params) return { load, params, pattern };
  }
  return undefined;
}

/** What stands for a variable part: parts of addresses go on into paths of calls, so nothing else may. */
const ID = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|new)$/;

/** @param {string[]} pattern @param {string[]} path */
function match(pattern, path) {
  if (pattern.length !== path.length) return undefined;
  /** @type {Parameters} */
  const params = {};
  for (const [index, part] of pattern.entries()) {
    const given = path[index] ?? "";
    if (part.startsWith(":") && ID.test(given)) params[part.slice(1)] = given;
    else if (part !== given) return undefined;
  }
  return params;
}

/** An address with its query. @param {string} path @param {Record<string, string | number | undefined>} [query] */
export function address(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return `#${path}${text ? `?${text}` : ""}`;
}

/** @param {string} to an address with its `#` */
export function go(to) {
  if (location.hash === to) window.dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = to;
}
