import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { caseLines } from "../../src/cli/case-text.ts";
import { BUILT_IN_ROLES, grantsOf, VERBS } from "../../src/core/rights.ts";
import { defineCase } from "../../src/define/builder.ts";
import { defineDestination } from "../../src/define/destination.ts";
import { defineEvent } from "../../src/define/event.ts";
import { maskJournal } from "../../src/desk/masked-journal.ts";
import { registryOf } from "../../src/define/registry.ts";
import { createDesk, type Desk } from "../../src/desk/desk.ts";
import { ENGINE_VERSION } from "../../src/engine/version.ts";
import { testApp } from "../../src/http/app.fixture.ts";
import { watchedClient } from "../../src/http/api/every-route.fixture.ts";
import type { Client } from "../../src/http/client/client.ts";
import { STORES, worldsOn, type World } from "./world.ts";

/** Each stands at a masked path of its own, and is found wherever it is told. */
const CANARIES = {
  iban: "DE89370400440532013000",
  corrected: "FR7630006000011234567890189",
  limit: 73_519_284,
  account: "acct-canary-61",
  token: "result-canary-4d1f",
  form: "form-canary-93ab",
  event: "event-canary-77c0",
  sent: "sent-canary-0b2e",
} as const;

const payments = defineDestination("payments", {
  idempotency: { by: "key", window: "24h" },
  retry: { maxAttempts: 1 },
  masked: ["account", "proof"],
});

const Payout = z.object({
  name: z.string(),
  customer: z.object({ iban: z.string().min(10), limit: z.number() }),
});

/** Every step repeats in its words what it must not tell. */
const payout = defineCase("payout", {
  version: 1,
  owner: "ops",
  input: Payout,
  masked: ["customer.iban", "**.limit"],
  events: { "bank.told": defineEvent(z.object({ ref: z.string() }), { masked: ["ref"] }) },
})
  .approval("approve", { by: "ops", uses: ["name"], form: z.object({ pin: z.string() }), masked: ["pin"] })
  .step("register", {
    to: payments,
    uses: ["name"],
    request: ({ input }) => ({
      iban: input.customer.iban,
      limit: input.customer.limit,
      account: CANARIES.account,
    }),
    run: () => ({ token: CANARIES.token, id: "r-1" }),
    result: z.object({ token: z.string(), id: z.string() }),
    masked: ["token"],
  })
  .step("pay", {
    to: payments,
    requires: {
      "account is open": ({ input, results, events }) => {
        if (events.latest("bank.told") === null) return true;
        return { kind: "broken", why: `${input.customer.iban} and ${results.register.token} are closed` };
      },
    },
    request: ({ input, results }) => ({
      from: results.register.token,
      to: input.customer.iban,
      account: CANARIES.sent,
    }),
    run: ({ input, request }) => {
      throw Object.assign(new Error(`refused ${input.customer.iban} with ${request.account}`), {
        status: 422,
        response: {
          status: 422,
          data: {
            errors: [{ field: "to", message: `${input.customer.iban} is no account of ${request.from}` }],
          },
        },
      });
    },
  });

const secrets = Object.values(CANARIES).map(String);

/** The canaries that are told. */
function found(value: unknown): readonly string[] {
  const text = JSON.stringify(value);
  return secrets.filter((one) => text.includes(one));
}

function clientFor(world: World, desk: Desk, role: string): Client {
  const grants = grantsOf(BUILT_IN_ROLES, [role]);
  const signIn = () => Promise.resolve({ name: role, person: null, signedInBy: "session", grants } as const);
  return watchedClient(testApp(world.store, { desk, signIn })).client;
}

