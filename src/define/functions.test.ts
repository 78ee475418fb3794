import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { CaseState } from "../core/case-state.ts";
import { foldJournal } from "../core/fold.ts";
import type { Actor, ConfirmedBy, Entry, JournalEntry } from "../core/journal.ts";
import type { Json } from "../core/json.ts";
import { answerKey } from "../core/planning.ts";
import { broken, cannotTell, didNotHappen, happened, holds } from "./answers.ts";
import { defineCase } from "./builder.ts";
import type {
  CaseType,
  CheckContext,
  ConditionReply,
  Facts,
  RunContext,
  RuntimeCondition,
  RuntimeSendStep,
} from "./case-type.ts";
import { defineDestination } from "./destination.ts";
import { answerFacts, factsOf } from "./facts.ts";
import { probe } from "./probe.ts";
import { VALUE_CHARS_MAX } from "./schema.ts";

const erp = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
const kim: Actor = { kind: "person", name: "Kim" };
const byKim: ConfirmedBy = { how: "approval", sourceId: "a1", by: "Kim" };

function eventOf(eventType: string, sourceId: string, payload: Json): Entry {
  return { kind: "eventReceived", eventType, sourceId, payload, by: kim, ignored: null };
}

function confirmationOf(step: string, value: Json): Entry {
  const result = { kind: "value" as const, value };
  return { kind: "stepConfirmed", step, intentVersion: 0, basis: "b", result, evidence: null, by: byKim };
}

/** A case whose journal starts with its input, then has these entries. */
function caseWith(entries: readonly Entry[], input: Json = { vendor: "Ruiz", lines: [3, 1, 2] }): CaseState {
  const started: Entry = {
    kind: "caseStarted",
    caseType: "purchase",
    definitionVersion: 1,
    tenant: "default",
    businessKey: null,
    input,
    by: kim,
  };
  const journal = [started, ...entries].map((entry, index): JournalEntry => ({
    revision: index + 1,
    at: 1_000 + index,
    commitId: `c${index}`,
    entry,
  }));
  return foldJournal("01-abc", journal);
}

const signal = new AbortController().signal;
const start = defineCase("purchase", {
  version: 1,
  owner: "purchasing",
  input: z.object({ vendor: z.string(), lines: z.array(z.number()) }),
  events: { revoked: z.object({ reason: z.string() }) },
}).approval("approve", { by: "finance" });

/** The step `send` of a case type. */
function sendOf(caseType: CaseType): RuntimeSendStep {
  const step = caseType.steps["send"];
  if (step?.kind !== "step") throw new Error("there is no step send");
  return step;
}

/** The step `send` with this request. */
function sendRequesting(request: () => unknown): RuntimeSendStep {
  return sendOf(start.step("send", { to: erp, request, run: () => null }));
}

/** The probe of a step that asks so. */
function probeAsking(ask: () => ConditionReply | Promise<ConditionReply>): RuntimeCondition | undefined {
  return sendOf(start.step("send", { to: erp, run: () => 1, before: { open: probe({ of: erp, ask }) } }))
    .before[0];
}

const unbound: RunContext["dispatcher"] = (over) => over;

function runContext(facts: Facts): RunContext {
  const transaction = { query: () => Promise.reject(new Error("none")) };
  const sent = { request: undefined, idempotencyKey: "k", fencingToken: 1, fingerprint: "f", version: "" };
  return { ...facts, ...sent, transaction, attempt: 1, signal, fetch, dispatcher: unbound };
}

function checkContext(facts: Facts): CheckContext {
  const sent = { request: undefined, idempotencyKey: "k", fencingToken: 1, fingerprint: "f" };
  return { ...facts, ...sent, signal };
}

/** What a fact of `send` answers in a case. */
function answerOf(caseType: CaseType, name: string, state: CaseState): unknown {
  return answerFacts(caseType, state, 5_000).get(answerKey("send", name))?.answer;
}

