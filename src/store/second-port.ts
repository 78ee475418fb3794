/** What a store keeps of moves that wait for a second person. Times are epoch milliseconds by the store's clock. */

import type { Actor } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { AskedSecond, SecondMove, SecondState } from "../core/second-person.ts";

/** A request to be stored. */
export interface NewSecondRequest {
  /** `s`, the two digits of the case's shard, and a random part. */
  readonly requestId: string;
  readonly caseId: string;
  readonly move: SecondMove;
  /** What the move is made with. */
  readonly request: Json;
  readonly step: string | null;
  /** The plan version that it is bound to. */
  readonly plan: string;
  readonly reason: string | null;
  readonly askedBy: Actor;
  readonly lastsMs: number;
}

/** A request as stored. */
export interface SecondRequest extends Omit<NewSecondRequest, "lastsMs">, AskedSecond {
  readonly askedAt: number;
  readonly answeredBy: Actor | null;
  readonly answeredAt: number | null;
}

/** What became of a request that was open. */
interface SecondAnswer {
  readonly requestId: string;
  readonly to: Exclude<SecondState, "open">;
  readonly by: Actor;
  readonly why: string | null;
}

/** Moves that wait for a second person, as a store keeps them. Errors as in {@link Store}. */
export interface SecondStore {
  ask(request: NewSecondRequest): Promise<void>;
  load(requestId: string): Promise<SecondRequest | null>;
  /** Open ones whose time is not over, oldest first; of one case where one is named. At most {@link SECONDS_MAX}. */
  listOpen(caseId: string | null): Promise<readonly SecondRequest[]>;
  /** Every one of a case, also those that are answered or over, oldest first; of more than {@link SECONDS_MAX}, the newest. */
  listOf(caseId: string): Promise<readonly SecondRequest[]>;
  /** False where it is not open any more. */
  settle(answer: SecondAnswer): Promise<boolean>;
}

/** Requests in one list. */
export const SECONDS_MAX = 200;
