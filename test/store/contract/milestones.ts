import { describe, expect, test } from "vitest";
import type { Milestone } from "../../../src/store/milestone-port.ts";
import { newCase, note, reviewOpened } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

/** Cases that came to review at the same and at other times, each with an entry that is no milestone. */
async function fill({ store }: Bench): Promise<void> {
  for (const [index, at] of [1_000, 2_000, 2_000, 3_000, 3_000].entries()) {
    const made = newCase({
      at,
      shard: index,
      tenant: index === 0 ? "beta" : "default",
      businessKey: index === 0 ? "PO-ü" : null,
      entries: [note("called them"), reviewOpened(), ...(index === 4 ? [reviewOpened("notify")] : [])],
    });
    await store.insertCase(made);
  }
}

function placesOf(milestones: readonly Milestone[]): readonly unknown[] {
  return milestones.map(({ caseId, entry: { at, revision } }) => [at, caseId.slice(0, 2), revision]);
}

const newestFirst = [
  [3_000, "04", 4],
  [3_000, "04", 3],
  [3_000, "03", 3],
  [2_000, "02", 3],
  [2_000, "01", 3],
  [1_000, "00", 3],
];

export function testMilestones(bench: Bench): void {
  describe("milestones", () => {
    test("of all cases are told newest first, with what names the case and the entry itself", async () => {
      await fill(bench);
      const { milestones, next } = await bench.store.milestones.list({ limit: 10 });
      expect(placesOf(milestones)).toEqual(newestFirst);
      expect(next).toBeNull();
      expect(milestones.at(-1)).toMatchObject({
        caseType: "purchase",
        tenant: "beta",
        businessKey: "PO-ü",
        entry: { entry: reviewOpened() },
      });
    });

    test("are told by kind, before a time, and by pages that lose and repeat none", async () => {
      await fill(bench);
      const { milestones } = bench.store;
      expect((await milestones.list({ kinds: ["caseDone"], limit: 10 })).milestones).toEqual([]);
      const earlier = await milestones.list({ kinds: ["reviewOpened"], untilAt: 3_000, limit: 10 });
      expect(placesOf(earlier.milestones)).toEqual(newestFirst.slice(3));
      const paged: unknown[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof milestones.list>> = await milestones.list({
          limit: 2,
          ...(after === null ? {} : { after }),
        });
        paged.push(...placesOf(page.milestones));
        after = page.next;
      } while (after !== null);
      expect(paged).toEqual(newestFirst);
    });

    test("a page out of bounds and a cursor that is none are refused", async () => {
      const { milestones } = bench.store;
      const refused = { code: "INVALID_REQUEST" };
      await expect(milestones.list({ limit: 0 })).rejects.toMatchObject(refused);
      await expect(milestones.list({ limit: 501 })).rejects.toMatchObject(refused);
      await expect(milestones.list({ limit: 1, after: "nothing of ours" })).rejects.toMatchObject(refused);
    });
  });
}
