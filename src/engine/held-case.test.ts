import { describe, expect, test } from "vitest";
import type { StoredCase } from "../store/port.ts";
import { anything, startCase } from "./case-types.fixture.ts";
import { Committer } from "./committer.ts";
import { DatabaseClock } from "./database-clock.ts";
import { HeldCase } from "./held-case.ts";
import { Lease } from "./lease.ts";
import { defineCase } from "../define/builder.ts";
import type { HolderReply } from "../store/port.ts";
import { Shop } from "./shop.fixture.ts";

const nap = defineCase("nap", { version: 1, owner: "ops", input: anything }).sleep("rest", { for: "1s" });

/** A held case whose commits are answered as the test says. */
async function held(answer: (revision: number) => HolderReply): Promise<HeldCase> {
  const shop = new Shop();
  const claim = { claimId: "ours", holderId: "h-1", actWithinMs: 60_000 };
  await startCase(shop.store, nap, { claim });
  const store = {
    findCommit: () => Promise.resolve(null),
    commit: async (commits: readonly { readonly revision: number }[]) =>
      commits.map(({ revision }) => answer(revision)),
  };
  const { clock } = shop;
  const committer = new Committer(store, clock, new AbortController().signal);
  const lease = new Lease(clock, 3_000);
  const context = { ports: shop.ports, databaseClock: new DatabaseClock(clock), lease, committer };
  const stored = (await shop.store.loadCase("00case")) as StoredCase;
  return new HeldCase(context, stored, "ours");
}

const nothing = { outcomes: [], onward: [], deadlinesMs: [] } as const;

describe("a commit whose reply was lost and that was stored", () => {
  test("leaves the claim ours where it still is", async () => {
    const one = await held(() => ({ kind: "repeated", missed: [], claimId: "ours" }));
    expect(await one.commit({ ...nothing, end: "keep" })).toBe("held");
  });

  test("has given the claim up where that is what it was to do", async () => {
    for (const end of ["settled", "handBack"] as const) {
      const one = await held(() => ({ kind: "repeated", missed: [], claimId: null }));
      expect(await one.commit({ ...nothing, end })).toBe("released");
    }
  });

  test("does not hide that the claim was taken while the answer was waited for", async () => {
    for (const claimId of [null, "another"]) {
      const one = await held(() => ({ kind: "repeated", missed: [], claimId }));
      expect(await one.commit({ ...nothing, end: "keep" })).toBe("claimLost");
    }
  });
});

test("a held case follows what was stored in between", async () => {
  const one = await held((revision) => ({
    kind: "moved",
    missed: [
      {
        revision: revision + 1,
        at: 1,
        commitId: "note",
        entry: { kind: "noteAdded", text: "hello", by: { kind: "person", name: "ann" } },
      },
    ],
  }));
  expect(await one.commit({ ...nothing, end: "keep" })).toBe("held");
  expect(one.state.revision).toBe(2);
});
