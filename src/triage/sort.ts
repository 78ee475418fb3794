/**
 * Sorts what an attempt threw: why it failed, and whether it happened. It looks at structure (shapes, statuses, codes,
 * syscalls), never at message texts, and at what the wire showed, which wins. What proves that nothing happened is
 * `executed: "no"`; everything else may have happened.
 */

import { failureOf, type Failure, type FailureCause } from "../core/failure.ts";
import type { Json } from "../core/json.ts";
import type { Sorter } from "../core/seen-failure.ts";
import type { WireEvidence } from "../core/wire-evidence.ts";
import { claimOf, withMembers, type StopCause } from "./claim.ts";
import { fieldsOf } from "./fields.ts";
import { readInstruction, type InstructionReading } from "./instruction.ts";
import { withinReach } from "./newer-token.ts";
import { askOwnSorters } from "./own-sorters.ts";
import { keptErrors, keptHeaders, snapshotOf, type Snapshot } from "./snapshot.ts";
import type { Verdict } from "./verdict.ts";
import { weigh } from "./weigh.ts";

export type { StopCause } from "./claim.ts";

/** What sorting needs beside the error. */
export interface SortInput {
  /** The destination, for the sentence. */
  readonly destination: string;
  /** Set when the attempt's own signal had aborted before it failed. */
  readonly stopped: StopCause | null;
  /** Epoch ms, to read dates in headers. */
  readonly now: number;
  /** What the wire showed of the attempt; null = it was not measured. */
  readonly evidence: WireEvidence | null;
  /** The destination's own sorters, asked in this order. */
  readonly sorters: readonly Sorter[];
}

/** Sorts a thrown value. Never throws. */
export function sortFailure(thrown: unknown, input: SortInput): Failure {
  const { destination, evidence, sorters, now } = input;
  const snapshot = snapshotOf(thrown);
  const first = claimOf(snapshot, input);
  const isAllSeen = evidence !== null && evidence.blindSpots.length === 0;
  const claim = isAllSeen ? first : withMembers(first, snapshot, input);
  const thrownBody = snapshot.bodies.find((body) => body !== null) ?? null;
  const verdict = evidence === null ? claim : weigh(claim, { destination, evidence, thrownBody });
  const sorted = failureFrom(verdict, snapshot, input);
  const failure = askOwnSorters(destination, sorters, {
    errors: snapshot.chain,
    response: snapshot.found?.answer ?? null,
    requests: evidence?.requests ?? null,
    sorted,
  });
  return withinReach(failure, now);
}

/** A failure that we made ourselves before anything could be sent. */
export function unsentFailure(cause: FailureCause, rule: string, sentence: string): Failure {
  return failureOf({ cause, executed: "no", confidence: "proved", rule, sentence });
}

function failureFrom(verdict: Verdict, snapshot: Snapshot, { stopped, now }: SortInput): Failure {
  const { meaning, confidence, rule, sentence, hints } = verdict;
  const { executed, instruction: known = null, ...rest } = meaning;
  const reading = readInstruction({ ...hints, isSlowDown: meaning.cause === "throttled" }, now);
  const isStop = known?.kind === "doNotRetry";
  return failureOf({
    ...rest,
    // A deadline that passed before anything happened is an outage like others; to try at once would not help.
    cause:
      meaning.cause === "stopped" && executed === "no" && stopped === "deadline"
        ? "transient"
        : meaning.cause,
    executed,
    confidence,
    rule,
    sentence: `${sentence}.`,
    instruction: isStop ? known : (reading.instruction ?? known),
    fields: fieldsOf(hints.body),
    raw: rawOf(verdict, snapshot, reading),
  });
}

/** What is kept for people. */
function rawOf({ basis }: Verdict, { chain, found }: Snapshot, { notes }: InstructionReading): Json {
  const answer = basis.kind === "answer" ? basis.answer : (found?.answer ?? null);
  const response = answer === null ? null : { ...answer, headers: keptHeaders(answer.headers) };
  return { errors: keptErrors(chain), response, ...(notes.length > 0 ? { notes } : {}) };
}
