// Identity providers: whose tokens workloads exchange for ours, by which people log in, and whose client certificates or passwords
// are taken.

import { get, patch, post, remove } from "../api.js";
import { fill, h } from "../dom.js";
import { askSlowly, cancel, field, form, input, openDialog, select, textarea } from "../parts/form.js";
import { state } from "../parts/state.js";
import { PAGE_SIZE, list } from "../parts/table.js";
import { moment } from "../parts/values.js";
import { show } from "../show.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";

/** @typedef {import("../api.js").Json} Json */
/** @typedef {import("../words.js").Key} Key */

/** @param {import("../router.js").Context} context */
export async function page({ query, signal }) {
  const path = "/api/v2/identity-providers";
  const answer = await get(path, { search: query["search"], after: query["after"], pageSize: PAGE_SIZE }, signal);
  const columns = [
    { title: t("fact.name"), cell: (/** @type {Json} */ row) => shown(row["objInfo"].name) },
    { title: t("provider.issuer"), cell: (/** @type {Json} */ row) => shown(row["issuer"]) },
    { title: t("provider.audiences"), cell: (/** @type {Json} */ row) => row["audiences"].map((/** @type {string} */ one) => h("div", {}, shown(one))) },
    { title: t("provider.keys"), cell: (/** @type {Json} */ row) => row["ldap"] ? shown(row["ldap"].url) : row["authorityCertificates"] ? standing(row) : t(row["jwks"] ? "provider.keysGiven" : "provider.keysFetched") },
    { title: t("provider.people"), cell: (/** @type {Json} */ row) => row["ldap"] ? t("provider.account") : row["authorityCertificates"] ? t("provider.certificate") : row["clientId"] ? shown(row["clientId"]) : t("provider.nobody") },
    { title: t("column.state"), cell: (/** @type {Json} */ row) => state(row["enabled"] ? "Enabled" : "Disabled") },
    { title: t("cert.do"), cell: (/** @type {Json} */ row) => actions(`${path}/${row["objInfo"].uuid}`, row) },
  ];
  const content = [
    h("p", { class: "crumbs" }, h("a", { href: "#/identities" }, t("nav.identities"))),
    h("h1", {}, t("provider.title")),
    h("p", { class: "quiet" }, t("provider.what")),
    list({ path: "/identities/providers", query, caption: t("provider.title"), columns, empty: t("list.nothingFound"), search: t("provider.search"), listed: { ...answer, rows: answer["results"] } }),
    h("details", {}, h("summary", {}, t("provider.make")), makeForm(path)),
    h("details", {}, h("summary", {}, t("provider.makeAuthority")), makeAuthorityForm(path)),
    h("details", {}, h("summary", {}, t("provider.makeDirectory")), makeDirectoryForm(path)),
  ];
  return { title: t("provider.title"), content };
}

/** @param {string} path of the provider @param {Json} provider */
function actions(path, provider) {
  const name = provider["objInfo"].name;
  const turn = async () => (await patch(path, { enabled: !provider["enabled"] }), await show());
  return h("div", { class: "actions" },
    !provider["authorityCertificates"] && !provider["ldap"] && h("button", { type: "button", onclick: () => askForClient(path, provider) }, t("provider.client")),
    provider["authorityCertificates"] && !provider["authorityUuid"] && h("button", { type: "button", onclick: () => askForLists(path, provider) }, t("provider.lists")),
    provider["ldap"] && h("button", { type: "button", onclick: () => askForDirectory(path, provider) }, t("provider.directory")),
    h("button", { type: "button", onclick: turn }, t(provider["enabled"] ? "provider.switchOff" : "provider.switchOn")),
    h("button", { type: "button", class: "danger", onclick: () => askSlowly({ title: t("apiKey.remove"), what: h("p", {}, t("provider.removeWhat")), name, submit: t("apiKey.remove"), act: async () => (await remove(path), await show()) }) }, t("apiKey.remove")));
}

