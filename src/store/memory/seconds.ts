/** Moves that wait for a second person, in memory. */

import { ERASED } from "../../core/erasure.ts";
import { SECONDS_MAX, type SecondRequest, type SecondStore } from "../second-port.ts";
import { frozenCopy } from "./frozen.ts";

/** The store, and what the rest of a memory store asks of it. */
export interface MemorySeconds extends SecondStore {
  readonly untilAt: (caseId: string) => number | null;
  readonly allOf: (caseId: string) => readonly SecondRequest[];
  /** Erases what was asked for on a case, and why. */
  readonly erase: (caseId: string) => void;
}

/** Makes it. */
export function memorySeconds(now: () => number): MemorySeconds {
  const requests = new Map<string, SecondRequest>();
  const allOf = (caseId: string): readonly SecondRequest[] =>
    [...requests.values()].filter((one) => one.caseId === caseId);
  return {
    allOf,
    erase: (caseId) => {
      for (const one of allOf(caseId)) {
        const [reason, why] = [one.reason, one.why].map((text) => (text === null ? null : ERASED));
        const erased = { ...one, request: {}, step: null, reason: reason ?? null, why: why ?? null };
        requests.set(one.requestId, frozenCopy(erased));
      }
    },
    ask: async ({ lastsMs, ...request }) => {
      if (requests.has(request.requestId)) return;
      const askedAt = now();
      const rest = {
        endsAt: askedAt + lastsMs,
        state: "open",
        answeredBy: null,
        answeredAt: null,
        why: null,
      } as const;
      requests.set(request.requestId, frozenCopy({ ...request, askedAt, ...rest }));
    },
    load: async (requestId) => requests.get(requestId) ?? null,
    listOpen: async (caseId) =>
      [...requests.values()]
        .filter((one) => one.state === "open" && one.endsAt > now())
        .filter((one) => caseId === null || one.caseId === caseId)
        .toSorted((a, b) => a.askedAt - b.askedAt || (a.requestId < b.requestId ? -1 : 1))
        .slice(0, SECONDS_MAX),
    listOf: async (caseId) =>
      [...requests.values()]
        .filter((one) => one.caseId === caseId)
        .toSorted((a, b) => a.askedAt - b.askedAt || (a.requestId < b.requestId ? -1 : 1))
        .slice(-SECONDS_MAX),
    untilAt: (caseId) => {
      const open = [...requests.values()].filter((one) => one.caseId === caseId && one.state === "open");
      return open.length === 0 ? null : Math.max(...open.map(({ endsAt }) => endsAt));
    },
    settle: async ({ requestId, to, by, why }) => {
      const request = requests.get(requestId);
      if (request?.state !== "open") return false;
      requests.set(requestId, frozenCopy({ ...request, state: to, answeredBy: by, answeredAt: now(), why }));
      return true;
    },
  };
}
