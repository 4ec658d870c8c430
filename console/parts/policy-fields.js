// What a signing policy demands, as fields of a form: for a new service, a new policy, and a change.

import { fill, h } from "../dom.js";
import { shownText } from "../visible.js";
import { t, word } from "../words.js";
import { adder } from "./adder.js";
import { policyBudgets } from "./budgets.js";
import { field, input, isSet, select, textarea } from "./form.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("./form.js").Field} Field */

const HASHES = ["Sha2_256", "Sha2_384", "Sha2_512", "Sha3_256", "Sha3_384", "Sha3_512", "Shake128", "Shake256", "Sha1"];
const UNITS = ["Minute", "Hour", "Day", "Week", "Month", "Year"];

/** The hash and the padding, which no change reaches. @param {string} at where they stand in the body, as a JSON pointer */
export function hashFields(at) {
  const hash = field(t("policy.hash"), select(HASHES.map((one) => [one, word("hash", one)])), { pointer: `${at}/hashAlgorithm` });
  const pss = field(t("policy.pss"), input({ type: "checkbox" }), { pointer: `${at}/rsaPss`, help: t("policy.pssHelp") });
  return { fields: [hash, pss], body: () => ({ hashAlgorithm: hash.control.value, rsaPss: isSet(pss) }) };
}

/**
 * Everything else that a policy demands.
 * @param {Json | undefined} policy as it is; nothing where it is new
 * @param {Map<string, string>} roles names by uuid @param {string} at where the members stand in the body, as a JSON pointer
 */
export function policyFields(policy, roles, at) {
  const rules = policy?.["rules"] ?? {};
  const number = (/** @type {string} */ label, /** @type {string} */ member, /** @type {string} */ help = "") =>
    field(label, input({ type: "number", min: 1, value: rules[member] ?? "" }), { pointer: `${at}/rules/${member}`, help });
  const approvals = field(t("policy.approvals"), input({ type: "number", min: 0, max: 64, value: policy?.["numApprovals"] ?? 1 }), { pointer: `${at}/numApprovals`, help: t("policy.approvalsHelp") });
  const own = field(t("policy.selfApproval"), select(["DualControl", "Never"].map((one) => [one, word("selfApproval", one)]), policy?.["selfApproval"]), { pointer: `${at}/selfApproval` });
  const signed = field(t("policy.signedApprovals"), input({ type: "checkbox", checked: Boolean(rules.signedApprovals) }), { pointer: `${at}/rules/signedApprovals`, help: t("policy.signedApprovalsHelp") });
  const stamp = field(t("policy.stamp"), input({ type: "checkbox", checked: Boolean(policy?.["timeStamp"]) }), { pointer: `${at}/timeStamp`, help: t("policy.stampHelp") });
  const names = field(t("policy.fileNames"), textarea({ rows: 2, spellcheck: "false" }, (rules.fileNames ?? []).join("\n")), { pointer: `${at}/rules/fileNames`, help: t("policy.fileNamesHelp") });
  const size = number(t("policy.maxSize"), "maxSize", t("policy.maxSizeHelp"));
  const perHour = number(t("policy.signaturesPerHour"), "signaturesPerHour");
  const perDay = number(t("policy.signaturesPerDay"), "signaturesPerDay");
  const lifetime = field(t("policy.lifetime"), input({ type: "number", min: 1, value: rules.requestLifetime?.amount ?? "", placeholder: t("policy.forEver") }), { pointer: `${at}/rules/requestLifetime` });
  const unit = field(t("cert.unit"), select(UNITS.map((one) => [one, word("unit", one)]), rules.requestLifetime?.unit ?? "Day"));
  const submitters = rolesField(t("policy.submitters"), roles, rules.submitterRoleUuids ?? [], `${at}/rules/submitterRoleUuids`, t("policy.submittersHelp"));
  const steps = stepsEditor(rules.approvalSteps ?? [], roles, `${at}/rules/approvalSteps`);
  const budgets = policyBudgets(rules.budgets ?? [], `${at}/rules/budgets`);
  const provenance = issuersEditor(rules.provenanceIssuers ?? [], Boolean(rules.provenanceRequired), `${at}/rules`);
  const amount = (/** @type {Field} */ one) => (one.control.value === "" ? null : Number(one.control.value));
  return {
    fields: [approvals, own, signed, stamp],
    more: h("details", { open: Boolean(policy) }, h("summary", {}, t("policy.rules")),
      [submitters, names, size, perHour, perDay, lifetime, unit].map((one) => one.element), budgets.element, steps.element, provenance.element),
    placed: [submitters, names, size, perHour, perDay, lifetime, budgets.count, steps.count, provenance.key],
    body: () => ({
      numApprovals: Number(approvals.control.value), selfApproval: own.control.value, timeStamp: isSet(stamp),
      rules: {
        fileNames: lines(names), submitterRoleUuids: chosen(submitters), approvalSteps: steps.value(),
        maxSize: amount(size), signaturesPerHour: amount(perHour), signaturesPerDay: amount(perDay), budgets: budgets.value(),
        requestLifetime: lifetime.control.value ? { unit: unit.control.value, amount: lifetime.control.value } : null,
        ...provenance.value(),
        ...(isSet(signed) ? { signedApprovals: true } : {}),
      },
    }),
  };
}