/** What is known of revocation by an authority: until when its lists count. @param {Json} provider */
function standing(provider) {
  if (provider["authorityUuid"]) return h("a", { href: `#/certificates/${provider["authorityUuid"]}` }, t("provider.own"));
  return provider["revocationLists"].map((/** @type {Json} */ list) =>
    h("div", {}, tn(new Date(list["nextUpdate"]) < new Date() ? "provider.listOver" : "provider.listUntil", { time: moment(list["nextUpdate"]) }), " ", shown(list["issuer"])));
}

/** @param {string} path */
function makeAuthorityForm(path) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const own = field(t("provider.authorityUuid"), input({ spellcheck: "false" }), { pointer: "/authorityUuid", help: t("provider.authorityUuidHelp") });
  const certificates = field(t("provider.authority"), textarea({ rows: 4, spellcheck: "false" }), { pointer: "/authorityCertificates", help: t("provider.authorityHelp") });
  const lists = field(t("provider.lists"), textarea({ rows: 4, spellcheck: "false" }), { pointer: "/crls", help: t("provider.listsHelp") });
  return form({ fields: [name, own, certificates, lists], submit: t("provider.makeAuthority"), act: async () => {
    const given = { authorityUuid: own.control.value.trim(), authorityCertificates: certificates.control.value.trim(), crls: lists.control.value.trim() };
    await post(path, { name: name.control.value, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)) });
    await show();
  } });
}

/** @param {string} path @param {Json} provider */
function askForLists(path, provider) {
  const dialog = h("dialog", { "aria-labelledby": "lists-title" });
  const lists = field(t("provider.lists"), textarea({ rows: 6, spellcheck: "false" }), { pointer: "/crls", help: t("provider.listsHelp") });
  const act = async () => {
    await patch(path, { crls: lists.control.value });
    dialog.close();
    await show();
  };
  fill(dialog, h("h2", { id: "lists-title" }, t("provider.listsTitle", { name: provider["objInfo"].name })), form({ fields: [lists], submit: t("provider.listsSave"), act, beside: cancel(dialog) }));
  openDialog(dialog);
}

/** Where a directory is, and how it is asked. @param {Json} ldap as it is now; nothing of a new one */
function directoryFields(ldap) {
  const line = (/** @type {string} */ member, /** @type {Key} */ label, /** @type {Key} */ help) =>
    field(t(label), input({ spellcheck: "false", value: ldap[member] ?? "" }), { pointer: `/ldap/${member}`, help: t(help) });
  const url = line("url", "provider.ldapUrl", "provider.ldapUrlHelp");
  const authorities = field(t("provider.ldapAuthorities"), textarea({ rows: 3, spellcheck: "false" }, ldap["authorities"]), { pointer: "/ldap/authorities", help: t("provider.ldapAuthoritiesHelp") });
  const texts = {
    bindDn: line("bindDn", "provider.ldapBindDn", "provider.ldapBindDnHelp"),
    bindPassword: field(t("provider.ldapBindPassword"), input({ type: "password", autocomplete: "off" }), { pointer: "/ldap/bindPassword", help: t(ldap["bindDn"] ? "provider.clientSecretKept" : "provider.ldapBindPasswordHelp") }),
    baseDn: line("baseDn", "provider.ldapBaseDn", "provider.ldapBaseDnHelp"),
    filter: line("filter", "provider.ldapFilter", "provider.ldapFilterHelp"),
    userDn: line("userDn", "provider.ldapUserDn", "provider.ldapUserDnHelp"),
  };
  const attribute = field(t("provider.ldapId"), select(["entryUUID", "objectGUID", "nsUniqueId", "ipaUniqueID"].map((one) => [one, one]), ldap["idAttribute"] ?? "entryUUID"), { pointer: "/ldap/idAttribute", help: t("provider.ldapIdHelp") });
  const read = () => {
    const said = Object.entries(texts).map(([member, { control }]) => [member, member === "bindPassword" ? control.value : control.value.trim()]);
    // What stays as it was need not be said: to name entries and to search for them exclude each other.
    const changed = said.filter(([member, value]) => value && value !== ldap[/** @type {string} */ (member)]);
    return { url: url.control.value.trim(), authorities: authorities.control.value.trim() || null, idAttribute: attribute.control.value, ...Object.fromEntries(changed) };
  };
  return { fields: [url, authorities, ...Object.values(texts), attribute], read };
}

