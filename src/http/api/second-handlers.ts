/** Moves that wait for a second person, over the API: each is held to the rights on its case. */

import { FootholdError } from "../../core/errors.ts";
import { MOVES } from "../../core/move-names.ts";
import { mayDo } from "../../core/rights.ts";
import { houseHead, noteRefusal } from "../../desk/audited.ts";
import { secondNamed, secondNotFound } from "../../desk/seconds.ts";
import type { Handler } from "./call.ts";
import { actorOf } from "./identity.ts";
import type { SecondApiTypes } from "./second-types.ts";

/** Every route's. */
export const SECOND_HANDLERS: { readonly [Id in keyof SecondApiTypes]: Handler<Id> } = {
  listSeconds: async ({ parts, query, who }) => {
    const open = await parts.desk.listSeconds(query.caseId);
    const rows = await Promise.all(open.map(({ caseId }) => parts.store.loadRow(caseId)));
    const requests = open.filter((_, index) => {
      const row = rows[index] ?? null;
      return row !== null && mayDo(who.grants, "see", row);
    });
    return { reply: { requests } };
  },
  answerSecond: async ({ parts, params: { requestId }, body, who }) => {
    const request = await secondNamed(parts, requestId);
    const row = await parts.store.loadRow(request.caseId);
    // Whoever may not see the case is told no more than if there were no request.
    if (row === null || !mayDo(who.grants, "see", row)) throw secondNotFound(requestId);
    const { right } = MOVES[request.move];
    const by = actorOf(who);
    if (!mayDo(who.grants, right, row)) {
      const refusal = new FootholdError(
        "NOT_ALLOWED",
        `${who.name} has not the right "${right}" for ${row.caseType} of the tenant ${row.tenant}, which this needs. ` +
          `Nothing was done.`,
      );
      const head = { ...houseHead("answerSecond", { by, reason: body.reason }), about: requestId };
      await noteRefusal({ store: parts.store, ids: parts.ports.ids, lookup: parts }, head, refusal);
      throw refusal;
    }
    return { reply: await parts.desk.answerSecond(requestId, { ...body, by }) };
  },
};