describe("a fact", () => {
  const still = start.step("send", {
    to: erp,
    run: () => null,
    requires: {
      "approval still stands": ({ events }) => {
        const latest = events.latest("revoked", { after: "approve" });
        return latest === null || broken(`revoked: ${latest.payload.reason}`);
      },
      "never revoked": ({ events }) => events.all("revoked").length === 0,
    },
  });
  const name = "approval still stands";
  const approved = confirmationOf("approve", { by: "Kim", form: null });

  test("sees an event only when it is later than the confirmation it asks about", () => {
    const revoked = eventOf("revoked", "e1", { reason: "budget" });
    expect(answerOf(still, name, caseWith([approved]))).toEqual(holds());
    expect(answerOf(still, name, caseWith([approved, revoked]))).toEqual(broken("revoked: budget"));
    expect(answerOf(still, name, caseWith([revoked, approved]))).toEqual(holds());
    expect(answerOf(still, name, caseWith([revoked]))).toEqual(holds());
    expect(answerOf(still, "never revoked", caseWith([revoked, approved]))).toEqual(
      broken("the condition is not true"),
    );
  });

  test.each<[string, () => unknown, unknown]>([
    ["holds()", () => holds(), holds()],
    ["broken(…)", () => broken("no"), broken("no")],
    ["cannotTell(…)", () => cannotTell("who knows"), cannotTell("who knows")],
    [
      "nothing",
      () => undefined,
      cannotTell("it gave nothing instead of true, false, broken(…) or cannotTell(…)"),
    ],
    ["null", () => null, cannotTell("it gave null instead of true, false, broken(…) or cannotTell(…)")],
    [
      "an event that was found",
      () => ({ payload: 1 }),
      cannotTell("it gave an object instead of true, false, broken(…) or cannotTell(…)"),
    ],
    [
      "a promise, even one that fails",
      () => Promise.reject(new Error("late")),
      cannotTell("it gave a promise instead of true, false, broken(…) or cannotTell(…)"),
    ],
    ["a reason that is no text", () => ({ kind: "broken", why: 7 }), broken("no reason was given")],
    ["a reason with NUL", () => broken("a\u0000b"), broken("a\uFFFDb")],
    [
      "a reason that is cut inside a character",
      () => cannotTell(`${"x".repeat(499)}😀`),
      cannotTell(`${"x".repeat(499)}\uFFFD`),
    ],
    [
      "an error",
      () => {
        throw new RangeError("too far");
      },
      cannotTell("it threw RangeError: too far"),
    ],
    [
      "something without a text",
      () => {
        throw Object.create(null);
      },
      cannotTell("it threw something that cannot be written"),
    ],
  ])("that gives %s never takes more down than itself", (_, decide, answer) => {
    const caseType = start.step("send", {
      to: erp,
      run: () => null,
      requires: { open: decide as () => ConditionReply },
    });
    expect(answerOf(caseType, "open", caseWith([approved]))).toEqual(answer);
  });
});

describe("what a function sees", () => {
  const state = caseWith([
    confirmationOf("approve", { by: "Kim", form: null }),
    confirmationOf("file", { id: "F" }),
    eventOf("revoked", "e1", { reason: "budget" }),
  ]);

  /** What `look` finds, called as the fact of a step that follows `approve` and not `file`. */
  function seen(look: (facts: Facts) => unknown): unknown {
    let found: unknown = null;
    const caseType = start.step("file", { to: erp, run: () => ({ id: "F" }) }).step("send", {
      to: erp,
      after: ["approve"],
      run: () => null,
      before: {
        open: (facts: Facts) => {
          found = look(facts);
          return true;
        },
      },
    });
    const answer = answerOf(caseType, "open", state);
    return found ?? answer;
  }

  test("is the results of the steps it follows, and no others", () => {
    expect(seen(({ results }) => results)).toEqual({ approve: { by: "Kim", form: null } });
    expect(seen(({ results }) => results["file"])).toEqual(
      cannotTell(
        "it threw FootholdError: send of case type purchase reads the result of file, which it does not follow. " +
          "Name file in its `after`. It follows: approve.",
      ),
    );
    expect(seen(({ results }) => ({ own: results["send"] }))).toEqual({ own: undefined });
  });

  test("is no event of a type that is not taken, and none later than a step that is not followed", () => {
    const types = "asks for events of the type payed, which the case type does not take. It takes: revoked.";
    expect(JSON.stringify(seen(({ events }) => events.latest("payed")))).toContain(types);
    expect(JSON.stringify(seen(({ events }) => events.all("payed")))).toContain(types);
    expect(JSON.stringify(seen(({ events }) => events.latest("revoked", { after: "file" })))).toContain(
      "asks for events later than file, which it does not follow",
    );
    expect(seen(({ events }) => events.latest("revoked", { after: "send" }) === null)).toBe(true);
  });

  test("is a copy: changing it changes nothing of the case", () => {
    const before = JSON.stringify(state);
    expect(
      seen(({ input, results, events }) => {
        (input as { lines: number[] }).lines.push(4);
        (results["approve"] as { by: string }).by = "nobody";
        for (const { payload } of events.all("revoked")) (payload as { reason: string }).reason = "none";
        return input;
      }),
    ).toEqual({ vendor: "Ruiz", lines: [3, 1, 2, 4] });
    expect(JSON.stringify(state)).toBe(before);
  });
});

