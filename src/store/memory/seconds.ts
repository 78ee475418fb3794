/** Moves that wait for a second person, in memory. */

import { SECONDS_MAX, type SecondRequest, type SecondStore } from "../second-port.ts";
import { frozenCopy } from "./frozen.ts";

/** Makes it. */
export function memorySeconds(
  now: () => number,
): SecondStore & { readonly untilAt: (caseId: string) => number | null } {
  const requests = new Map<string, SecondRequest>();
  return {
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
