/**
 * What the wire says about a claim. It wins: an error cannot tell "never sent" from "executed, answer lost", may claim a
 * status that no answer had, and speaks of one request only. Absence is proof where the meter is not blind; presence
 * only means "maybe".
 */

import type { Executed } from "../core/failure.ts";
import type { Json } from "../core/json.ts";
import type { WireEvidence, WireRequest } from "../core/wire-evidence.ts";
import { judgeAnswer } from "./answer.ts";
import { doubtOf } from "./claim.ts";
import { maybe, no, together } from "./meaning.ts";
import { meaningOf } from "./statuses.ts";
import type { Verdict } from "./verdict.ts";

/** Methods without an effect (RFC 9110). */
const READS = ["GET", "HEAD", "OPTIONS", "TRACE"];

/** The attempt as it is weighed. */
export interface Weighed {
  readonly destination: string;
  readonly evidence: WireEvidence;
  /** What was thrown where it is an answer's own body, whose status only the wire knows; else null. */
  readonly thrownBody: Json;
}

/** The claim, as far as the wire lets it stand. */
export function weigh(claim: Verdict, weighed: Weighed): Verdict {
  const { destination, evidence } = weighed;
  const isBlind = evidence.blindSpots.length > 0;
  const request = requestOf(claim, evidence);
  if (evidence.requests.length === 0 && evidence.sentCount === 0 && !isBlind)
    return neverBegun(destination, claim);
  const own = request === null ? claim : ofRequest(weighed, claim, request);
  const executed = together(executedBy(own, request, isBlind), executedByOthers(request, evidence));
  if (executed === own.meaning.executed) return own;
  // What a guess had added about who must look at it no longer holds once it is known what happened.
  const { cause } = own.meaning;
  const details = own.basis.kind === "nothing" ? {} : own.meaning;
  return { ...own, meaning: { ...details, cause, executed }, confidence: "proved" };
}

/** The request that the claim is about; null = none that was seen. */
function requestOf({ basis }: Verdict, { requests, blindSpots }: WireEvidence): WireRequest | null {
  switch (basis.kind) {
    case "answer": {
      const answered = requests.findLast(({ status }) => status === basis.answer.status);
      // Nobody answered so: what the error claims is not what was said.
      return answered ?? (blindSpots.length > 0 ? null : (requests.at(-1) ?? null));
    }
    case "words":
      return null;
    case "unsent":
      return requests.findLast(({ sent }) => sent === "none") ?? null;
    case "nothing":
      return requests.at(-1) ?? null;
  }
}

/** What is to be said of one request. */
function ofRequest(
  { destination, evidence, thrownBody }: Weighed,
  claim: Verdict,
  request: WireRequest,
): Verdict {
  const isBlind = evidence.blindSpots.length > 0;
  const { status, headers, sent } = request;
  if (claim.basis.kind === "unsent") return claim;
  if (claim.basis.kind === "answer" && claim.basis.answer.status === status) {
    // The wire has every header, the error only those that its client kept.
    return { ...claim, hints: { ...claim.hints, headers: { ...claim.hints.headers, ...headers } } };
  }
  // Where the meter is blind, what it did not see proves nothing.
  if ((sent === "none" || status === null) && isBlind) return claim;
  if (sent === "none") return neverLeft(destination, claim);
  if (status === null) return claim.basis.kind === "answer" ? noAnswer(destination, request) : claim;
  const body = claim.basis.kind === "nothing" && status >= 300 ? thrownBody : null;
  const answered = judgeAnswer(destination, { status, headers, body }, null);
  if (status >= 300) return { ...answered, confidence: "proved" };
  return afterSuccess(claim, answered);
}

/** No request was begun: whatever was thrown, it was thrown before anything could happen. */
function neverBegun(destination: string, claim: Verdict): Verdict {
  if (claim.meaning.executed === "no") return claim;
  const meaning = { ...claim.meaning, executed: "no" } as const;
  return { ...claim, meaning, confidence: "proved", sentence: withoutDoubt(destination, claim.sentence) };
}

function withoutDoubt(destination: string, sentence: string): string {
  return sentence.replace(doubtOf(destination), "nothing had been sent");
}

function neverLeft(destination: string, claim: Verdict): Verdict {
  const isNetwork = claim.basis.kind === "answer" || claim.meaning.cause === "transient";
  return {
    ...claim,
    meaning: isNetwork ? no("transient", { scope: "destination" }) : { ...claim.meaning, executed: "no" },
    basis: { kind: "unsent" },
    confidence: "proved",
    rule: isNetwork ? "wire.unsent" : claim.rule,
    sentence: isNetwork
      ? `${destination} was not reached; nothing was sent`
      : withoutDoubt(destination, claim.sentence),
  };
}

/** The error claims an answer that nobody gave. */
function noAnswer(destination: string, { method }: WireRequest): Verdict {
  return {
    meaning: maybe("transient"),
    basis: { kind: "nothing" },
    confidence: "proved",
    rule: "wire.noAnswer",
    sentence: `${destination} gave no answer to the ${method} that was sent`,
    hints: { headers: {}, body: null },
  };
}

/** The destination said yes, and something went wrong behind it: never a reason to send again as after a 5xx. */
function afterSuccess(claim: Verdict, answered: Verdict): Verdict {
  const { cause } = claim.basis.kind === "answer" ? answered.meaning : claim.meaning;
  const failing = claim.basis.kind === "answer" ? "" : ` ${claim.sentence}.`;
  return {
    ...answered,
    meaning: { ...answered.meaning, cause },
    confidence: "proved",
    rule: claim.basis.kind === "answer" ? answered.rule : claim.rule,
    sentence: `${answered.sentence}, and what came after it failed.${failing}`.replace(/\.$/, ""),
  };
}

function executedBy({ meaning }: Verdict, request: WireRequest | null, isBlind: boolean): Executed {
  // A read has no effect, whatever became of it.
  return request !== null && isRead(request) && !isBlind ? "no" : meaning.executed;
}

/** What became of everything else that the attempt sent. */
function executedByOthers(judged: WireRequest | null, evidence: WireEvidence): Executed {
  const sent = evidence.requests.filter((one) => one.sent !== "none");
  const origin = (judged ?? sent.at(-1))?.origin ?? null;
  const fates = sent
    .filter((one) => one !== judged && !isRead(one) && !isAside(one, origin))
    .map(({ status }) => fateOf(status));
  // Of those that were not kept nothing is known.
  const unkept: Executed = evidence.sentCount > sent.length ? "maybe" : "no";
  return fates.reduce(together, unkept);
}

function fateOf(status: number | null): Executed {
  if (status === null) return "maybe";
  return status >= 300 ? meaningOf(status).executed : "partial";
}

/** A call to somebody else that went well, such as for a token, is not the effect that this step is for. */
function isAside({ origin, status, isAnswerComplete }: WireRequest, judged: string | null): boolean {
  const isElsewhere = origin !== null && judged !== null && origin !== judged;
  return isElsewhere && isAnswerComplete && status !== null && status < 300;
}

function isRead({ method }: WireRequest): boolean {
  return READS.includes(method);
}
