/** Workers in other places over the API: what they may be given is looked up with each request. */

import { FootholdError } from "../../core/errors.ts";
import { mayDoForType, type Grant } from "../../core/rights.ts";
import type { CaseType } from "../../define/case-type.ts";
import { WORK_PROTOCOL } from "../../engine/elsewhere-protocol.ts";
import type { Registry } from "../../define/registry.ts";
import type { Handler } from "./call.ts";
import type { WorkApiTypes } from "./work-types.ts";

/** Every route's. */
export const WORK_HANDLERS: { readonly [Id in keyof WorkApiTypes]: Handler<Id> } = {
  registerWorker: async ({ parts, who, body: { protocol, runs, ...worker } }) => {
    if (protocol !== WORK_PROTOCOL) throw otherProtocol(protocol);
    const caseTypes = typesRunBy(parts.registry, runs, who.grants);
    return { reply: await parts.elsewhere.register({ ...worker, caseTypes }), status: 201 };
  },
  beatWorker: async ({ parts, body: { workerKey, holds } }) => ({
    reply: await parts.elsewhere.beat(workerKey, holds),
  }),
  claimWork: async ({ parts, who, signal, body: { workerKey, runs, claimIds, waitMs = 0 } }) => {
    const caseTypes = typesRunBy(parts.registry, runs, who.grants);
    return { reply: await parts.elsewhere.claim(workerKey, { claimIds, waitMs, caseTypes, signal }) };
  },
  leaveWork: async ({ parts, body: { workerKey } }) => {
    await parts.elsewhere.leave(workerKey);
    return { reply: { sentence: "The worker is gone." } };
  },
  reportWork: async ({ parts, params, body: { goOn = true, ...report } }) => ({
    reply: await parts.elsewhere.report(params.caseId, { ...report, goOn }),
  }),
};

/** A claim takes cases of any tenant, so a type is given to those who may work for all of them. */
function typesRunBy({ all }: Registry, runs: string, grants: readonly Grant[]): readonly CaseType[] {
  const run = all.filter(({ outline }) => outline.runBy === runs);
  if (run.length === 0) {
    const known = [...new Set(all.flatMap(({ outline }) => outline.runBy ?? []))].join(", ") || "none";
    throw new FootholdError(
      "UNKNOWN_CASE_TYPE",
      `No case type that is loaded here is run by ${runs}. Definitions name those who run steps elsewhere: ${known}.`,
    );
  }
  const allowed = run.filter(({ outline: { name: caseType } }) =>
    mayDoForType(grants, "work", { caseType, tenants: "every" }),
  );
  if (allowed.length > 0) return allowed;
  const names = run.map(({ outline }) => outline.name).join(", ");
  throw new FootholdError(
    "NOT_ALLOWED",
    `The right "work" for all tenants of one of these case types is needed, and is not there: ${names}. Nothing was claimed.`,
  );
}

function otherProtocol(protocol: number): FootholdError {
  return new FootholdError(
    "WORK_PROTOCOL_UNKNOWN",
    `The worker speaks version ${protocol} of the work protocol, and this server version ${WORK_PROTOCOL}. Use the client ` +
      `that comes with this version of Foothold. Nothing was registered.`,
  );
}