/** @param {string} path */
function makeDirectoryForm(path) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const directory = directoryFields({});
  return form({ fields: [name, ...directory.fields], submit: t("provider.makeDirectory"), act: async () => {
    await post(path, { name: name.control.value, ldap: directory.read() });
    await show();
  } });
}

/** @param {string} path @param {Json} provider */
function askForDirectory(path, provider) {
  const dialog = h("dialog", { "aria-labelledby": "directory-title" });
  const directory = directoryFields(provider["ldap"]);
  const act = async () => {
    await patch(path, { ldap: directory.read() });
    dialog.close();
    await show();
  };
  fill(dialog, h("h2", { id: "directory-title" }, t("provider.directoryTitle", { name: provider["objInfo"].name })), h("p", {}, t("provider.directoryWhat")), form({ fields: directory.fields, submit: t("provider.clientSave"), act, beside: cancel(dialog) }));
  openDialog(dialog);
}

/** @param {string} path */
function makeForm(path) {
  const name = field(t("fact.name"), input({ maxlength: 255 }), { pointer: "/name" });
  const issuer = field(t("provider.issuer"), input({ spellcheck: "false" }), { pointer: "/issuer", help: t("provider.issuerHelp") });
  const audiences = field(t("provider.audiences"), input({ spellcheck: "false" }), { pointer: "/audiences", help: t("provider.audiencesHelp") });
  const keys = field(t("provider.keys"), textarea({ rows: 3, spellcheck: "false" }), { pointer: "/jwks", help: t("provider.keysHelp") });
  const singleUse = field(t("provider.singleUse"), input({ type: "checkbox", checked: true }), { pointer: "/singleUse", help: t("provider.singleUseHelp") });
  const client = clientFields({});
  return form({ fields: [name, issuer, audiences, keys, singleUse, ...client.fields], submit: t("provider.make"), act: async () => {
    const jwks = keys.control.value.trim();
    const once = /** @type {HTMLInputElement} */ (singleUse.control).checked;
    const { clientId, ...rest } = client.read();
    await post(path, { name: name.control.value, issuer: issuer.control.value.trim(), audiences: words(audiences.control.value), singleUse: once, ...(jwks ? { jwks } : {}), ...(clientId ? { clientId } : {}), ...rest });
    await show();
  } });
}

/** @param {string} text */
const words = (text) => text.split(/\s+/).filter(Boolean);

/** As whom this installation is known to the provider. @param {Json} provider */
function clientFields(provider) {
  const id = field(t("provider.clientId"), input({ spellcheck: "false", value: provider["clientId"] ?? "" }), { pointer: "/clientId", help: t("provider.clientIdHelp") });
  const secret = field(t("provider.clientSecret"), input({ type: "password", autocomplete: "off" }), { pointer: "/clientSecret", help: t(provider["hasClientSecret"] ? "provider.clientSecretKept" : "provider.clientSecretHelp") });
  const acr = field(t("provider.acr"), input({ spellcheck: "false", value: (provider["secondFactorAcr"] ?? []).join(" ") }), { pointer: "/secondFactorAcr", help: t("provider.acrHelp") });
  const read = () => {
    const clientId = id.control.value.trim() || null;
    // Without a client there is nothing to say of it.
    return { clientId, ...(secret.control.value ? { clientSecret: secret.control.value } : {}), ...(clientId || acr.control.value.trim() ? { secondFactorAcr: words(acr.control.value) } : {}) };
  };
  return { fields: [id, secret, acr], read };
}

/** @param {string} path @param {Json} provider */
function askForClient(path, provider) {
  const dialog = h("dialog", { "aria-labelledby": "client-title" });
  const client = clientFields(provider);
  const act = async () => {
    await patch(path, client.read());
    dialog.close();
    await show();
  };
  fill(dialog,
    h("h2", { id: "client-title" }, t("provider.clientTitle", { name: provider["objInfo"].name })),
    h("p", {}, t("provider.clientWhat")),
    h("p", {}, t("provider.redirect"), " ", h("code", {}, "/home/v1/login/oidc/callback")),
    form({ fields: client.fields, submit: t("provider.clientSave"), act, beside: cancel(dialog) }));
  openDialog(dialog);
}
