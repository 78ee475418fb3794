/** What the thrown value claims, before the wire is asked. */

import type { SeenError } from "../core/seen-failure.ts";
import { judgeAnswer, understand, type Understood } from "./answer.ts";
import { unsentBy } from "./connection.ts";
import { FAMILIES } from "./families/all.ts";
import type { Words } from "./families/family.ts";
import { maybe, together } from "./meaning.ts";
import { fromEachOf, type Snapshot } from "./snapshot.ts";
import { NO_HINTS, type Verdict } from "./verdict.ts";

/** Why we stopped a send ourselves. */
export type StopCause = "deadline" | "lease" | "shutdown";

/** What is claimed about one destination. */
export interface ClaimInput {
  readonly destination: string;
  readonly stopped: StopCause | null;
}

/** Reads the claim. What the destination said is believed first, then what a connection proves, then our own stop. */
export function claimOf(snapshot: Snapshot, input: ClaimInput): Verdict {
  const { words, understood, from } = wordsOf(snapshot);
  const answer = words?.answer === undefined ? (snapshot.found?.answer ?? null) : words.answer;
  if (answer !== null) return judgeAnswer(input.destination, answer, understood);
  if (words !== null && understood !== null) return claimOfWords(from, input, words, understood);
  return (
    claimOfUnsent(snapshot, input) ??
    (input.stopped === null ? claimOfNothing(snapshot, input) : claimOfStop(input, input.stopped))
  );
}

/**
 * The claim where the wire did not show all: errors that failed side by side tell of a request each, and what one of
 * them says says nothing of the others.
 */
export function withMembers(claim: Verdict, { members }: Snapshot, input: ClaimInput): Verdict {
  const executed = members
    .map((member) => claimOf(member, input).meaning.executed)
    .reduce(together, claim.meaning.executed);
  if (executed === claim.meaning.executed) return claim;
  return {
    ...claim,
    meaning: { ...claim.meaning, executed },
    confidence: "inferred",
    sentence: `${claim.sentence}; more failed beside it, and ${doubtOf(input.destination)}`,
  };
}

interface Recognized {
  readonly words: Words | null;
  readonly understood: Understood | null;
  /** What the words were read from. */
  readonly from: Snapshot;
}

/** Words of the error itself, else of what caused it: an author may put a client's error into one of their own. */
function wordsOf(snapshot: Snapshot): Recognized {
  for (const from of fromEachOf(snapshot)) {
    for (const family of FAMILIES) {
      const words = family.fromError?.(from) ?? null;
      if (words !== null) return { words, understood: understand(family, words), from };
    }
    // An answer that stands in the error itself says more than what stands behind it.
    if (from.answers[0] !== null) break;
  }
  return { words: null, understood: null, from: snapshot };
}

function claimOfWords(
  { chain: [first] }: Snapshot,
  { destination }: ClaimInput,
  { hints = NO_HINTS }: Words,
  { meaning, rule }: Understood,
): Verdict {
  const said = first === undefined || first.message === "" ? "" : `: ${first.message}`;
  return {
    meaning,
    basis: { kind: "words" },
    confidence: "declared",
    rule,
    sentence: `${destination} failed with ${rule.replace(/^\w+\./, "")}${said}`,
    hints,
  };
}

function claimOfUnsent(snapshot: Snapshot, input: ClaimInput): Verdict | null {
  const { chain, members, isWhole } = snapshot;
  const { destination } = input;
  const unsent = isWhole ? unsentBy(chain) : null;
  if (unsent === null || members.some((one) => claimOf(one, input).meaning.executed !== "no")) return null;
  return {
    meaning: unsent.meaning,
    basis: { kind: "unsent" },
    confidence: "proved",
    rule: `unsent.${unsent.code}`,
    sentence: `${destination} was not reached (${unsent.code}); nothing was sent`,
    hints: NO_HINTS,
  };
}

const STOP_SENTENCES: Readonly<Record<StopCause, string>> = {
  deadline: "gave no answer before the deadline",
  lease: "had not answered when this worker's lease ran out",
  shutdown: "had not answered when this worker was stopped",
};

function claimOfStop({ destination }: ClaimInput, stopped: StopCause): Verdict {
  return {
    meaning: maybe("stopped"),
    basis: { kind: "nothing" },
    confidence: "declared",
    rule: `stopped.${stopped}`,
    sentence: `${destination} ${STOP_SENTENCES[stopped]}`,
    hints: NO_HINTS,
  };
}

const BUG_NAMES = ["TypeError", "RangeError", "ReferenceError", "SyntaxError", "AssertionError"];
/** Names that clients give to a request that took too long. */
const TIMEOUTS = ["AbortError", "TimeoutError", "APIConnectionTimeoutError"];
/** A call that its own library refused. */
const CALL_CODES = /^(ERR_INVALID_|UND_ERR_INVALID_ARG$|UND_ERR_NOT_SUPPORTED$)/;

/** Nothing proves that nothing was sent: it may have happened, whatever the error says. */
function claimOfNothing({ chain }: Snapshot, { destination }: ClaimInput): Verdict {
  const [first] = chain;
  const isBug =
    chain.some(({ code }) => code !== null && CALL_CODES.test(code)) ||
    (first !== undefined && BUG_NAMES.includes(first.name) && chain.length === 1);
  // The deepest one with a code says more than "fetch failed".
  const telling = chain.findLast(({ code, isAggregate }) => code !== null && !isAggregate) ?? first;
  const said = telling === undefined || telling.message === "" ? "" : `: ${telling.message}`;
  const name = telling === undefined ? "nothing" : nameOf(telling);
  const isTransport = chain.some((one) => one.code !== null || TIMEOUTS.includes(one.name));
  return {
    // A shape that nobody knows is for whoever looks after the destination.
    meaning: maybe(isBug ? "bug" : "transient", isBug || isTransport ? {} : { owner: "operator" }),
    basis: { kind: "nothing" },
    confidence: isTransport ? "inferred" : "guessed",
    rule: isBug ? "code.threw" : "unclear",
    sentence: `The step failed with ${name}${said}; ${doubtOf(destination)}`,
    hints: NO_HINTS,
  };
}

/** What is said where nothing proves that nothing happened. */
export function doubtOf(destination: string): string {
  return `whether ${destination} did its part is not proved`;
}

/** A code that is a number (of a DOMException) says less than the name. */
function nameOf({ code, name }: SeenError): string {
  return code === null || /^\d+$/.test(code) ? name : code;
}
