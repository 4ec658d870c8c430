// Who was let in again on the host (`chancery recover`) and is not acknowledged yet: an alarm, for whoever may look at it.

import { access, get } from "../api.js";
import { fill, h } from "../dom.js";
import { listen } from "../live.js";
import { each } from "../names.js";
import { may } from "../session.js";
import { shown } from "../visible.js";
import { t, tn } from "../words.js";
import { later } from "./table.js";
import { moment } from "./values.js";

/** @typedef {import("../api.js").Json} Json */

const KIND = "IdentityRecovered";

/** @param {AbortSignal} signal */
export function recovered(signal) {
  const place = h("div", {});
  if (access.isOff || !may("Identity:Manage")) return place;
  const read = async () => (await open(signal)).map(alarm);
  listen({ connected: () => undefined, notice: (notice) => notice["kind"] === KIND && void read().then((alarms) => fill(place, alarms)) }, signal);
  return later(place, read);
}

/** The identities: the notices have them, and each says whether it is acknowledged. @param {AbortSignal} signal @returns {Promise<Json[]>} */
async function open(signal) {
  const { items } = await get("/api/v2/notices", { kind: KIND, pageSize: 100 }, signal);
  const uuids = [...new Set(items.map((/** @type {Json} */ one) => one["objectUuid"]))];
  const identities = await each(uuids, (uuid) => get(`/api/v2/identities/${uuid}`, undefined, signal).catch((error) => {
    // It may be gone since.
    if (error.status === 404 || error.code === "InvalidSelection") return undefined;
    throw error;
  }));
  return identities.filter((one) => one?.["recovery"]).map((one) => one ?? {});
}

/** @param {Json} identity */
function alarm(identity) {
  const { name, uuid } = identity["objInfo"];
  return h("div", { class: "problem" }, h("p", {}, h("strong", {}, t("recovered.title")), " ",
    tn("recovered.what", { name: h("a", { href: `#/identities/${uuid}` }, shown(name)), time: moment(identity["recovery"].recoveredAt) })));
}
