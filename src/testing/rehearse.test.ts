import { AssertionError } from "node:assert";
import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { didNotHappen, happened } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import { defineDestination } from "../define/destination.ts";
import { expectOk } from "../triage/response.ts";
import { noteEffect } from "./current-call.ts";
import { fakeDestination } from "./fake-destination.ts";
import {
  expectSafe,
  formatRehearsal,
  type RehearsalReport,
  type StepFault,
  type Verdict,
} from "./rehearsal-report.ts";
import { rehearse } from "./rehearse.ts";

interface Order {
  readonly item: string;
}

const Item = z.object({ item: z.string() });
const input = { item: "desk" };
const head = { version: 1, owner: "sales", input: Item };

const shop = fakeDestination<Order>("shop", { idempotency: { by: "key", window: "24h" } });
const bank = fakeDestination<Order>("bank", { idempotency: { by: "lookup" } });
const press = fakeDestination<Order>("press", { idempotency: { by: "none" } });

const keyed = defineCase("keyed", { ...head, events: { shipped: Item } })
  .step("order", {
    to: shop.destination,
    request: (facts) => ({ item: facts.input.item }),
    run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
  })
  .waitForEvent("arrival", { event: "shipped", timeout: "30d" })
  .step("thank", {
    to: shop.destination,
    request: (facts) => ({ item: `${facts.input.item} arrived` }),
    run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
  });

const lookedUp = defineCase("lookedUp", head).step("pay", {
  to: bank.destination,
  request: (facts) => ({ item: facts.input.item }),
  run: ({ request, idempotencyKey, signal }) => bank.send(request, { idempotencyKey, signal }),
  check: async ({ idempotencyKey }) => {
    const found = await bank.find(idempotencyKey);
    return found === null ? didNotHappen() : happened(found.result);
  },
});

const printed = defineCase("printed", head).step("print", {
  to: press.destination,
  request: (facts) => ({ item: facts.input.item }),
  run: ({ request, signal }) => press.send(request, { signal }),
});

beforeEach(() => {
  for (const fake of [shop, bank, press]) fake.reset();
});

function verdictsOf(report: RehearsalReport, step: string): Partial<Record<StepFault, Verdict>> {
  const found = report.steps.find((one) => one.step === step);
  return Object.fromEntries((found?.cells ?? []).map(({ fault, verdict }) => [fault, verdict]));
}

describe("steps that are safe", () => {
  test("a key makes every fault harmless, and events may repeat and come early", async () => {
    const report = await rehearse(keyed, { input, events: [{ eventType: "shipped", payload: input }] });
    expectSafe(report);
    const all = {
      "crash beforeIntent": "safe",
      "crash afterIntent": "safe",
      "crash duringSend": "safe",
      "crash afterSend": "safe",
      "crash beforeConfirm": "safe",
      "crash afterConfirm": "safe",
      "answer lost": "safe",
      "late send": "safe",
      "late answer": "safe",
      "request arrives late": "safe",
      "refused: input": "safe",
      "refused: too fast": "safe",
      "refused: too fast, until told": "safe",
      "refused: not there": "safe",
      "access: revoked": "safe",
      "access: used up": "safe",
    };
    expect(verdictsOf(report, "order")).toEqual(all);
    expect(verdictsOf(report, "thank")).toEqual(all);
    expect(report.steps.map(({ judgedBy }) => judgedBy)).toEqual(["ledger", "ledger"]);
    expect(report.events).toMatchObject([
      { eventType: "shipped", cells: [{ fault: "repeated", verdict: "safe" }, { verdict: "safe" }] },
    ]);
    // Two without faults, sixteen for each step, two for the event.
    expect(report.runs).toBe(36);
    expect(report.findings).toEqual([]);
  });

  test("a look-up is asked where the outcome is unknown", async () => {
    const report = await rehearse(lookedUp, { input });
    expectSafe(report);
    expect(verdictsOf(report, "pay")).toMatchObject({
      "crash beforeIntent": "safe",
      "crash afterIntent": "checked",
      "crash afterSend": "checked",
      "answer lost": "checked",
      "late send": "checked",
      "late answer": "checked",
      "request arrives late": "checked",
    });
  });

  test("without any repeat safety a person is needed, and nothing is sent again", async () => {
    const report = await rehearse(printed, { input });
    expect(report.isSafe).toBe(true);
    expect(verdictsOf(report, "print")).toMatchObject({
      "crash beforeIntent": "safe",
      "crash duringSend": "person",
      "answer lost": "person",
      "late answer": "safe",
    });
    expect(report.findings).toMatchObject([{ step: "print", verdict: "person" }]);
  });
});

