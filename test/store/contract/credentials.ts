import { describe, expect, test } from "vitest";
import { endTurn, takeTurn, type CredentialState } from "../../../src/core/refresh.ts";
import type { Store } from "../../../src/store/port.ts";
import { newId } from "../made-cases.ts";
import type { Bench } from "./contract.ts";

const read = (store: Store, credentialId: string): Promise<CredentialState | null> =>
  store.changeCredential(credentialId, (stored) => ({ state: null, reply: stored }));
const take = (store: Store, credentialId: string, turnId: string): Promise<string> =>
  store.changeCredential(credentialId, (stored, now) => {
    const { state, reply } = takeTurn(stored, { credentialId, turnId, usedAt: now }, now);
    return { state, reply: reply.kind };
  });

/** What is kept of credentials: by name, under a lock, by all processes together. */
export function testCredentials(bench: Bench): void {
  describe("a credential", () => {
    test("of which nothing is kept is told as nothing, and stays so while nothing is given to keep", async () => {
      const credentialId = newId();
      expect(await read(bench.store, credentialId)).toBeNull();
      expect(await read(bench.other, credentialId)).toBeNull();
    });

    test("is refreshed by one of many processes that want to at once, and all learn what came of it", async () => {
      const credentialId = newId();
      const stores = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? bench.store : bench.other));
      const turns = await Promise.all(
        stores.map((store, index) => take(store, credentialId, `turn-${index}`)),
      );
      expect(turns.toSorted()).toEqual([...Array.from({ length: 11 }, () => "underWay"), "yours"]);
      const winner = `turn-${turns.indexOf("yours")}`;
      await bench.other.changeCredential(credentialId, (stored, now) => ({
        state: endTurn(stored, winner, { kind: "refreshed" }, now),
        reply: null,
      }));
      expect(await take(bench.store, credentialId, "late")).toBe("known");
      expect(await read(bench.store, credentialId)).toMatchObject({ turn: null, last: { failure: null } });
    });

    test("is apart from any other, whatever its name", async () => {
      const [one, other] = [`${newId()}'; --`, `${newId()} ü`];
      expect(await take(bench.store, one, "a")).toBe("yours");
      expect(await take(bench.store, other, "a")).toBe("yours");
    });

    test("is shown the store's clock", async () => {
      const before = await bench.store.now();
      const now = await bench.store.changeCredential(newId(), (_, at) => ({ state: null, reply: at }));
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThanOrEqual(await bench.store.now());
    });
  });
}
