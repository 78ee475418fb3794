/**
 * What the requests of an attempt say about the client that made them. Pure: evidence in, findings out, for one attempt
 * or for several of the same step.
 */

import type { ForeignKey, WireFinding, WireFindingCode, WireSummary } from "../core/wire-evidence.ts";
import { settingOf } from "./clients.ts";
import { BLIND_SPOTS, type MeteredEvidence, type MeteredRequest } from "./evidence.ts";
import { isUnsafeMethod } from "./request-facts.ts";

/** Bounds that the requests of a step are measured against. */
export interface RequestBounds {
  /** Attempts in one round. */
  readonly maxAttempts: number;
  /** Real requests in one round. */
  readonly maxRequests: number;
}

/** What is kept of one attempt's evidence. `earlierKeys`: see {@link foreignKeyOf}, of earlier attempts of the same intent. */
export function summaryOf(
  evidence: MeteredEvidence,
  bounds: RequestBounds,
  earlierKeys: readonly ForeignKey[],
): WireSummary {
  const foreignKey = foreignKeyOf(evidence);
  return {
    requests: evidence.sentCount,
    repeats: evidence.repeatCount,
    isAtLeast: evidence.blindSpots.length > 0,
    findings: findingsOf(evidence, bounds, earlierKeys),
    ...(foreignKey === null ? {} : { foreignKey }),
  };
}

/** The findings of several attempts of one step, at most one for each code. */
export function findingsOfAll(
  evidences: readonly MeteredEvidence[],
  bounds: RequestBounds,
): readonly WireFinding[] {
  const earlier: ForeignKey[] = [];
  const found = new Map<WireFindingCode, WireFinding>();
  for (const evidence of evidences) {
    for (const one of findingsOf(evidence, bounds, earlier))
      if (!found.has(one.code)) found.set(one.code, one);
    const key = foreignKeyOf(evidence);
    if (key !== null) earlier.push(key);
  }
  return [...found.values()];
}

/** The findings of one attempt, at most one for each code. */
export function findingsOf(
  evidence: MeteredEvidence,
  bounds: RequestBounds,
  earlierKeys: readonly ForeignKey[],
): readonly WireFinding[] {
  const { requests, repeatCount, lateCount, blindSpots, unseenClient } = evidence;
  const repeat = requests.find(({ isRepeat, sent }) => isRepeat && sent !== "none");
  const changed = requests.find((one) => makesKeys(one, earlierKeys));
  const client = repeat?.client ?? null;
  const findings: WireFinding[] = [];
  if (repeatCount > 0) findings.push({ code: "HIDDEN_RETRY", client });
  const unsafe = requests.find(isUnsafeRepeat);
  if (unsafe !== undefined) findings.push({ code: "UNSAFE_HIDDEN_RETRY", client: unsafe.client });
  if (changed !== undefined) findings.push({ code: "AUTO_KEY_PER_CALL", client: changed.client });
  if (repeatCount > 0 && bounds.maxAttempts * (1 + repeatCount) > bounds.maxRequests) {
    findings.push({ code: "MULTIPLIED", client });
  }
  if (lateCount > 0) {
    findings.push({ code: "LATE_REQUEST", client: requests.find(({ isLate }) => isLate)?.client ?? null });
  }
  // That nothing was seen at all is no finding: the step may send by other means than HTTP.
  if (blindSpots.some((spot) => spot !== BLIND_SPOTS.nothingSeen))
    findings.push({ code: "BLIND", client: unseenClient });
  return findings;
}

/** The key of the last write that carried another than the step's own; null = there was none. */
export function foreignKeyOf({ requests }: MeteredEvidence): ForeignKey | null {
  const found = requests.findLast(isForeign);
  return found === undefined || found.keyHash === null
    ? null
    : { group: found.group, keyHash: found.keyHash };
}

function isForeign({ method, keyKind, sent }: MeteredRequest): boolean {
  return isUnsafeMethod(method) && sent !== "none" && (keyKind === "automatic" || keyKind === "other");
}

function isUnsafeRepeat({ method, isRepeat, keyKind, sent }: MeteredRequest): boolean {
  return isRepeat && sent !== "none" && isUnsafeMethod(method) && keyKind === "none";
}

function makesKeys(request: MeteredRequest, earlierKeys: readonly ForeignKey[]): boolean {
  if (!isForeign(request)) return false;
  if (request.keyKind === "automatic") return true;
  return earlierKeys.some(({ group, keyHash }) => group === request.group && keyHash !== request.keyHash);
}

/** A finding in one sentence, with what to do about it. */
export function sayFinding({ code, client }: WireFinding): string {
  const who = client ?? "The client";
  const off = `turn that off: ${settingOf(client)}.`;
  switch (code) {
    case "HIDDEN_RETRY":
      return `${who} sends the same request again by itself; ${off}`;
    case "UNSAFE_HIDDEN_RETRY":
      return `${who} repeats a write that carries no idempotency key, so that it may be executed twice; ${off}`;
    case "AUTO_KEY_PER_CALL":
      return (
        `${who} makes a new idempotency key for every call, so that the destination cannot know a repeat again; ` +
        "give it the step's idempotencyKey."
      );
    case "MULTIPLIED":
      return `${who} repeats requests, and times the attempts of the step that is more than it may send; ${off}`;
    case "LATE_REQUEST":
      return (
        "A request was begun after its attempt had ended or been stopped; await every request inside run, and give " +
        "it the signal."
      );
    case "BLIND":
      return client === null
        ? "Something ran that the meter cannot see into, so that there may have been more requests."
        : `${client} sends again by itself, unseen by the meter, what got no reply, also a write; ${off}`;
  }
}
