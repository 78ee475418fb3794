import { describe, expect, test } from "vitest";
import { z } from "zod";
import { foldJournal } from "../core/fold.ts";
import type { Entry } from "../core/journal.ts";
import { differs, didNotHappen, happened, readCheckReply } from "./answers.ts";
import type { CaseType, CheckContext, ProbeContext, RunContext } from "./case-type.ts";
import { defineCase } from "./builder.ts";
import { defineDestination, type Idempotency } from "./destination.ts";
import { factsOf, sendStepNamed, undoneBy } from "./facts.ts";
import { faultsOf } from "./untyped.fixture.ts";

const to = (by: Exclude<Idempotency["by"], "key">) => defineDestination(by, { idempotency: { by } });
const bank = defineDestination("bank", { idempotency: { by: "key", window: "24h" } });
const start = defineCase("purchase", { version: 1, owner: "ops", input: z.object({ amount: z.number() }) });
const run = (): { readonly id: string } => ({ id: "R-1" });
const check = (): ReturnType<typeof didNotHappen> => didNotHappen();

/** What `faultsOf` says of a definition without any. */
const SOUND = ["no fault: purchase"];

const ask = async (given: unknown): Promise<unknown> => {
  const step = sendOf(start.step("send", { to: to("if-match"), run, check, version: () => given as string }));
  const [condition] = step.before;
  return condition?.kind === "probe" ? condition.ask(context) : null;
};

const faults = (onLapse: string): readonly string[] =>
  faultsOf(start.step("send", { to: bank, run, onLapse: onLapse as "redo" }));

describe("a step at a destination that must be asked", () => {
  test.each(["unique", "if-match", "fence", "lookup"] as const)("needs a check: %s", (by) => {
    const version = by === "if-match" ? { version: () => "v1" } : {};
    const lacking = start.step("send", { to: to(by), run, ...version });
    expect(faultsOf(lacking)).toEqual([
      `steps.send.check: is missing: ${by} is repeated by ${by}, so every step sent there must be able to ask it`,
    ]);
    expect(faultsOf(start.step("send", { to: to(by), run, check, ...version }))).toEqual(SOUND);
  });

  test("needs it for its undo too", () => {
    const step = { to: to("lookup"), run, check };
    expect(faultsOf(start.step("send", { ...step, undo: { run: () => null } }))).toEqual([
      "steps.send.undo.check: is missing: lookup must be able to say whether the effect was taken back",
    ]);
  });
});

describe("a version", () => {
  test("is needed where the destination compares one, and refused elsewhere", () => {
    expect(faultsOf(start.step("send", { to: to("if-match"), run, check }))).toEqual([
      "steps.send.version: is missing: give the function that reads the version that a write to if-match is conditional on",
    ]);
    expect(faultsOf(start.step("send", { to: bank, run, version: () => "v1" }))).toEqual([
      `steps.send.version: only a destination with { by: "if-match" } compares one, and bank has not`,
    ]);
  });

  test("is asked as a probe before the send, and what is no text cannot be told", async () => {
    expect(await ask('W/"7"')).toEqual({ kind: "holds", version: 'W/"7"' });
    for (const given of [undefined, 7, "", "a\nb", "\uD800", "x".repeat(1_001)]) {
      expect(await ask(given)).toMatchObject({ kind: "cannotTell" });
    }
  });

  test("shares its name with no other condition", () => {
    const requires = { version: () => true };
    expect(
      faultsOf(start.step("send", { to: to("if-match"), run, check, version: () => "v", requires })),
    ).toEqual([
      "steps.send.before.version: has the name of another condition of this step: give each its own",
    ]);
  });
});

describe("what is done about a lapse", () => {
  test("is one of four, and what it needs must be there", () => {
    expect(faults("redo")).toEqual(SOUND);
    expect(faults("again")).toEqual(["steps.send.onLapse: must be one of recheck, redo, undo, review"]);
    expect(faults("recheck")).toEqual([
      "steps.send.onLapse: is recheck, so the step needs a check that asks whether what is there is wanted",
    ]);
    expect(faults("undo")).toEqual([
      "steps.send.onLapse: is undo, so the step needs an undo that takes its effect back",
    ]);
  });

  test("is a person's question by default", () => {
    expect(sendOf(start.step("send", { to: bank, run })).outline).toMatchObject({
      onLapse: "review",
      undo: null,
    });
  });
});

