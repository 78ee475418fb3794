/** Problems and bulk acts over the API: each case is held to the rights of whoever asks, and an act to who made it. */

import { FootholdError } from "../../core/errors.ts";
import { isJsonObject, type Json } from "../../core/json.ts";
import { mayDo, mayDoSomewhere, VERBS, visibleCases, type Verb } from "../../core/rights.ts";
import { bulkNotFound, type BulkFilter, type BulkMove, type BulkRequest } from "../../desk/bulk.ts";
import type { BulkAct, BulkItem } from "../../store/bulk-port.ts";
import type {
  BulkActView,
  BulkApiTypes,
  BulkFilterBody,
  BulkItemView,
  BulkMoveBody,
  BulkPreviewBody,
} from "./bulk-types.ts";
import type { ApiParts, Call, Handler } from "./call.ts";
import { criteriaOf } from "./criteria.ts";
import { actorOf, type Identity } from "./identity.ts";

/** Every route's. */
export const BULK_HANDLERS: { readonly [Id in keyof BulkApiTypes]: Handler<Id> } = {
  listProblems: async ({ parts, query: { type, tenant }, who }) => {
    const visible = visibleCases(who.grants, "see");
    const reply = await parts.desk.problems({
      ...(type === undefined ? {} : { caseType: type }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(visible === null ? {} : { visible }),
    });
    return { reply };
  },
  markProblem: async ({ parts, params, body, who }) => {
    await parts.desk.markProblem({ ...body, ...params, by: actorOf(who) });
    return { reply: { sentence: "Stored." } };
  },
  previewBulk: async ({ parts, body, who }) => ({
    reply: await parts.desk.previewBulk(requestOf(body, parts, who)),
  }),
  startBulk: async ({ parts, body, who }) => {
    const { reason, tryFirst } = body;
    const request = { ...requestOf(body, parts, who), reason, tryFirst, by: actorOf(who) };
    const act = await parts.desk.startBulk(request);
    return { reply: viewAct(act), status: 201, location: `/bulk-acts/${act.bulkId}` };
  },
  listBulkActs: async ({ parts, who }) => {
    const acts = await parts.desk.listBulks();
    return { reply: { acts: acts.filter((act) => seesAct(act, who)).map(viewAct) } };
  },
  showBulkAct: (call) => showAct(call),
  orderBulkAct: async ({ parts, params, body, who }) => {
    const act = await parts.store.bulk.load(params.bulkId);
    if (act === null || !seesAct(act, who)) throw bulkNotFound(params.bulkId);
    checkOrder(act, body.order, who);
    const ordered = await parts.desk.orderBulk(params.bulkId, { ...body, by: actorOf(who) });
    return { reply: viewAct(ordered) };
  },
};

async function showAct({
  parts: { desk, store },
  params,
  query: { after, state },
  who,
}: Call<"showBulkAct">): ReturnType<Handler<"showBulkAct">> {
  const view = await desk.showBulk(params.bulkId, {
    ...(after === undefined ? {} : { afterPlace: after }),
    ...(state === undefined ? {} : { state }),
  });
  if (!seesAct(view, who)) throw bulkNotFound(params.bulkId);
  const { items, next, ...act } = view;
  const { cases } = await store.readPulse(items.map(({ caseId }) => caseId));
  const seen = new Set(cases.filter((one) => mayDo(who.grants, "see", one)).map(({ caseId }) => caseId));
  const shown = items.filter(({ caseId }) => seen.has(caseId)).map(viewItem);
  return { reply: { act: viewAct(act), items: shown, next } };
}

/** Throws `NOT_ALLOWED` where whoever asks may make the move on no case at all. */
function requestOf(
  { move, filter }: BulkPreviewBody,
  parts: ApiParts,
  who: Identity,
): Pick<BulkRequest, "move" | "filter" | "reach"> {
  const right: Verb = move.move;
  const { grants } = who;
  if (!mayDoSomewhere(grants, right)) throw notAllowed(who, right);
  return {
    move: moveOf(move),
    filter: filterOf(filter, parts, who),
    reach: (row) => {
      if (!mayDo(grants, "see", row)) return "nothing";
      return mayDo(grants, "bulk", row) && mayDo(grants, right, row) ? "moves" : "sees";
    },
  };
}

function moveOf(body: BulkMoveBody): BulkMove {
  switch (body.move) {
    case "resume":
      return { move: "resume", step: body.step ?? null };
    case "skip":
      return { ...body, result: body.result ?? null };
    case "pause":
      return { move: "pause", untilAt: body.untilAt ?? null };
    case "check":
    case "cancel":
    case "assign":
    case "note":
      return body;
  }
}

function filterOf(body: BulkFilterBody, parts: ApiParts, who: Identity): BulkFilter {
  return body.by === "query" ? { by: "criteria", criteria: criteriaOf(body.query, parts, who) } : body;
}

/** Whoever made it, and whoever may see every case. */
function seesAct(act: BulkAct, who: Identity): boolean {
  return isMaker(act, who) || mayDo(who.grants, "see", "house");
}

function isMaker({ by }: BulkAct, who: Identity): boolean {
  const actor = actorOf(who);
  if (typeof actor === "string") return by === actor;
  return isJsonObject(by) && by["id"] === actor.id;
}

/** Letting another's act go on makes its moves, so it needs the right to them over every case. */
function checkOrder(act: BulkAct, order: "pause" | "resume" | "stop", who: Identity): void {
  const rights: readonly Verb[] =
    order === "resume" ? ["bulk", ...VERBS.filter((one) => one === act.move)] : ["bulk"];
  for (const right of rights) {
    const may = isMaker(act, who) ? mayDoSomewhere(who.grants, right) : mayDo(who.grants, right, "house");
    if (!may) throw notAllowed(who, right);
  }
}

function notAllowed({ name }: Identity, right: Verb): FootholdError {
  return new FootholdError(
    "NOT_ALLOWED",
    `${name} has not the right "${right}", which this bulk act needs. Nothing was done.`,
  );
}

function viewAct({ by, ...act }: BulkAct): BulkActView {
  return { ...act, by: nameOf(by) };
}

function nameOf(by: Json): string {
  if (typeof by === "string") return by;
  const label = isJsonObject(by) ? by["label"] : null;
  return typeof label === "string" ? label : "somebody";
}

function viewItem({ caseId, place, state, code, sentence, endedAt }: BulkItem): BulkItemView {
  return { caseId, place, state, code, sentence, endedAt };
}
