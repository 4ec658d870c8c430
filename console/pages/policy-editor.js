// Makes a policy of a service, or changes one. Where the service's policies demand approvals, so does this.

import { get, post } from "../api.js";
import { h } from "../dom.js";
import { Names } from "../names.js";
import { changed } from "../parts/changed.js";
import { field, form, input } from "../parts/form.js";
import { hashFields, policyFields } from "../parts/policy-fields.js";
import { go } from "../router.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";

/** @typedef {import("../api.js").Json} Json */

/** A change. @param {import("../router.js").Context} context */
export async function page({ params, signal }) {
  const policy = await get(`/api/v2/x509/signing-policies/${params["uuid"]}`, undefined, signal);
  return editor(String(policy["serviceUuid"]), policy, new Names(signal));
}

/** A new one. @param {import("../router.js").Context} context */
export const create = ({ params, signal }) => editor(String(params["uuid"]), undefined, new Names(signal));

/** @param {string} serviceUuid @param {Json | undefined} policy @param {Names} names */
async function editor(serviceUuid, policy, names) {
  const [service, roles] = await Promise.all([names.service(serviceUuid), names.roles()]);
  const name = field(t("fact.name"), input({ maxlength: 255, value: policy?.["objInfo"].name ?? "" }), { pointer: policy ? "/objInfo/name" : "/name" });
  const hash = hashFields("");
  const demands = policyFields(policy, roles, "");
  const edit = policy && changed(`/api/v2/x509/signing-policies/${policy["objInfo"].uuid}`, policy,
    () => ({ objInfo: { name: name.control.value }, ...demands.body() }), { name: (uuid) => roles.get(uuid) ?? uuid });
  const act = async () => {
    const answer = edit
      ? await edit.save()
      : await post(`/api/v2/x509/services/${serviceUuid}/signing-policies`, { name: name.control.value, ...hash.body(), ...demands.body() });
    if (!answer) return;
    go(answer["pendingChange"] && answer !== policy ? `#/approvals/proposal/${answer["pendingChange"].uuid}` : `#/signing/policy/${answer["objInfo"].uuid}`);
  };
  const strictest = Math.max(0, ...service.signingPolicies.map((/** @type {Json} */ one) => one["numApprovals"]));
  const title = policy ? tn("policy.changeTitle", { name: shown(policy["objInfo"].name) }) : t("policy.newTitle");
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/signing" }, t("signing.title")), " › ", h("a", { href: `#/signing/service/${serviceUuid}` }, shown(service.objInfo.name))),
    h("h1", {}, title),
    strictest > 0 && h("p", { class: "consequence" }, t("policy.takesApprovals", { count: strictest })),
    form({ fields: [name, ...(policy ? [] : hash.fields), ...demands.fields], placed: () => demands.placed, extra: [demands.more, edit?.news], submit: t(policy ? "policy.save" : "policy.make"), act }),
  ];
  return { title: t(policy ? "policy.change" : "policy.newTitle"), content };
}