describe("an undo", () => {
  const undoable = start.step("send", {
    to: bank,
    request: ({ input }) => ({ sum: input.amount }),
    run,
    deadline: "20s",
    onLapse: "undo",
    undo: {
      run: ({ request, result, evidence, idempotencyKey, input }) => {
        return [request.sum, result.id, evidence, idempotencyKey, input.amount];
      },
      check: ({ result }) => happened(null, result.id),
    },
  });

  test("is a step of its own, named after the one it undoes, and found by that name", () => {
    const undo = sendStepNamed(undoable, "send.undo");
    expect(undo?.outline).toMatchObject({ name: "send.undo", deadlineMs: 20_000, hasCheck: true, uses: [] });
    expect(sendStepNamed(undoable, "send")?.outline.undo).toBe(undo?.outline);
    expect(sendStepNamed(undoable, "other")).toBeNull();
  });

  test("is given what was sent, what it gave and its evidence, as copies", async () => {
    const state = confirmedState();
    const undone = undoneBy(undoable, state, "send.undo");
    expect(undone).toEqual({ request: { sum: 5 }, result: { id: "R-1" }, evidence: { sentAt: 1 } });
    const undo = sendStepNamed(undoable, "send.undo");
    expect(await undo?.run({ ...context, ...factsOf(state) }, undone)).toEqual([
      5,
      "R-1",
      { sentAt: 1 },
      "k",
      5,
    ]);
    expect(await undo?.check?.({ ...context, ...factsOf(state) }, undone)).toEqual({
      kind: "happened",
      result: { kind: "value", value: null },
      evidence: "R-1",
    });
    await expect(undo?.run({ ...context, ...factsOf(state) })).rejects.toMatchObject({
      code: "INVARIANT_BROKEN",
    });
    expect(undoneBy(undoable, state, "send")).toBeUndefined();
    expect(undoneBy(undoable, foldJournal("01-a", [entry(1, STARTED)]), "send.undo")).toBeUndefined();
  });

  test("whose options are faulty is refused", () => {
    const undo = { run: "later", every: 1 } as unknown as { run: () => null };
    expect(faultsOf(start.step("send", { to: bank, run, undo }))).toEqual([
      "steps.send.undo.every: there is no such option; there are run, check, deadline",
      "steps.send.undo.run: must be a function, not a text",
    ]);
  });
});

describe("a check's answer", () => {
  test("can name what really ran, or say that something else is there", () => {
    expect(readCheckReply(happened(1, null, { fingerprint: "f" }))).toMatchObject({ fingerprint: "f" });
    expect(readCheckReply(happened(1))).not.toHaveProperty("fingerprint");
    expect(readCheckReply({ ...happened(1), fingerprint: 7 })).not.toHaveProperty("fingerprint");
    expect(readCheckReply(differs("of acme ltd", { id: 1 }))).toEqual({
      kind: "differs",
      why: "of acme ltd",
      evidence: { id: 1 },
    });
    expect(readCheckReply(differs("x", 1n))).toMatchObject({
      evidence: expect.stringMatching(/^unreadable: /) as unknown,
    });
  });
});

const STARTED: Entry = {
  kind: "caseStarted",
  caseType: "purchase",
  definitionVersion: 1,
  tenant: "",
  businessKey: null,
  input: { amount: 5 },
  by: { kind: "person", name: "ada" },
};

const signal = new AbortController().signal;
const context: RunContext & CheckContext & ProbeContext = {
  ...factsOf(foldJournal("01-a", [{ revision: 1, at: 0, commitId: "c", entry: STARTED }])),
  request: undefined,
  idempotencyKey: "k",
  fencingToken: 1,
  fingerprint: "f",
  version: "",
  transaction: { query: () => Promise.reject(new Error("none")) },
  attempt: 1,
  signal,
  fetch,
  dispatcher: (over) => over,
};

function entry(revision: number, one: Entry) {
  return { revision, at: 0, commitId: "c", entry: one };
}

function confirmedState() {
  const ref = { step: "send", intentVersion: 1 };
  return foldJournal("01-a", [
    entry(1, STARTED),
    entry(2, {
      kind: "intentOpened",
      ...ref,
      idempotencyKey: "k",
      destination: "bank",
      credentialId: "bank",
      basis: "b",
      fingerprint: "f",
      request: '{"sum":5}',
    }),
    entry(3, {
      kind: "attemptOpened",
      ...ref,
      attempt: 1,
      fencingToken: 1,
      sendDeadlineAt: 1,
      claimId: "c",
      holder: { kind: "worker", name: "w", holderId: "h" },
    }),
    entry(4, {
      kind: "stepConfirmed",
      ...ref,
      basis: "b",
      result: { kind: "value", value: { id: "R-1" } },
      evidence: { sentAt: 1 },
      by: { how: "response", attempt: 1 },
    }),
  ]);
}

function sendOf(caseType: CaseType) {
  const step = sendStepNamed(caseType, "send");
  if (step === null) throw new Error("there is no step send");
  return step;
}
