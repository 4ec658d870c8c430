// Reads what waits for approvals. Of each the detail is read, since the lists tell neither who asked nor how many approvals
// there are.

import { get } from "../api.js";
import { each } from "../names.js";
import { approved } from "../parts/decide.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../names.js").Names} NamesOf */

/** @param {NamesOf} names @param {string | undefined} after @param {number} pageSize @returns {Promise<import("../parts/table.js").Listed>} */
export async function waitingRequests(names, after, pageSize) {
  const answer = await get("/api/v2/x509/signing-requests", { state: "Approval", pageSize, after }, names.signal);
  const rows = await each(answer.items, async (/** @type {Json} */ stub) => {
    const request = await get(`/api/v2/x509/signing-requests/${stub.uuid}`, undefined, names.signal);
    const [service, policy, roles] = await Promise.all([
      names.service(request.serviceUuid), names.policy(request.policyUuid), names.rolesNamed(request.nextRoleUuids)]);
    return { request, service, policy, roles };
  });
  return { ...answer, rows };
}

/** @param {NamesOf} names @param {string | undefined} after @param {number} pageSize @returns {Promise<import("../parts/table.js").Listed>} */
export async function waitingProposals(names, after, pageSize) {
  const answer = await get("/api/v2/x509/proposals", { waiting: true, pageSize, after }, names.signal);
  const rows = await each(answer.items, async (/** @type {Json} */ stub) => {
    const proposal = await get(`/api/v2/x509/proposals/${stub.objInfo.uuid}`, undefined, names.signal);
    return { proposal, about: await about(proposal, names), roles: await names.rolesNamed(proposal.nextRoleUuids) };
  });
  return { ...answer, rows };
}

/** Of which service or token profile, or by which authority. @param {Json} proposal @param {NamesOf} names @returns {Promise<string>} */
async function about({ serviceUuid, issuerUuid, detokenizeGrant }, names) {
  if (detokenizeGrant) return detokenizeGrant.grant.tokenProfile.name;
  if (serviceUuid) return (await names.service(serviceUuid)).objInfo.name;
  return issuerUuid ? (await names.certificate(issuerUuid)).subject : "";
}

export { approved };
