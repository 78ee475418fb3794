/** The faults that a test world can make, each once, at a place that it names. */

import type { Failpoint } from "../engine/failpoints.ts";
import { ResponseError } from "../triage/response.ts";

/** One fault. It hits the `nth` place that fits, from 1; left out, the first. */
export type PlannedFault = FaultAtStep & PlannedPlace & { readonly nth?: number };

/** A step, of any case type where none is named. */
interface PlannedPlace {
  readonly step: string;
  readonly caseType?: string;
}

type FaultAtStep =
  /** The worker dies at a failpoint of a step. */
  | { readonly kind: "crash"; readonly point: Failpoint }
  /** `run` succeeded, and the engine sees a connection that broke. */
  | { readonly kind: "answerLost" }
  /** The worker is stopped as it calls `run` until after others went on, and calls it then. */
  | { readonly kind: "lateSend" }
  /** The worker is stopped with the answer in its hands until after others went on. */
  | { readonly kind: "lateAnswer" }
  /** A request to a fake destination loses its connection, and arrives when the step has gone on without it. */
  | { readonly kind: "lateRequest" }
  /** Somebody else is at a fake destination first: has the name, or has changed the record. */
  | { readonly kind: "rival" }
  /** The destination refuses, and executes nothing. */
  | { readonly kind: "refused"; readonly how: RefusedHow | AccessHow };

/** How a destination refuses what it is sent. */
export type RefusedHow =
  | "input"
  /** A person gives the case another input then. */
  | "input, then corrected"
  | "too fast"
  /** It says when to come back. */
  | "too fast, until told"
  | "not there";

/** How a destination refuses whoever sends, and what makes that good. */
export type AccessHow =
  /** A person restores the access. */
  | "revoked"
  /** The destination says how another token is had. */
  | "expired"
  /** It says when the quota is reset. */
  | "used up";

/** What an answer says beside its status. */
interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const NO_INPUT: Refusal = {
  status: 422,
  body: '{"errors":[{"field":"","message":"is refused by the rehearsal"}]}',
};

const REFUSALS: Readonly<Record<RefusedHow | AccessHow, Refusal>> = {
  input: NO_INPUT,
  "input, then corrected": NO_INPUT,
  "too fast": { status: 429 },
  "too fast, until told": { status: 429, headers: { "retry-after": "30" } },
  "not there": { status: 404 },
  // No grant is good any more (RFC 6749): to fetch another token would not help.
  revoked: { status: 401, body: '{"error":"invalid_grant"}' },
  expired: { status: 401 },
  "used up": { status: 429, headers: { "retry-after": "600" }, body: '{"error":"quota_exceeded"}' },
};

/** What a client throws that is answered so. */
export function refusalOf(how: RefusedHow | AccessHow, destination: string): ResponseError {
  const { status, headers = {}, body = "" } = REFUSALS[how];
  return new ResponseError(status, destination, headers, body);
}

/** Faults, and which were really hit. */
export class PlannedFaults {
  #open: readonly { readonly fault: PlannedFault; readonly left: number }[] = [];

  add(fault: PlannedFault): void {
    this.#open = [...this.#open, { fault, left: fault.nth ?? 1 }];
  }

  /** How many are still to come. */
  get openCount(): number {
    return this.#open.length;
  }

  /** A place where `matches` fits: takes out the fault whose turn it is; null = none. */
  take(matches: (fault: PlannedFault) => boolean): PlannedFault | null {
    const counted = this.#open.map((one) => (matches(one.fault) ? { ...one, left: one.left - 1 } : one));
    const hit = counted.find(({ left }) => left === 0) ?? null;
    this.#open = counted.filter((one) => one !== hit);
    return hit?.fault ?? null;
  }
}
