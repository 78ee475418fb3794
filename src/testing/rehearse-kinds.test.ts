import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { didNotHappen, happened } from "../define/answers.ts";
import { defineCase } from "../define/builder.ts";
import type { CheckReply } from "../define/answers.ts";
import { fakeDestination, type LedgerEntry } from "./fake-destination.ts";
import { expectSafe, formatRehearsal, type RehearsalReport, type Verdict } from "./rehearsal-report.ts";
import { rehearse } from "./rehearse.ts";

interface Order {
  readonly item: string;
}

type Id = { readonly id: string };

const input = { item: "desk" };
const head = { version: 1, owner: "sales", input: z.object({ item: z.string() }) };
const name = ({ item }: Order): string => item;

const registry = fakeDestination<Order>("registry", { idempotency: { by: "unique" }, name });
const records = fakeDestination<Order>("records", { idempotency: { by: "if-match" }, name });
const gate = fakeDestination<Order>("gate", { idempotency: { by: "fence" } });
const own = fakeDestination<Order>("own", { idempotency: { by: "transaction" } });
const shop = fakeDestination<Order>("shop", { idempotency: { by: "key", window: "24h" } });

beforeEach(() => {
  for (const fake of [registry, records, gate, own, shop]) fake.reset();
});

const reply = (found: LedgerEntry<Order, Id> | null): CheckReply<Id> =>
  found === null ? didNotHappen() : happened(found.result, found.id, found);

const registered = defineCase("registered", head).step("register", {
  to: registry.destination,
  request: (facts) => ({ item: facts.input.item }),
  run: ({ request, ...given }) => registry.send(request, given),
  check: async ({ request }) => reply(await registry.find(request.item)),
});

const recorded = defineCase("recorded", head).step("record", {
  to: records.destination,
  version: async (facts) => (await records.read(facts.input.item)).version,
  request: (facts) => ({ item: facts.input.item }),
  run: ({ request, ...given }) => records.send(request, given),
  check: async ({ idempotencyKey }) => reply(await records.find(idempotencyKey)),
});

const fenced = defineCase("fenced", head).step("open", {
  to: gate.destination,
  request: (facts) => ({ item: facts.input.item }),
  run: ({ request, ...given }) => gate.send(request, given),
  check: async ({ fencingToken, idempotencyKey }) => reply(await gate.raise(fencingToken, idempotencyKey)),
});

const booked = defineCase("booked", head).step("book", {
  to: own.destination,
  request: (facts) => ({ item: facts.input.item }),
  run: ({ request, ...given }) => own.send(request, given),
});

function verdictsOf(report: RehearsalReport, step: string): Readonly<Record<string, Verdict>> {
  const cells = report.steps.find((one) => one.step === step)?.cells ?? [];
  return Object.fromEntries(cells.map(({ fault, verdict }) => [fault, verdict]));
}

describe("a destination that compares", () => {
  test("unique names: a repeat is found to be ours, and somebody else's thing goes to a person", async () => {
    const report = await rehearse(registered, { input, prepare: () => registry.reset() });
    expectSafe(report);
    expect(verdictsOf(report, "register")).toMatchObject({
      "crash duringSend": "checked",
      "answer lost": "checked",
      "late send": "safe",
      "request arrives late": "checked",
      rival: "person",
    });
    expect(formatRehearsal(report)).toMatch(
      /^register +registry +unique +ledger( +checked){4} +needs a person +safe +safe$/m,
    );
  });

  test("versions: a repeat is refused and found to be ours, and a changed record is read anew", async () => {
    const report = await rehearse(recorded, { input });
    expectSafe(report);
    expect(verdictsOf(report, "record")).toMatchObject({
      "answer lost": "checked",
      "request arrives late": "checked",
      rival: "safe",
    });
  });

  test("a fence: what is under way is shut out before the step is sent again", async () => {
    const report = await rehearse(fenced, { input });
    expectSafe(report);
    expect(verdictsOf(report, "open")).toMatchObject({
      "crash duringSend": "checked",
      "answer lost": "checked",
      "late send": "checked",
      "request arrives late": "checked",
    });
  });

  test("our own database: what is not confirmed was rolled back", async () => {
    const report = await rehearse(booked, { input });
    expectSafe(report);
    expect(new Set(Object.values(verdictsOf(report, "book")))).toEqual(new Set(["safe", "checked"]));
  });
});

