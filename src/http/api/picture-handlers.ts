/** Pictures over the API. Their counts are over all tenants, so they are for those who may see every one of a type. */

import { FootholdError } from "../../core/errors.ts";
import { destinationKey } from "../../core/in-flight.ts";
import { mayDoForType } from "../../core/rights.ts";
import { sendsTo } from "../../define/registry.ts";
import { HISTORY_HOURS } from "../../desk/history.ts";
import type { Handler } from "./call.ts";
import type { Identity } from "./identity.ts";
import type { PictureApiTypes } from "./picture-types.ts";

/** Every route's. */
export const PICTURE_HANDLERS: { readonly [Id in keyof PictureApiTypes]: Handler<Id> } = {
  showCaseMap: async ({ parts, params: { caseType }, who }) => {
    if (!mayCount(who, caseType)) throw notCounted(who, caseType);
    return { reply: await parts.desk.caseMap(caseType) };
  },
  showHistory: async ({ parts, query: { hours = HISTORY_HOURS, type }, who }) => ({
    reply: await parts.desk.history({
      hours,
      counts: (caseType) => (type === undefined || type === caseType) && mayCount(who, caseType),
    }),
  }),
  showTraffic: async ({ parts, who }) => {
    const outlines = parts.registry.all.map(({ outline }) => outline);
    const seen = sendsTo(outlines.filter(({ name }) => mayCount(who, name)));
    const keys = new Set(seen.map(({ name, credentialId }) => destinationKey(name, credentialId)));
    const view = await parts.desk.traffic();
    const destinations = view.destinations.filter(({ destination, credentialId }) =>
      keys.has(destinationKey(destination, credentialId)),
    );
    return { reply: { ...view, destinations } };
  },
};

function mayCount({ grants }: Identity, caseType: string): boolean {
  return mayDoForType(grants, "see", { caseType, tenants: "every" });
}

function notCounted({ name }: Identity, caseType: string): FootholdError {
  return new FootholdError(
    "NOT_ALLOWED",
    `${name} may not see every case of ${caseType}, and its map counts those of all tenants.`,
  );
}
