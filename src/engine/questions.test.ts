import { describe, expect, test } from "vitest";
import type { CaseState } from "../core/case-state.ts";
import type { Entry } from "../core/journal.ts";
import type { SendStepOutline } from "../core/outline.ts";
import { cannotTell, didNotHappen, happened, type CheckReply } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import type { CaseType, CheckContext, ProbeContext } from "../define/case-type.ts";
import { defineDestination } from "../define/destination.ts";
import { probe } from "../define/probe.ts";
import type { AttemptContext } from "./attempt.ts";
import { anything, startedState, withAttempt } from "./case-types.fixture.ts";
import { unmetered } from "../wire/unmetered.ts";
import { DatabaseClock } from "./database-clock.ts";
import { Lease } from "./lease.ts";
import { ManualClock, settle } from "./manual-clock.fixture.ts";
import { askCheck, askProbes, CHECK_MS_MAX, probesMsMax, type Asking } from "./questions.ts";
import { sharedAbort } from "./stop-signal.ts";

const register = defineDestination("register", { idempotency: { by: "lookup" }, readLag: "10s" });

class Bench {
  readonly clock = new ManualClock();
  readonly databaseClock = new DatabaseClock(this.clock);
  readonly lease = new Lease(this.clock, 60_000);
  readonly kill = sharedAbort();
  readonly lost = sharedAbort();

  constructor() {
    this.databaseClock.follow(1_000, this.clock.monotonic());
    this.lease.extend(this.lease.mark());
  }

  get context(): AttemptContext {
    const { clock, databaseClock, lease } = this;
    return {
      clock,
      databaseClock,
      lease,
      kill: this.kill.signal,
      meter: unmetered,
      onFailpoint: () => undefined,
    };
  }

  asking(caseType: CaseType, state: CaseState): Asking {
    return { caseType, state, lost: this.lost.signal, random: 0.5, digest: (text) => text };
  }

  check(caseType: CaseType): Promise<readonly Entry[]> {
    const { state } = withAttempt(caseType, startedState(caseType));
    const [step] = caseType.outline.steps;
    const question = { step: step as SendStepOutline, about: "outcome" } as const;
    return askCheck(this.context, this.asking(caseType, state), question);
  }

  probes(caseType: CaseType, conditions: readonly string[]): Promise<readonly Entry[]> {
    const question = { step: "send", conditions };
    return askProbes(this.context, this.asking(caseType, startedState(caseType)), question);
  }
}

type Check = (context: CheckContext) => CheckReply | Promise<CheckReply>;

function checkedWith(check: Check): CaseType {
  return defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
    to: register,
    request: () => ({ amount: 5 }),
    run: (): unknown => null,
    check,
    deadline: "5s",
  });
}

type Ask = (context: ProbeContext) => boolean | Promise<boolean>;

function probedWith(asks: { readonly [condition: string]: Ask }): CaseType {
  const requires = Object.fromEntries(
    Object.entries(asks).map(([name, ask]) => [
      name,
      probe({ of: register, deadline: "2s", ask: ask as () => boolean }),
    ]),
  );
  return defineCase("order", { version: 1, owner: "ops", input: anything }).step("send", {
    to: register,
    requires,
    run: (): unknown => null,
    check: () => didNotHappen(),
  });
}

const never = (): Promise<never> => new Promise(() => undefined);