/** @param {Field} one */
const lines = (one) => one.control.value.split("\n").map((line) => line.trim()).filter(Boolean);

/** @param {Field} one */
const chosen = (one) => [.../** @type {HTMLSelectElement} */ (one.control).selectedOptions].map((option) => option.value);

/** @param {string} label @param {Map<string, string>} roles @param {string[]} given @param {string} pointer @param {string} [help] */
function rolesField(label, roles, given, pointer, help = "") {
  const options = [...roles].map(([uuid, name]) => h("option", { value: uuid, selected: given.includes(uuid) }, shownText(name)));
  return field(label, h("select", { multiple: true, size: Math.min(6, Math.max(2, roles.size)) }, options), { pointer, help });
}

/** Who approves in which order. @param {Json[]} given @param {Map<string, string>} roles @param {string} pointer */
function stepsEditor(given, roles, pointer) {
  const steps = [...given];
  const place = h("ol", { class: "notes" });
  const takers = rolesField(t("policy.stepRoles"), roles, [], `${pointer}/roles`);
  const count = field(t("policy.stepCount"), input({ type: "number", min: 1, max: 64, value: 1 }), { pointer });
  const draw = () => fill(place, steps.map((step, index) => h("li", {},
    t("policy.step", { count: step["numApprovals"], roles: step["roleUuids"].map((/** @type {string} */ one) => shownText(roles.get(one) ?? one)).join(", ") }), " ",
    h("button", { type: "button", onclick: () => remove(index) }, t("rules.takeAway")))));
  const remove = (/** @type {number} */ index) => {
    steps.splice(index, 1);
    draw();
  };
  const add = () => {
    const roleUuids = chosen(takers);
    takers.complain(roleUuids.length === 0 ? t("policy.stepNobody") : "");
    if (roleUuids.length === 0) return false;
    steps.push({ roleUuids, numApprovals: Number(count.control.value) });
    draw();
    return true;
  };
  draw();
  const adding = adder([takers, count], t("policy.addStep"), add);
  const element = h("fieldset", {}, h("legend", {}, t("policy.steps")), h("p", { class: "help" }, t("policy.stepsHelp")), place, adding.element);
  return { element, count, value: () => added(steps, adding, pointer) };
}

/** What was added, once nothing is left in the fields. @param {Json[]} all @param {{demandEmpty: (pointer: string) => void}} adding @param {string} pointer */
function added(all, adding, pointer) {
  adding.demandEmpty(pointer);
  return all;
}

/** Whose word on where files were built counts. @param {Json[]} given @param {boolean} isRequired @param {string} at */
function issuersEditor(given, isRequired, at) {
  const issuers = [...given];
  const place = h("ul", { class: "lines-list" });
  const name = field(t("policy.issuerName"), input({ maxlength: 255 }), { pointer: `${at}/issuer` });
  const key = field(t("policy.issuerKey"), textarea({ rows: 4, spellcheck: "false" }), { pointer: `${at}/provenanceIssuers`, help: t("policy.issuerKeyHelp") });
  const builders = field(t("policy.issuerBuilders"), textarea({ rows: 2, spellcheck: "false" }), { pointer: `${at}/builders`, help: t("policy.issuerBuildersHelp") });
  const required = field(t("policy.issuerRequired"), input({ type: "checkbox", checked: isRequired }), { pointer: `${at}/provenanceRequired` });
  const draw = () => fill(place, issuers.map((one, index) => h("li", {}, h("span", {}, shownText(one["name"]), (one["builderIds"] ?? []).map((/** @type {string} */ id) => h("div", { class: "help" }, shownText(id)))),
    h("button", { type: "button", onclick: () => remove(index) }, t("rules.takeAway")))));
  const remove = (/** @type {number} */ index) => {
    issuers.splice(index, 1);
    draw();
  };
  const add = () => {
    name.complain(name.control.value ? "" : t("policy.issuerNobody"));
    if (!name.control.value) return false;
    issuers.push({ name: name.control.value, publicKey: key.control.value, builderIds: lines(builders) });
    for (const one of [name, key, builders]) one.control.value = "";
    draw();
    return true;
  };
  draw();
  const adding = adder([name, key, builders], t("policy.addIssuer"), add);
  const element = h("fieldset", {}, h("legend", {}, t("policy.issuers")), h("p", { class: "help" }, t("policy.issuersHelp")), place, adding.element, required.element);
  const value = () => ({ provenanceIssuers: added(issuers, adding, `${at}/provenanceIssuers`), provenanceRequired: isSet(required) });
  return { element, key, value };
}