describe("request", () => {
  const facts = factsOf(caseWith([]));

  test("gives JSON as it will come back from storage", () => {
    const { request } = sendRequesting(() => ({ at: new Date(0), note: undefined }));
    expect(request?.(facts)).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  });

  test("is pure: asked twice it gives the same", () => {
    const { request } = sendOf(
      start.step("send", { to: erp, request: ({ input }) => input.lines.splice(0, 2), run: () => null }),
    );
    const twice = factsOf(caseWith([], { vendor: "Ruiz", lines: [10, 9, 1] }));
    expect(request?.(twice)).toEqual([10, 9]);
    expect(request?.(twice)).toEqual([10, 9]);
    expect(twice.input).toEqual({ vendor: "Ruiz", lines: [10, 9, 1] });
  });

  test.each<[string, () => unknown, string]>([
    ["a bigint", () => ({ amount: 10n }), "amount is a bigint, which JSON cannot hold"],
    ["a promise", () => Promise.reject(new Error("late")), "it is a promise"],
    ["too much", () => "x".repeat(VALUE_CHARS_MAX), "it is longer than the 262144 characters allowed"],
  ])("that gives %s is a fault of the definition, found before anything is sent", (_, request, why) => {
    expect(() => sendRequesting(request).request?.(facts)).toThrow(
      expect.objectContaining({
        code: "INVALID_DEFINITION",
        message: `What request of send in case type purchase gave cannot be stored: ${why}. Nothing was sent.`,
      }),
    );
  });

  test("that is not there is null", () => {
    expect(sendOf(start.step("send", { to: erp, run: () => null })).request).toBeNull();
  });
});

describe("run", () => {
  const facts = runContext(factsOf(caseWith([])));

  test("gives back whatever the author's function gave, and rejects with whatever it threw", async () => {
    const given = { at: new Date(0) };
    const thrown = new TypeError("no such method");
    const { run } = sendOf(start.step("send", { to: erp, run: () => given }));
    expect(await run(facts)).toBe(given);
    const failing = sendOf(
      start.step("send", {
        to: erp,
        run: () => {
          throw thrown;
        },
      }),
    );
    await expect(failing.run(facts)).rejects.toBe(thrown);
  });

  test("gets key, token, attempt and signal", async () => {
    const { run } = sendOf(
      start.step("send", {
        to: erp,
        run: ({ idempotencyKey, fencingToken, attempt, signal: given, caseId }) => [
          caseId,
          idempotencyKey,
          fencingToken,
          attempt,
          given === signal,
        ],
      }),
    );
    expect(await run(facts)).toEqual(["01-abc", "k", 1, 1, true]);
  });

  test("has its result validated by whoever stores it, never by itself: the effect happened", async () => {
    const step = sendOf(start.step("send", { to: erp, run: () => 7, result: z.object({ id: z.string() }) }));
    expect(await step.run(facts)).toBe(7);
    expect(await step.result?.(7)).toMatchObject({ kind: "invalid" });
    expect(await step.result?.({ id: "R", more: 1 })).toEqual({ kind: "valid", value: { id: "R" } });
  });
});

