import { describe, expect, test } from "vitest";
import type { NewSecondRequest } from "../../../src/store/second-port.ts";
import { newCaseId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const ada = { kind: "person", name: "ada", personId: "p-1" } as const;
const ben = { kind: "person", name: "ben" } as const;

function requestOf(caseId: string, wishes: Partial<NewSecondRequest> = {}): NewSecondRequest {
  return {
    requestId: `s${newCaseId(Number(caseId.slice(0, 2)))}`,
    caseId,
    move: "skip",
    request: { step: "notify", result: { née: "ü", none: null } },
    step: "notify",
    plan: "p3.0123456789abcdef",
    reason: null,
    askedBy: ada,
    lastsMs: 60_000,
    ...wishes,
  };
}

export function testSeconds(bench: Bench): void {
  describe("requests for a second person", () => {
    test("are read back as they were asked for, once, and end when their time is over", async () => {
      const { seconds } = bench.store;
      const request = requestOf(newCaseId(7));
      await seconds.ask(request);
      await seconds.ask({ ...request, reason: "another one" });
      const { lastsMs, ...told } = request;
      const stored = await seconds.load(request.requestId);
      expect(stored).toMatchObject({ ...told, state: "open", answeredBy: null, answeredAt: null, why: null });
      expect((stored?.endsAt ?? 0) - (stored?.askedAt ?? 0)).toBe(lastsMs);
      expect(await seconds.load("s07-nobody")).toBeNull();
      expect(await seconds.load("nothing of ours")).toBeNull();
      await seconds.ask(requestOf(newCaseId(7), { lastsMs: 0 }));
      expect((await seconds.listOpen(null)).map(({ requestId }) => requestId)).toEqual([request.requestId]);
    });

    test("are listed by case, oldest first, and settled once", async () => {
      const { seconds } = bench.store;
      const [one, other] = [newCaseId(7), newCaseId(3)];
      const [first, second, third] = [requestOf(one), requestOf(other), requestOf(one)];
      for (const request of [first, second, third]) await seconds.ask(request);
      const idsOf = async (caseId: string | null): Promise<ReadonlySet<string>> =>
        new Set((await seconds.listOpen(caseId)).map(({ requestId }) => requestId));
      expect(await idsOf(null)).toEqual(new Set([first.requestId, second.requestId, third.requestId]));
      expect(await idsOf(one)).toEqual(new Set([first.requestId, third.requestId]));
      const { requestId } = first;
      expect(await seconds.settle({ requestId, to: "declined", by: ben, why: "no" })).toBe(true);
      expect(await seconds.settle({ requestId, to: "approved", by: ben, why: null })).toBe(false);
      expect(await seconds.load(requestId)).toMatchObject({ state: "declined", answeredBy: ben, why: "no" });
      expect(await idsOf(one)).toEqual(new Set([third.requestId]));
    });
  });
}
