/** What the routes of workers in other places take and give. */

import type {
  ClaimedWork,
  Registered,
  WorkLife,
  WorkReport,
  WorkTaken,
} from "../../engine/elsewhere-protocol.ts";

/** A worker starts. */
export interface RegisterWorkerBody {
  /** The version of the protocol that it speaks: 1. */
  readonly protocol: number;
  /** The name under which definitions say that a step is run elsewhere, such as `python`. */
  readonly runs: string;
  /** For people. */
  readonly name: string;
  readonly host: string;
  /** Language and build, such as `python 3.11.7, scorer 1.2`. */
  readonly build: string;
}

/** A worker is alive. */
export interface BeatWorkerBody {
  readonly workerKey: string;
  /** Every claim that it has or has asked for. */
  readonly holds: readonly string[];
}

/** A worker asks for work. */
export interface ClaimWorkBody {
  readonly workerKey: string;
  readonly runs: string;
  /** One random id per case wanted, made by the worker; the same request again has the same ones. */
  readonly claimIds: readonly string[];
  /** How long to wait for work, in ms: at most 20,000. Left out = not at all. */
  readonly waitMs?: number;
}

/** A worker stops. */
export interface LeaveWorkBody {
  readonly workerKey: string;
}

/** What came of a task. */
export type ReportWorkBody = Omit<WorkReport, "goOn"> & {
  /** False: the worker takes nothing more, and the case goes back. Left out = true. */
  readonly goOn?: boolean;
};

/** What each route takes and gives. */
export interface WorkApiTypes {
  readonly registerWorker: { params: object; query: object; body: RegisterWorkerBody; reply: Registered };
  readonly beatWorker: { params: object; query: object; body: BeatWorkerBody; reply: WorkLife };
  readonly claimWork: { params: object; query: object; body: ClaimWorkBody; reply: ClaimedWork };
  readonly leaveWork: {
    params: object;
    query: object;
    body: LeaveWorkBody;
    reply: { readonly sentence: string };
  };
  readonly reportWork: {
    params: { readonly caseId: string };
    query: object;
    body: ReportWorkBody;
    reply: WorkTaken;
  };
}
