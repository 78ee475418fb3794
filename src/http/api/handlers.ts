/** One function for each route: it calls the desk or the store and gives what they give. */

import { FootholdError } from "../../core/errors.ts";
import type { CaseOutline, DestinationOutline } from "../../core/outline.ts";
import { grantsOf, mayDo, mayDoForType, verbsOf, type Verb } from "../../core/rights.ts";
import { seemsAlive } from "../../core/state.ts";
import type { ListFilter } from "../../desk/desk.ts";
import { holdingOf } from "../../desk/holding.ts";
import type { Overview } from "../../desk/overview.ts";
import type { PreviewRequest } from "../../desk/move-preview.ts";
import type { Who } from "../../desk/requests.ts";
import { signIn, signOut } from "../../people/sign-in.ts";
import { AUDIT_HANDLERS } from "./audit-handlers.ts";
import { BULK_HANDLERS } from "./bulk-handlers.ts";
import type { Answer, ApiParts, Call, Handler } from "./call.ts";
import { criteriaOf, eachReachedBy, visibleTypes } from "./criteria.ts";
import { exportCase } from "../../desk/export-case.ts";
import { actorOf, type Identity } from "./identity.ts";
import { INBOX_HANDLERS } from "./inbox-handlers.ts";
import { PICTURE_HANDLERS } from "./picture-handlers.ts";
import { SETTINGS_HANDLERS } from "./settings-handlers.ts";
import { MILESTONE_HANDLERS } from "./milestone-handlers.ts";
import { NOTICE_HANDLERS } from "./notice-handlers.ts";
import { SCHEDULE_HANDLERS } from "./schedule-handlers.ts";
import { SECOND_HANDLERS } from "./second-handlers.ts";
import { VIEW_HANDLERS } from "./view-handlers.ts";
import { WORK_HANDLERS } from "./work-handlers.ts";
import { ACCESS_WAIT_MS_MAX } from "./schemas/request-schemas.ts";
import type {
  ApiTypes,
  CaseParams,
  CasePageQuery,
  ClaimView,
  DestinationUse,
  DestinationView,
  PreviewBody,
  RouteId,
  WorkerView,
} from "./types.ts";

/** Holders and claims in one answer where nothing else is asked for. */
const LIST_LIMIT = 100;
/** Cases that are counted; of more it is said that there are. */
const COUNT_MAX = 1_000;
/** Claims that are counted by holder. */
const CLAIMS_COUNTED_MAX = 10_000;