describe("check", () => {
  const facts = checkContext(factsOf(caseWith([])));
  const answer = async (check: () => unknown): Promise<unknown> => {
    const step = sendOf(
      start.step("send", { to: erp, run: () => 1, check: check as () => ReturnType<typeof didNotHappen> }),
    );
    return step.check?.(facts);
  };

  test.each<[string, () => unknown, unknown]>([
    [
      "happened, with a result and evidence as JSON",
      () => happened({ at: new Date(0) }, { raw: [undefined] }),
      {
        kind: "happened",
        result: { kind: "value", value: { at: "1970-01-01T00:00:00.000Z" } },
        evidence: { raw: [null] },
      },
    ],
    [
      "happened, without evidence",
      () => happened(1),
      { kind: "happened", result: { kind: "value", value: 1 }, evidence: null },
    ],
    [
      "happened, with a result and evidence that cannot be stored",
      () => happened(10n, 10n),
      {
        kind: "happened",
        result: { kind: "unreadable", why: "it is a bigint, which JSON cannot hold" },
        evidence: "unreadable: it is a bigint, which JSON cannot hold",
      },
    ],
    ["didNotHappen, later", () => Promise.resolve(didNotHappen()), { kind: "didNotHappen" }],
    ["cannotTell", () => cannotTell("it is down"), { kind: "cannotTell", why: "it is down" }],
    [
      "nothing, which can tell nothing",
      () => undefined,
      cannotTell(
        "the check gave nothing instead of happened(…), differs(…), didNotHappen() or cannotTell(…)",
      ),
    ],
    [
      "true, which can tell nothing",
      () => true,
      cannotTell(
        "the check gave a boolean instead of happened(…), differs(…), didNotHappen() or cannotTell(…)",
      ),
    ],
  ])("answers %s", async (_, check, expected) => {
    expect(await answer(check)).toEqual(expected);
  });

  test("rejects with whatever it threw", async () => {
    await expect(answer(() => Promise.reject(new RangeError("odd")))).rejects.toThrow(RangeError);
  });
});

describe("a probe", () => {
  test("has its destination and its times in the outline, with their defaults", () => {
    const { outline } = start.step("send", {
      to: erp,
      run: () => 1,
      requires: {
        open: probe({ of: erp, ask: () => true }),
        paid: probe({ of: erp, ask: () => true, freshFor: "5m", deadline: "1s" }),
      },
    });
    expect(outline.steps[1]?.requires).toEqual([
      expect.objectContaining({ kind: "probe", name: "open", freshForMs: 60_000, deadlineMs: 5_000 }),
      expect.objectContaining({ kind: "probe", name: "paid", freshForMs: 300_000, deadlineMs: 1_000 }),
    ]);
    expect(outline.steps[1]?.requires[0]).toMatchObject({ destination: { name: "erp" } });
  });

  test("answers as a fact does, later", async () => {
    const context = { ...factsOf(caseWith([])), signal };
    const ask = async (reply: () => ConditionReply | Promise<ConditionReply>): Promise<unknown> => {
      const condition = probeAsking(reply);
      return condition?.kind === "probe" ? condition.ask(context) : undefined;
    };
    expect(await ask(async () => Promise.resolve(true))).toEqual(holds());
    expect(await ask(() => broken("closed"))).toEqual(broken("closed"));
    expect(await ask(() => JSON.parse("1") as boolean)).toEqual(
      cannotTell("it gave a number instead of true, false, broken(…) or cannotTell(…)"),
    );
    await expect(ask(() => Promise.reject(new RangeError("odd")))).rejects.toThrow(RangeError);
  });

  test("is not asked by what answers facts", () => {
    const caseType = start.step("send", {
      to: erp,
      run: () => 1,
      requires: {
        open: probe({
          of: erp,
          ask: () => {
            throw new Error("must not be asked");
          },
        }),
      },
    });
    expect(answerFacts(caseType, caseWith([]), 0).size).toBe(0);
  });
});
