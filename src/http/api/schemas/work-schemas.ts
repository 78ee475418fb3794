/** What the API takes from workers in other places, and tells them. */

import { z } from "zod";
import type { ElsewhereAnswer } from "../../../engine/elsewhere-words.ts";
import {
  WORK_CLAIMS_MAX,
  WORK_HOLDS_MAX,
  WORK_WAIT_MS_MAX,
  type ClaimedWork,
  type Registered,
  type WorkLife,
  type WorkTaken,
} from "../../../engine/elsewhere-protocol.ts";
import type { WorkTask } from "../../../engine/elsewhere-task.ts";
import type {
  BeatWorkerBody,
  ClaimWorkBody,
  LeaveWorkBody,
  RegisterWorkerBody,
  ReportWorkBody,
} from "../work-types.ts";
import { line, name } from "./request-schemas.ts";
import { count, json, list, named, oneOf, text, textOrNone, typed } from "./schema.ts";

/** Characters of the secret of a worker, its name included. */
const KEY_CHARS_MAX = 400;
/** Characters of a claim id that a worker makes: at least 120 random bits. */
const CLAIM_ID = /^[a-z0-9-]{30,64}$/;
/** Characters of the name of a task. */
const TASK_CHARS_MAX = 300;
const MESSAGE_CHARS_MAX = 10_000;
const REQUESTS_MAX = 1_000;

const workerKey = line(KEY_CHARS_MAX);
const claimId = z.string().regex(CLAIM_ID, "must be 30 to 64 lower-case letters, digits or -, at random");

/** True where there are some, all different. */
function areApart(ids: readonly string[]): boolean {
  return ids.length > 0 && new Set(ids).size === ids.length;
}

/** A worker starts. */
export const registerWorkerBody: z.ZodType<RegisterWorkerBody> = named<RegisterWorkerBody>(
  "RegisterWorkerRequest",
)(z.strictObject({ protocol: z.int(), runs: name, name, host: name, build: name }));
/** A worker is alive. */
export const beatWorkerBody: z.ZodType<BeatWorkerBody> = named<BeatWorkerBody>("BeatWorkerRequest")(
  z.strictObject({ workerKey, holds: list(claimId, WORK_HOLDS_MAX) }),
);
/** A worker asks for work. */
export const claimWorkBody: z.ZodType<ClaimWorkBody> = named<ClaimWorkBody>("ClaimWorkRequest")(
  z.strictObject({
    workerKey,
    runs: name,
    claimIds: list(claimId, WORK_CLAIMS_MAX).refine(areApart, "must name an id at least, and none twice"),
    waitMs: z.int().min(0).max(WORK_WAIT_MS_MAX).exactOptional(),
  }),
);
/** A worker stops. */
export const leaveWorkBody: z.ZodType<LeaveWorkBody> = named<LeaveWorkBody>("LeaveWorkRequest")(
  z.strictObject({ workerKey }),
);

const requests = z.int().min(0).max(REQUESTS_MAX).exactOptional();
const answer = named<ElsewhereAnswer>("WorkAnswer")(
  z.union([
    z.strictObject({ kind: z.literal("confirmed"), result: json, requests }),
    z.strictObject({
      kind: z.literal("failed"),
      sent: z.enum(["no", "maybe", "answered"]),
      name,
      message: z.string().max(MESSAGE_CHARS_MAX),
      code: name.exactOptional(),
      status: z.int().min(100).max(599).exactOptional(),
      headers: z.record(z.string(), z.string()).exactOptional(),
      body: json.exactOptional(),
      stack: z.string().max(MESSAGE_CHARS_MAX).exactOptional(),
      stopped: z.enum(["deadline", "lease", "shutdown"]).exactOptional(),
      requests,
    }),
    z.strictObject({
      kind: z.literal("happened"),
      result: json,
      evidence: json.exactOptional(),
      fingerprint: name.exactOptional(),
    }),
    z.strictObject({ kind: z.literal("differs"), why: text, evidence: json.exactOptional() }),
    z.strictObject({ kind: z.literal("didNotHappen") }),
    z.strictObject({ kind: z.literal("cannotTell"), why: text }),
  ]),
);
/** What came of a task. */
export const reportWorkBody: z.ZodType<ReportWorkBody> = named<ReportWorkBody>("ReportWorkRequest")(
  z.strictObject({
    workerKey,
    claimId,
    task: line(TASK_CHARS_MAX),
    answer,
    goOn: z.boolean().exactOptional(),
  }),
);

/** What a worker is told when it has registered. */
export const registered: z.ZodType<Registered> = named<Registered>("RegisteredWorker")(
  z.strictObject({
    protocol: z.int(),
    workerKey: text,
    holderId: text,
    leaseMs: z.number(),
    beatEveryMs: z.number(),
    trustMs: z.number(),
    caseTypes: list(z.strictObject({ name: text, version: count })),
  }),
);
/** What a beat learned. */
export const workLife: z.ZodType<WorkLife> = named<WorkLife>("WorkLife")(
  z.union([
    z.strictObject({ kind: z.literal("alive"), lost: list(text) }),
    z.strictObject({ kind: z.literal("ended") }),
  ]),
);
const task = named<WorkTask>("WorkTask")(
  z.strictObject({
    caseId: text,
    caseType: text,
    claimId: text,
    task: text,
    step: text,
    key: textOrNone,
    ask: oneOf<WorkTask["ask"]>({ run: true, check: true, undo: true, checkUndo: true }),
    attempt: count,
    request: json,
    idempotencyKey: text,
    fencingToken: z.number(),
    fingerprint: text,
    undoes: z.strictObject({ result: json, evidence: json }).nullable(),
    withinMs: z.number(),
  }),
);
/** What a claim brought. */
export const claimedWork: z.ZodType<ClaimedWork> = named<ClaimedWork>("ClaimedWork")(
  z.union([
    z.strictObject({ kind: z.literal("tasks"), tasks: list(task), heldMs: count }),
    z.strictObject({ kind: z.literal("ended") }),
  ]),
);
/** What became of a report. */
export const workTaken: z.ZodType<WorkTaken> = typed<WorkTaken>()(
  z.union([
    z.strictObject({ kind: z.literal("stored"), next: task.nullable(), heldMs: count }),
    z.strictObject({ kind: z.literal("late") }),
  ]),
);