describe.each(STORES)("masked values on %s", (kind) => {
  const worlds = worldsOn(kind);
  afterAll(worlds.drop);
  let world: World;
  let desk: Desk;
  let caseId = "";

  beforeEach(async () => {
    world = await worlds.open();
    desk = world.desk(payout);
    await world.worker([payout]);
    const { iban, limit } = CANARIES;
    caseId = await world.start(payout, { name: "Ada", customer: { iban, limit } });
    await world.rests(caseId, "waiting");
    await desk.answerApproval(caseId, {
      step: "approve",
      approved: true,
      form: { pin: CANARIES.form },
      by: "ops",
    });
    await world.rests(caseId, "in_review");
  });

  const correct = (by = "ben") =>
    desk.correctInput(caseId, {
      input: { name: "Ada", customer: { iban: CANARIES.corrected, limit: "[masked: customer.limit]" } },
      reason: "another account",
      by,
    });

  test("are told nowhere to anybody who has not revealed them, whatever repeats them", async () => {
    await correct();
    await world.rests(caseId, "in_review");
    await desk.recordEvent(caseId, { eventType: "bank.told", payload: { ref: CANARIES.event }, by: "bank" });
    await world.rests(caseId, "in_review");
    const client = clientFor(world, desk, "viewer");
    const packet = await client.showCase({ caseId });
    const told = {
      row: await world.row(caseId),
      packet,
      printed: caseLines(packet, null),
      plan: await client.previewCase({ caseId }),
      resume: await client.previewMove({ caseId, move: "resume" }),
      correct: await client.previewMove({
        caseId,
        move: "correct",
        input: { ...(packet.input as object), name: "Eve" },
      }),
      list: await client.listCases(),
      problems: await client.listProblems(),
      needs: await world.store.notices.countNeeds(0),
      audit: await world.store.audit.list({ limit: 100 }),
      exported: maskJournal(payout, (await world.store.loadCase(caseId))?.journal ?? []),
      reports: world.reports,
    };
    expect(found(told)).toEqual([]);
    expect(packet.isMasked).toBe(true);
    expect(packet.input).toEqual({
      name: "Ada",
      customer: { iban: "[masked: customer.iban]", limit: "[masked: customer.limit]" },
    });
    // What is not masked, and that something failed and why, is told all the same.
    expect(JSON.stringify(packet.confirmed)).toContain("r-1");
    expect(packet.inputChanges.map(({ path }) => path)).toEqual(["customer.iban"]);
    expect(JSON.stringify(packet.lastError)).toContain("***");
    expect(JSON.stringify(packet.prerequisites)).toContain("*** and *** are closed");
  });

  test("are not told either where people have typed them into what they say", async () => {
    const said = `the bank says that ${CANARIES.iban} is closed`;
    await desk.assignCase(caseId, { to: { id: "u-1", label: "Ann" }, reason: said, by: "ben" });
    await desk.pause(caseId, { reason: said, by: "ben" });
    await desk.addNote(caseId, { text: said, by: "ben" });
    await desk.skipStep(caseId, { step: "pay", reason: said, by: "ben" });
    await desk.cancel(caseId, { reason: said, by: "ben" });
    await world.rests(caseId, "in_review");
    await desk.leaveOutside(caseId, { step: "register", reason: said, by: "ben" });
    await world.rests(caseId, "canceled");
    const client = clientFor(world, desk, "admin");
    const packet = await client.showCase({ caseId });
    const told = {
      packet,
      printed: caseLines(packet, null),
      list: await client.listCases(),
      milestones: await client.listMilestones({}),
      audit: await client.listAudit({}),
      exported: maskJournal(payout, (await world.store.loadCase(caseId))?.journal ?? []),
      reports: world.reports,
    };
    expect(JSON.stringify(told)).toContain("the bank says that *** is closed");
    for (const [where, what] of Object.entries(told)) expect([where, found(what)]).toEqual([where, []]);
  });

  test("are not told by what is asked of a second person, nor by who answers or was refused", async () => {
    const strict = createDesk({
      store: world.store,
      ports: world.ports,
      registry: registryOf([payout]),
      engineVersion: ENGINE_VERSION,
      secondRules: [{ moves: ["cancel"], caseTypes: "all" }],
    });
    const said = `the bank says that ${CANARIES.iban} is closed`;
    await strict.cancel(caseId, { reason: said, by: "ben" });
    const [asked] = await strict.listSeconds();
    expect(asked).toMatchObject({ reason: "the bank says that *** is closed" });
    const answer = { approved: true, reason: said };
    const requestId = asked?.requestId ?? "";
    await expect(strict.answerSecond(requestId, { ...answer, by: "ben" })).rejects.toMatchObject({
      code: "SECOND_REFUSED",
    });
    await strict.answerSecond(requestId, { ...answer, approved: false, by: "ann" });
    await expect(strict.undoStep(caseId, { step: "pay", reason: said, by: "ben" })).rejects.toMatchObject({
      code: "NOTHING_TO_UNDO",
    });
    const audit = await world.store.audit.list({ limit: 100, caseId });
    const refused = audit.lines.filter(({ outcome }) => outcome === "refused");
    expect(refused.map(({ act, why }) => [act, why])).toEqual([
      ["undo", "the bank says that *** is closed"],
      ["approveSecond", "the bank says that *** is closed"],
    ]);
    expect(found([await strict.show(caseId), await strict.listSeconds(), audit])).toEqual([]);
  });

  test("that a correction would bring are told by no reason for it, be it asked of a second person or refused", async () => {
    const strict = createDesk({
      store: world.store,
      ports: world.ports,
      registry: registryOf([payout]),
      engineVersion: ENGINE_VERSION,
      secondRules: [{ moves: ["correct"], caseTypes: "all" }],
    });
    const customer = { iban: CANARIES.corrected, limit: "[masked: customer.limit]" };
    const reason = `it is ${CANARIES.corrected} now`;
    await strict.correctInput(caseId, { input: { name: "Ada", customer }, reason, by: "ben" });
    await expect(
      desk.correctInput(caseId, { input: { name: 7, customer }, reason, by: "ben" }),
    ).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const { lines } = await world.store.audit.list({ limit: 100, caseId });
    const asked = await strict.listSeconds();
    expect(lines.slice(0, 2).map(({ outcome, why }) => [outcome, why])).toEqual([
      ["refused", "it is *** now"],
      ["requested", "it is *** now"],
    ]);
    expect(found([lines, asked, await strict.show(caseId)])).toEqual([]);
  });

  test("of before and after an act are told by no part of a longer one", async () => {
    await correct();
    await world.rests(caseId, "in_review");
    const input = { name: "Ada", customer: { iban: `${CANARIES.corrected}-2027`, limit: 1 } };
    await desk.correctInput(caseId, { input, reason: `now ${CANARIES.corrected}-2027`, by: "ben" });
    const { lines } = await world.store.audit.list({ limit: 1, caseId });
    expect(lines).toMatchObject([{ why: "now ***" }]);
  });

  test("are kept in the journal, so that the case goes on with them", async () => {
    expect(found(await world.entries(caseId))).toEqual(
      secrets.filter((one) => one !== CANARIES.corrected && one !== CANARIES.event),
    );
    const state = await world.state(caseId);
    for (const { lastFailure } of Object.values(state.steps)) expect(found(lastFailure)).toEqual([]);
  });

  test("are told by a reveal to who has the right, for a reason, on record; refused ones are on record too", async () => {
    const admin = clientFor(world, desk, "admin");
    const { values, isCut } = await admin.revealCase({ caseId, reason: "the bank asks" });
    expect(isCut).toBe(false);
    expect(values).toContainEqual({ part: "input", name: null, path: "customer.iban", value: CANARIES.iban });
    expect(values).toContainEqual({ part: "result", name: "register", path: "token", value: CANARIES.token });
    expect(values).toContainEqual({
      part: "result",
      name: "approve",
      path: "form.pin",
      value: CANARIES.form,
    });
    expect(values).toContainEqual({ part: "request", name: "pay", path: "account", value: CANARIES.sent });
    // The page stays as it was.
    expect(found(await admin.showCase({ caseId }))).toEqual([]);
    expect((await admin.showCase({ caseId })).mayReveal).toBe(true);
    for (const role of ["viewer", "operator", "approver"]) {
      const client = clientFor(world, desk, role);
      expect((await client.showCase({ caseId })).mayReveal).toBe(false);
      await expect(client.revealCase({ caseId, reason: "curious" })).rejects.toMatchObject({
        code: "NOT_ALLOWED",
      });
    }
    await expect(admin.revealCase({ caseId, reason: " " })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    const { lines } = await world.store.audit.list({ limit: 10, caseId });
    expect(lines.map(({ act, outcome, who, why }) => [act, outcome, who, why])).toEqual([
      ["reveal", "refused", "admin", " "],
      ["reveal", "refused", "approver", null],
      ["reveal", "refused", "operator", null],
      ["reveal", "refused", "viewer", null],
      ["reveal", "done", "admin", "the bank asks"],
      ["approve", "done", "ops", null],
    ]);
    expect(found(lines)).toEqual([]);
  });

  test("are kept by a correction that leaves their marks, and replaced by one that gives another value", async () => {
    await correct();
    const { input, originalInput } = await world.state(caseId);
    expect(input).toEqual({ name: "Ada", customer: { iban: CANARIES.corrected, limit: CANARIES.limit } });
    expect(originalInput).toMatchObject({ customer: { iban: CANARIES.iban } });
  });

  test("are not told by what a correction is refused with", async () => {
    const bad = { name: 7, customer: { iban: "[masked: customer.iban]", limit: "[masked: customer.limit]" } };
    await expect(desk.correctInput(caseId, { input: bad, reason: "r", by: "ben" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { fields: [{ path: "name" }] },
    });
    const moved = { name: "Ada", customer: { iban: "[masked: customer.bic]", limit: 1 } };
    await expect(desk.correctInput(caseId, { input: moved, reason: "r", by: "ben" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { fields: [{ path: "customer.iban" }] },
    });
  });

  test("are all of it where the definition is not loaded, until somebody reveals them", async () => {
    const bare = world.desk(
      defineCase("other", { version: 1, owner: "ops", input: Payout }).sleep("rest", { for: "1s" }),
    );
    const packet = await bare.show(caseId);
    expect([packet.input, packet.isMasked]).toEqual(["[masked]", true]);
    expect(found(packet)).toEqual([]);
    const { values } = await bare.reveal(caseId, { by: "ops", reason: "no code here" });
    expect(values[0]).toMatchObject({ part: "input", path: "", value: { name: "Ada" } });
  });
});

test("the right to reveal is one of its own, and nobody but an admin has it by default", () => {
  expect(VERBS).toContain("reveal");
  const has = [...BUILT_IN_ROLES].filter(([, grants]) =>
    grants.some(({ verbs }) => verbs === "all" || verbs.includes("reveal")),
  );
  expect(has.map(([role]) => role)).toEqual(["admin"]);
});