const defineSale = (refresh: () => Promise<void>, giveUpAfter: "4h" | "5m" = "4h") => {
  const { destination: to } = fakeDestination<Order>("till", {
    idempotency: { by: "key", window: "24h" },
    credential: { id: "till", refresh },
    retry: { giveUpAfter },
  });
  return defineCase("sale", head).step("sell", {
    to,
    request: (facts) => ({ item: facts.input.item }),
    run: ({ request, ...given }) => shop.send(request, given),
  });
};

describe("what is refused and made good", () => {
  test("a token that ran out is had anew once, and the step is sent then", async () => {
    let refreshes = 0;
    const report = await rehearse(
      defineSale(() => Promise.resolve(void (refreshes += 1))),
      { input },
    );
    expectSafe(report);
    expect(verdictsOf(report, "sell")).toMatchObject({
      "access: expired": "safe",
      "access: revoked": "safe",
      "access: used up": "safe",
    });
    expect(refreshes).toBe(1);
  });

  test("a refresh that fails leaves the step to a person, and so does a reset that comes too late", async () => {
    const report = await rehearse(
      defineSale(() => Promise.reject(new TypeError("no such grant")), "5m"),
      { input },
    );
    expect(verdictsOf(report, "sell")).toMatchObject({
      "access: expired": "person",
      "access: used up": "person",
      "access: revoked": "safe",
    });
    expect(formatRehearsal(report)).toMatch(/^sell +till .* needs a person$/m);
  });

  test("a person restores the access of two branches at once, and each sends once", async () => {
    const branches = defineCase("branches", head)
      .step("order", {
        to: shop.destination,
        request: (facts) => ({ item: facts.input.item }),
        run: ({ request, ...given }) => shop.send(request, given),
      })
      .step("thank", {
        to: shop.destination,
        after: [],
        request: (facts) => ({ item: `${facts.input.item}, thanks` }),
        run: ({ request, ...given }) => shop.send(request, given),
      });
    const report = await rehearse(branches, { input });
    expectSafe(report);
    expect(verdictsOf(report, "order")).toMatchObject({ "access: revoked": "safe" });
    expect(verdictsOf(report, "thank")).toMatchObject({ "access: revoked": "safe" });
  });

  test("a corrected input is sent in place of what was rejected, once", async () => {
    const sent: string[] = [];
    const calls = defineCase("calls", head).step("order", {
      to: shop.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, ...given }) => {
        sent.push(request.item);
        return shop.send(request, given);
      },
    });
    const report = await rehearse(calls, { input, corrected: { order: { item: "chair" } } });
    expectSafe(report);
    expect(verdictsOf(report, "order")).toMatchObject({
      "refused: input": "safe",
      "refused: input, then corrected": "safe",
    });
    expect(sent.filter((item) => item === "chair")).toHaveLength(1);
  });

  test("a correction that changes nothing is sent by nobody, and needs a person still", async () => {
    const report = await rehearse(printed, { input, corrected: { print: input } });
    expect(verdictsOf(report, "print")).toMatchObject({ "refused: input, then corrected": "person" });
  });
});

describe("events", () => {
  test("may come in another order than the case waits for them, and twice", async () => {
    const shipping = defineCase("shipping", { ...head, events: { packed: Item, shipped: Item } })
      .waitForEvent("packing", { event: "packed", timeout: "30d" })
      .waitForEvent("arrival", { event: "shipped", timeout: "30d" })
      .step("thank", {
        to: shop.destination,
        request: (facts) => ({ item: facts.input.item }),
        run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
      });
    const report = await rehearse(shipping, {
      input,
      events: [
        { eventType: "packed", payload: input },
        { eventType: "shipped", payload: input },
      ],
    });
    expectSafe(report);
    const cells = ["repeated", "early", "reordered"].map((fault) => ({ fault, verdict: "safe", step: null }));
    expect(report.events).toEqual([
      { eventType: "packed", cells },
      { eventType: "shipped", cells },
    ]);
    expect(formatRehearsal(report)).toMatch(/^shipped +safe +safe +safe$/m);
  });
});