describe("a step that does not keep to its kind is found:", () => {
  test("a write that reads the version itself instead of the one it was given", async () => {
    const careless = defineCase("careless", head).step("record", {
      to: records.destination,
      version: async (facts) => (await records.read(facts.input.item)).version,
      request: (facts) => ({ item: facts.input.item }),
      run: async ({ request, idempotencyKey }) => {
        const { version } = await records.read(request.item);
        return records.send(request, { idempotencyKey, version });
      },
      check: async ({ idempotencyKey }) => reply(await records.find(idempotencyKey)),
    });
    const report = await rehearse(careless, { input });
    expect(verdictsOf(report, "record")).toMatchObject({
      "answer lost": "twice",
      "crash afterSend": "twice",
    });
  });

  test("a check that reads a fence without raising it", async () => {
    const careless = defineCase("careless", head).step("open", {
      to: gate.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, ...given }) => gate.send(request, given),
      check: async ({ idempotencyKey }) => reply(await gate.find(idempotencyKey)),
    });
    const report = await rehearse(careless, { input });
    expect(verdictsOf(report, "open")).toMatchObject({
      "answer lost": "checked",
      "request arrives late": "twice",
    });
    expect(formatRehearsal(report)).toContain("open SENDS TWICE: request arrives late of open");
  });

  test("a check that takes whatever has the name for its own", async () => {
    const careless = defineCase("careless", head).step("register", {
      to: registry.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request, ...given }) => registry.send(request, given),
      check: async ({ request }) => {
        const found = await registry.find(request.item);
        return found === null ? didNotHappen() : happened(found.result);
      },
    });
    const report = await rehearse(careless, { input, prepare: () => registry.reset() });
    expect(verdictsOf(report, "register")).toMatchObject({ "answer lost": "checked", rival: "lost" });
  });

  test("a write beside the transaction it was given", async () => {
    const careless = defineCase("careless", head).step("book", {
      to: own.destination,
      request: (facts) => ({ item: facts.input.item }),
      run: ({ request }) => shop.send(request),
    });
    const report = await rehearse(careless, { input });
    expect(verdictsOf(report, "book")).toMatchObject({ "crash afterSend": "twice", "answer lost": "twice" });
  });
});

const corrected = (onLapse: "redo" | "undo" | "recheck", isCareless = false) =>
  defineCase("corrected", head)
    .step("order", {
      to: shop.destination,
      request: (facts) => (onLapse === "recheck" ? { item: "any" } : { item: facts.input.item }),
      run: ({ request, ...given }) => shop.send(request, given),
      check: async ({ idempotencyKey }) => reply(await shop.find(idempotencyKey)),
      onLapse,
      undo: {
        run: ({ result, idempotencyKey, signal }) =>
          shop.send({ item: `cancel ${result.id}` }, isCareless ? { signal } : { idempotencyKey, signal }),
      },
    })
    .step("thank", {
      to: shop.destination,
      onLapse: "redo",
      request: (facts) => ({ item: `${facts.input.item} arrived` }),
      run: ({ request, ...given }) => shop.send(request, given),
    });

describe("a correction in the middle", () => {
  const correct = { after: "order", input: { item: "chair" } };

  test("is redone under every fault, each effect once", async () => {
    const report = await rehearse(corrected("redo"), { input, correct });
    expectSafe(report);
    expect(report.steps.map(({ step }) => step)).toEqual(["order", "thank"]);
  });

  test("is undone and redone under every fault, the undo itself once", async () => {
    const report = await rehearse(corrected("undo"), { input, correct });
    expectSafe(report);
    expect(report.steps.map(({ step }) => step)).toEqual(["order", "order.undo", "thank"]);
    expect(verdictsOf(report, "order.undo")).toMatchObject({
      "crash duringSend": "safe",
      "answer lost": "safe",
    });
  });

  test("is rechecked where the same request is wanted still", async () => {
    const report = await rehearse(corrected("recheck"), { input, correct });
    expectSafe(report);
    expect(verdictsOf(report, "order")).toMatchObject({ "answer lost": "checked" });
  });

  test("finds an undo that takes the effect back twice", async () => {
    const report = await rehearse(corrected("undo", true), { input, correct });
    expect(verdictsOf(report, "order.undo")).toMatchObject({ "answer lost": "twice" });
    expect(report.findings).toMatchObject([{ step: "order.undo", verdict: "twice" }]);
  });
});

describe("an approval that reminds and is escalated", () => {
  test("is given like any other: it changes no verdict", async () => {
    const approved = (over: { readonly remind?: "1d"; readonly escalate?: { to: string; after: "2d" } }) =>
      defineCase("approved", head)
        .approval("approve", { by: "finance", expires: "3d", ...over })
        .step("order", {
          to: shop.destination,
          request: (facts) => ({ item: facts.input.item }),
          run: ({ request, ...given }) => shop.send(request, given),
        });
    const plain = await rehearse(approved({}), { input });
    shop.reset();
    const told = await rehearse(approved({ remind: "1d", escalate: { to: "board", after: "2d" } }), {
      input,
    });
    expectSafe(told);
    expect(formatRehearsal(told)).toBe(formatRehearsal(plain));
  });
});