/** Every route's. */
export const HANDLERS: { readonly [Id in RouteId]: Handler<Id> } = {
  showMe: ({ who: { name, signedInBy, grants } }) =>
    Promise.resolve({ reply: { name, signedInBy, verbs: verbsOf(grants) } }),
  openSession: async ({ parts: { store, roles, ports }, body, from }) => {
    const signingIn = { store, ids: ports.ids };
    const { person, sessionToken } = await signIn(signingIn, { ...body, address: from.address });
    // Who was signed in here before is not any more.
    if (from.sessionToken !== null) await signOut(signingIn, from.sessionToken);
    const verbs = verbsOf(grantsOf(roles, person.roles));
    return { reply: { name: person.name, signedInBy: "session", verbs }, status: 201, cookie: sessionToken };
  },
  endSession: async ({ parts: { store, ports }, from }) => {
    if (from.sessionToken !== null) await signOut({ store, ids: ports.ids }, from.sessionToken);
    return { reply: { sentence: "Signed out." }, cookie: null };
  },
  showOverview: async ({ parts, who }) => ({ reply: visibleOverview(await parts.desk.overview(), who) }),
  listCases: async ({ parts, query, who }) => ({
    reply: await parts.desk.list({ ...criteriaOf(query, parts, who), ...pageOf(query) }),
  }),
  countCases: async ({ parts, query, who }) => {
    const count = await parts.store.countFound(criteriaOf(query, parts, who), COUNT_MAX);
    return { reply: { count, isCapped: count === COUNT_MAX } };
  },
  showCase: async ({ parts, params, query, who, object }) => {
    const hasRight = (right: Verb): boolean => object !== null && mayDo(who.grants, right, object);
    const reply = await parts.desk.show(params.caseId, query.repairId, { hasRight, who: actorOf(who) });
    return { reply, ...(reply.plan === null ? {} : { etag: reply.plan.version }) };
  },
  previewCase: async ({ parts, params }) => {
    const { caseId, revision, plan } = await parts.desk.show(params.caseId);
    return { reply: { caseId, revision, plan }, ...(plan === null ? {} : { etag: plan.version }) };
  },
  exportCase: async ({ parts, params: { caseId } }) => ({
    reply: await exportCase(parts, caseId, { isMasked: true }),
  }),
  revealExport: async ({ parts, params: { caseId }, who, body }) => {
    await parts.desk.reveal(caseId, { ...body, by: actorOf(who) });
    return { reply: await exportCase(parts, caseId, { isMasked: false }) };
  },
  previewMove: async ({ parts, params, body }) => {
    const reply = await parts.desk.preview(params.caseId, readPreview(body));
    return { reply, etag: reply.plan };
  },
  startCase: async ({ parts, who, body: { type, input, startAfterMs: startAfter, ...options } }) => {
    const reply = await parts.desk.startCase(type, input, { by: actorOf(who), startAfter, ...options });
    const location = `/cases/${reply.caseId}`;
    return reply.isNew ? { reply, location, status: 201 } : { reply, location };
  },
  answerApproval: (call) => act(call, (id, request) => call.parts.desk.answerApproval(id, request)),
  resumeCase: (call) => act(call, (id, request) => call.parts.desk.resume(id, request)),
  correctInput: (call) => act(call, (id, request) => call.parts.desk.correctInput(id, request)),
  confirmStep: (call) => act(call, (id, request) => call.parts.desk.confirmStep(id, request)),
  ruleOutStep: (call) => act(call, (id, request) => call.parts.desk.ruleOut(id, request)),
  redoStep: (call) => act(call, (id, request) => call.parts.desk.redoStep(id, request)),
  checkStep: (call) => act(call, (id, request) => call.parts.desk.checkNow(id, request)),
  skipStep: (call) => act(call, (id, request) => call.parts.desk.skipStep(id, request)),
  leaveOutside: (call) => act(call, (id, request) => call.parts.desk.leaveOutside(id, request)),
  undoStep: (call) => act(call, (id, request) => call.parts.desk.undoStep(id, request)),
  assignCase: (call) => act(call, (id, request) => call.parts.desk.assignCase(id, request)),
  cancelCase: (call) => act(call, (id, request) => call.parts.desk.cancel(id, request)),
  pauseCase: (call) => act(call, (id, request) => call.parts.desk.pause(id, request)),
  addNote: (call) => act(call, (id, request) => call.parts.desk.addNote(id, request)),
  revealCase: async ({ parts, params, who, body }) => ({
    reply: await parts.desk.reveal(params.caseId, { ...body, by: actorOf(who) }),
  }),
  previewErasure: async ({ parts, params }) => ({ reply: await parts.desk.previewErasure(params.caseId) }),
  eraseCase: async ({ parts, params, who, body }) => ({
    reply: await parts.desk.erase(params.caseId, { ...body, by: actorOf(who) }),
  }),
  tellEvent: (call) =>
    act(call, (id, request) => call.parts.desk.recordEvent(id, { payload: null, ...request })),
  openRepair: async ({ parts, params, who }) => ({
    reply: await parts.desk.openRepair(params.caseId, { by: actorOf(who), ...parts.served }),
    status: 201,
  }),
  takeOverRepair: async ({ parts, params, who, body }) => ({
    reply: await parts.desk.takeOverRepair(params.caseId, { ...body, by: actorOf(who), ...parts.served }),
    status: 201,
  }),
  keepRepair: async ({ parts, params }) => ({
    reply: await parts.desk.keepRepair(params.caseId, params.repairId),
  }),
  closeRepair: async ({ parts, params, who }) => ({
    reply: await parts.desk.closeRepair(params.caseId, params.repairId, actorOf(who)),
  }),
  handOverRepair: async ({ parts, params, who, body }) => ({
    reply: await parts.desk.handOver(params.caseId, { ...body, repairId: params.repairId, by: actorOf(who) }),
  }),
  listCaseTypes: ({ parts, who }) =>
    Promise.resolve({ reply: { caseTypes: visibleTypes(parts.registry, who.grants) } }),
  showCaseType: ({ parts, params, who }) => {
    const found = visibleTypes(parts.registry, who.grants).find(({ name }) => name === params.caseType);
    return Promise.resolve({
      reply: found ?? unknownType(params.caseType, visibleTypes(parts.registry, who.grants)),
    });
  },
  showForms: ({ parts, params, who }) => {
    const known = visibleTypes(parts.registry, who.grants);
    if (!known.some(({ name }) => name === params.caseType)) return unknownType(params.caseType, known);
    return Promise.resolve({ reply: parts.desk.forms(params.caseType) });
  },
  listDestinations: ({ parts, who }) =>
    Promise.resolve({ reply: { destinations: destinationsOf(visibleTypes(parts.registry, who.grants)) } }),
  restoreAccess: async ({ parts, params, who, body }) => ({
    reply: await parts.desk.restoreAccess({
      ...body,
      destination: params.destination,
      by: actorOf(who),
      waitMs: body.waitMs ?? ACCESS_WAIT_MS_MAX,
    }),
  }),
  listWorkers: async ({ parts }) => ({ reply: await listWorkers(parts) }),
  listClaims: async ({ parts, query }) => ({ reply: await listClaims(parts, query.limit ?? LIST_LIMIT) }),
  ...MILESTONE_HANDLERS,
  ...PICTURE_HANDLERS,
  ...SCHEDULE_HANDLERS,
  ...BULK_HANDLERS,
  ...AUDIT_HANDLERS,
  ...SECOND_HANDLERS,
  ...VIEW_HANDLERS,
  ...INBOX_HANDLERS,
  ...SETTINGS_HANDLERS,
  ...NOTICE_HANDLERS,
  ...WORK_HANDLERS,
};

