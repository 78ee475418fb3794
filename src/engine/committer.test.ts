import { describe, expect, test } from "vitest";
import { FootholdError } from "../core/errors.ts";
import { FIRST_LINEAGE } from "../core/lineage.ts";
import { COMMIT_BATCH_MAX, type HolderCommit, type HolderReply } from "../store/port.ts";
import { Committer } from "./committer.ts";
import { ManualClock, settle } from "./manual-clock.fixture.ts";

/** A store whose statements end when the test says so. */
class HeldStore {
  readonly batches: (readonly HolderCommit[])[] = [];
  readonly #held: { reply: (replies: readonly HolderReply[]) => void; fail: (error: unknown) => void }[] = [];

  commit(commits: readonly HolderCommit[]): Promise<readonly HolderReply[]> {
    this.batches.push(commits);
    return new Promise((reply, fail) => this.#held.push({ reply, fail }));
  }

  findCommit(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Answers the oldest open statement: all stored. */
  async store(): Promise<void> {
    const at = this.batches.length - this.#held.length;
    this.#held
      .shift()
      ?.reply((this.batches[at] ?? []).map(({ revision }) => ({ kind: "current", revision })));
    await settle();
  }

  async fail(error: unknown): Promise<void> {
    this.#held.shift()?.fail(error);
    await settle();
  }

  ids(batch: number): readonly string[] {
    return (this.batches[batch] ?? []).map(({ commitId }) => commitId);
  }
}

function commitNamed(commitId: string, revision = 1): HolderCommit {
  const write = {
    at: 0,
    entries: [],
    row: {
      state: "ready",
      dueAt: 0,
      revision,
      changedAt: 0,
      definitionVersion: 1,
      summary: {
        confirmed: 0,
        waits: [],
        reviews: [],
        unsettled: [],
        lastFailure: null,
        losses: 0,
        isRepaired: false,
        repair: null,
        stoppedBy: null,
      },
    },
    claim: { kind: "free" },
  } as const;
  return {
    caseId: `00${commitId}`,
    shard: 0,
    commitId,
    claimId: `claim-${commitId}`,
    revision,
    lineage: FIRST_LINEAGE,
    current: write,
    moved: () => write,
  };
}

const away = (): FootholdError => new FootholdError("DATABASE_UNAVAILABLE", "the database is away");

function started(): { store: HeldStore; clock: ManualClock; giveUp: AbortController; committer: Committer } {
  const store = new HeldStore();
  const clock = new ManualClock();
  const giveUp = new AbortController();
  return { store, clock, giveUp, committer: new Committer(store, clock, giveUp.signal) };
}

async function commitOneByOne(committer: Committer, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    void committer.commit(commitNamed(id));
    await settle();
  }
}

describe("the committer", () => {
  test("sends a lone commit at once, without a timer", async () => {
    const { store, committer } = started();
    void committer.commit(commitNamed("a"));
    await Promise.resolve();
    expect(store.ids(0)).toEqual(["a"]);
  });

  test("sends together what comes in the same breath", async () => {
    const { store, committer } = started();
    for (const id of ["a", "b", "c"]) void committer.commit(commitNamed(id));
    await Promise.resolve();
    expect(store.batches.map((_, index) => store.ids(index))).toEqual([["a", "b", "c"]]);
  });

  test("lets batches grow by themselves: what queued up behind two statements goes with the next", async () => {
    const { store, committer } = started();
    await commitOneByOne(committer, ["a", "b", "c", "d", "e"]);
    expect(store.batches.map((_, index) => store.ids(index))).toEqual([["a"], ["b"]]);
    await store.store();
    expect(store.ids(2)).toEqual(["c", "d", "e"]);
  });

  test("sends no more in one statement than a batch may hold", async () => {
    const { store, committer } = started();
    for (let n = 0; n < COMMIT_BATCH_MAX + 12; n += 1) void committer.commit(commitNamed(`c${n}`));
    await settle();
    expect(store.batches.map(({ length }) => length)).toEqual([COMMIT_BATCH_MAX, 12]);
  });

  test("gives each commit its own reply", async () => {
    const { store, committer } = started();
    const replies = ["a", "b", "c", "d"].map((id, index) => committer.commit(commitNamed(id, index + 10)));
    await settle();
    await store.store();
    expect(await Promise.all(replies)).toEqual(
      [10, 11, 12, 13].map((revision) => ({ kind: "current", revision })),
    );
  });

  test("sends a commit whose reply was lost again with the same id, ever more slowly, until it is answered", async () => {
    const { store, clock, committer } = started();
    const reply = committer.commit(commitNamed("a"));
    await settle();
    for (const delayMs of [50, 100, 200, 400, 800, 1_600, 2_000, 2_000]) {
      await store.fail(away());
      await clock.advance(delayMs - 1);
      const sent = store.batches.length;
      await clock.advance(1);
      expect(store.batches.length).toBe(sent + 1);
    }
    await store.store();
    expect(await reply).toEqual({ kind: "current", revision: 1 });
    expect(new Set(store.batches.flat().map(({ commitId }) => commitId))).toEqual(new Set(["a"]));
  });

  test("tells with each try that the database is away, and once that it has answered", async () => {
    const store = new HeldStore();
    const clock = new ManualClock();
    const told: unknown[] = [];
    const committer = new Committer(store, clock, new AbortController().signal, (one) => told.push(one));
    const reply = committer.commit(commitNamed("a"));
    await settle();
    const gone = away();
    for (const delayMs of [50, 100]) {
      await store.fail(gone);
      await clock.advance(delayMs);
    }
    await store.store();
    await reply;
    expect(told).toEqual([gone, gone, null]);
  });

  test("rejects a commit that fails for any other reason, and goes on with the next", async () => {
    const { store, committer } = started();
    const failed = committer.commit(commitNamed("a"));
    const bug = new Error("a bug");
    const rejection = failed.catch((error: unknown) => error);
    await settle();
    await store.fail(bug);
    expect(await rejection).toBe(bug);
    const next = committer.commit(commitNamed("b"));
    await settle();
    await store.store();
    expect(await next).toEqual({ kind: "current", revision: 1 });
  });

  test("lets no other commit of a batch suffer from one that fails: each is sent again alone", async () => {
    const batches: number[] = [];
    const bug = new Error("a bug in b");
    const { clock, giveUp } = started();
    const committer = new Committer(
      {
        findCommit: () => Promise.resolve(null),
        commit: async (commits) => {
          batches.push(commits.length);
          await settle();
          if (commits.some(({ commitId }) => commitId === "b")) throw bug;
          return commits.map(({ revision }) => ({ kind: "current", revision }));
        },
      },
      clock,
      giveUp.signal,
    );
    const replies = ["x", "y", "a", "b", "c"].map((id) =>
      committer.commit(commitNamed(id)).catch((error: unknown) => error),
    );
    const stored = { kind: "current", revision: 1 };
    expect(await Promise.all(replies)).toEqual([stored, stored, stored, bug, stored]);
    expect(batches).toEqual([5, 1, 1, 1, 1, 1]);
  });

  test("rejects a commit that the store gave no reply to, rather than wait for it", async () => {
    const committer = new Committer(
      { commit: () => Promise.resolve([]), findCommit: () => Promise.resolve(null) },
      new ManualClock(),
      new AbortController().signal,
    );
    await expect(committer.commit(commitNamed("a"))).rejects.toThrow("no reply to commit a");
  });

  test("gives up when the process does: one more try at once, then the error", async () => {
    const { store, giveUp, committer } = started();
    const failed = committer.commit(commitNamed("a"));
    const rejection = failed.catch((error: unknown) => error);
    await settle();
    await store.fail(away());
    giveUp.abort();
    await settle();
    expect(store.batches.length).toBe(2);
    await store.fail(away());
    expect(await rejection).toMatchObject({ code: "DATABASE_UNAVAILABLE" });
  });
});
