import { describe, expect, test } from "vitest";
import { newHolder, newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

export function testHolders(bench: Bench): void {
  describe("holders", () => {
    test("a holder is read back as it was registered", async () => {
      const holder = newHolder({ kind: "page", caseTypes: [{ name: "refund", version: 4 }] });
      const { now } = await bench.store.registerHolder(holder);
      expect(await bench.other.listHolders()).toEqual([
        { ...holder, beat: 0, beatAt: now, startedAt: now, endedAt: null },
      ]);
    });

    test("R6: each beat renews an unmarked holder, raises its beat and tells its claims and no others", async () => {
      const holder = newHolder();
      await bench.store.registerHolder(holder);
      expect(await bench.store.beat(holder.holderId)).toMatchObject({ kind: "alive", claims: [] });
      await bench.start();
      await bench.start();
      await bench.start();
      const mine = await bench.claim(2, { holderId: holder.holderId });
      await bench.claim(1, { holderId: newId() });
      const reply = await bench.store.beat(holder.holderId);
      expect(reply.kind === "alive" ? reply.claims.map(({ claimId }) => claimId).toSorted() : []).toEqual(
        mine.cases.map(({ row }) => row.claim?.claimId ?? "").toSorted(),
      );
      expect(reply.kind === "alive" ? reply.claims[0] : null).toMatchObject({
        holderId: holder.holderId,
        actWithinMs: 60_000,
        touches: 0,
        revision: 1,
      });
      const [stored] = await bench.store.listHolders();
      expect(stored).toMatchObject({ beat: 2, endedAt: null });
      expect(stored?.beatAt).toBe(reply.kind === "alive" ? reply.now : 0);
    });

    test("R6: a holder that is marked, or that nobody knows, never comes back", async () => {
      const holder = newHolder();
      await bench.store.registerHolder(holder);
      expect(await bench.store.endHolder(holder.holderId, null)).toBe(true);
      expect(await bench.store.beat(holder.holderId)).toEqual({ kind: "ended" });
      expect(await bench.store.beat(holder.holderId)).toEqual({ kind: "ended" });
      expect(await bench.store.beat(newId())).toEqual({ kind: "ended" });
      expect((await bench.store.listHolders())[0]).toMatchObject({ beat: 0 });
      expect((await bench.store.listHolders())[0]?.endedAt).toBeTypeOf("number");
    });

    test("a holder is marked only if its beat is the one that was seen, and by one call", async () => {
      const { holderId } = newHolder();
      await bench.store.registerHolder(newHolder({ holderId }));
      await bench.store.beat(holderId);
      expect(await bench.store.endHolder(holderId, 0)).toBe(false);
      expect(await bench.store.beat(holderId)).toMatchObject({ kind: "alive" });
      const marks = await Promise.all([
        bench.store.endHolder(holderId, 2),
        bench.other.endHolder(holderId, 2),
        bench.store.endHolder(holderId, 2),
      ]);
      expect(marks.filter(Boolean)).toHaveLength(1);
      expect(await bench.store.endHolder(newId(), null)).toBe(false);
    });

    test("only holders that ended long ago and hold nothing are forgotten", async () => {
      const [alive, holding, ended] = [newHolder(), newHolder(), newHolder()];
      for (const holder of [alive, holding, ended]) await bench.store.registerHolder(holder);
      await bench.start();
      await bench.claim(1, { holderId: holding.holderId });
      await bench.store.endHolder(holding.holderId, null);
      await bench.store.endHolder(ended.holderId, null);
      const now = await bench.store.now();
      expect(await bench.store.forgetHolders(now - 60_000)).toBe(0);
      expect(await bench.store.forgetHolders(now + 60_000)).toBe(1);
      const left = (await bench.store.listHolders()).map(({ holderId }) => holderId).toSorted();
      expect(left).toEqual([alive.holderId, holding.holderId].toSorted());
    });
  });

  describe("claims", () => {
    test("are listed, whoever holds them, up to the limit", async () => {
      for (let n = 0; n < 4; n += 1) await bench.start();
      expect(await bench.store.listClaims(10)).toEqual([]);
      const first = await bench.claim(2, { holderId: "a" });
      const second = await bench.claim(1, { holderId: "b" });
      const claims = await bench.store.listClaims(10);
      expect(claims.map(({ claimId }) => claimId).toSorted()).toEqual(
        [...first.cases, ...second.cases].map(({ row }) => row.claim?.claimId ?? "").toSorted(),
      );
      expect(await bench.store.listClaims(2)).toHaveLength(2);
    });
  });
}