/** Routes that act on one case and tell what became of it. */
type ActRoute = {
  [Id in RouteId]: ApiTypes[Id] extends { reply: ApiTypes["addNote"]["reply"]; params: CaseParams }
    ? Id
    : never;
}[RouteId];

type Acting<Id extends ActRoute> = ApiTypes[Id]["body"] & {
  readonly by: Who;
  readonly plan: string | undefined;
};

/** Whoever is signed in acts, on the plan that they saw; what a body says of either is never read. */
async function act<Id extends ActRoute>(
  { body, params, plan, who }: Call<Id>,
  work: (caseId: string, request: Acting<Id>) => Promise<ApiTypes["addNote"]["reply"]>,
): Promise<Answer<ApiTypes["addNote"]["reply"]>> {
  const reply = await work(params.caseId, { ...body, by: actorOf(who), plan });
  return reply.outcome === "requested" ? { reply, status: 202 } : { reply };
}

/** The move as the desk takes it. Throws `INVALID_REQUEST` for a move without its step or its input. */
function readPreview({ move, step, force, input, result, repairId }: PreviewBody): PreviewRequest {
  const under = { repairId };
  switch (move) {
    case "resume":
      return { move, step, force, ...under };
    case "cancel":
      return { move, ...under };
    case "correct":
      return { move, input: input ?? missing(move, "input"), ...under };
    case "confirm":
    case "skip":
      return { move, step: step ?? missing(move, "step"), result, ...under };
    case "check":
    case "ruleOut":
    case "redo":
    case "undo":
    case "leaveOutside":
      return { move, step: step ?? missing(move, "step"), ...under };
  }
}

function missing(move: string, path: string): never {
  throw new FootholdError("INVALID_REQUEST", `To look at ${move} first, name its ${path}.`, {
    details: { fields: [{ path, message: "is missing" }] },
  });
}

function pageOf({ limit, cursor }: CasePageQuery): Pick<ListFilter, "limit" | "after"> {
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { after: cursor }),
  };
}

function unknownType(name: string, known: readonly CaseOutline[]): never {
  const names = known.map((one) => one.name).join(", ") || "none";
  throw new FootholdError(
    "UNKNOWN_CASE_TYPE",
    `No case type ${JSON.stringify(name)} is loaded here. Loaded: ${names}.`,
  );
}

/** Counts are over all tenants of a type, so they are for those who may see them all. */
function visibleOverview(all: Overview, { grants }: Identity): Overview {
  const sees = ({ caseType }: { readonly caseType: string }): boolean =>
    mayDoForType(grants, "see", { caseType, tenants: "every" });
  const holders = mayDo(grants, "seeWorkers", "house") ? all.holders : [];
  const undelivered = mayDo(grants, "seeNotices", "house") ? all.undelivered : 0;
  const schedules = all.schedules.filter((one) => mayDo(grants, "see", one));
  const [types, notices] = [all.types.filter(sees), all.notices.filter(sees)];
  return { ...all, types, notices, schedules, undelivered, holders };
}

/** Each destination and credential once, with the steps that send to it or ask it. */
function destinationsOf(caseTypes: readonly CaseOutline[]): readonly DestinationView[] {
  const found = new Map<string, { destination: DestinationOutline; usedBy: DestinationUse[] }>();
  for (const outline of caseTypes) {
    for (const step of outline.steps) {
      for (const destination of eachReachedBy(step)) {
        const key = JSON.stringify([destination.name, destination.credentialId]);
        const known = found.get(key) ?? { destination, usedBy: [] };
        known.usedBy.push({ caseType: outline.name, step: step.name });
        found.set(key, known);
      }
    }
  }
  return [...found.values()];
}

async function listWorkers({ store }: ApiParts): Promise<ApiTypes["listWorkers"]["reply"]> {
  const [holders, claims, now] = await Promise.all([
    store.listHolders(),
    store.listClaims(CLAIMS_COUNTED_MAX),
    store.now(),
  ]);
  const held = new Map<string, number>();
  for (const { holderId } of claims) held.set(holderId, (held.get(holderId) ?? 0) + 1);
  const workers = holders
    .filter(({ endedAt }) => endedAt === null)
    .map((holder): WorkerView => ({
      holderId: holder.holderId,
      kind: holder.kind,
      name: holder.name,
      host: holder.host,
      build: holder.build,
      startedAt: holder.startedAt,
      beatAt: holder.beatAt,
      isAlive: seemsAlive(holder, now),
      caseTypes: holder.caseTypes,
      claims: held.get(holder.holderId) ?? 0,
    }));
  return { now, workers };
}

async function listClaims(
  { store, formatTime }: ApiParts,
  limit: number,
): Promise<ApiTypes["listClaims"]["reply"]> {
  const [holders, claims, now] = await Promise.all([
    store.listHolders(),
    store.listClaims(limit),
    store.now(),
  ]);
  const views = claims.flatMap(({ caseId, ...claim }): readonly ClaimView[] => {
    const holding = holdingOf({ claim }, holders, now, formatTime);
    return holding === null ? [] : [{ caseId, holding }];
  });
  return { now, claims: views };
}
