/** A move that waits, or waited, for a second person, as people see it. */

import type { Actor } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import type { SecondMove, SecondState } from "../core/second-person.ts";

/** A request, for people. */
export interface SecondView {
  readonly requestId: string;
  readonly caseId: string;
  readonly move: SecondMove;
  readonly step: string | null;
  /** What the move would be made with. */
  readonly request: Json;
  readonly plan: string;
  readonly reason: string | null;
  readonly askedBy: Actor;
  readonly askedAt: number;
  readonly endsAt: number;
  readonly state: SecondState;
  readonly answeredBy: Actor | null;
  readonly answeredAt: number | null;
  /** Why it was declined, or is void. */
  readonly why: string | null;
  /** Who asks for what, and until when somebody has to answer; or what became of it. */
  readonly sentence: string;
}