describe("a check", () => {
  test("is given the key and the request of the intent that it asks about", async () => {
    const seen: unknown[] = [];
    await new Bench().check(
      checkedWith(({ idempotencyKey, request, caseId }) => {
        seen.push({ idempotencyKey, request, caseId });
        return didNotHappen();
      }),
    );
    expect(seen).toEqual([{ idempotencyKey: "00case.send.1", request: { amount: 5 }, caseId: "00case" }]);
  });

  test("that finds the effect confirms the step, with what proves it", async () => {
    const found = await new Bench().check(checkedWith(() => happened({ recordId: "R-1" }, "seen at R-1")));
    expect(found).toMatchObject([
      {
        kind: "stepConfirmed",
        step: "send",
        intentVersion: 1,
        result: { kind: "value", value: { recordId: "R-1" } },
        evidence: "seen at R-1",
        by: { how: "check", askedAt: 1_000 },
      },
    ]);
  });

  test("that finds an effect whose result cannot be stored confirms it all the same", async () => {
    const found = await new Bench().check(checkedWith(() => happened({ n: 1n })));
    expect(found).toMatchObject([{ kind: "stepConfirmed", result: { kind: "unreadable" } }]);
  });

  test("that does not find it proves nothing the first time, and is asked again after the last possible arrival", async () => {
    const [answer] = await new Bench().check(checkedWith(() => didNotHappen()));
    expect(answer).toMatchObject({ kind: "checkAnswered", proves: false, answer: { kind: "didNotHappen" } });
    // Send deadline 6,000, and 10 s for what was written to become readable.
    expect(answer).toHaveProperty("nextCheckAt", 16_000);
  });

  test.each<[string, Check, string]>([
    ["throws", () => Promise.reject(new Error("503")), "it threw Error: 503"],
    [
      "throws what cannot be read",
      () => Promise.reject(Object.create(null) as Error),
      "it threw something that cannot be read",
    ],
    ["cannot tell", () => cannotTell("the index is being rebuilt"), "the index is being rebuilt"],
  ])("that %s cannot tell, and says why", async (_, check, why) => {
    const answers = await new Bench().check(checkedWith(check));
    expect(answers).toMatchObject([{ kind: "checkAnswered", answer: { kind: "cannotTell", why } }]);
  });

  test("that does not answer in time cannot tell, whether or not it heeds its signal", async () => {
    for (const check of [
      never,
      ({ signal }: CheckContext) =>
        new Promise<CheckReply>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    ]) {
      const bench = new Bench();
      const asked = bench.check(checkedWith(check));
      await bench.clock.advance(CHECK_MS_MAX);
      expect(await asked).toMatchObject([
        { answer: { kind: "cannotTell", why: `there was no answer within ${CHECK_MS_MAX} ms` } },
      ]);
    }
  });

  test("that we stopped ourselves was not asked: nothing is written, and no try is spent", async () => {
    for (const stop of ["kill", "lost"] as const) {
      const bench = new Bench();
      const asked = bench.check(checkedWith(never));
      await settle();
      bench[stop].abort(new Error("stop"));
      expect(await asked).toEqual([]);
    }
    const bench = new Bench();
    const asked = bench.check(checkedWith(never));
    bench.lease.end();
    expect(await asked).toEqual([]);
  });

  test("leaves no timer behind", async () => {
    const bench = new Bench();
    await bench.check(checkedWith(() => didNotHappen()));
    await settle();
    // The lease's own watch.
    expect(bench.clock.sleepers).toBe(1);
  });
});

describe("probes", () => {
  test("of one step are asked at the same time, and only those asked for", async () => {
    const bench = new Bench();
    const asked: string[] = [];
    const order = probedWith({
      first: async () => {
        asked.push("first");
        await bench.clock.sleep(1_000);
        return true;
      },
      second: async () => {
        asked.push("second");
        await bench.clock.sleep(1_000);
        return false;
      },
      third: () => {
        throw new Error("it was not asked for");
      },
    });
    const answers = bench.probes(order, ["first", "second"]);
    await settle();
    expect(asked).toEqual(["first", "second"]);
    await bench.clock.advance(1_000);
    expect(await answers).toMatchObject([
      { kind: "conditionAnswered", condition: "first", answer: { kind: "holds" }, askedAt: 2_000 },
      { kind: "conditionAnswered", condition: "second", answer: { kind: "broken" }, askedAt: 2_000 },
    ]);
  });

  test("that throw or do not answer in time cannot tell, and are asked again later", async () => {
    const bench = new Bench();
    const answers = bench.probes(
      probedWith({ "is up": () => Promise.reject(new Error("down")), slow: never }),
      ["is up", "slow"],
    );
    await bench.clock.advance(2_000);
    expect(await answers).toMatchObject([
      { answer: { kind: "cannotTell", why: "it threw Error: down" }, nextProbeAt: 1_000 + 3_750 },
      {
        answer: { kind: "cannotTell", why: "there was no answer within 2000 ms" },
        nextProbeAt: 3_000 + 3_750,
      },
    ]);
  });

  test("that we stopped ourselves were not asked", async () => {
    const bench = new Bench();
    const answers = bench.probes(probedWith({ quick: () => true, slow: never }), ["quick", "slow"]);
    await settle();
    bench.kill.abort(new Error("stop"));
    expect(await answers).toMatchObject([{ condition: "quick", answer: { kind: "holds" } }]);
  });

  test("are asked sixteen at a time at most", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `condition ${index}`);
    const order = probedWith(Object.fromEntries(names.map((name) => [name, () => true])));
    expect(await new Bench().probes(order, names)).toHaveLength(16);
  });

  test("take as long as the longest of them at most", () => {
    const order = probedWith({ one: () => true });
    expect(probesMsMax(order, { step: "send", conditions: ["one"] })).toBe(2_000);
    expect(probesMsMax(order, { step: "send", conditions: ["another"] })).toBe(0);
    expect(probesMsMax(order, { step: "nowhere", conditions: ["one"] })).toBe(0);
  });
});