describe("a step that declares a key and sends none", () => {
  const careless = defineCase("careless", head)
    .step("order", {
      to: shop.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, idempotencyKey, signal }) => shop.send(request, { idempotencyKey, signal }),
    })
    .step("charge", {
      to: shop.destination,
      request: (facts) => ({ item: `${facts.input.item} charged` }),
      run: ({ request, signal }) => shop.send(request, { signal }),
    });

  test("is named, with the shortest trace, and the step beside it is not", async () => {
    const report = await rehearse(careless, { input });
    expect(report.isSafe).toBe(false);
    expect(new Set(Object.values(verdictsOf(report, "order")))).toEqual(new Set(["safe"]));
    expect(verdictsOf(report, "charge")).toMatchObject({
      "crash afterIntent": "safe",
      "crash duringSend": "twice",
      "crash afterSend": "twice",
      "answer lost": "twice",
    });
    expect(report.findings).toHaveLength(1);
    expect(report.findings[0]).toMatchObject({ step: "charge", verdict: "twice" });
    const trace = report.findings[0]?.trace.map(({ text }) => text) ?? [];
    expect(
      trace.filter((text) => text.startsWith("shop executes it") && text.endsWith("sent without a key")),
    ).toHaveLength(2);
    expect(() => expectSafe(report)).toThrow(AssertionError);
    expect(formatRehearsal(report)).toMatch(/^charge SENDS TWICE: crash duringSend of charge$/m);
  });

  test("is named as well where only `noteEffect` or `effects` tells", async () => {
    const to = defineDestination("own", { idempotency: { by: "key", window: "24h" } });
    let charged: { readonly caseId: string; readonly step: string }[] = [];
    const own = (name: string, isNoted: boolean) =>
      defineCase(name, head).step("charge", {
        to,
        run: ({ caseId }) => {
          charged.push({ caseId, step: "charge" });
          if (isNoted) noteEffect("own", `charge-${charged.length}`);
          return Promise.resolve({ ok: true });
        },
      });
    const noted = await rehearse(own("noted", true), { input });
    expect(noted.steps).toMatchObject([{ judgedBy: "ledger" }]);
    expect(verdictsOf(noted, "charge")).toMatchObject({ "crash afterSend": "twice", "late send": "twice" });
    const listed = await rehearse(own("listed", false), {
      input,
      prepare: () => {
        charged = [];
      },
      effects: (caseId) => charged.filter((one) => one.caseId === caseId),
    });
    expect(listed.steps).toMatchObject([{ judgedBy: "effects" }]);
    expect(verdictsOf(listed, "charge")).toMatchObject({
      "answer lost": "twice",
      "crash afterIntent": "safe",
    });
    const blind = await rehearse(own("blind", false), { input });
    expect(blind.steps).toMatchObject([{ judgedBy: "nothing" }]);
    expect(verdictsOf(blind, "charge")).toMatchObject({
      "answer lost": "unproven",
      "crash afterIntent": "safe",
    });
    expect(blind.isSafe).toBe(false);
    expect(formatRehearsal(blind)).toContain("list the effects with `effects`");
  });
});

describe("a check that is wrong", () => {
  test("which never finds what happened makes the step send twice", async () => {
    const wrong = defineCase("wrong", head).step("pay", {
      to: bank.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, idempotencyKey, signal }) => bank.send(request, { idempotencyKey, signal }),
      check: () => didNotHappen(),
    });
    const report = await rehearse(wrong, { input });
    expect(verdictsOf(report, "pay")).toMatchObject({ "crash afterSend": "twice", "answer lost": "twice" });
  });

  test("which always says that it happened loses the effect", async () => {
    const wrong = defineCase("wrong", head).step("pay", {
      to: bank.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, idempotencyKey, signal }) => bank.send(request, { idempotencyKey, signal }),
      check: () => happened({ id: "bank-0" }),
    });
    const report = await rehearse(wrong, { input });
    expect(verdictsOf(report, "pay")).toMatchObject({
      "crash afterIntent": "lost",
      "crash afterSend": "checked",
    });
  });

  test("a run that does not heed its signal is found where nothing else stops a late worker", async () => {
    const deaf = defineCase("deaf", head).step("pay", {
      to: bank.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, idempotencyKey }) => bank.send(request, { idempotencyKey }),
      check: async ({ idempotencyKey }) => {
        const found = await bank.find(idempotencyKey);
        return found === null ? didNotHappen() : happened(found.result);
      },
    });
    const report = await rehearse(deaf, { input });
    expect(verdictsOf(report, "pay")).toMatchObject({ "late send": "twice", "late answer": "checked" });
  });
});

describe("a real server", () => {
  let server: Server;
  let url: string;
  let records: number;

  beforeEach(async () => {
    records = 0;
    server = createServer((_, response) => {
      records += 1;
      response.end(JSON.stringify({ recordId: `R-${records}` }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("that gives each record a number shows by its answers that a step sends twice", async () => {
    const to = defineDestination("erp", { idempotency: { by: "key", window: "24h" } });
    const calling = defineCase("calling", head).step("create", {
      to,
      run: async ({ signal }) => {
        const response = await fetch(url, { method: "POST", signal });
        await expectOk(response);
        return response.json();
      },
    });
    const report = await rehearse(calling, { input });
    expect(report.steps).toMatchObject([{ judgedBy: "answers" }]);
    expect(verdictsOf(report, "create")).toMatchObject({
      "answer lost": "twice",
      "crash afterIntent": "safe",
    });
  });
});

test("a case that does not reach its end without any fault is refused, and what it lacks is named", async () => {
  let finished = 0;
  const finish = (): void => {
    finished += 1;
  };
  const lacking = rehearse(keyed, { input, finish });
  await expect(lacking).rejects.toThrow("arrival is in review (expired)");
  await expect(lacking).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(finished).toBe(1);
});
